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

std::string entropyText(double entropy) {
  const auto hundredths = static_cast<uint64_t>(entropy * 100 + 0.5);
  const std::string rest = std::to_string(hundredths % 100);
  return std::to_string(hundredths / 100) + "." + (rest.size() == 1 ? "0" : "") + rest;
}

bool Report::hasFindings() const { return findings.count(Severity::Error) + findings.count(Severity::Warning) > 0; }

std::string Report::sentence() const {
  const auto atLoad = [](const Piece& piece) { return piece.trigger != Trigger::Destructor; };
  const auto total = static_cast<uint64_t>(std::ranges::count_if(pieces, atLoad));
  const auto known = static_cast<uint64_t>(std::ranges::count_if(
      pieces, [&](const Piece& piece) { return atLoad(piece) && piece.verdict == Verdict::Known; }));
  std::string out = total == 0 ? std::string("Loading this file runs no code of it.")
                               : "Loading this file runs " + countText(total, "piece") + " of code.";
  if (total > 0 && known == total) {
    out += total == 1 ? " It is known." : " All are known.";
  } else if (total > known) {
    out += known == 0 ? std::string(" None of it is known")
                      : " Of these, " + groupedText(known) + (known == 1 ? " is" : " are") + " known";
    std::array<bool, kGroups> groups{};
    for (const Piece& piece : pieces)
      if (atLoad(piece) && piece.verdict == Verdict::Acts)
        for (const Reached& one : piece.reaches) groups[static_cast<std::size_t>(one.group)] = true;
    const bool kernel = std::ranges::any_of(pieces, [](const Piece& piece) { return !piece.systemCalls.empty(); });
    const auto has = [&](Group group) { return groups[static_cast<std::size_t>(group)]; };
    std::vector<std::string> acts;
    if (has(Group::Process)) acts.push_back("act on processes");
    if (has(Group::File)) acts.push_back("act on files");
    if (has(Group::Network)) acts.push_back("use the network");
    if (has(Group::DynamicCode)) acts.push_back("load other code");
    if (has(Group::Memory)) acts.push_back("change the protection of memory");
    if (kernel) acts.push_back("call the kernel itself");
    std::string list;
    for (std::size_t i = 0; i < acts.size(); ++i)
      list += (i == 0 ? "" : i + 1 == acts.size() ? " and " : ", ") + acts[i];
    out += list.empty() ? "." : "; the rest can " + list + ".";
  }
  if (!hasFindings()) out += " Nothing unexpected was found.";
  return out;
}

} // namespace blobscope::safety
