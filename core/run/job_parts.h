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

/// Parts of a job that several plans need. Only for core/run.
namespace blobscope::run {

/// Returns a job with that mode and with device, limits and measuring from the options.
protocol::Job jobOf(protocol::Mode mode, const RunOptions& options);

/// Adds the tensor's bytes to `total`, the bytes of one call. Error: RUN-MEMORY above the limit.
Result<Done> addBytes(const protocol::JobTensor& tensor, const protocol::JobLimits& limits, uint64_t& total);

/// Returns DLPack's type for a type name as TVM writes it; nothing if it is not a type. `abi`: of the host code, if
/// there is any.
std::optional<protocol::DataType> jobType(std::string_view name, std::optional<host::Abi> abi);

/// Returns the argument from which the runner makes a scalar of that type with these bits; bits above the type's own do
/// not count.
protocol::JobArgument scalarOf(uint64_t bits, protocol::DataType type);

/// Names the files of the tensor that is argument `argument` of call `call` and writes its initial content to `folder`:
/// generated, or from the file that the options name, in NumPy's format or raw. Errors: RUN-INPUT, FILE-…, Cancelled.
Result<Done> writeInput(protocol::JobTensor& tensor, std::size_t call, std::size_t argument, const RunOptions& options,
                        const std::filesystem::path& folder, Monitor& monitor);

/// Checks the initial content that the options name for the tensor, without writing it: for dry runs. Errors:
/// RUN-INPUT, FILE-….
Result<Done> checkInput(const protocol::JobTensor& tensor, const RunOptions& options);

/// Returns a device module with the table of its functions, in table order; its code is written to `folder` if it is
/// `used`. `number`: of the module in the job. Errors: FILE-WRITE, Cancelled.
Result<protocol::JobModule> jobModule(const library::Module& module, bool used, std::size_t number,
                                      const std::filesystem::path& folder, std::optional<host::Abi> abi,
                                      Monitor& monitor);

} // namespace blobscope::run
