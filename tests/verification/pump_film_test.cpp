// There and back: the wind water pump is filmed by the virtual stand, and accelerations, joint forces, motor torque,
// pump force and the rod's frequencies are found from the film. The truth is the motion that was filmed.
#include <algorithm>
#include <cmath>
#include <string>

#include "test_paths.hpp"
#include "tests/support/results.hpp"
#include <gtest/gtest.h>

#include "elodyn/base/error.hpp"
#include "elodyn/io/read_model.hpp"
#include "elodyn/io/read_tracks.hpp"
#include "elodyn/io/write_tracks.hpp"
#include "elodyn/mechanism/liaison.hpp"
#include "elodyn/study/identify.hpp"
#include "elodyn/study/measure.hpp"
#include "elodyn/study/run.hpp"

namespace elodyn {
namespace {

using Index = Eigen::Index;

Model load_pump(const std::vector<std::string>& settings) {
  ReadOptions options;
  options.settings = settings;
  options.names.wanted = {"measure"};
  Diagnostics diagnostics;
  return load_model(ELODYN_SOURCE_DIR "/examples/pump_film/model.toml", options, diagnostics);
}

std::vector<double> film_times(const Model& model, double rate, double duration) {
  std::vector<double> times;
  const double start = find_start(model, *model.measure);
  for (int k = 0; k <= static_cast<int>(rate * duration + 0.5); ++k) times.push_back(start + k / rate);
  return times;
}

// What was filmed, at the film's own times.
struct Truth {
  StandMotion stand;
  MarkerTracks tracks;
  std::vector<JointHistory> joints;

  Truth(const Model& model, double rate, double duration)
      : stand(move_stand(model, film_times(model, rate, duration))),
        tracks(trace_markers(stand, model.measure->film->markers)),
        joints(calc_joint_histories(stand.mechanism, stand.motion, stand.assembly.rows)) {}
  MarkerTracks film(double noise, int seed) const {
    FilmRequest request;
    request.noise = noise;
    MarkerTracks out = tracks;
    spoil_tracks(request, static_cast<std::uint64_t>(seed), out);
    return out;
  }
};

struct Pool {
  int n = 0, inside = 0;
  double widths = 0, squares = 0;
  void add(double error, double sigma) {
    ++n;
    inside += std::abs(error) < 1.96 * sigma ? 1 : 0;
    widths += sigma * sigma;
    squares += error * error;
  }
  double coverage() const { return static_cast<double>(inside) / n; }
  // Of the bands, and of those that the true errors, noise and bias of that filter, would make; root mean squares, as
  // components and joints differ in size.
  double width_ratio() const { return std::sqrt(widths / squares); }
};

void expect_honest(const Pool& pool, const std::string& what) {
  EXPECT_GE(pool.coverage(), 0.92) << what << " " << pool.n;
  EXPECT_LE(pool.coverage(), 0.98) << what << " " << pool.n;
  EXPECT_LE(pool.width_ratio(), 1.3) << what;
}

// Frames a second and noise in m.
constexpr std::pair<double, double> kFilms[] = {{60, 1e-4}, {60, 1e-3}, {120, 3e-4}, {240, 1e-4}, {240, 1e-3}};
std::string describe(double rate, double noise) {
  return std::to_string(rate) + " frames/s, " + std::to_string(1e3 * noise) + " mm";
}

// 100 films, 60 instants of each: origin acceleration in both axes and angular acceleration of rod and lever.
TEST(PumpFilm, bands_of_accelerations_hold_the_truth) {
  const Model model = load_pump({});
  for (const auto& [rate, noise] : kFilms) {
    const Truth truth(model, rate, 1.2);
    const size_t n = truth.tracks.times.size();
    Pool linear, angular;
    for (int seed = 0; seed < 100; ++seed) {
      const MarkerTracks film = truth.film(noise, seed);
      for (const std::string name : {"rod", "lever"}) {
        const Body& body = *model.find_body(name);
        std::vector<Matrix3X> tracks;
        Matrix3X reference(3, 0);
        for (const auto& marker : film.markers) {
          const auto at = parse_body_point(marker.name);
          if (at->body != name) continue;
          tracks.push_back(marker.points);
          reference.conservativeResize(3, reference.cols() + 1);
          reference.col(reference.cols() - 1) = body.find_point(at->point)->x;
        }
        const BodyMotion motion = find_motion(fit_poses(reference, tracks, film.times, 2), {}, 5);
        const int b = truth.stand.mechanism.find_body(name);
        const auto& block = truth.stand.mechanism.bodies()[static_cast<size_t>(b)];
        for (size_t i = 0; i < 60; ++i) {
          const size_t k = n / 10 + i * (n * 8 / 10) / 60;
          const BodyInstant at = move_to(motion.instants[k], block.mass.center - motion.point);
          const auto a = truth.stand.motion.a.col(static_cast<Index>(k)).segment<3>(block.v0);
          for (Index c = 0; c < 2; ++c) linear.add(at.a[c] - a[c], std::sqrt(at.covariance(12 + c, 12 + c)));
          angular.add(at.e[2] - a[2], std::sqrt(at.covariance(17, 17)));
        }
      }
    }
    const std::string what = describe(rate, noise);
    expect_honest(linear, what + ", a");
    expect_honest(angular, what + ", e");
  }
}

// Joint forces, films with 50 instants and more each, for rod and lever and for the whole mechanism. 100 of the slow
// films; of the fast ones, which have two to four times the instants, as many as have their number.
void expect_honest_forces(const Model& model, IdentifyRequest::Motion motion, double rate, double noise) {
  const bool completed = motion == IdentifyRequest::Motion::completed;
  const Truth truth(model, rate, 1);
  IdentifyRequest request;
  request.motion = motion;
  request.trim = 0.06;
  Pool forces, drives;
  const std::vector<int> joints = completed ? std::vector<int>{0, 1, 2, 3, 4} : std::vector<int>{1, 2, 3, 4};
  const int n_films = static_cast<int>(6000 / rate);
  for (int seed = 0; seed < n_films; ++seed) {
    Results results;
    const Identification found = identify(model, request, truth.film(noise, seed), results);
    ASSERT_GE(found.times.size(), 50U);
    EXPECT_TRUE(results.warnings.empty()) << results.warnings.front();
    for (size_t k = 0; k < found.times.size(); ++k)
      for (const int j : joints)
        for (Index c = 0; c < 2; ++c) {
          const auto& force = found.joints[static_cast<size_t>(j)];
          const double wanted = truth.joints[static_cast<size_t>(j)].world(c, found.frames[k]);
          forces.add(force.value(c, static_cast<Index>(k)) - wanted, force.sigma(c, static_cast<Index>(k)));
        }
    if (!completed) continue;
    ASSERT_EQ(found.drives.size(), 2U);
    for (size_t d = 0; d < 2; ++d)
      for (size_t k = 0; k < found.times.size(); ++k)
        drives.add(found.drives[d].value[static_cast<Index>(k)] -
                       truth.stand.motion.source(static_cast<Index>(d), found.frames[k]),
                   found.drives[d].sigma[static_cast<Index>(k)]);
  }
  expect_honest(forces, describe(rate, noise) + (completed ? ", completed" : ", filmed"));
  if (completed) expect_honest(drives, describe(rate, noise) + ", drives");
}

TEST(PumpFilm, bands_of_forces_at_filmed_bodies_hold_the_truth) {
  const Model model = load_pump({});
  for (const auto& [rate, noise] : kFilms) expect_honest_forces(model, IdentifyRequest::Motion::filmed, rate, noise);
}
TEST(PumpFilm, bands_of_forces_of_the_completed_motion_hold_the_truth) {
  const Model model = load_pump({});
  for (const auto& [rate, noise] : kFilms) expect_honest_forces(model, IdentifyRequest::Motion::completed, rate, noise);
}

// Without noise, from a fast film: the forces that were there, but for the bias of the filter.
TEST(PumpFilm, without_noise_the_balance_returns_what_was_used) {
  const Model model = load_pump({});
  const Truth truth(model, 240, 0.6);
  const auto& mechanism = truth.stand.mechanism;
  const Model unknown = ForceBalance::make_model(model, {});
  std::map<std::string, MassProperties> rod;
  rod["rod"] = mechanism.bodies()[1].mass;
  const Mechanism own(unknown, rod);
  for (const bool completes : {false, true}) {
    std::vector<bool> known = {false, true, true, true, false};  // rod, lever, weight
    MechanismState near = truth.stand.assembly.state;
    const ForceBalance balance(own, near, known, completes);
    MechanismInstant at = mechanism.make_instant();
    for (Index k = 0; k < truth.stand.motion.q.cols(); k += 5) {
      const auto& m = truth.stand.motion;
      mechanism.evaluate({m.times[static_cast<size_t>(k)], m.q.col(k), m.v.col(k), m.x.col(k)}, at);
      std::vector<KnownMotion> bodies;
      for (const int b : {1, 2, 3}) {
        const auto& block = mechanism.bodies()[static_cast<size_t>(b)];
        KnownMotion motion;
        motion.body = b;
        motion.C.head<2>() = m.q.col(k).segment<2>(block.q0);
        motion.angle = m.q(block.q0 + 2, k);
        motion.v.head<2>() = m.v.col(k).segment<2>(block.v0);
        motion.a.head<2>() = m.a.col(k).segment<2>(block.v0);
        motion.w[2] = m.v(block.v0 + 2, k);
        motion.e[2] = m.a(block.v0 + 2, k);
        bodies.push_back(motion);
      }
      const auto solution = balance.solve(m.times[static_cast<size_t>(k)], bodies, near);
      near = solution.state;
      // Loads up to 130 N; positions are met to 1e-10, which inertia and the lever arms pass on.
      for (const size_t j : {1U, 2U, 3U})
        for (Index c = 0; c < 2; ++c)
          EXPECT_NEAR(solution.loads[j].total_b().force[c], truth.joints[j].world(c, k), 1e-7);
      if (!completes) continue;
      for (size_t d = 0; d < own.drivers().size(); ++d)
        EXPECT_NEAR(solution.lambda[own.drivers()[d].row], m.source(static_cast<Index>(d), k), 1e-7);
    }
  }
}

// Three equations for four components: what is missing is said, and what would do.
TEST(PumpFilm, the_rod_alone_does_not_determine_its_forces) {
  const Model model = load_pump({"analysis.measure.film.markers=[\"rod.P1\",\"rod.P2\",\"rod.P4\"]"});
  const Truth truth(model, 60, 1);
  IdentifyRequest request;
  Results results;
  const Identification found = identify(model, request, truth.film(3e-4, 1), results);
  ASSERT_EQ(results.warnings.size(), 1U);
  for (const char* part :
       {"the motion of `rod` gives 3 equations", "for 4 components of forces", "joints `B`, `C`", "film body `lever`"})
    EXPECT_NE(results.warnings[0].find(part), std::string::npos) << results.warnings[0];
  EXPECT_TRUE(std::isnan(found.joints[1].value(0, 10)));
  // Nor does it show how the lever turns, where that hangs straight down.
  request.motion = IdentifyRequest::Motion::completed;
  Results none;
  EXPECT_THROW(identify(model, request, truth.film(3e-4, 1), none), NumericalError);
  // One more datum: with the crank filmed, the law of the motor.
  const Model with_crank = load_pump({"analysis.measure.film.markers=[\"rod.P1\",\"rod.P4\",\"crank.O\",\"crank.B\"]"});
  const Truth both(with_crank, 240, 0.5);
  request.motion = IdentifyRequest::Motion::filmed;
  Results unknown_motor;
  identify(with_crank, request, both.film(1e-4, 1), unknown_motor);
  ASSERT_EQ(unknown_motor.warnings.size(), 1U);
  EXPECT_NE(unknown_motor.warnings[0].find("trust the law of `drive`"), std::string::npos) << unknown_motor.warnings[0];
  request.trust = {{"drive", {}}};
  Results more;
  const Identification all = identify(with_crank, request, both.film(1e-4, 1), more);
  EXPECT_TRUE(more.warnings.empty());
  EXPECT_TRUE(all.joints[1].value.topRows(2).allFinite());
}

// The whole chain through files, at 240 frames a second and 0.3 mm: frequencies over the cycle within 0.5 %.
TEST(PumpFilm, frequencies_of_the_rod_over_the_cycle_from_a_film) {
  Model model = load_pump({"analysis.measure.film.gaps=0.01", "analysis.measure.film.outliers=0.005",
                           "analysis.measure.film.outlier_size=\"20 mm\""});
  Measurement measurement;
  const Results measured = run_measure(model, measurement);
  ASSERT_TRUE(measured.outcome.ok()) << measured.outcome.message;
  Diagnostics diagnostics;
  TrackFile& film = model.identify->films[0];
  film.tracks =
      read_tracks("film.txt", to_text(*measurement.film, FilmRequest::Format::tracker, "mm"), film, {}, diagnostics);
  ASSERT_NE(film.tracks, nullptr) << diagnostics.format_all(Severity::error);
  const Results found = run_identify(model);
  ASSERT_TRUE(found.outcome.ok()) << found.outcome.message;
  const Results computed = run_analysis(model, "cycle");
  for (const char* name : {"least", "most", "mean"}) {
    const auto &from_film = test::column(found, "identify_cycle", name),
               &wanted = test::column(computed, "cycle", name);
    ASSERT_EQ(from_film.size(), 6U);
    for (size_t i = 0; i < 6; ++i) EXPECT_NEAR(from_film[i] / wanted[i], 1, 0.005) << name << " " << i;
  }
}

}  // namespace
}  // namespace elodyn
