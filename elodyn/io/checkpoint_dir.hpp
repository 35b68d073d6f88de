// Saved states of a run as files NAME.checkpoint in its output directory, each whole or not at all.
//   "elodyn checkpoint 1\n", fingerprint, SHA-256 of the state (hexadecimal, a line each), then its bytes
// The fingerprint is that of the effective input and of the program: a state of another model, of changed keys or of
// another version is not used, and neither is a damaged file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "elodyn/base/checkpoint.hpp"

namespace elodyn {

class CheckpointDir final : public CheckpointStore {
 public:
  // `input`: all that the result depends on, as text.
  CheckpointDir(std::filesystem::path dir, const std::string& input);

  void save(const std::string& name, std::string_view bytes) override;
  std::string load(const std::string& name) override;
  // The files of this run that are there.
  void remove_all();
  // What was found: "goes on from …", "… is of another model and is not used".
  const std::vector<std::string>& messages() const { return messages_; }

 private:
  std::filesystem::path file(const std::string& name) const;
  std::filesystem::path dir_;
  std::string fingerprint_;
  std::vector<std::string> messages_;
  std::vector<std::filesystem::path> files_;  // that were read or written
};

}  // namespace elodyn
