#include "elodyn/system/derive_elements.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "elodyn/base/error.hpp"
#include "elodyn/base/parallel.hpp"

namespace elodyn {
namespace {

constexpr size_t kChunk = 512;         // elements that one thread takes at a time, at least
constexpr size_t kFewElements = 4096;  // below, threads take longer to start than they save
constexpr double kMostShared = 0.25;   // of the coordinates: above, waiting sums cost more than a second thread saves
constexpr Eigen::Index kSegment = 1 << 16;

}  // namespace

ElementSource::ElementSource(const BodySystem& system) : system_(&system), loads_(*system.body) {
  find_parts();
  group_elements();
}

void ElementSource::find_parts() {
  std::map<std::tuple<const Material*, const Section*, const Section*>, size_t> known;
  const Member* previous = nullptr;
  for (const Member& member : system_->body->members) {
    const auto same = [&](const auto Member::*name) { return (member.*name).value == (previous->*name).value; };
    if (previous == nullptr || !same(&Member::material) || !same(&Member::section) || !same(&Member::section_to)) {
      const MemberParts parts = system_->find_parts(member);
      const auto [it, is_new] =
          known.emplace(std::tuple(parts.material, parts.section, parts.section_to), parts_.size());
      if (is_new) parts_.push_back(parts);
      parts_of_.push_back(it->second);
    } else {
      parts_of_.push_back(parts_of_.back());
    }
    previous = &member;
  }
  for (const Area& area : system_->body->areas) area_parts_.push_back(system_->find_parts(area));
}

const MemberParts* ElementSource::parts_of(const ElementSpec& spec) const {
  if (spec.area >= 0) return &area_parts_[static_cast<size_t>(spec.area)];
  return spec.member < 0 ? nullptr : &parts_[parts_of_[static_cast<size_t>(spec.member)]];
}

void ElementSource::group_elements() {
  const std::vector<ElementSpec>& specs = system_->mesh.elements;
  const auto is_tapered = [&](const ElementSpec& spec) {  // such have other stations and prestress shapes
    return parts_of(spec)->section_to != nullptr;
  };
  for (size_t e = 0; e < specs.size(); ++e) {
    const ElementSpec& spec = specs[e];
    if (!groups_.empty() && spec.is_material()) {
      ElementGroup& last = groups_.back();
      const ElementSpec& first = specs[last.first];
      if (last.count < Batch::kLanes && first.is_material() && first.dofs.size() == spec.dofs.size() &&
          first.kind == spec.kind && is_tapered(first) == is_tapered(spec)) {
        ++last.count;
        continue;
      }
    }
    groups_.push_back({e, 1});
  }
}

void ElementSource::set_data(size_t element, ElementData& data) const {
  const ElementSpec& spec = system_->mesh.elements[element];
  system_->set_element_data(spec, parts_of(spec), data);
}

GroupDerivation::GroupDerivation(const ElementSource& source)
    : source_(&source), formalism_(&formalism_of(*source.system().model)), lanes_(Batch::kLanes) {}

void GroupDerivation::derive(const ElementGroup& group) {
  const BodySystem& system = source_->system();
  const ElementSpec& spec = system.mesh.elements[group.first];
  if (element_ == nullptr || element_->name() != spec.kind) element_ = &system.element_of(spec);
  for (int lane = 0; lane < group.count; ++lane)
    source_->set_data(group.first + static_cast<size_t>(lane), lanes_[static_cast<size_t>(lane)]);
  const int n = element_->n_dofs(lanes_[0]);
  ELODYN_REQUIRE(n == static_cast<int>(spec.dofs.size()));
  if (group.count > 1) {
    for (int lane = group.count; lane < Batch::kLanes; ++lane)
      lanes_[static_cast<size_t>(lane)] = lanes_[static_cast<size_t>(group.count - 1)];
    if (element_->calc_batch_stations(lanes_, batch_)) {
      formalism_->derive(batch_, n, system.basis, terms_);
      return;
    }
  }
  for (int lane = 0; lane < group.count; ++lane) {
    element_->calc_stations(lanes_[static_cast<size_t>(lane)], stations_);
    formalism_->derive(stations_, n, system.basis, one_);
    put_lane(one_, lane, terms_);
  }
}

void TermSums::Share::set_element(size_t element) {
  dofs_ = &sums_->numbering_->elements[element];
  sums_->equation_->pattern->find_block(*dofs_, places_);
  any_shared_ =
      !sums_->shared_.empty() && std::any_of(dofs_->begin(), dofs_->end(), [&](int i) { return is_shared(i); });
}

// The first group of each chunk of so many elements, and the end.
static std::vector<size_t> make_chunks(const std::vector<ElementGroup>& groups, size_t size) {
  std::vector<size_t> chunks = {0};
  size_t n_elements = 0;
  for (size_t g = 0; g < groups.size(); ++g) {
    if (n_elements >= chunks.size() * size) chunks.push_back(g);
    n_elements += static_cast<size_t>(groups[g].count);
  }
  chunks.push_back(groups.size());
  return chunks;
}

bool TermSums::find_shared(const std::vector<ElementGroup>& groups, const std::vector<size_t>& chunks) {
  shared_.assign(static_cast<size_t>(numbering_->size), false);
  std::vector<int> chunk_of(shared_.size(), -1);
  size_t n_shared = 0;
  for (int c = 0; c + 1 < static_cast<int>(chunks.size()); ++c)
    for (size_t g = chunks[static_cast<size_t>(c)]; g < chunks[static_cast<size_t>(c) + 1]; ++g)
      for (size_t e = groups[g].first; e < groups[g].first + static_cast<size_t>(groups[g].count); ++e)
        for (const int i : numbering_->elements[e]) {
          const auto at = static_cast<size_t>(i);
          if (chunk_of[at] >= 0 && chunk_of[at] != c && !shared_[at]) {
            shared_[at] = true;
            ++n_shared;
          }
          chunk_of[at] = c;
        }
  return static_cast<double>(n_shared) <= kMostShared * static_cast<double>(shared_.size());
}

void TermSums::run(const ElementSource& source, const Visit& visit) {
  const std::vector<ElementGroup>& groups = source.groups();
  size_t n_elements = 0;
  for (const ElementGroup& group : groups) n_elements += static_cast<size_t>(group.count);
  int threads = n_elements < kFewElements ? 1 : n_threads();
  size_t size = kChunk;
  std::vector<size_t> chunks = make_chunks(groups, size);
  // Of a surface, a chunk that is no wider than a row of elements shares all its coordinates with its neighbours.
  while (threads > 1 && !find_shared(groups, chunks)) {
    size *= 4;
    if (2 * static_cast<size_t>(threads) * size > n_elements) threads = 1;
    chunks = make_chunks(groups, size);
  }
  if (threads == 1) shared_.clear();

  std::vector<Share> shares(chunks.size() - 1, Share(*this));
  parallel_for(static_cast<int>(shares.size()), threads, [&](int c) {
    const auto at = static_cast<size_t>(c);
    GroupDerivation derivation(source);
    Share share(*this);
    for (size_t g = chunks[at]; g < chunks[at + 1]; ++g) {
      derivation.derive(groups[g]);
      visit(groups[g], derivation, share);
    }
    shares[at] = std::move(share);
  });
  for (const Share& share : shares) {
    for (const Share::Entry& entry : share.matrix_entries_)
      equation_->matrices[entry.term].values[entry.place] += entry.value;
    for (const Share::Entry& entry : share.load_entries_)
      equation_->loads[entry.term].values[entry.place] += entry.value;
  }
}

VectorX make_zeros(Eigen::Index n) {
  VectorX out(n);
  const auto segments = static_cast<int>((n + kSegment - 1) / kSegment);
  parallel_for(segments, [&](int k) {
    const Eigen::Index first = k * kSegment;
    out.segment(first, std::min(kSegment, n - first)).setZero();
  });
  return out;
}

}  // namespace elodyn
