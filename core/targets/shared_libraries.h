#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace blobscope::targets {

/// What a library offers to others, and what it needs. Read without executing it.
struct SharedLibrary {
  std::string path;     ///< as found; of a member: "wheel.whl!tvm/libtvm.so"
  std::string name;     ///< DT_SONAME, or the name of the file
  std::string file;     ///< the name of the file
  std::string format;   ///< "elf", the word of the command line
  std::string arch;     ///< as in container::Image
  bool archive = false; ///< of objects (.a): only a link uses it
  std::vector<std::string> needed, runPaths;
  bool inheritsRunPaths = false;
  /// Exported names; the versions of each, empty for one without.
  std::unordered_map<std::string, std::vector<std::string>> exports;
  std::vector<std::string> boundAtOnce;        ///< undefined names that are bound when it is loaded, without weak ones
  std::set<std::string, std::less<>> versions; ///< that it defines: "GLIBC_2.38"

  /// Whether a symbol that needs `version` (or none) is found here.
  bool has(const std::string& name, std::string_view version = {}) const;
};
using SharedLibraryPtr = std::shared_ptr<const SharedLibrary>;

/// Reads a library or an archive of objects. Nothing for other files. Errors: those of ByteSource::openFile; Cancelled.
Result<SharedLibraryPtr> readSharedLibrary(const std::filesystem::path& path, Monitor& monitor);

/// Further libraries of a process, and those of the machine on which this program runs. Any number of threads may use
/// it.
class SharedLibraries {
public:
  /// `given`: libraries, archives of objects, wheels, or folders with them. Errors: FILE-NOT-FOUND; those of
  /// ByteSource::openFile; Cancelled.
  static Result<std::shared_ptr<const SharedLibraries>> read(const std::vector<std::filesystem::path>& given,
                                                             Monitor& monitor);

  const std::vector<SharedLibraryPtr>& given() const { return m_given; }
  /// One of those by DT_SONAME or name of the file; null when there is none.
  SharedLibraryPtr findGiven(std::string_view name) const;

  /// Where the loader looks for what a library needs.
  struct Search {
    std::string path;                  ///< of the library that needs it; $ORIGIN is its folder
    std::vector<std::string> runPaths; ///< its DT_RUNPATH or DT_RPATH, then the DT_RPATHs of those that need it
    std::string arch;                  ///< libraries for other processors are skipped
  };
  /// A library in the run paths that begin with $ORIGIN; null when none has it. Files that cannot be read are skipped.
  SharedLibraryPtr findBeside(const std::string& name, const Search& search) const;
  /// A library that the loader of this machine finds: all run paths, then the folders of the system. Null when there
  /// is none. LD_LIBRARY_PATH is not used. Source: glibc elf/dl-load.c, _dl_map_object; ld.so(8).
  SharedLibraryPtr findHere(const std::string& name, const Search& search) const;

private:
  SharedLibraryPtr load(const std::filesystem::path& path, const std::string& arch) const;
  SharedLibraryPtr inPaths(const std::string& name, const Search& search, bool onlyBeside) const;
  void readCache() const;

  std::vector<SharedLibraryPtr> m_given;
  mutable std::mutex m_mutex;
  mutable std::map<std::string, SharedLibraryPtr> m_read; ///< by path; null for files that are not libraries
  mutable bool m_cacheRead = false;
  mutable std::map<std::string, std::vector<std::filesystem::path>> m_cache; ///< of the loader, by name of a library
  mutable std::vector<std::filesystem::path> m_folders;                      ///< that the loader searches after it
};
using SharedLibrariesPtr = std::shared_ptr<const SharedLibraries>;

} // namespace blobscope::targets
