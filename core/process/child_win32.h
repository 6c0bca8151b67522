#pragma once

#include "core/base/windows_win32.h"
#include "core/process/process.h"

#include <optional>
#include <string>
#include <string_view>

/// Starts and ends programs on Windows; only for the sources of this folder.
namespace blobscope::process {

/// A started program and all that it starts, which end when this object is destroyed.
class Child {
public:
  /// Starts the program, with standard input open if `wantsInput`, else empty. Error text of Windows when it cannot.
  static std::optional<Child> start(const ProcessOptions& options, bool wantsInput, std::string& reason);
  Child(Child&&) noexcept = default;
  Child& operator=(Child&&) noexcept = default;

  /// Whether it ends within this time.
  bool endsWithin(uint64_t ms) const { return WaitForSingleObject(m_process.get(), static_cast<DWORD>(ms)) == 0; }
  /// Ends it and everything that it has started.
  void end() const;
  /// Its exit code once it has ended, as exit code or as signal.
  std::optional<int> exitCode() const;
  std::optional<int> signal() const;
  Layers confined() const { return m_confined; }

  windows::Handle input, output, messages; ///< our ends of the pipes

private:
  Child() = default;
  DWORD code() const;
  windows::Handle m_job, m_process;
  Layers m_confined;
};

/// The available bytes of a pipe, at most those that fit into `buffer`; empty when there are none. Closes the handle
/// when the other end is closed and everything is read.
std::string_view readAvailable(windows::Handle& from, std::string& buffer);

/// One argument as CommandLineToArgvW() and the C library of Microsoft read it. Source: Microsoft Learn, "Parsing C++
/// command-line arguments".
std::string quotedArgument(std::string_view argument);

} // namespace blobscope::process
