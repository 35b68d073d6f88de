#include "elodyn/element/registry.hpp"

namespace elodyn {

std::unique_ptr<const Element> make_beam_euler_bernoulli();
std::unique_ptr<const Element> make_beam_rayleigh();
std::unique_ptr<const Element> make_beam_timoshenko();
std::unique_ptr<const Element> make_membrane_t3();
std::unique_ptr<const Element> make_membrane_rectangle();
std::unique_ptr<const Element> make_membrane_q4();
std::unique_ptr<const Element> make_membrane_t6();
std::unique_ptr<const Element> make_membrane_q8();
std::unique_ptr<const Element> make_plate_dkt();
std::unique_ptr<const Element> make_plate_mitc4();
std::unique_ptr<const Element> make_plate_acm();
std::unique_ptr<const Element> make_plate_merged();
std::unique_ptr<const Element> make_voids_bar();
std::unique_ptr<const Element> make_voids_t3();
std::unique_ptr<const Element> make_voids_q4();
std::unique_ptr<const Element> make_voids_t6();
std::unique_ptr<const Element> make_voids_q8();
std::unique_ptr<const Element> make_point_mass();
std::unique_ptr<const Element> make_spring();
std::unique_ptr<const Element> make_spring_between();

const Registry<Element>& elements() {
  static const Registry<Element> registry = [] {
    std::vector<std::unique_ptr<const Element>> all;
    all.push_back(make_beam_euler_bernoulli());
    all.push_back(make_beam_rayleigh());
    all.push_back(make_beam_timoshenko());
    all.push_back(make_membrane_t3());
    all.push_back(make_membrane_rectangle());
    all.push_back(make_membrane_q4());
    all.push_back(make_membrane_t6());
    all.push_back(make_membrane_q8());
    all.push_back(make_plate_dkt());
    all.push_back(make_plate_mitc4());
    all.push_back(make_plate_acm());
    all.push_back(make_plate_merged());
    all.push_back(make_voids_bar());
    all.push_back(make_voids_t3());
    all.push_back(make_voids_q4());
    all.push_back(make_voids_t6());
    all.push_back(make_voids_q8());
    all.push_back(make_point_mass());
    all.push_back(make_spring());
    all.push_back(make_spring_between());
    return Registry<Element>(std::move(all));
  }();
  return registry;
}

}  // namespace elodyn
