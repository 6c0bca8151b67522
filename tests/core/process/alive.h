#pragma once

#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace blobscope::test {

/// A named pipe that programs keep open as long as they live.
class Alive {
public:
  explicit Alive(const std::filesystem::path& path) {
    if (mkfifo(path.c_str(), 0600) == 0) m_number = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  }
  Alive(const Alive&) = delete;
  Alive& operator=(const Alive&) = delete;
  ~Alive() { close(m_number); }
  /// Whether the last of them has ended.
  bool ends() const {
    pollfd watched{m_number, POLLIN, 0};
    return poll(&watched, 1, 30'000) == 1 && (watched.revents & POLLHUP) != 0;
  }

private:
  int m_number = -1;
};

} // namespace blobscope::test
