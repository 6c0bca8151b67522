// Steps 7 and 8: functions that are called by name, and devices.
#include "core/base/text.h"
#include "core/preflight/judge.h"

#include <algorithm>
#include <array>
#include <utility>

namespace blobscope::preflight {
namespace {

using check::Rule;
using requirements::NeededCall;
using requirements::NeededFunction;
using targets::ArgumentCount;
using targets::Message;

Message messageFor(NeededFunction::Place place) {
  switch (place) {
  case NeededFunction::Place::RelaxPacked: return Message::NoPackedFunction;
  case NeededFunction::Place::RelaxCompiled: return Message::NoCompiledFunction;
  case NeededFunction::Place::RelayPrimitive: return Message::NoRelayPrimitive;
  case NeededFunction::Place::Graph: return Message::NoGraphFunction;
  case NeededFunction::Place::Host: break;
  }
  return Message::NoHostFunction;
}

/// Whether the runtime's own functions are searched after those of the library.
bool searchesRuntime(NeededFunction::Place place) {
  return place == NeededFunction::Place::RelaxPacked || place == NeededFunction::Place::Host;
}

/// Whether a call with these arguments has a number that the record accepts.
bool accepts(const ArgumentCount& count, const NeededCall& call) {
  uint64_t minimum = count.minimum.value_or(0);
  if (count.depends && count.depends->argument < call.immediates.size()) {
    const std::optional<int64_t> value = call.immediates[count.depends->argument];
    // The number of dimensions; anything above what fits is refused by the count itself.
    if (value && *value >= 0 && static_cast<uint64_t>(*value) <= call.arguments)
      minimum = count.depends->base + count.depends->times * static_cast<uint64_t>(*value);
    else if (value && *value >= 0)
      minimum = UINT64_MAX;
  }
  return call.arguments >= minimum && (!count.maximum || call.arguments <= *count.maximum);
}

/// "5", "22 or 23", "at least 3".
std::string acceptedText(const std::vector<ArgumentCount>& counts) {
  std::string out;
  for (const ArgumentCount& count : counts) {
    const uint64_t minimum = count.minimum.value_or(0);
    std::string one = std::to_string(minimum);
    if (!count.maximum)
      one = "at least " + one;
    else if (*count.maximum == minimum + 1)
      one += " or " + std::to_string(*count.maximum);
    else if (*count.maximum != minimum)
      one += " to " + std::to_string(*count.maximum);
    if (out.find(one) == std::string::npos) out += (out.empty() ? "" : " or ") + one;
  }
  return out;
}

/// Whether TVM gives such names to kernels: "fused_add_kernel", "fused_add_kernel_1", "fused_add_kernel0". Source:
/// apache/tvm v0.6.0 – v0.27.0, SplitHostDevice.
bool isKernelName(std::string_view name) {
  constexpr std::string_view kWord = "_kernel";
  const std::size_t at = name.rfind(kWord);
  return at != std::string_view::npos && at > 0 &&
         name.find_first_not_of("0123456789_", at + kWord.size()) == std::string_view::npos;
}

} // namespace

/// Kernels that host code launches, in a file without any module for a device.
void Judge::checkPacked() {
  const bool packed = std::ranges::any_of(m_needs.modules, [](const requirements::LoadedModule& module) {
    return module.key != "_lib" && module.key != "_import_tree" && targets::isBuildFlag(module.key);
  });
  if (packed || !m_needs.code.empty() || !m_needs.hiddenFunctions.empty()) return;
  std::vector<std::string> kernels;
  for (const NeededFunction& function : m_needs.functions)
    if (function.place == NeededFunction::Place::Host && !function.definedHere && isKernelName(function.name) &&
        m_runtime.function(function.name).state == Availability::State::Unknown)
      kernels.push_back(function.name);
  if (kernels.empty()) return;
  Missing& item = add(Rule::PreModule, "module", kernels.front(), Step::Calls,
                      {{"kernels", countText(kernels.size(), "kernel")}, {"are", kernels.size() == 1 ? "is" : "are"}});
  item.printed = printed(Message::NoHostFunction, {{"name", kernels.front()}});
  m_notPacked.insert(kernels.begin(), kernels.end());
  item.affected = std::move(kernels);
}

void Judge::checkName(const NeededFunction& function, Step step) {
  if (function.definedHere) return met(step);
  if (step == Step::Calls && m_notPacked.contains(function.name)) return;
  const Availability found =
      searchesRuntime(function.place) ? m_runtime.function(function.name) : Availability{Availability::State::Absent};
  if (has(found)) return met(step);
  if (found.state == Availability::State::Unknown && !m_needs.hiddenFunctions.empty()) {
    m_hidden.push_back(function.name);
    return;
  }
  Missing& item = add(Rule::PreFunction, "function", function.name, step, {arg("name", function.name)});
  item.certain =
      found.state == Availability::State::NeedsLibrary ? isHere() : found.state != Availability::State::Unknown;
  if (item.sentence.empty()) return; // finish() removes it
  item.ref = function.ref;
  if (!found.why.empty()) item.sentence += ": " + found.why;
  // The machine names the function of the executable, not the one that has its code.
  const bool compiled = function.place == NeededFunction::Place::RelaxCompiled && !function.caller.empty();
  item.printed = printed(messageFor(function.place), {{"name", compiled ? function.caller : function.name}});
  if (!function.caller.empty()) item.affected = {function.caller};
  if (found.state == Availability::State::NeedsFlag) {
    item.fix = buildText(found);
  } else if (found.state == Availability::State::NeedsLibrary) {
    item.sentence = "'" + escaped(function.name) + "' is in " + needsText(found);
    item.fix = "install " + escaped(found.needs) + " where the library is loaded";
  } else if (found.state == Availability::State::Unknown) {
    item.fix = "register it before the library calls it; " + m_runtime.title() + " does not contain it";
  }
}

void Judge::checkFunctions(Step step) {
  uint64_t names = 0;
  const uint64_t before = at(step).met;
  m_hidden.clear();
  for (const NeededFunction& function : m_needs.functions)
    if ((function.place == NeededFunction::Place::Host) == (step == Step::Calls)) {
      ++names;
      checkName(function, step);
    }
  if (!m_hidden.empty()) {
    Missing& item = add(Rule::PreFunction, "function", m_hidden.front(), step, {arg("name", m_hidden.front())});
    item.sentence = "whether the library has " + countText(m_hidden.size(), "function") +
                    " that it calls by name is not known, because " + m_needs.hiddenFunctions;
    item.certain = false;
    item.fix = "run the library to find out";
  }
  if (names > 0) at(step).summary = groupedText(at(step).met - before) + " of " + countText(names, "name") + " found";
}

void Judge::checkMachine() { checkFunctions(Step::Machine); }

void Judge::checkArguments() {
  uint64_t fit = 0, calls = 0;
  for (const NeededCall& call : m_needs.calls) {
    const std::vector<ArgumentCount> counts = m_runtime.argumentCounts(call.function);
    calls += call.times;
    if (counts.empty() || std::ranges::any_of(counts, [&](const auto& count) { return accepts(count, call); })) {
      fit += call.times;
      if (!counts.empty()) met(Step::Calls);
      continue;
    }
    const ArgumentCount& count = counts.front();
    const std::string expected = acceptedText(counts);
    Missing& item =
        add(Rule::PreArguments, "arguments", call.function, Step::Calls,
            {arg("name", call.function), {"passed", countText(call.arguments, "argument")}, {"expected", expected}});
    item.ref = call.ref;
    item.affected = call.callers;
    item.certain = std::ranges::any_of(counts, &ArgumentCount::certain);
    if (!item.certain)
      item.sentence += "; this number is that of the nearest release, and whether this runtime checks it is not known";
    item.sentence += "; '" + escaped(call.caller) + "' fails at instruction " + groupedText(call.instruction);
    const std::string passed = std::to_string(call.arguments);
    const std::vector<Argument> values = {
        {"name", call.function}, {"signature", count.signature},
        {"expected", expected},  {"passed", passed},
        {"index", passed},       {"condition", fill(count.check, {{"passed", passed}})}};
    if (count.by == ArgumentCount::By::Check) {
      if (!count.check.empty()) item.printed = printed(Message::FailedCheck, values);
    } else if (count.typed) {
      if (!count.signature.empty() ||
          m_runtime.messageText(Message::WrongCount).find("{signature}") == std::string::npos)
        item.printed = printed(Message::WrongCount, values);
    } else {
      item.printed = printed(Message::TooFewRead, values);
      // Without a check the function reads past the end of its arguments.
      if (item.printed.empty()) item.sentence += "; the function does not check this, so anything may follow";
    }
  }
  if (calls > 0)
    at(Step::Calls).summary += (at(Step::Calls).summary.empty() ? "" : "; ") + groupedText(fit) + " of " +
                               countText(calls, "call") + " with an accepted number of arguments";
}

void Judge::checkDeviceApis() {
  for (const std::string& device : m_needs.deviceApis) {
    Availability found = m_runtime.function("device_api." + device);
    // TVM up to v0.7 calls it gpu.
    if (device == "cuda" && found.state == Availability::State::Absent) found = m_runtime.function("device_api.gpu");
    if (has(found)) {
      met(Step::Calls);
      continue;
    }
    Missing& item = add(Rule::PreDeviceApi, "device", device, Step::Calls,
                        {arg("name", device), {"flag", found.flag.empty() ? "this device" : found.flag}});
    item.certain =
        found.state == Availability::State::NeedsLibrary ? isHere() : found.state != Availability::State::Unknown;
    if (!found.why.empty()) item.sentence += ": " + found.why;
    if (found.state == Availability::State::NeedsLibrary) {
      item.sentence = "the device '" + escaped(device) + "' is in " + needsText(found);
      item.fix = "install " + escaped(found.needs) + " where the library is loaded";
    }
    item.printed = printed(Message::NoDeviceApi, {{"device", device}});
    if (found.state == Availability::State::Absent) item.fix = "use another release: no build of this one has it";
  }
}

/// Says it where no carrier says it: in a library without modules.
void Judge::checkPrefix() {
  if (m_findsFunctions || !m_needs.carriers.empty() || m_needs.definedFunctions.empty()) return;
  const std::string& name = m_needs.definedFunctions.front();
  Missing& item = add(Rule::PreFunction, "function", name, Step::Calls, {arg("name", name)});
  item.sentence = m_runtime.title() + " finds none of the functions of the library: it " +
                  (hasPrefix() ? "looks for symbols without the beginning __tvm_ffi_"
                               : "looks for symbols that begin with __tvm_ffi_");
  item.printed = printed(Message::NoFunction, {{"name", name}});
  item.fix = "use a release with the host ABI '" + m_needs.hostAbi + "', or export the library again";
}

void Judge::checkCalls() {
  checkPrefix();
  checkPacked();
  checkFunctions(Step::Calls);
  checkArguments();
  checkDeviceApis();
}

} // namespace blobscope::preflight
