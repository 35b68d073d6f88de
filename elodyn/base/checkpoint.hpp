// The state of long work, saved now and then so that a rerun goes on from there with the same digits.
//   StateWriter out;  out.put(step); out.put(x);  store->save("rod", out.bytes());
//   StateReader in(store->load("rod"));  in.get(step); in.get(x);
// The library knows no files: the program sets a store that keeps the bytes (io/checkpoint_dir.hpp). Without one
// nothing is saved. Bytes are those of this machine; the store sees to it that only the program that wrote them, with
// the same input, reads them.
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "elodyn/base/types.hpp"

namespace elodyn {

class CheckpointStore {
 public:
  virtual ~CheckpointStore() = default;
  virtual void save(const std::string& name, std::string_view bytes) = 0;
  virtual std::string load(const std::string& name) = 0;  // empty: there is none
};

// For the whole process; null: none. The store must live as long as it is set.
void set_checkpoint_store(CheckpointStore* store);
CheckpointStore* checkpoint_store();

class StateWriter {
 public:
  template <class T>
  requires std::is_arithmetic_v<T>
  void put(const T& value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void put(const std::string& text) { put_all(text); }
  void put(const std::vector<double>& values) { put_all(values); }
  void put(const VectorX& values) {
    put(static_cast<long>(values.size()));
    bytes_.append(reinterpret_cast<const char*>(values.data()), static_cast<size_t>(values.size()) * sizeof(double));
  }
  const std::string& bytes() const { return bytes_; }

 private:
  template <class Container>
  void put_all(const Container& values) {
    put(static_cast<long>(values.size()));
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0]));
  }
  std::string bytes_;
};

// Reads what was put, in the same order. What does not fit throws std::runtime_error.
class StateReader {
 public:
  explicit StateReader(std::string bytes) : bytes_(std::move(bytes)) {}

  template <class T>
  requires std::is_arithmetic_v<T>
  void get(T& value) { read(&value, sizeof value); }
  void get(std::string& text) {
    text.resize(get_size(1));
    read(text.data(), text.size());
  }
  void get(std::vector<double>& values) {
    values.resize(get_size(sizeof(double)));
    read(values.data(), values.size() * sizeof(double));
  }
  void get(VectorX& values) {
    values.resize(static_cast<Eigen::Index>(get_size(sizeof(double))));
    read(values.data(), static_cast<size_t>(values.size()) * sizeof(double));
  }
  bool is_empty() const { return at_ == bytes_.size(); }

 private:
  void read(void* to, size_t n);
  size_t get_size(size_t of_one);
  std::string bytes_;
  size_t at_ = 0;
};

}  // namespace elodyn
