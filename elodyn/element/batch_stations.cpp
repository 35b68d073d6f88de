#include "elodyn/element/batch_stations.hpp"

#include "elodyn/base/error.hpp"

namespace elodyn {
namespace {

// Applies visit(plain, batched) to all matrices of a station until it says false.
template <class Plain, class Batched, class Visit>
bool visit_matrices(Plain& a, Batched& b, const Visit& visit) {
  if (!(visit(a.x, b.x) && visit(a.sigma, b.sigma) && visit(a.N, b.N) && visit(a.N_theta, b.N_theta) &&
        visit(a.R_theta, b.R_theta) && visit(a.B, b.B) && visit(a.stiffness, b.stiffness) &&
        visit(a.viscosity, b.viscosity) && visit(a.thermal, b.thermal) && visit(a.L, b.L) && visit(a.N_phi, b.N_phi)))
    return false;
  for (size_t k = 0; k < a.transport.size(); ++k)
    if (!visit(a.transport[k], b.transport[k])) return false;
  for (size_t j = 0; j < a.Psi.size(); ++j)
    if (!visit(a.Psi[j], b.Psi[j])) return false;
  return true;
}

bool have_same_sizes(const Stations& stations, const BasicStations<Batch>& batch) {
  if (stations.size() != batch.size()) return false;
  for (size_t k = 0; k < stations.size(); ++k) {
    const Station& a = stations[k];
    const BasicStation<Batch>& b = batch[k];
    if (a.transport.size() != b.transport.size() || a.Psi.size() != b.Psi.size() ||
        !visit_matrices(a, b,
                        [](const auto& m, const auto& n) { return m.rows() == n.rows() && m.cols() == n.cols(); }))
      return false;
  }
  return true;
}

}  // namespace

bool put_lane(const Stations& stations, int lane, BasicStations<Batch>& batch) {
  if (lane == 0) {
    batch.resize(stations.size());
    for (size_t k = 0; k < stations.size(); ++k) {
      batch[k].transport.resize(stations[k].transport.size());
      batch[k].Psi.resize(stations[k].Psi.size());
      visit_matrices(stations[k], batch[k], [](const auto& m, auto& n) {
        n.resize(m.rows(), m.cols());
        return true;
      });
    }
  } else if (!have_same_sizes(stations, batch)) {
    return false;
  }
  for (size_t k = 0; k < stations.size(); ++k) {
    batch[k].weight.set_lane(lane, stations[k].weight);
    batch[k].mass.set_lane(lane, stations[k].mass);
    batch[k].phi_mass.set_lane(lane, stations[k].phi_mass);
    visit_matrices(stations[k], batch[k], [lane](const auto& m, auto& n) {
      put_lane(m, lane, n);
      return true;
    });
  }
  return true;
}

void get_lane(const BasicStations<Batch>& batch, int lane, Stations& stations) {
  stations.resize(batch.size());
  for (size_t k = 0; k < batch.size(); ++k) {
    stations[k].weight = batch[k].weight.lane(lane);
    stations[k].mass = batch[k].mass.lane(lane);
    stations[k].phi_mass = batch[k].phi_mass.lane(lane);
    stations[k].transport.resize(batch[k].transport.size());
    stations[k].Psi.resize(batch[k].Psi.size());
    visit_matrices(stations[k], batch[k], [lane](auto& m, const auto& n) {
      get_lane(n, lane, m);
      return true;
    });
  }
}

bool Element::calc_batch_stations(const std::vector<ElementData>& lanes, BasicStations<Batch>& batch) const {
  ELODYN_REQUIRE(lanes.size() == Batch::kLanes);
  Stations stations;
  for (int lane = 0; lane < Batch::kLanes; ++lane) {
    calc_stations(lanes[static_cast<size_t>(lane)], stations);
    if (!put_lane(stations, lane, batch)) return false;
  }
  return true;
}

}  // namespace elodyn
