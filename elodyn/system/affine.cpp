#include "elodyn/system/affine.hpp"

namespace elodyn {

double FactorValues::operator()(const Factor& f) const {
  switch (f.kind) {
    case Factor::Kind::one:
      return 1;
    case Factor::Kind::w:
      return w[f.i];
    case Factor::Kind::e:
      return e[f.i];
    case Factor::Kind::ww:
      return w[f.i] * w[f.j];
    case Factor::Kind::a:
      return a[f.i];
    case Factor::Kind::load:
      return load[f.i];
  }
  return 0;
}

bool acts_on_velocity(TermKind kind) { return kind == TermKind::damping || kind == TermKind::coriolis; }
bool acts_on_displacement(TermKind kind) {
  return kind == TermKind::elastic || kind == TermKind::euler || kind == TermKind::centrifugal_stiffness ||
         kind == TermKind::circulatory || kind == TermKind::geometric;
}

template <class Predicate>
SparseMatrix AffineEquation::sum(const FactorValues& at, Predicate wanted) const {
  VectorX values = VectorX::Zero(pattern->n_nonzeros());
  for (const MatrixTerm& term : matrices)
    if (wanted(term.kind)) values += term.coefficient * at(term.factor) * term.values;
  return pattern->to_matrix(values);
}

SparseMatrix AffineEquation::calc_mass() const {
  return sum({}, [](TermKind k) { return k == TermKind::mass; });
}
SparseMatrix AffineEquation::calc_elastic() const {
  return sum({}, [](TermKind k) { return k == TermKind::elastic; });
}
SparseMatrix AffineEquation::calc_velocity(const FactorValues& at) const { return sum(at, acts_on_velocity); }
SparseMatrix AffineEquation::calc_stiffness(const FactorValues& at) const { return sum(at, acts_on_displacement); }

VectorX AffineEquation::calc_load(const FactorValues& at) const {
  VectorX f = VectorX::Zero(size());
  for (const LoadTerm& term : loads) f += term.coefficient * at(term.factor) * term.values;
  return f;
}

const MatrixTerm* AffineEquation::find(const std::string& name) const {
  for (const MatrixTerm& term : matrices)
    if (term.name == name) return &term;
  return nullptr;
}

}  // namespace elodyn
