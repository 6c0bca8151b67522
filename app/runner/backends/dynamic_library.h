#pragma once

#include <optional>
#include <string>

namespace blobscope::runner {

/// A shared object that was opened at run time. It stays in the process: drivers start threads and register handlers of
/// their own, and taking their code away under those ends in a crash.
class DynamicLibrary {
public:
  /// `path` with a slash names that file, without one what the system's loader finds under the name. Its symbols stay
  /// out of the process's own scope. Nothing with the loader's sentence in `reason`.
  static std::optional<DynamicLibrary> open(const std::string& path, std::string& reason);

  /// Null when there is no symbol of that name.
  void* find(const char* name) const;
  /// The same as a pointer to a function.
  template <class F> F function(const char* name) const { return reinterpret_cast<F>(find(name)); }
  /// As it was given.
  const std::string& path() const { return m_path; }

private:
  DynamicLibrary(void* handle, std::string path) : m_handle(handle), m_path(std::move(path)) {}

  void* m_handle;
  std::string m_path;
};

} // namespace blobscope::runner
