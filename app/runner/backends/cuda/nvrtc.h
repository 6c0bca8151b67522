#pragma once

#include "app/runner/backends/backend.h"
#include "app/runner/backends/cuda/api.h"
#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/process/tools.h"

#include <string>
#include <string_view>
#include <vector>

namespace blobscope::runner::cuda {

/// Where to search for NVRTC; `named` is a toolkit, its bin or lib64 folder, or the site-packages of a Python.
using NvrtcSearch = process::ToolSearch;

struct Compiled {
  Bytes image; ///< a cubin, or PTX if this NVRTC does not know the device
  std::string log;
};

/// NVIDIA's compiler for CUDA C as a library.
class Nvrtc {
public:
  /// Error: TOOL-MISSING with the places that were searched.
  static Result<Nvrtc> open(const NvrtcSearch& search);

  /// Compiles to machine code for exactly that sm number, or to PTX for the largest smaller one that this NVRTC knows.
  /// `more`: options in addition to the architecture and the toolkit's headers. Error: RUN-BUILD with the log.
  Result<Compiled> compile(std::string_view source, std::string_view name, uint32_t sm,
                           const std::vector<std::string>& more = {}) const;
  /// Compiles with exactly these options and the toolkit's headers, to PTX or to machine code. A source that does not
  /// compile is a result without an image. Error: RUN-BUILD when NVRTC does not accept the call.
  Result<CompilerOutput> build(std::string_view source, std::string_view name, const std::vector<std::string>& options,
                               bool machineCode) const;
  /// Returns "NVRTC 13.0 (/usr/local/cuda/lib64/libnvrtc.so.13)".
  std::string text() const;

private:
  NvrtcApi m_api;
  std::string m_path;
  int m_major = 0, m_minor = 0;
  std::vector<std::string> m_includes; ///< folders with cuda_fp16.h
};

} // namespace blobscope::runner::cuda
