// What a formalism computes at a station, written out. The general station has y = (u, v, w, theta_x, theta_y, theta_z)
// itself as coordinates, of those that the element's station has, the place (x, y, z), and the element's densities.
// Times are marked as people do: u' is du/dt in text, \dot u in LaTeX; omega, epsilon, a and v_O are those of the
// frame. Everything is collected by densities, A*rho*(…) + I_z*rho*(…), and sorted, so it is the same in every run.
#pragma once

#include <array>

#include "elodyn/base/formula.hpp"
#include "elodyn/base/symbolic.hpp"
#include "elodyn/formalism/matter.hpp"

namespace elodyn {

class StationWriter {
 public:
  // Sections must be in principal axes.
  StationWriter(const BasicStation<Symbolic>& station, const MotionBasis& basis);

  const MovingFrame<Symbolic>& frame() const { return frame_; }
  const MotionBasis& basis() const { return basis_; }
  const BasicStation<Symbolic>& station() const { return general_; }
  const Matter<Symbolic>& matter() const { return matter_; }

  // Symbols of the six local coordinates and their rates (0 where the station has none), of the frame and the place.
  Vec3Of<Symbolic> place() const { return general_.x; }
  Vec3Of<Symbolic> displacement(int rates) const;
  Vec3Of<Symbolic> rotation(int rates) const;
  const Symbolic& omega(size_t axis) const { return omega_[axis]; }
  const Symbolic& epsilon(size_t axis) const { return epsilon_[axis]; }
  const Symbolic& acceleration(size_t direction) const { return acceleration_[direction]; }
  // Names of active coordinate r: "theta_x", "\theta_x", with rates.
  std::string name(int r, int rates) const;
  std::string latex(int r, int rates) const;

  const Symbolic& coordinate(int r, int rates) const;  // the symbol itself

  Symbolic to_symbolic(const BasicPolynomial<Symbolic>& polynomial) const;
  void add(const std::string& name, const std::string& latex, const BasicPolynomial<Symbolic>& value);
  void add(const std::string& name, const std::string& latex, const Symbolic& value);
  void add_vector(const std::string& name, const std::string& latex, const PolynomialVector<Symbolic>& value);
  void add(Formula line) { lines_.push_back(std::move(line)); }
  Formula write(const Symbolic& value) const;       // collected by densities
  Symbolic spell_out(const Symbolic& value) const;  // with the element's densities put in
  // V = ½ e·C e with strains e_1, e_2, …; σ = C e; nothing if the station has no strains.
  void add_potential();
  void add_stresses();

  std::vector<Formula> take() { return std::move(lines_); }

 private:
  Symbolic strain(Eigen::Index k) const;

  MotionBasis basis_;
  MovingFrame<Symbolic> frame_;
  BasicStation<Symbolic> general_;
  Matter<Symbolic> matter_;
  std::vector<std::pair<Symbolic, Symbolic>> densities_;  // name in the general station, what the element has
  std::array<std::array<Symbolic, 6>, 3> y_;              // [rates][local coordinate]
  std::vector<Symbolic> omega_, epsilon_, acceleration_;
  std::array<Symbolic, 3> velocity_;
  std::vector<Formula> lines_;
};

}  // namespace elodyn
