// What newton_euler alone does with the stations of an element.
#include <gtest/gtest.h>

#include "elodyn/element/registry.hpp"
#include "elodyn/formalism/registry.hpp"
#include "elodyn/laws.hpp"

namespace elodyn {
namespace {

// A station may be cut into pieces at the same place: 84 or more stations, which are summed in groups, the last of them
// not full. Each entry is a sum of at most 8·21 products, so that 200 roundings of the largest bound the difference.
TEST(NewtonEuler, SumsAnyNumberOfStations) {
  const Formalism& formalism = *formalisms().find("newton_euler");
  MotionBasis basis;
  basis.origin = {0.1, -0.2, 0.3};
  basis.axes = {Vec3(1, 2, -1).normalized(), Vec3::UnitZ()};
  basis.accelerations = {Vec3::UnitX()};
  constexpr int kPieces = 21;
  int n_beams = 0;
  for (const ElementSample& sample : make_samples(*elements().find("beam_rayleigh"), 3)) {
    const ElementData data = bind(sample);
    const Element& element = *elements().find("beam_rayleigh");
    const int n = element.n_dofs(data);
    Stations stations, pieces;
    element.calc_stations(data, stations);
    for (const Station& st : stations)
      for (int k = 0; k < kPieces; ++k) {
        pieces.push_back(st);
        pieces.back().weight /= kPieces;
      }
    ElementTerms want, got;
    formalism.derive(stations, n, basis, want);
    formalism.derive(pieces, n, basis, got);
    const auto expect_same = [](const auto& a, const auto& b, const char* what) {
      EXPECT_LE((a - b).cwiseAbs().maxCoeff(), 200 * kEps * b.cwiseAbs().maxCoeff()) << what;
    };
    expect_same(got.M, want.M, "M");
    expect_same(got.K, want.K, "K");
    expect_same(got.member_load, want.member_load, "member load");
    for (size_t k = 0; k < want.S.size(); ++k) expect_same(got.S[k], want.S[k], "S");
    for (size_t i = 0; i < want.G.size(); ++i) expect_same(got.G[i], want.G[i], "G");
    for (size_t j = 0; j < want.Gamma.size(); ++j) expect_same(got.Gamma[j], want.Gamma[j], "Gamma");
    ++n_beams;
  }
  EXPECT_GT(n_beams, 0);
}

}  // namespace
}  // namespace elodyn
