// The elements of a body through the formalism, several at a time (base/batch.hpp) and on several threads. The groups
// are the same and every sum has its summands in the order of the elements, whatever the number of threads.
#pragma once

#include <functional>
#include <vector>

#include "elodyn/base/batch.hpp"
#include "elodyn/system/assembly.hpp"

namespace elodyn {

// Elements first … first + count − 1 of the mesh, which are derived together.
struct ElementGroup {
  size_t first = 0;
  int count = 1;
};

// What the elements are made of, with names looked up and sections computed once; and how they are grouped.
class ElementSource {
 public:
  explicit ElementSource(const BodySystem& system);
  const BodySystem& system() const { return *system_; }
  const std::vector<ElementGroup>& groups() const { return groups_; }
  void set_data(size_t element, ElementData& data) const;
  const ElementLoads& loads() const { return loads_; }

 private:
  void find_parts();
  const MemberParts* parts_of(const ElementSpec& spec) const;  // null for what stands at points
  void group_elements();

  const BodySystem* system_;
  std::vector<MemberParts> parts_;       // those of members that differ
  std::vector<size_t> parts_of_;         // for each member
  std::vector<MemberParts> area_parts_;  // for each area
  ElementLoads loads_;
  std::vector<ElementGroup> groups_;
};

// One group after another, in the same memory. One for each thread.
class GroupDerivation {
 public:
  explicit GroupDerivation(const ElementSource& source);
  void derive(const ElementGroup& group);
  const Element& element() const { return *element_; }
  const ElementData& data(int lane) const { return lanes_[static_cast<size_t>(lane)]; }
  const BasicElementTerms<Batch>& terms() const { return terms_; }  // lanes beyond the group's count mean nothing
  void get_terms(int lane, ElementTerms& terms) const { get_lane(terms_, lane, terms); }

 private:
  const ElementSource* source_;
  const Formalism* formalism_;
  const Element* element_ = nullptr;
  std::vector<ElementData> lanes_;
  BasicStations<Batch> batch_;
  BasicElementTerms<Batch> terms_;
  Stations stations_;
  ElementTerms one_;
};

// Sums of elements' blocks into the terms of an equation.
class TermSums {
 public:
  TermSums(AffineEquation& equation, const Numbering& numbering) : equation_(&equation), numbering_(&numbering) {}

  // The share of one chunk of elements, done by one thread. What other chunks add to as well is kept until finish().
  class Share {
   public:
    void set_element(size_t element);  // whose blocks follow
    void add(size_t matrix, const MatrixOf<Batch>& block, int lane) {
      add_block(matrix, [&](Eigen::Index k) { return block.data()[k].lane(lane); });
    }
    void add(size_t matrix, const MatrixX& block) {
      add_block(matrix, [&](Eigen::Index k) { return block.data()[k]; });
    }
    void add_load(size_t load, const VectorOf<Batch>& block, int lane) {
      add_vector(load, [&](Eigen::Index k) { return block[k].lane(lane); });
    }
    void add_load(size_t load, const VectorX& block) {
      add_vector(load, [&](Eigen::Index k) { return block[k]; });
    }

   private:
    friend TermSums;
    struct Entry {
      size_t term;
      int place;
      double value;
    };
    explicit Share(const TermSums& sums) : sums_(&sums) {}
    template <class Value>
    void add_block(size_t matrix, const Value& value);
    template <class Value>
    void add_vector(size_t load, const Value& value);
    bool is_shared(int coordinate) const { return sums_->shared_[static_cast<size_t>(coordinate)]; }

    const TermSums* sums_;
    const std::vector<int>* dofs_ = nullptr;
    bool any_shared_ = false;
    std::vector<int> places_;
    std::vector<Entry> matrix_entries_, load_entries_;
  };

  // Calls visit(group, derivation, share) for every group of elements.
  using Visit = std::function<void(const ElementGroup&, GroupDerivation&, Share&)>;
  void run(const ElementSource& source, const Visit& visit);

 private:
  bool find_shared(const std::vector<ElementGroup>& groups, const std::vector<size_t>& chunks);

  AffineEquation* equation_;
  const Numbering* numbering_;
  std::vector<bool> shared_;  // coordinates of elements of more than one chunk; empty: one thread
};

// Values of that number, all zero, written by all threads.
VectorX make_zeros(Eigen::Index n);

template <class Value>
void TermSums::Share::add_block(size_t matrix, const Value& value) {
  double* values = sums_->equation_->matrices[matrix].values.data();
  const auto n = static_cast<Eigen::Index>(places_.size());
  if (!any_shared_) {
    for (Eigen::Index k = 0; k < n; ++k) values[places_[static_cast<size_t>(k)]] += value(k);
    return;
  }
  Eigen::Index k = 0;
  for (const int column : *dofs_)
    for (const int row : *dofs_) {
      const int place = places_[static_cast<size_t>(k)];
      if (is_shared(row) && is_shared(column))
        matrix_entries_.push_back({matrix, place, value(k)});
      else
        values[place] += value(k);
      ++k;
    }
}

template <class Value>
void TermSums::Share::add_vector(size_t load, const Value& value) {
  double* values = sums_->equation_->loads[load].values.data();
  Eigen::Index k = 0;
  for (const int row : *dofs_) {
    if (any_shared_ && is_shared(row))
      load_entries_.push_back({load, row, value(k)});
    else
      values[row] += value(k);
    ++k;
  }
}

}  // namespace elodyn
