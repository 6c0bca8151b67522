#pragma once

#include <QTemporaryDir>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

/// Files on disk, for tests of code that uses the file system.
namespace blobscope::test {

inline std::filesystem::path in(const QTemporaryDir& folder, std::string_view name) {
  return std::filesystem::path(folder.path().toStdString()) / name;
}

inline void writeFile(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

inline std::string readFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Names in the folder, sorted, with a space between.
inline std::string listing(const QTemporaryDir& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path().toStdString()))
    names.push_back(entry.path().filename().native());
  std::sort(names.begin(), names.end());
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : " ") + name;
  return out;
}

/// File permissions do not apply to root, so root becomes another user during the lifetime of this object.
class Unprivileged {
public:
  Unprivileged() : m_root(geteuid() == 0) {
    if (m_root) m_works = seteuid(65534) == 0;
  }
  ~Unprivileged() {
    if (m_root && m_works && seteuid(0) != 0) std::abort();
  }
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;
  bool works() const { return m_works; }

private:
  bool m_root;
  bool m_works = true;
};

} // namespace blobscope::test
