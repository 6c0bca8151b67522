#pragma once

#include <span>
#include <string>
#include <string_view>

namespace blobscope::library {

/// What an archive of TVM's tools is, told by the names in it. Source: core/formats/model-library-format.md 2.
enum class ArchiveKind {
  NotTar,          ///< no tar header at the start
  Mlf,             ///< metadata.json in the root
  ClassicTvmc,     ///< mod.so or mod.tar, mod.json, mod.params
  VmTvmc,          ///< nothing but lib.so or lib.tar
  TvmcModel,       ///< model.json, model.params: TVMCModel.save
  ExportLibrary,   ///< lib0.o, devc.c and the like, no folders
  MicroTvmProject, ///< generated project; the archive inside is model.tar
  WrappedMlf,      ///< one folder around all of an MLF archive
  DamagedMlf,      ///< codegen/host and parameters/, but no metadata.json
  Unknown,
};

/// A few words for people: "classic tvmc package".
std::string_view kindText(ArchiveKind kind);

/// Whether the names alone tell that a tool of TVM made it; an export_library tar is told by what its members hold.
bool isOfTvm(ArchiveKind kind);

/// `paths`: of the regular files, normalised.
ArchiveKind recogniseArchive(std::span<const std::string> paths);

/// A stored path without "." and empty parts: "./a//b/" is "a/b", the root is empty.
std::string normalisedPath(std::string_view stored);

/// What a file of a Model Library Format archive is for: "metadata", "graph", "params", "source", "object", "header",
/// "runtime", "relay", "tir"; empty for what the format does not define. Source: core/formats/model-library-format.md
/// 5, 10.
std::string_view roleInMlf(std::string_view path);

} // namespace blobscope::library
