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
/// payloads::readParams(); RUN-PARAMS for a tensor with a negative dimension; Cancelled.
Result<Parameters> readParameters(const Bytes& file, Monitor& monitor);

/// Reads the arrays of an archive that numpy.savez or numpy.savez_compressed writes, in stored order. Source:
/// numpy/lib/_npyio_impl.py v2.0, _savez: a zip with a member NAME.npy for each array. Errors: those of
/// container::readArchive() and payloads::readNpy(); RUN-PARAMS for other archives; Cancelled.
Result<Parameters> readNumpyArchive(const Bytes& file, Monitor& monitor);

/// Reads all NumPy files (`NAME.npy`) of a folder, without folders inside it, in the order of their names. NAME is the
/// name of the parameter; if all names begin with a number as write::exportFolder() puts it ("000-p0.npy"), it does not
/// belong to the name. Other files are ignored. Errors: FILE-NOT-READABLE; those of ByteSource::openFile() and
/// payloads::readNpy(); RUN-PARAMS when there is no such file; FILE-LIMIT; Cancelled.
Result<Parameters> readParameterFolder(const std::filesystem::path& folder, Monitor& monitor);

/// Reads parameters in any of these forms. A file: of save_params, safetensors, a NumPy array or archive, or an index
/// of tensors (tensor_cache.h, safetensors.h); recognised by its content. A folder: its index of tensors if it has one,
/// otherwise its files of safetensors, otherwise its NumPy files. Errors: those of the functions for them; RUN-PARAMS
/// for other files.
Result<Parameters> readParametersAt(const std::filesystem::path& path, Monitor& monitor);

/// Error: RUN-PARAMS when two parameters have one name.
Result<Done> checkNames(const Parameters& parameters);

/// The parameters that a module contains. Errors: RUN-PARAMS for a tensor with a negative dimension; Cancelled.
Result<Parameters> parametersOf(std::span<const payloads::NamedTensor> tensors, Monitor& monitor);

} // namespace blobscope::program
