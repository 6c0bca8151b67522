#include "core/process/child_win32.h"

#include "core/process/confine_win32.h"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

namespace blobscope::process {
namespace {

/// Exit code of a program that this one ended: STATUS_CONTROL_C_EXIT.
constexpr UINT kEnded = 0xc000013a;
/// Exit codes from here on are exceptions. Source: ntstatus.h, severity "error".
constexpr DWORD kFirstException = 0xc0000000;

struct Pipe {
  windows::Handle ours, theirs;
};

/// `theirs` can be inherited.
bool openPipe(Pipe& made, bool weWrite) {
  constexpr DWORD kBytes = 65'536;
  HANDLE reading = nullptr, writing = nullptr;
  if (!CreatePipe(&reading, &writing, nullptr, kBytes)) return false;
  made.ours = windows::Handle(weWrite ? writing : reading);
  made.theirs = windows::Handle(weWrite ? reading : writing);
  return SetHandleInformation(made.theirs.get(), HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
}

/// The attributes of a process to be started: it inherits only the listed handles.
class Attributes {
public:
  explicit Attributes(std::vector<HANDLE>& handles) {
    SIZE_T size = 0;
    InitializeProcThreadAttributeList(nullptr, 1, 0, &size);
    m_bytes = std::make_unique<std::byte[]>(size);
    m_list = reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(m_bytes.get());
    if (!InitializeProcThreadAttributeList(m_list, 1, 0, &size)) {
      m_list = nullptr;
      return;
    }
    m_isComplete = UpdateProcThreadAttribute(m_list, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles.data(),
                                             handles.size() * sizeof(HANDLE), nullptr, nullptr);
  }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  ~Attributes() {
    if (m_list) DeleteProcThreadAttributeList(m_list);
  }
  bool isComplete() const { return m_isComplete; }
  LPPROC_THREAD_ATTRIBUTE_LIST get() const { return m_list; }

private:
  std::unique_ptr<std::byte[]> m_bytes;
  LPPROC_THREAD_ATTRIBUTE_LIST m_list = nullptr;
  bool m_isComplete = false;
};

/// The block that CreateProcessW() expects: the variables, each with a NUL, and a NUL at the end.
std::wstring environmentBlock(const std::vector<std::string>& variables) {
  std::wstring block;
  for (const std::string& variable : variables) block += windows::wide(variable) + L'\0';
  if (variables.empty()) block += L'\0';
  return block + L'\0';
}

bool isBatchFile(const std::filesystem::path& program) {
  std::string ending = pathText(program.extension());
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  return ending == ".bat" || ending == ".cmd";
}

} // namespace

std::string quotedArgument(std::string_view argument) {
  if (!argument.empty() && argument.find_first_of(" \t\n\v\"") == std::string_view::npos) return std::string(argument);
  std::string out = "\"";
  std::size_t slashes = 0;
  for (const char c : argument) {
    if (c == '\\') {
      ++slashes;
      continue;
    }
    // Backslashes count as escapes only before a quotation mark.
    out.append(c == '"' ? 2 * slashes + 1 : slashes, '\\');
    slashes = 0;
    out += c;
  }
  out.append(2 * slashes, '\\');
  return out + '"';
}

std::optional<Child> Child::start(const ProcessOptions& options, bool wantsInput, std::string& reason) {
  const auto failed = [&]() -> std::optional<Child> {
    reason = windows::lastErrorText();
    return std::nullopt;
  };
  // The shell that runs batch files reads arguments by other rules.
  if (isBatchFile(options.program)) {
    reason = "batch files are not started";
    return std::nullopt;
  }
  // --- 1. The pipes and the job. ---
  Pipe input, output, messages;
  if (!openPipe(output, false) || !openPipe(messages, false)) return failed();
  if (wantsInput) {
    if (!openPipe(input, true)) return failed();
  } else {
    SECURITY_ATTRIBUTES inherited = {sizeof inherited, nullptr, TRUE};
    input.theirs = windows::Handle(
        CreateFileW(L"NUL", GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherited, OPEN_EXISTING, 0, nullptr));
    if (!input.theirs) return failed();
  }
  Child child;
  child.m_job = makeJob(options.confinement ? &*options.confinement : nullptr, true, child.m_confined);
  if (!child.m_job) return failed();

  // --- 2. The program, suspended until it belongs to the job. ---
  std::vector<HANDLE> handles = {input.theirs.get(), output.theirs.get(), messages.theirs.get()};
  const Attributes attributes(handles);
  if (!attributes.isComplete()) return failed();
  STARTUPINFOEXW startup = {};
  startup.StartupInfo.cb = sizeof startup;
  startup.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
  startup.StartupInfo.hStdInput = handles[0];
  startup.StartupInfo.hStdOutput = handles[1];
  startup.StartupInfo.hStdError = handles[2];
  startup.lpAttributeList = attributes.get();
  std::string words = quotedArgument(pathText(options.program));
  for (const std::string& argument : options.arguments) words += " " + quotedArgument(argument);
  std::wstring commandLine = windows::wide(words);
  std::wstring environment;
  if (options.environment) environment = environmentBlock(*options.environment);
  PROCESS_INFORMATION started = {};
  constexpr DWORD kFlags =
      CREATE_SUSPENDED | CREATE_UNICODE_ENVIRONMENT | EXTENDED_STARTUPINFO_PRESENT | CREATE_NO_WINDOW;
  if (!CreateProcessW(options.program.c_str(), commandLine.data(), nullptr, nullptr, TRUE, kFlags,
                      options.environment ? environment.data() : nullptr,
                      options.folder.empty() ? nullptr : options.folder.c_str(), &startup.StartupInfo, &started))
    return failed();
  const windows::Handle thread(started.hThread);
  child.m_process = windows::Handle(started.hProcess);
  if (!AssignProcessToJobObject(child.m_job.get(), child.m_process.get())) {
    reason = windows::lastErrorText();
    TerminateProcess(child.m_process.get(), kEnded);
    return std::nullopt;
  }
  ResumeThread(thread.get());
  child.input = std::move(input.ours);
  child.output = std::move(output.ours);
  child.messages = std::move(messages.ours);
  return child;
}

void Child::end() const { TerminateJobObject(m_job.get(), kEnded); }

DWORD Child::code() const {
  DWORD code = 0;
  GetExitCodeProcess(m_process.get(), &code);
  return code;
}

std::optional<int> Child::exitCode() const {
  return code() < kFirstException ? std::optional(static_cast<int>(code())) : std::nullopt;
}

std::optional<int> Child::signal() const {
  return code() < kFirstException ? std::nullopt : std::optional(static_cast<int>(code()));
}

std::string_view readAvailable(windows::Handle& from, std::string& buffer) {
  DWORD available = 0, got = 0;
  if (!from) return {};
  if (!PeekNamedPipe(from.get(), nullptr, 0, nullptr, &available, nullptr)) {
    from.reset();
    return {};
  }
  if (available == 0) return {};
  if (!ReadFile(from.get(), buffer.data(), std::min(available, static_cast<DWORD>(buffer.size())), &got, nullptr)) {
    from.reset();
    return {};
  }
  return std::string_view(buffer).substr(0, got);
}

} // namespace blobscope::process
