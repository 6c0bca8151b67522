#pragma once

#include "app/runner/machine/value.h"
#include "app/runner/program_answers.h"
#include "core/base/result.h"
#include "core/protocol/program.h"

#include <vector>

namespace blobscope::runner::machine {

class Machine;

/// Runs functions that the compiler has turned into machine code, kind VM-TIR of the Relax VM. Such a function gets
/// four opaque pointers: the machine, and lists of registers, constants and functions. It only moves values between the
/// lists and the arguments of calls, so objects are passed as pointers that nothing reads, and tensors as `DLTensor*`,
/// which host functions take. Source: core/formats/vm-executables.md 5.
class Compiled final : public ProgramAnswers {
public:
  explicit Compiled(Machine& machine) : m_machine(machine) {}

  /// Calls the machine code of a function. Errors: those of the called code, RUN-PROGRAM, Cancelled.
  Result<Value> run(const protocol::ProgramFunction& function, void* code, std::vector<Value> arguments);

  const void* findBuiltin(std::string_view name) const override;
  Result<FfiAny> call(const void* function, std::span<const PlacedValue> arguments, const void* result) override;
  Result<FfiAny> get(const void* list, int32_t index, const void* place) override;
  Result<Done> set(const void* list, int32_t index, const PlacedValue& value) override;
  Result<Done> reset(const void* list, int32_t index) override;

  /// The tensor among the values that the library keeps, by what it gets for it; null if there is none.
  TensorPtr tensorOf(const DlTensor* head) const;

private:
  struct Frame;
  Result<Value> valueOf(const PlacedValue& placed) const;
  Result<Value*> registerAt(const void* list, int32_t index) const;

  Machine& m_machine;
  Frame* m_frame = nullptr; ///< of the function that runs; null when none runs
};

} // namespace blobscope::runner::machine
