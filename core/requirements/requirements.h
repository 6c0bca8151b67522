#pragma once

#include "core/base/extent.h"
#include "core/base/monitor.h"
#include "core/base/ref.h"
#include "core/base/result.h"
#include "core/library/device_images.h"
#include "core/library/linking.h"
#include "core/library/package.h"
#include "core/requirements/loader_needs.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What a library needs from the runtime that loads it and from the device that runs its kernels, by reading it only.
/// Source: core/formats/load-requirements.md.
namespace blobscope::requirements {

/// A pointer that the runtime fills in when it has loaded the library.
struct Slot {
  std::string name;
  Ref ref;
  /// The functions whose code calls through it; empty when none does, or when `callersKnown` is false.
  std::vector<std::string> callers;
  bool callersKnown = false; ///< the host code could be read
};

struct CarrierSymbol {
  std::string name;   ///< "__tvm_dev_mblob", without prefix
  std::string prefix; ///< of a system library
  Ref ref;
};

/// A module record, in stored order.
struct LoadedModule {
  std::string key;    ///< as stored
  std::string layout; ///< Body::layout()
  std::string format; ///< "ptx"; empty when it declares none
  Ref ref;
  bool decoded = true;
  bool damaged = false; ///< it is not decoded although its kind is known
};

/// The executable of a virtual machine.
struct Executable {
  bool relay = false;
  std::optional<uint64_t> magic; ///< nothing when the bytes are damaged before it
  std::string version;           ///< "0.14", "0.8.0"
  /// The numberings of tags with which the constants of Relax can be read: "classic", "2025a", "2025b". All when there
  /// are no constants; none when the constants cannot be read.
  std::vector<std::string> pools;
  std::string damage; ///< why the executable cannot be read; empty when it can
  std::size_t imports = 0;
  Ref ref;
};

/// A function that the library looks up by name.
struct NeededFunction {
  enum class Place : uint8_t {
    RelaxPacked,   ///< function table, kind 0: when the machine is made; in modules, then in the registry
    RelaxCompiled, ///< kind 2: when the machine is made; in modules only
    RelayPrimitive,
    Graph, ///< when the graph executor is made; in modules only
    Host   ///< at the first call; in modules, then in the registry
  };
  Place place = Place::RelaxPacked;
  std::string name;
  std::string caller;       ///< the function that calls it; empty for the whole module
  bool definedHere = false; ///< a module or the host code of the library defines it
  Ref ref;                  ///< of the caller or the module
};

/// Calls of one function with one number of arguments, from bytecode of the Relax VM. Source:
/// core/formats/load-requirements.md 8.2.
struct NeededCall {
  std::string function;
  uint64_t arguments = 0;
  uint64_t times = 0;
  std::string caller;                             ///< the VM function with the first of these calls
  uint64_t instruction = 0;                       ///< of the first one, in the executable
  std::vector<std::string> callers;               ///< all VM functions with such calls
  std::vector<std::optional<int64_t>> immediates; ///< of the first call: values of arguments that are immediates
  Ref ref;                                        ///< of the caller
};

/// A launchable kernel and what it demands.
struct NeededKernel {
  std::string name;
  std::string moduleKey;
  Ref ref;
  std::vector<std::string> launchTags;
  std::optional<uint32_t> registers;
  std::optional<uint64_t> sharedBytes; ///< static, per block
  std::optional<uint64_t> threads;     ///< of the largest or required block
  std::optional<uint64_t> pushConstants;
  std::optional<uint64_t> storageBuffers;
  bool secondInfo = false; ///< described in the second form of FunctionInfo, after v0.27
};

/// An image or text of device code.
struct DeviceCode {
  std::string moduleKey; ///< "cuda"; of images outside a blob "cuda" or "hip"
  enum class Kind : uint8_t {
    Cubin,
    Ptx,
    CudaSource,
    HsaCo,
    Spirv,
    OpenClSource,
    OpenClBinary,
    MetalSource,
    MetalLib,
    Wgsl,
    LtoIr, ///< of CUDA; the driver compiles it
    Other
  };
  Kind kind = Kind::Other;
  std::string target;   ///< "sm_90a", "gfx1100", "gfx90a:sramecc+:xnack-"
  uint32_t version = 0; ///< of PTX: 84 for 8.4; of SPIR-V: 0x00010300; of the toolkit elsewhere: 0
  std::string toolkit;  ///< "CUDA 12.8"
  uint64_t bytes = 0;
  std::vector<std::string> capabilities; ///< SPIR-V: "Float16"; OpenCL: "cl_khr_fp16"; WGSL: "f16"
  Ref ref;
  std::optional<uint32_t> image;    ///< number in Requirements::images; nothing for code in a blob
  std::vector<std::string> kernels; ///< of code outside blobs
  bool kernelsKnown = false;        ///< `kernels` could be read
};

/// An image in the data of a host file. Its code is in Requirements::code.
struct HostImage {
  Ref ref;              ///< its bytes
  std::string title;    ///< "image 'my_kernels'", "the image at 0xb000 in .rodata"
  bool named = false;   ///< its author gave it a name
  uint32_t package = 0; ///< number of its file: that of the requirements has 0, its members follow
  Extent extent;        ///< in that file
  library::DeviceImage::Loaded loaded = library::DeviceImage::Loaded::ByCode;
};

/// A function of the host code that needs code of images, directly or through functions that it calls. Host code can
/// also call functions in ways that reading it does not show, so there may be more.
struct ImageUse {
  uint32_t function = 0;         ///< number in Requirements::imageFunctions
  std::optional<uint32_t> image; ///< number in Requirements::images of an image that host code loads
  std::string kernel;            ///< of an image that is registered at start-up; empty with `image`
  uint32_t package = 0;          ///< as of HostImage
};

struct Requirements {
  std::string path;
  uint64_t size = 0;
  bool ofTvm = false;         ///< it has a blob, or host code of TVM
  std::string format;         ///< "elf", the word of the command line
  std::string formatTitle;    ///< "ELF", for people
  std::string architecture;   ///< "x86_64"
  std::string kind;           ///< "shared"
  std::string extension;      ///< of the path: "so"
  std::string damage;         ///< why the system cannot load the file; empty when nothing is wrong
  std::string damagePrinted;  ///< what its loader prints after the path; empty when that is not known
  bool damageCrashes = false; ///< the process ends instead
  /// Why the library may have functions that are not known here: "module 'cuda' is damaged". Empty when it has none.
  std::string hiddenFunctions;
  std::string binary;                 ///< "elf": the format of the machine code, also in an archive; empty without
  unsigned bits = 0;                  ///< of its machine code: 32, 64
  std::string system;                 ///< "linux", "android", "windows", "macos"; empty when the file does not tell
  std::string cpu;                    ///< "x86-64-v3": what the file says its code needs; empty when it says nothing
  std::vector<std::string> libraries; ///< DT_NEEDED and what other formats have, in stored order
  std::vector<std::string> runPaths;  ///< where the system looks for them in addition
  bool inheritsRunPaths = false;      ///< these also hold for the libraries that they need (DT_RPATH)
  std::string newestGlibc;            ///< "2.28"
  std::vector<NeededVersion> versions;
  bool bindsAtOnce = false;         ///< DF_BIND_NOW
  std::string badStart, badEnd;     ///< a function that the loader calls is not in code; empty when all are
  std::vector<StartUpCall> startUp; ///< in the order of the calls
  std::string startUpUnknown;       ///< why start-up code may make other calls; empty when all was read
  /// A C source that includes a header of TVM, so that it compiles only where that is found.
  struct SourceFile {
    std::string member, header; ///< "lib0.c", "tvm/runtime/base.h"
    uint64_t line = 0;
  };
  std::vector<SourceFile> sources;
  std::vector<std::string> wasmFeatures; ///< of WebAssembly, which the browser must have: "simd128"
  std::string hostAbi;                   ///< "ffi4"
  std::string era;                       ///< of the first blob: "C1"
  std::vector<NeededSymbol> symbols;
  std::vector<Slot> slots;
  std::vector<CarrierSymbol> carriers;
  std::vector<library::SystemLibrary> systemLibraries; ///< by prefix, each once; of all members
  std::vector<LoadedModule> modules;
  std::vector<Executable> executables;
  std::vector<NeededFunction> functions;
  std::vector<NeededCall> calls;
  std::vector<std::string> deviceApis; ///< "cuda", "opencl": devices that its code uses
  std::vector<NeededKernel> kernels;
  std::vector<DeviceCode> code;
  std::vector<HostImage> images; ///< device images outside blobs, in file order
  std::vector<ImageUse> imageUses;
  std::vector<std::string> imageFunctions;   ///< what files with images export: functions of TVM, or else all functions
  std::vector<std::string> definedFunctions; ///< sorted: what modules and host code define
};

/// Reads everything once; Names and bytes are those of the file. Error: only Cancelled.
Result<Requirements> requirementsOf(const library::PackagePtr& package, Monitor& monitor);

/// Which library has a function with that name, by the name alone; Other for unknown names.
NeededSymbol::Provider providerOfName(std::string_view name);

/// Functions of an ELF library that the system's loader calls although they are not in its code, one sentence each:
/// "DT_INIT is 0x2000, which is not in executable code: the process crashes when the library is loaded". Error: only
/// Cancelled.
Result<std::vector<std::string>> findBadEntries(const container::Image& image, Monitor& monitor);

/// Requirements::code alone, without reading host code. Error: only Cancelled.
Result<std::vector<DeviceCode>> deviceCodeOf(const library::PackagePtr& package, Monitor& monitor);
/// The same for one module, which may be in no blob: the refs of its code begin with `ref`. Error: only Cancelled.
Result<std::vector<DeviceCode>> deviceCodeOf(const library::Module& module, const Ref& ref, Monitor& monitor);

} // namespace blobscope::requirements
