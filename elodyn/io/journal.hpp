// A journal in a file: a line for each finished part, written at once.
//   elodyn journal 1 FINGERPRINT
//   PART VALUE VALUE … CHECKSUM         values as hexadecimal doubles, so that they read back bit by bit
// A file of another fingerprint (another input or another version) is begun anew. Lines that are cut or changed, as the
// last one of a killed run may be, are not used.
#pragma once

#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>

#include "elodyn/base/journal.hpp"

namespace elodyn {

class FileJournal final : public Journal {
 public:
  FileJournal(std::filesystem::path file, const std::string& fingerprint);

  std::optional<std::vector<double>> find(const std::string& part) const override;
  void add(const std::string& part, const std::vector<double>& values) override;

  size_t n_found() const { return found_.size(); }  // parts that an earlier run left
  void remove();                                    // when all is done

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  bool read(const std::string& header);

  std::filesystem::path path_;
  std::map<std::string, std::vector<double>> found_;
  std::unique_ptr<std::FILE, Close> file_;
  std::mutex mutex_;
};

}  // namespace elodyn
