#include "elodyn/io/vibration_schema.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include "elodyn/io/measured_file.hpp"

namespace elodyn {
namespace {

constexpr const char* kFileText =
    "universal file (.uff, .unv), or histories as a table (.csv, .tsv, .txt), beside the model file";

TableOf<ShaftRecord> shaft_schema() {
  TableOf<ShaftRecord> t;
  t.name("record", &ShaftRecord::record, "record")
      .required()
      .sample("\"tacho\"")
      .text("of the file, by its name: a speed or an angle if it has such a unit, else pulses of a tachometer");
  t.quantity("pulses", &ShaftRecord::pulses, kPlainNumber).above(0).text("of a tachometer, in a turn");
  t.quantity("level", &ShaftRecord::level, kPlainNumber)
      .sample("2.5")
      .text("through which a pulse rises, SI; left out: halfway between the least and the largest value");
  return t;
}

TableOf<WaterfallRequest> waterfall_schema() {
  using Over = WaterfallRequest::Over;
  TableOf<WaterfallRequest> t;
  t.choice("over", &WaterfallRequest::over, {{"time", Over::time}, {"speed", Over::speed}})
      .text("which spectra stand apart; over the speed needs `shaft`");
  t.quantity("time_step", &WaterfallRequest::time_step, kTime)
      .above(0)
      .only_with("over", {"time"})
      .sample("\"1 s\"")
      .text("within which spectra are averaged; left out: a fiftieth of the record");
  t.quantity("speed_step", &WaterfallRequest::speed_step, kAngularSpeed)
      .above(0)
      .only_with("over", {"speed"})
      .sample("\"50 rpm\"")
      .text("within which spectra are averaged; left out: a fiftieth of the range");
  return t;
}

TableOf<OrderRequest> order_schema() {
  TableOf<OrderRequest> t;
  t.integer("per_turn", &OrderRequest::per_turn)
      .at_least(4)
      .at_most(65536)
      .text("values in a turn; half of it is the highest order");
  t.integer("turns", &OrderRequest::turns).at_least(1).at_most(10000).text("of a block; orders are 1/turns apart");
  t.quantity("highest", &OrderRequest::highest, kPlainNumber)
      .at_least(0)
      .sample("10")
      .text("order that is given; 0: all");
  t.quantity("speed_step", &OrderRequest::speed_step, kAngularSpeed)
      .above(0)
      .sample("\"50 rpm\"")
      .text("within which blocks are averaged; left out: each for itself");
  return t;
}

TableOf<TransferRequest> transfer_schema() {
  using Kind = TransferRequest::Kind;
  using Estimate = TransferRequest::Estimate;
  TableOf<TransferRequest> t;
  t.choice("kind", &TransferRequest::kind, {{"hammer", Kind::hammer}, {"continuous", Kind::continuous}})
      .text("of excitation: blows of a hammer, or a shaker's that goes on, by blocks of `block` values");
  t.choice("estimate", &TransferRequest::estimate, {{"h1", Estimate::h1}, {"h2", Estimate::h2}})
      .text("h1: noise of the response averages out; h2: noise of the force does");
  const auto hammer = [](Key& key) -> Key& { return key.only_with("kind", {"hammer"}); };
  hammer(t.quantity("trigger", &TransferRequest::trigger, kPlainNumber))
      .above(0)
      .below(1)
      .text("share of the record's largest force at which a blow begins");
  hammer(t.quantity("second_blow", &TransferRequest::second_blow, kPlainNumber))
      .above(0)
      .below(1)
      .text("share of a blow's largest force at which a later peak in its block is a second hit");
  hammer(t.quantity("before", &TransferRequest::before, kTime))
      .at_least(0)
      .sample("\"10 ms\"")
      .text("of a block before the trigger");
  hammer(t.quantity("length", &TransferRequest::length, kTime))
      .at_least(0)
      .sample("\"1 s\"")
      .text("of a block; 0: what is left after the last blow");
  hammer(t.quantity("force_window", &TransferRequest::force_window, kTime))
      .at_least(0)
      .sample("\"5 ms\"")
      .text("after the trigger; beyond it the force is set to 0; 0: it is not");
  hammer(t.quantity("decay", &TransferRequest::decay, kRate))
      .at_least(0)
      .sample("\"5 1/s\"")
      .text("of an exponential window on force and response; the damping that it adds is taken off the modes again");
  hammer(t.quantity("force_range", &TransferRequest::force_range, kForce))
      .at_least(0)
      .sample("\"500 N\"")
      .text("at which the force overloads; 0: several equal largest values in a row tell");
  hammer(t.quantity("response_range", &TransferRequest::response_range, kPlainNumber))
      .at_least(0)
      .text("at which responses overload, SI; 0: as for the force");
  hammer(t.boolean("keep_flagged", &TransferRequest::keep_flagged))
      .text("average blows with double hits or overloads, too");
  return t;
}

TableOf<PointMap> point_map_schema() {
  TableOf<PointMap> t;
  t.text("measured", &PointMap::measured).required().sample("\"5\"").text("name or number of the measured point");
  t.name("at", &PointMap::at, "point").required().sample("\"tip\"").text("point of the body");
  return t;
}

constexpr int kX = 1, kY = 2, kZ = 3;
const std::vector<std::pair<std::string, int>> kDirections = {{"+x", kX},  {"+y", kY},  {"+z", kZ},
                                                              {"-x", -kX}, {"-y", -kY}, {"-z", -kZ}};

TableOf<Accelerometer> accelerometer_schema() {
  TableOf<Accelerometer> t;
  t.name("at", &Accelerometer::at, "point BODY.POINT").required().sample("\"beam.tip\"").text("where it is fixed");
  t.choice("direction", &Accelerometer::direction, kDirections).text("body axis along which it measures");
  t.quantity("mass", &Accelerometer::mass, kMass)
      .at_least(0)
      .sample("\"5 g\"")
      .text("of the sensor, which loads the body");
  t.quantity("range", &Accelerometer::range, kAcceleration)
      .at_least(0)
      .sample("\"500 m/s^2\"")
      .text("beyond which its record is cut; 0: it has no end");
  t.quantity("noise", &Accelerometer::noise, kAcceleration)
      .at_least(0)
      .sample("\"0.01 m/s^2\"")
      .text("standard deviation of each value");
  t.quantity("gain", &Accelerometer::gain, kPlainNumber).above(0).text("its sensitivity over that of its data sheet");
  return t;
}

TableOf<HammerRequest> hammer_schema() {
  TableOf<HammerRequest> t;
  t.names(
       "at", "point BODY.POINT",
       [](HammerRequest& hammer, const Located<std::string>& point) { hammer.at.push_back(point); },
       [](const HammerRequest& hammer) {
         std::vector<std::string> names;
         for (const auto& point : hammer.at) names.push_back(point.value);
         return names;
       })
      .required()
      .sample("[\"beam.tip\"]")
      .text("where it strikes; at several points one record after the other");
  t.choice("direction", &HammerRequest::direction, kDirections).text("body axis along which it strikes");
  t.quantity("force", &HammerRequest::force, kForce).above(0).required().sample("\"100 N\"").text("largest of a blow");
  t.quantity("width", &HammerRequest::width, kTime)
      .above(0)
      .required()
      .sample("\"1 ms\"")
      .text("of the pulse, which is one wave of a cosine; a hard tip makes it short");
  t.quantity("first", &HammerRequest::first, kTime)
      .at_least(0)
      .sample("\"0.1 s\"")
      .text("blow, after the record begins");
  t.quantity("interval", &HammerRequest::interval, kTime)
      .above(0)
      .sample("\"2 s\"")
      .text("from blow to blow, as long as the record goes; left out: one blow");
  t.quantity("scatter", &HammerRequest::scatter, kPlainNumber)
      .at_least(0)
      .at_most(0.5)
      .text("standard deviation of the force from blow to blow, as a share");
  t.quantity("double_hits", &HammerRequest::double_hits, kPlainNumber)
      .at_least(0)
      .at_most(1)
      .text("share of the blows that are followed by a bounce with a third of the force");
  t.quantity("bounce_delay", &HammerRequest::bounce_delay, kTime).above(0).text("of the bounce");
  t.quantity("range", &HammerRequest::range, kForce)
      .at_least(0)
      .sample("\"500 N\"")
      .text("beyond which the record of the force is cut; 0: it has no end");
  t.quantity("noise", &HammerRequest::noise, kForce)
      .at_least(0)
      .sample("\"0.05 N\"")
      .text("standard deviation of each value of the record");
  return t;
}

// The files of measurements, each read once.
class FilesReader {
 public:
  FilesReader(const std::string& model_file, const FileReader& read_file, Diagnostics& diagnostics)
      : dir_(std::filesystem::path(model_file).parent_path()), read_file_(read_file), diagnostics_(diagnostics) {}

  template <class Request>
  void read(Request& request) {
    if (!request.marks.is_given("file") || request.marks.is_bad("file")) return;
    const Mark mark = request.marks.of("file", {});
    request.data = find(request.file, mark);
    if (!request.data) request.marks.set("file", mark, false);
  }

 private:
  std::shared_ptr<const MeasuredData> find(const std::string& name, const Mark& mark) {
    const std::string stated = "file = " + short_text(Value::of(name));
    if (name.empty() || name.find('\0') != std::string::npos || !describe_wrong_name(name).empty()) {
      diagnostics_.error(mark, stated + ", must be the name of a file of measurements",
                         "it ends in .uff, .unv, .csv, .tsv or .txt");
      return nullptr;
    }
    const std::string path = (dir_ / name).string();
    if (const auto known = files_.find(path); known != files_.end()) return known->second;
    const FileText file = read_file_(path, kLargestMeasurement);
    if (!file.failure.empty()) {
      diagnostics_.error(mark, stated + ", cannot be read: " + file.failure,
                         path == name ? "" : "it is looked for beside the model file: " + path);
      return nullptr;
    }
    return files_[path] = read_measured(path, file.text, diagnostics_);
  }

  std::filesystem::path dir_;
  const FileReader& read_file_;
  Diagnostics& diagnostics_;
  std::map<std::string, std::shared_ptr<const MeasuredData>> files_;
};

}  // namespace

TableOf<SpectraRequest> spectra_schema() {
  TableOf<SpectraRequest> t;
  t.text("file", &SpectraRequest::file).required().sample("\"records.uff\"").text(kFileText);
  t.integer("block", &SpectraRequest::block)
      .at_least(8)
      .at_most(SpectraRequest::kLargestBlock)
      .text("values of a block; spectra have a line every rate/block");
  t.quantity("overlap", &SpectraRequest::overlap, kPlainNumber).at_least(0).at_most(0.95).text("of blocks, as a share");
  t.choice("window", &SpectraRequest::window,
           {{"none", Window::none},
            {"hann", Window::hann},
            {"hamming", Window::hamming},
            {"blackman_harris", Window::blackman_harris},
            {"flat_top", Window::flat_top}})
      .text("of a block; flat_top for amplitudes, none for blocks of whole periods");
  t.boolean("keep_mean", &SpectraRequest::keep_mean).text("else the mean of each block is taken off");
  t.table("shaft", &SpectraRequest::shaft, shaft_schema()).text("how its angle is known");
  t.table("waterfall", &SpectraRequest::waterfall, waterfall_schema()).text("spectra over the time or the speed");
  t.table("orders", &SpectraRequest::orders, order_schema()).text("spectra of the shaft's angle; needs `shaft`");
  t.table("frf", &SpectraRequest::frf, transfer_schema()).text("frequency response functions with coherence");
  return t;
}

TableOf<ModalRequest> modal_schema() {
  using Method = ModalRequest::Method;
  TableOf<ModalRequest> t;
  t.text("file", &ModalRequest::file)
      .sample("\"frfs.uff\"")
      .text("universal file with FRFs; left out: those of [analysis.spectra.frf]");
  t.choice("method", &ModalRequest::method,
           {{"lscf", Method::lscf}, {"circle", Method::circle}, {"peak", Method::peak}})
      .text("least squares of all FRFs at once, circles near the peaks, or the width of the peaks");
  t.quantity("from", &ModalRequest::from, kRate).at_least(0).sample("\"10 Hz\"").text("start of the band");
  t.quantity("to", &ModalRequest::to, kRate)
      .above(0)
      .sample("\"500 Hz\"")
      .text("end of the band; left out: of the FRFs");
  t.integer("order", &ModalRequest::order)
      .at_least(4)
      .at_most(200)
      .only_with("method", {"lscf"})
      .text("highest of the denominator; several times the number of modes");
  t.integer("count", &ModalRequest::count)
      .at_least(1)
      .at_most(200)
      .sample("4")
      .text("of modes, those that stand out most; left out: all that hold as the order grows, or all peaks");
  t.quantity("most_damping", &ModalRequest::most_damping, kPlainNumber)
      .above(0)
      .below(1)
      .text("share of critical: modes with more are not looked for");
  t.quantity("floor", &ModalRequest::floor, kPlainNumber)
      .at_least(0)
      .below(1)
      .text("share of the largest peak below which one is not taken for a mode");
  return t;
}

TableOf<CorrelateRequest> correlate_schema() {
  TableOf<CorrelateRequest> t;
  t.text("file", &CorrelateRequest::file)
      .sample("\"modes.uff\"")
      .text("universal file with modes; left out: those that [analysis.modal] finds");
  t.name("body", &CorrelateRequest::body, "body").text("that was measured; needed if there are several");
  t.integer("count", &CorrelateRequest::count).at_least(1).at_most(1000).text("of computed modes");
  t.quantity("smallest_mac", &CorrelateRequest::smallest_mac, kPlainNumber)
      .at_least(0)
      .at_most(1)
      .text("of two modes that are taken for the same");
  t.tables("point", &CorrelateRequest::points, point_map_schema())
      .text("where a measured point is; left out: at the point of the same name, or at the node where the file has it");
  t.quantity("tolerance", &CorrelateRequest::tolerance, kLength)
      .above(0)
      .sample("\"1 mm\"")
      .text("from a measured place to the nearest node; left out: 1/1000 of the body's size");
  return t;
}

TableOf<RecordsRequest> records_schema() {
  using Numbers = RecordsRequest::Numbers;
  TableOf<RecordsRequest> t;
  t.text("file", &RecordsRequest::file).text("its name: a universal file (.uff), or for one record a table (.csv)");
  t.choice(
       "numbers", &RecordsRequest::numbers,
       {{"single_binary", Numbers::single_binary}, {"double_binary", Numbers::double_binary}, {"text", Numbers::text}})
      .text("of a universal file");
  t.quantity("rate", &RecordsRequest::rate, kRate).above(0).required().sample("\"12.8 kHz\"").text("values a second");
  t.tables("accelerometer", &RecordsRequest::accelerometers, accelerometer_schema())
      .text("a sensor on an elastic body");
  t.table("hammer", &RecordsRequest::hammer, hammer_schema()).text("what strikes the body");
  return t;
}

void read_vibration_files(const std::string& model_file, const FileReader& read_file,
                          const std::vector<std::string>& wanted, Model& model, Diagnostics& diagnostics) {
  const auto is_wanted = [&](std::initializer_list<const char*> names) {
    return wanted.empty() || std::any_of(names.begin(), names.end(), [&](const char* name) {
             return std::find(wanted.begin(), wanted.end(), name) != wanted.end();
           });
  };
  FilesReader reader(model_file, read_file, diagnostics);
  if (model.spectra && is_wanted({"spectra", "modal", "correlate"})) reader.read(*model.spectra);
  if (model.modal && is_wanted({"modal", "correlate"})) reader.read(*model.modal);
  if (model.correlate && is_wanted({"correlate"})) reader.read(*model.correlate);
}

}  // namespace elodyn
