// From text to Model, and from Model to modes, by the number of elements.
#include <benchmark/benchmark.h>

#include "elodyn/io/new_model.hpp"
#include "elodyn/io/read_model.hpp"
#include "elodyn/study/run.hpp"

namespace elodyn {
namespace {

Model read(const std::string& text, const std::vector<std::string>& settings) {
  Diagnostics diagnostics;
  const std::optional<Model> model = read_model("model.toml", text, {settings, {}}, diagnostics);
  diagnostics.throw_if_errors();
  return model.value();
}

void read_text(benchmark::State& state) {
  const std::string text = new_model("spinning_rod");
  for (auto _ : state) benchmark::DoNotOptimize(read(text, {}));
}
BENCHMARK(read_text);

void modes(benchmark::State& state) {
  const std::string elements = "body.rod.line.elements=" + std::to_string(state.range(0));
  const Model model = read(new_model("spinning_rod"), {elements});
  for (auto _ : state) benchmark::DoNotOptimize(run_modes(model));
}
BENCHMARK(modes)->Arg(20)->Arg(40)->Arg(80)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace elodyn
