// Three kinds of trouble, three ways:
//   input     the user's file or command line: Diagnostics collects all, InputError ends the run   exit 2
//   numerics  singular, not converged: NumericalError says where, why and what to try              exit 3
//   program   our own bug: ELODYN_REQUIRE (always) and ELODYN_ASSERT (debug)                       exit 70
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace elodyn {

// A place in a source that Diagnostics knows: line and column count from 1; line 0: no place.
struct Mark {
  int source = -1;
  int line = 0;
  int column = 0;
  int length = 1;  // of the underlined text
};

// A value that remembers where the user wrote it.
template <class T>
struct Located {
  T value{};
  Mark mark;
};

enum class Severity { error, warning };

struct Diagnostic {
  Severity severity = Severity::error;
  Mark mark;
  std::string text;
  std::string help;  // printed below the caret; may be empty
};

class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class NumericalError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Collects what is wrong with an input, prints all of it in the order of the text.
class Diagnostics {
 public:
  // Registers a text (a file, a command line option) that marks may point into.
  int add_source(std::string name, std::string text);
  // Of a large source only the lines that are spoken of need be known.
  void add_line(int source, int line, std::string text);

  void error(const Mark& mark, std::string text, std::string help = {});
  void warning(const Mark& mark, std::string text, std::string help = {});

  int n_errors() const { return n_errors_; }
  const std::vector<Diagnostic>& all() const { return all_; }
  const std::string& source_name(int source) const;

  // `file:line:col: error: text`, the source line, a caret, the help.
  std::string format(const Diagnostic& diagnostic) const;
  // All of one severity, sorted by source, line and column.
  std::string format_all(Severity severity) const;
  void throw_if_errors() const;

 private:
  struct Source {
    std::string name;
    std::unordered_map<int, std::string> lines;  // by their number; of a large source few are known
  };
  const std::string* source_line(const Mark& mark) const;  // null: not known

  std::vector<Source> sources_;
  std::vector<Diagnostic> all_;
  int n_errors_ = 0;
};

[[noreturn]] void fail_requirement(const char* file, int line, const char* what);

}  // namespace elodyn

// Programmer errors only; never for user input. A macro because clang 14 has no source_location.
#define ELODYN_REQUIRE(condition) ((condition) ? void() : ::elodyn::fail_requirement(__FILE__, __LINE__, #condition))
#ifdef NDEBUG
#define ELODYN_ASSERT(condition) static_cast<void>(0)
#else
#define ELODYN_ASSERT(condition) ELODYN_REQUIRE(condition)
#endif
