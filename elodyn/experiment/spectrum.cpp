#include "elodyn/experiment/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "elodyn/base/error.hpp"
#include "elodyn/base/parallel.hpp"
#include "elodyn/base/progress.hpp"
#include "elodyn/experiment/fft.hpp"

namespace elodyn {
namespace {

// Σ over blocks of |X|², into the sums of their classes.
class BlockSums {
 public:
  BlockSums(const double* values, size_t n, const SpectrumOptions& options)
      : values_(values), options_(options), window_(make_window(options.window, options.block)) {
    ELODYN_REQUIRE(options.block >= 2 && options.overlap >= 0 && options.overlap < 1);
    const auto block = static_cast<size_t>(options.block);
    ELODYN_REQUIRE(n >= block);
    hop_ = std::max<size_t>(1, static_cast<size_t>(std::llround((1 - options.overlap) * options.block)));
    n_blocks_ = (n - block) / hop_ + 1;
  }

  size_t n_blocks() const { return n_blocks_; }
  size_t first(size_t block) const { return block * hop_; }

  struct Sums {
    MatrixX power;  // lines × classes
    std::vector<int> count;
  };
  Sums sum(int n_classes, const std::function<int(size_t)>& class_of) const {
    // Parts of fixed size, added in their order.
    const size_t per_part = std::max<size_t>(64, (n_blocks_ + 63) / 64);
    const auto n_parts = static_cast<int>((n_blocks_ + per_part - 1) / per_part);
    std::vector<Sums> parts(static_cast<size_t>(n_parts));
    Progress progress("spectra", n_parts);
    parallel_for(n_parts, [&](int p) {
      const size_t begin = static_cast<size_t>(p) * per_part, end = std::min(begin + per_part, n_blocks_);
      parts[static_cast<size_t>(p)] = sum_part(begin, end, n_classes, class_of);
      progress.advance();
    });
    Sums all{MatrixX::Zero(options_.block / 2 + 1, n_classes), std::vector<int>(static_cast<size_t>(n_classes), 0)};
    for (const Sums& part : parts)
      for (int c = 0; c < n_classes; ++c) {
        if (part.count[static_cast<size_t>(c)] == 0) continue;
        all.power.col(c) += part.power.col(c);
        all.count[static_cast<size_t>(c)] += part.count[static_cast<size_t>(c)];
      }
    return all;
  }

  Spectrum make(const VectorX& sum, int count, double rate) const {
    const double s1 = std::accumulate(window_.begin(), window_.end(), 0.0);
    const double s2 = std::inner_product(window_.begin(), window_.end(), window_.begin(), 0.0);
    Spectrum out;
    out.block = options_.block;
    out.spacing = rate / options_.block;
    out.bandwidth = rate * s2 / (s1 * s1);
    out.n_averages = count;
    out.power = 2.0 / (s1 * s1 * std::max(1, count)) * sum;
    for (const int k : {0, out.n_lines() - 1})
      if (out.is_end(k)) out.power[k] *= 0.5;
    return out;
  }

 private:
  Sums sum_part(size_t begin, size_t end, int n_classes, const std::function<int(size_t)>& class_of) const {
    Sums part{MatrixX::Zero(options_.block / 2 + 1, n_classes), std::vector<int>(static_cast<size_t>(n_classes), 0)};
    RealFft fft(options_.block);
    const auto n = static_cast<size_t>(options_.block);
    for (size_t b = begin; b < end; ++b) {
      const int c = class_of(first(b));
      if (c < 0) continue;
      ELODYN_REQUIRE(c < n_classes);
      const double* const x = values_ + first(b);
      const double mean = options_.keep_mean ? 0 : std::accumulate(x, x + n, 0.0) / static_cast<double>(n);
      double* const in = fft.input();
      double check = 0;
      for (size_t i = 0; i < n; ++i) {
        in[i] = (x[i] - mean) * window_[i];
        check += in[i];
      }
      if (!std::isfinite(check)) continue;
      const std::complex<double>* const X = fft.run();
      for (int k = 0; k < fft.n_lines(); ++k) part.power(k, c) += std::norm(X[k]);
      ++part.count[static_cast<size_t>(c)];
    }
    return part;
  }

  const double* values_;
  const SpectrumOptions& options_;
  std::vector<double> window_;
  size_t hop_ = 1, n_blocks_ = 0;
};

}  // namespace

double Spectrum::amplitude(int k) const { return std::sqrt((is_end(k) ? 1 : 2) * power[k]); }

Spectrum calc_spectrum(const double* values, size_t n, double rate, const SpectrumOptions& options) {
  const BlockSums blocks(values, n, options);
  const BlockSums::Sums sums = blocks.sum(1, [](size_t) { return 0; });
  return blocks.make(sums.power.col(0), sums.count[0], rate);
}

Waterfall calc_waterfall(const double* values, size_t n, double rate, const SpectrumOptions& options, int n_classes,
                         const std::function<int(size_t first)>& class_of, const std::function<double(int)>& middle) {
  const BlockSums blocks(values, n, options);
  const BlockSums::Sums sums = blocks.sum(n_classes, class_of);
  Waterfall out;
  for (int c = 0; c < n_classes; ++c) {
    const int count = sums.count[static_cast<size_t>(c)];
    if (count == 0) continue;
    out.classes.push_back(middle(c));
    out.spectra.push_back(blocks.make(sums.power.col(c), count, rate));
  }
  return out;
}

}  // namespace elodyn
