#include "core/base/place.h"

#include "core/base/path_text.h"

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace blobscope {
namespace {

/// A folder on the path need not be listable where the system can open it without that right.
#if defined(O_PATH)
constexpr int kFolder = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
#elif defined(O_SEARCH)
constexpr int kFolder = O_SEARCH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
#else
constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
#endif
/// The number of links that Linux follows in one path.
constexpr int kLinks = 40;

/// Whether everybody can create files in the folder, but remove only their own.
bool isShared(const struct stat& folder) { return (folder.st_mode & S_ISVTX) != 0 && (folder.st_mode & S_IWOTH) != 0; }

/// Walks along a path from the root and keeps each folder open.
class Walk {
public:
  explicit Walk(const std::filesystem::path& target) : m_target(target) {}

  Result<Place> run() {
    std::error_code failure;
    const std::filesystem::path whole = std::filesystem::absolute(m_target, failure);
    if (failure || m_target.empty()) return refuse(failure ? failure.message() : std::strerror(ENOENT));
    BLOBSCOPE_CHECK(begin());
    addParts(whole);
    const std::filesystem::path end = whole.filename();
    const bool wantsFolder = end.empty() || end == "." || end == ".."; // "x/"
    while (!m_parts.empty()) {
      const std::string part = std::move(m_parts.front());
      m_parts.pop_front();
      BLOBSCOPE_TRY(last, step(part));
      if (last)
        return wantsFolder ? Result<Place>(refuse(std::strerror(ENOENT)))
                           : Result<Place>(Place{std::move(m_folder), part, m_path / part});
    }
    return Place{std::move(m_folder), {}, m_path};
  }

private:
  Error refuse(std::string reason) const {
    return Error(DiagnosticId::FileWrite, {arg("path", m_target.native()), {"reason", std::move(reason)}});
  }
  Error systemError() const { return refuse(std::strerror(errno)); }

  Result<Done> begin() {
    m_path = "/";
    m_folder = Descriptor(open("/", kFolder));
    if (m_folder.number() < 0) return systemError();
    return Done{};
  }
  /// Adds parts before the remaining ones.
  void addParts(const std::filesystem::path& path) {
    std::deque<std::string> parts;
    for (const std::filesystem::path& part : path.relative_path())
      if (!part.empty() && part != ".") parts.push_back(part.native());
    m_parts.insert(m_parts.begin(), parts.begin(), parts.end());
  }

  /// Returns true when `part` is the name of the file, which may not exist yet.
  Result<bool> step(const std::string& part) {
    if (part == "..") {
      BLOBSCOPE_CHECK(enter(part));
      m_path = m_path.parent_path();
      return false;
    }
    struct stat status = {};
    if (fstatat(m_folder.number(), part.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno == ENOENT && m_parts.empty()) return true;
      if (errno == ENOENT && m_links == 0 && m_target.has_parent_path())
        return refuse("the folder '" + shownPath(m_target.parent_path().native()) + "' does not exist");
      return systemError();
    }
    if (S_ISLNK(status.st_mode)) {
      BLOBSCOPE_CHECK(follow(part, status));
      return false;
    }
    if (S_ISREG(status.st_mode) && m_parts.empty()) {
      BLOBSCOPE_TRY(others, isOthers(status));
      if (others) return refuse("the file belongs to another user, in a folder that everybody can write to");
    }
    if (!S_ISDIR(status.st_mode) && m_parts.empty()) return true;
    BLOBSCOPE_CHECK(enter(part));
    m_path /= part;
    return false;
  }
  Result<Done> enter(const std::string& part) {
    Descriptor next(openat(m_folder.number(), part.c_str(), kFolder));
    if (next.number() < 0) return systemError();
    m_folder = std::move(next);
    return Done{};
  }
  /// Whether somebody else made this entry of a folder that everybody can write to.
  Result<bool> isOthers(const struct stat& entry) {
    struct stat folder = {};
    if (fstat(m_folder.number(), &folder) != 0) return systemError();
    return isShared(folder) && entry.st_uid != geteuid() && entry.st_uid != folder.st_uid;
  }
  Result<Done> follow(const std::string& part, const struct stat& status) {
    BLOBSCOPE_TRY(others, isOthers(status));
    if (others)
      return refuse("the link '" + (m_path / part).native() +
                    "' belongs to another user, in a folder that everybody can write to");
    if (++m_links > kLinks) return refuse(std::strerror(ELOOP));
    std::array<char, PATH_MAX> text{};
    const ssize_t size = readlinkat(m_folder.number(), part.c_str(), text.data(), text.size());
    if (size < 0) return systemError();
    const std::filesystem::path to(std::string(text.data(), static_cast<std::size_t>(size)));
    if (to.is_absolute()) BLOBSCOPE_CHECK(begin());
    addParts(to);
    return Done{};
  }

  const std::filesystem::path& m_target;
  std::deque<std::string> m_parts; ///< parts that remain
  Descriptor m_folder;             ///< folder reached so far
  std::filesystem::path m_path;    ///< path of that folder
  int m_links = 0;
};

} // namespace

Descriptor::~Descriptor() {
  if (m_number >= 0) close(m_number);
}

Result<Place> findPlace(const std::filesystem::path& target) { return Walk(target).run(); }

Result<Descriptor> openBeneath(const std::filesystem::path& folder, const std::filesystem::path& inside) {
  const std::filesystem::path whole = folder / inside;
  const auto notReadable = [&](std::string reason) {
    return Error(DiagnosticId::FileNotReadable, {arg("path", whole.native()), {"reason", std::move(reason)}});
  };
  const auto systemError = [&]() -> Error {
    if (errno == ENOENT || errno == ENOTDIR) return Error(DiagnosticId::FileNotFound, {arg("path", whole.native())});
    return notReadable(std::strerror(errno));
  };
  const auto isLink = [](const Descriptor& above, const std::filesystem::path& part) {
    struct stat status = {};
    return fstatat(above.number(), part.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode);
  };
  // The user named the folder itself, so links to it are followed.
  Descriptor above(open(folder.empty() ? "." : folder.c_str(), kFolder & ~O_NOFOLLOW));
  if (above.number() < 0) return systemError();
  for (auto part = inside.begin(); part != inside.end();) {
    const std::filesystem::path name = *part++;
    if (name.empty() || name == ".") continue;
    const bool last = part == inside.end();
    if (name == ".." || name.is_absolute()) return notReadable("it is not in that folder");
    // O_NONBLOCK: opening a named pipe must not wait for a writer.
    Descriptor next(
        openat(above.number(), name.c_str(), last ? O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC : kFolder));
    if (next.number() < 0) {
      const int number = errno;
      if (isLink(above, name))
        return notReadable("'" + name.native() + "' is a link, which is not followed; put the file itself there");
      errno = number;
      return systemError();
    }
    above = std::move(next);
  }
  struct stat status = {};
  if (fstat(above.number(), &status) != 0) return systemError();
  if (!S_ISREG(status.st_mode))
    return Error(DiagnosticId::FileNotRegular,
                 {arg("path", whole.native()), arg("what", S_ISDIR(status.st_mode)    ? "folder"
                                                           : S_ISFIFO(status.st_mode) ? "named pipe"
                                                                                      : "device or socket")});
  return above;
}

} // namespace blobscope
