#include "elodyn/io/results_hdf5.hpp"
#include "elodyn/io/write_csv.hpp"
#include "elodyn/io/write_json.hpp"
#include "elodyn/io/write_report.hpp"
#include "elodyn/io/write_vtu.hpp"
#include "elodyn/io/writer.hpp"

namespace elodyn {

const Registry<Writer>& writers() {
  static const Registry<Writer> registry = [] {
    std::vector<std::unique_ptr<const Writer>> all;
    all.push_back(make_csv_writer());
    all.push_back(make_json_writer());
    all.push_back(make_vtu_writer());
    all.push_back(make_hdf5_writer());
    all.push_back(make_report_writer());  // last: it lists the files of the others
    return Registry<Writer>(std::move(all));
  }();
  return registry;
}

}  // namespace elodyn
