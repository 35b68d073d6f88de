#include "elodyn/results/results.hpp"

namespace elodyn {

void Outcome::fail(const std::string& what) {
  status = "numerical failure";
  message += (message.empty() ? "" : "\n") + what;
}

void Outcome::interrupt(bool something_finished) {
  fail(something_finished ? "interrupted; what was finished is kept" : "interrupted before anything was finished");
  status = "interrupted";
}

size_t Table::n_rows() const {
  if (columns.empty()) return 0;
  return std::visit([](const auto& values) { return values.size(); }, columns.front().values);
}

const Table* Results::find_table(const std::string& name) const {
  for (const Table& table : tables)
    if (table.name == name) return &table;
  return nullptr;
}

}  // namespace elodyn
