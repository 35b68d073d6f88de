#include "elodyn/model/validate.hpp"

#include <algorithm>
#include <cmath>

#include "elodyn/base/text.hpp"
#include "elodyn/model/effective_modulus.hpp"
#include "elodyn/model/used_names.hpp"
#include "elodyn/model/validate_parts.hpp"

namespace elodyn {
namespace {

bool is_usable(double value) { return value > 0 && std::isfinite(value); }

bool check_positive(double value, const char* key, const Marks& marks, const Mark& mark, Diagnostics& diagnostics) {
  if (marks.is_bad(key)) return false;
  if (is_usable(value)) return true;
  diagnostics.error(marks.of(key, mark), std::string(key) + " = " + shortest(value) + ", must be above 0 and finite");
  return false;
}

void check_orthotropic(const Material& material, Diagnostics& diagnostics) {
  const std::pair<const char*, const std::optional<double>*> moduli[] = {{"young_2", &material.young_2},
                                                                         {"shear_12", &material.shear_12},
                                                                         {"shear_13", &material.shear_13},
                                                                         {"shear_23", &material.shear_23},
                                                                         {"young_3", &material.young_3}};
  const std::pair<const char*, const std::optional<double>*> ratios[] = {{"poisson_13", &material.poisson_13},
                                                                         {"poisson_23", &material.poisson_23}};
  bool good = true;
  for (const auto& [key, value] : moduli)
    if (*value) good = check_positive(**value, key, material.marks, material.mark, diagnostics) && good;
  if (!material.is_orthotropic()) {
    const auto refuse = [&](const char* key, const std::optional<double>& value) {
      if (value)
        diagnostics.error(material.marks.of(key, material.mark),
                          "`" + std::string(key) + "` belongs to an orthotropic material, which has `young_2`");
    };
    for (const auto& [key, value] : moduli) refuse(key, *value);
    for (const auto& [key, value] : ratios) refuse(key, *value);
    return;
  }
  if (!material.shear_12)
    diagnostics.error(material.mark, "material `" + material.name + "` has young_2 but no `shear_12`, needed by it");
  if (!good || material.marks.has_bad()) return;
  // The energy must be positive: E₁ > ν₁₂² E₂.
  if (!(material.young > material.poisson * material.poisson * *material.young_2))
    diagnostics.error(material.marks.of("poisson", material.mark),
                      "poisson = " + shortest(material.poisson) + ", its size must be below sqrt(young/young_2) = " +
                          shortest(std::sqrt(material.young / *material.young_2)));
}

// The shares of pores for which the model has moduli.
void check_porosity(const Material& material, Diagnostics& diagnostics) {
  const Mark mark = material.marks.of("porosity", material.mark);
  const double c = material.porosity;
  if (material.marks.is_bad("porosity") || c == 0) return;
  const auto fail = [&](const std::string& text, const std::string& help = {}) {
    diagnostics.error(mark, "porosity = " + shortest(c) + text, help);
  };
  if (!(c >= 0 && c < 1)) return fail(", must be at least 0 and below 1");
  if (material.is_orthotropic()) return fail(" of an orthotropic material, must be of an isotropic one");
  const bool spheres = material.porosity_model == PorosityModel::dilute_spheres ||
                       material.porosity_model == PorosityModel::mori_tanaka_spheres;
  if (spheres && !(material.poisson < 0.5))
    return fail(" with poisson = " + shortest(material.poisson) + ", which must be below 0.5 for spherical pores");
  if (const double limit = find_porosity_limit(material); !(c < limit))
    fail(", must be below " + shortest(limit) + ", where a modulus of its dilute model falls to 0",
         "use the model of Mori and Tanaka");
}

// Constants of a material with voids that make sense by themselves; bodies judge the rest.
void check_void_constants(const Material& material, Diagnostics& diagnostics) {
  const auto check = [&](const std::optional<double>& value, const char* key, bool good, const char* rule) {
    if (value && !material.marks.is_bad(key) && !(good && std::isfinite(*value)))
      diagnostics.error(material.marks.of(key, material.mark),
                        std::string(key) + " = " + shortest(*value) + ", must be " + rule);
  };
  check(material.void_alpha, "void_alpha", material.void_alpha.value_or(0) >= 0, "at least 0");
  check(material.void_beta, "void_beta", true, "finite");
  check(material.void_xi, "void_xi", material.void_xi.value_or(1) > 0, "above 0");
  check(material.void_kappa, "void_kappa", material.void_kappa.value_or(1) > 0, "above 0");
  check(material.void_tau, "void_tau", material.void_tau >= 0, "at least 0");
}

void check_material(const Material& material, Diagnostics& diagnostics) {
  check_positive(material.young, "young", material.marks, material.mark, diagnostics);
  check_positive(material.density, "density", material.marks, material.mark, diagnostics);
  const double nu = material.poisson;
  if (!material.marks.is_bad("poisson") && !(nu > -1 && nu <= 0.5))
    diagnostics.error(material.marks.of("poisson", material.mark),
                      "poisson = " + shortest(nu) + ", must be above -1 and at most 0.5");
  check_orthotropic(material, diagnostics);
  if (!material.marks.has_bad() && is_usable(material.young)) check_porosity(material, diagnostics);
  check_void_constants(material, diagnostics);
}

// What a section may leave out must be sound if it is there.
bool check_optional_keys(const Section& section, Diagnostics& diagnostics) {
  bool good = true;
  const auto positive = [&](const std::optional<double>& value, const char* key) {
    if (value) good = check_positive(*value, key, section.marks, section.mark, diagnostics) && good;
  };
  const auto factor = [&](const std::optional<double>& value, const char* key) {
    if (!value || section.marks.is_bad(key) || (*value > 0 && *value <= kLargestShearFactor)) return;
    diagnostics.error(
        section.marks.of(key, section.mark),
        std::string(key) + " = " + shortest(*value) + ", must be above 0 and at most " + shortest(kLargestShearFactor));
    good = false;
  };
  positive(section.extreme_y, "extreme_y");
  positive(section.extreme_z, "extreme_z");
  positive(section.torsion_modulus, "torsion_modulus");
  factor(section.shear_y, "shear_y");
  factor(section.shear_z, "shear_z");
  return good;
}

void check_section(const Section& section, Diagnostics& diagnostics) {
  const auto positive = [&](double value, const char* key) {
    return check_positive(value, key, section.marks, section.mark, diagnostics);
  };
  bool good = !section.marks.has_bad();
  switch (section.shape) {
    case Section::Shape::circle:
      good = positive(section.diameter, "diameter") && good;
      break;
    case Section::Shape::tube:
      good = positive(section.diameter, "diameter") && good;
      good = positive(section.inner_diameter, "inner_diameter") && good;
      if (good && section.inner_diameter >= section.diameter) {
        diagnostics.error(section.marks.of("inner_diameter", section.mark),
                          "inner_diameter = " + shortest(section.inner_diameter) +
                              " m, must be below diameter = " + shortest(section.diameter) + " m");
        good = false;
      }
      break;
    case Section::Shape::rectangle:
      good = positive(section.width, "width") && good;
      good = positive(section.height, "height") && good;
      break;
    case Section::Shape::general:
      good = positive(section.area, "area") && good;
      good = positive(section.Iz, "Iz") && good;
      break;
    case Section::Shape::sheet:
      positive(section.thickness, "thickness");
      return;
  }
  good = check_optional_keys(section, diagnostics) && good;
  if (!good) return;
  // Small numbers to the fourth power may vanish, large ones overflow.
  const SectionProperties properties = calc_properties(section);
  if (!is_usable(properties.A) || !is_usable(properties.Iz))
    diagnostics.error(section.mark, "section `" + section.name + "` has area " + shortest(properties.A) +
                                        " m^2 and Iz " + shortest(properties.Iz) + " m^4, must be above 0 and finite");
}

void warn_unused(const Model& model, Diagnostics& diagnostics) {
  const UsedNames used = find_used_names(model);
  for (const Material& material : model.materials)
    if (used.materials.count(material.name) == 0 && !material.from_mesh)
      diagnostics.warning(material.mark, "material `" + material.name + "` is not used");
  for (const Section& section : model.sections)
    if (used.sections.count(section.name) == 0 && !section.from_mesh)
      diagnostics.warning(section.mark, "section `" + section.name + "` is not used");
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Spectra and modes of measured records need no body.
bool is_of_records_alone(const Model& model, const std::vector<std::string>& wanted) {
  const std::vector<std::string> all = wanted.empty() ? model.requested() : wanted;
  return std::all_of(all.begin(), all.end(),
                     [](const std::string& name) { return name == "spectra" || name == "modal"; });
}

// What is asked for and needs the matrices of the equation.
std::vector<std::string> find_needing_matrices(const Model& model, const std::vector<std::string>& wanted) {
  std::vector<std::string> out = wanted.empty() ? model.requested() : wanted;
  static const std::vector<std::string> need_none = {"simulate", "derive",   "compare", "mechanism",
                                                     "measure",  "identify", "spectra", "modal"};
  out.erase(std::remove_if(out.begin(), out.end(), [](const std::string& name) { return has(need_none, name); }),
            out.end());
  return out;
}

void check_motion_formalism(const Model& model, const KnownNames& names, Diagnostics& diagnostics) {
  const std::vector<std::string> needing = find_needing_matrices(model, names.wanted);
  if (needing.empty()) return;
  std::vector<std::string> with_matrices = names.formalisms;
  with_matrices.insert(with_matrices.end(), names.system_formalisms.begin(), names.system_formalisms.end());
  diagnostics.error(model.formalism.mark,
                    "`" + model.formalism.value + "` gives a motion, not matrices, which " + join(needing, ", ") +
                        (needing.size() == 1 ? " needs" : " need") + "; it can be chosen for simulate only",
                    "formalisms that give matrices: " + join(with_matrices, ", "));
}

void warn_of_unused_formalism(const Model& model, Diagnostics& diagnostics) {
  const bool is_all_rigid = model.mechanism && std::all_of(model.bodies.begin(), model.bodies.end(),
                                                           [](const Body& body) { return body.is_rigid(); });
  if (is_all_rigid && !model.formalism.value.empty())
    diagnostics.warning(model.formalism.mark,
                        "formalism = \"" + model.formalism.value + "\" is that of elastic bodies, and there are none",
                        "for the motion of the mechanism: [analysis.mechanism] formalism");
}

void check_formalisms(const Model& model, const KnownNames& names, Diagnostics& diagnostics) {
  warn_of_unused_formalism(model, diagnostics);
  if (names.formalisms.empty()) return;
  const std::string &formalism = model.formalism.value, &of_elements = model.element_formalism.value;
  const bool is_for_systems = has(names.system_formalisms, formalism);
  if (has(names.motion_formalisms, formalism)) {
    check_motion_formalism(model, names, diagnostics);
  } else if (!formalism.empty() && !is_for_systems && !has(names.formalisms, formalism)) {
    std::vector<std::string> known = names.formalisms;
    known.insert(known.end(), names.system_formalisms.begin(), names.system_formalisms.end());
    known.insert(known.end(), names.motion_formalisms.begin(), names.motion_formalisms.end());
    diagnostics.error(model.formalism.mark, "unknown formalism `" + formalism + "`", suggest(formalism, known));
  }
  if (of_elements.empty()) return;
  if (!has(names.formalisms, of_elements))
    diagnostics.error(model.element_formalism.mark, "unknown formalism `" + of_elements + "` for elements",
                      suggest(of_elements, names.formalisms));
  else if (formalism.empty() || has(names.formalisms, formalism))
    diagnostics.error(
        model.element_formalism.mark, "element_formalism = \"" + of_elements + "\" needs a `formalism` for systems",
        "write formalism = \"" + of_elements + "\" instead" +
            (names.system_formalisms.empty() ? ""
                                             : ", or formalism = \"" + names.system_formalisms.front() + "\" besides"));
}

}  // namespace

void validate(const Model& model, const KnownNames& names, Diagnostics& diagnostics) {
  for (const Material& material : model.materials) check_material(material, diagnostics);
  for (const Section& section : model.sections) check_section(section, diagnostics);
  if (model.bodies.empty() && !model.marks.is_bad("body") && !is_of_records_alone(model, names.wanted))
    diagnostics.error(model.marks.of("body", {}), "the model has no body", "write [body.NAME]");
  check_formalisms(model, names, diagnostics);
  for (const Body& body : model.bodies) {
    if (body.is_rigid()) continue;
    validate_body(model, body, names, diagnostics);
    validate_areas(model, body, diagnostics);
    validate_voids(model, body, diagnostics);
    validate_motion(model, body, names, diagnostics);
  }
  if (model.modes && model.modes->target && model.modes->form == ModesRequest::Form::canonical)
    diagnostics.error(model.modes->marks.of("target", model.modes->marks.of_table({})),
                      "target goes with form = \"second_order\"; the canonical form finds the lowest modes");
  validate_simulate(model, names, diagnostics);
  validate_campbell(model, diagnostics);
  validate_frf(model, names, diagnostics);
  validate_stability(model, diagnostics);
  validate_floquet(model, diagnostics);
  validate_mechanism(model, names, diagnostics);
  validate_measure(model, diagnostics);
  validate_identify(model, diagnostics);
  validate_vibration(model, diagnostics);
  if (diagnostics.n_errors() == 0) warn_unused(model, diagnostics);  // or a misspelt name would be said twice
}

}  // namespace elodyn
