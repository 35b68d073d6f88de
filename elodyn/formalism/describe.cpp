#include "elodyn/formalism/describe.hpp"

namespace elodyn {
namespace {

constexpr std::array<const char*, 6> kNames = {"u", "v", "w", "theta_x", "theta_y", "theta_z"};
constexpr std::array<const char*, 6> kLatex = {"u", "v", "w", "\\theta_x", "\\theta_y", "\\theta_z"};
constexpr std::array<const char*, 3> kAxes = {"x", "y", "z"};
constexpr std::array<const char*, 3> kMarks = {"", "'", "''"};
constexpr std::array<const char*, 3> kDots = {"", "\\dot ", "\\ddot "};

bool has_row(const Matrix3Of<Symbolic>& m, Eigen::Index row) {
  for (Eigen::Index j = 0; j < m.cols(); ++j)
    if (!m(row, j).simplified().is_zero()) return true;
  return false;
}

MotionBasis about_zero(MotionBasis basis) {
  basis.origin.setZero();
  return basis;
}

std::vector<Symbolic> make_symbols(const std::string& name, const std::string& latex, const std::vector<Vec3>& axes) {
  std::vector<Symbolic> out;
  for (size_t i = 0; i < axes.size(); ++i) {
    const std::string axis = axis_name(axes[i], i);
    out.push_back(Symbolic::symbol(name + "_" + axis, latex + "_" + axis));
  }
  return out;
}

// The number that multiplies a product; 1 for a sum.
Symbolic factor_of(const Symbolic& x) {
  if (GiNaC::is_a<GiNaC::mul>(x.ex()))
    for (size_t i = 0; i < x.ex().nops(); ++i)
      if (GiNaC::is_a<GiNaC::numeric>(x.ex().op(i))) return Symbolic(GiNaC::ex(x.ex().op(i)));
  return 1;
}

}  // namespace

StationWriter::StationWriter(const BasicStation<Symbolic>& station, const MotionBasis& basis)
    : basis_(about_zero(basis)), frame_(basis_), general_(station) {
  for (size_t rates = 0; rates < 3; ++rates)
    for (size_t k = 0; k < 6; ++k)
      y_[rates][k] = Symbolic::symbol(kNames[k] + std::string(kMarks[rates]), kDots[rates] + std::string(kLatex[k]));
  omega_ = make_symbols("omega", "\\omega", basis_.axes);
  epsilon_ = make_symbols("epsilon", "\\varepsilon", basis_.axes);
  acceleration_ = make_symbols("a", "a", basis_.accelerations);
  for (size_t k = 0; k < 3; ++k)
    velocity_[k] = Symbolic::symbol(std::string("v_O") + kAxes[k], std::string("v_{O") + kAxes[k] + "}");

  general_.weight = 1;
  general_.N.setZero(3, 6);
  general_.N_theta.setZero(3, 6);
  for (Eigen::Index k = 0; k < 3; ++k) {
    if (has_row(station.N, k)) general_.N(k, k) = 1;
    if (has_row(station.N_theta, k)) general_.N_theta(k, 3 + k) = 1;
    const char* axis = kAxes[static_cast<size_t>(k)];
    general_.x[k] = station.x[k].is_zero() ? Symbolic(0) : Symbolic::symbol(axis, axis);
  }
  const auto name_density = [&](Symbolic& density) {
    if (density.is_zero()) return;
    const Symbolic number = factor_of(density.simplified()), rest = (density / number).simplified();
    for (const auto& [name, known] : densities_)
      if (known == rest) {
        density = number * name;
        return;
      }
    densities_.emplace_back(Symbolic::symbol("density", "d"), rest);
    density = number * densities_.back().first;
  };
  name_density(general_.mass);
  for (Eigen::Index k = 0; k < 3; ++k) name_density(general_.sigma(k, k));
  calc_matter(general_, basis_.origin, matter_);
}

Vec3Of<Symbolic> StationWriter::displacement(int rates) const {
  Vec3Of<Symbolic> out;
  for (Eigen::Index k = 0; k < 3; ++k)
    out[k] = general_.N(k, k) * y_[static_cast<size_t>(rates)][static_cast<size_t>(k)];
  return out;
}
Vec3Of<Symbolic> StationWriter::rotation(int rates) const {
  Vec3Of<Symbolic> out;
  for (Eigen::Index k = 0; k < 3; ++k)
    out[k] = general_.N_theta(k, 3 + k) * y_[static_cast<size_t>(rates)][static_cast<size_t>(3 + k)];
  return out;
}

std::string StationWriter::name(int r, int rates) const {
  return std::string(kNames[static_cast<size_t>(matter_.active[static_cast<size_t>(r)])]) +
         kMarks[static_cast<size_t>(rates)];
}
std::string StationWriter::latex(int r, int rates) const {
  return kDots[static_cast<size_t>(rates)] +
         std::string(kLatex[static_cast<size_t>(matter_.active[static_cast<size_t>(r)])]);
}

const Symbolic& StationWriter::coordinate(int r, int rates) const {
  return y_[static_cast<size_t>(rates)][static_cast<size_t>(matter_.active[static_cast<size_t>(r)])];
}

Symbolic StationWriter::spell_out(const Symbolic& value) const {
  GiNaC::exmap densities;
  for (const auto& [name, density] : densities_) densities[name.ex()] = density.ex();
  return Symbolic(value.ex().subs(densities));
}

Symbolic StationWriter::to_symbolic(const BasicPolynomial<Symbolic>& polynomial) const {
  Symbolic sum = 0;
  for (const auto& term : polynomial.terms()) {
    Symbolic product = term.factor;
    const auto multiply = [&](const Variable& variable, const Symbolic& symbol) {
      for (int power = variable.power_in(term.powers); power > 0; --power) product *= symbol;
    };
    for (size_t r = 0; r < matter_.active.size(); ++r) {
      const auto k = static_cast<size_t>(matter_.active[r]);
      multiply(elodyn::place(static_cast<int>(r)), y_[0][k]);
      multiply(speed(static_cast<int>(r)), y_[1][k]);
      multiply(second(static_cast<int>(r)), y_[2][k]);
    }
    for (size_t i = 0; i < omega_.size(); ++i) {
      multiply(spin(static_cast<int>(i)), omega_[i]);
      multiply(euler(static_cast<int>(i)), epsilon_[i]);
    }
    for (size_t j = 0; j < acceleration_.size(); ++j) multiply(origin_a(static_cast<int>(j)), acceleration_[j]);
    for (size_t k = 0; k < 3; ++k) multiply(origin_v(static_cast<int>(k)), velocity_[k]);
    sum += product;
  }
  return sum;
}

Formula StationWriter::write(const Symbolic& value) const {
  Formula out;
  const auto append = [](std::string& to, const std::string& part) {
    if (to.empty())
      to = part;
    else if (part.starts_with("-"))
      to += " - " + part.substr(1);
    else
      to += " + " + part;
  };
  GiNaC::ex rest = value.ex().expand();
  for (const auto& [name, density] : densities_) {
    const Symbolic part{GiNaC::ex(rest.coeff(name.ex(), 1))};
    rest = rest.coeff(name.ex(), 0);
    if (part.is_zero()) continue;
    if (!part.is_sum() && !density.is_sum()) {
      append(out.text, (density * part).text());
      append(out.latex, (density * part).latex());
      continue;
    }
    const auto bracket = [](const Symbolic& x, const std::string& text) {
      return x.is_sum() ? "(" + text + ")" : text;
    };
    append(out.text, bracket(density, density.text()) + "*" + bracket(part, part.text()));
    append(out.latex, bracket(density, density.latex()) + " " + bracket(part, part.latex()));
  }
  if (!rest.is_zero() || out.text.empty()) {
    append(out.text, Symbolic(rest).text());
    append(out.latex, Symbolic(rest).latex());
  }
  return out;
}

void StationWriter::add(const std::string& name, const std::string& latex, const Symbolic& value) {
  Formula line = write(value);
  line.name = name;
  line.latex_name = latex;
  lines_.push_back(std::move(line));
}
void StationWriter::add(const std::string& name, const std::string& latex, const BasicPolynomial<Symbolic>& value) {
  add(name, latex, to_symbolic(value));
}
void StationWriter::add_vector(const std::string& name, const std::string& latex,
                               const PolynomialVector<Symbolic>& value) {
  Formula line{name, "(", latex, "\\bigl("};
  for (size_t k = 0; k < 3; ++k) {
    const Formula part = write(to_symbolic(value[k]));
    line.text += (k > 0 ? ", " : "") + part.text;
    line.latex += (k > 0 ? ",\\; " : "") + part.latex;
  }
  line.text += ")";
  line.latex += "\\bigr)";
  lines_.push_back(std::move(line));
}

Symbolic StationWriter::strain(Eigen::Index k) const {
  const std::string number = std::to_string(k + 1);
  return Symbolic::symbol("e_" + number, "e_{" + number + "}");
}
void StationWriter::add_potential() {
  if (general_.stiffness.size() == 0) return;
  VectorOf<Symbolic> e(general_.stiffness.rows());
  for (Eigen::Index k = 0; k < e.size(); ++k) e[k] = strain(k);
  Symbolic V = 0;
  for (Eigen::Index j = 0; j < e.size(); ++j)
    for (Eigen::Index i = 0; i < e.size(); ++i) V += e[i] * general_.stiffness(i, j) * e[j] / Symbolic(2);
  add("V", "V", V);
}
void StationWriter::add_stresses() {
  for (Eigen::Index i = 0; i < general_.stiffness.rows(); ++i) {
    Symbolic stress = 0;
    for (Eigen::Index j = 0; j < general_.stiffness.cols(); ++j) stress += general_.stiffness(i, j) * strain(j);
    const std::string number = std::to_string(i + 1);
    if (!stress.is_zero()) add("sigma_" + number, "\\sigma_{" + number + "}", stress);
  }
}

}  // namespace elodyn
