#pragma once

/// Mode Compile: the files that the runner writes into the folder of the job. There is no image if the source does not
/// compile.
namespace blobscope::protocol {

constexpr char kCompilerFile[] = "compiler"; ///< its name and version as text
constexpr char kLogFile[] = "log";           ///< its output
constexpr char kImageFile[] = "image";       ///< PTX, a cubin; for OpenCL the source

} // namespace blobscope::protocol
