// All that a run gives as one HDF5 file, results.h5, and back to the last bit. docs/reference/results-hdf5.md has the
// layout. A later version of it may add groups, datasets and attributes; one that changes what is there has another
// number, and a reader refuses numbers that it does not know.
// Limit: texts end at a NUL.
#pragma once

#include <memory>
#include <string>

#include "elodyn/io/writer.hpp"
#include "elodyn/results/results.hpp"

namespace elodyn {

inline constexpr int kResultsLayout = 1;

std::string to_hdf5(const Results& results);
// Throws InputError, with the name of the file, for what is not such a file.
Results from_hdf5(const std::string& file_name, std::string content);

std::unique_ptr<const Writer> make_hdf5_writer();

}  // namespace elodyn
