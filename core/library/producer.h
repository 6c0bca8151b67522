#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/container/image.h"
#include "core/host/host.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Which program made a library, and what a file is at all. Nothing is executed. Source of the signs:
/// core/formats/blob.md 11.4.
namespace blobscope::library {

/// What a file is for those who judge libraries.
enum class FileKind : uint8_t {
  Library,         ///< anything that a runtime may load, or that is at least worth a look
  Runtime,         ///< a runtime or compiler of TVM or tvm-ffi, or a part of one
  PythonExtension, ///< loaded by Python, not by a runtime
  Source,          ///< source text that defines no function for a runtime
  Other
};
/// "library", "runtime", "python-extension", "source", "other".
std::string_view fileKindName(FileKind kind);
/// "3 Python extensions", "1 runtime".
std::string fileKindCount(FileKind kind, uint64_t count);

/// The program that made a library.
struct Producer {
  std::string_view id;    ///< "tvm", "tvm-ffi", "tilelang", "cute-dsl", "flashinfer", "nvcc", "hipcc", "runtime"
  std::string_view title; ///< "CuTe DSL", "TVM runtime"
  std::string sign;       ///< what shows it: "it has symbols such as '__cute_internal_add_one_cuda_init'"
  bool ofTvm = true;      ///< false: the library has nothing that a runtime of TVM or tvm-ffi could use

  /// "made by CuTe DSL: it has symbols such as …", "TVM runtime: it exports 50 functions of TVM's C interface".
  std::string sentence() const;
};

/// The producer, of the first row of the table whose sign the image has; nothing when it has none of them. Names in
/// `sign` are escaped. `hasBlobs`: the image has carriers. Reads all symbols, of libraries with functions of tvm-ffi
/// also the read-only data. Error: only Cancelled.
Result<std::optional<Producer>> findProducer(const container::Image& image, const host::HostSymbols& host,
                                             bool hasBlobs, Monitor& monitor);
/// What a file with that content is. `registers`: it registers functions or classes when it is loaded.
FileKind fileKindOf(const container::Image& image, const host::HostSymbols& host, bool hasBlobs,
                    const std::optional<Producer>& producer);

/// Texts that look like names of global functions and classes: "xgrammar.Grammar". Only for libraries that register
/// these in start-up code, where which texts are names is not certain. In file order, at most 10,000; each once. Error:
/// only Cancelled.
Result<std::vector<std::string_view>> computeRegisteredNames(const container::Image& image, Monitor& monitor);

} // namespace blobscope::library
