#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/program/model.h"

#include <filesystem>

namespace blobscope::program {

/// Whether the bytes begin like a file of safetensors: the length of its header, then '{'.
bool looksLikeSafetensors(const Bytes& file);

/// Reads a file of safetensors, in the order of its header. Source: core/formats/blob.md 10; huggingface/safetensors
/// 45c8c2c safetensors/src/tensor.rs, SafeTensors::read_metadata, Metadata::validate. Errors: RUN-PARAMS with the
/// reason for a header that is longer than the file or than 100,000,000 bytes, names that repeat, types that are not
/// known, and ranges that overlap, leave a gap or do not fit shape and type; those of json::parseLocated(); Cancelled.
Result<Parameters> readSafetensors(const Bytes& file, Monitor& monitor);

/// Reads the tensors that an index (`model.safetensors.index.json`) lists, from the files beside it. Source:
/// core/formats/blob.md 10. Errors: RUN-PARAMS for an index that does not fit its files; those of readSafetensors() and
/// of reading the files; Cancelled.
Result<Parameters> readSafetensorsIndex(const std::filesystem::path& index, Monitor& monitor);

} // namespace blobscope::program
