// What is looked up in the tables once they are loaded.
#include "core/targets/facts.h"

#include "core/targets/tables.h"

#include <algorithm>

namespace blobscope::targets {
namespace {

/// "0.27.0" of "v0.27.0", "0.27.0.post1".
std::string_view plainVersion(std::string_view name) {
  if (name.size() > 1 && name[0] == 'v' && name[1] >= '0' && name[1] <= '9') name.remove_prefix(1);
  if (const std::size_t post = name.find(".post");
      post != std::string_view::npos && post + 5 < name.size() &&
      name.find_first_not_of("0123456789", post + 5) == std::string_view::npos)
    name = name.substr(0, post);
  return name;
}

/// Whether a name has the form of a pattern with "*" and "?".
bool hasForm(std::string_view name, std::string_view pattern) {
  std::size_t star = std::string_view::npos, from = 0, at = 0, i = 0;
  while (at < name.size()) {
    if (i < pattern.size() && pattern[i] == '*') {
      star = i++;
      from = at;
    } else if (i < pattern.size() && (pattern[i] == '?' || pattern[i] == name[at])) {
      ++i;
      ++at;
    } else if (star != std::string_view::npos) {
      i = star + 1;
      at = ++from;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', i) == std::string_view::npos;
}

} // namespace

std::optional<std::size_t> Facts::findRelease(std::string_view name) const {
  const std::string_view wanted = plainVersion(name);
  for (std::size_t i = 0; i < m_releases.size(); ++i) {
    const std::string_view tag = plainVersion(m_releases[i].name), label = plainVersion(m_releases[i].label);
    if (wanted == tag || wanted == label) return i;
    if (!wanted.empty() && tag.starts_with(std::string(wanted) + "-")) return i; // "tirx" for "tirx-0.1.0a4"
    // "0.6.0" for the label "0.6", whose release is 0.6.1.
    if (wanted.size() == label.size() + 2 && wanted.starts_with(label) && wanted.ends_with(".0")) return i;
  }
  return std::nullopt;
}

std::string Facts::rangesText(const std::vector<std::size_t>& releases) const {
  std::string out;
  for (std::size_t i = 0; i < releases.size();) {
    std::size_t last = i;
    // apache-tvm-tirx is no release after the newest one of TVM.
    while (last + 1 < releases.size() && releases[last + 1] == releases[last] + 1 &&
           releases[last + 1] <= newestRelease())
      ++last;
    out += (out.empty() ? "" : ", ") + m_releases[releases[i]].label;
    if (last > i) out += (last > i + 1 ? " – " : ", ") + m_releases[releases[last]].label;
    i = last + 1;
  }
  return out;
}

std::optional<FfiNeed> Facts::neededFfi(const std::vector<std::string_view>& symbols) const {
  std::optional<std::size_t> newest;
  FfiNeed out;
  for (const std::string_view symbol : symbols) {
    const auto found = m_tables->ffiExports.find(symbol);
    if (found == m_tables->ffiExports.end() || !symbol.starts_with("TVMFFI")) continue;
    if (newest && found->second.first <= *newest) continue;
    newest = found->second.first;
    out = {m_ffiReleases[*newest], std::string(symbol)};
  }
  return newest ? std::optional(std::move(out)) : std::nullopt;
}

std::size_t Facts::newestRelease() const {
  std::size_t newest = 0;
  for (std::size_t i = 0; i < m_releases.size(); ++i)
    if (m_releases[i].name.starts_with('v')) newest = i;
  return newest;
}

const GpuArchitecture* Facts::findGpu(std::string_view name) const {
  const auto found = std::ranges::find_if(m_gpus, [&](const GpuArchitecture& gpu) {
    return gpu.name == name || (!gpu.alias.empty() && gpu.alias == name);
  });
  return found == m_gpus.end() ? nullptr : &*found;
}

const SystemRow* Facts::findSystem(std::string_view name) const {
  const auto found = std::ranges::find_if(
      m_systems, [&](const SystemRow& one) { return one.name == name || (!one.alias.empty() && one.alias == name); });
  return found == m_systems.end() ? nullptr : &*found;
}

bool Facts::isSystemName(std::string_view name) const { return std::ranges::binary_search(m_systemNames, name); }

bool Facts::isMuslName(std::string_view name) const { return std::ranges::binary_search(m_muslNames, name); }

std::string_view Facts::linkedBy(std::string_view name) const {
  if (const auto found = m_linked.find(name); found != m_linked.end()) return found->second;
  const auto found =
      std::ranges::find_if(m_linkedPatterns, [&](const LinkedNames& one) { return hasForm(name, one.pattern); });
  return found == m_linkedPatterns.end() ? std::string_view() : std::string_view(found->by);
}

std::optional<uint32_t> Facts::driverOf(std::string_view cudaVersion) const {
  const auto found = std::ranges::find(m_cuda, cudaVersion, &CudaRelease::version);
  return found == m_cuda.end() ? std::nullopt : std::optional(found->driver);
}

std::optional<uint32_t> Facts::oldestPtx(std::string_view target) const {
  const auto found = m_oldestPtx.find(target);
  return found == m_oldestPtx.end() ? std::nullopt : std::optional(found->second);
}

} // namespace blobscope::targets
