#include "elodyn/base/checkpoint.hpp"

#include <stdexcept>

namespace elodyn {
namespace {

CheckpointStore*& the_store() {
  static CheckpointStore* store = nullptr;
  return store;
}

}  // namespace

void set_checkpoint_store(CheckpointStore* store) { the_store() = store; }
CheckpointStore* checkpoint_store() { return the_store(); }

void StateReader::read(void* to, size_t n) {
  if (n > bytes_.size() - at_) throw std::runtime_error("a saved state is too short");
  if (n > 0) std::memcpy(to, bytes_.data() + at_, n);
  at_ += n;
}

size_t StateReader::get_size(size_t of_one) {
  long size = 0;
  get(size);
  if (size < 0 || static_cast<size_t>(size) > (bytes_.size() - at_) / of_one)
    throw std::runtime_error("a saved state is too short");
  return static_cast<size_t>(size);
}

}  // namespace elodyn
