#pragma once

#include "core/base/bytes.h"
#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/process/confine.h"
#include "core/process/tools.h"

#include <cstdint>
#include <string>

namespace blobscope::process {

struct SassOptions {
  ToolSearch search = ToolSearch::fromEnvironment();
  uint64_t timeoutMs = 60'000;
  uint64_t outputBytes = uint64_t{256} << 20;
};

struct SassListing {
  std::string text;     ///< as nvdisasm prints it
  Layers confined = {}; ///< what confined nvdisasm
};

/// The machine instructions of a cubin (an ELF file for the device, not the fat binary around it) as nvdisasm prints
/// them: of one kernel, or of all when `kernelOrEmpty` is empty. nvdisasm reads untrusted bytes, so it runs confined:
/// without this program's environment, sockets and other processes, with limits, in a separate folder. TOOL-MISSING
/// when there is no nvdisasm: the message says which package contains it and where it was searched. TOOL-FAILED when it
/// refuses the file (its message is passed on: it may be too new or too old for the device), does not end in time or
/// prints too much. REF-NOT-FOUND when the cubin has no such kernel. FILE-WRITE; Cancelled.
Result<SassListing> disassembleSass(const Bytes& cubin, const std::string& kernelOrEmpty, Monitor& monitor,
                                    const SassOptions& options = {});

/// The same as one text, as a syntax::SassDisassembler: its first line is a comment that says how nvdisasm was run.
Result<std::string> listSass(const Bytes& cubin, const std::string& kernelOrEmpty, Monitor& monitor);

} // namespace blobscope::process
