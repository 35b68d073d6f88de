#include "elodyn/study/modal.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "elodyn/base/error.hpp"
#include "elodyn/experiment/modal_fit.hpp"
#include "elodyn/experiment/mode_pairs.hpp"
#include "elodyn/model/modal.hpp"
#include "elodyn/model/spectra.hpp"
#include "elodyn/results/measurand.hpp"
#include "elodyn/study/spectra.hpp"
#include "elodyn/study/table_name.hpp"

namespace elodyn {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

struct Fitted {
  MeasuredData data;  // FRFs, places, modes
  ModalFit fit;
};

Fitted fit(const Model& model, Results& results) {
  ELODYN_REQUIRE(model.modal != nullptr);
  const ModalRequest& request = *model.modal;
  Fitted out;
  if (request.data) {
    out.data = *request.data;
    if (out.data.frfs.empty()) throw NumericalError("the file `" + request.file + "` has no FRFs to find modes in");
  } else {
    out.data = calc_measured_frfs(model, results);
    if (out.data.frfs.empty()) throw NumericalError("the records give no FRFs to find modes in; see `elodyn spectra`");
  }
  ModalOptions options;
  options.method = static_cast<ModalOptions::Method>(static_cast<int>(request.method));
  options.from = kTurn * request.from;
  options.to = request.to ? kTurn * *request.to : 0;
  options.order = request.order;
  options.count = request.count;
  options.most_damping = request.most_damping;
  options.floor = request.floor;
  out.fit = fit_modes(out.data.frfs, options);
  out.data.modes = make_measured_modes(out.data.frfs, out.fit);
  out.data.signals.clear();
  return out;
}
static_assert(static_cast<int>(ModalRequest::Method::peak) == static_cast<int>(ModalOptions::Method::peak) &&
              static_cast<int>(ModalRequest::Method::circle) == static_cast<int>(ModalOptions::Method::circle));

// How real a shape is: 1 of one that swings in one phase: the MAC of it with its conjugate.
double calc_phase_collinearity(const Eigen::VectorXcd& shape) { return calc_mac(shape, shape.conjugate())(0, 0); }

}  // namespace

MeasuredData calc_measured_modes(const Model& model, Results& results) { return fit(model, results).data; }

MeasuredData add_modal(const Model& model, Results& results) {
  const Fitted fitted = fit(model, results);
  const ModalFit& f = fitted.fit;
  const std::vector<MeasuredMode>& modes = fitted.data.modes;
  std::vector<double> number, omega, damping, added, held, collinearity;
  const double decay = fitted.data.frfs.front().added_decay;
  for (size_t r = 0; r < modes.size(); ++r) {
    number.push_back(static_cast<double>(r + 1));
    omega.push_back(modes[r].omega);
    damping.push_back(modes[r].damping);
    added.push_back(decay / modes[r].omega);
    held.push_back(f.found_at[r]);
    collinearity.push_back(calc_phase_collinearity(modes[r].shape));
    if (modes[r].damping <= 0)
      results.warnings.push_back(
          fmt::format("mode {} at {:.6g} Hz has no damping left after that of the exponential window is taken off",
                      r + 1, modes[r].omega / kTurn));
  }
  Table table{"measured_modes",
              "Measured modes",
              {{"mode", "", number}, {"frequency", "Hz", {}}, {"damping", "of critical", damping}}};
  std::vector<double> hz;
  for (const double w : omega) hz.push_back(w / kTurn);
  table.columns[1].values = hz;
  if (decay > 0) table.columns.push_back({"taken_off", "of critical", added});
  if (!f.stability.empty()) table.columns.push_back({"stable_in_orders", "share", held});
  table.columns.push_back({"phase_collinearity", "", collinearity});
  results.tables.push_back(std::move(table));

  Table shapes{"measured_shapes", "Shapes of the measured modes, largest component 1", {}};
  std::vector<std::string> dofs;
  if (!modes.empty())
    for (const MeasuredDof& dof : modes.front().dofs) dofs.push_back(dof.name());
  shapes.columns.push_back({"dof", "", dofs});
  for (size_t r = 0; r < modes.size(); ++r) {
    const VectorX re = modes[r].shape.real(), im = modes[r].shape.imag();
    shapes.columns.push_back(
        {fmt::format("mode_{}_re", r + 1), "", std::vector<double>(re.data(), re.data() + re.size())});
    shapes.columns.push_back(
        {fmt::format("mode_{}_im", r + 1), "", std::vector<double>(im.data(), im.data() + im.size())});
  }
  shapes.is_history = true;
  results.tables.push_back(std::move(shapes));

  std::vector<std::string> names;
  std::vector<double> hertz;
  for (const double w : f.frequencies) hertz.push_back(w / kTurn);
  for (size_t o = 0; o < fitted.data.frfs.size(); ++o) {
    const FrfRecord& frf = fitted.data.frfs[o];
    const auto column = static_cast<Eigen::Index>(o);
    names.push_back(frf.name.empty() ? frf.response.name() + " / " + frf.reference.name() : frf.name);
    const VectorX measured = f.measured.col(column).cwiseAbs(), synthesised = f.synthesised.col(column).cwiseAbs(),
                  difference = (f.measured.col(column) - f.synthesised.col(column)).cwiseAbs();
    const auto list = [](const VectorX& x) { return std::vector<double>(x.data(), x.data() + x.size()); };
    // in the quantity of the first one, as they were fitted
    const FrfRecord& first = fitted.data.frfs.front();
    const std::string unit = unit_of(first.response_quantity, frf.response.direction) + "/(" +
                             unit_of(frf.reference_quantity, frf.reference.direction) + ")";
    Table history{table_name("synthesis", names.back()),
                  "Measured and synthesised FRF " + names.back(),
                  {{"frequency", "Hz", hertz},
                   {"measured", unit, list(measured)},
                   {"synthesised", unit, list(synthesised)},
                   {"difference", unit, list(difference)}}};
    history.is_history = true;
    results.tables.push_back(std::move(history));
  }
  results.tables.push_back({"synthesis",
                            "Synthesised FRFs against the measured ones: norm of the difference, relative",
                            {{"frf", "", names}, {"error", "relative", f.error}}});
  if (!f.stability.empty()) {
    std::vector<double> order, frequency, ratio, state;
    for (const StabilityPoint& point : f.stability) {
      order.push_back(point.order);
      frequency.push_back(point.omega / kTurn);
      ratio.push_back(point.damping);
      state.push_back(point.is_stable ? 2 : point.is_stable_frequency ? 1 : 0);
    }
    Table stability{"stabilisation",
                    "Poles by the order: 2 stable, 1 stable in frequency, 0 not",
                    {{"order", "", order},
                     {"frequency", "Hz", frequency},
                     {"damping", "of critical", ratio},
                     {"state", "", state}}};
    stability.is_history = true;
    results.tables.push_back(std::move(stability));
  }
  return fitted.data;
}

}  // namespace elodyn
