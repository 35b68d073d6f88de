// The declared keys of [analysis.measure] and [analysis.identify] (model/measure.hpp, model/identify.hpp).
#pragma once

#include "elodyn/io/schema.hpp"
#include "elodyn/model/identify.hpp"
#include "elodyn/model/measure.hpp"

namespace elodyn {

TableOf<MeasureRequest> measure_schema();
TableOf<IdentifyRequest> identify_schema();

}  // namespace elodyn
