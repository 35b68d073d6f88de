#include "elodyn/study/derive.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>

#include "elodyn/base/error.hpp"
#include "elodyn/base/text.hpp"
#include "elodyn/element/symbolic_element.hpp"
#include "elodyn/formalism/describe.hpp"
#include "elodyn/formalism/registry.hpp"
#include "elodyn/study/count_operations.hpp"
#include "elodyn/study/elastic_links.hpp"
#include "elodyn/system/assembly.hpp"
#include "elodyn/system/motion.hpp"
#include "elodyn/system/system_formalism.hpp"

namespace elodyn {
namespace {

constexpr double kAlong = 1e-12;  // a component of a unit vector below this is round-off of the element's axes
const double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr const char* kAxes[] = {"x", "y", "z"};

double time_of(const Model& model) {
  if (model.modes) return model.modes->time;
  if (model.static_) return model.static_->time;
  if (model.buckling) return model.buckling->time;
  return 0;
}

// Those of the element's axes that have a part of the given directions.
std::vector<Vec3> needed_axes(const std::vector<Vec3>& directions, const Mat3& axes) {
  std::vector<Vec3> out;
  for (Eigen::Index k = 0; k < 3; ++k)
    if (std::any_of(directions.begin(), directions.end(),
                    [&](const Vec3& d) { return std::abs(axes.col(k).dot(d)) > kAlong; }))
      out.emplace_back(Vec3::Unit(k));
  return out;
}

// "theta_z1" → "\theta_{z1}"
std::string latex_of(const std::string& name) {
  static const std::map<std::string, std::string> greek = {{"theta", "\\theta"},
                                                           {"kappa", "\\kappa"},
                                                           {"Gamma", "\\Gamma"},
                                                           {"omega", "\\omega"},
                                                           {"epsilon", "\\varepsilon"}};
  const size_t at = name.find('_');
  const std::string stem = name.substr(0, at);
  const auto found = greek.find(stem);
  const std::string base = found == greek.end() ? stem : found->second;
  return at == std::string::npos ? base : base + "_{" + name.substr(at + 1) + "}";
}

std::string vector_text(const Vec3& v) {
  return "(" + shortest(v[0]) + ", " + shortest(v[1]) + ", " + shortest(v[2]) + ")";
}

// ---- entries ----

// Symmetric or skew, if `vanishes` says that mᵢⱼ ∓ mⱼᵢ does.
template <class S, class Vanishes>
DerivedTerm::Symmetry find_symmetry(const MatrixOf<S>& m, const Vanishes& vanishes) {
  bool symmetric = m.rows() == m.cols() && m.cols() > 1, skew = symmetric;
  for (Eigen::Index j = 0; (symmetric || skew) && j < m.cols(); ++j)
    for (Eigen::Index i = 0; i <= j; ++i) {
      symmetric = symmetric && vanishes(S(m(i, j) - m(j, i)));
      skew = skew && vanishes(S(m(i, j) + m(j, i)));
    }
  return symmetric ? DerivedTerm::Symmetry::symmetric
         : skew    ? DerivedTerm::Symmetry::skew
                   : DerivedTerm::Symmetry::none;
}

void set_entries(const MatrixX& block, const SymbolicElement*, DerivedTerm& term) {
  term.values = block;
  const double round_off = 1e-12 * block.cwiseAbs().maxCoeff();
  term.symmetry = find_symmetry(block, [&](double x) { return std::abs(x) <= round_off; });
}
void set_entries(const MatrixOf<Symbolic>& block, const SymbolicElement* element, DerivedTerm& term) {
  MatrixOf<Symbolic> simple(block.rows(), block.cols());
  term.values.resize(block.rows(), block.cols());
  for (Eigen::Index i = 0; i < block.rows(); ++i)
    for (Eigen::Index j = 0; j < block.cols(); ++j) {
      simple(i, j) = block(i, j).simplified();
      term.values(i, j) = element->evaluate(simple(i, j));
      term.entries.push_back({"", simple(i, j).text(), "", simple(i, j).latex()});
    }
  term.symmetry = find_symmetry(simple, [](const Symbolic& x) { return x.simplified().is_zero(); });
}

bool is_zero(const DerivedTerm& term) {
  if (term.entries.empty()) return term.values.isZero(0);
  return std::all_of(term.entries.begin(), term.entries.end(), [](const Formula& f) { return f.text == "0"; });
}

// ---- terms ----

template <class S>
class TermWriter {
 public:
  TermWriter(const MotionBasis& basis, const SymbolicElement* symbols, DerivedElement& out)
      : symbols_(symbols), out_(out) {
    for (size_t i = 0; i < basis.axes.size(); ++i) axes_.push_back(axis_name(basis.axes[i], i));
    for (size_t j = 0; j < basis.accelerations.size(); ++j) directions_.push_back(axis_name(basis.accelerations[j], j));
    pairs_ = basis.pairs();
  }

  void write(const BasicElementTerms<S>& t, bool is_member) {
    add("M", "mass matrix", {}, "q''", t.M);
    add("D", "damping matrix", {}, "q'", t.D);
    for (size_t i = 0; i < t.G.size(); ++i)
      add("G_" + axes_[i], "Coriolis matrix", {"2", "omega_" + axes_[i]}, "q'", t.G[i]);
    add("K", "elastic stiffness", {}, "q", t.K);
    for (size_t i = 0; i < t.E.size(); ++i)
      add("E_" + axes_[i], "stiffness of the angular acceleration", {"epsilon_" + axes_[i]}, "q", t.E[i]);
    for (size_t k = 0; k < t.S.size(); ++k) add("S_" + pair(k), "centrifugal stiffness", spins(k), "q", t.S[k]);
    for (size_t i = 0; i < t.N.size(); ++i)
      add("N_" + axes_[i], "circulatory stiffness of dashpots to the ground", {"omega_" + axes_[i]}, "q", t.N[i]);
    for (size_t j = 0; j < t.Gamma.size(); ++j) {
      const std::string number = std::to_string(j);
      add("Gamma_" + number, "geometric stiffness of a unit of p_" + number, {"p_" + number}, "q", t.Gamma[j]);
    }
    if (is_member) write_member_loads(t.member_load);
    for (size_t j = 0; j < t.A.size(); ++j)
      add("A_" + directions_[j], "load of the origin's acceleration", {"a_" + directions_[j]}, "", t.A[j]);
    for (size_t i = 0; i < t.B.size(); ++i)
      add("B_" + axes_[i], "load of the angular acceleration", {"epsilon_" + axes_[i]}, "", t.B[i]);
    for (size_t k = 0; k < t.H.size(); ++k) add("H_" + pair(k), "centrifugal load", spins(k), "", t.H[k]);
  }

 private:
  std::string pair(size_t k) const {
    return axes_[static_cast<size_t>(pairs_[k].first)] + axes_[static_cast<size_t>(pairs_[k].second)];
  }
  std::vector<std::string> spins(size_t k) const {
    const auto& [i, j] = pairs_[k];
    if (i == j) return {"omega_" + axes_[static_cast<size_t>(i)] + "^2"};
    return {"omega_" + axes_[static_cast<size_t>(i)], "omega_" + axes_[static_cast<size_t>(j)]};
  }

  void write_member_loads(const MatrixOf<S>& loads) {
    static constexpr std::array<const char*, 9> names = {"f_x", "f_y", "f_z", "c_x", "c_y", "c_z", "T_0", "T_y", "T_z"};
    for (Eigen::Index c = 0; c < loads.cols(); ++c) {
      const std::string name = names[static_cast<size_t>(c)];
      const std::string per = out_.is_surface ? " per area" : " per length";
      const std::string what = c < 3   ? "force" + per
                               : c < 6 ? "couple" + per
                               : c < 7 ? "temperature"
                                       : "temperature gradient";
      add("Q_" + name.substr(0, 1) + name.substr(2), "generalized force of a unit of " + what, {name}, "",
          MatrixOf<S>(loads.col(c)), false);
    }
  }

  static std::string latex_factor(const std::string& factor) {
    if (factor.find_first_not_of("0123456789") == std::string::npos) return factor;
    if (factor.ends_with("^2")) return latex_of(factor.substr(0, factor.size() - 2)) + "^2";
    return latex_of(factor);
  }

  void add(const std::string& name, const std::string& meaning, const std::vector<std::string>& factors,
           const std::string& acts_on, const MatrixOf<S>& block, bool minus = true) {
    DerivedTerm term;
    set_entries(block, symbols_, term);
    if (is_zero(term)) {
      out_.zero.push_back(name);
      return;
    }
    term.name = name;
    term.latex_name = latex_of(name);
    term.meaning = meaning;
    term.factor = join(factors, " ");
    for (const std::string& factor : factors) term.latex_place += latex_factor(factor) + " ";
    term.latex_place += term.latex_name;
    term.latex_place += acts_on == "q''" ? "\\ddot q" : acts_on == "q'" ? "\\dot q" : acts_on.empty() ? "" : "q";
    term.acts_on = acts_on;
    term.minus = acts_on.empty() && minus;
    out_.terms.push_back(std::move(term));
  }

  const SymbolicElement* symbols_;
  DerivedElement& out_;
  std::vector<std::string> axes_, directions_;
  std::vector<std::pair<int, int>> pairs_;
};

// ---- symbols of the motion and the loads ----

struct FrameMotion {
  Vec3 omega = Vec3::Constant(kNone), epsilon = omega, acceleration = omega;  // body axes

  FrameMotion(const Model& model, const Body& body, const MotionBasis& basis, std::vector<std::string>& notes) {
    try {
      const FactorValues at = calc_factors(model, body, basis, time_of(model));
      const auto combine = [](const std::vector<Vec3>& axes, const VectorX& values) {
        Vec3 sum = Vec3::Zero();
        for (size_t i = 0; i < axes.size(); ++i) sum += values[static_cast<Eigen::Index>(i)] * axes[i];
        return sum;
      };
      omega = combine(basis.axes, at.w);
      epsilon = combine(basis.axes, at.e);
      acceleration = combine(basis.accelerations, at.a);
    } catch (const NumericalError& error) {
      notes.emplace_back(error.what());
    }
  }
};

void add_motion_symbols(const MotionBasis& basis, const FrameMotion& motion, const Mat3& axes, DerivedElement& out) {
  const auto add = [&](const std::string& stem, const std::vector<Vec3>& along, const Vec3& value,
                       const std::string& meaning, const std::string& unit) {
    const std::string where = out.axes + " ";
    for (size_t i = 0; i < along.size(); ++i) {
      const std::string axis = axis_name(along[i], i), name = stem + "_" + axis;
      const std::string about = axis == "1" || axis == "2" || axis == "3" ? vector_text(along[i]) : where + axis;
      out.symbols.push_back({name, latex_of(name), meaning + about, unit, (axes * along[i]).dot(value)});
    }
  };
  add("omega", basis.axes, motion.omega, "angular velocity of the frame about ", "rad/s");
  add("epsilon", basis.axes, motion.epsilon, "angular acceleration of the frame about ", "rad/s^2");
  add("a", basis.accelerations, motion.acceleration, "acceleration of the origin, gravity subtracted, along ", "m/s^2");
}

// A label of a mode's energy stands for bending and for the shear that goes with it, in this order; here they differ.
std::string strain_meaning(const std::vector<std::string_view>& names, size_t k) {
  const std::string name(names[k]);
  const bool is_second = std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(k), names[k]) !=
                         names.begin() + static_cast<std::ptrdiff_t>(k);
  if (name == "lag") return is_second ? "shear along y" : "bending along y (lag)";
  if (name == "membrane") {
    static constexpr const char* kinds[] = {"along x", "along y", "shear"};
    return kinds[std::min<size_t>(k, 2)];
  }
  if (name == "flap") return is_second ? "shear along z" : "bending along z (flap)";
  return name == "bending" && is_second ? "shear" : name;
}

// e_1, e_2, … where the generating quantity speaks of them.
void add_strain_symbols(const std::vector<std::string_view>& names, DerivedElement& out) {
  for (size_t k = 0; k < names.size(); ++k) {
    const std::string name = "e_" + std::to_string(k + 1);
    if (std::any_of(out.generating.begin(), out.generating.end(),
                    [&](const Formula& line) { return line.text.find(name) != std::string::npos; }))
      out.symbols.push_back({name, latex_of(name), "strain: " + strain_meaning(names, k), "", kNone});
  }
}

void add_load_symbols(bool is_surface, DerivedElement& out) {
  struct Known {
    const char *factor, *meaning, *unit;
  };
  static constexpr Known known[] = {
      {"p_0", "pull along the element, P = p_0 + p_1 xi + ..., at xi = 0", "N"},
      {"p_1", "its part with xi = x/L", "N"},
      {"p_2", "its part with xi^2", "N"},
      {"p_3", "its part with xi^3", "N"},
      {"p_4", "its part with xi^4", "N"},
      {"f_x", "force per length along x", "N/m"},
      {"f_y", "force per length along y", "N/m"},
      {"f_z", "force per length along z", "N/m"},
      {"c_x", "couple per length about x", "N"},
      {"c_y", "couple per length about y", "N"},
      {"c_z", "couple per length about z", "N"},
      {"T_0", "temperature on the axis", "K"},
      {"T_y", "its gradient along section y", "K/m"},
      {"T_z", "its gradient along section z", "K/m"},
  };
  static constexpr Known of_sheets[] = {
      {"p_0", "force per length along x that the sheet carries, uniform", "N/m"},
      {"p_1", "the same along y", "N/m"},
      {"p_2", "the same in shear", "N/m"},
      {"f_x", "force per area along x", "Pa"},
      {"f_y", "force per area along y", "Pa"},
      {"f_z", "force per area along z", "Pa"},
      {"c_z", "couple per area about z", "N/m"},
      {"T_0", "temperature", "K"},
  };
  for (const Known& k : is_surface ? std::span<const Known>(of_sheets) : std::span<const Known>(known))
    if (std::any_of(out.terms.begin(), out.terms.end(), [&](const DerivedTerm& t) { return t.factor == k.factor; }))
      out.symbols.push_back({k.factor, latex_of(k.factor), k.meaning, k.unit, kNone});
}

// ---- elements ----

std::string why_no_symbols(const ElementData& data, const ElementSpec& spec) {
  if (data.taper) return "its section changes along it";
  if (data.mass != nullptr) return "its axes of inertia are not those of the body";
  return "`" + spec.kind + "` has no form in symbols";
}

void derive_symbols(const Formalism& formalism, const SymbolicElement& element, const MotionBasis& basis,
                    const ElementSpec& spec, DerivedElement& out) {
  const int n = static_cast<int>(element.dofs.size());
  BasicElementTerms<Symbolic> terms;
  formalism.derive(element.stations, n, basis, terms);
  TermWriter<Symbolic>(basis, &element, out).write(terms, spec.is_material());
  for (const std::string& dof : element.dofs) out.dofs.push_back({dof, "", latex_of(dof)});
}

void derive_numbers(const Formalism& formalism, const Stations& stations, const BodySystem& s, const ElementSpec& spec,
                    DerivedElement& out) {
  ElementTerms terms;
  formalism.derive(stations, static_cast<int>(spec.dofs.size()), s.basis, terms);
  TermWriter<double>(s.basis, nullptr, out).write(terms, spec.is_material());
  for (const int dof : spec.dofs) {
    const Dof& d = s.mesh.dofs[static_cast<size_t>(dof)];
    const auto at = std::find(spec.nodes.begin(), spec.nodes.end(), d.node);
    const std::string end = at == spec.nodes.end() ? "b" : std::to_string(at - spec.nodes.begin() + 1);
    const std::string name = std::string(to_string(d.kind)) + "_" + end;
    out.dofs.push_back({name, "", latex_of(name)});
  }
}

// What makes two elements of a body alike: the same symbols in the same equation.
std::string calc_key(const BodySystem& s, const ElementSpec& spec, const SymbolicElement* element,
                     const MotionBasis& basis) {
  std::string key = spec.kind;
  if (spec.area >= 0) key += "|" + std::to_string(spec.area);
  if (spec.member >= 0) {
    const Member& member = s.body->members[static_cast<size_t>(spec.member)];
    key += "|" + s.section_of(spec).name + "|" + member.section_to.value + "|" +
           (member.material.value.empty() ? s.body->material.value : member.material.value);
  }
  if (element != nullptr)
    for (const ElementSymbol& symbol : element->symbols) key += " " + symbol.name;
  else if (!spec.is_material())
    key += "|" + std::to_string(spec.item);
  for (const Vec3& axis : basis.axes) key += "|" + axis_name(axis, 0);
  for (const Vec3& direction : basis.accelerations) key += "|a" + axis_name(direction, 0);
  return key;
}

void add_terms_notes(const Model& model, std::vector<std::string>& notes) {
  std::vector<std::string> off;
  const Terms& terms = model.terms;
  if (!terms.coriolis) off.emplace_back("coriolis");
  if (!terms.euler) off.emplace_back("euler");
  if (!terms.centrifugal_stiffness) off.emplace_back("centrifugal_stiffness");
  if (!terms.centrifugal_load) off.emplace_back("centrifugal_load");
  if (!terms.origin_load) off.emplace_back("origin_load");
  if (!off.empty()) notes.push_back("the file switches off: " + join(off, ", ") + "; derived all the same");
}

class BodyDeriver {
 public:
  BodyDeriver(const Model& model, const Body& body, const Formalism& formalism, const DeriveOptions& options)
      : s_(make_parts(model, body)), formalism_(formalism), options_(options) {}

  void derive_all(std::vector<DerivedElement>& out) {
    std::map<std::string, size_t> known;  // key → place in `out`
    std::map<int, size_t> of_member;      // all elements of a member are alike
    for (size_t e = 0; e < s_.mesh.elements.size(); ++e) {
      const ElementSpec& spec = s_.mesh.elements[e];
      if (const auto found = of_member.find(spec.member); spec.member >= 0 && found != of_member.end()) {
        ++out[found->second].n_alike;
        continue;
      }
      const Element& element = s_.element_of(spec);
      const ElementData data = s_.make_element_data(spec);
      ElementData shifted = data;  // places count from the origin of the motion
      for (Vec3& node : shifted.nodes) node -= s_.basis.origin;
      const std::unique_ptr<SymbolicElement> symbols = element.make_symbolic(shifted);
      MotionBasis basis = s_.basis;
      if (symbols) {
        basis.origin.setZero();
        basis.axes = needed_axes(s_.basis.axes, symbols->axes);
        basis.accelerations = needed_axes(s_.basis.accelerations, symbols->axes);
      }
      const auto [it, is_new] = known.emplace(calc_key(s_, spec, symbols.get(), basis), out.size());
      of_member.emplace(spec.member, it->second);
      if (!is_new) {
        ++out[it->second].n_alike;
        continue;
      }
      out.push_back(derive(e, element, data, symbols.get(), basis));
    }
  }

 private:
  DerivedElement derive(size_t e, const Element& element, const ElementData& data, const SymbolicElement* symbols,
                        const MotionBasis& basis) const {
    const ElementSpec& spec = s_.mesh.elements[e];
    DerivedElement out;
    out.body = s_.body->name;
    out.kind = spec.kind;
    out.number = static_cast<int>(e) + 1;
    out.n_alike = 1;
    if (spec.is_material()) {
      out.member = s_.part_name(spec);
      out.is_surface = spec.area >= 0;
      out.section = s_.section_of(spec).name;
    }
    for (const int node : spec.nodes) out.nodes.push_back(node + 1);
    out.symbolic = symbols != nullptr && !options_.numbers;
    out.axes = out.symbolic && spec.is_material() ? "element" : "body";
    if (symbols == nullptr && !options_.numbers) out.notes.push_back("in numbers: " + why_no_symbols(data, spec));
    if (out.symbolic && spec.is_material()) add_axes_note(*symbols, out);
    if (s_.basis.origin != Vec3::Zero())
      out.notes.push_back("places count from " + vector_text(s_.basis.origin) +
                          " m, a point of the motion's axis, in body axes");
    if (!s_.body->motion.is_steady())
      out.notes.push_back("values of the motion at t = " + shortest(time_of(*s_.model)) + " s");
    add_terms_notes(*s_.model, out.notes);

    Stations stations;
    element.calc_stations(data, stations);
    out.operations = count_operations(formalism_, stations, static_cast<int>(spec.dofs.size()), s_.basis);
    if (symbols != nullptr)
      out.generating = formalism_.describe(symbols->stations[symbols->stations.size() / 2], basis).station;
    const FrameMotion motion(*s_.model, *s_.body, s_.basis, out.notes);
    if (out.symbolic) {
      for (const ElementSymbol& symbol : symbols->symbols)
        out.symbols.push_back({symbol.name, symbol.latex, symbol.meaning, symbol.unit, symbol.value});
      add_motion_symbols(basis, motion, symbols->axes, out);
      derive_symbols(formalism_, *symbols, basis, spec, out);
    } else {
      add_motion_symbols(s_.basis, motion, Mat3::Identity(), out);
      derive_numbers(formalism_, stations, s_, spec, out);
    }
    add_strain_symbols(element.strain_names(data), out);
    add_load_symbols(spec.area >= 0, out);
    return out;
  }

  void add_axes_note(const SymbolicElement& symbols, DerivedElement& out) const {
    if ((symbols.axes - Mat3::Identity()).cwiseAbs().maxCoeff() <= kAlong) {
      out.notes.emplace_back("the element's axes are those of the body");
      return;
    }
    std::string text = "the element's axes in body axes:";
    for (Eigen::Index k = 0; k < 3; ++k) {
      Vec3 axis = symbols.axes.col(k);
      for (double& c : axis)
        if (std::abs(c) <= kAlong) c = 0;
      text += std::string(k > 0 ? "," : "") + " " + kAxes[k] + " = " + vector_text(axis);
    }
    out.notes.push_back(text);
  }

  BodySystem s_;
  const Formalism& formalism_;
  DeriveOptions options_;
};

}  // namespace

Derivation derive_elements(const Model& given, const DeriveOptions& options) {
  const Model model = make_elastic_bodies(given);
  const Formalism& formalism = formalism_of(model);
  Derivation out;
  out.title = model.title;
  out.formalism = std::string(formalism.name());
  out.summary = std::string(formalism.summary());
  if (const SystemFormalism* system = system_formalisms().find(model.formalism.value); system != nullptr) {
    out.system = system->describe();
    out.system.name = std::string(system->name());
  }
  BasicStation<Symbolic> nothing;
  nothing.N = nothing.N_theta = Matrix3Of<Symbolic>::Zero(3, 1);
  const Description description = formalism.describe(nothing, MotionBasis{});
  out.equation = description.equation;
  out.generating = description.generating;
  for (const Body& body : model.bodies) BodyDeriver(model, body, formalism, options).derive_all(out.elements);
  out.outcome.status = "ok";
  return out;
}

}  // namespace elodyn
