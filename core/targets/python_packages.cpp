#include "core/targets/python_packages.h"

#include "core/base/path_text.h"
#include "core/base/source.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <system_error>

namespace blobscope::targets {
namespace {

constexpr std::size_t kEntries = 100'000;    // maximum of entries of a folder
constexpr std::size_t kHeader = 256 * 1'024; // the header of METADATA; its longest ones have some ten thousand bytes
constexpr std::size_t kRequirements = 1'000; // maximum of one package
constexpr std::size_t kVersionBytes = 200;   // maximum length of a version or of a list of specifiers
constexpr std::size_t kReleaseNumbers = 16;  // maximum of numbers of a version

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// Source: packaging.python.org, "Names and normalization".
std::string normalizedName(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool separator = c == '-' || c == '_' || c == '.';
    if (!separator)
      out += lower(c);
    else if (out.empty() || out.back() != '-')
      out += '-';
  }
  return out;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// A version, as a list of numbers that compares like it.
struct Version {
  std::vector<uint64_t> release; ///< without zeros at the end
  uint64_t epoch = 0;
  std::array<uint64_t, 4> suffix = {}; ///< kind and number of a pre-release, post-release, development release
  std::size_t numbers = 0;             ///< of the release as it is written
  bool beforeRelease = false, afterRelease = false;

  friend std::strong_ordering operator<=>(const Version& a, const Version& b) {
    if (const auto order = a.epoch <=> b.epoch; order != 0) return order;
    if (const auto order = a.release <=> b.release; order != 0) return order;
    return a.suffix <=> b.suffix;
  }
  friend bool operator==(const Version& a, const Version& b) { return (a <=> b) == 0; }
};

/// Reads the parts of a version one after another.
class VersionReader {
public:
  explicit VersionReader(std::string_view text) : m_rest(trimmed(text)) {}

  std::optional<Version> read() {
    if (m_rest.size() > kVersionBytes) return std::nullopt;
    if (!m_rest.empty() && lower(m_rest.front()) == 'v') m_rest.remove_prefix(1);
    Version out;
    const auto first = number();
    if (!first) return std::nullopt;
    out.release.push_back(*first);
    if (m_rest.starts_with('!')) {
      m_rest.remove_prefix(1);
      out.epoch = *first;
      const auto next = number();
      if (!next) return std::nullopt;
      out.release = {*next};
    }
    while (m_rest.size() > 1 && m_rest[0] == '.' && isDigit(m_rest[1])) {
      m_rest.remove_prefix(1);
      const auto next = number();
      if (!next || out.release.size() >= kReleaseNumbers) return std::nullopt;
      out.release.push_back(*next);
    }
    out.numbers = out.release.size();
    while (out.release.size() > 1 && out.release.back() == 0) out.release.pop_back();
    readSuffix(out);
    const bool end = m_rest.empty() || m_rest.front() == '+';
    return end ? std::optional(out) : std::nullopt;
  }

private:
  std::optional<uint64_t> number() {
    uint64_t out = 0;
    const auto [end, failure] = std::from_chars(m_rest.data(), m_rest.data() + m_rest.size(), out);
    if (failure != std::errc{} || out > UINT32_MAX) return std::nullopt;
    m_rest.remove_prefix(static_cast<std::size_t>(end - m_rest.data()));
    return out;
  }
  /// The number after one of the words, 0 without one.
  std::optional<uint64_t> word(std::initializer_list<std::string_view> words) {
    std::string_view rest = m_rest;
    if (rest.find_first_of(".-_") == 0) rest.remove_prefix(1);
    for (const std::string_view one : words) {
      if (rest.size() < one.size() || !std::ranges::equal(rest.substr(0, one.size()), one, {}, lower)) continue;
      rest.remove_prefix(one.size());
      if (rest.size() > 1 && rest.find_first_of(".-_") == 0 && isDigit(rest[1])) rest.remove_prefix(1);
      m_rest = rest;
      return number().value_or(0);
    }
    return std::nullopt;
  }
  void readSuffix(Version& out) {
    std::optional<uint64_t> pre;
    uint64_t kind = 0;
    for (const auto& words :
         {std::initializer_list<std::string_view>{"alpha", "a"}, {"beta", "b"}, {"rc", "preview", "pre", "c"}}) {
      ++kind;
      if ((pre = word(words))) break;
    }
    std::optional<uint64_t> post = word({"post", "rev", "r"});
    if (!post && m_rest.size() > 1 && m_rest[0] == '-' && isDigit(m_rest[1])) {
      m_rest.remove_prefix(1);
      post = number();
    }
    const std::optional<uint64_t> dev = word({"dev"});
    // A development release without another suffix is before all pre-releases.
    constexpr uint64_t kFinal = 4;
    const uint64_t before = pre ? kind : !post && dev ? 0 : kFinal;
    out.suffix = {before, pre.value_or(0), post ? *post + 1 : 0, dev ? *dev : UINT64_MAX};
    out.beforeRelease = pre || dev;
    out.afterRelease = post.has_value();
  }

  std::string_view m_rest;
};

std::optional<Version> readVersion(std::string_view text) { return VersionReader(text).read(); }

/// Whether the numbers of the version begin with those of `wanted`.
bool beginsWith(const Version& version, const Version& wanted, std::size_t count) {
  if (version.epoch != wanted.epoch) return false;
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = [&](const std::vector<uint64_t>& numbers) { return i < numbers.size() ? numbers[i] : 0; };
    if (at(version.release) != at(wanted.release)) return false;
  }
  return true;
}

/// One specifier: ">=0.1.11", "==1.4.*", "~=2.2".
std::optional<bool> satisfiesOne(const Version& version, std::string_view specifier) {
  constexpr std::array<std::string_view, 8> kOperators = {"===", "~=", "==", "!=", "<=", ">=", "<", ">"};
  const auto found = std::ranges::find_if(kOperators, [&](std::string_view one) { return specifier.starts_with(one); });
  if (found == kOperators.end()) return std::nullopt;
  std::string_view text = trimmed(specifier.substr(found->size()));
  const bool all = text.ends_with(".*");
  if (all) text.remove_suffix(2);
  const auto wanted = readVersion(text);
  if (!wanted) return std::nullopt;
  const std::size_t numbers = wanted->numbers;
  const auto order = version <=> *wanted;
  const bool sameRelease = version.epoch == wanted->epoch && version.release == wanted->release;
  if (*found == "==" || *found == "===") return all ? beginsWith(version, *wanted, numbers) : order == 0;
  if (*found == "!=") return all ? !beginsWith(version, *wanted, numbers) : order != 0;
  if (*found == "<=") return order <= 0;
  if (*found == ">=") return order >= 0;
  if (*found == "~=") return numbers > 1 && order >= 0 && beginsWith(version, *wanted, numbers - 1);
  // The pre-releases and post-releases of the version itself are excluded.
  if (*found == "<") return order < 0 && !(sameRelease && version.beforeRelease && !wanted->beforeRelease);
  return order > 0 && !(sameRelease && version.afterRelease && !wanted->afterRelease);
}

/// "apache-tvm-ffi<0.1.13,>=0.1.11", "torch (>=2.4)", "name[extra]>=1". Nothing for those with a condition.
std::optional<PackageRequirement> readRequirement(std::string_view line) {
  if (line.find(';') != std::string_view::npos || line.find('@') != std::string_view::npos) return std::nullopt;
  line = trimmed(line);
  const std::size_t end = std::min(line.find_first_of(" \t[(<>=!~"), line.size());
  PackageRequirement out{normalizedName(line.substr(0, end)), {}};
  std::string_view rest = trimmed(line.substr(end));
  if (rest.starts_with('[')) {
    const std::size_t close = rest.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    rest = trimmed(rest.substr(close + 1));
  }
  if (rest.starts_with('(') && rest.ends_with(')')) rest = trimmed(rest.substr(1, rest.size() - 2));
  if (out.name.empty() || rest.size() > kVersionBytes) return std::nullopt;
  out.specifiers = rest;
  return out;
}

/// The header of METADATA: lines "Name: value" up to an empty line. Source: packaging.python.org, "Core metadata".
std::optional<PythonPackage> readMetadata(std::string_view text) {
  PythonPackage out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) break;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view name = line.substr(0, colon), value = trimmed(line.substr(colon + 1));
    if (equalsIgnoringCase(name, "Name") && out.name.empty()) out.name = normalizedName(value.substr(0, kVersionBytes));
    if (equalsIgnoringCase(name, "Version") && out.version.empty()) out.version = value.substr(0, kVersionBytes);
    if (equalsIgnoringCase(name, "Requires-Dist") && out.requirements.size() < kRequirements)
      if (auto requirement = readRequirement(value)) out.requirements.push_back(std::move(*requirement));
  }
  if (out.name.empty() || out.version.empty()) return std::nullopt;
  return out;
}

} // namespace

Result<std::vector<PythonPackage>> readPackages(const std::filesystem::path& folder, Monitor& monitor) {
  constexpr std::string_view kEnd = ".dist-info";
  std::vector<PythonPackage> out;
  std::error_code failure;
  std::size_t entries = 0;
  for (auto at = std::filesystem::directory_iterator(folder, failure);
       !failure && at != std::filesystem::directory_iterator() && entries < kEntries;
       at.increment(failure), ++entries) {
    std::string name = pathText(at->path().filename());
    if (!name.ends_with(kEnd)) continue;
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    if (auto source = ByteSource::openFile(at->path() / "METADATA")) {
      if (auto package = readMetadata(ByteSource::all(*source).view().substr(0, kHeader)))
        out.push_back(std::move(*package));
      continue;
    }
    // The name of the folder says less.
    name.resize(name.size() - kEnd.size());
    if (const std::size_t dash = name.find('-'); dash != std::string::npos)
      out.push_back({normalizedName(name.substr(0, dash)), name.substr(dash + 1)});
  }
  std::ranges::sort(out, {}, [](const PythonPackage& one) { return std::pair(one.name, one.version); });
  return out;
}

const PythonPackage* findPackage(const std::vector<PythonPackage>& packages, std::string_view name) {
  const auto found = std::ranges::find(packages, name, &PythonPackage::name);
  return found == packages.end() ? nullptr : &*found;
}

std::optional<std::strong_ordering> comparePythonVersions(std::string_view a, std::string_view b) {
  const auto first = readVersion(a), second = readVersion(b);
  if (!first || !second) return std::nullopt;
  return *first <=> *second;
}

std::optional<bool> satisfies(std::string_view version, std::string_view specifiers) {
  const auto read = readVersion(version);
  if (!read) return std::nullopt;
  while (!specifiers.empty()) {
    const std::size_t end = std::min(specifiers.find(','), specifiers.size());
    const std::string_view one = trimmed(specifiers.substr(0, end));
    specifiers.remove_prefix(std::min(end + 1, specifiers.size()));
    if (one.empty()) continue;
    const auto met = satisfiesOne(*read, one);
    if (!met || !*met) return met;
  }
  return true;
}

std::string PackageConflict::sentence() const {
  return escaped(package.name + " " + package.version) + " asks for " +
         escaped(requirement.name + " " + requirement.specifiers) + ", and " + escaped(installed) + " is installed";
}

std::vector<PackageConflict> findConflicts(const std::vector<PythonPackage>& packages) {
  std::vector<PackageConflict> out;
  for (const PythonPackage& package : packages)
    for (const PackageRequirement& requirement : package.requirements) {
      const PythonPackage* const other = findPackage(packages, requirement.name);
      if (other && satisfies(other->version, requirement.specifiers) == false)
        out.push_back({package, requirement, other->version});
    }
  return out;
}

} // namespace blobscope::targets
