#include "elodyn/study/vibration.hpp"

#include "elodyn/base/error.hpp"
#include "elodyn/base/progress.hpp"
#include "elodyn/base/stopwatch.hpp"
#include "elodyn/study/correlate.hpp"
#include "elodyn/study/modal.hpp"
#include "elodyn/study/spectra.hpp"

namespace elodyn {

Results run_vibration(const Model& model, const std::string& name, MeasuredData& data) {
  Results results;
  results.title = model.title;
  results.outcome.status = "ok";
  const Stopwatch watch;
  try {
    if (name == "spectra")
      data = add_spectra(model, results);
    else if (name == "modal")
      data = add_modal(model, results);
    else
      add_correlate(model, results);
  } catch (const NumericalError& error) {
    results.outcome.fail(error.what());
  } catch (const Interrupted&) {
    results.outcome.interrupt(!results.is_empty());
  }
  results.timings[name] = watch.seconds();
  return results;
}

}  // namespace elodyn
