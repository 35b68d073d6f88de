// An element of random polynomials, for which no formula of this project was written: every formalism in random motions
// must derive the same equation for it and keep every law. And a test of these tests: derivations with a fault inside,
// −∂T/∂q dropped, a Coriolis sign, the directors of the sections left out, a wrong rate of the origin's velocity; the
// comparison and the laws must catch each, and pass the same derivation without the fault.
#include <functional>
#include <set>

#include "tests/support/element_terms.hpp"
#include <gtest/gtest.h>

#include "elodyn/base/quadrature.hpp"
#include "elodyn/base/rotation.hpp"
#include "elodyn/element/registry.hpp"
#include "elodyn/formalism/energy.hpp"
#include "elodyn/formalism/matter.hpp"
#include "elodyn/laws.hpp"

namespace elodyn {
namespace {

using test::compare;
using test::Comparison;
using test::Random;

constexpr double kAgree = 1e-12;  // round-off of sums over n dofs × stations, in coordinates scaled by diag(M)^-½
constexpr double kCaught = 1e-6;  // far above round-off: what a planted fault must leave at least

// Rows of polynomials in ξ with random coefficients.
class RandomRows {
 public:
  RandomRows(Random& random, int degree, Eigen::Index rows, Eigen::Index columns) {
    for (int k = 0; k <= degree; ++k) coefficients_.push_back(random.matrix(rows, columns));
  }
  MatrixX operator()(double xi) const {
    MatrixX sum = coefficients_.back();
    for (size_t k = coefficients_.size() - 1; k-- > 0;) sum = coefficients_[k] + xi * sum;
    return sum;
  }

 private:
  std::vector<MatrixX> coefficients_;
};

// Material along a random space curve x(ξ), ξ from 0 to 1. The first 12 fields are all linear ones, u = c + F x with
// the section's turn of the skew part of F, so that the laws of rigid motions and of matter at rest can be tried; the
// others are random polynomials of degree 5, as are the strains and the second-order rows. All are mixed by a random
// matrix.
class RandomElement final : public Element {
 public:
  static constexpr int kLinear = 12, kRandom = 4, kDofs = kLinear + kRandom, kStrains = 3, kGradients = 4;

  explicit RandomElement(unsigned seed)
      : random_(seed),
        curve_(random_, 5, 3, 1),
        u_(random_, 5, 3, kRandom),
        theta_(random_, 5, 3, kRandom),
        B_(random_, 5, kStrains, kDofs),
        L_(random_, 5, kGradients, kDofs),
        mix_(MatrixX::Identity(kDofs, kDofs) + 0.3 / std::sqrt(kDofs) * random_.matrix(kDofs, kDofs)),
        sigma_(0.2 * random_.positive(3)),
        stiffness_(random_.positive(kStrains)),
        viscosity_(random_.positive(kStrains)),
        thermal_(random_.matrix(kStrains, 3)) {
    for (int j = 0; j < 2; ++j) {
      const MatrixX m = random_.matrix(kGradients, kGradients);
      Psi_.emplace_back(m + m.transpose());
    }
  }
  std::string_view name() const override { return "random_polynomials"; }
  std::string_view summary() const override { return ""; }
  int n_nodes() const override { return 2; }
  int n_dofs(const ElementData&) const override { return kDofs; }
  std::vector<std::string_view> strain_names(const ElementData&) const override { return {"one", "two", "three"}; }
  void calc_stations(const ElementData&, Stations& stations) const override {
    stations.clear();
    for (const GaussPoint& point : gauss_rule(8)) {  // exact to degree 15; 5 + 5 + 1 are needed, with Bx 5 + 5 + 1
      Station& st = stations.emplace_back();
      const double xi = point.xi;
      st.weight = point.weight;
      st.x = curve_(xi);
      st.mass = 1 + 0.5 * xi;
      st.sigma = (1 + xi) * sigma_;
      MatrixX N(3, kDofs), turn(3, kDofs);
      N.leftCols(3).setIdentity();
      turn.leftCols(3).setZero();
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {  // F = eᵢ eⱼᵀ
          N.col(3 + 3 * i + j) = st.x[j] * Vec3::Unit(i);
          turn.col(3 + 3 * i + j) = 0.5 * Vec3::Unit(j).cross(Vec3::Unit(i));
        }
      N.rightCols(kRandom) = u_(xi);
      turn.rightCols(kRandom) = theta_(xi);
      st.N = N * mix_;
      st.N_theta = st.R_theta = turn * mix_;
      st.B = B_(xi);
      st.stiffness = stiffness_;
      st.viscosity = viscosity_;
      st.thermal = thermal_;
      st.L = L_(xi);
      st.Psi = Psi_;
    }
  }
  void calc_prestress(const ElementData&, const ElementState&, VectorX& p) const override { p.setZero(2); }
  void calc_placement(const ElementData&, double, Matrix3X&, Matrix3X&) const override {}
  std::vector<SectionForces> calc_section_forces(const ElementData&, const ElementState&,
                                                 const std::vector<double>&) const override {
    return {};
  }

 private:
  Random random_;
  RandomRows curve_, u_, theta_, B_, L_;
  MatrixX mix_, sigma_, stiffness_, viscosity_, thermal_;
  std::vector<MatrixX> Psi_;
};

ElementData spatial_data() {
  ElementData data;
  data.dimension = 3;
  return data;
}

Stations stations_of(const Element& element, const ElementData& data) {
  Stations stations;
  element.calc_stations(data, stations);
  return stations;
}

double miss(const VectorX& got, const VectorX& want, const MatrixX& M) {
  VectorX d = M.diagonal();
  for (double& v : d) v = v > 0 ? 1 / std::sqrt(v) : 1;
  return d.cwiseProduct(got - want).norm() / d.cwiseProduct(want).norm();
}

TEST(RandomElement, EveryFormalismAgreesInRandomMotion) {
  const Formalism& first = *formalisms().find(kDefaultFormalism);
  ElementTerms got, want;
  double worst = 0;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const RandomElement element(seed);
    const Stations stations = stations_of(element, spatial_data());
    Random random(100 + seed);
    const MotionBasis basis = random.basis(3, 1 + static_cast<int>(seed % 3));
    first.derive(stations, RandomElement::kDofs, basis, want);
    const test::MovingState state = make_random_state(random, basis, RandomElement::kDofs);
    for (const Formalism* formalism : formalisms().list()) {
      formalism->derive(stations, RandomElement::kDofs, basis, got);
      const Comparison c = compare(got, want);
      EXPECT_LE(c.worst, kAgree) << c.where << " of " << formalism->name() << ", seed " << seed;
      const double force = miss(calc_inertia(got, basis, state), calc_inertia(want, basis, state), want.M);
      EXPECT_LE(force, kAgree) << formalism->name() << ", seed " << seed;
      worst = std::max({worst, c.worst, force});
    }
  }
  RecordProperty("worst", std::to_string(worst * 1e15) + "e-15");
}

// The same inertia forces for every registered element, with numbers for the motion and the state put in.
TEST(RandomMotion, EveryFormalismAndElementFeelsTheSameForces) {
  const Formalism& first = *formalisms().find(kDefaultFormalism);
  Random random(23);
  ElementTerms got, want;
  int compared = 0;
  for (const Element* element : elements().list())
    for (const ElementSample& sample : make_samples(*element, 29)) {
      const ElementData data = bind(sample);
      const Stations stations = stations_of(*element, data);
      const int n = element->n_dofs(data);
      const MotionBasis basis = random.basis(data.dimension, data.dimension == 2 ? 1 : 3);
      first.derive(stations, n, basis, want);
      if (want.M.isZero(0)) continue;  // springs
      const test::MovingState state = make_random_state(random, basis, n);
      for (const Formalism* formalism : formalisms().list()) {
        formalism->derive(stations, n, basis, got);
        EXPECT_LE(miss(calc_inertia(got, basis, state), calc_inertia(want, basis, state), want.M), kAgree)
            << formalism->name() << ", " << element->name() << ", " << sample.name;
        ++compared;
      }
    }
  EXPECT_GT(compared, 300);
}

TEST(RandomElement, KeepsEveryLaw) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const RandomElement element(seed);
    for (const Formalism* formalism : formalisms().list())
      for (const LawCheck& check : check_formalism_laws(*formalism, element, spatial_data(), seed))
        EXPECT_TRUE(check.holds()) << formalism->name() << ", seed " << seed << ": " << check.law << ": error "
                                   << check.error << ", bound " << check.bound;
  }
}

// The point whose motion describes that of the frame is a free choice: from O to O' the acceleration changes by
// (ε̂ + ω̂²)(O' − O), the forces do not.
TEST(RandomElement, ForcesDoNotDependOnTheOrigin) {
  const RandomElement element(3);
  const Stations stations = stations_of(element, spatial_data());
  Random random(7);
  const MotionBasis here = test::make_cartesian_basis();
  MotionBasis there = here;
  there.origin = random.vector(2);
  test::MovingState state = make_random_state(random, here, RandomElement::kDofs), moved = state;
  const Vec3 w = state.w, e = state.e, d = there.origin - here.origin;
  moved.a = Vec3(state.a) + e.cross(d) + w.cross(w.cross(d));
  ElementTerms at_here, at_there;
  for (const Formalism* formalism : formalisms().list()) {
    formalism->derive(stations, RandomElement::kDofs, here, at_here);
    formalism->derive(stations, RandomElement::kDofs, there, at_there);
    const VectorX want = calc_inertia(at_here, here, state);
    EXPECT_LE(miss(calc_inertia(at_there, there, moved), want, at_here.M), kAgree) << formalism->name();
    EXPECT_GE(miss(calc_inertia(at_there, there, state), want, at_here.M), kCaught) << formalism->name();
  }
}

// A derivation with one fault inside, by the tools that the formalisms use (matter.hpp).
enum class Fault {
  none,
  momentum_only,      // −∂T/∂q dropped
  coriolis_sign,      // −2ω×ṙ in the acceleration
  no_directors,       // turning sections left out of the material
  acceleration_rate,  // v̇_O = a: the rate of components taken for the acceleration
};

class PlantedDerivation : public Formalism {
 public:
  PlantedDerivation(const char* name, Fault fault) : name_(name), fault_(fault) {}
  std::string_view name() const override { return name_; }
  std::string_view summary() const override { return ""; }
  using Formalism::derive;
  void derive(const Stations& stations, int n, const MotionBasis& basis, ElementTerms& t) const override {
    const MovingFrame<double> frame(basis);
    Matter<double> matter;
    t.reset(stations, n, basis);
    for (const Station& st : stations) {
      calc_matter(st, basis.origin, matter);
      if (fault_ == Fault::no_directors)
        for (Particle<double>& particle : matter.particles)
          if (!particle.feels_origin) particle.mass = 0;
      const int active = static_cast<int>(matter.active.size());
      LocalEquation<double> equation(basis, active);
      const std::vector<Polynomial> rows = calc_left_sides(frame, matter);
      for (int r = 0; r < active; ++r) equation.read(r, rows[static_cast<size_t>(r)]);
      equation.add_to(t, matter, st.weight);
      add_forces_of_energies(st, basis, t);
    }
  }
  virtual std::vector<Polynomial> calc_left_sides(const MovingFrame<double>& frame,
                                                  const Matter<double>& matter) const = 0;
  Fault fault() const { return fault_; }

 private:
  const char* name_;
  Fault fault_;
};

// d/dt ∂T/∂ẏ − ∂T/∂y
class PlantedLagrange final : public PlantedDerivation {
 public:
  explicit PlantedLagrange(Fault fault) : PlantedDerivation("planted Lagrange", fault) {}
  std::vector<Polynomial> calc_left_sides(const MovingFrame<double>& frame,
                                          const Matter<double>& matter) const override {
    PolynomialSum energy(2);
    for (const Particle<double>& particle : matter.particles)
      for (const Polynomial& v : calc_velocity(frame, particle)) energy.add_product(v, v, 0.5 * particle.mass);
    const Polynomial T = energy.take();
    std::vector<Polynomial> rows;
    for (int r = 0; r < static_cast<int>(matter.active.size()); ++r) {
      PolynomialSum row(1);
      const Polynomial momentum = derivative(T, speed(r));
      row.add(frame.rate(momentum));
      if (fault() == Fault::acceleration_rate)  // takes −ω×v_O out of the rate again
        for (int k = 0; k < 3; ++k) {
          const auto a = static_cast<size_t>((k + 1) % 3), b = static_cast<size_t>((k + 2) % 3);
          const Polynomial mass = derivative(momentum, origin_v(k));
          PolynomialSum turned(1);
          turned.add_product(frame.omega()[a], frame.velocity()[b]);
          turned.add_product(frame.omega()[b], frame.velocity()[a], -1);
          row.add_product(mass, turned.take());
        }
      if (fault() != Fault::momentum_only) row.add(derivative(T, place(r)), -1);
      rows.push_back(row.take());
    }
    return rows;
  }
};

// Σ m ∂v/∂ẏ · a, a = a_O + ε×r + ω×(ω×r) + 2ω×ṙ + r̈
class PlantedKane final : public PlantedDerivation {
 public:
  explicit PlantedKane(Fault fault) : PlantedDerivation("planted Kane", fault) {}
  std::vector<Polynomial> calc_left_sides(const MovingFrame<double>& frame,
                                          const Matter<double>& matter) const override {
    const auto sums = [](int order) {
      return std::array<PolynomialSum, 3>{PolynomialSum(order), PolynomialSum(order), PolynomialSum(order)};
    };
    const size_t active = matter.active.size();
    std::vector<PolynomialSum> rows(active, PolynomialSum(1));
    for (const Particle<double>& particle : matter.particles) {
      const PolynomialVector<double> v = calc_velocity(frame, particle), r_dot = frame.rate(particle.r),
                                     r_ddot = frame.rate(r_dot);
      auto carried = sums(2), a = sums(1);
      add_cross(frame.omega(), particle.r, carried, 1.0);
      const PolynomialVector<double> spin_velocity = {carried[0].take(), carried[1].take(), carried[2].take()};
      add_cross(frame.epsilon(), particle.r, a, 1.0);
      add_cross(frame.omega(), spin_velocity, a, 1.0);
      add_cross(frame.omega(), r_dot, a, fault() == Fault::coriolis_sign ? -2.0 : 2.0);
      for (size_t k = 0; k < 3; ++k) {
        a[k].add(r_ddot[k]);
        if (particle.feels_origin) a[k].add(frame.acceleration()[k]);
        const Polynomial component = a[k].take();
        for (size_t r = 0; r < active; ++r)
          rows[r].add_product(derivative(v[k], speed(static_cast<int>(r))), component, particle.mass);
      }
    }
    std::vector<Polynomial> out;
    for (PolynomialSum& row : rows) out.push_back(row.take());
    return out;
  }
};

std::set<std::string> broken_laws(const Formalism& formalism, const Element& element, const ElementData& data) {
  std::set<std::string> out;
  for (const LawCheck& check : check_formalism_laws(formalism, element, data, 5))
    if (!check.holds()) out.insert(check.law);
  return out;
}

// `must_break`: a law that the fault breaks, by its words.
void expect_caught(const PlantedDerivation& planted, const Element& element, const ElementData& data,
                   const std::string& must_break) {
  const int n = element.n_dofs(data);
  const Stations stations = stations_of(element, data);
  const MotionBasis basis = Random(4).basis(data.dimension, data.dimension == 2 ? 1 : 3);
  ElementTerms got, want;
  formalisms().find(kDefaultFormalism)->derive(stations, n, basis, want);
  planted.derive(stations, n, basis, got);
  const auto broken = broken_laws(planted, element, data);
  if (planted.fault() == Fault::none) {
    EXPECT_LE(compare(got, want).worst, kAgree) << planted.name() << ", " << element.name();
    EXPECT_EQ(broken, std::set<std::string>()) << planted.name() << ", " << element.name();
  } else {
    EXPECT_GE(compare(got, want).worst, kCaught) << planted.name() << ", " << element.name();
    EXPECT_EQ(broken.count(must_break), 1u) << planted.name() << ", " << element.name() << ": " << must_break;
  }
}

const char* kFreeField = "matter at rest in the world feels no force in a moving frame";
const char* kInertia = "rotations feel the moments of inertia";

TEST(PlantedFaults, InsideDerivationsAreCaught) {
  const Element& beam = *elements().find("beam_rayleigh");
  std::vector<std::pair<const Element*, ElementData>> all;
  const RandomElement random(5);
  all.emplace_back(&random, spatial_data());
  const std::vector<ElementSample> samples = make_samples(beam, 3);
  for (const ElementSample& sample : samples)
    if (sample.data.rotary && sample.data.axial_degree == 1) all.emplace_back(&beam, sample.data);
  EXPECT_GE(all.size(), 9u);
  for (const auto& [element, data] : all) {
    expect_caught(PlantedLagrange(Fault::none), *element, data, "");
    expect_caught(PlantedLagrange(Fault::momentum_only), *element, data, kFreeField);
    expect_caught(PlantedLagrange(Fault::momentum_only), *element, data, "the centrifugal load is m ω² r, outward");
    expect_caught(PlantedLagrange(Fault::no_directors), *element, data, kInertia);
    expect_caught(PlantedKane(Fault::none), *element, data, "");
    expect_caught(PlantedKane(Fault::coriolis_sign), *element, data, kFreeField);
    expect_caught(PlantedKane(Fault::coriolis_sign), *element, data, "translations feel the whole Coriolis force");
    expect_caught(PlantedKane(Fault::no_directors), *element, data, kInertia);
  }
}

// The velocity of the origin stands in T and must leave the equation. The matrices cannot show it, so the rows are
// asked.
TEST(PlantedFaults, VelocityOfTheOriginIsCaught) {
  const RandomElement element(5);
  const Stations stations = stations_of(element, spatial_data());
  const MotionBasis basis = Random(4).basis(3, 3);
  const MovingFrame<double> frame(basis);
  const auto largest_with_velocity = [&](const PlantedDerivation& derivation) {
    double largest = 0;
    Matter<double> matter;
    for (const Station& st : stations) {
      calc_matter(st, basis.origin, matter);
      for (const Polynomial& row : derivation.calc_left_sides(frame, matter))
        for (const Polynomial::Term& term : row.terms())
          for (int k = 0; k < 3; ++k)
            if (origin_v(k).power_in(term.powers) > 0) largest = std::max(largest, std::abs(term.factor) / st.mass);
    }
    return largest;
  };
  EXPECT_LE(largest_with_velocity(PlantedLagrange(Fault::none)), kAgree);
  EXPECT_LE(largest_with_velocity(PlantedKane(Fault::none)), kAgree);
  EXPECT_GE(largest_with_velocity(PlantedLagrange(Fault::acceleration_rate)), 0.1);
  EXPECT_GE(largest_with_velocity(PlantedLagrange(Fault::momentum_only)), 0.1);
}

}  // namespace
}  // namespace elodyn
