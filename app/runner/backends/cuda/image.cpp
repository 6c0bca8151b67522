#include "app/runner/backends/cuda/image.h"

#include "app/runner/backends/host/memory.h"
#include "core/payloads/cubin/cubin.h"
#include "core/payloads/fatbin/fatbin.h"
#include "core/payloads/ptx/ptx.h"
#include "core/payloads/sniff.h"

#include <charconv>
#include <optional>

namespace blobscope::runner::cuda {
namespace {

struct Architecture {
  uint32_t sm;
  char variant; ///< 'a', 'f' or 0
};

std::optional<Architecture> parse(std::string_view text) {
  if (!text.starts_with("sm_")) return std::nullopt;
  text.remove_prefix(3);
  Architecture found{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), found.sm);
  if (failure != std::errc()) return std::nullopt;
  const std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  if (rest.size() > 1 || (rest.size() == 1 && rest[0] != 'a' && rest[0] != 'f')) return std::nullopt;
  found.variant = rest.empty() ? '\0' : rest[0];
  return found;
}

/// Returns 78 for "7.8".
std::optional<uint32_t> versionNumber(std::string_view text) {
  const std::size_t point = text.find('.');
  uint32_t major = 0, minor = 0;
  if (point == std::string_view::npos || point == 0 || point > 3 || text.size() > point + 2) return std::nullopt;
  const auto read = [](std::string_view part, uint32_t& value) {
    const auto [end, failure] = std::from_chars(part.data(), part.data() + part.size(), value);
    return failure == std::errc() && end == part.data() + part.size();
  };
  if (!read(text.substr(0, point), major) || !read(text.substr(point + 1), minor)) return std::nullopt;
  return major * 10 + minor;
}

/// Returns the newest PTX version that a driver for that CUDA supports; nothing for drivers after the end of the table.
/// Source: PTX ISA 9.0, "Release Notes".
std::optional<uint32_t> newestPtx(int driverVersion) {
  const int major = driverVersion / 1000, minor = driverVersion % 1000 / 10;
  if (major == 11 && minor <= 8) return 70 + minor;
  if (major == 12) {
    constexpr uint32_t kOf12[] = {80, 81, 82, 83, 84, 85, 85, 86, 87, 88};
    if (minor >= 0 && minor < 10) return kOf12[minor];
  }
  if (major == 13 && minor == 0) return 90;
  return std::nullopt;
}

/// "8.8" for 88.
std::string versionText(uint32_t number) { return std::to_string(number / 10) + '.' + std::to_string(number % 10); }

/// Returns whether the driver is known not to support that PTX version.
bool isTooNew(std::string_view version, const Target& target) {
  const auto number = versionNumber(version);
  const auto newest = newestPtx(target.driverVersion);
  return number && newest && *number > *newest;
}

/// The images of a kernel, as text: "cubin sm_90".
struct Images {
  std::vector<std::string> texts;
  bool hasTooNewPtx = false;

  void addPtx(std::string_view architecture, std::string_view version, const Target& target) {
    texts.push_back("PTX " + std::string(version) + " for " + std::string(architecture));
    if (!isTooNew(version, target)) return;
    texts.back() += ", but the driver supports PTX up to " + versionText(*newestPtx(target.driverVersion));
    hasTooNewPtx = true;
  }
};

/// Checks one image: adds its description to `held` and returns whether it runs.
bool imageRuns(const Bytes& image, std::string_view content, const Target& target, Images& held) {
  if (content == "cubin") {
    const payloads::Cubin cubin = payloads::readCubin(image);
    held.texts.push_back((cubin.relocatable() ? "relocatable cubin " : "cubin ") +
                         (cubin.sm ? cubin.architecture() : "of an unknown architecture"));
    // For an unknown ABI version nothing is known; the driver decides.
    return !cubin.relocatable() && (!cubin.sm || cubinRuns(cubin.architecture(), target));
  }
  const payloads::Ptx ptx = payloads::readPtx(image);
  held.addPtx(ptx.target.empty() ? "no target" : ptx.target, ptx.version, target);
  return ptxRuns(ptx.target, ptx.version, target);
}

bool entryRuns(const payloads::FatbinEntry& entry, const Target& target, Images& held) {
  if (entry.kind != payloads::FatbinEntry::kPtx) held.texts.push_back(entry.word());
  if (entry.kind == payloads::FatbinEntry::kCubin) return cubinRuns(entry.architecture(), target);
  if (entry.kind != payloads::FatbinEntry::kPtx) return false;
  const std::string version = std::to_string(entry.versionMajor) + '.' + std::to_string(entry.versionMinor);
  held.addPtx(entry.architecture(), version, target);
  return ptxRuns(entry.architecture(), version, target);
}

} // namespace

std::string Target::text() const { return device + " (sm_" + std::to_string(sm) + ')'; }

bool cubinRuns(std::string_view architecture, const Target& target) {
  const auto is = parse(architecture);
  if (!is) return false;
  if (is->variant == 'a') return is->sm == target.sm;
  return is->sm / 10 == target.sm / 10 && is->sm <= target.sm;
}

bool ptxRuns(std::string_view architecture, std::string_view version, const Target& target) {
  const auto is = parse(architecture);
  if (!is || !versionNumber(version) || isTooNew(version, target)) return false;
  if (is->variant == 'a') return is->sm == target.sm;
  if (is->variant == 'f') return is->sm / 10 == target.sm / 10 && is->sm <= target.sm;
  return is->sm <= target.sm;
}

bool isCudaSource(const Bytes& image, std::string_view format) {
  const std::string_view content = payloads::sniff(image);
  if (!content.empty() && !payloads::isText(content)) return false;
  if (content == "ptx") return false;
  return format == "cuda" || image.view().find("__global__") != std::string_view::npos;
}

Result<Done> checkImage(const Bytes& image, std::string_view kernel, const Target& target) {
  const std::string_view content = payloads::sniff(image);
  Images held;
  bool runs = false;
  if (content == "fatbin") {
    const payloads::Fatbin fatbin = payloads::readFatbin(image);
    for (const payloads::FatbinContainer& container : fatbin.containers)
      for (const payloads::FatbinEntry& entry : container.entries) runs = entryRuns(entry, target, held) || runs;
    if (held.texts.empty()) held.texts.emplace_back("a fat binary without images");
    if (!runs && !fatbin.damage.empty()) held.texts.push_back("damage (" + fatbin.damage.front() + ')');
  } else if (content == "cubin" || content == "ptx") {
    runs = imageRuns(image, content, target, held);
  } else {
    held.texts.emplace_back(image.empty() ? "nothing" : "bytes that are not CUDA device code");
  }
  if (runs) return Done{};
  std::string wanted = "sm_" + std::to_string(target.sm);
  if (held.hasTooNewPtx) wanted += " with PTX " + versionText(*newestPtx(target.driverVersion)) + " or older";
  return Error(DiagnosticId::RunImage, {arg("name", kernel), arg("device", target.text()),
                                        arg("images", listText(held.texts)), arg("target", wanted)});
}

} // namespace blobscope::runner::cuda
