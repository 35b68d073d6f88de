// derive: the equation of an element as text, JSON and LaTeX.
#include <cmath>
#include <ginac/ginac.h>
#include <map>
#include <sstream>

#include "tests/cli/program.hpp"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "elodyn/formalism/registry.hpp"

namespace elodyn::test {
namespace {

using Json = nlohmann::json;

// One element beside the axis of a spin, its axes those of the body.
std::string spinning_rod(const std::string& element, int dimension) {
  return R"(schema = 1
[material.steel]
young = "210 GPa"
poisson = 0.3
density = "7800 kg/m^3"
[section.flat]
shape = "rectangle"
width = "20 mm"
height = "10 mm"
[body.rod]
element = ")" +
         element + "\"\ndimension = " + std::to_string(dimension) + R"(
material = "steel"
section = "flat"
line = { from = [0.1, 0.05, 0], to = [0.6, 0.05, 0], elements = 1 }
clamp = ["from"]
[body.rod.motion]
kind = "spin"
axis = [0, 0, 1]
through = [0, 0, 0]
speed = "100 rad/s"
)";
}

// A frame whose column stands across its beam, with a lumped mass, springs and a tapered arm.
constexpr const char* kFrame = R"(schema = 1
title = "Frame: 50 % & more_of it, \u00e9t\u00e9 \u03a9 \u0151\u0142\u017e \u00b2\u2013\u00b0 \u00ab\u201ea\u201d\u00bb"
[material.steel]
young = "210 GPa"
poisson = 0.3
density = "7800 kg/m^3"
[section.round]
shape = "circle"
diameter = "10 mm"
[section.thin]
shape = "circle"
diameter = "5 mm"
[body.frame]
element = "beam_timoshenko"
dimension = 2
material = "steel"
section = "round"
clamp = ["a"]
points = { a = [0, 0, 0], b = [0.5, 0, 0], c = [0.5, 0.4, 0], d = [0.9, 0.1, 0] }
member.beam = { from = "a", to = "b", elements = 2 }
member.column = { from = "b", to = "c", elements = 2 }
member.arm = { from = "b", to = "d", section_to = "thin", elements = 2 }
mass = [{ at = "c", mass = "0.2 kg", inertia = "1e-4 kg*m^2" }]
spring = [{ at = "d", other = "ground", stiffness = ["1 kN/m", "1 kN/m", 0], damping = ["3 N*s/m", "3 N*s/m", 0] }]
[body.frame.motion]
kind = "spin"
axis = [0, 0, 1]
through = [0.9, 0.1, 0]
speed = "10 rad/s"
)";

Json derive_json(const Shell& shell, const std::string& arguments) {
  const Outcome outcome = shell("elodyn derive " + arguments + " --json");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err << outcome.out.substr(0, 2000);
  EXPECT_EQ(outcome.err, "");
  return Json::parse(outcome.out);
}

const Json& term_of(const Json& element, const std::string& name) {
  for (const Json& term : element["terms"])
    if (term["name"] == name) return term;
  ADD_FAILURE() << "no term " << name;
  return element["terms"][0];
}

// A Matrix Market file of a small matrix.
std::vector<std::vector<double>> read_mtx(const std::string& text) {
  std::istringstream in(text);
  std::string line, header;
  std::getline(in, header);
  while (std::getline(in, line) && line.starts_with("%")) {
  }
  size_t rows = 0, columns = 0, entries = 0;
  std::istringstream(line) >> rows >> columns >> entries;
  std::vector<std::vector<double>> out(rows, std::vector<double>(columns, 0));
  size_t i = 0, j = 0;
  for (double value = 0; in >> i >> j >> value;) {
    out[i - 1][j - 1] = value;
    if (header.find(" symmetric") != std::string::npos) out[j - 1][i - 1] = value;
    if (header.find("skew") != std::string::npos) out[j - 1][i - 1] = -value;
  }
  return out;
}

class DeriveBy : public testing::TestWithParam<const Formalism*> {
 protected:
  std::string option() const { return " --formalism " + std::string(GetParam()->name()); }
};

TEST_P(DeriveBy, ValuesAreThoseOfTheMatrices) {
  const Shell shell;
  for (const int dimension : {2, 3}) {
    shell.write("rod.toml", spinning_rod("beam_rayleigh", dimension));
    const Json json = derive_json(shell, "rod.toml" + option());
    EXPECT_EQ(json["status"], "ok");
    EXPECT_EQ(json["formalism"]["name"], std::string(GetParam()->name()));
    EXPECT_FALSE(json["equation"]["text"].get<std::string>().empty());
    EXPECT_FALSE(json["generating"]["latex"].get<std::string>().empty());
    ASSERT_EQ(json["elements"].size(), 1U);
    const Json& element = json["elements"][0];
    EXPECT_TRUE(element["symbolic"].get<bool>());
    EXPECT_FALSE(element["generating"].empty());
    EXPECT_GT(element["operations"]["multiplications"].get<int>(), 100);
    ASSERT_EQ(shell("elodyn matrices rod.toml -o matrices --quiet" + option()).exit_code, 0);
    const Json numbers = derive_json(shell, "rod.toml --numbers" + option());
    for (const std::string name : {"M", "K", "G_z", "S_zz", "H_zz"}) {
      const auto want = read_mtx(shell.read("matrices/rod_" + name + ".mtx"));
      const Json &term = term_of(element, name), &plain = term_of(numbers["elements"][0], name);
      EXPECT_TRUE(plain["symbols"].is_null());
      ASSERT_EQ(term["values"].size(), want.size());
      double scale = 0;
      for (const auto& row : want)
        for (const double x : row) scale = std::max(scale, std::abs(x));
      for (size_t i = 0; i < want.size(); ++i)
        for (size_t j = 0; j < want[i].size(); ++j) {
          // Exact symbols against sums of about ten rounded products.
          EXPECT_NEAR(term["values"][i][j].get<double>(), want[i][j], 1e-13 * scale) << name << i << "," << j;
          EXPECT_NEAR(plain["values"][i][j].get<double>(), want[i][j], 1e-13 * scale) << name << i << "," << j;
          EXPECT_EQ(term["symbols"][i][j] == "0", std::abs(want[i][j]) <= 1e-13 * scale) << name << i << "," << j;
        }
    }
  }
}

TEST_P(DeriveBy, EveryProcessSaysTheSame) {
  const Shell shell;
  shell.write("frame.toml", kFrame);
  const std::string once = shell("elodyn derive frame.toml" + option()).out;
  EXPECT_GT(once.size(), 2000U);
  EXPECT_EQ(shell("elodyn derive frame.toml" + option()).out, once);
  const std::string latex = shell("elodyn derive frame.toml --latex" + option()).out;
  EXPECT_EQ(shell("elodyn derive frame.toml --latex" + option()).out, latex);
}

std::string name_of(const testing::TestParamInfo<const Formalism*>& info) { return std::string(info.param->name()); }
INSTANTIATE_TEST_SUITE_P(Formalisms, DeriveBy, testing::ValuesIn(formalisms().list()), name_of);

TEST(Derive, TextOfASmallElement) {
  const Shell shell;
  shell.write("rod.toml", spinning_rod("beam_euler_bernoulli", 2));
  const std::string out = shell("elodyn derive rod.toml --formalism lagrange").out;
  for (const std::string line :
       {"M q'' + 2 omega_z G_z q' + K q + epsilon_z E_z q + omega_z^2 S_zz q",
        "q = (u_1, v_1, theta_z1, u_2, v_2, theta_z2)", "d/dt dT/dq' - dT/dq + dV/dq + dF/dq' = dW/dq",
        "M[2,2] = M[5,5] = 13*A*L*rho/35", "M[1,1] = M[4,4] = A*L*rho/3", "the element's axes are those of the body"})
    EXPECT_NE(out.find(line), std::string::npos) << line << "\n" << out;
  // The kinetic energy of a point that turns with the frame.
  EXPECT_NE(out.find("T = A*rho*("), std::string::npos) << out;
  EXPECT_NE(out.find("omega_z*u*v'"), std::string::npos) << out;
}

// The lines of a station's generating quantity, read back as expressions; a dash of a name becomes "_t".
class Lines {
 public:
  explicit Lines(const Json& element) {
    for (const Json& line : element["generating"]) {
      const std::string name = line["name"].get<std::string>();
      lines_[name.substr(0, name.find(" = "))] = line["text"].get<std::string>();
    }
  }
  bool has(const std::string& name) const { return lines_.count(name) > 0; }
  const std::string& text(const std::string& name) const { return lines_.at(name); }
  GiNaC::ex read(const std::string& name) {
    std::string text = lines_.at(name);
    for (size_t at = 0; (at = text.find('\'', at)) != text.npos;) text.replace(at, 1, "_t");
    if (const size_t slope = text.find(" - dV/d"); slope != text.npos) text.erase(slope);  // V knows strains only
    if (text.starts_with("-dV/d")) text = "0";
    return reader_(text);
  }
  GiNaC::ex symbol(const std::string& name) { return reader_(name); }

 private:
  std::map<std::string, std::string> lines_;
  GiNaC::symtab none_;
  GiNaC::parser reader_{none_};
};

// H(q, p) = p·q' − L with the momenta put in, and the lines below it are its derivatives, of every element.
TEST(Derive, HamiltonsFunctionAndCanonicalEquations) {
  const Shell shell;
  shell.write("plane.toml", spinning_rod("beam_rayleigh", 2));
  shell.write("space.toml", spinning_rod("beam_timoshenko", 3));
  std::string skew = spinning_rod("beam_rayleigh", 3);
  skew.replace(skew.find("axis = [0, 0, 1]"), 16, "axis = [1, 2, 2]");
  shell.write("skew.toml", skew);
  shell.write("frame.toml", kFrame);
  int n_coordinates = 0;
  for (const std::string file : {"plane.toml", "space.toml", "skew.toml", "frame.toml"}) {
    const Json json = derive_json(shell, file + " --formalism hamilton");
    EXPECT_EQ(json["generating"]["name"], "H");
    for (const Json& element : json["elements"]) {
      if (element["generating"].empty()) continue;
      Lines lines(element);
      ASSERT_TRUE(lines.has("H")) << element["generating"].dump(1);
      const GiNaC::ex H = lines.read("H"), L = lines.read("L + V"), V = lines.symbol("V");
      GiNaC::exmap momenta;
      GiNaC::ex power = 0;
      for (const std::string y : {"u", "v", "w", "theta_x", "theta_y", "theta_z"}) {
        if (!lines.has("p_" + y)) continue;
        ++n_coordinates;
        const GiNaC::ex p = lines.symbol("p_" + y), q = lines.symbol(y), momentum = lines.read("p_" + y);
        momenta[p] = momentum;
        power += momentum * lines.symbol(y + "_t");
        const auto slope = [&](const GiNaC::ex& by) { return H.diff(GiNaC::ex_to<GiNaC::symbol>(by)); };
        EXPECT_TRUE((slope(p) - lines.read(y + "'")).normal().is_zero()) << y << lines.text(y + "'");
        const std::string force = "p_" + y + "' - Q_" + y;
        EXPECT_TRUE((slope(q) + lines.read(force)).normal().is_zero()) << y << ": " << lines.text(force);
      }
      const GiNaC::ex without_V = H.subs(V == 0);
      EXPECT_TRUE((without_V.subs(momenta) - power + L).normal().is_zero()) << lines.text("H");
      EXPECT_EQ(lines.text("H").find('\''), std::string::npos);  // velocities are gone
    }
  }
  EXPECT_EQ(n_coordinates, 3 + 6 + 6 + 3 + 3);
  // As one would write it by hand.
  Lines plane(derive_json(shell, "plane.toml --formalism hamilton")["elements"][0]);
  EXPECT_EQ(plane.text("p_u' - Q_u"),
            "omega_z*(p_v + A*rho*(-omega_z*u - omega_z*x)) + A*rho*(omega_z^2*u + omega_z^2*x) - dV/du");
}

TEST(Derive, ElementsAcrossAndWithoutSymbols) {
  const Shell shell;
  shell.write("frame.toml", kFrame);
  const Json json = derive_json(shell, "frame.toml");
  std::vector<std::string> kinds;
  for (const Json& element : json["elements"])
    kinds.push_back(element["element"].get<std::string>() + " " + element["member"].get<std::string>() + " " +
                    (element["symbolic"].get<bool>() ? "symbols" : "numbers") + " " +
                    std::to_string(element["alike"].get<int>()));
  EXPECT_EQ(kinds, (std::vector<std::string>{"beam_timoshenko beam symbols 4", "beam_timoshenko arm numbers 2",
                                             "point_mass  symbols 1", "spring  symbols 1"}));
  EXPECT_NE(json["elements"][1]["notes"].dump().find("its section changes along it"), std::string::npos);
  EXPECT_EQ(term_of(json["elements"][3], "N_z")["symbols"][1][0], "c_y");
  EXPECT_EQ(term_of(json["elements"][3], "N_z")["symbols"][0][1], "-c_x");
  EXPECT_EQ(term_of(json["elements"][3], "N_z")["symmetry"], "none");  // c_x and c_y may differ
  EXPECT_EQ(term_of(json["elements"][2], "M")["symbols"][0][0], "m");
}

// About y alone, a beam in the xy plane at 45° needs two of its axes.
TEST(Derive, AxesThatTheMotionNeeds) {
  const Shell shell;
  std::string toml = spinning_rod("beam_rayleigh", 3);
  toml.replace(toml.find("to = [0.6, 0.05, 0]"), 19, "to = [0.6, 0.55, 0]");
  shell.write("rod.toml", toml);
  const auto names = [](const Json& json) {
    std::string all;
    for (const Json& symbol : json["elements"][0]["symbols"]) all += symbol["name"].get<std::string>() + " ";
    return all;
  };
  EXPECT_EQ(names(derive_json(shell, "rod.toml")).find("omega_x"), std::string::npos);
  const Json about_y = derive_json(shell, "rod.toml --set body.rod.motion.axis=[0,1,0]");
  for (const Json& symbol : about_y["elements"][0]["symbols"]) {
    if (!symbol["name"].get<std::string>().starts_with("omega")) continue;
    EXPECT_NEAR(symbol["value"].get<double>(), 100 * std::sqrt(0.5), 1e-10) << symbol;
  }
  EXPECT_NE(names(about_y).find("omega_x omega_y"), std::string::npos) << names(about_y);
}

TEST(Derive, SystemsAndMistakes) {
  const Shell shell;
  shell.write("rod.toml", spinning_rod("beam_euler_bernoulli", 2));
  const Json maggi = derive_json(shell, "rod.toml --formalism maggi");
  EXPECT_EQ(maggi["system"]["name"], "maggi");
  EXPECT_EQ(maggi["formalism"]["name"], "newton_euler");
  const Outcome unknown = shell("elodyn derive rod.toml --formalism lagrang");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_EQ(unknown.err, "error: unknown formalism `lagrang` after --formalism\n  help: did you mean `lagrange`?\n");
  for (const std::string name : {"multipliers", "whittaker"}) {
    const Json json = derive_json(shell, "rod.toml --formalism " + name);
    EXPECT_EQ(json["system"]["name"], name);
    EXPECT_NE(json["system"]["text"], "") << name;
    EXPECT_EQ(json["formalism"]["name"], "newton_euler");
  }
  EXPECT_EQ(shell("elodyn derive rod.toml --json --latex").exit_code, 2);
  EXPECT_EQ(shell("elodyn derive").exit_code, 2);
}

TEST(Derive, BendingAndItsShearHaveNamesOfTheirOwn) {
  const Shell shell;
  const auto strains = [&](int dimension) {
    shell.write("rod.toml", spinning_rod("beam_timoshenko", dimension));
    std::string out;
    const Json json = derive_json(shell, "rod.toml --formalism lagrange");
    for (const Json& symbol : json["elements"][0]["symbols"])
      if (const std::string meaning = symbol["meaning"]; meaning.starts_with("strain: "))
        out += meaning.substr(8) + ";";
    return out;
  };
  EXPECT_EQ(strains(2), "axial;bending;shear;");
  EXPECT_EQ(strains(3), "axial;torsion;bending along y (lag);bending along z (flap);shear along y;shear along z;");
}

TEST(DeriveLatex, SignsOfTitles) {
  const Shell shell;
  shell.write("rod.toml", spinning_rod("beam_rayleigh", 2));
  const auto derive = [&](const std::string& title) {
    return shell("elodyn derive rod.toml --latex --set 'title=\"" + title + "\"'");
  };
  const Outcome known = derive("Läufer – 90° · Ω²ρ 10 µm");
  EXPECT_EQ(known.err, "");
  EXPECT_NE(known.out.find("{Läufer -- 90$^\\circ$ $\\cdot$ $\\Omega$$^2$$\\rho$ 10 $\\mu$m: "), std::string::npos);
  EXPECT_EQ(known.out.find("\n\\usepackage[T1]{fontenc}\n"), std::string::npos);
  EXPECT_NE(derive("wał łączący").out.find("\n\\usepackage[T1]{fontenc}\n"), std::string::npos);
  const Outcome unknown = derive("轴 of 轴 and ☃");
  EXPECT_EQ(unknown.exit_code, 0);
  EXPECT_NE(unknown.out.find("{? of ? and ?: "), std::string::npos);
  EXPECT_EQ(unknown.err, "warning: pdflatex cannot set these signs, each is a ? in the document: 轴 ☃\n");
}

bool has_pdflatex() { return std::system("command -v pdflatex >/dev/null 2>&1") == 0; }

// What LaTeX says of a document; empty: it made a page without an error.
std::string compile(const Shell& shell, const std::string& arguments) {
  const Outcome made = shell("elodyn derive " + arguments + " --latex > equation.tex");
  if (made.exit_code != 0) return made.err;
  const Outcome latex = shell("pdflatex -interaction=nonstopmode -halt-on-error equation.tex");
  if (latex.exit_code == 0 && shell.list().find("equation.pdf") != std::string::npos) return {};
  return "exit " + std::to_string(latex.exit_code) + "\n" + latex.out;
}

TEST(DeriveLatex, OfEveryElementCompiles) {
  if (!has_pdflatex()) GTEST_SKIP() << "pdflatex is not here (texlive-latex-base)";
  const Shell shell;
  for (const std::string element : {"beam_euler_bernoulli", "beam_rayleigh", "beam_timoshenko"})
    for (const int dimension : {2, 3}) {
      shell.write("rod.toml", spinning_rod(element, dimension));
      EXPECT_EQ(compile(shell, "rod.toml --formalism lagrange"), "") << element << dimension;
    }
  EXPECT_EQ(compile(shell, "rod.toml --numbers"), "");
}

TEST(DeriveLatex, OfEveryFormalismCompiles) {
  if (!has_pdflatex()) GTEST_SKIP() << "pdflatex is not here (texlive-latex-base)";
  const Shell shell;
  shell.write("frame.toml", kFrame);
  for (const Formalism* formalism : formalisms().list())
    EXPECT_EQ(compile(shell, "frame.toml --formalism " + std::string(formalism->name())), "") << formalism->name();
  for (const char* name : {"maggi", "multipliers", "whittaker"})
    EXPECT_EQ(compile(shell, std::string("frame.toml --formalism ") + name), "") << name;
}

}  // namespace
}  // namespace elodyn::test
