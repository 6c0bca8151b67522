#include "core/safety/report.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>

namespace blobscope::safety {

std::string_view triggerName(Trigger trigger) {
  constexpr std::array<std::string_view, 8> kNames = {"preinit",      "init",  "constructor",        "ifunc",
                                                      "tls-callback", "entry", "global-initializer", "destructor"};
  return kNames[static_cast<std::size_t>(trigger)];
}

std::string_view verdictName(Verdict verdict) {
  constexpr std::array<std::string_view, 4> kNames = {"known", "contained", "unknown", "acts"};
  return kNames[static_cast<std::size_t>(verdict)];
}

std::string namesText(const std::vector<std::string>& names, std::size_t most) {
  std::string out;
  for (std::size_t i = 0; i < names.size() && i < most; ++i) out += (i == 0 ? "" : ", ") + escapedWithin(names[i], 120);
  if (names.size() > most) out += " and " + groupedText(names.size() - most) + " more";
  return out;
}

std::string entropyText(double entropy) {
  const auto hundredths = static_cast<uint64_t>(entropy * 100 + 0.5);
  const std::string rest = std::to_string(hundredths % 100);
  return std::to_string(hundredths / 100) + "." + (rest.size() == 1 ? "0" : "") + rest;
}

bool Report::hasFindings() const { return findings.count(Severity::Error) + findings.count(Severity::Warning) > 0; }

std::string Report::acts() const {
  std::array<bool, kGroups> groups{};
  bool kernel = false;
  for (const Piece& piece : pieces) {
    if (piece.trigger == Trigger::Destructor || piece.verdict != Verdict::Acts) continue;
    kernel = kernel || !piece.systemCalls.empty();
    for (const Reached& one : piece.reaches)
      if (!one.byKnown) groups[static_cast<std::size_t>(one.group)] = true;
  }
  constexpr std::array<std::pair<Group, std::string_view>, 5> kActs = {
      {{Group::Process, "start or change processes"},
       {Group::File, "use files"},
       {Group::Network, "use the network"},
       {Group::DynamicCode, "load other code"},
       {Group::Memory, "change the protection of memory"}}};
  std::vector<std::string> list;
  for (const auto& [group, words] : kActs)
    if (groups[static_cast<std::size_t>(group)]) list.emplace_back(words);
  if (kernel) list.emplace_back("call the kernel directly");
  std::string out;
  for (std::size_t i = 0; i < list.size(); ++i) out += (i == 0 ? "" : i + 1 == list.size() ? " and " : ", ") + list[i];
  return out;
}

std::string Report::usedLibraries() const {
  const auto begins = [](std::string_view name, std::initializer_list<std::string_view> prefixes) {
    return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
  };
  bool gpu = false, other = false;
  for (const Piece& piece : pieces) {
    if (piece.trigger == Trigger::Destructor || piece.verdict != Verdict::Contained) continue;
    for (const Reached& one : piece.reaches) {
      if (one.byKnown || one.group != Group::Other) continue;
      const bool ofGpu = begins(one.name, {"__cuda", "cuda", "__hip", "hip"});
      gpu = gpu || ofGpu;
      other = other || !ofGpu;
    }
  }
  return std::string(gpu ? "TVM, the GPU's runtime, and" : "TVM and") + " the C and C++ libraries" +
         (other ? ", and others that the list names" : "");
}

std::string Report::sentence() const {
  if (!damage.empty()) return "What loading this file runs is not known, because the file is damaged: " + damage;
  const auto atLoad = [](const Piece& piece) { return piece.trigger != Trigger::Destructor; };
  const auto total = static_cast<uint64_t>(std::ranges::count_if(pieces, atLoad));
  const auto known = static_cast<uint64_t>(std::ranges::count_if(
      pieces, [&](const Piece& piece) { return atLoad(piece) && piece.verdict == Verdict::Known; }));
  const bool contained = std::ranges::all_of(pieces, [&](const Piece& piece) {
    return !atLoad(piece) || piece.verdict == Verdict::Known || piece.verdict == Verdict::Contained;
  });
  std::string out = total == 0 ? std::string("Loading this file runs no code of it.")
                               : "Loading this file runs " + countText(total, "piece") + " of code.";
  if (total > 0 && known == total) {
    out += total == 1 ? " It is known." : " All are known.";
  } else if (total > known) {
    const uint64_t rest = total - known;
    const std::string list = acts();
    if (known == 0)
      out += rest == 1 ? " It is not known" : " None of them is known";
    else
      out += " " + groupedText(known) + (known == 1 ? " is known; " : " are known; ") + groupedText(rest) +
             (rest == 1 ? " is not" : " are not");
    const std::string they = rest == 1 ? "it" : "they";
    out += !list.empty() ? ", and " + they + " can " + list + "."
           : contained   ? ", but " + they + (rest == 1 ? " uses only " : " use only ") + usedLibraries() + "."
                         : ", and not all calls could be followed.";
  }
  const auto unknownAtEnd = static_cast<uint64_t>(std::ranges::count_if(
      pieces, [&](const Piece& piece) { return !atLoad(piece) && piece.verdict != Verdict::Known; }));
  if (unknownAtEnd > 0)
    out += " Unloading it runs " + countText(unknownAtEnd, "piece") + " of code that " +
           (unknownAtEnd == 1 ? "is" : "are") + " not known.";
  if (hasFindings()) return out;
  const auto unexpected = static_cast<uint64_t>(std::ranges::count(imports, false, &Import::expected));
  if (unexpected == 0) return out + " Nothing unexpected was found.";
  out += " " + countText(unexpected, "imported function") + (unexpected == 1 ? " is" : " are") +
         " not usual in a TVM export.";
  return out;
}

} // namespace blobscope::safety
