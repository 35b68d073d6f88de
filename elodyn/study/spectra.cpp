#include "elodyn/study/spectra.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include "elodyn/base/error.hpp"
#include "elodyn/base/progress.hpp"
#include "elodyn/base/text.hpp"
#include "elodyn/experiment/shaft_angle.hpp"
#include "elodyn/experiment/spectrum.hpp"
#include "elodyn/experiment/transfer.hpp"
#include "elodyn/model/spectra.hpp"
#include "elodyn/results/measurand.hpp"
#include "elodyn/study/table_name.hpp"

namespace elodyn {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kTurn = 2 * std::numbers::pi;

// Names of all, different ones.
std::vector<std::string> make_names(const std::vector<Signal>& signals) {
  std::vector<std::string> names;
  std::map<std::string, int> count;
  for (const Signal& signal : signals) {
    const std::string dof = signal.at.name();
    const std::string name = !signal.name.empty() ? signal.name : dof.empty() ? "record" : dof;
    const int n = ++count[name];
    names.push_back(n == 1 ? name : fmt::format("{}_{}", name, n));
  }
  return names;
}
std::string unit_or_one(const Signal& signal) { return signal.unit.empty() ? "1" : signal.unit; }
std::string density_unit(const std::string& unit) { return "(" + unit + ")^2/Hz"; }

const MeasuredData& data_of(const SpectraRequest& request) {
  if (!request.data) throw NumericalError("the file of [analysis.spectra] was not read");
  if (request.data->signals.empty())
    throw NumericalError("the file `" + request.file + "` has no histories to make spectra of");
  return *request.data;
}

SpectrumOptions make_options(const SpectraRequest& request) {
  SpectrumOptions options;
  options.block = request.block;
  options.overlap = request.overlap;
  options.window = request.window;
  options.keep_mean = request.keep_mean;
  return options;
}

std::vector<double> frequencies(const Spectrum& spectrum) {
  std::vector<double> out;
  for (int k = 0; k < spectrum.n_lines(); ++k) out.push_back(spectrum.spacing * k);
  return out;
}

// Index of the largest line, and where a parabola through the logarithms of it and its neighbours has its top.
struct Top {
  double frequency = kNaN, amplitude = kNaN;
};
Top find_top(const Spectrum& spectrum) {
  if (spectrum.n_lines() < 3) return {};
  Eigen::Index k = 0;
  spectrum.power.segment(1, spectrum.n_lines() - 2).maxCoeff(&k);
  ++k;
  const auto log_of = [&](Eigen::Index i) { return std::log(spectrum.power[i]); };
  double shift = 0;
  if (spectrum.power.segment(k - 1, 3).minCoeff() > 0) {
    const double a = log_of(k - 1), b = log_of(k), c = log_of(k + 1), bend = a - 2 * b + c;
    if (bend < 0) shift = std::clamp(0.5 * (a - c) / bend, -0.5, 0.5);
  }
  return {spectrum.spacing * (static_cast<double>(k) + shift), spectrum.amplitude(static_cast<int>(k))};
}

class SpectraStudy {
 public:
  SpectraStudy(const Model& model, Results& results)
      : request_(*model.spectra),
        data_(data_of(request_)),
        names_(make_names(data_.signals)),
        options_(make_options(request_)),
        results_(results),
        first_table_(results.tables.size()) {}

  void run() {
    Table records{"records", "Records; amplitudes are 0-to-peak", {}};
    std::vector<std::string> of, units;
    std::vector<double> rate, duration, rms, largest, top, amplitude, averages;
    if (request_.shaft) find_shaft();
    for (size_t i = 0; i < data_.signals.size(); ++i) {
      throw_if_interrupted();
      const Signal& signal = data_.signals[i];
      const std::string& name = names_[i];
      of.emplace_back(to_string(signal.quantity));
      units.push_back(unit_or_one(signal));
      const auto n = static_cast<double>(signal.values.size());
      rate.push_back(signal.is_even() && signal.step > 0 ? 1 / signal.step : kNaN);
      duration.push_back(signal.time(signal.values.size() - 1) - signal.time(0));
      double square = 0, peak = 0;
      for (const double x : signal.values) {
        if (std::isnan(x)) continue;
        square += x * x;
        peak = std::max(peak, std::abs(x));
      }
      rms.push_back(std::sqrt(square / n));
      largest.push_back(peak);
      const std::optional<Spectrum> spectrum = add_spectrum(signal, name);
      const Top found = spectrum ? find_top(*spectrum) : Top{};
      top.push_back(found.frequency);
      amplitude.push_back(found.amplitude);
      averages.push_back(spectrum ? spectrum->n_averages : 0);
      if (!spectrum) continue;
      if (request_.waterfall) add_waterfall(signal, name);
      if (request_.orders && angle_) add_orders(signal, name);
    }
    records.columns = {{"record", "", names_},
                       {"of", "", of},
                       {"unit", "", units},
                       {"rate", "Hz", rate},
                       {"duration", "s", duration},
                       {"rms", "", rms},
                       {"largest", "", largest},
                       {"peak_frequency", "Hz", top},
                       {"peak_amplitude", "", amplitude},
                       {"averages", "", averages}};
    results_.tables.insert(results_.tables.begin() + static_cast<long>(first_table_), records);
  }

 private:
  // Nothing if the record has no block; then why is said.
  std::optional<Spectrum> add_spectrum(const Signal& signal, const std::string& name) {
    if (!signal.is_even() || !(signal.step > 0)) {
      results_.warnings.push_back("record `" + name + "` is not in even steps of time: it has no spectrum");
      return std::nullopt;
    }
    if (signal.values.size() < static_cast<size_t>(request_.block)) {
      results_.warnings.push_back(fmt::format("record `{}` has {} values, less than a block of {}: it has no spectrum",
                                              name, signal.values.size(), request_.block));
      return std::nullopt;
    }
    const Spectrum spectrum = calc_spectrum(signal.values.data(), signal.values.size(), 1 / signal.step, options_);
    if (spectrum.n_averages == 0) {
      results_.warnings.push_back("record `" + name + "` has a gap in every block: it has no spectrum");
      return std::nullopt;
    }
    std::vector<double> amplitude, density;
    for (int k = 0; k < spectrum.n_lines(); ++k) {
      amplitude.push_back(spectrum.amplitude(k));
      density.push_back(spectrum.density(k));
    }
    const std::string unit = unit_or_one(signal);
    Table table{table_name("spectrum", name),
                fmt::format("Spectrum of `{}`: amplitudes 0-to-peak, one-sided density, {} averages", name,
                            spectrum.n_averages),
                {{"frequency", "Hz", frequencies(spectrum)},
                 {"amplitude_0_to_peak", unit, amplitude},
                 {"density", density_unit(unit), density}}};
    table.is_history = true;
    results_.tables.push_back(std::move(table));
    return spectrum;
  }

  void find_shaft() {
    const ShaftRecord& shaft = *request_.shaft;
    const Signal* signal = nullptr;
    for (size_t i = 0; i < data_.signals.size(); ++i)
      if (!signal && (names_[i] == shaft.record.value || data_.signals[i].at.name() == shaft.record.value))
        signal = &data_.signals[i];
    if (!signal)
      throw NumericalError("the file `" + request_.file + "` has no record `" + shaft.record.value + "`; " +
                           suggest(shaft.record.value, names_));
    if (!signal->is_even() ||
        std::any_of(signal->values.begin(), signal->values.end(), [](double x) { return std::isnan(x); }))
      throw NumericalError("the record `" + shaft.record.value + "` of the shaft must be in even steps without gaps");
    const std::vector<double>& x = signal->values;
    if (signal->quantity == Measurand::rotation_speed) {
      angle_ = angle_from_speed(x.data(), x.size(), signal->start, signal->step);
    } else if (signal->quantity == Measurand::angle) {
      std::vector<double> times;
      for (size_t i = 0; i < x.size(); ++i) {
        times.push_back(signal->time(i));
        if (i > 0 && !(x[i] > x[i - 1]))
          throw NumericalError(fmt::format("the angle of the shaft does not increase at t = {:.6g} s", times.back()));
      }
      if (x.size() < 4) throw NumericalError("the angle of the shaft has fewer than 4 values");
      angle_.emplace(times, x);
    } else {
      const auto [low, high] = std::minmax_element(x.begin(), x.end());
      const double level = shaft.level.value_or(0.5 * (*low + *high)), gap = 0.1 * (*high - *low);
      angle_ =
          angle_from_pulses(find_pulses(x.data(), x.size(), signal->start, signal->step, level, gap), shaft.pulses);
    }
  }

  double speed_at(double t) const {
    return angle_ && t >= angle_->start() && t <= angle_->end() ? angle_->speed(t) : kNaN;
  }

  void add_waterfall(const Signal& signal, const std::string& name) {
    constexpr int kDefaultClasses = 50, kMostClasses = 10'000;
    const WaterfallRequest& request = *request_.waterfall;
    const double step = signal.step, half = 0.5 * step * request_.block;
    const double end = signal.start + step * static_cast<double>(signal.values.size() - 1);
    const bool by_speed = request.over == WaterfallRequest::Over::speed;
    double low = signal.start, high = end;
    if (by_speed) {
      low = std::numeric_limits<double>::infinity();
      high = 0;
      constexpr int kLooks = 2000;
      for (int i = 0; i <= kLooks; ++i)
        if (const double w = speed_at(signal.start + (end - signal.start) * i / kLooks); !std::isnan(w)) {
          low = std::min(low, w);
          high = std::max(high, w);
        }
      if (!(high > 0)) return;
    }
    const std::optional<double>& given = by_speed ? request.speed_step : request.time_step;
    double width = given.value_or((high - low) / kDefaultClasses);
    if (!(width > 0)) width = std::max(1e-6 * high, 1e-12);  // a speed that stays
    if (given && by_speed) low = std::floor(low / width) * width;
    const double n_classes = std::floor((high - low) / width) + 1;
    if (n_classes > kMostClasses)
      throw NumericalError(
          fmt::format("the waterfall of `{}` would have {:.0f} spectra; make its step larger", name, n_classes));
    const auto n = static_cast<int>(n_classes);
    const auto class_of = [&](size_t first) {
      const double middle = signal.start + step * static_cast<double>(first) + half;
      const double x = by_speed ? speed_at(middle) : middle;
      if (std::isnan(x)) return -1;
      return std::clamp(static_cast<int>(std::floor((x - low) / width)), 0, n - 1);
    };
    const Waterfall waterfall = calc_waterfall(signal.values.data(), signal.values.size(), 1 / step, options_, n,
                                               class_of, [&](int c) { return low + (c + 0.5) * width; });
    if (waterfall.spectra.empty()) return;
    // One row for each line: columns are the classes.
    Table table{table_name("waterfall", name),
                fmt::format("Waterfall of `{}`: amplitudes 0-to-peak over the {}", name, by_speed ? "speed" : "time"),
                {{"frequency", "Hz", frequencies(waterfall.spectra.front())}}};
    for (size_t c = 0; c < waterfall.spectra.size(); ++c) {
      std::vector<double> amplitude;
      for (int k = 0; k < waterfall.spectra[c].n_lines(); ++k) amplitude.push_back(waterfall.spectra[c].amplitude(k));
      const double at = waterfall.classes[c];
      table.columns.push_back(
          {by_speed ? fmt::format("at_{:.6g}_rpm", at * 60 / kTurn) : fmt::format("at_{:.6g}_s", at),
           unit_or_one(signal), amplitude});
    }
    table.is_history = true;
    results_.tables.push_back(std::move(table));
  }

  void add_orders(const Signal& signal, const std::string& name) {
    const OrderRequest& request = *request_.orders;
    const AngleRecord record =
        resample(signal.values.data(), signal.values.size(), signal.start, signal.step, *angle_, request.per_turn);
    SpectrumOptions options = options_;
    const long long block = static_cast<long long>(request.per_turn) * request.turns;
    if (block > SpectraRequest::kLargestBlock || record.values.size() < static_cast<size_t>(block)) {
      results_.warnings.push_back(
          fmt::format("record `{}` has {:.1f} turns of the shaft, less than a block of {}: it has no orders", name,
                      static_cast<double>(record.values.size()) / request.per_turn, request.turns));
      return;
    }
    options.block = static_cast<int>(block);
    const auto speed_of = [&](size_t first) {
      const double middle = record.first + record.step * (static_cast<double>(first) + 0.5 * options.block);
      return angle_->speed(angle_->time_of(middle));
    };
    // Classes: blocks of so near speeds, or each block for itself.
    const size_t hop = std::max<size_t>(1, static_cast<size_t>(std::llround((1 - options.overlap) * options.block)));
    const size_t n_blocks = (record.values.size() - static_cast<size_t>(options.block)) / hop + 1;
    std::vector<double> speeds;
    for (size_t b = 0; b < n_blocks; ++b) speeds.push_back(speed_of(b * hop));
    const double low = *std::min_element(speeds.begin(), speeds.end()),
                 high = *std::max_element(speeds.begin(), speeds.end());
    constexpr size_t kMostClasses = 10'000;
    const double width = request.speed_step.value_or(0), start = width > 0 ? std::floor(low / width) * width : low;
    const double n_classes = width > 0 ? std::floor((high - start) / width) + 1 : static_cast<double>(n_blocks);
    if (n_classes > kMostClasses)
      throw NumericalError(
          fmt::format("`{}` would have {:.0f} order spectra; give a larger speed_step", name, n_classes));
    const Waterfall waterfall = calc_waterfall(
        record.values.data(), record.values.size(), request.per_turn, options, static_cast<int>(n_classes),
        [&](size_t first) {
          const size_t b = first / hop;
          return width > 0 ? static_cast<int>(std::floor((speeds[b] - start) / width)) : static_cast<int>(b);
        },
        [&](int c) { return width > 0 ? start + (c + 0.5) * width : speeds[static_cast<size_t>(c)]; });
    if (waterfall.spectra.empty()) return;
    Table table{table_name("orders", name),
                fmt::format("Orders of `{}`: amplitudes 0-to-peak over the speed", name),
                {{"speed", "rad/s", waterfall.classes}}};
    const Spectrum& first = waterfall.spectra.front();
    for (int k = 0; k < first.n_lines(); ++k) {
      const double order = first.spacing * k;
      if (request.highest > 0 && order > request.highest * (1 + 1e-9)) break;
      std::vector<double> amplitude;
      for (const Spectrum& spectrum : waterfall.spectra) amplitude.push_back(spectrum.amplitude(k));
      table.columns.push_back({fmt::format("order_{:.6g}", order), unit_or_one(signal), amplitude});
    }
    table.is_history = true;
    results_.tables.push_back(std::move(table));
    add_strongest_orders(name, waterfall, unit_or_one(signal));
  }

  // For people: the orders with the largest amplitudes over all speeds.
  void add_strongest_orders(const std::string& name, const Waterfall& waterfall, const std::string& unit) {
    constexpr size_t kShown = 8;
    const Spectrum& first = waterfall.spectra.front();
    struct Line {
      double order, amplitude, speed;
    };
    std::vector<Line> lines;
    VectorX most = VectorX::Zero(first.n_lines());
    for (const Spectrum& spectrum : waterfall.spectra) most = most.cwiseMax(spectrum.power);
    for (int k = 1; k + 1 < first.n_lines(); ++k) {
      if (!(most[k] > most[k - 1] && most[k] >= most[k + 1])) continue;
      Line line{first.spacing * k, 0, 0};
      for (size_t c = 0; c < waterfall.spectra.size(); ++c)
        if (const double a = waterfall.spectra[c].amplitude(k); a > line.amplitude) {
          line.amplitude = a;
          line.speed = waterfall.classes[c];
        }
      lines.push_back(line);
    }
    std::stable_sort(lines.begin(), lines.end(),
                     [](const Line& a, const Line& b) { return a.amplitude > b.amplitude; });
    if (lines.size() > kShown) lines.resize(kShown);
    std::vector<double> order, amplitude, speed;
    for (const Line& line : lines) {
      order.push_back(line.order);
      amplitude.push_back(line.amplitude);
      speed.push_back(line.speed);
    }
    results_.tables.push_back({table_name("strongest_orders", name),
                               "Strongest orders of `" + name + "`, 0-to-peak",
                               {{"order", "", order}, {"amplitude", unit, amplitude}, {"at_speed", "rad/s", speed}}});
  }

  const SpectraRequest& request_;
  const MeasuredData& data_;
  std::vector<std::string> names_;
  SpectrumOptions options_;
  Results& results_;
  size_t first_table_;  // of ours
  std::optional<ShaftAngle> angle_;
};

TransferResult calc_transfer(const SpectraRequest& request, Results& results) {
  const TransferRequest& asked = *request.frf;
  std::vector<std::string> problems;
  const std::vector<TransferRecord> records = find_transfer_records(data_of(request).signals, problems);
  for (const std::string& problem : problems) results.warnings.push_back("record " + problem);
  const FrfEstimate estimate = asked.estimate == TransferRequest::Estimate::h1 ? FrfEstimate::h1 : FrfEstimate::h2;
  if (asked.kind == TransferRequest::Kind::continuous)
    return calc_continuous_frfs(records, make_options(request), estimate);
  HammerOptions options;
  options.trigger = asked.trigger;
  options.second_blow = asked.second_blow;
  options.before = asked.before;
  options.length = asked.length;
  options.force_window = asked.force_window;
  options.decay = asked.decay;
  options.force_range = asked.force_range;
  options.response_range = asked.response_range;
  options.keep_flagged = asked.keep_flagged;
  options.estimate = estimate;
  return calc_hammer_frfs(records, options);
}

std::string frf_unit(const FrfRecord& frf) {
  return unit_of(frf.response_quantity, frf.response.direction) + "/(" +
         unit_of(frf.reference_quantity, frf.reference.direction) + ")";
}

void add_frf_tables(const TransferResult& transfer, Results& results) {
  if (!transfer.blows.empty()) {
    std::vector<std::string> record, flags, used;
    std::vector<double> number, time, peak, width;
    for (const Blow& blow : transfer.blows) {
      record.push_back(blow.record);
      number.push_back(blow.number);
      time.push_back(blow.time);
      peak.push_back(blow.peak);
      width.push_back(blow.width);
      used.emplace_back(blow.is_used ? "yes" : "no");
      flags.push_back(blow.flags);
    }
    results.tables.push_back({"blows",
                              "Blows of the hammer",
                              {{"record", "", record},
                               {"blow", "", number},
                               {"time", "s", time},
                               {"largest_force", "N", peak},
                               {"width", "s", width},
                               {"used", "", used},
                               {"flags", "", flags}}});
  }
  std::vector<std::string> response, reference;
  std::vector<double> averages, coherence, at;
  for (size_t i = 0; i < transfer.frfs.size(); ++i) {
    const FrfRecord& frf = transfer.frfs[i];
    response.push_back(frf.response.name().empty() ? frf.name : frf.response.name());
    reference.push_back(frf.reference.name());
    averages.push_back(transfer.n_averages[i]);
    double sum = 0;
    for (const double c : frf.coherence) sum += c;
    coherence.push_back(frf.coherence.empty() ? kNaN : sum / static_cast<double>(frf.coherence.size()));
    std::vector<double> hz, re, im, magnitude;
    for (size_t k = 0; k < frf.frequencies.size(); ++k) {
      hz.push_back(frf.frequencies[k] / kTurn);
      re.push_back(frf.values[k].real());
      im.push_back(frf.values[k].imag());
      magnitude.push_back(std::abs(frf.values[k]));
    }
    const auto top = std::max_element(magnitude.begin(), magnitude.end());
    at.push_back(hz[static_cast<size_t>(top - magnitude.begin())]);
    Table table{table_name("frf", frf.name),
                "FRF " + frf.name,
                {{"frequency", "Hz", hz},
                 {"re", frf_unit(frf), re},
                 {"im", frf_unit(frf), im},
                 {"magnitude", frf_unit(frf), magnitude}}};
    if (!frf.coherence.empty()) table.columns.push_back({"coherence", "", frf.coherence});
    table.is_history = true;
    results.tables.push_back(std::move(table));
  }
  results.tables.push_back({"frfs",
                            "Frequency response functions",
                            {{"response", "", response},
                             {"reference", "", reference},
                             {"averages", "", averages},
                             {"mean_coherence", "", coherence},
                             {"largest_at", "Hz", at}}});
  size_t flagged = 0;
  for (const Blow& blow : transfer.blows) flagged += blow.flags.empty() ? 0 : 1;
  if (flagged > 0)
    results.warnings.push_back(fmt::format("{} of {} blows of the hammer {} flagged, see the table of blows", flagged,
                                           transfer.blows.size(), flagged == 1 ? "is" : "are"));
}

}  // namespace

MeasuredData calc_measured_frfs(const Model& model, Results& results) {
  ELODYN_REQUIRE(model.spectra && model.spectra->frf);
  MeasuredData out;
  out.sources = data_of(*model.spectra).sources;
  out.geometry = data_of(*model.spectra).geometry;
  out.frfs = calc_transfer(*model.spectra, results).frfs;
  return out;
}

MeasuredData add_spectra(const Model& model, Results& results) {
  ELODYN_REQUIRE(model.spectra != nullptr);
  const SpectraRequest& request = *model.spectra;
  SpectraStudy(model, results).run();
  MeasuredData out;
  out.sources = request.data->sources;
  out.geometry = request.data->geometry;
  if (!request.frf) return out;
  const TransferResult transfer = calc_transfer(request, results);
  if (transfer.frfs.empty()) {
    add_frf_tables(transfer, results);
    throw NumericalError("no blow of the hammer can be used; see the table of blows, or set keep_flagged = true");
  }
  add_frf_tables(transfer, results);
  out.frfs = transfer.frfs;
  return out;
}

}  // namespace elodyn
