// `elodyn mechanism`: tables, JSON, files, mistakes; other commands beside rigid bodies.
#include <filesystem>
#include <string>

#include "tests/cli/program.hpp"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace elodyn::test {
namespace {

using Json = nlohmann::json;

const std::string kPendulum = R"(schema = 1
title = "Pendulum"
gravity = [0, -9.81, 0]
[ground]
points = { O = [0, 0, 0] }
[body.bob]
dimension = 2
rigid = { mass = 1, center = [0, -1, 0] }
points = { O = [0, 0, 0], P = [0, -1, 0] }
[joint.O]
kind = "revolute"
a = "ground.O"
b = "bob.O"
position = "90 deg"
speed = 0
)";
const std::string kRequest = R"([analysis.mechanism]
duration = "1 s"
records = 50
[analysis.mechanism.event.down]
joint = "O"
value = 0
)";

TEST(MechanismCommand, PrintsAndWrites) {
  const Shell shell;
  shell.write("p.toml", kPendulum + kRequest);
  const Outcome outcome = shell("elodyn mechanism p.toml");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("Liaison forces of the joints"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("over time"), std::string::npos) << outcome.out;  // histories are for files
  const Json json = Json::parse(shell("elodyn mechanism p.toml --json").out);
  EXPECT_EQ(json["status"], "ok");
  EXPECT_EQ(json["mechanism"]["freedoms"], 1);
  EXPECT_EQ(json["mechanism"]["joints"][0]["name"], "O");
  // From the horizontal it is down after √(l/g) K(1/√2), the quarter of its period; it pulls with 3 m g there, which
  // falls between records.
  EXPECT_NEAR(json["mechanism"]["events"][0]["time"].get<double>(), 1.8540746773013719 / std::sqrt(9.81), 1e-7);
  EXPECT_NEAR(json["mechanism"]["joints"][0]["peak_force"].get<double>(), 3 * 9.81, 0.02 * 9.81);
  EXPECT_LT(json["mechanism"]["energy_error"].get<double>(), 1e-6);

  const Outcome run = shell("elodyn run p.toml -o out");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("mechanism_*.vtu (51)"), std::string::npos) << run.out;
  for (const char* file : {"mechanism.csv", "mechanism_coordinate_history.csv", "mechanism_point_history.csv",
                           "liaison_O.csv", "mechanism_energy_history.csv", "mechanism.pvd", "mechanism_0050.vtu"})
    EXPECT_TRUE(std::filesystem::exists(shell.dir() / "out" / file)) << file;
  EXPECT_EQ(shell("elodyn check out/input.echo.toml").exit_code, 0);
  EXPECT_NE(shell("elodyn check p.toml").out.find("1 body, 1 joint; analyses: mechanism"), std::string::npos);
  EXPECT_NE(shell("elodyn list analyses").out.find("mechanism "), std::string::npos);
}

TEST(MechanismCommand, SaysWhatIsWrong) {
  const Shell shell;
  shell.write("p.toml", kPendulum);
  const Outcome none = shell("elodyn mechanism p.toml");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("has no [analysis.mechanism]"), std::string::npos) << none.err;
  shell.write("p.toml", kPendulum + kRequest);
  const Outcome modes = shell("elodyn modes p.toml");
  EXPECT_EQ(modes.exit_code, 2);
  EXPECT_NE(modes.err.find("modes needs an elastic body, and all bodies of the model are rigid"), std::string::npos)
      << modes.err;
  const Outcome typo = shell("elodyn mechanism p.toml --set 'joint.O.b=\"bob.Q\"'");
  EXPECT_EQ(typo.exit_code, 2);
  EXPECT_NE(typo.err.find("body `bob` has no point `Q`"), std::string::npos) << typo.err;
  const Outcome free = shell("elodyn mechanism p.toml --set 'analysis.mechanism.kind=\"kinematic\"'");
  EXPECT_EQ(free.exit_code, 2);
}

// Every kind of `elodyn new` runs; this one has an elastic rod between rigid bodies.
TEST(MechanismCommand, NewMechanism) {
  const Shell shell;
  EXPECT_EQ(shell("elodyn new mechanism > m.toml && elodyn mechanism m.toml").exit_code, 0);
  const Outcome modes = shell("elodyn modes m.toml");  // of the rod alone
  EXPECT_EQ(modes.exit_code, 0) << modes.err;
  EXPECT_NE(modes.out.find("bending"), std::string::npos) << modes.out;
  for (const char* command : {"matrices m.toml -o mtx", "derive m.toml", "converge m.toml --levels 2"})
    EXPECT_EQ(shell(std::string("elodyn ") + command).exit_code, 0) << command;
}

}  // namespace
}  // namespace elodyn::test
