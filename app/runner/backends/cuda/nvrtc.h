#pragma once

#include "app/runner/backends/cuda/api.h"
#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/process/tools.h"

#include <string>
#include <string_view>
#include <vector>

namespace blobscope::runner::cuda {

/// Where NVRTC is looked for; `named` is a toolkit, its bin or lib64, or the site-packages of a Python.
using NvrtcSearch = process::ToolSearch;

/// Files to try, in order, a bare name (which the system's loader looks up) among them. Looks at folders only.
std::vector<std::string> nvrtcCandidates(const NvrtcSearch& search);

struct Compiled {
  Bytes image; ///< a cubin, or PTX when this NVRTC does not know the device
  std::string log;
};

/// NVIDIA's compiler of CUDA C as a library.
class Nvrtc {
public:
  /// TOOL-MISSING with the places that were searched in vain.
  static Result<Nvrtc> open(const NvrtcSearch& search);

  /// Machine code for exactly that sm number, or PTX for the largest one below it that this NVRTC knows. `more`:
  /// options besides the architecture and the toolkit's headers. RUN-BUILD with the log.
  Result<Compiled> compile(std::string_view source, std::string_view name, uint32_t sm,
                           const std::vector<std::string>& more = {}) const;
  /// "NVRTC 13.0 (/usr/local/cuda/lib64/libnvrtc.so.13)".
  std::string text() const;

private:
  NvrtcApi m_api;
  std::string m_path;
  int m_major = 0, m_minor = 0;
  std::vector<std::string> m_includes; ///< folders with cuda_fp16.h
};

} // namespace blobscope::runner::cuda
