#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/host/host.h"
#include "core/library/blob.h"
#include "core/run/options.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>

/// Parts of a job that several plans need. Not for anyone else.
namespace blobscope::run {

/// A job of that mode with what the options say of device, limits and measuring.
protocol::Job jobOf(protocol::Mode mode, const RunOptions& options);

/// Adds the tensor's bytes to `total`, those of one call. RUN-MEMORY above the limit.
Result<Done> addBytes(const protocol::JobTensor& tensor, const protocol::JobLimits& limits, uint64_t& total);

/// DLPack's type of a name as TVM writes it; nothing for none. `abi`: of the host code, nothing without one.
std::optional<protocol::DataType> jobType(std::string_view name, std::optional<host::Abi> abi);

/// Names the files of a tensor that is argument `argument` of call `call` and writes its first content to `folder`,
/// made or from the .npy file that the options name. RUN-INPUT, FILE-…; Cancelled.
Result<Done> writeInput(protocol::JobTensor& tensor, std::size_t call, std::size_t argument, const RunOptions& options,
                        const std::filesystem::path& folder, Monitor& monitor);

/// A device module with the table of its functions, in its order; its code is written to `folder` when it is `used`.
/// `number`: of the module in the job. FILE-WRITE; Cancelled.
Result<protocol::JobModule> jobModule(const library::Module& module, bool used, std::size_t number,
                                      const std::filesystem::path& folder, std::optional<host::Abi> abi,
                                      Monitor& monitor);

} // namespace blobscope::run
