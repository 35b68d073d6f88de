#include "elodyn/io/write_derivation.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "elodyn/base/text.hpp"

namespace elodyn {
namespace {

constexpr size_t kWidth = 100;       // of a line of text
constexpr size_t kLatexWidth = 420;  // characters of LaTeX in the longest row of a matrix that is still readable
constexpr const char* kIndent = "    ";

std::string plural(long n, const std::string& noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); }

// Lines broken at spaces, those of formulas before + - = and after a comma; lines after the first are indented.
enum class Kind { words, formula };
std::string wrap(const std::string& text, const std::string& first, const std::string& next, Kind kind) {
  std::string out, line = first, piece;  // a piece stays together
  bool empty = true;
  const auto put = [&] {
    if (piece.empty()) return;
    if (!empty && line.size() + 1 + piece.size() > kWidth) {
      out += line + "\n";
      line = next;
      empty = true;
    }
    line += (empty ? "" : " ") + piece;
    empty = false;
    piece.clear();
  };
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (kind == Kind::words || word == "+" || word == "-" || word == "=" || piece.ends_with(',')) put();
    piece += (piece.empty() ? "" : " ") + word;
  }
  put();
  return out + line + "\n";
}

std::string number_text(double value) { return std::isnan(value) ? "-" : fmt::format("{:.6g}", value); }

std::string number_latex(double value) {
  const std::string text = number_text(value);
  const size_t e = text.find('e');
  if (e == std::string::npos) return text;
  return text.substr(0, e) + "\\cdot 10^{" + std::to_string(std::stoi(text.substr(e + 1))) + "}";
}

// What is round-off beside the other numbers of its row and column is 0.
double shown_number(const MatrixX& m, Eigen::Index i, Eigen::Index j) {
  const double column = m.col(j).cwiseAbs().maxCoeff(), row = m.row(i).cwiseAbs().maxCoeff();
  return std::abs(m(i, j)) <= 1e-14 * (m.cols() == 1 ? column : std::min(row, column)) ? 0 : m(i, j);
}

std::string entry_text(const DerivedTerm& term, Eigen::Index i, Eigen::Index j) {
  return term.entries.empty() ? number_text(shown_number(term.values, i, j)) : term.entry(i, j).text;
}
std::string entry_latex(const DerivedTerm& term, Eigen::Index i, Eigen::Index j) {
  if (!term.entries.empty()) return term.entry(i, j).latex;
  return number_latex(shown_number(term.values, i, j));
}

std::string symmetry_text(const DerivedTerm& term) {
  switch (term.symmetry) {
    case DerivedTerm::Symmetry::symmetric:
      return "symmetric";
    case DerivedTerm::Symmetry::skew:
      return "skew";
    default:
      return "";
  }
}

// ---- entries of large matrices, equal ones together ----

struct EqualEntries {
  std::vector<std::pair<Eigen::Index, Eigen::Index>> places;  // from 0
};
// Of a symmetric or skew matrix those on and above the diagonal; in the order of their first place.
std::vector<EqualEntries> list_entries(const DerivedTerm& term) {
  std::vector<EqualEntries> out;
  std::map<std::string, size_t> known;
  const bool half = term.symmetry != DerivedTerm::Symmetry::none;
  for (Eigen::Index i = 0; i < term.values.rows(); ++i)
    for (Eigen::Index j = half ? i : 0; j < term.values.cols(); ++j) {
      const std::string text = entry_text(term, i, j);
      if (text == "0") continue;
      const auto [it, is_new] = known.emplace(text, out.size());
      if (is_new) out.emplace_back();
      out[it->second].places.emplace_back(i, j);
    }
  return out;
}

// ---- text ----

std::string format_matrix(const DerivedTerm& term) {
  std::vector<size_t> widths(static_cast<size_t>(term.values.cols()), 1);
  size_t whole = std::string(kIndent).size();
  for (Eigen::Index j = 0; j < term.values.cols(); ++j) {
    size_t& width = widths[static_cast<size_t>(j)];
    for (Eigen::Index i = 0; i < term.values.rows(); ++i) width = std::max(width, entry_text(term, i, j).size());
    whole += width + 2;
  }
  std::string out;
  if (whole <= kWidth && term.values.cols() > 1) {
    for (Eigen::Index i = 0; i < term.values.rows(); ++i) {
      std::string line = kIndent;
      for (Eigen::Index j = 0; j < term.values.cols(); ++j)
        line += fmt::format("{:>{}}  ", entry_text(term, i, j), widths[static_cast<size_t>(j)]);
      out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return out;
  }
  for (const EqualEntries& entries : list_entries(term)) {
    std::string left;
    for (const auto& [i, j] : entries.places)
      left += term.values.cols() == 1 ? fmt::format("{}[{}] = ", term.name, i + 1)
                                      : fmt::format("{}[{},{}] = ", term.name, i + 1, j + 1);
    out += wrap(left + entry_text(term, entries.places[0].first, entries.places[0].second), kIndent, "      ",
                Kind::formula);
  }
  return out;
}

std::string format_symbols(const std::vector<DerivedSymbol>& symbols) {
  size_t name = 0, value = 0, unit = 0;
  for (const DerivedSymbol& s : symbols) {
    name = std::max(name, s.name.size());
    value = std::max(value, number_text(s.value).size());
    unit = std::max(unit, s.unit.size());
  }
  std::string out;
  for (const DerivedSymbol& s : symbols)
    out += fmt::format("{}{:<{}}  {:>{}} {:<{}}  {}\n", kIndent, s.name, name, number_text(s.value), value, s.unit,
                       unit, s.meaning);
  return out;
}

std::string heading_of(const DerivedElement& e) {
  std::string out = "Body `" + e.body + "`, ";
  if (!e.member.empty()) out += "member `" + e.member + "`, ";
  out += fmt::format("element {} ({}", e.number, e.kind);
  if (!e.section.empty()) out += ", section `" + e.section + "`";
  std::vector<std::string> nodes;
  for (const int node : e.nodes) nodes.push_back(std::to_string(node));
  out += ", node" + std::string(nodes.size() == 1 ? " " : "s ") + join(nodes, ", ") + ")";
  if (e.n_alike > 1) out += fmt::format("; {} are alike", e.n_alike);
  return out;
}

std::string operations_text(const OperationCount& c) {
  return plural(c.differentiations, "differentiation") + ", " + plural(c.multiplications, "multiplication") + ", " +
         plural(c.additions, "addition");
}

std::string format_element(const DerivedElement& e, const Style& style) {
  std::string out = "\n" + style.bold + heading_of(e) + style.reset + "\n";
  for (const std::string& note : e.notes) out += wrap(note, "  ", "    ", Kind::words);
  out += "\n  Equation, components along " + e.axes + " axes\n" +
         wrap(e.equation().text, kIndent, "      ", Kind::formula);
  std::vector<std::string> dofs;
  for (const Formula& dof : e.dofs) dofs.push_back(dof.name);
  out += wrap("q = (" + join(dofs, ", ") + ")", kIndent, "      ", Kind::formula);
  if (!e.symbols.empty()) out += "\n  Symbols\n" + format_symbols(e.symbols);
  if (!e.generating.empty()) {
    out += e.member.empty() ? "\n  Generating quantity, written out\n"
                            : "\n  Generating quantity, written out per length\n";
    for (const Formula& line : e.generating)
      out += wrap(line.name + " = " + line.text, kIndent, "      ", Kind::formula);
  }
  for (const DerivedTerm& term : e.terms) {
    const std::string symmetry = symmetry_text(term);
    out += fmt::format("\n  {}: {}, in {}{}{}\n", term.name, term.meaning, term.minus ? "-" : "", term.place(),
                       symmetry.empty() ? "" : "; " + symmetry);
    out += format_matrix(term);
  }
  if (!e.zero.empty()) out += "\n" + wrap("Zero: " + join(e.zero, ", "), "  ", "    ", Kind::words);
  return out + "\n  Operations of the derivation in numbers: " + operations_text(e.operations) + "\n";
}

// ---- LaTeX ----

// Text of ours in a document: the few characters that LaTeX takes for its own.
std::string escaped(const std::string& text) {
  std::string out;
  bool open = false;  // `name` in typewriter
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (const auto byte = static_cast<unsigned char>(c); byte >= 0x80) {
      // Accented letters of western Europe are known to every LaTeX; other signs need fonts that may not be there.
      const bool letter = byte == 0xC3 && i + 1 < text.size();
      out += letter ? text.substr(i, 2) : "?";
      while (i + 1 < text.size() && (static_cast<unsigned char>(text[i + 1]) & 0xC0U) == 0x80) ++i;
    } else if (c == '`') {
      out += open ? "}" : "\\texttt{";
      open = !open;
    } else if (std::string_view("_%&#${}").find(c) != std::string_view::npos) {
      out += std::string("\\") + c;
    } else if (std::string_view("<>|").find(c) != std::string_view::npos) {
      out += "$" + std::string(1, c) + "$";
    } else if (c == '"') {
      out += "''";
    } else {
      out += c == '^' ? "\\^{}" : c == '~' ? "\\~{}" : c == '\\' ? "\\textbackslash{}" : std::string(1, c);
    }
  }
  return out + (open ? "}" : "");
}

std::string latex_matrix(const DerivedTerm& term) {
  size_t longest = 0;
  std::string rows;
  for (Eigen::Index i = 0; i < term.values.rows(); ++i) {
    std::string row;
    for (Eigen::Index j = 0; j < term.values.cols(); ++j) row += (j > 0 ? " & " : "") + entry_latex(term, i, j);
    longest = std::max(longest, row.size());
    rows += (i > 0 ? " \\\\\n" : "") + row;
  }
  if (longest <= kLatexWidth)
    return "\\[\\fitted{" + term.latex_name + " = \\renewcommand{\\arraystretch}{1.6}\\begin{bmatrix}\n" + rows +
           "\n\\end{bmatrix}}\\]\n";
  std::string out = "{\\raggedright\n";
  for (const EqualEntries& entries : list_entries(term)) {
    std::string left;
    for (const auto& [i, j] : entries.places)
      left += term.values.cols() == 1 ? fmt::format("({})_{{{}}} = ", term.latex_name, i + 1)
                                      : fmt::format("({})_{{{},{}}} = ", term.latex_name, i + 1, j + 1);
    out += "$" + left + "\\displaystyle " + entry_latex(term, entries.places[0].first, entries.places[0].second) +
           "$\\par\\smallskip\n";
  }
  return out + "}\n";
}

std::string latex_element(const DerivedElement& e) {
  std::string out = "\\section*{" + escaped(heading_of(e)) + "}\n";
  for (const std::string& note : e.notes) out += escaped(note) + ".\n\n";
  const Formula equation = e.equation();
  out += "{\\raggedright $" + equation.latex + "$\\par\\medskip\n";
  std::vector<std::string> dofs;
  for (const Formula& dof : e.dofs) dofs.push_back(dof.latex_name);
  out += "$q = (" + join(dofs, ",\\allowbreak\\ ") + ")$, components along " + e.axes + " axes.\\par}\n";
  if (!e.symbols.empty()) {
    out += "\\subsection*{Symbols}\n\\begin{longtable}{@{}llll@{}}\n";
    for (const DerivedSymbol& s : e.symbols)
      out += "$" + s.latex + "$ & " + (std::isnan(s.value) ? "" : "$" + number_latex(s.value) + "$") + " & " +
             escaped(s.unit) + " & " + escaped(s.meaning) + " \\\\\n";
    out += "\\end{longtable}\n";
  }
  if (!e.generating.empty()) {
    out += std::string("\\subsection*{Generating quantity, written out") + (e.member.empty() ? "" : " per length") +
           "}\n{\\raggedright\n";
    for (const Formula& line : e.generating) out += "$" + line.latex_name + " = " + line.latex + "$\\par\\smallskip\n";
    out += "}\n";
  }
  for (const DerivedTerm& term : e.terms) {
    const std::string symmetry = symmetry_text(term);
    out += "\\subsection*{$" + term.latex_name + "$: " + escaped(term.meaning) + ", in $" + (term.minus ? "-" : "") +
           term.latex_place + "$" + (symmetry.empty() ? "" : "; " + symmetry) + "}\n" + latex_matrix(term);
  }
  if (!e.zero.empty()) out += "\nZero: " + escaped(join(e.zero, ", ")) + ".\n";
  return out + "\nOperations of the derivation in numbers: " + operations_text(e.operations) + ".\n";
}

std::string formalism_name(const Derivation& d) {
  return d.system.name.empty() ? d.formalism : d.system.name + ", elements by " + d.formalism;
}
std::string with_name(const std::string& name, const std::string& value) {
  return name.empty() ? value : name + " = " + value;
}

}  // namespace

std::string format_derivation(const Derivation& d, const Style& style) {
  std::string out;
  if (!d.title.empty()) out += style.bold + d.title + style.reset + "\n\n";
  out += style.bold + "Formalism " + formalism_name(d) + style.reset + ": " + d.summary + "\n";
  if (!d.system.text.empty()) out += wrap(d.system.text, kIndent, "      ", Kind::formula);
  if (!d.equation.text.empty()) out += wrap(d.equation.text, kIndent, "      ", Kind::formula);
  if (!d.generating.text.empty())
    out += wrap(with_name(d.generating.name, d.generating.text), kIndent, "      ", Kind::formula);
  for (const DerivedElement& element : d.elements) out += format_element(element, style);
  return out;
}

std::string derivation_latex(const Derivation& d) {
  std::string out =
      "\\documentclass[10pt]{article}\n"
      "\\usepackage[utf8]{inputenc}\n"
      "\\usepackage[a4paper,landscape,margin=18mm]{geometry}\n"
      "\\usepackage{amsmath,graphicx,longtable}\n"
      "\\setlength{\\parindent}{0pt}\n"
      "\\setcounter{MaxMatrixCols}{40}\n"
      "\\newsavebox{\\fitbox}\n"
      "% A formula, made smaller if it is wider than the line.\n"
      "\\newcommand{\\fitted}[1]{\\sbox{\\fitbox}{$\\displaystyle #1$}%\n"
      "  \\ifdim\\wd\\fitbox>\\linewidth\\resizebox{\\linewidth}{!}{\\usebox{\\fitbox}}\\else\\usebox{\\fitbox}\\fi}\n"
      "\\begin{document}\n";
  out += "\\section*{" + (d.title.empty() ? "" : escaped(d.title) + ": ") + "formalism " + escaped(formalism_name(d)) +
         "}\n";
  out += escaped(d.summary) + ".\n";
  const auto add = [&](const Formula& f) {
    if (!f.latex.empty()) out += "\\[\\fitted{" + with_name(f.latex_name, f.latex) + "}\\]\n";
  };
  add(d.system);
  add(d.equation);
  add(d.generating);
  for (const DerivedElement& element : d.elements) out += latex_element(element);
  return out + "\\end{document}\n";
}

}  // namespace elodyn
