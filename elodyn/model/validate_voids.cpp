#include <cmath>
#include <set>

#include "elodyn/base/text.hpp"
#include "elodyn/model/effective_modulus.hpp"
#include "elodyn/model/message_text.hpp"
#include "elodyn/model/surface_kind.hpp"
#include "elodyn/model/validate_parts.hpp"
#include "elodyn/model/void_law.hpp"

namespace elodyn {
namespace {

class VoidsValidator {
 public:
  VoidsValidator(const Model& model, const Body& body, Diagnostics& diagnostics)
      : model_(model), body_(body), diagnostics_(diagnostics) {}

  void run() {
    if (body_.element.value.empty() || body_.marks.is_bad("element")) return;
    const bool is_bar = body_.element.value == kVoidsBar;
    if (body_.uniaxial != Body{}.uniaxial && !is_bar)
      fail(body_.marks.of("uniaxial", body_.mark), "`uniaxial` belongs to `voids_bar`, not to " + name());
    if (!has_voids(body_.element.value)) {
      for (const Support& support : body_.supports)
        if (support.kind == Support::Kind::voids)
          fail(support.at.mark, "`void` holds a field that " + name() + " does not have",
               "elements with voids: voids_bar, voids_t3, voids_q4, voids_t6, voids_q8");
    }
    if (is_bar) check_bar();
    for (const Member& member : body_.members) check_material(member.material);
    for (const Area& area : body_.areas) check_material(area.material);
  }

 private:
  std::string name() const { return tick(body_.element.value); }
  void fail(const Mark& mark, std::string text, std::string help = {}) {
    diagnostics_.error(mark, std::move(text), std::move(help));
  }

  // It lies along x and moves along it alone.
  void check_bar() {
    const std::string moves = name() + " moves along x alone";
    const Body plain;
    if (body_.dimension != 2 && !body_.marks.is_bad("dimension"))
      fail(body_.marks.of("dimension", body_.mark),
           "dimension = " + std::to_string(body_.dimension) + ", must be 2 with voids_bar");
    if (body_.degree != plain.degree && !body_.marks.is_bad("degree"))
      fail(body_.marks.of("degree", body_.mark), "`degree` belongs to beams that bend, not to " + name(),
           "give `axial_degree`");
    for (const Member& member : body_.members) check_along_x(member);
    if (!body_.springs.empty()) fail(body_.springs[0].mark, "a spring on a body of voids: " + moves);
    if (!body_.masses.empty()) fail(body_.masses[0].mark, "a mass on a body of voids: " + moves);
    if (!body_.links.empty()) fail(body_.links[0].mark, "a link in a body of voids: " + moves);
    for (const Load& load : body_.loads) {
      refuse_across(load.force, "force", load);
      refuse_across(load.force_per_length, "force_per_length", load);
      if (!load.moment.isZero(0)) fail(load.marks.of("moment", load.mark), "a moment on a body of voids: " + moves);
      if (!load.moment_per_length.isZero(0))
        fail(load.marks.of("moment_per_length", load.mark), "a moment on a body of voids: " + moves);
      if (load.gradient_y != 0)
        fail(load.marks.of("gradient_y", load.mark), "a gradient across a body of voids: " + moves);
    }
    for (const Support& support : body_.supports)
      if (support.kind == Support::Kind::roller && support.normal.x() == 0)
        fail(support.at.mark, "a roller across the bar holds nothing: " + moves);
  }
  void refuse_across(const Vec3& v, const char* key, const Load& load) {
    if (v.y() != 0)
      fail(load.marks.of(key, load.mark),
           std::string(key) + "[y] = " + shortest(v.y()) + ", must be 0: " + name() + " moves along x alone");
  }
  void check_along_x(const Member& member) {
    const Point *from = body_.find_point(member.from.value), *to = body_.find_point(member.to.value);
    if (!from || !to || from->marks.is_bad("x") || to->marks.is_bad("x")) return;
    if (!member.offset_from.isZero(0) || !member.offset_to.isZero(0))
      return fail(member.mark, "member " + tick(member.name) + " of " + name() + " has an offset, must have none");
    if (member.release_from.any() || member.release_to.any())
      return fail(member.mark, "member " + tick(member.name) + " of " + name() + " has a hinge, but does not turn");
    constexpr double kAlong = 1e-9;
    const Vec3 axis = to->x - from->x;
    if (axis.tail<2>().norm() > kAlong * axis.norm())
      fail(member.mark, "member " + tick(member.name) + " of " + name() + " is not along x",
           "turn the body by `attitude`");
  }

  void check_material(const Located<std::string>& own) {
    const Located<std::string>& used = own.value.empty() ? body_.material : own;
    const Material* material = model_.find_material(used.value);
    if (!material || !judged_.insert(material).second || material->marks.has_bad()) return;
    check_pores(*material);
    if (has_voids(body_.element.value)) check_constants(*material);
  }

  // E* and ν* of a sheet with holes say nothing of what lies across it.
  void check_pores(const Material& material) {
    const bool holes = material.porosity_model == PorosityModel::dilute_holes ||
                       material.porosity_model == PorosityModel::mori_tanaka_holes;
    if (material.porosity == 0 || !holes) return;
    const bool is_held = body_.plane == PlaneState::strain || body_.uniaxial == PlaneState::strain;
    if (is_held || body_.dimension == 3)
      fail(material.marks.of("porosity_model", material.mark),
           "holes across a sheet in material " + tick(material.name) + ", but " +
               (is_held ? "body " + tick(body_.name) + " is in a state of plane or uniaxial strain"
                        : "body " + tick(body_.name) + " has dimension 3"),
           "their moduli hold in the plane of a sheet with free faces; use spheres");
  }

  void check_constants(const Material& material) {
    const std::pair<const char*, const std::optional<double>*> needed[] = {{"void_alpha", &material.void_alpha},
                                                                           {"void_beta", &material.void_beta},
                                                                           {"void_xi", &material.void_xi},
                                                                           {"void_kappa", &material.void_kappa}};
    bool complete = true;
    for (const auto& [key, value] : needed) {
      if (*value) continue;
      complete = false;
      fail(material.mark, "material " + tick(material.name) + " has no `" + key + "`, needed by " + name());
    }
    if (material.is_orthotropic())
      return fail(material.mark,
                  "material " + tick(material.name) + " is orthotropic, " + name() + " needs an isotropic one");
    if (material.marks.is_given("young") && !material.marks.is_given("poisson"))  // only a file can leave a key out
      return fail(material.mark, "material " + tick(material.name) + " has no `poisson`, needed by " + name());
    if (!(material.poisson < 0.5))
      return fail(material.marks.of("poisson", material.mark),
                  "poisson = " + shortest(material.poisson) + ", must be below 0.5 with voids");
    if (!complete || !(material.young > 0) || !(material.poisson > -1) || !has_moduli(material)) return;
    const bool is_bar = body_.element.value == kVoidsBar;
    const std::string broken =
        find_broken_inequality(calc_effective(material), void_state(is_bar ? body_.uniaxial : body_.plane, is_bar));
    if (!broken.empty())
      fail(material.marks.of("void_beta", material.mark), "material " + tick(material.name) + ": " + broken,
           "its energy would not be positive");
  }
  static bool has_moduli(const Material& m) {  // else said elsewhere
    return m.porosity == 0 || (m.porosity > 0 && m.porosity < find_porosity_limit(m));
  }

  const Model& model_;
  const Body& body_;
  Diagnostics& diagnostics_;
  std::set<const Material*> judged_;
};

}  // namespace

void validate_voids(const Model& model, const Body& body, Diagnostics& diagnostics) {
  VoidsValidator(model, body, diagnostics).run();
}

}  // namespace elodyn
