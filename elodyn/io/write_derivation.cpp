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
  if (!e.member.empty()) out += (e.is_surface ? "area `" : "member `") + e.member + "`, ";
  out += fmt::format("element {} ({}", e.number, e.kind);
  if (!e.section.empty()) out += ", section `" + e.section + "`";
  std::vector<std::string> nodes;
  for (const int node : e.nodes) nodes.push_back(std::to_string(node));
  out += ", node" + std::string(nodes.size() == 1 ? " " : "s ") + join(nodes, ", ") + ")";
  if (e.n_alike > 1) out += fmt::format("; {} are alike", e.n_alike);
  return out;
}

std::string per_what(const DerivedElement& e) {
  if (e.member.empty()) return "";
  return e.is_surface ? " per area" : " per length";
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
    out += "\n  Generating quantity, written out" + per_what(e) + "\n";
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

// The sign of more than one byte that starts at i, or one byte.
std::string sign_at(const std::string& text, size_t i) {
  size_t end = i + 1;
  if (static_cast<unsigned char>(text[i]) >= 0x80)
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80) ++end;
  return text.substr(i, end - i);
}

// Letters of the encoding T1, which pdflatex sets as they are.
bool is_latex_letter(const std::string& sign) {
  static const std::string known =
      "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿ¡¿ĂăĄąĆćČčĎďĐđĘęĚěĞğİıĹĺĽľŁłŃńŇňŐőŒœŔŕŘřŚśŞşŠšŢţŤť"
      "ŮůŰű"
      "ŸŹźŻżŽž";
  return sign.size() == 2 && known.find(sign) != std::string::npos;
}

// Of these the ones that the oldest fonts, which every LaTeX has, cannot even put together from a letter and an accent.
// The fonts of T1 may first have to be made, so they are asked for only if they are needed or there already.
bool needs_T1(const std::string& text) {
  static constexpr const char* letters[] = {"Ą", "ą", "Ę", "ę", "Đ", "đ", "Ð", "ð", "Þ", "þ"};
  return std::any_of(std::begin(letters), std::end(letters),
                     [&](const char* letter) { return text.find(letter) != std::string::npos; });
}

// Other signs in the words of LaTeX; null: none.
const char* find_latex_word(const std::string& sign) {
  static const std::map<std::string, const char*> words = {{"–", "--"},
                                                           {"—", "---"},
                                                           {"‘", "`"},
                                                           {"’", "'"},
                                                           {"“", "``"},
                                                           {"”", "''"},
                                                           {"„", ",,"},
                                                           {"…", "\\dots{}"},
                                                           {"\u00a0", "~"},
                                                           {"−", "$-$"},
                                                           {"²", "$^2$"},
                                                           {"³", "$^3$"},
                                                           {"¹", "$^1$"},
                                                           {"⁴", "$^4$"},
                                                           {"½", "$\\frac12$"},
                                                           {"¼", "$\\frac14$"},
                                                           {"°", "$^\\circ$"},
                                                           {"·", "$\\cdot$"},
                                                           {"×", "$\\times$"},
                                                           {"÷", "$\\div$"},
                                                           {"±", "$\\pm$"},
                                                           {"≤", "$\\le$"},
                                                           {"≥", "$\\ge$"},
                                                           {"≠", "$\\ne$"},
                                                           {"≈", "$\\approx$"},
                                                           {"→", "$\\to$"},
                                                           {"√", "$\\surd$"},
                                                           {"∞", "$\\infty$"},
                                                           {"∂", "$\\partial$"},
                                                           {"§", "\\S{}"},
                                                           {"µ", "$\\mu$"},
                                                           {"α", "$\\alpha$"},
                                                           {"β", "$\\beta$"},
                                                           {"γ", "$\\gamma$"},
                                                           {"δ", "$\\delta$"},
                                                           {"ε", "$\\varepsilon$"},
                                                           {"ζ", "$\\zeta$"},
                                                           {"η", "$\\eta$"},
                                                           {"θ", "$\\theta$"},
                                                           {"ι", "$\\iota$"},
                                                           {"κ", "$\\kappa$"},
                                                           {"λ", "$\\lambda$"},
                                                           {"μ", "$\\mu$"},
                                                           {"ν", "$\\nu$"},
                                                           {"ξ", "$\\xi$"},
                                                           {"ο", "$o$"},
                                                           {"π", "$\\pi$"},
                                                           {"ρ", "$\\rho$"},
                                                           {"σ", "$\\sigma$"},
                                                           {"ς", "$\\varsigma$"},
                                                           {"τ", "$\\tau$"},
                                                           {"υ", "$\\upsilon$"},
                                                           {"φ", "$\\varphi$"},
                                                           {"χ", "$\\chi$"},
                                                           {"ψ", "$\\psi$"},
                                                           {"ω", "$\\omega$"},
                                                           {"Γ", "$\\Gamma$"},
                                                           {"Δ", "$\\Delta$"},
                                                           {"Θ", "$\\Theta$"},
                                                           {"Λ", "$\\Lambda$"},
                                                           {"Ξ", "$\\Xi$"},
                                                           {"Π", "$\\Pi$"},
                                                           {"Σ", "$\\Sigma$"},
                                                           {"Φ", "$\\Phi$"},
                                                           {"Ψ", "$\\Psi$"},
                                                           {"Ω", "$\\Omega$"},
                                                           {"\u2126", "$\\Omega$"},
                                                           {"\u212b", "Å"},
                                                           {"«", "$\\ll$"},
                                                           {"»", "$\\gg$"}};
  const auto found = words.find(sign);
  return found == words.end() ? nullptr : found->second;
}

// A whole document: signs that LaTeX knows by words, and a ? for those that it does not know.
LatexDocument set_signs(const std::string& text) {
  LatexDocument out;
  for (size_t i = 0; i < text.size();) {
    const std::string sign = sign_at(text, i);
    i += sign.size();
    if (static_cast<unsigned char>(sign[0]) < 0x80 || is_latex_letter(sign)) {
      out.text += sign;
    } else if (const char* word = find_latex_word(sign)) {
      out.text += word;
    } else {
      out.text += "?";
      if (std::find(out.replaced.begin(), out.replaced.end(), sign) == out.replaced.end()) out.replaced.push_back(sign);
    }
  }
  return out;
}

// Text of ours in a document: the few characters that LaTeX takes for its own. Other signs see set_signs.
std::string escaped(const std::string& text) {
  std::string out;
  bool open = false;  // `name` in typewriter
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '`') {
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
    out += "\\subsection*{Generating quantity, written out" + per_what(e) + "}\n{\\raggedright\n";
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

LatexDocument derivation_latex(const Derivation& d) {
  std::string out =
      "\\documentclass[10pt]{article}\n"
      "\\usepackage[utf8]{inputenc}\n"
      "\\IfFileExists{lmodern.sty}{\\usepackage[T1]{fontenc}\\usepackage{lmodern}}{}\n"
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
  LatexDocument document = set_signs(out + "\\end{document}\n");
  if (needs_T1(document.text)) {
    const std::string before = "\\usepackage[utf8]{inputenc}\n";
    document.text.insert(document.text.find(before), "\\usepackage[T1]{fontenc}\n");
  }
  return document;
}

}  // namespace elodyn
