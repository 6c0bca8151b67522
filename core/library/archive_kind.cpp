#include "core/library/archive_kind.h"

#include <algorithm>

namespace blobscope::library {
namespace {

/// Whether `name` is a compile unit of export_library: "lib0.o", "devc.c".
bool isCompileUnit(std::string_view name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return false;
  const std::string_view stem = name.substr(0, dot), extension = name.substr(dot + 1);
  const bool known = extension == "o" || extension == "c" || extension == "cc" || extension == "cpp" ||
                     extension == "cu" || extension == "ll";
  const bool lib =
      stem.starts_with("lib") && stem.size() > 3 && stem.find_first_not_of("0123456789", 3) == std::string_view::npos;
  return known && (lib || stem == "devc");
}

} // namespace

std::string_view kindText(ArchiveKind kind) {
  switch (kind) {
  case ArchiveKind::NotTar: return "not a tar archive";
  case ArchiveKind::Mlf: return "Model Library Format archive";
  case ArchiveKind::ClassicTvmc: return "classic tvmc package";
  case ArchiveKind::VmTvmc: return "tvmc package for the VM";
  case ArchiveKind::TvmcModel: return "saved tvmc model";
  case ArchiveKind::ExportLibrary: return "export_library tar";
  case ArchiveKind::MicroTvmProject: return "generated microTVM project";
  case ArchiveKind::WrappedMlf: return "Model Library Format archive inside a folder";
  case ArchiveKind::DamagedMlf: return "Model Library Format archive without metadata.json";
  case ArchiveKind::Unknown: break;
  }
  return "archive of another kind";
}

bool isOfTvm(ArchiveKind kind) {
  return kind != ArchiveKind::NotTar && kind != ArchiveKind::Unknown && kind != ArchiveKind::ExportLibrary;
}

// First match wins: core/formats/model-library-format.md 2.
ArchiveKind recogniseArchive(std::span<const std::string> paths) {
  const auto has = [&](std::string_view path) { return std::find(paths.begin(), paths.end(), path) != paths.end(); };
  const auto any = [&](const auto& fits) { return std::any_of(paths.begin(), paths.end(), fits); };
  const auto all = [&](const auto& fits) { return !paths.empty() && std::all_of(paths.begin(), paths.end(), fits); };
  const auto below = [&](std::string_view folder) {
    return any([&](const std::string& path) { return path.starts_with(folder); });
  };
  if (has("metadata.json")) return ArchiveKind::Mlf;
  if ((has("mod.so") || has("mod.tar")) && has("mod.json") && has("mod.params")) return ArchiveKind::ClassicTvmc;
  if (paths.size() == 1 && (has("lib.so") || has("lib.tar"))) return ArchiveKind::VmTvmc;
  if (has("model.json") && has("model.params")) return ArchiveKind::TvmcModel;
  if (all(isCompileUnit)) return ArchiveKind::ExportLibrary;
  if (any([](const std::string& path) {
        return path == "microtvm_api_server.py" || path.ends_with("/microtvm_api_server.py");
      }))
    return ArchiveKind::MicroTvmProject;
  if (!paths.empty()) {
    const std::string folder = paths.front().substr(0, paths.front().find('/')) + "/";
    if (all([&](const std::string& path) { return path.starts_with(folder); }) && has(folder + "metadata.json"))
      return ArchiveKind::WrappedMlf;
  }
  if (below("codegen/host/") && below("parameters/")) return ArchiveKind::DamagedMlf;
  return ArchiveKind::Unknown;
}

std::string normalisedPath(std::string_view stored) {
  std::string out;
  while (!stored.empty()) {
    const std::size_t slash = stored.find('/');
    const std::string_view part = stored.substr(0, slash);
    if (!part.empty() && part != ".") out += (out.empty() ? "" : "/") + std::string(part);
    if (slash == std::string_view::npos) break;
    stored.remove_prefix(slash + 1);
  }
  return out;
}

std::string_view roleInMlf(std::string_view path) {
  const auto in = [&](std::string_view folder) { return path.starts_with(folder); };
  const auto ends = [&](std::string_view end) { return path.ends_with(end); };
  if (path == "metadata.json") return "metadata";
  if (in("executor-config/graph/") || in("runtime-config/graph/")) return "graph";
  if (in("parameters/") && ends(".params")) return "params";
  if (in("codegen/host/include/")) return "header";
  if (in("codegen/") && ends(".o")) return "object";
  if (in("codegen/") && (ends(".c") || ends(".cc") || ends(".cpp"))) return "source";
  if (in("runtime/") || in("templates/")) return "runtime";
  if (path == "relay.txt" || path == "src/relay.txt" || (in("src/") && ends(".relay"))) return "relay";
  if (in("src/tir-") && ends(".txt")) return "tir";
  return {};
}

} // namespace blobscope::library
