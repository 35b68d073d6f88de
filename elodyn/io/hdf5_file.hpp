// HDF5 files in memory: groups, attributes and datasets of numbers and texts. libhdf5 stays behind hdf5_file.cpp.
// Numbers are IEEE 64-bit or 64-bit whole ones, little-endian; texts are UTF-8 of any length. Equal content gives equal
// bytes: no times are kept, and links stand in the order in which they were made.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace elodyn {

class Hdf5Writer {
 public:
  Hdf5Writer();
  ~Hdf5Writer();
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;

  // Paths begin with "/"; groups above a path must be there.
  void add_group(const std::string& path);
  void put(const std::string& path, const std::vector<double>& values);
  void put(const std::string& path, const std::vector<std::int64_t>& values);
  void put(const std::string& path, const std::vector<std::string>& values);
  // Rows of `columns` numbers.
  void put_rows(const std::string& path, const double* values, size_t rows, size_t columns);
  // Another name of what is there already.
  void link(const std::string& path, const std::string& existing);
  // Attributes of a group or dataset.
  void set(const std::string& path, const std::string& name, const std::string& value);
  void set(const std::string& path, const std::string& name, double value);
  void set(const std::string& path, const std::string& name, std::int64_t value);

  // The file. Nothing can be added afterwards.
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// What is missing or of another kind is an InputError with the name of the file.
class Hdf5Reader {
 public:
  Hdf5Reader(std::string file_name, std::string content);
  ~Hdf5Reader();
  Hdf5Reader(const Hdf5Reader&) = delete;
  Hdf5Reader& operator=(const Hdf5Reader&) = delete;

  bool has(const std::string& path) const;
  std::vector<std::string> names_in(const std::string& group) const;  // in the order of making
  std::vector<double> numbers(const std::string& path) const;         // of all rows
  std::vector<std::int64_t> integers(const std::string& path) const;
  std::vector<std::string> texts(const std::string& path) const;
  bool is_text(const std::string& path) const;
  std::pair<size_t, size_t> shape(const std::string& path) const;  // rows, columns; of a list: its length, 1

  bool has(const std::string& path, const std::string& attribute) const;
  std::string text(const std::string& path, const std::string& attribute) const;
  double number(const std::string& path, const std::string& attribute) const;
  std::int64_t integer(const std::string& path, const std::string& attribute) const;
  std::vector<std::string> attributes_of(const std::string& path) const;  // in the order of making

  [[noreturn]] void refuse(const std::string& what) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace elodyn
