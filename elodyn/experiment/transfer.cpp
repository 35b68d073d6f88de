#include "elodyn/experiment/transfer.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <numbers>
#include <numeric>

#include <fmt/format.h>

#include "elodyn/base/error.hpp"
#include "elodyn/experiment/fft.hpp"

namespace elodyn {
namespace {

bool is_response(const Signal& signal) {
  return signal.quantity == Measurand::displacement || signal.quantity == Measurand::velocity ||
         signal.quantity == Measurand::acceleration || signal.quantity == Measurand::angle;
}

double find_median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<long>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::string name_of(const Signal& signal) { return signal.name.empty() ? signal.at.name() : signal.name; }

// Σ |F|², Σ |X|², Σ F* X of one pair of dofs.
class CrossSums {
 public:
  void add(const std::vector<std::complex<double>>& F, const std::complex<double>* X) {
    if (ff_.empty()) {
      ff_.assign(F.size(), 0.0);
      xx_.assign(F.size(), 0.0);
      fx_.assign(F.size(), 0.0);
    }
    for (size_t k = 0; k < F.size(); ++k) {
      ff_[k] += std::norm(F[k]);
      xx_[k] += std::norm(X[k]);
      fx_[k] += std::conj(F[k]) * X[k];
    }
    ++count;
  }

  // H and γ²; lines where nothing excites are 0.
  void put(FrfEstimate estimate, double spacing, FrfRecord& out) const {
    for (size_t k = 0; k < ff_.size(); ++k) {
      out.frequencies.push_back(2 * std::numbers::pi * spacing * static_cast<double>(k));
      const bool is_excited = ff_[k] > 0 && std::norm(fx_[k]) > 0;
      out.values.push_back(!is_excited                   ? std::complex<double>{}
                           : estimate == FrfEstimate::h1 ? fx_[k] / ff_[k]
                                                         : xx_[k] / std::conj(fx_[k]));
      if (count > 1) out.coherence.push_back(is_excited ? std::norm(fx_[k]) / (ff_[k] * xx_[k]) : 0.0);
    }
  }

  int count = 0;

 private:
  std::vector<double> ff_, xx_;
  std::vector<std::complex<double>> fx_;
};

struct Pair {
  const Signal *force = nullptr, *response = nullptr;
  CrossSums sums;
};

// In the order in which the pairs first come.
class Pairs {
 public:
  Pair& of(const Signal& force, const Signal& response) {
    for (Pair& pair : all)
      if (pair.force->at.name() == force.at.name() && pair.response->at.name() == response.at.name() &&
          pair.response->quantity == response.quantity && name_matches(*pair.response, response))
        return pair;
    return all.emplace_back(Pair{&force, &response, {}});
  }

  TransferResult finish(double spacing, double decay, FrfEstimate estimate) const {
    TransferResult out;
    for (const Pair& pair : all) {
      if (pair.sums.count == 0) continue;
      FrfRecord frf;
      frf.name = name_of(*pair.response) + " / " + name_of(*pair.force);
      frf.response = pair.response->at;
      frf.reference = pair.force->at;
      frf.response_quantity = pair.response->quantity;
      frf.reference_quantity = pair.force->quantity;
      frf.added_decay = decay;
      pair.sums.put(estimate, spacing, frf);
      out.frfs.push_back(std::move(frf));
      out.n_averages.push_back(pair.sums.count);
    }
    return out;
  }

  std::vector<Pair> all;

 private:
  // Records without a dof are told apart by their names.
  static bool name_matches(const Signal& a, const Signal& b) { return !a.at.point.empty() || a.name == b.name; }
};

// First value at the end of the range from `begin` to `end`; `end` if there is none.
size_t find_overload(const Signal& signal, size_t begin, size_t end, double range) {
  const std::vector<double>& x = signal.values;
  if (range > 0) {
    for (size_t i = begin; i < end; ++i)
      if (std::abs(x[i]) >= range * (1 - 1e-6)) return i;
    return end;
  }
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  constexpr size_t kInARow = 3;
  for (const double limit : {*low, *high}) {
    if (limit == 0) continue;
    size_t run = 0;
    for (size_t i = begin; i < end; ++i) {
      run = x[i] == limit ? run + 1 : 0;
      if (run == kInARow) return i + 1 - kInARow;
    }
  }
  return end;
}

// The blows of one record.
class BlowFinder {
 public:
  BlowFinder(const TransferRecord& record, const HammerOptions& options)
      : record_(record), options_(options), f_(record.force->values), step_(record.force->step) {
    largest_ = 0;
    for (const double f : f_)
      if (std::abs(f) > std::abs(largest_)) largest_ = f;
    level_ = options.trigger * std::abs(largest_);
    sign_ = largest_ < 0 ? -1 : 1;
  }

  struct Pulse {
    size_t begin = 0, end = 0;  // over the level
    double peak = 0;
  };

  std::vector<Pulse> find_pulses(double level) const {
    std::vector<Pulse> pulses;
    for (size_t i = 0; i < f_.size(); ++i) {
      const double f = sign_ * f_[i];
      if (!(f >= level) || level <= 0) continue;
      if (pulses.empty() || pulses.back().end != i) pulses.push_back({i, i, 0});
      pulses.back().end = i + 1;
      pulses.back().peak = std::max(pulses.back().peak, f);
    }
    return pulses;
  }

  // Blocks of `length` values; a pulse that begins in the block of the one before is a second hit of it.
  std::vector<Blow> find(size_t length, size_t before, std::vector<size_t>& first) const {
    std::vector<Blow> blows;
    const std::vector<Pulse> pulses = find_pulses(level_);
    // What is smaller counts beside its own blow only, and must stand clear of the noise before it.
    const std::vector<Pulse> small = find_pulses(std::max(options_.second_blow * std::abs(largest_) * 0.2, noise()));
    for (size_t p = 0; p < pulses.size();) {
      const Pulse& pulse = pulses[p];
      const size_t begin = pulse.begin > before ? pulse.begin - before : 0, end = begin + length;
      Blow blow{name_of(*record_.force),
                static_cast<int>(blows.size()) + 1,
                record_.force->time(pulse.begin),
                pulse.peak,
                step_ * static_cast<double>(pulse.end - pulse.begin),
                {},
                true};
      const auto flag = [&](const std::string& what) { blow.flags += (blow.flags.empty() ? "" : ", ") + what; };
      if (pulse.begin < before || end > f_.size()) {
        flag("the record ends before the block does");
        blow.is_used = false;
      }
      const size_t last = std::min(end, f_.size());
      for (const Pulse& other : small)
        if (other.begin >= pulse.end && other.begin < last && other.peak >= options_.second_blow * pulse.peak &&
            stands_apart(pulse, other)) {
          flag(fmt::format("double hit at {:.6g} s", record_.force->time(other.begin)));
          break;
        }
      check_range(*record_.force, options_.force_range, begin, last, flag);
      for (const Signal* response : record_.responses)
        check_range(*response, options_.response_range, begin, last, flag);
      if (!blow.flags.empty() && !options_.keep_flagged) blow.is_used = false;
      first.push_back(begin);
      blows.push_back(std::move(blow));
      for (++p; p < pulses.size() && pulses[p].begin < end;) ++p;
    }
    return blows;
  }

  size_t longest() const {  // from each blow to the next, or to the end
    const std::vector<Pulse> pulses = find_pulses(level_);
    if (pulses.empty()) return 0;
    return f_.size() - pulses.back().begin;
  }

 private:
  // The flank of a pulse may cross a low level again by noise: a second blow comes after the force has come down.
  bool stands_apart(const Pulse& pulse, const Pulse& other) const {
    double lowest = pulse.peak;
    for (size_t i = pulse.end; i < other.begin; ++i) lowest = std::min(lowest, sign_ * f_[i]);
    return lowest <= 0.5 * other.peak;
  }

  // Six standard deviations of what stands before the first blow, by the median of the magnitudes.
  double noise() const {
    const std::vector<Pulse> pulses = find_pulses(level_);
    const size_t n = pulses.empty() ? 0 : pulses.front().begin;
    std::vector<double> quiet;
    for (size_t i = 0; i < n; ++i) quiet.push_back(std::abs(f_[i]));
    constexpr size_t kFewest = 8;
    return quiet.size() < kFewest ? 0 : 6 * 1.4826 * find_median(std::move(quiet));
  }

  template <class Flag>
  void check_range(const Signal& signal, double range, size_t begin, size_t end, const Flag& flag) const {
    const size_t at = find_overload(signal, begin, end, range);
    if (at < end) flag(fmt::format("overload of `{}` at {:.6g} s", name_of(signal), signal.time(at)));
  }

  const TransferRecord& record_;
  const HammerOptions& options_;
  const std::vector<double>& f_;
  double step_, largest_ = 0, level_ = 0, sign_ = 1;
};

void require_one_step(const std::vector<TransferRecord>& records) {
  if (records.empty())
    throw NumericalError("no record has a force with responses to it: FRFs need both, taken together");
  for (const TransferRecord& record : records)
    if (std::abs(record.force->step / records.front().force->step - 1) > 1e-9)
      throw NumericalError(fmt::format("the records `{}` and `{}` have different steps of time, {:.9g} s and {:.9g} s",
                                       name_of(*records.front().force), name_of(*record.force),
                                       records.front().force->step, record.force->step));
}

}  // namespace

std::vector<TransferRecord> find_transfer_records(const std::vector<Signal>& signals,
                                                  std::vector<std::string>& problems) {
  std::vector<TransferRecord> records;
  const auto is_of_force = [](const Signal& signal) { return signal.quantity == Measurand::force; };
  const auto only = std::find_if(signals.begin(), signals.end(), is_of_force);
  // One force among columns that were taken together may stand anywhere.
  const bool is_single = std::count_if(signals.begin(), signals.end(), is_of_force) == 1;
  if (is_single && only->is_even() &&
      std::all_of(only->values.begin(), only->values.end(), [](double x) { return std::isfinite(x); }))
    records.push_back({&*only, {}});
  for (const Signal& signal : signals) {
    if (is_single && !records.empty() && &signal == records.front().force) continue;
    const bool is_force = signal.quantity == Measurand::force;
    if (!is_force && !is_response(signal)) continue;
    const auto refuse = [&](const std::string& why) {
      problems.push_back(fmt::format("`{}` {}", name_of(signal), why));
    };
    if (!signal.is_even())
      refuse("is not in even steps of time: it is left out of the FRFs");
    else if (std::any_of(signal.values.begin(), signal.values.end(), [](double x) { return !std::isfinite(x); }))
      refuse("has gaps: it is left out of the FRFs");
    else if (is_force)
      records.push_back({&signal, {}});
    else if (records.empty())
      refuse("stands before the first force: it is left out of the FRFs");
    else if (const Signal& force = *records.back().force; signal.values.size() != force.values.size() ||
                                                          std::abs(signal.step / force.step - 1) > 1e-9 ||
                                                          std::abs(signal.start - force.start) > 1e-3 * force.step)
      refuse("has other times than the force `" + name_of(force) + "` before it: it is left out of the FRFs");
    else
      records.back().responses.push_back(&signal);
  }
  std::erase_if(records, [](const TransferRecord& record) { return record.responses.empty(); });
  return records;
}

TransferResult calc_hammer_frfs(const std::vector<TransferRecord>& records, const HammerOptions& options) {
  require_one_step(records);
  const double step = records.front().force->step;
  const auto values_of = [&](double seconds) { return static_cast<size_t>(std::llround(seconds / step)); };
  const size_t before = values_of(options.before);
  size_t length = values_of(options.length);
  if (length == 0)  // what every record has after its last blow
    for (const TransferRecord& record : records)
      if (const size_t longest = BlowFinder(record, options).longest() + before; longest > before)
        length = length == 0 ? longest : std::min(length, longest);
  if (length < 2 * before + 8)
    throw NumericalError("no blow of the hammer was found whose block has 8 values; see the trigger and the length");
  constexpr size_t kLongest = size_t{1} << 26;
  if (length > kLongest) throw NumericalError("a block of more than 67 million values is too long");
  RealFft fft(static_cast<int>(length));
  // What a sensor shows at rest: the median of its record, which neither pulses nor what still rings move.
  std::map<const Signal*, double> levels;
  for (const TransferRecord& record : records) {
    levels[record.force] = find_median(record.force->values);
    for (const Signal* response : record.responses) levels[response] = find_median(response->values);
  }
  const size_t force_end = options.force_window > 0 ? before + values_of(options.force_window) : length;
  const auto load = [&](const Signal& signal, size_t first, bool is_force) {
    const double* const x = signal.values.data() + first;
    const double level = levels.at(&signal);
    double* const in = fft.input();
    for (size_t i = 0; i < length; ++i) {
      const double t = i > before ? step * static_cast<double>(i - before) : 0;
      in[i] = is_force && i >= force_end ? 0 : (x[i] - level) * std::exp(-options.decay * t);
    }
    return fft.run();
  };
  Pairs pairs;
  std::vector<Blow> blows;
  for (const TransferRecord& record : records) {
    std::vector<size_t> first;
    std::vector<Blow> found = BlowFinder(record, options).find(length, before, first);
    for (size_t b = 0; b < found.size(); ++b) {
      if (!found[b].is_used) continue;
      const std::complex<double>* const lines = load(*record.force, first[b], true);
      const std::vector<std::complex<double>> F(lines, lines + fft.n_lines());
      for (const Signal* response : record.responses)
        pairs.of(*record.force, *response).sums.add(F, load(*response, first[b], false));
    }
    blows.insert(blows.end(), found.begin(), found.end());
  }
  TransferResult out = pairs.finish(1 / (step * static_cast<double>(length)), options.decay, options.estimate);
  out.blows = std::move(blows);
  return out;
}

TransferResult calc_continuous_frfs(const std::vector<TransferRecord>& records, const SpectrumOptions& options,
                                    FrfEstimate estimate) {
  require_one_step(records);
  const std::vector<double> window = make_window(options.window, options.block);
  const auto n = static_cast<size_t>(options.block);
  const size_t hop = std::max<size_t>(1, static_cast<size_t>(std::llround((1 - options.overlap) * options.block)));
  RealFft fft(options.block);
  const auto load = [&](const Signal& signal, size_t first) {
    const double* const x = signal.values.data() + first;
    const double mean = options.keep_mean ? 0 : std::accumulate(x, x + n, 0.0) / static_cast<double>(n);
    for (size_t i = 0; i < n; ++i) fft.input()[i] = (x[i] - mean) * window[i];
    return fft.run();
  };
  Pairs pairs;
  for (const TransferRecord& record : records)
    for (size_t first = 0; first + n <= record.force->values.size(); first += hop) {
      const std::complex<double>* const lines = load(*record.force, first);
      const std::vector<std::complex<double>> F(lines, lines + fft.n_lines());
      for (const Signal* response : record.responses)
        pairs.of(*record.force, *response).sums.add(F, load(*response, first));
    }
  if (pairs.all.empty()) throw NumericalError(fmt::format("no record has a block of {} values", options.block));
  return pairs.finish(1 / (records.front().force->step * options.block), 0, estimate);
}

}  // namespace elodyn
