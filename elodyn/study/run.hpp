// Model → Results: the whole data flow, one readable function for each command of the program.
//   Model → mesh → elements → formalism → affine equation → constraints → analysis → Results
// Numerical trouble is data here: Results.outcome says what failed and where; what was computed is kept.
#pragma once

#include "elodyn/model/model.hpp"
#include "elodyn/results/matrices.hpp"
#include "elodyn/results/results.hpp"

namespace elodyn {

Results run_modes(const Model& model);     // model.modes, or its defaults
Results run_static(const Model& model);    // model.static_, or its defaults
Results run_buckling(const Model& model);  // model.buckling, or its defaults
// One that the model asks for, by its name in [analysis].
Results run_analysis(const Model& model, const std::string& name);
// Every analysis that the model asks for (modes if none) but stability, which varies the model (study/stability.hpp),
// and measure, which makes files (study/measure.hpp).
// One that fails does not keep the others from being done.
Results run_all(const Model& model);

struct ConvergeOptions {
  int levels = 4;  // meshes: the file's, then each element cut in two, again and again
};
// Frequencies on refined meshes: differences and observed orders (table "converge").
Results run_converge(const Model& model, const ConvergeOptions& options);

// The affine equation of each body as named matrices and vectors, before constraints; for export.
MatrixExport calc_matrices(const Model& model);
// The same of the body of model.reduction, reduced: q = V y.
MatrixExport calc_reduced_matrices(const Model& model);

}  // namespace elodyn
