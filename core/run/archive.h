#pragma once

#include "core/compile/c_code.h"
#include "core/library/package.h"
#include "core/mlf/model.h"
#include "core/process/process.h"
#include "core/run/options.h"

#include <filesystem>
#include <span>
#include <string_view>

namespace blobscope::run {

/// The model of a Model Library Format archive as a library that can be run, built with the C compiler of this machine.
struct ArchiveLibrary {
  process::TemporaryFolder folder; ///< contains it, and the graph and the parameters beside it
  library::PackagePtr package;     ///< the library, opened
  Agreed agreed;                   ///< its content, which follows from that of the archive that was agreed to
};

/// What to compile of these modules of an archive: their C sources, with the headers of the whole archive. No sources
/// when they have none.
compile::CRequest codeOf(const mlf::Model& model, std::span<const mlf::ModelModule> modules);

/// Whether the file is a Model Library Format archive.
bool isArchive(const library::Package& package);

/// Compiles the C code of a module, links it with the objects for this machine, and writes the graph of the model: that
/// of the graph executor, or, for the AOT executor, one with a single node that calls the function of the interface
/// header. `module`: the name of a module of the archive; empty: the first one. Executes nothing; only the content that
/// `agreed` names is built. Errors: those of AgreedLibrary::take(); RUN-ARCHIVE with the reason; those of
/// compile::compileC(); FILE-WRITE; Cancelled.
Result<ArchiveLibrary> buildArchive(const library::PackagePtr& archive, const Agreed& agreed, std::string_view module,
                                    Monitor& monitor);
/// Does the same with the content as it is, and writes the library, the graph and the parameters to the new folder
/// `target`, whose files program::filesBeside() finds. Returns the path of the library. Errors: also FILE-WRITE when
/// the folder exists or cannot be written; it is removed then.
Result<std::filesystem::path> buildArchiveIn(const library::PackagePtr& archive, const std::filesystem::path& target,
                                             Monitor& monitor);

} // namespace blobscope::run
