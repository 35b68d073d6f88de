// Parts of a stability map done by other processes that have the same command line and see the same files.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "elodyn/study/stability.hpp"

namespace elodyn::app {

// The process that asks. `send` carries a text to the other one and brings its answer back.
class RemoteHelper final : public StabilityStudy::Helper {
 public:
  using Send = std::function<std::string(const std::string& question)>;
  RemoteHelper(std::string name, Send send) : name_(std::move(name)), send_(std::move(send)) {}
  PartAnswer ask(const std::vector<double>& question) override;

 private:
  std::string name_;  // for messages
  Send send_;
};

// The one that answers. It reads the model when it is asked for the first time.
class PartServer {
 public:
  explicit PartServer(std::vector<std::string> arguments);
  ~PartServer();
  PartServer(const PartServer&) = delete;
  PartServer& operator=(const PartServer&) = delete;

  std::string answer(const std::string& question);

 private:
  struct Loaded;
  std::vector<std::string> arguments_;
  std::unique_ptr<Loaded> loaded_;
};

}  // namespace elodyn::app
