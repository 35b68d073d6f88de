// Several numbers in one register of the processor, and kernels that are compiled for registers of 2, 4 and 8 numbers.
// GCC computes with vectors that are wider than a register in memory, so a kernel is written for a width W and the best
// version is taken when it is called. Products and sums may be contracted: digits differ between processors, as those
// of BLAS do, not between numbers of threads.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace elodyn {

// Numbers that begin at a line of the cache, not set: a register's load that crosses lines takes twice as long.
class AlignedNumbers {
 public:
  explicit AlignedNumbers(std::size_t count)
      : data_(static_cast<double*>(::operator new(count * sizeof(double), kLine))) {}
  double* data() const { return data_.get(); }

 private:
  static constexpr std::align_val_t kLine{64};
  struct Free {
    void operator()(double* data) const { ::operator delete(data, kLine); }
  };
  std::unique_ptr<double, Free> data_;
};

template <int W>
struct LanesOf {
  typedef double Type __attribute__((vector_size(8 * W), aligned(8), may_alias));
  static_assert(sizeof(Type) == 8 * W && alignof(Type) == 8);
};
template <int W>
using Lanes = typename LanesOf<W>::Type;

template <int W>
inline const Lanes<W>& lanes_at(const double* x) {
  return *reinterpret_cast<const Lanes<W>*>(x);
}
template <int W>
inline Lanes<W>& lanes_at(double* x) {
  return *reinterpret_cast<Lanes<W>*>(x);
}

// Numbers 2k and 2k + 1 change places.
template <int W>
inline void exchange_pairs(const Lanes<W>& x, Lanes<W>& out) {
  static_assert(W == 2 || W == 4 || W == 8);
  if constexpr (W == 2) out = __builtin_shufflevector(x, x, 1, 0);
  if constexpr (W == 4) out = __builtin_shufflevector(x, x, 1, 0, 3, 2);
  if constexpr (W == 8) out = __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6);
}

// How many registers a kernel may fill with sums.
template <int W>
inline constexpr int kSums = W == 8 ? 24 : 12;

#ifdef __x86_64__
template <class Kernel>
__attribute__((target("avx512f"), flatten)) void run_with_8(const Kernel& kernel) {
  kernel.template run<8>();
}
template <class Kernel>
__attribute__((target("avx2,fma"), flatten)) void run_with_4(const Kernel& kernel) {
  kernel.template run<4>();
}
#endif

// How many numbers the widest registers hold that there are.
inline int n_lanes() {
#ifdef __x86_64__
  static const bool has_8 = __builtin_cpu_supports("avx512f"),
                    has_4 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return has_8 ? 8 : has_4 ? 4 : 2;
#else
  return 2;
#endif
}

// kernel.run<W>() with them.
template <class Kernel>
void run_wide(const Kernel& kernel) {
#ifdef __x86_64__
  const int lanes = n_lanes();
  if (lanes == 8) return run_with_8(kernel);
  if (lanes == 4) return run_with_4(kernel);
#endif
  kernel.template run<2>();
}

}  // namespace elodyn
