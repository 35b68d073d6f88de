// `elodyn mesh`: what it writes, what it refuses, and that a model with the written mesh gives the same.
#include "tests/cli/program.hpp"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace elodyn::test {
namespace {

const std::string kHead =
    "schema = 1\n[material.steel]\nyoung = \"210 GPa\"\npoisson = 0.3\ndensity = 7800\n[section.sheet]\n"
    "shape = \"sheet\"\nthickness = \"1 mm\"\n";
const std::string kBody = "element = \"membrane_q4\"\ndimension = 2\nmaterial = \"steel\"\nsection = \"sheet\"\n";
const std::string kPlate =
    kHead + "[body.plate]\n" + kBody + "rectangle = { from = [0, 0, 0], to = [0.2, 0.16, 0], nx = 3, ny = 2 }\n";

std::string with_mesh(const std::string& file) {
  return kHead + "[body.plate]\n" + kBody + "mesh = \"" + file + "\"\n";
}

TEST(MeshCommand, WritesBothFormats) {
  const Shell shell;
  shell.write("plate.toml", kPlate);
  for (const std::string file : {"out.msh", "out.inp"}) {
    const Outcome outcome = shell("elodyn mesh plate.toml -o " + file);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("\n" + file + ": 12 nodes, 6 elements\n"), std::string::npos) << outcome.out;
    shell.write("again.toml", with_mesh(file) + "clamp = [\"left\"]\n");
    const Outcome same = shell("elodyn modes again.toml");
    EXPECT_EQ(same.err, "");
    EXPECT_EQ(same.out, shell("elodyn modes plate.toml --set 'body.plate.clamp=[\"left\"]'").out);
  }
  EXPECT_EQ(shell.list(), "again.toml out.inp out.msh plate.toml");
}

TEST(MeshCommand, TheEchoOfARunFindsTheMesh) {
  const Shell shell;
  shell.write("plate.toml", kPlate);
  shell("elodyn mesh plate.toml -o out.msh");
  shell.write("again.toml", with_mesh("out.msh") + "clamp = [\"left\"]\n[body.plate.area.rectangle]\n");
  EXPECT_EQ(shell("elodyn run again.toml -o results").exit_code, 0);
  EXPECT_EQ(shell("elodyn check results/input.echo.toml").exit_code, 0);
}

TEST(MeshCommand, Json) {
  const Shell shell;
  shell.write("plate.toml", kPlate);
  const auto json = nlohmann::json::parse(shell("elodyn mesh plate.toml -o out.msh --json").out);
  EXPECT_EQ(json["status"], "ok");
}

TEST(MeshCommand, WhatIsRefused) {
  const Shell shell;
  shell.write("plate.toml", kPlate);
  shell.write("rod.toml", rod_toml());
  const auto refused = [&](const std::string& line, const std::string& message) {
    const Outcome outcome = shell(line);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
    EXPECT_EQ(shell.list(), "plate.toml rod.toml");
  };
  refused("elodyn mesh plate.toml", "error: `elodyn mesh` needs -o with a file that ends in .msh or .inp");
  refused("elodyn mesh plate.toml -o out.vtk", "error: `elodyn mesh` needs -o with a file that ends in .msh or .inp");
  refused("elodyn mesh plate.toml --body plte -o out.msh", "did you mean `plate`?");
  refused("elodyn mesh rod.toml -o out.msh", "error: body `rod` has no areas, only meshes of surfaces can be written");
  refused("elodyn mesh plate.toml -o nowhere/out.msh", "error: cannot write `nowhere/out.msh`: No such file");
}

}  // namespace
}  // namespace elodyn::test
