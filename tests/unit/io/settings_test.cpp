#include "elodyn/io/settings.hpp"

#include "tests/unit/io/sample_model.hpp"

namespace elodyn {
namespace {

TEST(Settings, set_keys_that_are_there_and_keys_that_are_not) {
  const Model model =
      read_good(kSample, {"body.rod.line.elements=40", "body.rod.degree = 5", "gravity=[0, 0, -9.81]",
                          "analysis.static.stations=7", "terms.coriolis=false", "body.rod.motion.speed=\"3000 rpm\""});
  EXPECT_EQ(model.bodies[0].members[0].elements.value, 40);
  EXPECT_EQ(model.bodies[0].degree, 5);
  EXPECT_EQ(model.gravity.z(), -9.81);
  ASSERT_TRUE(model.static_.has_value());
  EXPECT_EQ(model.static_->stations, 7);
  EXPECT_FALSE(model.terms.coriolis);
  EXPECT_NEAR(model.bodies[0].motion.speed, 314.159265358979, 1e-12);
}

TEST(Settings, bare_words_are_texts) {
  const Model model = read_good(
      kSample, {"body.rod.element=beam_euler_bernoulli", "section.round.diameter=20 mm", "title=Ein Stäbchen"});
  EXPECT_EQ(model.bodies[0].element.value, "beam_euler_bernoulli");
  EXPECT_EQ(model.sections[0].diameter, 0.02);
  EXPECT_EQ(model.title, "Ein Stäbchen");
}

TEST(Settings, reach_into_lists) {
  const std::string text = kSample + "[[body.rod.load]]\nat = \"to\"\nforce = [0, 1, 0]\n";
  const Model model = read_good(text, {"body.rod.load.0.force=[0, 5, 0]", "body.rod.load.1.at=to",
                                       "body.rod.load.1.moment=[0, 0, \"2 N*m\"]", "body.rod.load.0.force.0=3"});
  ASSERT_EQ(model.bodies[0].loads.size(), 2u);
  EXPECT_EQ(model.bodies[0].loads[0].force, Vec3(3, 5, 0));
  EXPECT_EQ(model.bodies[0].loads[1].moment, Vec3(0, 0, 2));
}

TEST(Settings, mistakes_point_into_the_argument) {
  EXPECT_EQ(errors(kSample, {"body.rod.line.elements=0"}),
            "--set:1:24: error: elements = 0, must be from 1 to 1000000\n"
            "  1 | body.rod.line.elements=0\n"
            "    |                        ^\n");
  EXPECT_EQ(errors(kSample, {"body.rod.line.elemnts=3"}),
            "--set:1:15: error: unknown key `elemnts` in [body.rod.line]\n"
            "  1 | body.rod.line.elemnts=3\n"
            "    |               ^^^^^^^\n"
            "  help: did you mean `elements`?\n");
  EXPECT_EQ(errors(kSample, {"body.rod.motion.speed=50 Hz"}),
            "--set:1:23: error: speed = \"50 Hz\", must be an angular speed (rad/s), not a frequency or rate (1/s)\n"
            "  1 | body.rod.motion.speed=50 Hz\n"
            "    |                       ^^^^^\n"
            "  help: the radian counts as a unit, for example \"3000 rpm\"\n");
  EXPECT_EQ(errors(kSample, {"section.round.diameter=\"10 mn\""}),
            "--set:1:28: error: diameter = \"10 mn\", unknown unit `mn`\n"
            "  1 | section.round.diameter=\"10 mn\"\n"
            "    |                            ^^\n"
            "  help: did you mean `MN`?\n");
  EXPECT_EQ(errors(kSample, {"gravity[1]=-9.81"}),
            "--set:1:8: error: there is no list that entry 1 belongs to\n"
            "  1 | gravity[1]=-9.81\n"
            "    |        ^^^\n"
            "  help: write the whole list in the file first, for example axis = [0, 0, 1]\n");
  EXPECT_EQ(errors(kSample, {"body.rod.degree.x=3"}),
            "--set:1:17: error: `x` is a key of 3, which is not a table\n"
            "  1 | body.rod.degree.x=3\n"
            "    |                 ^\n");
  EXPECT_EQ(errors(kSample, {"body.rod.clamp.7=3"}),
            "--set:1:16: error: `7`, must be a number from 0 to 1\n"
            "  1 | body.rod.clamp.7=3\n"
            "    |                ^\n");
}

TEST(Settings, must_be_key_and_value) {
  const std::string help = "  help: for example body.rod.line.elements=40\n";
  EXPECT_EQ(errors(kSample, {"title"}), "--set:1:1: error: must be KEY=VALUE\n  1 | title\n    | ^^^^^\n" + help);
  EXPECT_EQ(errors(kSample, {"=3"}), "--set:1:1: error: must be KEY=VALUE\n  1 | =3\n    | ^\n" + help);
  EXPECT_EQ(errors(kSample, {"a..b=3"}), "--set:1:3: error: must be KEY=VALUE\n  1 | a..b=3\n    |   ^\n" + help);
  EXPECT_EQ(errors(kSample, {"title=[1"}),
            "--set:1:7: error: the value is not TOML\n"
            "  1 | title=[1\n"
            "    |       ^^\n"
            "  help: for example 40, true, \"10 mm\" or [0, 0, 1]\n");
  EXPECT_NE(errors(kSample, {""}), "");
  EXPECT_NE(errors(kSample, {"title=a\nb=c"}), "");
  EXPECT_NE(errors(kSample, {"title=\xff"}), "");
}

}  // namespace
}  // namespace elodyn
