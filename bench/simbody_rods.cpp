#include "bench/simbody_rods.hpp"

#include <Simbody.h>
#include <memory>

#include "bench/timing.hpp"

namespace elodyn::bench {
namespace {

SimTK::Body::Rigid make_rod(double length) {
  using SimTK::Vec3;
  // What its inertia is about its own axis does not count in the plane.
  const SimTK::Inertia center(length * Vec3(1e-3, length * length / 12, length * length / 12));
  const Vec3 middle(length / 2, 0, 0);
  return SimTK::Body::Rigid(SimTK::MassProperties(length, middle, center.shiftFromMassCenter(middle, length)));
}

}  // namespace

SimbodyRun run_simbody(const PinnedRods& what, SimbodyMethod method, double accuracy, double end) {
  using SimTK::Vec3;
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter(system);
  SimTK::GeneralForceSubsystem forces(system);
  forces.setNumberOfThreads(1);  // more slow so small a system down
  SimTK::Force::UniformGravity gravity(forces, matter, Vec3(0, -what.gravity, 0));
  std::vector<SimTK::MobilizedBody::Pin> bodies;
  for (const PinnedRod& rod : what.rods) {
    const Vec3 at(rod.at, 0, 0);
    if (rod.parent < 0)
      bodies.emplace_back(matter.Ground(), SimTK::Transform(at), make_rod(rod.length), SimTK::Transform());
    else
      bodies.emplace_back(bodies[static_cast<size_t>(rod.parent)], SimTK::Transform(at), make_rod(rod.length),
                          SimTK::Transform());
  }
  for (const ClosedLoop& loop : what.loops) {
    const auto a = static_cast<size_t>(loop.a), b = static_cast<size_t>(loop.b);
    SimTK::Constraint::PointOnLine(bodies[a], SimTK::UnitVec3(0, 0, 1), Vec3(what.rods[a].length, 0, 0), bodies[b],
                                   Vec3(what.rods[b].length, 0, 0));
  }
  system.realizeTopology();
  SimTK::State state = system.getDefaultState();
  system.realizeModel(state);
  for (size_t i = 0; i < bodies.size(); ++i) {
    bodies[i].setAngle(state, what.rods[i].angle);
    bodies[i].setRate(state, what.rods[i].rate);
  }
  std::unique_ptr<SimTK::Integrator> integrator;
  if (method == SimbodyMethod::merson)
    integrator = std::make_unique<SimTK::RungeKuttaMersonIntegrator>(system);
  else
    integrator = std::make_unique<SimTK::RungeKuttaFeldbergIntegrator>(system);
  integrator->setAccuracy(accuracy);
  integrator->setInternalStepLimit(100'000);
  SimbodyRun run;
  try {
    run.seconds = seconds([&] {
      integrator->initialize(state);
      while (integrator->getTime() < end)
        if (integrator->stepTo(end) == SimTK::Integrator::ReachedStepLimit) {
          run.failure = "too many steps";
          return;
        }
    });
  } catch (const std::exception&) {
    run.failure = "gives up at t = " + std::to_string(integrator->getTime()) + " s";
  }
  run.steps = integrator->getNumStepsTaken();
  run.rejected = integrator->getNumStepsAttempted() - run.steps;
  const SimTK::State& last = integrator->getState();
  system.realize(last, SimTK::Stage::Position);
  const Vec3 P = bodies[0].findStationLocationInGround(last, Vec3(what.rods[0].length, 0, 0));
  run.x = P[0];
  run.y = P[1];
  return run;
}

}  // namespace elodyn::bench
