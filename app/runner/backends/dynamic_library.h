#pragma once

#include <optional>
#include <string>

namespace blobscope::runner {

/// A shared object that was opened at run time. It is never unloaded: drivers start threads and register handlers, and
/// removing the code under those causes a crash.
class DynamicLibrary {
public:
  /// A `path` with a slash names that file; without one, the system's loader searches for the name. Its symbols are not
  /// added to the process's global scope. On failure returns nothing, with the loader's message in `reason`.
  static std::optional<DynamicLibrary> open(const std::string& path, std::string& reason);

  /// Returns null if there is no symbol with that name.
  void* find(const char* name) const;
  /// Returns the symbol as a function pointer.
  template <class F> F function(const char* name) const { return reinterpret_cast<F>(find(name)); }
  /// Returns the path that was passed to open().
  const std::string& path() const { return m_path; }

private:
  DynamicLibrary(void* handle, std::string path) : m_handle(handle), m_path(std::move(path)) {}

  void* m_handle;
  std::string m_path;
};

} // namespace blobscope::runner
