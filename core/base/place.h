#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <utility>

namespace blobscope {

/// A descriptor of the system that is closed when this object is destroyed.
class Descriptor {
public:
  Descriptor() = default;
  explicit Descriptor(int number) : m_number(number) {}
  Descriptor(Descriptor&& other) noexcept : m_number(std::exchange(other.m_number, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(m_number, other.m_number);
    return *this;
  }
  ~Descriptor();

  /// -1: none.
  int number() const { return m_number; }
  /// Keeps it open; the caller closes it from now on.
  int release() { return std::exchange(m_number, -1); }
  void reset() { *this = Descriptor(); }

private:
  int m_number = -1;
};

/// The place of an output: an open folder and a name in it, with all links resolved. A link that somebody adds to the
/// path later cannot redirect what is done with `folder` and `name`.
struct Place {
  Descriptor folder;          ///< only for the …at() calls
  std::string name;           ///< empty when the path names a folder that exists ("/", "x/..", "x/")
  std::filesystem::path path; ///< absolute, without links
};

/// Resolves `target`, whose last part need not exist. Links are followed as Linux does it with fs.protected_symlinks,
/// on every system and in every part of the path: a link in a sticky folder that everybody can write to (/tmp) is
/// followed only when it belongs to this user or to the folder's owner. Likewise, as with fs.protected_regular, a file
/// in such a folder that belongs to another user is not replaced. FILE-WRITE with `target` and the reason.
Result<Place> findPlace(const std::filesystem::path& target);

/// Opens the regular file `inside` of `folder` for reading. No link in `inside` is followed, so the file is always
/// below `folder`. `inside` is relative, without "..". FILE-NOT-FOUND, FILE-NOT-READABLE, FILE-NOT-REGULAR.
Result<Descriptor> openBeneath(const std::filesystem::path& folder, const std::filesystem::path& inside);

} // namespace blobscope
