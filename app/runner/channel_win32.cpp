#include "app/runner/channel.h"
#include "app/runner/channel_state.h"
#include "app/runner/channel_system.h"

#include "core/base/windows_win32.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <io.h>
#include <system_error>
#include <thread>

namespace blobscope::runner {

bool openChannel() {
  HANDLE copy = nullptr;
  if (!DuplicateHandle(GetCurrentProcess(), GetStdHandle(STD_OUTPUT_HANDLE), GetCurrentProcess(), &copy, 0, FALSE,
                       DUPLICATE_SAME_ACCESS))
    return false;
  // A write must not block forever when the watchdog has to report something. Where that is not possible, it blocks
  // until the client reads or ends this process.
  DWORD mode = PIPE_READMODE_BYTE | PIPE_NOWAIT;
  SetNamedPipeHandleState(copy, &mode, nullptr, nullptr);
  const int descriptor = windows::descriptorFor(windows::Handle(copy));
  if (descriptor < 0) return false;
  // What a library prints goes to the log.
  if (_dup2(_fileno(stderr), _fileno(stdout)) != 0) return false;
  SetStdHandle(STD_OUTPUT_HANDLE, GetStdHandle(STD_ERROR_HANDLE));
  g_channelState.descriptor = descriptor;
  return true;
}

bool writeAll(const char* bytes, std::size_t size, int waitMs) {
  const HANDLE channel = windows::handleOf(g_channelState.descriptor);
  constexpr std::size_t kPiece = 4'096; // a full pipe accepts nothing that does not fit into it as a whole
  for (int waited = 0; size > 0;) {
    DWORD written = 0;
    if (!WriteFile(channel, bytes, static_cast<DWORD>(std::min(size, kPiece)), &written, nullptr)) return false;
    if (written > 0) {
      waited = 0;
      bytes += written;
      size -= written;
      continue;
    }
    if (waited++ >= waitMs) return false;
    Sleep(1);
  }
  return true;
}

std::optional<std::string> readCommands(int waitMs) {
  const HANDLE input = GetStdHandle(STD_INPUT_HANDLE);
  DWORD available = 0;
  if (!PeekNamedPipe(input, nullptr, 0, nullptr, &available, nullptr)) return std::nullopt;
  if (available == 0) {
    Sleep(static_cast<DWORD>(waitMs));
    return std::string();
  }
  std::array<char, 512> buffer{};
  DWORD count = 0;
  if (!ReadFile(input, buffer.data(), std::min<DWORD>(available, buffer.size()), &count, nullptr)) return std::nullopt;
  return std::string(buffer.data(), count);
}

void pauseBriefly() { Sleep(1); }

bool startQuietThread(void (*run)()) {
  try {
    std::thread(run).detach();
  } catch (const std::system_error&) {
    return false;
  }
  return true;
}

void endProcess(int code) {
  // Not ExitProcess(), which waits for locks and calls code of the libraries.
  TerminateProcess(GetCurrentProcess(), static_cast<UINT>(code));
  while (true) Sleep(INFINITE);
}

} // namespace blobscope::runner
