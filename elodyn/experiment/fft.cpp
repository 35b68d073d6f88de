#include "elodyn/experiment/fft.hpp"

#include <fftw3.h>
#include <mutex>
#include <new>

#include "elodyn/base/error.hpp"

namespace elodyn {
namespace {

std::mutex& planner() {  // FFTW's planner is not safe in several threads; its transforms are
  static std::mutex mutex;
  return mutex;
}

}  // namespace

struct RealFft::Plan {
  fftw_plan plan = nullptr;
};

RealFft::RealFft(int n) : n_(n), plan_(std::make_unique<Plan>()) {
  ELODYN_REQUIRE(n > 0);
  const std::lock_guard lock(planner());
  input_ = fftw_alloc_real(static_cast<size_t>(n));
  auto* const out = fftw_alloc_complex(static_cast<size_t>(n_lines()));
  output_ = reinterpret_cast<std::complex<double>*>(out);
  plan_->plan = input_ && out ? fftw_plan_dft_r2c_1d(n, input_, out, FFTW_ESTIMATE | FFTW_DESTROY_INPUT) : nullptr;
  if (plan_->plan) return;
  fftw_free(input_);
  fftw_free(out);
  throw std::bad_alloc();
}

RealFft::~RealFft() {
  const std::lock_guard lock(planner());
  fftw_destroy_plan(plan_->plan);
  fftw_free(input_);
  fftw_free(output_);
}

const std::complex<double>* RealFft::run() {
  fftw_execute(plan_->plan);
  return output_;
}

}  // namespace elodyn
