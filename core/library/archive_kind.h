#pragma once

#include <span>
#include <string>
#include <string_view>

namespace blobscope::library {

/// The kind of an archive made by TVM's tools, recognized by the member names. Source:
/// core/formats/model-library-format.md 2.
enum class ArchiveKind {
  NotTar,          ///< no tar header at the start
  Mlf,             ///< metadata.json in the root
  ClassicTvmc,     ///< mod.so or mod.tar, mod.json, mod.params
  VmTvmc,          ///< only lib.so or lib.tar
  TvmcModel,       ///< model.json, model.params: TVMCModel.save
  ExportLibrary,   ///< compile units such as lib0.o and devc.c, no folders
  MicroTvmProject, ///< generated project; the archive inside is model.tar
  WrappedMlf,      ///< one folder around all of an MLF archive
  DamagedMlf,      ///< codegen/host and parameters/, but no metadata.json
  Unknown,
};

/// A few words for people: "classic tvmc package".
std::string_view kindText(ArchiveKind kind);

/// Whether the names alone show that a tool of TVM made the archive. An export_library tar is recognized by the content
/// of its members instead.
bool isOfTvm(ArchiveKind kind);

/// Returns the kind of an archive. `paths`: the normalised paths of its regular files.
ArchiveKind recogniseArchive(std::span<const std::string> paths);

/// Returns a stored path without "." and empty parts: "./a//b/" becomes "a/b", the root becomes empty.
std::string normalisedPath(std::string_view stored);

/// Returns the role of a file in a Model Library Format archive: "metadata", "graph", "params", "source", "object",
/// "header", "runtime", "relay", "tir"; empty for files that the format does not define. Source:
/// core/formats/model-library-format.md 5, 10.
std::string_view roleInMlf(std::string_view path);

} // namespace blobscope::library
