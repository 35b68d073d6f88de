// The keys of a model file. model_schema.cpp is the only source that knows their names.
#pragma once

#include "elodyn/io/schema.hpp"
#include "elodyn/model/model.hpp"

namespace elodyn {

inline constexpr int kSchemaVersion = 1;

const TableOf<Model>& model_schema();

}  // namespace elodyn
