#pragma once

#include "core/plan/memory.h"

#include <map>
#include <memory>
#include <unordered_map>
#include <variant>

namespace blobscope::plan {

/// A number, or what is known of it.
struct Number {
  int64_t value = 0;
  bool known = false;
  uint32_t symbol = 0; ///< 1 + its index in Simulation's symbols; 0 for a number of the program
};

/// Follows one function of a program. For planMemory().
class Simulation {
public:
  /// `sizes`: values of symbols; the others are not known. `derived`: sizes of storages, by their number, for those
  /// that the program does not tell.
  Simulation(const program::Model& model, const Sizes& sizes, const std::map<std::size_t, uint64_t>& derived,
             Monitor& monitor);
  ~Simulation();
  /// `entry`: that of the function; may be null.
  Result<MemoryPlan> run(uint32_t function, const program::Entry* entry);
  /// MemoryPlan::followed, also when there is no plan.
  uint64_t followed() const;

private:
  struct Storage;
  struct Tensor;
  struct Tuple;
  struct Heap;
  struct Given;
  using StoragePtr = std::shared_ptr<Storage>;
  using TensorPtr = std::shared_ptr<Tensor>;
  using TuplePtr = std::shared_ptr<Tuple>;
  using HeapPtr = std::shared_ptr<Heap>;
  using GivenPtr = std::shared_ptr<const Given>;
  using Shape = std::vector<Number>;
  using ShapePtr = std::shared_ptr<const Shape>;
  struct Callee {
    uint32_t number = 0; ///< in Program::callees
  };
  using Value = std::variant<std::monostate, Number, ShapePtr, TensorPtr, StoragePtr, TuplePtr, HeapPtr, GivenPtr,
                             protocol::DataType, Callee>;
  using Values = std::vector<Value>;
  /// What is known where branches meet.
  using States = std::map<uint64_t, Values>;

  void charge(uint64_t units);
  Result<Done> poll();
  Result<Done> takeRegisters(uint64_t count, const char* tooMany);

  Result<Value> call(uint32_t function, Values arguments, unsigned depth);
  Result<Done> step(const protocol::ProgramFunction& function, uint64_t at, Values& registers, unsigned depth,
                    Value& result);
  Value builtin(std::string_view name, const Values& arguments);
  Value cacheCreated(std::string_view name, const Values& arguments);
  Value valueOf(const protocol::ProgramOperand& operand, const Values& registers);
  void addWork(uint32_t callee, const Values& arguments);
  Value itemValue(const host::Parameter& item, const host::Parameter& tuple, std::size_t index, uint32_t argument);
  Value parameterValue(const host::Parameter& parameter, uint32_t argument);
  static Value tupleOf(Values items);
  static Value itemOf(const Value& tuple, int64_t index);

  void match(const Value& value, const Values& arguments);
  void matchNumber(const Value& value, const Values& arguments);
  void store(const HeapPtr& heap, const Number& entry, const Number& value, const Value& from, std::size_t extent);
  Number loaded(const HeapPtr& heap, const Number& code, const Number& entry);
  ShapePtr shapeOf(const host::Parameter& parameter, const std::string& name);
  ShapePtr madeShape(const Values& arguments, std::size_t heapAt);

  Value makeStorage(std::optional<uint64_t> bytes, std::string size, bool onHost, bool isCache, bool isFixed = false);
  Value makeTensor(const StoragePtr& storage, const ShapePtr& shape, protocol::DataType type);
  void used(const Value& value, std::string_view by);
  void dropped(std::size_t storage);
  void mark(uint32_t argument, std::string_view builtin);
  void noteReserved();
  void addUses();

  Number symbolNamed(const std::string& name, const std::string& from);
  Number dimension(const host::Dimension& dimension, const std::string& name, const std::string& from);
  std::optional<uint64_t> bytesOf(const Shape& shape, protocol::DataType type) const;
  std::string textOf(const Shape& shape, protocol::DataType type) const;
  std::string textOf(const Number& number) const;
  std::optional<int64_t> largestFor(const Shape& shape, protocol::DataType type, uint64_t bytes,
                                    uint32_t& symbol) const;

  const program::Model& m_model;
  const Sizes& m_sizes;
  const std::map<std::size_t, uint64_t>& m_derived;
  Monitor& m_monitor;
  MemoryPlan m_plan;
  std::map<std::string, uint32_t> m_symbols; ///< by name
  std::unordered_map<int64_t, Value> m_constants;
  std::vector<uint32_t> m_calling; ///< functions that are being called
  uint64_t m_now = 0;              ///< instruction of the function that is planned
  uint64_t m_steps = 0, m_reserved = 0, m_most = 0;
  uint64_t m_snapshots = 0; ///< registers of calls, and of branches
  uint64_t m_unpolled = 0;  ///< steps since the monitor was asked
};

} // namespace blobscope::plan
