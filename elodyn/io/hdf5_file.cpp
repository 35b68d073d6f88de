#include "elodyn/io/hdf5_file.hpp"

#include <algorithm>
#include <array>
#include <hdf5.h>

#include "elodyn/base/error.hpp"

namespace elodyn {
namespace {

// A handle of the library, closed by the function of its kind.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { reset(); }
  void reset() {
    if (id_ >= 0) close_(id_);
    id_ = -1;
  }
  hid_t get() const { return id_; }
  bool is_good() const { return id_ >= 0; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

// The library prints its errors by itself; ours say more.
void be_silent() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

constexpr size_t kGrowBy = size_t{1} << 20;

Handle memory_access() {
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  ELODYN_REQUIRE(access.is_good() && H5Pset_fapl_core(access.get(), kGrowBy, 0) >= 0);
  return access;
}

// UTF-8 of any length.
Handle text_type() {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  ELODYN_REQUIRE(type.is_good() && H5Tset_size(type.get(), H5T_VARIABLE) >= 0 &&
                 H5Tset_cset(type.get(), H5T_CSET_UTF8) >= 0);
  return type;
}

std::vector<const char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<const char*> out;
  out.reserve(texts.size());
  for (const std::string& text : texts) out.push_back(text.c_str());
  return out;
}

template <class... Sizes>
Handle space_of(Sizes... sizes) {
  const std::array<hsize_t, sizeof...(Sizes)> dimensions = {static_cast<hsize_t>(sizes)...};
  return {H5Screate_simple(static_cast<int>(dimensions.size()), dimensions.data(), nullptr), H5Sclose};
}

}  // namespace

// ---- writer ----

struct Hdf5Writer::State {
  Handle file;

  static void put_dataset(const Handle& file, const std::string& path, hid_t type_in_file, hid_t type,
                          const Handle& space, const std::vector<hsize_t>& sizes, const void* values) {
    constexpr hsize_t kWorthPacking = 512, kMostInChunk = hsize_t{1} << 17;
    constexpr unsigned kLevel = 1;  // more costs time and saves little of numbers
    const Handle how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_obj_track_times(how.get(), false);
    H5Pset_attr_creation_order(how.get(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    hsize_t count = 1;
    for (const hsize_t size : sizes) count *= size;
    if (count >= kWorthPacking && H5Tget_class(type) != H5T_STRING) {
      std::vector<hsize_t> chunk = sizes;
      const hsize_t row = count / sizes.front();
      chunk.front() = std::clamp<hsize_t>(kMostInChunk / row, 1, sizes.front());
      H5Pset_chunk(how.get(), static_cast<int>(chunk.size()), chunk.data());
      H5Pset_shuffle(how.get());
      H5Pset_deflate(how.get(), kLevel);
    }
    const Handle set(
        H5Dcreate2(file.get(), path.c_str(), type_in_file, space.get(), H5P_DEFAULT, how.get(), H5P_DEFAULT), H5Dclose);
    ELODYN_REQUIRE(set.is_good());
    if (count > 0) ELODYN_REQUIRE(H5Dwrite(set.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  }

  void set_attribute(const std::string& path, const std::string& name, hid_t type_in_file, hid_t type,
                     const Handle& space, const void* value) const {
    const Handle object(H5Oopen(file.get(), path.c_str(), H5P_DEFAULT), H5Oclose);
    const Handle attribute(H5Acreate2(object.get(), name.c_str(), type_in_file, space.get(), H5P_DEFAULT, H5P_DEFAULT),
                           H5Aclose);
    ELODYN_REQUIRE(attribute.is_good() && H5Awrite(attribute.get(), type, value) >= 0);
  }
};

Hdf5Writer::Hdf5Writer() : state_(std::make_unique<State>()) {
  be_silent();
  const Handle access = memory_access();
  const Handle how(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  H5Pset_link_creation_order(how.get(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  H5Pset_attr_creation_order(how.get(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  H5Pset_obj_track_times(how.get(), false);
  state_->file = Handle(H5Fcreate("results.h5", H5F_ACC_TRUNC, how.get(), access.get()), H5Fclose);
  ELODYN_REQUIRE(state_->file.is_good());
}

Hdf5Writer::~Hdf5Writer() = default;

void Hdf5Writer::add_group(const std::string& path) {
  const Handle how(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
  H5Pset_link_creation_order(how.get(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  H5Pset_attr_creation_order(how.get(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  H5Pset_obj_track_times(how.get(), false);
  const Handle group(H5Gcreate2(state_->file.get(), path.c_str(), H5P_DEFAULT, how.get(), H5P_DEFAULT), H5Gclose);
  ELODYN_REQUIRE(group.is_good());
}

void Hdf5Writer::put(const std::string& path, const std::vector<double>& values) {
  State::put_dataset(state_->file, path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, space_of(values.size()), {values.size()},
                     values.data());
}

void Hdf5Writer::put(const std::string& path, const std::vector<std::int64_t>& values) {
  State::put_dataset(state_->file, path, H5T_STD_I64LE, H5T_NATIVE_INT64, space_of(values.size()), {values.size()},
                     values.data());
}

void Hdf5Writer::put(const std::string& path, const std::vector<std::string>& values) {
  const Handle type = text_type();
  State::put_dataset(state_->file, path, type.get(), type.get(), space_of(values.size()), {values.size()},
                     pointers_to(values).data());
}

void Hdf5Writer::put_rows(const std::string& path, const double* values, size_t rows, size_t columns) {
  State::put_dataset(state_->file, path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, space_of(rows, columns), {rows, columns},
                     values);
}

void Hdf5Writer::link(const std::string& path, const std::string& existing) {
  ELODYN_REQUIRE(H5Lcreate_hard(state_->file.get(), existing.c_str(), state_->file.get(), path.c_str(), H5P_DEFAULT,
                                H5P_DEFAULT) >= 0);
}

void Hdf5Writer::set(const std::string& path, const std::string& name, const std::string& value) {
  const Handle type = text_type(), space(H5Screate(H5S_SCALAR), H5Sclose);
  const char* text = value.c_str();
  state_->set_attribute(path, name, type.get(), type.get(), space, &text);
}

void Hdf5Writer::set(const std::string& path, const std::string& name, double value) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  state_->set_attribute(path, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, space, &value);
}

void Hdf5Writer::set(const std::string& path, const std::string& name, std::int64_t value) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  state_->set_attribute(path, name, H5T_STD_I64LE, H5T_NATIVE_INT64, space, &value);
}

std::string Hdf5Writer::finish() {
  H5Fflush(state_->file.get(), H5F_SCOPE_GLOBAL);
  const ssize_t size = H5Fget_file_image(state_->file.get(), nullptr, 0);
  ELODYN_REQUIRE(size > 0);
  std::string content(static_cast<size_t>(size), '\0');
  ELODYN_REQUIRE(H5Fget_file_image(state_->file.get(), content.data(), content.size()) == size);
  state_->file.reset();
  return content;
}

// ---- reader ----

struct Hdf5Reader::State {
  std::string name;
  std::string content;
  Handle file;

  [[noreturn]] void refuse(const std::string& what) const { throw InputError("`" + name + "`: " + what); }

  Handle open(const std::string& path) const {
    Handle set(H5Dopen2(file.get(), path.c_str(), H5P_DEFAULT), H5Dclose);
    if (!set.is_good()) refuse("has no dataset " + path);
    return set;
  }
  Handle open_attribute(const std::string& path, const std::string& name_of) const {
    Handle attribute(H5Aopen_by_name(file.get(), path.c_str(), name_of.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    if (!attribute.is_good()) refuse(path + " has no attribute `" + name_of + "`");
    return attribute;
  }
  static std::vector<hsize_t> sizes_of(const Handle& space) {
    const int rank = H5Sget_simple_extent_ndims(space.get());
    std::vector<hsize_t> sizes(static_cast<size_t>(std::max(rank, 0)));
    if (!sizes.empty()) H5Sget_simple_extent_dims(space.get(), sizes.data(), nullptr);
    return sizes;
  }
  static size_t count(const Handle& space) {
    const hssize_t n = H5Sget_simple_extent_npoints(space.get());
    return n > 0 ? static_cast<size_t>(n) : 0;
  }
  void check(const Handle& type, H5T_class_t wanted, const std::string& path) const {
    if (H5Tget_class(type.get()) == wanted && (wanted != H5T_STRING || H5Tis_variable_str(type.get()) > 0)) return;
    refuse(path + " is not of the kind that the layout asks for");
  }

  template <class T>
  std::vector<T> read(const std::string& path, hid_t type_here, H5T_class_t wanted) const {
    const Handle set = open(path), type(H5Dget_type(set.get()), H5Tclose), space(H5Dget_space(set.get()), H5Sclose);
    check(type, wanted, path);
    // A damaged header may claim any size.
    constexpr size_t kMost = size_t{1} << 32;
    if (count(space) > kMost) refuse(path + " claims to be larger than any result is");
    std::vector<T> values(count(space));
    if (!values.empty() && H5Dread(set.get(), type_here, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
      refuse(path + " cannot be read");
    return values;
  }

  static std::vector<std::string> take(std::vector<char*>& pointers, const Handle& type, const Handle& space) {
    std::vector<std::string> out;
    for (const char* text : pointers) out.emplace_back(text != nullptr ? text : "");
    H5Dvlen_reclaim(type.get(), space.get(), H5P_DEFAULT, pointers.data());
    return out;
  }

  template <class T>
  T read_attribute(const std::string& path, const std::string& of, hid_t type_here, H5T_class_t wanted) const {
    const Handle attribute = open_attribute(path, of), type(H5Aget_type(attribute.get()), H5Tclose),
                 space(H5Aget_space(attribute.get()), H5Sclose);
    check(type, wanted, path + " `" + of + "`");
    T value{};
    if (count(space) != 1 || H5Aread(attribute.get(), type_here, &value) < 0)
      refuse(path + ": `" + of + "` cannot be read");
    return value;
  }
};

Hdf5Reader::Hdf5Reader(std::string file_name, std::string content) : state_(std::make_unique<State>()) {
  be_silent();
  state_->name = std::move(file_name);
  state_->content = std::move(content);
  const Handle access = memory_access();
  // The library takes a copy.
  if (state_->content.empty() || H5Pset_file_image(access.get(), state_->content.data(), state_->content.size()) < 0)
    refuse("is no HDF5 file");
  state_->file = Handle(H5Fopen("results.h5", H5F_ACC_RDONLY, access.get()), H5Fclose);
  if (!state_->file.is_good()) refuse("is no HDF5 file, or is damaged");
  state_->content.clear();
  state_->content.shrink_to_fit();
}

Hdf5Reader::~Hdf5Reader() = default;

void Hdf5Reader::refuse(const std::string& what) const { state_->refuse(what); }

bool Hdf5Reader::has(const std::string& path) const {
  if (path == "/") return true;
  for (size_t at = path.find('/', 1);; at = path.find('/', at + 1)) {  // no part of the path may be missing
    if (H5Lexists(state_->file.get(), path.substr(0, at).c_str(), H5P_DEFAULT) <= 0) return false;
    if (at == std::string::npos) return true;
  }
}

std::vector<std::string> Hdf5Reader::names_in(const std::string& group) const {
  std::vector<std::string> names;
  if (!has(group)) refuse("has no group " + group);
  const auto add = [](hid_t, const char* name, const H5L_info_t*, void* to) -> herr_t {
    static_cast<std::vector<std::string>*>(to)->emplace_back(name);
    return 0;
  };
  hsize_t at = 0;
  if (H5Literate_by_name(state_->file.get(), group.c_str(), H5_INDEX_CRT_ORDER, H5_ITER_INC, &at, add, &names,
                         H5P_DEFAULT) < 0)
    refuse("the members of " + group + " cannot be listed");
  return names;
}

std::vector<double> Hdf5Reader::numbers(const std::string& path) const {
  return state_->read<double>(path, H5T_NATIVE_DOUBLE, H5T_FLOAT);
}

std::vector<std::int64_t> Hdf5Reader::integers(const std::string& path) const {
  return state_->read<std::int64_t>(path, H5T_NATIVE_INT64, H5T_INTEGER);
}

std::vector<std::string> Hdf5Reader::texts(const std::string& path) const {
  const Handle type = text_type();
  std::vector<char*> pointers = state_->read<char*>(path, type.get(), H5T_STRING);
  const Handle set = state_->open(path), space(H5Dget_space(set.get()), H5Sclose);
  return State::take(pointers, type, space);
}

bool Hdf5Reader::is_text(const std::string& path) const {
  const Handle set = state_->open(path), type(H5Dget_type(set.get()), H5Tclose);
  return H5Tget_class(type.get()) == H5T_STRING;
}

std::pair<size_t, size_t> Hdf5Reader::shape(const std::string& path) const {
  const Handle set = state_->open(path), space(H5Dget_space(set.get()), H5Sclose);
  const std::vector<hsize_t> sizes = State::sizes_of(space);
  if (sizes.size() == 1) return {sizes[0], 1};
  if (sizes.size() != 2) refuse(path + " is neither a list nor a table");
  return {sizes[0], sizes[1]};
}

bool Hdf5Reader::has(const std::string& path, const std::string& attribute) const {
  return H5Aexists_by_name(state_->file.get(), path.c_str(), attribute.c_str(), H5P_DEFAULT) > 0;
}

std::string Hdf5Reader::text(const std::string& path, const std::string& attribute) const {
  const Handle type = text_type();
  char* pointer = state_->read_attribute<char*>(path, attribute, type.get(), H5T_STRING);
  const std::string out = pointer != nullptr ? pointer : "";
  H5free_memory(pointer);
  return out;
}

double Hdf5Reader::number(const std::string& path, const std::string& attribute) const {
  return state_->read_attribute<double>(path, attribute, H5T_NATIVE_DOUBLE, H5T_FLOAT);
}

std::int64_t Hdf5Reader::integer(const std::string& path, const std::string& attribute) const {
  return state_->read_attribute<std::int64_t>(path, attribute, H5T_NATIVE_INT64, H5T_INTEGER);
}

std::vector<std::string> Hdf5Reader::attributes_of(const std::string& path) const {
  std::vector<std::string> names;
  const auto add = [](hid_t, const char* name, const H5A_info_t*, void* to) -> herr_t {
    static_cast<std::vector<std::string>*>(to)->emplace_back(name);
    return 0;
  };
  hsize_t at = 0;
  if (H5Aiterate_by_name(state_->file.get(), path.c_str(), H5_INDEX_CRT_ORDER, H5_ITER_INC, &at, add, &names,
                         H5P_DEFAULT) < 0)
    refuse("the attributes of " + path + " cannot be listed");
  return names;
}

}  // namespace elodyn
