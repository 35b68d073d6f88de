// The declared keys of [analysis.spectra], [analysis.modal], [analysis.correlate] and of what [analysis.measure]
// records with sensors; and the files that they name.
#pragma once

#include "elodyn/io/schema.hpp"
#include "elodyn/io/text_file.hpp"
#include "elodyn/model/correlate.hpp"
#include "elodyn/model/measure.hpp"
#include "elodyn/model/modal.hpp"
#include "elodyn/model/spectra.hpp"

namespace elodyn {

TableOf<SpectraRequest> spectra_schema();
TableOf<ModalRequest> modal_schema();
TableOf<CorrelateRequest> correlate_schema();
TableOf<RecordsRequest> records_schema();

// Reads the files of those that will be done: all, or what `wanted` names. They are looked for beside the model file.
void read_vibration_files(const std::string& model_file, const FileReader& read_file,
                          const std::vector<std::string>& wanted, Model& model, Diagnostics& diagnostics);

}  // namespace elodyn
