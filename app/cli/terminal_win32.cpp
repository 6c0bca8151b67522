#include "app/cli/terminal.h"

#include "core/base/windows_win32.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fcntl.h>
#include <io.h>

namespace blobscope::cli {
namespace {

std::atomic<bool> g_stop{false}; // set by the handler, which cannot receive an argument of ours

/// Windows calls it in a thread of its own.
BOOL WINAPI requestStop(DWORD) {
  return g_stop.exchange(true) ? FALSE : TRUE; // a second Ctrl+C has its usual effect
}

bool isConsole(DWORD which) {
  DWORD mode = 0;
  return GetConsoleMode(GetStdHandle(which), &mode);
}

/// Makes a console understand UTF-8 and escape sequences for colours.
void prepareConsole(DWORD which) {
  DWORD mode = 0;
  if (!GetConsoleMode(GetStdHandle(which), &mode)) return;
  SetConsoleOutputCP(CP_UTF8);
  SetConsoleMode(GetStdHandle(which), mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

} // namespace

void prepareTerminal() {
  _setmode(_fileno(stdout), _O_BINARY);
  _setmode(_fileno(stderr), _O_BINARY);
  prepareConsole(STD_OUTPUT_HANDLE);
  prepareConsole(STD_ERROR_HANDLE);
}

bool isOutputTerminal() { return isConsole(STD_OUTPUT_HANDLE); }

bool isErrorTerminal() { return isConsole(STD_ERROR_HANDLE); }

std::ptrdiff_t writeOutput(std::string_view text) {
  // Consoles of old systems refuse more than 64 KiB at once.
  constexpr std::size_t kPiece = 32'768;
  DWORD written = 0;
  const auto size = static_cast<DWORD>(std::min(text.size(), kPiece));
  return WriteFile(GetStdHandle(STD_OUTPUT_HANDLE), text.data(), size, &written, nullptr)
             ? static_cast<std::ptrdiff_t>(written)
             : -1;
}

void catchStopSignals() { SetConsoleCtrlHandler(requestStop, TRUE); }

bool isStopSignalled() { return g_stop; }

} // namespace blobscope::cli
