#include "elodyn/experiment/bspline.hpp"

#include <algorithm>

#include "elodyn/base/error.hpp"

namespace elodyn {

QuinticBasis::QuinticBasis(const std::vector<double>& knots) {
  ELODYN_REQUIRE(knots.size() >= 2);
  const double step = (knots.back() - knots.front()) / static_cast<double>(knots.size() - 1);
  for (int i = kDegree; i > 0; --i) knots_.push_back(knots.front() - i * step);
  knots_.insert(knots_.end(), knots.begin(), knots.end());
  for (int i = 1; i <= kDegree; ++i) knots_.push_back(knots.back() + i * step);
}

QuinticBasis::Local QuinticBasis::evaluate(double x) const {
  constexpr int p = kDegree;
  const auto end = knots_.end() - p - 1;  // the last interval is closed
  const auto span = static_cast<size_t>(std::upper_bound(knots_.begin() + p + 1, end, x) - knots_.begin()) - 1;
  // ndu: basis functions above the diagonal, differences of knots below it
  double ndu[kLocal][kLocal] = {}, left[kLocal] = {}, right[kLocal] = {};
  ndu[0][0] = 1;
  for (size_t j = 1; j <= p; ++j) {
    left[j] = x - knots_[span + 1 - j];
    right[j] = knots_[span + j] - x;
    double saved = 0;
    for (size_t r = 0; r < j; ++r) {
      ndu[j][r] = right[r + 1] + left[j - r];
      const double part = ndu[r][j - 1] / ndu[j][r];
      ndu[r][j] = saved + right[r + 1] * part;
      saved = left[j - r] * part;
    }
    ndu[j][j] = saved;
  }
  Local out;
  out.first = static_cast<int>(span) - p;
  for (size_t r = 0; r <= p; ++r) out.d[0][r] = ndu[r][p];
  for (int r = 0; r <= p; ++r) {
    double a[2][kLocal] = {};
    a[0][0] = 1;
    int now = 0, next = 1;
    double factor = p;
    for (int k = 1; k <= 3; ++k) {
      const auto at = [](double(&row)[kLocal], int i) -> double& { return row[static_cast<size_t>(i)]; };
      const auto n = [&](int i, int j) { return ndu[static_cast<size_t>(i)][static_cast<size_t>(j)]; };
      const int rk = r - k, pk = p - k;
      double d = 0;
      if (r >= k) {
        at(a[next], 0) = at(a[now], 0) / n(pk + 1, rk);
        d = at(a[next], 0) * n(rk, pk);
      }
      const int first = rk >= -1 ? 1 : -rk, last = r - 1 <= pk ? k - 1 : p - r;
      for (int j = first; j <= last; ++j) {
        at(a[next], j) = (at(a[now], j) - at(a[now], j - 1)) / n(pk + 1, rk + j);
        d += at(a[next], j) * n(rk + j, pk);
      }
      if (r <= pk) {
        at(a[next], k) = -at(a[now], k - 1) / n(pk + 1, r);
        d += at(a[next], k) * n(r, pk);
      }
      out.d[static_cast<size_t>(k)][static_cast<size_t>(r)] = factor * d;
      factor *= p - k;
      std::swap(now, next);
    }
  }
  return out;
}

}  // namespace elodyn
