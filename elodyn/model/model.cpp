#include "elodyn/model/model.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <variant>

#include "elodyn/base/units.hpp"
#include "elodyn/model/find_by_name.hpp"

namespace elodyn {

LoadCases find_load_cases(const std::vector<Load>& loads) {
  LoadCases cases;
  for (const Load& load : loads) {
    int number = 0;
    if (load.time || load.history) {
      const auto same = [&](const LoadFactor& factor) {
        if (load.history || factor.history) return factor.history == load.history;
        return factor.time->text() == load.time->text();
      };
      const auto it = std::find_if(cases.factors.begin(), cases.factors.end(), same);
      number = 1 + static_cast<int>(it - cases.factors.begin());
      if (it == cases.factors.end()) cases.factors.push_back({load.time, load.history});
    }
    cases.of_load.push_back(number);
  }
  return cases;
}

const char* Support::kind_name() const {
  static constexpr const char* names[] = {"clamp", "pin", "roller", "hinge", "void"};
  return names[static_cast<int>(kind)];
}

const Point* Body::find_point(const std::string& wanted) const { return find_by_name(points, wanted); }
const Member* Body::find_member(const std::string& wanted) const { return find_by_name(members, wanted); }
const Area* Body::find_area(const std::string& wanted) const { return find_by_name(areas, wanted); }
bool Body::has_side(const std::string& wanted) const {
  if (mesh && mesh->find_side(wanted)) return true;
  return std::any_of(areas.begin(), areas.end(), [&](const Area& area) {
    if (!area.is_patch()) return false;
    for (size_t k = 0; k < 4; ++k)
      if (area.side_name(k) == wanted) return true;
    return false;
  });
}
std::vector<std::string> Model::asked() const {
  std::vector<std::string> names;
  const auto add = [&](bool wanted, const char* name) {
    if (wanted) names.emplace_back(name);
  };
  add(mechanism.has_value(), "mechanism");
  add(static_.has_value(), "static");
  add(buckling.has_value(), "buckling");
  add(modes.has_value(), "modes");
  add(campbell.has_value(), "campbell");
  add(reduction.has_value(), "reduction");
  add(frf.has_value(), "frf");
  add(floquet.has_value(), "floquet");
  add(cycle.has_value(), "cycle");
  add(periodic.has_value(), "periodic");
  add(linkage.has_value(), "linkage");
  add(simulate.has_value(), "simulate");
  add(stability.has_value(), "stability");
  add(measure != nullptr, "measure");
  add(spectra != nullptr, "spectra");
  add(modal != nullptr, "modal");
  add(identify != nullptr, "identify");
  add(correlate != nullptr, "correlate");
  return names;
}

std::vector<std::string> Model::requested() const {
  const std::vector<std::string> names = asked();
  return names.empty() ? std::vector<std::string>{"modes"} : names;
}

const Body* Model::find_body(const std::string& name) const { return find_by_name(bodies, name); }
const Joint* Model::find_joint(const std::string& name) const { return find_by_name(joints, name); }
bool Model::has_elastic_body() const {
  return std::any_of(bodies.begin(), bodies.end(), [](const Body& body) { return !body.is_rigid(); });
}
bool Model::is_planar() const {
  return std::all_of(bodies.begin(), bodies.end(), [](const Body& body) { return body.dimension == 2; });
}
const Material* Model::find_material(const std::string& name) const { return find_by_name(materials, name); }
const Section* Model::find_section(const std::string& name) const { return find_by_name(sections, name); }

const Body* Model::find_swept_body() const {
  if (!campbell) return nullptr;
  if (!campbell->body.value.empty()) return find_by_name(bodies, campbell->body.value);
  const Body* only = nullptr;
  for (const Body& body : bodies) {
    if (body.motion.kind != Motion::Kind::spin) continue;
    if (only != nullptr) return nullptr;
    only = &body;
  }
  return only;
}

bool Model::turns(const Body& body) const {
  return body.motion.kind == Motion::Kind::spin && (body.motion.speed != 0 || find_swept_body() == &body);
}

Vec3 Body::calc_orientation(const Member& member, const Vec3& t) const {
  if (dimension == 2) return Vec3::UnitZ();
  if (member.orientation) return *member.orientation;
  if (orientation) return *orientation;
  constexpr double kAlongZ = 1e-3;  // rad from z
  return t.head<2>().norm() > kAlongZ ? Vec3::UnitZ() : Vec3::UnitY();
}

int SimulateRequest::n_steps() const {
  if (tolerance) return std::max(0, records);
  if (steps) return std::max(0, *steps);
  if (!step || !(*step > 0) || !(duration > 0)) return 0;
  constexpr double kRounding = 1e-9;  // 1 s in steps of 0.1 s are ten steps
  const double n = std::ceil(duration / *step * (1 - kRounding));
  return n > kMostSteps ? kMostSteps + 1 : std::max(1, static_cast<int>(n));
}

std::optional<SimulateRequest::Interval> SimulateRequest::parse_checkpoint() const {
  constexpr std::string_view kSteps = " steps";
  Interval interval;
  if (checkpoint.ends_with(kSteps)) {
    const char* end = checkpoint.data() + checkpoint.size() - kSteps.size();
    const auto [stop, problem] = std::from_chars(checkpoint.data(), end, interval.steps);
    if (problem == std::errc{} && stop == end && interval.steps > 0) return interval;
    return std::nullopt;
  }
  const auto quantity = parse_quantity(checkpoint);
  const auto* time = std::get_if<Quantity>(&quantity);
  if (time == nullptr || time->dimension != kTime || !(time->value > 0)) return std::nullopt;
  interval.seconds = time->value;
  return interval;
}

namespace {

Mat3 make_inertia(double zz, const std::vector<double>& six) {
  Mat3 I = Mat3::Zero();
  if (six.size() == 6) I << six[0], six[3], six[5], six[3], six[1], six[4], six[5], six[4], six[2];
  I(2, 2) += zz;
  return I;
}

}  // namespace

Mat3 LumpedMass::calc_inertia() const { return make_inertia(inertia, inertia_tensor); }

MassProperties Body::calc_mass_properties() const {
  ELODYN_REQUIRE(is_rigid());
  return {*mass, center, make_inertia(inertia, inertia_tensor)};
}

Model without_rigid_bodies(Model model) {
  std::erase_if(model.bodies, [](const Body& body) { return body.is_rigid(); });
  return model;
}

Mat3 calc_R_WB(const Body& body) {
  const double angle = body.attitude.norm();
  if (angle == 0) return Mat3::Identity();
  return Eigen::AngleAxisd(angle, body.attitude / angle).toRotationMatrix();
}

double SweepParameter::value(int k) const {
  if (k == count - 1) return to.value;
  return from.value + (to.value - from.value) * k / (count - 1);
}

std::string SweepParameter::name() const {
  if (!label.empty()) return label;
  // body.rod.motion.through[0] → through_0
  std::string text;
  for (const char c : key.value) {
    if (c == '[') text += '.';
    if (c != '[' && c != ']' && c != '"') text += c;
  }
  const auto is_number = [](const std::string& word) {
    return !word.empty() && word.find_first_not_of("0123456789") == word.npos;
  };
  std::string name;
  for (;;) {
    const size_t dot = text.rfind('.');
    const std::string word = text.substr(dot == text.npos ? 0 : dot + 1);
    name = word + (name.empty() ? "" : "_" + name);
    if (dot == text.npos || !is_number(word)) return name;
    text.resize(dot);
  }
}

std::vector<const SweepParameter*> StabilityRequest::parameters() const {
  std::vector<const SweepParameter*> all = {&x};
  if (y) all.push_back(&*y);
  return all;
}

}  // namespace elodyn
