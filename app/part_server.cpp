#include "app/part_server.hpp"

#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "app/program.hpp"

#include "elodyn/base/error.hpp"

namespace elodyn::app {
namespace {

// What went wrong in the other process, or 'a': an answer.
enum class Status : char { answer = 'a', numbers = 'n', input = 'i', memory = 'm', bug = 'b' };

void put(const std::vector<double>& numbers, std::string& text) {
  const size_t n = numbers.size();
  text.append(reinterpret_cast<const char*>(&n), sizeof n);
  text.append(reinterpret_cast<const char*>(numbers.data()), n * sizeof(double));
}

std::string_view take(size_t size, std::string_view& text) {
  if (size > text.size()) throw std::runtime_error("a message between processes is too short");
  const std::string_view taken = text.substr(0, size);
  text.remove_prefix(size);
  return taken;
}

std::vector<double> take_numbers(std::string_view& text) {
  size_t n = 0;
  std::memcpy(&n, take(sizeof n, text).data(), sizeof n);
  const std::string_view bytes = take(n * sizeof(double), text);
  std::vector<double> numbers(n);
  if (n > 0) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

std::string write_answer(const PartAnswer& answer) {
  std::string text;
  put(answer.numbers, text);
  put(answer.no_model ? answer.no_model->first : std::vector<double>(), text);
  return text + (answer.no_model ? answer.no_model->second : "");
}

PartAnswer read_answer(std::string_view text) {
  PartAnswer answer;
  answer.numbers = take_numbers(text);
  std::vector<double> values = take_numbers(text);
  if (!values.empty()) answer.no_model = {std::move(values), std::string(text)};
  return answer;
}

}  // namespace

PartAnswer RemoteHelper::ask(const std::vector<double>& question) {
  std::string asked;
  put(question, asked);
  const std::string got = send_(asked);
  if (got.empty()) throw std::runtime_error(name_ + " gave no answer");
  const std::string rest = got.substr(1);
  switch (static_cast<Status>(got[0])) {
    case Status::answer:
      return read_answer(rest);
    case Status::numbers:
      throw NumericalError(rest);
    case Status::input:
      throw InputError(name_ + ": " + rest);
    case Status::memory:
      throw std::bad_alloc();
    case Status::bug:
      break;
  }
  throw std::runtime_error(name_ + ": " + rest);
}

struct PartServer::Loaded {
  Program program;
  Model model;
  StabilityStudy study;
  std::unique_ptr<StabilityParts> parts;

  explicit Loaded(const std::vector<std::string>& arguments) {
    program.line = parse_command_line(arguments, program.diagnostics);
    program.line.quiet = true;
    model = load_model(program);
    if (!model.stability) throw InputError(program.line.file + " asks for no stability map here");
    study = make_stability_study(program, model, nullptr);
    parts = std::make_unique<StabilityParts>(model, study.make);
  }
};

PartServer::PartServer(std::vector<std::string> arguments) : arguments_(std::move(arguments)) {}
PartServer::~PartServer() = default;

std::string PartServer::answer(const std::string& question) {
  const auto with = [](Status status, const std::string& text) { return static_cast<char>(status) + text; };
  try {
    if (!loaded_) loaded_ = std::make_unique<Loaded>(arguments_);
    std::string_view asked = question;
    return with(Status::answer, write_answer(loaded_->parts->answer(take_numbers(asked))));
  } catch (const NumericalError& error) {
    return with(Status::numbers, error.what());
  } catch (const InputError& error) {
    return with(Status::input, std::string(error.what()) + "; every process must see the files of the model");
  } catch (const std::bad_alloc&) {
    return with(Status::memory, "");
  } catch (const std::exception& error) {
    return with(Status::bug, error.what());
  }
}

}  // namespace elodyn::app
