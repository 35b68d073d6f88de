// Newton–Euler by virtual work: the inertia forces −ρa and the stresses do no work on any virtual displacement,
//   ∫ρ δr·a dV + ∫δe·C (e − e₀) + Σⱼ pⱼ ∫δηⱼ = δW.                                                          (1)
// For a section point s, with Λ = 1 + θ̂ + ½θ̂² kept to second order until the virtual displacement is formed,
//   δr = δu + δθ×s + ½(δθ̂ θ̂ + θ̂ δθ̂)s,                                                              (2)
//   a  = α + B(x+s) + B(u + θ×s) + 2W(u̇ + θ̇×s) + ü + θ̈×s,      B = ε̂ + ω̂²,  W = ω̂.                 (3)
// To first order in q, with ∫ρs = 0 and Σ = ∫ρssᵀ, the section gives for each operator X of (3)
//   δuᵀ ρA X u + δθᵀ J(X) θ,        J(X) = ∫ρ ŝᵀ X ŝ,                                                (4)
//   δθᵀ [½(BΣ + ΣBᵀ) − tr(BΣ)1] θ   from the last part of (2) against B s,                            (5)
//   δuᵀ ρA (α + Bx) + δθᵀ τ(B),     τ(X) = ∫ρ s × Xs   as loads.                                      (6)
// Theory: docs/theory/kinematics.md. No scalar function, no differentiation.
#include <memory>

#include "elodyn/base/rotation.hpp"
#include "elodyn/formalism/formalism.hpp"

namespace elodyn {
namespace {

// J(X)ᵢⱼ = ∫ρ (s×eᵢ)·X(s×eⱼ); s×eᵢ has the entries +s at row i+1 and −s at row i+2 (cyclic).
Mat3 calc_J(const Mat3& X, const Mat3& sigma) {
  Mat3 J;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      J(i, j) =
          X(i1, j1) * sigma(i2, j2) - X(i1, j2) * sigma(i2, j1) - X(i2, j1) * sigma(i1, j2) + X(i2, j2) * sigma(i1, j1);
    }
  return J;
}

Mat3 calc_second_order(const Mat3& X, const Mat3& sigma) {  // (5)
  const Mat3 X_sigma = X * sigma;
  return 0.5 * (X_sigma + X_sigma.transpose()) - X_sigma.trace() * Mat3::Identity();
}

void reset(std::vector<MatrixX>& matrices, size_t count, int n) {
  matrices.resize(count);
  for (MatrixX& m : matrices) m.setZero(n, n);
}
void reset(std::vector<VectorX>& vectors, size_t count, int n) {
  vectors.resize(count);
  for (VectorX& v : vectors) v.setZero(n);
}

class NewtonEuler final : public Formalism {
 public:
  std::string_view name() const override { return "newton_euler"; }
  std::string_view summary() const override { return "inertia forces from accelerations, projected by virtual work"; }
  Level level() const override { return Level::element; }

  void derive(const Stations& stations, int n, const MotionBasis& basis, ElementTerms& t) const override {
    const auto pairs = basis.pairs();
    const size_t n_axes = basis.axes.size();
    for (MatrixX* m : {&t.M, &t.D, &t.K}) m->setZero(n, n);
    reset(t.G, n_axes, n);
    reset(t.E, n_axes, n);
    reset(t.B, n_axes, n);
    reset(t.S, pairs.size(), n);
    reset(t.H, pairs.size(), n);
    reset(t.A, basis.accelerations.size(), n);
    reset(t.Gamma, stations.empty() ? 0 : stations.front().Psi.size(), n);
    reset(t.N, stations.empty() || stations.front().transport.empty() ? 0 : n_axes, n);
    t.member_load.setZero(n, 9);

    for (const Station& st : stations) {
      const bool turns = !st.sigma.isZero(0);
      const Vec3 x = st.x - basis.origin;
      const Matrix3X mN = st.weight * st.mass * st.N;
      const auto add = [&](const Mat3& X, MatrixX& matrix) {  // (4)
        matrix.noalias() += mN.transpose() * (X * st.N);
        if (turns) matrix.noalias() += st.N_theta.transpose() * (st.weight * calc_J(X, st.sigma) * st.N_theta);
      };
      const auto add_second_order = [&](const Mat3& X, MatrixX& matrix) {
        if (turns)
          matrix.noalias() += st.N_theta.transpose() * (st.weight * calc_second_order(X, st.sigma) * st.N_theta);
      };
      const auto add_load = [&](const Mat3& X, VectorX& load) {
        load.noalias() += mN.transpose() * (X * x);
        if (turns) load.noalias() += st.N_theta.transpose() * (st.weight * axial_of(X * st.sigma));
      };

      add(Mat3::Identity(), t.M);
      for (size_t i = 0; i < n_axes; ++i) {
        const Mat3 X = skew(basis.axes[i]);
        add(X, t.G[i]);
        add(X, t.E[i]);
        add_second_order(X, t.E[i]);
        add_load(X, t.B[i]);
      }
      for (size_t k = 0; k < pairs.size(); ++k) {
        const auto [i, j] = pairs[k];
        const Mat3 Wi = skew(basis.axes[static_cast<size_t>(i)]), Wj = skew(basis.axes[static_cast<size_t>(j)]);
        const Mat3 X = i == j ? Mat3(Wi * Wi) : Mat3(Wi * Wj + Wj * Wi);
        add(X, t.S[k]);
        add_second_order(X, t.S[k]);
        add_load(X, t.H[k]);
      }
      for (size_t j = 0; j < basis.accelerations.size(); ++j)
        t.A[j].noalias() += mN.transpose() * basis.accelerations[j];

      t.member_load.leftCols(3).noalias() += st.weight * st.N.transpose();
      t.member_load.middleCols(3, 3).noalias() += st.weight * st.R_theta.transpose();
      if (st.thermal.rows() > 0)
        t.member_load.rightCols(3).noalias() += st.B.transpose() * (st.weight * st.stiffness * st.thermal);
      if (st.B.rows() > 0) t.K.noalias() += st.B.transpose() * (st.weight * st.stiffness * st.B);
      if (st.viscosity.rows() > 0) t.D.noalias() += st.B.transpose() * (st.weight * st.viscosity * st.B);
      for (size_t i = 0; i < t.N.size(); ++i)
        for (size_t k = 0; k < 3; ++k)
          t.N[i].noalias() +=
              st.B.transpose() * (st.weight * basis.axes[i][static_cast<int>(k)] * st.viscosity * st.transport[k]);
      for (size_t j = 0; j < st.Psi.size(); ++j)
        t.Gamma[j].noalias() += st.L.transpose() * (st.weight * st.Psi[j] * st.L);
    }
  }
};

}  // namespace

std::unique_ptr<const Formalism> make_newton_euler() { return std::make_unique<NewtonEuler>(); }

}  // namespace elodyn
