#include "core/process/child_posix.h"

#include <sys/socket.h>

namespace blobscope::process {

bool openPipe(Pipe& made, bool useSocket) {
  std::array<int, 2> ends{};
  if ((useSocket ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) : pipe2(ends.data(), O_CLOEXEC)) !=
      0)
    return false;
  made.ours = Descriptor(ends[0]);
  made.theirs = Descriptor(ends[1]);
  if (made.theirs.number() <= STDERR_FILENO) {
    const int higher = fcntl(made.theirs.number(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (higher < 0) return false;
    made.theirs = Descriptor(higher);
  }
  return fcntl(made.ours.number(), F_SETFL, O_NONBLOCK) == 0;
}

void sendNow(int socket, std::string_view text) {
  (void)send(socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

int closeOthers(posix_spawn_file_actions_t* actions, short&) {
  return posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
}

} // namespace blobscope::process
