#include "core/process/child_posix.h"

#include <sys/socket.h>

namespace blobscope::process {

bool openPipe(Pipe& made, bool useSocket) {
  std::array<int, 2> ends{};
  if ((useSocket ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) : pipe(ends.data())) != 0) return false;
  made.ours = Descriptor(ends[0]);
  made.theirs = Descriptor(ends[1]);
  // A program that another thread starts meanwhile inherits nothing: see closeOthers().
  for (const int end : ends)
    if (fcntl(end, F_SETFD, FD_CLOEXEC) != 0) return false;
  const int on = 1;
  if (useSocket) (void)setsockopt(made.ours.number(), SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
  if (made.theirs.number() <= STDERR_FILENO) {
    const int higher = fcntl(made.theirs.number(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (higher < 0) return false;
    made.theirs = Descriptor(higher);
  }
  return fcntl(made.ours.number(), F_SETFL, O_NONBLOCK) == 0;
}

void sendNow(int socket, std::string_view text) { (void)send(socket, text.data(), text.size(), MSG_DONTWAIT); }

int closeOthers(posix_spawn_file_actions_t*, short& flags) {
  flags = static_cast<short>(flags | POSIX_SPAWN_CLOEXEC_DEFAULT);
  return 0;
}

} // namespace blobscope::process
