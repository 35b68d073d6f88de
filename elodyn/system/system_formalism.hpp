// Formalisms that act on a whole body: blocks and constraints → motion, without the index assembly of a finite element
// program, or without time. They take the element equations of an element formalism (formalism/formalism.hpp).
// Adding one is one source file and one line of system/registry.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "elodyn/base/formula.hpp"
#include "elodyn/base/registry.hpp"
#include "elodyn/system/system.hpp"

namespace elodyn {

// A motion of a body at given times, in the reduced coordinates q = T z + g.
struct Trajectory {
  std::vector<double> times;  // those that were reached
  MatrixX z, z_rate;          // one column for each time
  std::string stopped;        // why it ended early; empty: it did not
  long steps = 0;             // of its integration
  int legs = 0;               // pieces, each with a coordinate of its own in place of time; 0: it keeps time
};

struct LiaisonForces;  // block_system.hpp

class SystemFormalism {
 public:
  virtual ~SystemFormalism() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;
  // Whether it yields the matrices that analyses read. One that does not can be chosen for motions in time only.
  virtual bool makes_matrices() const { return false; }
  // How it makes the equations of a body from those of its elements.
  virtual Formula describe() const { return {}; }
  // Why it cannot treat this body in its motion, as half a sentence; empty if it can.
  virtual std::string reason_against(const BodySystem& system) const = 0;
  // The motion that starts with (z, ż) at times.front(), accurate to about 1e-9 of its size.
  virtual Trajectory simulate(const BodySystem& system, const VectorX& z, const VectorX& z_rate,
                              const std::vector<double>& times) const = 0;
  // Whether it joins elements by constraints; then what these do in a state (q, q̇) at time t, of a body it can treat.
  virtual bool knows_liaison_forces() const { return false; }
  virtual LiaisonForces find_liaison_forces(const BodySystem& system, double t, const VectorX& q,
                                            const VectorX& q_rate) const;
};

const Registry<SystemFormalism>& system_formalisms();

}  // namespace elodyn
