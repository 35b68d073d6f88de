// Discrete Fourier transform of a real sequence, by FFTW ([FrigoJohnson2005]):
//   X_k = Σ x_n e^(−2πi kn/N),   k = 0 … N/2
// The plan is chosen without measuring, so that the same input gives the same digits in every run.
#pragma once

#include <complex>
#include <memory>

namespace elodyn {

class RealFft {
 public:
  explicit RealFft(int n);
  ~RealFft();
  RealFft(const RealFft&) = delete;
  RealFft& operator=(const RealFft&) = delete;

  int size() const { return n_; }
  int n_lines() const { return n_ / 2 + 1; }
  double* input() { return input_; }  // filled before each run
  const std::complex<double>* run();  // X, valid until the next run
  const std::complex<double>* lines() const { return output_; }

 private:
  struct Plan;
  int n_;
  double* input_;
  std::complex<double>* output_;
  std::unique_ptr<Plan> plan_;
};

}  // namespace elodyn
