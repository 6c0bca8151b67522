#pragma once

#include "core/plan/simulation.h"

/// What registers hold while a program is followed. For the sources of Simulation.
namespace blobscope::plan {

struct Simulation::Storage {
  Simulation& owner;
  std::size_t number;
  Storage(Simulation& simulation, std::size_t index) : owner(simulation), number(index) {}
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  ~Storage() { owner.dropped(number); }
};
struct Simulation::Tensor {
  StoragePtr storage;  ///< null for an argument, a constant, and what host functions return
  std::size_t use = 0; ///< in StorageUse::uses
  ShapePtr shape;      ///< null: not known
  protocol::DataType type;
  std::optional<uint32_t> argument; ///< of the planned function
  std::string name;                 ///< of that argument
};
struct Simulation::Tuple {
  Values items;
  int depth = 1; ///< of tuples in tuples
};
struct Simulation::Heap {
  std::vector<std::optional<Number>> entries;
  std::string writer; ///< the function of the library that writes to it
};
/// An argument of which nothing is known, or an item of it.
struct Simulation::Given {
  uint32_t argument = 0;
  std::string name;
};

} // namespace blobscope::plan
