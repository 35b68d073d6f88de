// All elastic links of a mechanism together, their joints as constraints: Model → rigid stage → links with their loads
// → joined bodies (system/linkage.hpp) → steady vibration or motion in time, forces in the joints → Results.
// A link's own supports choose the frame in which its deformation is told, as where it is taken for itself
// ([analysis.periodic]), and hold nothing. Damping by modes is that of the link on these supports, and acts on its
// deformation.
#pragma once

#include <list>
#include <string>
#include <vector>

#include "elodyn/results/results.hpp"
#include "elodyn/study/elastic_links.hpp"
#include "elodyn/system/linkage.hpp"

namespace elodyn {

class JoinedLinks {
 public:
  // Throws NumericalError as its parts do.
  explicit JoinedLinks(const Model& model);
  JoinedLinks(const JoinedLinks&) = delete;
  JoinedLinks& operator=(const JoinedLinks&) = delete;

  const Linkage& linkage() const { return *linkage_; }
  const RigidStage& rigid() const { return rigid_; }
  const std::vector<std::string>& warnings() const { return warnings_; }
  size_t n_links() const { return systems_.size(); }
  const BodySystem& system(size_t link) const { return systems_[link]; }  // free
  // Displacements of all dofs of a link, against the frame that its own supports choose; without supports against that
  // of the rigid motion.
  VectorX calc_deformation(size_t link, const VectorX& y) const;
  // All dofs of a link in the frame of the rigid motion; of y, ẏ or ÿ.
  VectorX calc_motion(size_t link, const VectorX& y) const;

 private:
  MatrixX calc_damping(const BodySystem& held, size_t link) const;

  RigidStage rigid_;
  Model held_, free_;  // the links with their loads; with their supports, and without
  std::vector<BodySystem> systems_;
  std::vector<MatrixX> to_frame_;  // of each link: q ↦ the rigid motion that its supports do not have; none: no rows
  std::vector<std::string> warnings_;
  std::unique_ptr<const Linkage> linkage_;
};

// What [analysis.linkage] asks for.
void add_linkage(const Model& model, Results& results);

}  // namespace elodyn
