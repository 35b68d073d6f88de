#include "elodyn/formalism/describe_hamiltonian.hpp"

#include "elodyn/base/error.hpp"

namespace elodyn {
namespace {

Symbolic differentiate(const Symbolic& x, const Symbolic& by) {
  return Symbolic(x.ex().diff(GiNaC::ex_to<GiNaC::symbol>(by.ex())));
}

void append(std::string& sum, const std::string& part) {
  if (part == "0" || part.empty()) return;
  if (sum.empty())
    sum = part;
  else
    sum += part.starts_with("-") ? " - " + part.substr(1) : " + " + part;
}
void append(Formula& sum, const Formula& part) {
  append(sum.text, part.text);
  append(sum.latex, part.latex);
}

// One coordinate of the station in (1).
struct Coordinate {
  Symbolic y, rate, m, c;
  Formula momentum;  // p_r
  Formula shifted;   // p_r − c_r
  bool has_momentum() const { return !m.is_zero(); }
  bool is_shifted() const { return !c.is_zero(); }
};

class HamiltonianWriter {
 public:
  HamiltonianWriter(const BasicPolynomial<Symbolic>& L, StationWriter& writer) : writer_(writer) {
    rest_ = writer.to_symbolic(L);
    const int n = static_cast<int>(writer.matter().active.size());
    for (int r = 0; r < n; ++r) {
      const BasicPolynomial<Symbolic> momentum = derivative(L, speed(r));
      Coordinate at;
      at.y = writer.coordinate(r, 0);
      at.rate = writer.coordinate(r, 1);
      for (int s = 0; s < n; ++s) {
        const Symbolic mass = writer.to_symbolic(derivative(momentum, speed(s)));
        ELODYN_REQUIRE(s == r || mass.is_zero());
        if (s == r) at.m = mass;
      }
      at.c = expanded(writer.to_symbolic(momentum) - at.m * at.rate);
      at.momentum = {"", "p_" + writer.name(r, 0), "", "p_{" + writer.latex(r, 0) + "}"};
      at.shifted = at.momentum;
      append(at.shifted, writer.write(-at.c));
      if (at.has_momentum()) writer.add(at.momentum.text, at.momentum.latex, momentum);
      rest_ -= at.m * at.rate * at.rate / Symbolic(2) + at.c * at.rate;
      coordinates_.push_back(std::move(at));
    }
    rest_ = expanded(rest_);  // L₀
  }

  void write() {
    Formula H{"H", "", "H", ""};
    for (const Coordinate& at : coordinates_) {
      if (at.has_momentum()) {
        append(H, divide(at, true));
      } else if (at.is_shifted()) {
        H.name = H.latex_name = "R";
        append(H, writer_.write(expanded(-at.c * at.rate)));
      }
    }
    append(H, writer_.write(-rest_));
    if (has_potential()) append(H, {"", "V", "", "V"});
    if (H.text.empty()) H.text = H.latex = "0";
    writer_.add(H);
    for (size_t r = 0; r < coordinates_.size(); ++r)
      if (coordinates_[r].has_momentum()) write_equations(static_cast<int>(r), H.name);
  }

 private:
  static Symbolic expanded(const Symbolic& x) { return Symbolic(x.ex().expand()); }
  bool has_potential() const { return writer_.station().stiffness.size() > 0; }

  // (p − c)/m, or (p − c)²/2m.
  Formula divide(const Coordinate& at, bool half_square) const {
    const Formula mass = writer_.write(at.m);
    const bool long_mass = at.m.is_sum(), is_product = mass.text.find('*') != std::string::npos;
    std::string above = at.is_shifted() ? "(" + at.shifted.text + ")" : at.shifted.text;
    std::string below = long_mass ? "(" + mass.text + ")" : mass.text;
    std::string above_latex = at.shifted.latex, below_latex = mass.latex;
    if (half_square) {
      above += "^2";
      above_latex = (at.is_shifted() ? "\\bigl(" + above_latex + "\\bigr)" : above_latex) + "^2";
      below = "(2*" + below + ")";
      below_latex = "2" + (long_mass ? "(" + below_latex + ")" : " " + below_latex);
    } else if (is_product && !long_mass) {
      below = "(" + below + ")";
    }
    return {"", above + "/" + below, "", "\\frac{" + above_latex + "}{" + below_latex + "}"};
  }

  // factor·(p − c), with a factor that may be a sum.
  Formula multiply(const Symbolic& factor, const Coordinate& at) const {
    Formula out = at.shifted;
    if (at.is_shifted()) {
      out.text = "(" + out.text + ")";
      out.latex = "\\bigl(" + out.latex + "\\bigr)";
    }
    if (factor == Symbolic(1)) return out;
    const auto bracket = [&](const std::string& text) { return factor.is_sum() ? "(" + text + ")" : text; };
    out.text = bracket(factor.text()) + "*" + out.text;
    out.latex = bracket(factor.latex()) + " " + out.latex;
    return out;
  }

  // (2)
  void write_equations(int r, const std::string& H) {
    const Coordinate& at = coordinates_[static_cast<size_t>(r)];
    const std::string name = writer_.name(r, 0), latex = writer_.latex(r, 0), Q = "Q_{" + latex + "}";
    Formula rate = divide(at, false);
    rate.name = writer_.name(r, 1) + " = d" + H + "/dp_" + name;
    rate.latex_name = writer_.latex(r, 1) + " = \\frac{\\partial " + H + "}{\\partial " + at.momentum.latex + "}";
    writer_.add(rate);

    Formula force{"p_" + name + "' - Q_" + name + " = -d" + H + "/d" + name, "",
                  "\\dot " + at.momentum.latex + " - " + Q + " = -\\frac{\\partial " + H + "}{\\partial " + latex + "}",
                  ""};
    for (const Coordinate& other : coordinates_) {
      const Symbolic slope = differentiate(other.c, at.y);
      if (slope.is_zero()) continue;
      if (other.has_momentum())
        append(force, multiply(writer_.spell_out(slope / other.m).simplified(), other));
      else
        append(force, writer_.write(expanded(slope * other.rate)));
    }
    append(force, writer_.write(expanded(differentiate(rest_, at.y))));
    if (has_potential()) append(force, {"", "-dV/d" + name, "", "-\\frac{\\partial V}{\\partial " + latex + "}"});
    if (force.text.empty()) force.text = force.latex = "0";
    writer_.add(force);
  }

  StationWriter& writer_;
  std::vector<Coordinate> coordinates_;
  Symbolic rest_;
};

}  // namespace

void add_hamiltonian(const BasicPolynomial<Symbolic>& L_and_V, StationWriter& writer) {
  HamiltonianWriter(L_and_V, writer).write();
}

}  // namespace elodyn
