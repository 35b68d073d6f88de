#include "elodyn/io/settings.hpp"

#include <charconv>

namespace elodyn {
namespace {

constexpr size_t kDeepestPath = 16;

struct Part {
  std::string name;
  Mark mark;
  bool in_brackets = false;
};

class Setting {
 public:
  Setting(const std::string& text, Diagnostics& diagnostics)
      : text_(text), diagnostics_(diagnostics), source_(diagnostics.add_source("--set", text)) {}
  // All marks are `place`, in another text; `text` ends with the sign.
  Setting(const std::string& text, const Mark& place, Diagnostics& diagnostics)
      : text_(text), diagnostics_(diagnostics), source_(place.source), place_(place) {}

  void put(Value& root, const Value& value) {
    if (!read_path()) return;
    Value* target = &root;
    for (size_t i = 0; i < path_.size() && target; ++i) target = step(*target, i);
    if (target) *target = value;
  }
  const Value* find(const Value& root) {
    if (!read_path()) return nullptr;
    const Value* found = &root;
    for (const Part& part : path_) {
      const Value* inner = nullptr;
      size_t index = 0;
      if (const Entry* entry = found->find(part.name)) inner = &entry->value;
      if (found->is(Value::Type::array) && read_index(part.name, index) && index < found->items.size())
        inner = &found->items[index];
      if (!inner) return nullptr;
      found = inner;
    }
    return found;
  }

  std::vector<std::string> names() {
    std::vector<std::string> all;
    if (read_path())
      for (const Part& part : path_) all.push_back(part.name);
    return all;
  }

  void apply(Value& root) {
    if (find_invalid_utf8(text_) != text_.npos || text_.find_first_of("\r\n") != text_.npos)
      return fail(mark(0, 1), "must be one line of UTF-8 text");
    if (!read_path()) return;
    Value value = read_value();
    Value* table = &root;
    for (size_t i = 0; i + 1 < path_.size() && table; ++i) table = step(*table, i);
    if (!table) return;
    if (Value* old = step(*table, path_.size() - 1)) *old = std::move(value);
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
        at_ = std::min(text_.find_first_of(".=\"[", at_), text_.size());
        name = text_.substr(start, at_ - start);
        while (!name.empty() && name.back() == ' ') name.pop_back();
        while (!name.empty() && name.front() == ' ') name.erase(0, 1);
      }
      if (name.empty() || at_ == text_.size() || (text_[at_] != '.' && text_[at_] != '=' && text_[at_] != '['))
        return fail(mark(start, at_ - start), "must be KEY=VALUE", "for example body.rod.line.elements=40"), false;
      path_.push_back({name, mark(start, at_ - start)});
      if (!read_brackets()) return false;
      if (path_.size() > kDeepestPath) return fail(mark(start, at_ - start), "the key has too many parts"), false;
      if (text_[at_++] == '=') return true;
    }
  }

  // `[0]` after a name, any number of times; '.' or '=' follows.
  bool read_brackets() {
    while (at_ < text_.size() && text_[at_] == '[') {
      const size_t start = at_++, close = text_.find(']', at_);
      const std::string number = close == text_.npos ? "" : text_.substr(at_, close - at_);
      size_t index = 0;
      at_ = close == text_.npos ? text_.size() : close + 1;
      const bool goes_on = at_ < text_.size() && (text_[at_] == '.' || text_[at_] == '=' || text_[at_] == '[');
      if (!read_index(number, index) || !goes_on)
        return fail(mark(start, at_ - start), "must be a number in brackets, then . or =", "for example to[0]=0.5"),
               false;
      path_.push_back({number, mark(start, at_ - start), true});
    }
    return true;
  }

  static bool read_index(const std::string& text, size_t& index) {
    const char* const end = text.data() + text.size();
    const auto [rest, failure] = std::from_chars(text.data(), end, index);
    return failure == std::errc{} && rest == end;
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

  // The value of the i-th part of the key, made if it is not there; nothing after a mistake.
  Value* step(Value& parent, size_t i) {
    const Part& part = path_[i];
    if (parent.is(Value::Type::array)) {
      size_t index = 0;
      if (!read_index(part.name, index) || index > parent.items.size())
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
    if (i + 1 < path_.size() && path_[i + 1].in_brackets)
      return fail(path_[i + 1].mark, "there is no list that entry " + path_[i + 1].name + " belongs to",
                  "write the whole list in the file first, for example axis = [0, 0, 1]"),
             nullptr;
    Entry& entry = parent.entries.emplace_back();
    entry.key = part.name;
    entry.mark = part.mark;
    entry.value.mark = part.mark;
    return &entry.value;
  }

  Mark mark(size_t offset, size_t length) const {
    if (place_) return *place_;
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
  std::optional<Mark> place_;
  size_t at_ = 0;
  std::vector<Part> path_;
};

}  // namespace

void apply_settings(const std::vector<std::string>& settings, Value& root, Diagnostics& diagnostics) {
  for (const std::string& setting : settings) Setting(setting, diagnostics).apply(root);
}

void put_value(const Located<std::string>& key, const Value& value, Value& root, Diagnostics& diagnostics) {
  const std::string text = key.value + "=";
  Setting(text, key.mark, diagnostics).put(root, value);
}

const Value* find_value(const std::string& key, const Value& root) {
  Diagnostics ignored;
  const std::string text = key + "=";
  return Setting(text, Mark{}, ignored).find(root);
}

std::vector<std::string> split_key(const std::string& key) {
  Diagnostics ignored;
  const std::string text = key + "=";
  return Setting(text, Mark{}, ignored).names();
}

}  // namespace elodyn
