#include "app/runner/channel.h"
#include "app/runner/channel_state.h"
#include "app/runner/channel_system.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace blobscope::runner {

bool openChannel() {
  // A high number, which a library does not close by mistake.
  const int copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 200);
  if (copy < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return false;
  // A write must not block forever when the watchdog has to report something.
  fcntl(copy, F_SETFL, fcntl(copy, F_GETFL) | O_NONBLOCK);
  std::signal(SIGPIPE, SIG_IGN);
  g_channelState.descriptor = copy;
  return true;
}

bool writeAll(const char* bytes, std::size_t size, int waitMs) {
  const int descriptor = g_channelState.descriptor;
  while (size > 0) {
    pollfd room{descriptor, POLLOUT, 0};
    const int ready = poll(&room, 1, waitMs);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t count = write(descriptor, bytes, size);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) return false;
    bytes += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

std::optional<std::string> readCommands(int waitMs) {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  if (poll(&input, 1, waitMs) <= 0) return std::string();
  std::array<char, 512> buffer{};
  const ssize_t count = read(STDIN_FILENO, buffer.data(), buffer.size());
  if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) return std::nullopt;
  return std::string(buffer.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
}

void pauseBriefly() {
  const timespec pause{0, 1'000'000};
  nanosleep(&pause, nullptr);
}

bool startQuietThread(void (*run)()) {
  // Signals go to the thread that does the work.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = true;
  try {
    std::thread(run).detach();
  } catch (const std::system_error&) {
    started = false;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

void endProcess(int code) { _exit(code); }

} // namespace blobscope::runner
