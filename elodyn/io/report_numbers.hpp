// Numbers as the page takes them (viewer/src/data.ts): plain up to ten thousand, else little-endian binary in base64.
// What is not finite is null in plain numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace elodyn {

inline constexpr size_t kMostPlain = 10000;

nlohmann::ordered_json exact_numbers(const std::vector<double>& values);
// For pictures: rounded to single precision.
nlohmann::ordered_json picture_numbers(const std::vector<float>& values);
nlohmann::ordered_json index_numbers(const std::vector<std::uint32_t>& values);

std::string to_base64(std::string_view bytes);

}  // namespace elodyn
