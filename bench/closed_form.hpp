// The matrices of a plane cubic Rayleigh beam, written out: exact polynomials in L, turned into body axes. Nothing of
// the library's elements and formalisms is used; it is what `derive_bench` measures them against.
//   M q̈ + 2ω G q̇ + [K + ω̇ E + ω² S + Σ pⱼ Γⱼ] q = … − Σ aⱼ Aⱼ − ω̇ B − ω² H,   spin about body z through the origin,
// with dofs u, v, rz of both ends. Local shapes: u linear, v cubic Hermite.
//   M = Mt + ρI Γ₀,  S = −Mt,  E = G,  Γⱼ = ∫ξʲ v'ᵀv'
#pragma once

#include <array>

namespace elodyn::bench {

struct PlaneBeam {
  double x, y;  // of the first node
  double c, s;  // direction
  double L;
  double mass, rotary, EA, EI, expansion;  // ρA, ρI
};

using Block = std::array<double, 36>;  // column-major
struct PlaneMatrices {
  Block M, K, G, S;  // E = G
  std::array<Block, 3> Gamma;
  std::array<double, 6> A_x, A_y, B, H;
  std::array<double, 54> load;  // 6 × 9: of a unit of (force, couple) per length and (temperature, gradients)
};

// 3 × 3 parts of a block in local axes, written in body axes: RᵀaR with R turning u and v.
inline void turn_part(const double (&a)[3][3], double c, double s, int row, int column, Block& out) {
  const auto at = [&](int i, int j) -> double& { return out[static_cast<unsigned>(6 * (column + j) + row + i)]; };
  const double cc = c * c, ss = s * s, cs = c * s, cross = cs * (a[0][1] + a[1][0]), d = cs * (a[0][0] - a[1][1]);
  at(0, 0) = cc * a[0][0] + ss * a[1][1] - cross;
  at(1, 1) = ss * a[0][0] + cc * a[1][1] + cross;
  at(0, 1) = d + cc * a[0][1] - ss * a[1][0];
  at(1, 0) = d + cc * a[1][0] - ss * a[0][1];
  at(0, 2) = c * a[0][2] - s * a[1][2];
  at(1, 2) = s * a[0][2] + c * a[1][2];
  at(2, 0) = c * a[2][0] - s * a[2][1];
  at(2, 1) = s * a[2][0] + c * a[2][1];
  at(2, 2) = a[2][2];
}

// A symmetric matrix of u alone (uu, scaled) and of v, θ alone: entries of [v₁ θ₁ v₂ θ₂].
struct Deflection {
  double v1v1, v1t1, v1v2, v1t2, t1t1, t1v2, t1t2, v2v2, v2t2, t2t2;
};
inline void turn_symmetric(double u11, double u12, const Deflection& d, double c, double s, Block& out) {
  const double first[3][3] = {{u11, 0, 0}, {0, d.v1v1, d.v1t1}, {0, d.v1t1, d.t1t1}};
  const double last[3][3] = {{u11, 0, 0}, {0, d.v2v2, d.v2t2}, {0, d.v2t2, d.t2t2}};
  const double across[3][3] = {{u12, 0, 0}, {0, d.v1v2, d.v1t2}, {0, d.t1v2, d.t1t2}};
  turn_part(first, c, s, 0, 0, out);
  turn_part(last, c, s, 3, 3, out);
  turn_part(across, c, s, 0, 3, out);
  for (unsigned j = 0; j < 3; ++j)
    for (unsigned i = 0; i < 3; ++i) out[6 * i + 3 + j] = out[6 * (3 + j) + i];
}

// From ∫ξʲ of the products of h' (times L where the shape is): aa, ab, ad, bb, bd, dd.
inline void turn_slopes(double aa, double ab, double ad, double bb, double bd, double dd, double L, double c, double s,
                        Block& out) {
  const double p = aa / L;
  turn_symmetric(0, 0, {p, ab, -p, ad, bb * L, -ab, bd * L, p, -ad, dd * L}, c, s, out);
}

inline void turn_vector(double u1, double v1, double t1, double u2, double v2, double t2, double c, double s,
                        double* out) {
  out[0] = c * u1 - s * v1;
  out[1] = s * u1 + c * v1;
  out[2] = t1;
  out[3] = c * u2 - s * v2;
  out[4] = s * u2 + c * v2;
  out[5] = t2;
}

inline void calc_closed_form(const PlaneBeam& b, PlaneMatrices& m) {
  const double L = b.L, c = b.c, s = b.s, mL = b.mass * L;
  Block Mt;
  {
    const double k = mL / 420;
    turn_symmetric(mL / 3, mL / 6,
                   {156 * k, 22 * L * k, 54 * k, -13 * L * k, 4 * L * L * k, 13 * L * k, -3 * L * L * k, 156 * k,
                    -22 * L * k, 4 * L * L * k},
                   c, s, Mt);
  }
  turn_slopes(6.0 / 5, 1.0 / 10, 1.0 / 10, 2.0 / 15, -1.0 / 30, 2.0 / 15, L, c, s, m.Gamma[0]);
  turn_slopes(3.0 / 5, 1.0 / 10, 0, 1.0 / 30, -1.0 / 60, 1.0 / 10, L, c, s, m.Gamma[1]);
  turn_slopes(12.0 / 35, 1.0 / 14, -1.0 / 35, 2.0 / 105, -1.0 / 70, 3.0 / 35, L, c, s, m.Gamma[2]);
  for (unsigned k = 0; k < 36; ++k) {
    m.M[k] = Mt[k] + b.rotary * m.Gamma[0][k];
    m.S[k] = -Mt[k];
  }
  {
    const double k = b.EI / (L * L * L), axial = b.EA / L;
    turn_symmetric(axial, -axial,
                   {12 * k, 6 * L * k, -12 * k, 6 * L * k, 4 * L * L * k, -6 * L * k, 2 * L * L * k, 12 * k, -6 * L * k,
                    4 * L * L * k},
                   c, s, m.K);
  }
  {  // −∫uᵀv above, ∫vᵀu below
    const double p = 7 * mL / 20, q = 3 * mL / 20, r = mL * L / 20, t = mL * L / 30;
    const double first[3][3] = {{0, -p, -r}, {p, 0, 0}, {r, 0, 0}};
    const double last[3][3] = {{0, -p, r}, {p, 0, 0}, {-r, 0, 0}};
    const double above[3][3] = {{0, -q, t}, {q, 0, 0}, {t, 0, 0}};
    const double below[3][3] = {{0, -q, -t}, {q, 0, 0}, {-t, 0, 0}};
    turn_part(first, c, s, 0, 0, m.G);
    turn_part(last, c, s, 3, 3, m.G);
    turn_part(above, c, s, 0, 3, m.G);
    turn_part(below, c, s, 3, 0, m.G);
  }
  const double half = mL / 2, twelfth = mL * L / 12;
  // The local field (fu, fv) at the first node, growing by (gu, gv) along the beam.
  const auto inertia_load = [&](double fu, double fv, double gu, double gv, double couple, double* out) {
    turn_vector(half * fu + mL / 6 * gu, half * fv + 3 * mL / 20 * gv - couple, twelfth * fv + mL * L / 30 * gv,
                half * fu + mL / 3 * gu, half * fv + 7 * mL / 20 * gv + couple, -twelfth * fv - mL * L / 20 * gv, c, s,
                out);
  };
  inertia_load(c, -s, 0, 0, 0, m.A_x.data());
  inertia_load(s, c, 0, 0, 0, m.A_y.data());
  const double along = c * b.x + s * b.y, across = c * b.y - s * b.x;
  inertia_load(-across, along, 0, L, b.rotary, m.B.data());
  inertia_load(-along, -across, -L, 0, 0, m.H.data());
  m.load.fill(0);
  for (unsigned k = 0; k < 6; ++k) {
    m.load[k] = m.A_x[k] / b.mass;
    m.load[6 + k] = m.A_y[k] / b.mass;
  }
  turn_vector(0, -1, 0, 0, 1, 0, c, s, &m.load[30]);
  turn_vector(-b.EA * b.expansion, 0, 0, b.EA * b.expansion, 0, 0, c, s, &m.load[36]);
  m.load[42 + 2] = b.EI * b.expansion;
  m.load[42 + 5] = -b.EI * b.expansion;
}

}  // namespace elodyn::bench
