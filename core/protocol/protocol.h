#pragma once

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/protocol/data_type.h"
#include "core/protocol/device_event.h"
#include "core/protocol/metadata_event.h"
#include "core/protocol/node_event.h"

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

/// Test runs: requests to the helper process, its events, how it ends.
namespace blobscope::protocol {

/// Number of the protocol; a runner with another number is refused.
constexpr uint64_t kProtocol = 1;
/// Longest line of an event without its newline.
constexpr std::size_t kLineBytes = 65'536;
/// Maximum number of entries in one list of an event: arguments of a launch, measured times.
constexpr std::size_t kEventItems = 5'000;

enum class Mode : uint8_t { Devices, Probe, Dry, Function, Kernel, Model, Metadata, Compile, Program };
enum class Role : uint8_t { In, Out, InOut };

/// A tensor argument. Files are raw little-endian bytes of exactly dataBytes(); names are relative to the job's folder.
struct JobTensor {
  std::string name;
  DataType type;
  std::vector<int64_t> shape; ///< outermost first
  int deviceType = 1;         ///< DLPack: 1 CPU, 2 CUDA, 4 OpenCL, 7 Vulkan …
  Role role = Role::In;
  std::string input;  ///< file with its initial content; empty: `fill`
  uint8_t fill = 0;   ///< value of every byte
  std::string output; ///< file for its content after the first run; empty: not written
  friend bool operator==(const JobTensor&, const JobTensor&) = default;
};

struct JobArgument {
  /// Shape: the extents in `tensor`; Tuple: `items`; Result: what `function` of the program returns without arguments.
  /// These only in mode Program.
  enum class Kind : uint8_t { Tensor, Integer, Float, Boolean, Null, Shape, Tuple, Result };
  Kind kind = Kind::Integer;
  JobTensor tensor;
  int64_t integer = 0; ///< Boolean: 0 or 1
  double real = 0;     ///< all bits are preserved
  std::vector<JobArgument> items = {};
  std::string function = {};
  friend bool operator==(const JobArgument&, const JobArgument&) = default;
};

/// Grid and block sizes of a launch in mode Kernel.
struct Extents {
  std::array<uint64_t, 3> grid = {1, 1, 1};
  std::array<uint64_t, 3> block = {1, 1, 1};
  std::array<uint64_t, 3> cluster = {1, 1, 1};
  uint64_t dynamicShared = 0; ///< bytes
  friend bool operator==(const Extents&, const Extents&) = default;
};

/// One call of a host function, or one launch in mode Kernel. One process makes the calls of a job in order.
struct JobCall {
  std::string function; ///< without `__tvm_ffi_`; in mode Kernel the kernel's name; in mode Metadata the getter's
  std::vector<JobArgument> arguments;
  Extents extents; ///< mode Kernel only
  std::string results =
      {}; ///< modes Model, Program: prefix of the files of its results (".0" and so on follow); empty: not kept
  friend bool operator==(const JobCall&, const JobCall&) = default;
};

/// A row of a device module's function table.
struct JobKernel {
  std::string name;
  std::vector<DataType> arguments;       ///< as stored in the table, in DLPack's numbering
  std::vector<std::string> tags;         ///< "blockIdx.x" …
  std::vector<int32_t> extraTags;        ///< 1: tensor map; one per argument, or empty
  std::vector<std::string> launchFields; ///< after TVM 0.27, instead of tags: "grid.x" …, with one value each
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

/// Limits of a job; 0 means no limit. core/formats/host-abi.md 7.4.
struct JobLimits {
  uint64_t memoryBytes = uint64_t{4} << 30;  ///< of all tensors of one call
  uint64_t addressBytes = uint64_t{8} << 30; ///< RLIMIT_AS; RLIMIT_DATA with a driver of NVIDIA, which reserves more
  uint64_t fileBytes = uint64_t{4} << 30;    ///< RLIMIT_FSIZE
  uint64_t loadMs = 20'000;                  ///< dlopen with constructors, driver start
  uint64_t buildMs = 120'000;                ///< one kernel's compilation and loading
  uint64_t runMs = 30'000;                   ///< one call, launch or wait
  uint64_t launches = 10'000;                ///< maximum number reported per call; further ones are only counted
  friend bool operator==(const JobLimits&, const JobLimits&) = default;
};

struct JobOptions {
  bool continueUnknown = false; ///< dry run: unknown global functions do nothing
  bool widenHalf = false;       ///< OpenCL: fp16 in float32
  bool lazyBind = false;        ///< RTLD_LAZY
  friend bool operator==(const JobOptions&, const JobOptions&) = default;
};

/// The whole request to the runner. Written by this program, read by the runner.
struct Job {
  Mode mode = Mode::Dry;
  std::string library; ///< the private copy; empty in modes Devices and Kernel
  std::string abi;     ///< host::abiName
  std::vector<JobCall> calls;
  std::vector<JobModule> modules;
  /// "", "cuda", "vulkan", "opencl"; empty in mode Devices: all of them; in mode Compile "nvrtc", "nvjitlink", "opencl"
  std::string backend;
  int device = 0;
  std::string driverPath;                 ///< empty: the system's
  std::string architecture;               ///< mode Compile: "sm_90", "compute_90"; its source is in `library`
  std::vector<std::string> flags;         ///< mode Compile: of the compiler
  std::vector<std::string> runtime;       ///< mode Model: the libraries of a TVM runtime in load order
  std::string program;                    ///< mode Program: file with the program (program.h), in the job's folder
  std::vector<std::string> taps;          ///< mode Program: nodes whose outputs are kept, by name, function,
                                          ///< number or range of numbers such as "3-7"; "*" is all of them
  uint64_t tapBytes = 0;                  ///< mode Program: of all kept outputs together
  bool timed = false;                     ///< measure after the first run
  std::optional<uint32_t> repeat, warmup; ///< otherwise as in core/formats/host-abi.md 7.4; at most kEventItems
  JobLimits limits;
  JobOptions options;
  friend bool operator==(const Job&, const Job&) = default;
};

/// Whether a node of a model is one of those that an entry of Job::taps names.
bool isTapOf(std::string_view tap, std::string_view name, std::string_view function, uint64_t number);

/// JSON text of a job.
std::string writeJob(const Job& job);
/// Reads a job. RUN-PROTOCOL when the text is not one, or one of another protocol.
Result<Job> readJob(const Bytes& text);

/// The next step of the runner. In the order of a run; launch, sync, readback and host-call alternate.
enum class Stage : uint8_t { Preflight, Limits, Dlopen, Init, Driver, Module, Alloc, HostCall, Launch, Sync, Readback };
/// "preflight" … "readback".
std::string_view stageName(Stage stage);

struct Hello {
  uint64_t protocol = 0;
  uint64_t pid = 0;
  std::string version;
};
/// Sent before each risky step. `call` is an index into Job::calls; nothing outside of calls.
struct StageEntered {
  Stage stage = Stage::Preflight;
  std::optional<uint64_t> call;
};
struct LogLine {
  std::string text;
};
/// What probing found out about one argument. Empty texts and nothing mean unknown.
struct ProbedArgument {
  std::string name;
  std::string kind;  ///< "tensor", "int", "float", "bool", "pointer" or empty
  std::string dtype; ///< "float32"
  bool rankKnown = false;
  std::vector<std::string> shape; ///< numbers as digits, variables as names, "" for unknown
  std::optional<uint64_t> deviceType;
};
struct ProbedSignature {
  uint64_t call = 0;
  uint64_t tries = 0;
  bool accepted = false; ///< the last call succeeded
  std::string literal;   ///< TVM 0.24 and later: the whole signature as the function itself prints it
  std::vector<ProbedArgument> arguments;
};
/// A value that was passed to a kernel: a pointer into a tensor, or a scalar's bits.
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
  bool kernel = false;              ///< time on the device of one launch; else wall-clock time of the whole call
  std::string name;                 ///< the kernel or the function
  uint64_t launch = 0;              ///< kernel: index of the launch in the call
  std::vector<double> microseconds; ///< in the order of the runs; three decimals
};
struct TensorWritten {
  uint64_t call = 0;
  std::string name;
  uint64_t argument = 0;
  std::string file; ///< Job's output; empty when it was only checked
  uint64_t bytes = 0;
  uint64_t overrunBefore = 0, overrunAfter = 0; ///< bytes changed outside of it
  std::optional<DataType> type = {}; ///< mode Model: of a result, whose index is `argument`; else it is in the job
  std::vector<int64_t> shape = {};   ///< with `type`
};
struct CallEnded {
  uint64_t call = 0;
  std::string function;
  int64_t code = 0;      ///< return value of the function; 0 is success
  uint64_t launches = 0; ///< in the first run, reported or not
};
struct ErrorReported {
  std::string id; ///< "RUN-…"
  std::string message;
  std::optional<uint64_t> call;
};
/// Sent by the signal handler. A second one with the frame may follow.
struct Crash {
  uint64_t signal = 0;
  uint64_t address = 0;                  ///< accessed address, for SEGV and BUS
  std::optional<uint64_t> libraryOffset; ///< of the innermost frame inside the library
  Stage stage = Stage::Preflight;
  std::optional<uint64_t> call;
};
/// Exit codes of the runner other than 0. In mode Compile: the compiler is missing, the source does not compile.
constexpr int kLoadFailed = 2, kNoDevice = 3, kDeviceError = 4, kCallFailed = 5;
struct Finished {
  int64_t code = 0; ///< the exit code that follows
};

/// One line of the runner's output.
using Event = std::variant<Hello, DeviceFound, StageEntered, LogLine, ProbedSignature, LaunchEvent, TimesMeasured,
                           TensorWritten, CallEnded, ErrorReported, Crash, Finished, MetadataRead, NodeRan, NodeTimes>;

/// One line without its newline, at most kLineBytes: texts are shortened, and bytes that are not text are escaped.
std::string writeEvent(const Event& event);
/// Reads an event. RUN-PROTOCOL for everything except one event with exactly its members.
Result<Event> readEvent(std::string_view line);

} // namespace blobscope::protocol
