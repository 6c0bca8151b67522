#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"
#include "core/safety/address_space.h"
#include "core/safety/code_reader.h"
#include "core/safety/report.h"

#include <vector>

/// The units of assess(). Each adds what it finds in one package to the fields that it names. Errors: only Cancelled.
namespace blobscope::safety {

/// The executable sections of a file, without those whose bytes an earlier one has.
std::vector<std::size_t> codeSections(const container::Image& image);
/// protection, environment.
Result<Done> addProtection(const library::Package& package, const AddressSpace& space, Report& report,
                           Monitor& monitor);
/// systemCalls.
Result<Done> addSystemCalls(const library::Package& package, const AddressSpace& space, CodeReader& reader,
                            Report& report, Monitor& monitor);
/// unowned, unownedBytes, sections, inside.
Result<Done> addUnowned(const library::Package& package, Report& report, Monitor& monitor);
/// texts.
Result<Done> addTexts(const library::Package& package, Report& report, Monitor& monitor);
/// signatures inside the file.
Result<Done> addSignatures(const library::Package& package, Report& report, Monitor& monitor);
/// signatures in files beside the package on disk, "model.so.minisig"; nothing for members of archives.
Result<Done> addSignaturesBeside(const library::Package& package, Report& report, Monitor& monitor);
/// identity, of all packages together, except for `file`, `users` and the digests of content.
Result<Done> addIdentity(const std::vector<library::PackagePtr>& packages, Identity& out, Monitor& monitor);
/// For each blob of all packages, the digest of its modules that does not depend on their order, on padding, on build
/// paths and on times.
Result<Done> readContents(const std::vector<library::PackagePtr>& packages, std::vector<std::string>& out,
                          Monitor& monitor);
/// Adds them to the blobs that addIdentity() has listed.
Result<Done> setContents(Identity& identity, std::vector<std::string> contents, Monitor& monitor);
/// packedCalls.
Result<Done> addPackedCalls(const std::vector<library::PackagePtr>& packages, Report& report, Monitor& monitor);
/// findings, from everything else.
Result<Done> addFindings(const std::vector<library::PackagePtr>& packages, Report& report, Monitor& monitor);

/// Bits per byte, 0 to 8, of the first 256 KiB.
double entropyOf(std::string_view bytes);
/// "zip", "gzip", "elf"; empty when the beginning has no known format.
std::string_view formatOf(const Bytes& bytes);

} // namespace blobscope::safety
