#include "elodyn/io/settings.hpp"

#include <charconv>

namespace elodyn {
namespace {

constexpr size_t kDeepestPath = 16;

struct Part {
  std::string name;
  Mark mark;
};

class Setting {
 public:
  Setting(const std::string& text, Diagnostics& diagnostics)
      : text_(text), diagnostics_(diagnostics), source_(diagnostics.add_source("--set", text)) {}

  void apply(Value& root) {
    if (find_invalid_utf8(text_) != text_.npos || text_.find_first_of("\r\n") != text_.npos)
      return fail(mark(0, 1), "must be one line of UTF-8 text");
    if (!read_path()) return;
    Value value = read_value();
    Value* table = &root;
    for (size_t i = 0; i + 1 < path_.size() && table; ++i) table = step(*table, path_[i]);
    if (!table) return;
    if (Value* old = step(*table, path_.back())) *old = std::move(value);
  }

 private:
  // `a."b c".d=`: leaves at_ behind the sign.
  bool read_path() {
    for (;;) {
      const size_t start = at_;
      std::string name;
      if (at_ < text_.size() && text_[at_] == '"') {
        const size_t close = text_.find('"', at_ + 1);
        if (close == text_.npos) return fail(mark(at_, 1), "a quote is not closed"), false;
        name = text_.substr(at_ + 1, close - at_ - 1);
        at_ = close + 1;
      } else {
        at_ = std::min(text_.find_first_of(".=\"", at_), text_.size());
        name = text_.substr(start, at_ - start);
        while (!name.empty() && name.back() == ' ') name.pop_back();
        while (!name.empty() && name.front() == ' ') name.erase(0, 1);
      }
      if (name.empty() || at_ == text_.size() || (text_[at_] != '.' && text_[at_] != '='))
        return fail(mark(start, at_ - start), "must be KEY=VALUE", "for example body.rod.line.elements=40"), false;
      path_.push_back({name, mark(start, at_ - start)});
      if (path_.size() > kDeepestPath) return fail(mark(start, at_ - start), "the key has too many parts"), false;
      if (text_[at_++] == '=') return true;
    }
  }

  Value read_value() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    const std::string_view rest = std::string_view(text_).substr(at_);
    const Mark place = mark(at_, rest.size());
    if (std::optional<Value> value = parse_toml_value(rest, source_, place.column)) return *value;
    if (rest.empty() || rest.find_first_of("\"'[]{}=#,") != rest.npos) {
      fail(place, "the value is not TOML", "for example 40, true, \"10 mm\" or [0, 0, 1]");
      Value none = Value::of(std::string(rest));
      none.mark = place;
      return none;
    }
    Value word = Value::of(std::string(rest));
    word.mark = place;
    return word;
  }

  // The value of a key, made if it is not there; nothing after a mistake.
  Value* step(Value& parent, const Part& part) {
    if (parent.is(Value::Type::array)) {
      size_t index = 0;
      const char* const end = part.name.data() + part.name.size();
      const auto [rest, failure] = std::from_chars(part.name.data(), end, index);
      if (failure != std::errc{} || rest != end || index > parent.items.size())
        return fail(part.mark,
                    "`" + part.name + "`, must be a number from 0 to " + std::to_string(parent.items.size())),
               nullptr;
      if (index == parent.items.size()) parent.items.emplace_back().mark = part.mark;
      return &parent.items[index];
    }
    if (!parent.is(Value::Type::table))
      return fail(part.mark, "`" + part.name + "` is a key of " + short_text(parent) + ", which is not a table"),
             nullptr;
    if (Entry* entry = parent.find(part.name)) return &entry->value;
    Entry& entry = parent.entries.emplace_back();
    entry.key = part.name;
    entry.mark = part.mark;
    entry.value.mark = part.mark;
    return &entry.value;
  }

  Mark mark(size_t offset, size_t length) const {
    int column = 1;
    for (size_t i = 0; i < offset; ++i)
      if ((static_cast<unsigned char>(text_[i]) & 0xC0) != 0x80) ++column;
    return {source_, 1, column, static_cast<int>(std::max<size_t>(1, length))};
  }
  void fail(const Mark& place, std::string text, std::string help = {}) {
    diagnostics_.error(place, std::move(text), std::move(help));
  }

  const std::string& text_;
  Diagnostics& diagnostics_;
  int source_;
  size_t at_ = 0;
  std::vector<Part> path_;
};

}  // namespace

void apply_settings(const std::vector<std::string>& settings, Value& root, Diagnostics& diagnostics) {
  for (const std::string& setting : settings) Setting(setting, diagnostics).apply(root);
}

}  // namespace elodyn
