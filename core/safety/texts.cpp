#include "core/base/pattern_search.h"
#include "core/base/source.h"
#include "core/base/text.h"
#include "core/safety/parts.h"

#include <algorithm>
#include <array>
#include <set>
#include <vector>

namespace blobscope::safety {
namespace {

using Kind = FoundText::Kind;

struct Pattern {
  std::string_view text;
  Kind kind;
};
/// Texts that models and compilers' run-times have no reason for, and traces of the machine that built the file.
constexpr Pattern kPatterns[] = {
    {"http://", Kind::Url},
    {"https://", Kind::Url},
    {"ftp://", Kind::Url},
    {"/bin/sh", Kind::Command},
    {"/bin/bash", Kind::Command},
    {"cmd.exe", Kind::Command},
    {"powershell", Kind::Command},
    {"curl ", Kind::Command},
    {"wget ", Kind::Command},
    {"chmod +", Kind::Command},
    {"/etc/passwd", Kind::Command},
    {"/.ssh/", Kind::Command},
    {"/proc/self", Kind::Command},
    {"/dev/tcp/", Kind::Command},
    {"crontab", Kind::Command},
    {"LD_PRELOAD", Kind::Loader},
    {"LD_LIBRARY_PATH", Kind::Loader},
    {"LD_AUDIT", Kind::Loader},
    {"DYLD_INSERT", Kind::Loader},
    {"/home/", Kind::Path},
    {"/Users/", Kind::Path},
    {"\\Users\\", Kind::Path},
    {"/root/", Kind::Path},
    {"/workspace/", Kind::Path},
    {"/builds/", Kind::Path},
    {"/tmp/", Kind::Path},
    {"/opt/", Kind::Path},
};
constexpr std::size_t kTexts = 500;        // of a file
constexpr std::size_t kPerPattern = 2'000; // places that are looked at
constexpr std::size_t kLength = 200;

bool isPrintable(char c) { return c >= 0x20 && c < 0x7f; }

/// The name of the user in "/home/NAME/"; empty for names of build systems' images and for other paths.
std::string userIn(std::string_view path) {
  for (const std::string_view root : {"/home/", "/Users/", "\\Users\\"}) {
    const std::size_t at = path.find(root);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = path.substr(at + root.size());
    const std::size_t end = rest.find_first_of("/\\");
    if (end != std::string_view::npos && end > 0 && end <= 64) return std::string(rest.substr(0, end));
  }
  return {};
}

/// Looks at every place where a pattern begins, in one pass over the file.
class TextFinder {
public:
  TextFinder(const library::Package& package, Report& report)
      : m_package(package), m_report(report), m_all(package.image.file.view()),
        m_users(report.identity.users.begin(), report.identity.users.end()) {}

  Result<Done> find(Monitor& monitor) {
    std::vector<std::string_view> patterns;
    for (const Pattern& pattern : kPatterns) patterns.push_back(pattern.text);
    const PatternSearch search(patterns);
    constexpr std::size_t kStep = std::size_t{1} << 20, kOverlap = 64; // longer than each pattern
    PassedBytes passed(m_package.image.file);
    for (std::size_t step = 0; step < m_all.size(); step += kStep) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      const std::string_view part = m_all.substr(0, std::min(step + kStep + kOverlap, m_all.size()));
      for (std::size_t at = search.find(part, step); at < step + kStep && at != std::string_view::npos;
           at = search.find(part, at + 1))
        for (const Pattern& pattern : kPatterns)
          if (m_all.substr(at).starts_with(pattern.text)) addAt(at, pattern);
      passed.passTo(step);
    }
    m_report.identity.users.assign(m_users.begin(), m_users.end());
    return Done{};
  }

private:
  /// The pattern with the printable characters around it; of paths and addresses, the path alone.
  void addAt(std::size_t at, const Pattern& pattern) {
    std::size_t& places = m_places[static_cast<std::size_t>(&pattern - std::begin(kPatterns))];
    if (++places > kPerPattern || m_report.texts.size() >= kTexts) return;
    std::size_t begin = at, end = at + pattern.text.size();
    while (begin > 0 && at - begin < kLength && isPrintable(m_all[begin - 1])) --begin;
    while (end < m_all.size() && end - at < kLength && isPrintable(m_all[end])) ++end;
    std::string_view text = m_all.substr(begin, end - begin);
    const bool isPath = pattern.kind == Kind::Path || pattern.kind == Kind::Url;
    if (isPath) {
      const std::size_t from = text.substr(0, at - begin).find_last_of(" \"'`(<>=,;|") + 1;
      const std::size_t to = std::min(text.find_first_of(" \"'`)<>,;|", at - begin), text.size());
      begin += from;
      text = text.substr(from, to - from);
    }
    if (text.size() == pattern.text.size() && isPath) return;
    if (!m_seen.insert({pattern.kind, std::string(text)}).second) return;
    m_report.texts.push_back({pattern.kind, std::string(text), begin, m_package.ref(Ref::bytesAt(begin, text.size()))});
    if (const std::string user = userIn(text); !user.empty()) m_users.insert(user);
  }

  const library::Package& m_package;
  Report& m_report;
  std::string_view m_all;
  std::array<std::size_t, std::size(kPatterns)> m_places{};
  std::set<std::pair<Kind, std::string>> m_seen;
  std::set<std::string> m_users;
};

} // namespace

std::string_view textKindName(FoundText::Kind kind) {
  constexpr std::array<std::string_view, 4> kNames = {"url", "command", "loader", "path"};
  return kNames[static_cast<std::size_t>(kind)];
}

Result<Done> addTexts(const library::Package& package, Report& report, Monitor& monitor) {
  return TextFinder(package, report).find(monitor);
}

} // namespace blobscope::safety
