#pragma once

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/protocol/metadata_event.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// Test runs: what is asked of the helper process, what it says, how it ends.
namespace blobscope::protocol {

/// Number of the protocol; a runner of another one is refused.
constexpr uint64_t kProtocol = 1;
/// Longest line of an event without its newline.
constexpr std::size_t kLineBytes = 65'536;
/// Most entries of one list in an event: arguments of a launch, measured times.
constexpr std::size_t kEventItems = 5'000;

/// DLPack's data type; code 0 int, 1 uint, 2 float, 3 handle, 4 bfloat, 6 bool, above that the small floats.
struct DataType {
  uint8_t code = 0;
  uint8_t bits = 0;
  uint16_t lanes = 1;
  friend bool operator==(const DataType&, const DataType&) = default;
};

/// Bytes of `count` elements; sub-byte types are packed, one-bit unsigned (bool) takes a byte each. Nothing when it
/// does not fit. Source: apache/tvm-ffi 0.1 include/tvm/ffi/container/tensor.h, GetDataSize.
std::optional<uint64_t> dataBytes(DataType type, const std::vector<int64_t>& shape);

enum class Mode : uint8_t { Devices, Probe, Dry, Function, Kernel, Model, Metadata };
enum class Role : uint8_t { In, Out, InOut };

/// A tensor argument. Files are raw little-endian bytes of exactly dataBytes(); names are relative to the job's folder.
struct JobTensor {
  std::string name;
  DataType type;
  std::vector<int64_t> shape; ///< outermost first
  int deviceType = 1;         ///< DLPack: 1 CPU, 2 CUDA, 4 OpenCL, 7 Vulkan …
  Role role = Role::In;
  std::string input;  ///< file with its first content; empty: `fill`
  uint8_t fill = 0;   ///< every byte
  std::string output; ///< file that its content is written to after the first run; empty: nowhere
  friend bool operator==(const JobTensor&, const JobTensor&) = default;
};

struct JobArgument {
  enum class Kind : uint8_t { Tensor, Integer, Float, Boolean, Null };
  Kind kind = Kind::Integer;
  JobTensor tensor;
  int64_t integer = 0; ///< Boolean: 0 or 1
  double real = 0;     ///< any bits survive the way
  friend bool operator==(const JobArgument&, const JobArgument&) = default;
};

/// Extents that mode Kernel launches with.
struct Extents {
  std::array<uint64_t, 3> grid = {1, 1, 1};
  std::array<uint64_t, 3> block = {1, 1, 1};
  std::array<uint64_t, 3> cluster = {1, 1, 1};
  uint64_t dynamicShared = 0; ///< bytes
  friend bool operator==(const Extents&, const Extents&) = default;
};

/// One call of a host function, or one launch in mode Kernel. A job's calls run one after the other in one process.
struct JobCall {
  std::string function; ///< without `__tvm_ffi_`; the kernel's name in mode Kernel; the getter's in mode Metadata
  std::vector<JobArgument> arguments;
  Extents extents;          ///< mode Kernel only
  std::string results = {}; ///< mode Model: names the files of what it returns, with ".0" and on; empty: not kept
  friend bool operator==(const JobCall&, const JobCall&) = default;
};

/// A row of a device module's function table.
struct JobKernel {
  std::string name;
  std::vector<DataType> arguments;       ///< as the table says, in DLPack's numbering
  std::vector<std::string> tags;         ///< "blockIdx.x" …
  std::vector<int32_t> extraTags;        ///< 1 tensor map; as many as arguments, or none
  std::vector<std::string> launchFields; ///< after TVM 0.27, instead of tags: "grid.x" …, a value for each
  std::string image;                     ///< Vulkan: file with the kernel's SPIR-V; else empty
  bool uniformScalars = false;           ///< Vulkan: bit 0 of the shader's flag
  friend bool operator==(const JobKernel&, const JobKernel&) = default;
};

struct JobModule {
  std::string kind;   ///< type key: "cuda", "vulkan", "opencl", "metal" …
  std::string format; ///< "ptx", "cubin", "fatbin", "cuda", "spirv", "cl"
  std::string data;   ///< file; empty for Vulkan and dry runs
  std::vector<JobKernel> kernels;
  friend bool operator==(const JobModule&, const JobModule&) = default;
};

/// Test-run.md 7.4. 0 means none.
struct JobLimits {
  uint64_t memoryBytes = uint64_t{4} << 30;  ///< of all tensors of one call
  uint64_t addressBytes = uint64_t{8} << 30; ///< RLIMIT_AS; not with a CUDA driver, which reserves more
  uint64_t fileBytes = uint64_t{4} << 30;    ///< RLIMIT_FSIZE
  uint64_t loadMs = 20'000;                  ///< dlopen with constructors, driver start
  uint64_t buildMs = 120'000;                ///< one kernel's compilation and loading
  uint64_t runMs = 30'000;                   ///< one call, launch or wait
  uint64_t launches = 10'000;                ///< told per call; the rest is counted only
  friend bool operator==(const JobLimits&, const JobLimits&) = default;
};

struct JobOptions {
  bool continueUnknown = false; ///< dry run: unknown global functions do nothing
  bool widenHalf = false;       ///< OpenCL: fp16 in float32
  bool lazyBind = false;        ///< RTLD_LAZY
  friend bool operator==(const JobOptions&, const JobOptions&) = default;
};

/// All that the runner is told. Written by this program, read by the runner.
struct Job {
  Mode mode = Mode::Dry;
  std::string library; ///< the private copy; empty in modes Devices and Kernel
  std::string abi;     ///< host::abiName
  std::vector<JobCall> calls;
  std::vector<JobModule> modules;
  std::string backend; ///< "", "cuda", "vulkan", "opencl"; empty in mode Devices: all of them
  int device = 0;
  std::string driverPath;                 ///< empty: the system's
  std::vector<std::string> runtime;       ///< mode Model: the libraries of a TVM runtime in the order of their loading
  bool timed = false;                     ///< measure after the first run
  std::optional<uint32_t> repeat, warmup; ///< else by core/formats/host-abi.md 7.4; at most kEventItems
  JobLimits limits;
  JobOptions options;
  friend bool operator==(const Job&, const Job&) = default;
};

/// JSON text of a job.
std::string writeJob(const Job& job);
/// RUN-PROTOCOL when it is none or of another protocol.
Result<Job> readJob(const Bytes& text);

/// What the runner is about to do. In the order of a run; launch, sync, readback and host-call alternate.
enum class Stage : uint8_t { Preflight, Limits, Dlopen, Init, Driver, Module, Alloc, HostCall, Launch, Sync, Readback };
/// "preflight" … "readback".
std::string_view stageName(Stage stage);

struct Hello {
  uint64_t protocol = 0;
  uint64_t pid = 0;
  std::string version;
};
struct DeviceFound {
  std::string kind;
  uint32_t index = 0;
  std::string name, driver;
  uint64_t memoryBytes = 0;
  bool isCpu = false;
  std::vector<std::pair<std::string, std::string>> facts;
};
/// Said before each risky step. `call` indexes Job::calls; nothing outside of calls.
struct StageEntered {
  Stage stage = Stage::Preflight;
  std::optional<uint64_t> call;
};
struct LogLine {
  std::string text;
};
/// What probing learnt of one argument. Empty texts and nothing mean: not learnt.
struct ProbedArgument {
  std::string name;
  std::string kind;  ///< "tensor", "int", "float", "bool", "pointer" or empty
  std::string dtype; ///< "float32"
  bool rankKnown = false;
  std::vector<std::string> shape; ///< numbers as digits, variables as names, "" unknown
  std::optional<uint64_t> deviceType;
};
struct ProbedSignature {
  uint64_t call = 0;
  uint64_t tries = 0;
  bool accepted = false; ///< the last call went through
  std::string literal;   ///< TVM 0.24 and later: the whole signature as the function itself prints it
  std::vector<ProbedArgument> arguments;
};
/// A value that a kernel was launched with: a place in a tensor, or a scalar's bits.
struct LaunchArgument {
  std::optional<std::string> tensor; ///< its name; "" is a pointer into no known tensor
  uint64_t value = 0;                ///< offset in the tensor, the scalar's bits, or the unknown pointer
  DataType type;                     ///< of scalars
};
struct LaunchEvent {
  uint64_t call = 0;
  std::string kernel;
  Extents extents;
  bool programmatic = false;
  bool cooperative = false;
  std::vector<LaunchArgument> arguments;
};
struct TimesMeasured {
  uint64_t call = 0;
  bool kernel = false; ///< time on the device of one launch; else of the whole call by the clock on the wall
  std::string name;    ///< the kernel or the function
  uint64_t launch = 0; ///< kernel: which launch of the call
  std::vector<double> microseconds; ///< in the order of the runs; three decimals
};
struct TensorWritten {
  uint64_t call = 0;
  std::string name;
  uint64_t argument = 0;
  std::string file; ///< Job's output; empty when it was only checked
  uint64_t bytes = 0;
  uint64_t overrunBefore = 0, overrunBehind = 0; ///< bytes changed outside of it
  std::optional<DataType> type = {}; ///< mode Model: of a result, which `argument` counts; else the job says it
  std::vector<int64_t> shape = {};   ///< with `type`
};
struct CallEnded {
  uint64_t call = 0;
  std::string function;
  int64_t code = 0;      ///< what it returned; 0 is success
  uint64_t launches = 0; ///< of the first run, told or not
};
struct ErrorSaid {
  std::string id; ///< "RUN-…"
  std::string message;
  std::optional<uint64_t> call;
};
/// Written by the signal handler. A second one may follow with the frame.
struct Crash {
  uint64_t signal = 0;
  uint64_t address = 0;                  ///< that was touched, of SEGV and BUS
  std::optional<uint64_t> libraryOffset; ///< of the innermost frame inside the library
  Stage stage = Stage::Preflight;
  std::optional<uint64_t> call;
};
struct Finished {
  int64_t code = 0; ///< the exit code that follows: 0, 2 load failed, 3 device missing, 4 device error, 5 a call failed
};

/// One line of the runner's output.
using Event = std::variant<Hello, DeviceFound, StageEntered, LogLine, ProbedSignature, LaunchEvent, TimesMeasured,
                           TensorWritten, CallEnded, ErrorSaid, Crash, Finished, MetadataRead>;

/// One line without its newline, at most kLineBytes: texts are shortened and bytes that are no text escaped.
std::string writeEvent(const Event& event);
/// RUN-PROTOCOL for anything but one event with exactly its members.
Result<Event> readEvent(std::string_view line);

} // namespace blobscope::protocol
