// Modes that are known, synthesised with noise, and found again.
#include "elodyn/experiment/modal_fit.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "elodyn/base/error.hpp"
#include "elodyn/base/random.hpp"
#include "elodyn/experiment/mode_pairs.hpp"

namespace elodyn {
namespace {

using Complex = std::complex<double>;
constexpr double kTurn = 2 * std::numbers::pi;

struct Truth {
  std::vector<double> hertz, damping;
  Eigen::MatrixXcd residues;  // FRF × mode
  std::vector<Complex> poles() const {
    std::vector<Complex> out;
    for (size_t r = 0; r < hertz.size(); ++r)
      out.emplace_back(-damping[r] * kTurn * hertz[r], kTurn * hertz[r] * std::sqrt(1 - damping[r] * damping[r]));
    return out;
  }
};

// Shapes of a beam at seven points, one of which is struck.
Truth make_truth(std::vector<double> hertz, std::vector<double> damping) {
  Truth truth{std::move(hertz), std::move(damping), {}};
  const auto m = static_cast<Eigen::Index>(truth.hertz.size());
  truth.residues.resize(7, m);
  for (Eigen::Index o = 0; o < 7; ++o)
    for (Eigen::Index r = 0; r < m; ++r) {
      const double k = std::numbers::pi * static_cast<double>(r + 1);
      truth.residues(o, r) = std::sin(k * (0.1 + 0.11 * static_cast<double>(o))) * std::sin(k * 0.13) /
                             (Complex(0, 2) * truth.poles()[static_cast<size_t>(r)].imag());
    }
  return truth;
}

// Noise: of each FRF's root mean square, complex.
std::vector<FrfRecord> make_frfs(const Truth& truth, double from, double to, int n, double noise, std::uint64_t seed,
                                 Measurand quantity = Measurand::acceleration) {
  Random random(seed);
  const int k = quantity == Measurand::acceleration ? 2 : quantity == Measurand::velocity ? 1 : 0;
  std::vector<FrfRecord> frfs;
  for (Eigen::Index o = 0; o < truth.residues.rows(); ++o) {
    FrfRecord frf;
    frf.response = {std::to_string(o + 1), 3};
    frf.reference = {"2", 3};
    frf.response_quantity = quantity;
    std::vector<Complex> residues;
    for (Eigen::Index r = 0; r < truth.residues.cols(); ++r) residues.push_back(truth.residues(o, r));
    double square = 0;
    for (int i = 0; i < n; ++i) {
      const double w = kTurn * (from + (to - from) * i / (n - 1));
      frf.frequencies.push_back(w);
      frf.values.push_back(synthesise(truth.poles(), residues, {0, 2e-7, 0}, k, w));
      square += std::norm(frf.values.back()) / n;
    }
    for (Complex& value : frf.values)
      value += noise * std::sqrt(square / 2) * Complex(random.normal(), random.normal());
    frfs.push_back(std::move(frf));
  }
  return frfs;
}

void expect_found(const ModalFit& fit, const Truth& truth, double frequency, double damping) {
  ASSERT_EQ(fit.omega.size(), truth.hertz.size());
  for (size_t r = 0; r < truth.hertz.size(); ++r) {
    EXPECT_NEAR(fit.omega[r] / kTurn / truth.hertz[r], 1, frequency) << r;
    EXPECT_NEAR(fit.damping[r] / truth.damping[r], 1, damping) << r;
  }
}

TEST(ModalFit, LscfFindsModesInNoiseAlsoTwoThatAreOnePercentApart) {
  const Truth truth = make_truth({52, 100, 101, 183}, {0.01, 0.004, 0.005, 0.02});
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const std::vector<FrfRecord> frfs = make_frfs(truth, 20, 220, 1601, 0.02, seed);
    const ModalFit fit = fit_modes(frfs, {});
    SCOPED_TRACE(seed);
    expect_found(fit, truth, 1e-3, 0.05);
    for (const double error : fit.error) EXPECT_LT(error, 0.025);  // the noise itself is 0.02
    for (const double share : fit.found_at) EXPECT_GT(share, 0.25);
  }
}

TEST(ModalFit, LscfIsExactWithoutNoise) {
  for (const Measurand quantity : {Measurand::displacement, Measurand::velocity, Measurand::acceleration}) {
    const Truth truth = make_truth({52, 100, 101, 183}, {0.01, 0.004, 0.005, 0.02});
    const std::vector<FrfRecord> frfs = make_frfs(truth, 20, 220, 801, 0, 1, quantity);
    const ModalFit fit = fit_modes(frfs, {});
    expect_found(fit, truth, 1e-7, 1e-5);
    for (const double error : fit.error) EXPECT_LT(error, 1e-5);
    EXPECT_LT((fit.residues - truth.residues).norm(), 1e-4 * truth.residues.norm());
    const std::vector<MeasuredMode> modes = make_measured_modes(frfs, fit);
    for (Eigen::Index r = 0; r < 4; ++r)
      EXPECT_NEAR(calc_mac(modes[static_cast<size_t>(r)].shape, truth.residues.col(r))(0, 0), 1, 1e-6);
  }
}

TEST(ModalFit, BandLeavesOutWhatIsOutside) {
  const Truth truth = make_truth({52, 100, 183, 260}, {0.01, 0.004, 0.02, 0.01});
  ModalOptions options;
  options.from = kTurn * 80;
  options.to = kTurn * 215;
  const ModalFit fit = fit_modes(make_frfs(truth, 0, 300, 2401, 0.01, 3), options);
  ASSERT_EQ(fit.omega.size(), 2U);
  EXPECT_NEAR(fit.omega[0] / kTurn, 100, 0.1);
  EXPECT_NEAR(fit.omega[1] / kTurn, 183, 0.183);
  EXPECT_NEAR(fit.damping[1], 0.02, 0.001);
}

TEST(ModalFit, PeaksAndCirclesFindModesThatStandApart) {
  const Truth truth = make_truth({52, 100, 183}, {0.01, 0.008, 0.012});
  const std::vector<FrfRecord> frfs = make_frfs(truth, 20, 220, 4001, 0, 1);
  ModalOptions options;
  options.method = ModalOptions::Method::peak;
  expect_found(fit_modes(frfs, options), truth, 1e-3, 0.05);
  options.method = ModalOptions::Method::circle;
  expect_found(fit_modes(frfs, options), truth, 1e-3, 0.02);
  options.count = 2;
  EXPECT_EQ(fit_modes(frfs, options).omega.size(), 2U);
}

TEST(ModalFit, TakesTheDampingOfAnExponentialWindowOff) {
  const Truth truth = make_truth({52, 100}, {0.01, 0.004});
  Truth seen = truth;
  const double decay = 4;
  for (size_t r = 0; r < 2; ++r) {  // λ − α
    const Complex pole = truth.poles()[r] - decay;
    seen.hertz[r] = std::abs(pole) / kTurn;
    seen.damping[r] = -pole.real() / std::abs(pole);
  }
  std::vector<FrfRecord> frfs = make_frfs(seen, 20, 140, 801, 0.01, 2);
  for (FrfRecord& frf : frfs) frf.added_decay = decay;
  expect_found(fit_modes(frfs, {}), truth, 1e-3, 0.05);
}

TEST(ModalFit, ShapesOfARovingHammerAndOfManyReferences) {
  const Truth truth = make_truth({52, 100}, {0.01, 0.004});
  std::vector<FrfRecord> frfs = make_frfs(truth, 20, 140, 801, 0, 1);
  for (FrfRecord& frf : frfs) std::swap(frf.response, frf.reference);
  const std::vector<MeasuredMode> modes = make_measured_modes(frfs, fit_modes(frfs, {}));
  ASSERT_EQ(modes.size(), 2U);
  ASSERT_EQ(modes[0].dofs.size(), 7U);
  EXPECT_EQ(modes[0].dofs[6].name(), "7:+z");
  EXPECT_NEAR(calc_mac(modes[1].shape, truth.residues.col(1))(0, 0), 1, 1e-6);
  EXPECT_NEAR(modes[0].shape.cwiseAbs().maxCoeff(), 1, 1e-12);
  // All to a second reference, too, which sees mode 2 the other way round and mode 1 twice as large.
  std::vector<FrfRecord> both = make_frfs(truth, 20, 140, 801, 0, 1);
  Truth other = truth;
  other.residues.col(0) *= 2;
  other.residues.col(1) *= -1;
  for (FrfRecord& frf : make_frfs(other, 20, 140, 801, 0, 1)) {
    frf.reference.point = "5";
    both.push_back(std::move(frf));
  }
  const std::vector<MeasuredMode> of_both = make_measured_modes(both, fit_modes(both, {}));
  ASSERT_EQ(of_both.size(), 2U);
  ASSERT_EQ(of_both[1].dofs.size(), 7U);
  for (Eigen::Index r = 0; r < 2; ++r)
    EXPECT_NEAR(calc_mac(of_both[static_cast<size_t>(r)].shape, truth.residues.col(r))(0, 0), 1, 1e-6);
}

TEST(ModalFit, SaysWhyNot) {
  EXPECT_THROW(fit_modes({}, {}), NumericalError);
  const Truth truth = make_truth({52}, {0.01});
  std::vector<FrfRecord> frfs = make_frfs(truth, 20, 140, 801, 0, 1);
  ModalOptions options;
  options.from = kTurn * 500;
  EXPECT_THROW(fit_modes(frfs, options), NumericalError);
  frfs[1].frequencies[5] += 1;
  EXPECT_THROW(fit_modes(frfs, {}), NumericalError);
}

}  // namespace
}  // namespace elodyn
