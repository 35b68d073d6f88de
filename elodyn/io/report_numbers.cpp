#include "elodyn/io/report_numbers.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include <nlohmann/json.hpp>

namespace elodyn {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json binary(const char* kind, const std::vector<T>& values) {
  static_assert(std::endian::native == std::endian::little, "the page reads little-endian numbers");
  return {{kind, to_base64({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)})}};
}

// The double that the shortest text of a float means: it is printed as briefly.
double shortened(float value) {
  std::array<char, 32> text{};
  const auto [end, problem] = std::to_chars(text.data(), text.data() + text.size(), value);
  double out = static_cast<double>(value);
  if (problem == std::errc{}) std::from_chars(text.data(), end, out);
  return out;
}

}  // namespace

std::string to_base64(std::string_view bytes) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t n = std::min<size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k) group = group << 8 | (k < n ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (size_t k = 0; k < 4; ++k) out += k <= n ? kLetters[group >> (18 - 6 * k) & 63U] : '=';
  }
  return out;
}

Json exact_numbers(const std::vector<double>& values) {
  return values.size() > kMostPlain ? binary("f64", values) : Json(values);
}

Json picture_numbers(const std::vector<float>& values) {
  if (values.size() > kMostPlain) return binary("f32", values);
  Json out = Json::array();
  for (const float value : values) out.push_back(std::isfinite(value) ? Json(shortened(value)) : Json());
  return out;
}

Json index_numbers(const std::vector<std::uint32_t>& values) {
  return values.size() > kMostPlain ? binary("u32", values) : Json(values);
}

}  // namespace elodyn
