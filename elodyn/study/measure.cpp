#include "elodyn/study/measure.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "elodyn/base/error.hpp"
#include "elodyn/base/progress.hpp"
#include "elodyn/base/random.hpp"
#include "elodyn/base/stopwatch.hpp"
#include "elodyn/study/measure_records.hpp"
#include "elodyn/study/mechanism.hpp"

namespace elodyn {

double find_start(const Model& model, const MeasureRequest& request) {
  if (request.start) return *request.start;
  return model.mechanism ? model.mechanism->start + model.mechanism->settle : 0;
}

StandMotion move_stand(const Model& model, const std::vector<double>& times) {
  ELODYN_REQUIRE(model.mechanism.has_value() && !times.empty());
  Mechanism mechanism(model, calc_elastic_masses(model));
  Assembly assembly = assemble(mechanism, model.mechanism->start);
  MotionOptions options = make_options(mechanism, *model.mechanism);
  options.times = times;
  const bool leads = times.front() > model.mechanism->start;
  if (leads) options.times.insert(options.times.begin(), model.mechanism->start);
  MechanismMotion motion = run_mechanism(mechanism, assembly, options);
  if (motion.interrupted) throw Interrupted();
  if (motion.times.size() < options.times.size())
    throw NumericalError(fmt::format("an event stops the mechanism at t = {:.6g} s, before the records end",
                                     motion.times.empty() ? options.times.front() : motion.times.back()));
  if (leads) motion.drop_first();
  return {std::move(mechanism), std::move(assembly), std::move(motion)};
}

MarkerTracks trace_markers(const StandMotion& stand, const std::vector<Located<std::string>>& markers) {
  const MechanismMotion& motion = stand.motion;
  MarkerTracks tracks;
  tracks.dimension = stand.mechanism.is_planar() ? 2 : 3;
  tracks.times = motion.times;
  std::vector<Mechanism::Side> sides;
  for (const auto& marker : markers) {
    sides.push_back(stand.mechanism.make_side(marker.value));
    tracks.markers.push_back({marker.value, Matrix3X(3, static_cast<Eigen::Index>(motion.times.size()))});
  }
  MechanismInstant at = stand.mechanism.make_instant();
  for (Eigen::Index k = 0; k < static_cast<Eigen::Index>(motion.times.size()); ++k) {
    stand.mechanism.evaluate({motion.times[static_cast<size_t>(k)], motion.q.col(k), motion.v.col(k), motion.x.col(k)},
                             at);
    for (size_t m = 0; m < sides.size(); ++m)
      tracks.markers[m].points.col(k) = stand.mechanism.calc_point(at, sides[m]);
  }
  return tracks;
}

void spoil_tracks(const FilmRequest& film, std::uint64_t seed, MarkerTracks& tracks) {
  Random random(seed);
  for (Eigen::Index k = 0; k < static_cast<Eigen::Index>(tracks.times.size()); ++k)
    for (MarkerTracks::Marker& marker : tracks.markers) {
      auto p = marker.points.col(k);
      const bool is_lost = random.uniform() < film.gaps, is_wrong = random.uniform() < film.outliers;
      for (int i = 0; i < tracks.dimension; ++i) {
        p[i] += film.noise * random.normal();
        if (is_wrong) p[i] += film.outlier_size * (2 * random.uniform() - 1);
        if (film.pixel > 0) p[i] = film.pixel * std::round(p[i] / film.pixel);
      }
      if (is_lost) p.setConstant(std::numeric_limits<double>::quiet_NaN());
    }
}

namespace {

void film_markers(const Model& model, const FilmRequest& film, Measurement& measurement, Results& results) {
  const MeasureRequest& request = *model.measure;
  const double start = find_start(model, request);
  std::vector<double> times;
  constexpr double kRounding = 1e-9;
  const auto n = static_cast<long>(std::floor(request.duration * film.rate * (1 + kRounding)));
  for (long k = 0; k <= n; ++k) times.push_back(start + static_cast<double>(k) / film.rate);
  const StandMotion stand = move_stand(model, times);
  MarkerTracks tracks = trace_markers(stand, film.markers);
  tracks.source = film.file_name();
  spoil_tracks(film, static_cast<std::uint64_t>(request.seed), tracks);
  std::vector<std::string> names;
  std::vector<double> seen, frames;
  for (const MarkerTracks::Marker& marker : tracks.markers) {
    names.push_back(marker.name);
    frames.push_back(static_cast<double>(times.size()));
    seen.push_back(static_cast<double>(marker.points.row(0).array().isFinite().count()));
  }
  results.tables.push_back(
      {"measure_film",
       fmt::format("Film: {} frames from t = {:.6g} s to {:.6g} s", times.size(), times.front(), times.back()),
       {{"marker", "", names}, {"frames", "", frames}, {"seen", "", seen}}});
  measurement.film = std::move(tracks);
}

}  // namespace

void add_measure(const Model& model, Measurement& measurement, Results& results) {
  ELODYN_REQUIRE(model.measure != nullptr);
  const Stopwatch watch;
  try {
    if (model.measure->film) film_markers(model, *model.measure->film, measurement, results);
    if (model.measure->records) record_sensors(model, measurement.data, results);
  } catch (const NumericalError& error) {
    results.outcome.fail(std::string("measure: ") + error.what());
  } catch (const Interrupted&) {
    results.outcome.interrupt(!results.is_empty());
  }
  results.timings["measure"] = watch.seconds();
}

Results run_measure(const Model& model, Measurement& measurement) {
  Results results;
  results.title = model.title;
  results.outcome.status = "ok";
  add_measure(model, measurement, results);
  return results;
}

}  // namespace elodyn
