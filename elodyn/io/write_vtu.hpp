// Fields as VTK XML (.vtu, raw appended binary, 64-bit headers), read by ParaView, VTK and meshio, and one .pvd that
// collects them. Written by hand: VTK itself would cost 1.6 GB of packages.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "elodyn/io/writer.hpp"
#include "elodyn/results/results.hpp"

namespace elodyn {

// Point data are named `name [unit]`. VTK's cells are the polylines and then the faces.
std::string to_vtu(const Grid& grid);

// A collection of files: each a part of its own, or, with times, a frame of an animation.
std::string to_pvd(const std::vector<std::string>& files, const std::vector<double>& times = {});

std::unique_ptr<const Writer> make_vtu_writer();

}  // namespace elodyn
