#include "elodyn/formalism/energy.hpp"

#include "elodyn/base/batch.hpp"
#include "elodyn/base/symbolic.hpp"
#include "elodyn/formalism/congruence.hpp"

namespace elodyn {

template <class S>
void add_forces_of_energies(const BasicStation<S>& st, const MotionBasis& basis, BasicElementTerms<S>& t) {
  using D = Dual<Dual<S>>;
  const Eigen::Index n_strains = st.B.rows(), n_gradients = st.L.rows();
  const auto e = static_cast<size_t>(n_strains);
  std::vector<D> z(e + 3);  // strains, temperatures
  if (n_strains > 0) {
    const MatrixOf<S> thermal =
        st.thermal.rows() > 0 ? MatrixOf<S>(st.stiffness.lazyProduct(st.thermal)) : MatrixOf<S>();
    const auto V = [&](const std::vector<D>& at) {
      return D(0.5) * bilinear(at, 0, st.stiffness, 0) - bilinear(at, 0, thermal, e);
    };
    add_congruence(st.weight, st.B, second_partials(V, z, 0, n_strains, 0, n_strains), st.B, t.K);
    if (thermal.size() > 0)
      add_transposed(S(-st.weight), st.B, second_partials(V, z, 0, n_strains, e, 3), t.member_load.rightCols(3));
  }
  if (st.viscosity.rows() > 0) {
    const auto F = [&](const std::vector<D>& at) { return D(0.5) * bilinear(at, 0, st.viscosity, 0); };
    const MatrixOf<S> by_rates = st.weight * st.B.transpose() * second_partials(F, z, 0, n_strains, 0, n_strains);
    t.D.noalias() += by_rates * st.B;
    for (size_t i = 0; i < t.N.size(); ++i)
      for (size_t k = 0; k < st.transport.size(); ++k)
        t.N[i].noalias() += S(basis.axes[i][static_cast<Eigen::Index>(k)]) * by_rates * st.transport[k];
  }
  z.assign(static_cast<size_t>(n_gradients), D());
  for (size_t j = 0; j < st.Psi.size(); ++j) {
    if (st.Psi[j].size() == 0) continue;
    const auto eta = [&](const std::vector<D>& at) { return D(0.5) * bilinear(at, 0, st.Psi[j], 0); };
    add_congruence(st.weight, st.L, second_partials(eta, z, 0, n_gradients, 0, n_gradients), st.L, t.Gamma[j]);
  }
  // ∂²W/∂u∂f and ∂²W/∂ϑ∂c are the identity.
  t.member_load.leftCols(3).noalias() += st.weight * st.N.transpose();
  t.member_load.middleCols(3, 3).noalias() += st.weight * st.R_theta.transpose();
}

template void add_forces_of_energies(const Station&, const MotionBasis&, ElementTerms&);
template void add_forces_of_energies(const BasicStation<Counted>&, const MotionBasis&, BasicElementTerms<Counted>&);
template void add_forces_of_energies(const BasicStation<Symbolic>&, const MotionBasis&, BasicElementTerms<Symbolic>&);
template void add_forces_of_energies(const BasicStation<Batch>&, const MotionBasis&, BasicElementTerms<Batch>&);

}  // namespace elodyn
