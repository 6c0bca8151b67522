#include "core/host/signatures.h"

#include "core/base/thread_rule.h"
#include "core/host/assertions.h"
#include "core/host/literal.h"
#include "core/host/text_runs.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace blobscope::host {
namespace {

using container::Image;

/// Minimum length of the text of a check or signature, and of the name of a device.
constexpr std::size_t kText = 8, kWord = 3;
/// Maximum number of stray bytes before a text: the end of a constant before it.
constexpr std::size_t kStrayBytes = 8;
/// Maximum number of functions that only texts name. Every one costs memory; the largest library seen has 55.
constexpr std::size_t kTextFunctions = 100'000;

/// Names in the checks of 0.24 and later, with their DLPack numbers.
constexpr std::array<std::pair<std::string_view, int>, 8> kDevices = {{{"cpu", 1},
                                                                       {"cuda", 2},
                                                                       {"opencl", 4},
                                                                       {"vulkan", 7},
                                                                       {"metal", 8},
                                                                       {"rocm", 10},
                                                                       {"webgpu", 15},
                                                                       {"hexagon", 16}}};

class Finder {
public:
  Finder(const HostSymbols& host) {
    for (std::size_t i = 0; i < host.functions.size(); ++i) m_known.try_emplace(host.functions[i].name, i);
  }

  Result<Done> read(const Image& image, TextPlaces places, Monitor& monitor) {
    return forEachText(image, places, kWord, [&](std::string_view text, bool ended) { addText(text, ended); }, monitor);
  }
  bool found() const { return !m_assertions.empty() || !m_literals.empty(); }

  Result<std::vector<Signature>> take(const HostSymbols& host, Monitor& monitor) {
    BLOBSCOPE_TRY(checked, m_assertions.signatures(m_known, monitor));
    std::vector<Signature> out(host.functions.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i].function = host.functions[i].name;
    std::unordered_map<std::string, std::size_t> further;
    const auto place = [&](Signature signature) {
      const auto known = m_known.find(signature.function);
      if (known != m_known.end()) {
        Signature& slot = out[known->second];
        if (slot.source == Signature::Source::None) slot = std::move(signature);
        return;
      }
      if (further.size() >= kTextFunctions || !further.try_emplace(signature.function, out.size()).second) return;
      out.push_back(std::move(signature));
    };
    for (Signature& literal : m_literals) {
      // When the functions of a library are unknown, one without parameters counts only if others have some: "main()"
      // is in many texts.
      if (!m_known.empty() || !literal.parameters.empty() || m_withParameters) place(std::move(literal));
    }
    for (Signature& signature : checked) place(std::move(signature));
    // Two symbols may have one name: a function and its copy in the static table.
    for (std::size_t i = 0; i < host.functions.size(); ++i) {
      const std::size_t first = m_known.at(host.functions[i].name);
      if (first != i) out[i] = out[first];
    }
    nameDevice(out);
    return out;
  }

private:
  void addText(std::string_view text, bool ended) {
    if (text.size() < kText) {
      if (ended)
        for (const auto& [name, number] : kDevices)
          if (text == name) m_devices |= 1u << number;
      if (!m_known.empty() && text.back() == ')') literal(text); // "f()" of a known function
      return;
    }
    if (text == ".device_type on argument #") m_checksDevice = true;
    if (text.back() == ')') literal(text);
    m_assertions.addText(text);
  }

  void literal(std::string_view text) {
    if (m_literals.size() >= kTextFunctions || m_values > kValues) return;
    const std::size_t bracket = text.find('(');
    if (bracket == 0 || bracket == std::string_view::npos || bracket > 4096) return;
    if (m_known.empty()) {
      if (auto signature = parseLiteral(text, true)) keep(std::move(*signature));
      return;
    }
    for (std::size_t stray = 0; stray <= kStrayBytes && stray < bracket; ++stray) {
      if (!m_known.contains(text.substr(stray, bracket - stray))) continue;
      if (auto signature = parseLiteral(text.substr(stray), false)) keep(std::move(*signature));
      return;
    }
  }
  void keep(Signature signature) {
    m_values += valuesOf(signature);
    if (m_values > kValues) return;
    m_withParameters |= !signature.parameters.empty();
    m_literals.push_back(std::move(signature));
  }

  /// Functions share parts of messages, so the device is known only when the file names just one: then all tensors use
  /// it.
  void nameDevice(std::vector<Signature>& signatures) const {
    if (!m_checksDevice) return;
    std::optional<int> device;
    for (const auto& [name, number] : kDevices) {
      if ((m_devices & (1u << number)) == 0) continue;
      if (device) return;
      device = number;
    }
    for (Signature& signature : signatures) {
      if (signature.source != Signature::Source::Literal) continue;
      for (Parameter& parameter : signature.parameters)
        if (parameter.kind == Parameter::Kind::Tensor) parameter.deviceType = device;
    }
  }

  std::unordered_map<std::string_view, std::size_t> m_known;
  Assertions m_assertions;
  std::vector<Signature> m_literals;
  std::size_t m_values = 0;
  uint32_t m_devices = 0; ///< one bit per device type
  bool m_checksDevice = false, m_withParameters = false;
};

} // namespace

Result<std::vector<Signature>> computeSignatures(const Image& image, const HostSymbols& host, Monitor& monitor) {
  longWork("host::computeSignatures");
  if (image.kind == container::Kind::Archive) return std::vector<Signature>{};
  Finder finder(host);
  for (const TextPlaces places : {TextPlaces::ReadOnly, TextPlaces::Writable, TextPlaces::All}) {
    BLOBSCOPE_CHECK(finder.read(image, places, monitor));
    if (finder.found()) break;
    // A library whose data sections are known has its texts there or nowhere. The sections of a linked wasm module say
    // nothing about this.
    const bool known = std::any_of(image.sections.begin(), image.sections.end(), [](const container::Section& section) {
      return section.allocated && !section.executable && section.file.size > 0;
    });
    if (places == TextPlaces::Writable && known) break;
  }
  return finder.take(host, monitor);
}

} // namespace blobscope::host
