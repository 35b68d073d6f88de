#include "elodyn/linalg/cluster.hpp"

namespace elodyn {
namespace {

thread_local Cluster* of_thread = nullptr;

}  // namespace

Cluster* cluster() { return of_thread; }
void set_cluster(Cluster* cluster) { of_thread = cluster; }

WithoutCluster::WithoutCluster() : before_(of_thread) { of_thread = nullptr; }
WithoutCluster::~WithoutCluster() { of_thread = before_; }

}  // namespace elodyn
