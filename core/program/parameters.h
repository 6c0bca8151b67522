#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/payloads/tensor/tensor_table.h"
#include "core/program/model.h"

#include <filesystem>
#include <span>

namespace blobscope::program {

/// Reads a file that TVM's save_params writes.
/// Source: core/formats/blob.md 10; apache/tvm v0.8 – v0.25 src/runtime/file_utils.cc, SaveParams. Errors: those of
/// payloads::readParams(); RUN-PROGRAM for a tensor with a negative dimension; Cancelled.
Result<Parameters> readParameters(const Bytes& file, Monitor& monitor);

/// Reads all NumPy files (`NAME.npy`) of a folder, without folders inside it, in the order of their names. NAME is the
/// name of the parameter; if all names begin with a number as write::exportFolder() puts it ("000-p0.npy"), it does not
/// belong to the name. Other files are ignored. Errors: FILE-NOT-READABLE; those of ByteSource::openFile() and
/// payloads::readNpy(); RUN-PROGRAM when there is no such file; FILE-LIMIT; Cancelled.
Result<Parameters> readParameterFolder(const std::filesystem::path& folder, Monitor& monitor);

/// Reads a file of save_params; or a folder: its index of tensors if it has one (tensor_cache.h), otherwise its NumPy
/// files; or such an index itself. Errors: those of the functions for them.
Result<Parameters> readParametersAt(const std::filesystem::path& path, Monitor& monitor);

/// The parameters that a module contains. Errors: RUN-PROGRAM for a tensor with a negative dimension; Cancelled.
Result<Parameters> parametersOf(std::span<const payloads::NamedTensor> tensors, Monitor& monitor);

} // namespace blobscope::program
