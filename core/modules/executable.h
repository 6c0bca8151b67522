#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/modules/codec.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What a runtime checks when it loads the executable of a virtual machine, and the calls whose arguments it counts.
namespace blobscope::modules {

/// The parts of an executable that decide whether a runtime accepts it, as far as the bytes can be read. Source:
/// core/formats/vm-executables.md 2, 3.
struct ExecutableHead {
  bool relay = false;
  std::optional<uint64_t> magic; ///< nothing when the bytes end before it
  std::string version;           ///< "0.14"; empty when it cannot be read
  /// The numberings of tags with which the constants can be read, of Relax: "classic", "2025a", "2025b". All when
  /// there are no constants; none when the constants cannot be read.
  std::vector<std::string_view> pools;
  std::vector<int32_t> tags; ///< distinct tags of constants up to the first one that cannot be read, of Relax
  std::string damage;        ///< why the executable cannot be read; empty when it can
};
/// Nothing for modules with other keys. `payload`: of the module, as stored.
std::optional<ExecutableHead> executableHead(std::string_view key, const Body& body, const Bytes& payload);

/// The calls of a packed function with one number of arguments, in bytecode of the Relax VM. Source:
/// core/formats/load-requirements.md 8.2.
struct CountedCall {
  std::string function;
  uint64_t arguments = 0;
  uint64_t times = 0;
  uint64_t instruction = 0;         ///< of the first call, in the executable
  std::vector<std::string> callers; ///< VM functions with such calls, that of the first one first
  /// Of the first call: the values of its first arguments, nothing for those that are not immediates; at most
  /// kImmediates of them.
  std::vector<std::optional<int64_t>> immediates;

  static constexpr std::size_t kImmediates = 8, kCallers = 4'096;
};
/// Returns one entry per function and number of arguments, in the order of their first calls; for the functions whose
/// immediates decide the number of arguments (`vm.builtin.match_shape`, `vm.builtin.make_shape`), one per value of
/// these too. Empty for other bodies. Error: only Cancelled.
Result<std::vector<CountedCall>> computeCountedCalls(const Body& body, Monitor& monitor);

} // namespace blobscope::modules
