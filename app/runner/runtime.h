#pragma once

#include "app/runner/launch.h"
#include "app/runner/library.h"
#include "app/runner/memory.h"
#include "app/runner/program_answers.h"
#include "app/runner/shim/shim_table.h"
#include "core/protocol/protocol.h"

#include <atomic>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace blobscope::runner {

class Runtime;

/// The handle that host code gets from a lookup by name. It begins like a function object of tvm-ffi from 0.1.0 on, so
/// that code that calls through the object itself works too. Source: apache/tvm-ffi 0.1 include/tvm/ffi/c_api.h,
/// TVMFFIObject and TVMFFIFunctionCell.
struct FunctionHandle {
  enum class Kind : uint8_t { Kernel, SetDevice, GlobalBarrier, Host, Program, Ignored };
  uint64_t counts = (uint64_t{1} << 32) | 0x7fff'ffff; ///< never reaches 0
  int32_t type = kFfiFunction;
  uint32_t pad = 0;
  void (*deleter)(void*, int) = nullptr;
  int (*safeCall)(void* self, const FfiAny* arguments, int32_t count, FfiAny* result) = nullptr;
  void* cppCall = nullptr;

  Kind kind = Kind::Ignored;
  std::string name;
  const protocol::JobModule* module = nullptr; ///< for a kernel
  const protocol::JobKernel* kernel = nullptr;
  void* host = nullptr;          ///< for a host function
  const void* builtin = nullptr; ///< for a function of the program that runs
  std::unique_ptr<Kernel> loaded;
};

/// The TVM runtime as one library sees it: answers the calls that the shim forwards. One per process; from `install`
/// on, the functions of the shim's table know its address.
class Runtime {
public:
  Runtime(const protocol::Job& job, std::filesystem::path folder);
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  /// Makes this object answer, and loads the shim. Error: RUN-LOAD.
  Result<Done> install();
  /// From now on, lookups find the functions of the library.
  void useLibrary(const HostLibrary& library) { m_library = &library; }
  /// From now on, launches are executed there instead of only being reported.
  void useBackend(Backend& backend) { m_backend = &backend; }
  Backend* backend() { return m_backend; }
  /// From now on, lookups also find the built-in functions of this program.
  void useProgram(ProgramAnswers& program) { m_program = &program; }

  /// What follows belongs to this call. `reportsLaunches`: launches are sent as events; `timing`: with device events
  /// around them.
  void begin(Memory& memory, bool reportsLaunches, bool timing);
  /// From now on, nothing belongs to a call.
  void end();
  /// Returns the number of launches since begin().
  uint64_t launches() const { return m_launches; }
  /// Returns the names of the timed launches since begin(), in order.
  const std::vector<std::string>& launched() const { return m_launched; }
  /// Whether takeProblem() or takeRaised() has something; asking is cheap.
  bool hasTrouble() const { return m_hasTrouble; }
  /// Keeps a problem for takeProblem(). Returns -1, the code of a call that failed.
  int refuse(Error error);
  /// Returns the problem in one of our answers, if there was one.
  std::optional<Error> takeProblem();
  /// Returns the error that the library itself set.
  std::string takeRaised();
  /// Returns a symbol that a library without its own table has registered; null if there is none.
  void* registered(const std::string& name) const;

  /// Loads a kernel if it is not loaded yet. Errors: those of the back end.
  Result<Kernel*> ready(FunctionHandle& handle);
  /// Returns the handle of a kernel by name; null if no table contains it.
  FunctionHandle* kernel(const std::string& name);

private:
  friend struct ShimAnswers;
  FunctionHandle* lookUp(const std::string& name);
  FunctionHandle& add(FunctionHandle::Kind kind, const std::string& name);
  int launch(FunctionHandle& handle, std::span<const PackedValue> values);
  Result<Done> launchNow(FunctionHandle& handle, std::span<const PackedValue> values);
  int setDevice(int deviceType);
  void raise(std::string text);

  const protocol::Job& m_job;
  std::filesystem::path m_folder;
  const HostLibrary* m_library = nullptr;
  Backend* m_backend = nullptr;
  ProgramAnswers* m_program = nullptr;
  Memory* m_memory = nullptr;
  bool m_reportsLaunches = false;
  bool m_timing = false;
  uint64_t m_launches = 0;
  std::vector<std::string> m_launched;

  mutable std::recursive_mutex m_lock; ///< threads of parallel launches call it too
  std::deque<FunctionHandle> m_handles;
  std::unordered_map<std::string, FunctionHandle*> m_byName;
  std::map<std::string, void*> m_registered;
  std::map<std::string, Bytes> m_files; ///< module data by path
  std::optional<Error> m_problem;
  std::string m_raised;
  std::atomic<bool> m_hasTrouble = false; ///< m_problem or m_raised is set
};

} // namespace blobscope::runner
