// A model file → Model. Strict: an unknown key, a missing key, a wrong type, dimension or range, a name of nothing:
// all are reported in one run, each with its place; nothing is clamped or guessed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "elodyn/base/error.hpp"
#include "elodyn/io/text_file.hpp"
#include "elodyn/model/model.hpp"
#include "elodyn/model/validate.hpp"

namespace elodyn {

struct ReadOptions {
  std::vector<std::string> settings;  // of --set: "body.rod.line.elements=40"
  KnownNames names;
  // In place of that of the file. If this is one for systems and the file has one for elements, the file's derives the
  // elements, unless the file names an element_formalism.
  std::string formalism = {};
  FileReader read_file = read_text_file;  // for the model and for the tables and meshes that it names
};

// Reads and validates; nothing is returned if there are errors. The text is added to the diagnostics as a source.
// Tables and meshes are looked for beside `file_name`; a bare name: in the working directory.
std::optional<Model> read_model(const std::string& file_name, const std::string& text, const ReadOptions& options,
                                Diagnostics& diagnostics);

// Throws InputError with all errors, also for a file that cannot be read; warnings stay in the diagnostics.
Model load_model(const std::string& path, const ReadOptions& options, Diagnostics& diagnostics);

// One number of the file put in place of what it has, at one key or several.
struct Variation {
  const SweepParameter* parameter = nullptr;
  double value = 0;
};
// Whose sweep: [analysis.stability] or [analysis.cycle].
enum class SweepOf { stability, cycle };
// The model of the same file with these numbers. Throws InputError where that is no model. The file is read once; safe
// to call from several threads.
class ModelVariants {
 public:
  ModelVariants(SweepOf sweep, std::string file_name, std::string text, ReadOptions options);
  Model make(const std::vector<Variation>& variations) const;
  // What the file itself has at the parameter's key, SI; NaN if it leaves it out.
  double value_in_file(const SweepParameter& parameter) const;

 private:
  SweepOf sweep_;
  std::string file_name_, text_;
  ReadOptions options_;
};

// The effective input: a file that reads back to the same model, SI values, `# default` where a value is the default.
std::string echo_toml(const Model& model);

// For an echo in another directory: relative names of tables and meshes lead from there to the same files.
Model move_files(Model model, const std::string& from_dir, const std::string& to_dir);

// From the declarations that the reader itself uses.
std::string schema_json(const KnownNames& names = {});
std::string schema_markdown();
std::string schema_template();

}  // namespace elodyn
