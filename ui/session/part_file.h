#pragma once

#include "core/base/monitor.h"
#include "core/base/output_file.h"
#include "core/base/ref.h"
#include "core/base/result.h"
#include "core/library/package.h"

#include <QString>

#include <filesystem>
#include <string>

namespace blobscope::ui {

/// How the bytes of a part are written: as `extract` writes them, or a tensor as a NumPy file.
enum class PartForm { AsStored, Npy };

/// Writes the bytes of the node to a file, which is complete or not there. `lasting`: the file is flushed to disk.
/// Returns a sentence about the result, empty for none. Errors: those of library::findNode(), REF-NO-BYTES,
/// EXPORT-NO-TENSOR, FILE-CHANGED, FILE-WRITE, Cancelled.
Result<std::string> writePart(const library::Package& package, const Ref& ref, PartForm form,
                              const std::filesystem::path& target, const Inputs& inputs, bool lasting,
                              Monitor& monitor);

/// Returns a name for the file of a part, without an extension: "m2-add_kernel". Safe as a file name, see
/// safeFileName().
QString partName(const Ref& ref);
/// Returns the name with the extension ".bin"; a member of an archive keeps its name.
QString partFileName(const Ref& ref);

} // namespace blobscope::ui
