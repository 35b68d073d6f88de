// Elements derived several at a time are those derived one by one.
#include "elodyn/base/batch.hpp"

#include <gtest/gtest.h>

#include "elodyn/element/batch_stations.hpp"
#include "elodyn/element/registry.hpp"
#include "elodyn/formalism/registry.hpp"
#include "elodyn/laws.hpp"
#include "elodyn/model/surface_kind.hpp"

namespace elodyn {
namespace {

// Lane 0 is the sample, the others are longer, elsewhere and of other material. Directions differ where the sample is
// turned, so that zeros are zero in all lanes of some batches and in some lanes of others.
std::vector<ElementData> make_lanes(const Element& element, const ElementData& data, bool turn) {
  const SurfaceKind* kind = find_surface_kind(element.name());
  std::vector<ElementData> lanes(Batch::kLanes, data);
  for (int k = 1; k < Batch::kLanes; ++k) {
    ElementData& lane = lanes[static_cast<size_t>(k)];
    lane.young *= 1 + 0.1 * k;
    lane.density *= 1 + 0.2 * k;
    lane.expansion = 1e-5 * k;
    for (Vec3& x : lane.nodes) x += 0.1 * k * Vec3(1, -1, data.dimension == 3 ? 0.5 : 0);
    if (lane.nodes.size() < 2) continue;
    if (kind != nullptr && kind->only_rectangles) {
      for (Vec3& x : lane.nodes) x *= 1 + 0.05 * k;
      continue;
    }
    lane.nodes[1] += 0.05 * k * (data.nodes[1] - data.nodes[0]);
    if (turn) lane.nodes[1] += 0.02 * k * Vec3(-1, 1, data.dimension == 3 ? -1 : 0);
  }
  return lanes;
}

MotionBasis make_basis() {
  MotionBasis basis;
  basis.origin = {0.1, -0.2, 0.3};
  basis.axes = {Vec3(1, 2, -1).normalized(), Vec3::UnitZ()};
  basis.accelerations = {Vec3::UnitX(), Vec3(0, 1, 1).normalized()};
  return basis;
}

// Sums of the same products, in coordinates scaled by diag(M)^½; Hamilton's go through a factor of M with other pivots,
// hence the bound of the comparisons of formalisms. A family is judged by its largest member.
template <class List>
void expect_same(const List& got, const List& want, const VectorX& scale, const char* what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  double worst = 0, size = 0;
  for (size_t k = 0; k < want.size(); ++k) {
    ASSERT_EQ(got[k].rows(), want[k].rows()) << what;
    ASSERT_EQ(got[k].cols(), want[k].cols()) << what;
    const bool square = want[k].cols() == scale.size();
    for (Eigen::Index j = 0; j < want[k].cols(); ++j)
      for (Eigen::Index i = 0; i < want[k].rows(); ++i) {
        const double factor = scale[i] * (square ? scale[j] : 1);
        worst = std::max(worst, factor * std::abs(got[k](i, j) - want[k](i, j)));
        size = std::max(size, factor * std::abs(want[k](i, j)));
      }
  }
  EXPECT_LE(worst, 1e-12 * size) << what;
}

void expect_same(const ElementTerms& got, const ElementTerms& want) {
  VectorX scale = want.M.diagonal();
  for (double& x : scale) x = x > 0 ? 1 / std::sqrt(x) : 1;
  const auto one = [](const MatrixX& m) { return std::vector<MatrixX>{m}; };
  expect_same(one(got.M), one(want.M), scale, "M");
  expect_same(one(got.D), one(want.D), scale, "D");
  expect_same(one(got.K), one(want.K), scale, "K");
  for (const Eigen::Index first : {0, 3, 6})  // forces, couples, temperatures
    expect_same(one(got.member_load.middleCols(first, 3)), one(want.member_load.middleCols(first, 3)), scale, "loads");
  expect_same(got.G, want.G, scale, "G");
  expect_same(got.E, want.E, scale, "E");
  expect_same(got.S, want.S, scale, "S");
  expect_same(got.N, want.N, scale, "N");
  expect_same(got.Gamma, want.Gamma, scale, "Gamma");
  expect_same(got.A, want.A, scale, "A");
  expect_same(got.B, want.B, scale, "B");
  expect_same(got.H, want.H, scale, "H");
}

void expect_lanes_are_elements(const Element& element, const std::vector<ElementData>& lanes) {
  const int n = element.n_dofs(lanes.front());
  BasicStations<Batch> batch;
  ASSERT_TRUE(element.calc_batch_stations(lanes, batch));
  for (const Formalism* formalism : formalisms().list()) {
    SCOPED_TRACE(formalism->name());
    BasicElementTerms<Batch> terms;
    formalism->derive(batch, n, make_basis(), terms);
    for (int lane = 0; lane < Batch::kLanes; ++lane) {
      Stations stations;
      ElementTerms got, want;
      element.calc_stations(lanes[static_cast<size_t>(lane)], stations);
      formalism->derive(stations, n, make_basis(), want);
      get_lane(terms, lane, got);
      expect_same(got, want);
    }
  }
}

TEST(Batch, LanesAreElementsOneByOne) {
  for (const Element* element : elements().list())
    for (const ElementSample& sample : make_samples(*element, 3)) {
      SCOPED_TRACE(std::string(element->name()) + ", " + sample.name);
      const bool turned = sample.name.find("turned") != std::string::npos;
      expect_lanes_are_elements(*element, make_lanes(*element, bind(sample), turned));
    }
}

TEST(Batch, ElementsOfDifferentSizesAreNotJoined) {
  const Element& beam = *elements().find("beam_rayleigh");
  const std::vector<ElementSample> samples = make_samples(beam, 3);
  std::vector<ElementData> lanes(Batch::kLanes, bind(samples.front()));
  lanes.back().degree = 5;
  BasicStations<Batch> batch;
  EXPECT_FALSE(beam.calc_batch_stations(lanes, batch));
}

// One lane is a mass without inertia: Hamilton's coordinates differ from lane to lane, the result must not.
TEST(Batch, LanesOfDifferentRankAreDerivedOneByOne) {
  const Element& element = *elements().find("point_mass");
  const ElementSample sample = make_samples(element, 3).back();
  LumpedMass plain = sample.mass;
  plain.inertia = 0;
  plain.inertia_tensor.clear();
  std::vector<ElementData> lanes(Batch::kLanes, bind(sample));
  lanes[1].mass = &plain;
  expect_lanes_are_elements(element, lanes);
}

}  // namespace
}  // namespace elodyn
