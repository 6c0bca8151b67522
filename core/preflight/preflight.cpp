#include "core/preflight/preflight.h"

#include "core/base/text.h"
#include "core/preflight/judge.h"

#include <algorithm>
#include <utility>

namespace blobscope::preflight {

namespace {

/// Whether an item that is not certain decides whether the file loads.
bool decides(const Missing& item) { return !item.certain && !item.later && item.step <= Step::Machine; }

/// " on sm_90, debian12".
std::string placeText(const std::optional<std::string>& device, const std::optional<std::string>& system) {
  std::string text;
  for (const auto& one : {device, system})
    if (one) text += (text.empty() ? " on " : ", ") + (*one == "this" ? std::string("this machine") : *one);
  return text;
}

} // namespace

std::string_view stepTitle(Step step) {
  constexpr std::array<std::string_view, kSteps> kTitles = {
      "File",    "Undefined symbols",    "Slots", "Carrier", "Loaders",
      "Payload", "VM and its functions", "Calls", "Kernels"};
  return kTitles[static_cast<std::size_t>(step) - 1];
}

std::string_view verdictName(Verdict verdict) {
  constexpr std::array<std::string_view, 4> kNames = {"loads", "loads-without-modules", "fails", "unknown"};
  return kNames[static_cast<std::size_t>(verdict)];
}

check::Issue issueOf(const Missing& missing) {
  check::Issue issue;
  issue.rule = check::row(missing.rule).id;
  issue.severity = missing.certain ? check::row(missing.rule).severity : Severity::Note;
  issue.message = missing.sentence + (missing.printed.empty() ? "" : ": " + missing.printed);
  issue.ref = missing.ref;
  issue.fix = missing.fix;
  return issue;
}

bool Outcome::crashes() const {
  return std::ranges::any_of(missing, [](const Missing& item) { return item.certain && item.crashes; });
}

bool Outcome::complete() const {
  return std::ranges::none_of(missing, [](const Missing& item) { return item.certain; });
}

bool Outcome::fits() const {
  return (verdict == Verdict::Loads || verdict == Verdict::Unknown) && complete() &&
         std::ranges::none_of(missing, [](const Missing& item) { return item.rule == check::Rule::PreLayout; });
}

bool Outcome::isDoubtful() const {
  return verdict == Verdict::Unknown || std::ranges::any_of(missing, [](const Missing& item) {
           // TVM's Python package compiles sources.
           return !item.certain && item.rule != check::Rule::PreSource && item.rule != check::Rule::PreSymbol;
         });
}

const Missing* Outcome::doubt() const {
  if (verdict != Verdict::Unknown) return nullptr;
  const auto found = std::ranges::find_if(missing, decides);
  return found == missing.end() ? nullptr : &*found;
}

const Missing* Outcome::first() const {
  const auto found =
      std::ranges::find_if(missing, [&](const Missing& item) { return item.certain && (!step || item.step == *step); });
  return found == missing.end() ? nullptr : &*found;
}

std::string Target::title() const {
  return runtime->name() + placeText(device ? std::optional(device->name) : std::nullopt,
                                     system ? std::optional(system->name) : std::nullopt);
}

void addMissing(Outcome& outcome, const std::vector<Missing>& missing) {
  for (Missing item : missing) {
    StepResult& step = outcome.steps[static_cast<std::size_t>(item.step) - 1];
    if (item.certain)
      step.state = StepResult::State::Missing;
    else if (step.state != StepResult::State::Missing)
      step.state = StepResult::State::Unknown;
    if (outcome.verdict != Verdict::Loads && outcome.step) item.reached = item.step <= *outcome.step;
    if (item.certain && (!outcome.step || item.step < *outcome.step)) outcome.step = item.step;
    outcome.missing.push_back(std::move(item));
  }
  std::ranges::stable_sort(outcome.missing, {}, [](const Missing& item) { return item.step; });
}

std::string Outcome::target() const {
  std::string text = runtime;
  for (const std::string& flag : flags) text += (&flag == &flags.front() ? "+" : ",") + flag;
  return text + placeText(device, system);
}

std::string Outcome::title() const {
  std::string text = product;
  for (const std::string& flag : flags) text += (&flag == &flags.front() ? " with " : ", ") + flag;
  return text + placeText(device, system);
}

std::string fill(std::string_view text, const std::vector<Argument>& values) {
  std::string out;
  while (!text.empty()) {
    const std::size_t brace = std::min(text.find('{'), text.size());
    out += text.substr(0, brace);
    text.remove_prefix(brace);
    if (text.empty()) break;
    const auto found = std::ranges::find_if(values, [&](const Argument& value) {
      return text.substr(1).starts_with(value.name) && text.substr(1 + value.name.size()).starts_with('}');
    });
    const std::size_t size = found == values.end() ? 1 : found->name.size() + 2;
    out += found == values.end() ? std::string(text.substr(0, 1)) : found->value;
    text.remove_prefix(size);
  }
  return out;
}

std::string listText(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

std::string buildText(const targets::Availability& found) {
  return "use a build with " + found.flag + (found.library.empty() ? "" : " (" + found.library + ")");
}

std::string deviceText(const targets::Device& device) { return device.title.empty() ? device.name : device.title; }

bool Judge::computeFindsFunctions() const {
  if (m_needs.hostAbi.empty()) return true;
  const std::vector<std::string> carriers = m_runtime.carriers();
  const bool looksForPrefix = std::ranges::find(carriers, "__tvm_ffi__library_bin") != carriers.end();
  return carriers.empty() || looksForPrefix == hasPrefix();
}

bool Judge::has(const Availability& found) const {
  if (found.present()) return true;
  // Its library needs another one, which is on this machine.
  if (found.state == Availability::State::NeedsLibrary && !found.missingHere && (!m_system || isHere())) return true;
  // A WebAssembly library of TVM contains the web runtime.
  return found.state == Availability::State::NeedsFlag && m_needs.format == "wasm";
}

std::string Judge::needsText(const Availability& found) {
  return found.library + ", which can only be loaded where " + escaped(found.needs) + " is installed; it " +
         (found.missingHere ? "was found neither with the runtime nor on this machine" : "is not with the runtime");
}

Missing& Judge::add(check::Rule rule, std::string_view kind, std::string name, Step step,
                    std::vector<Argument> values) {
  Missing missing;
  missing.rule = rule;
  missing.kind = kind;
  missing.name = std::move(name);
  missing.step = step;
  // What finish() removes needs no words.
  if (m_counts[rule]++ < kPerRule) {
    values.push_back(arg("runtime", m_runtime.title()));
    const check::RuleRow& row = check::row(rule);
    missing.sentence = fill(row.message, values);
    missing.fix = fill(row.fix, values);
  }
  if (m_counts[rule] <= kPerRule) return m_outcome.missing.emplace_back(std::move(missing));
  // Of the items that finish() removes, one per step says whether one of them is certain.
  const auto [at, added] = m_overflow.try_emplace({rule, step}, m_outcome.missing.size());
  if (added) return m_outcome.missing.emplace_back(std::move(missing));
  Missing& known = m_outcome.missing[at->second];
  if (known.certain && !known.later) return m_removed = std::move(missing);
  return known = std::move(missing);
}

std::string Judge::printed(targets::Message message, std::vector<Argument> values) const {
  for (Argument& value : values) value.value = escapedWhole(value.value);
  return fill(escapedWhole(m_runtime.messageText(message)), values);
}

void Judge::finish() {
  decide();
  std::map<check::Rule, std::size_t> kept;
  std::erase_if(m_outcome.missing, [&](const Missing& item) { return kept[item.rule]++ >= kPerRule; });
}

void Judge::decide() {
  const auto stepOf = [](const Missing& item) { return item.step; };
  if (!std::ranges::is_sorted(m_outcome.missing, {}, stepOf)) std::ranges::stable_sort(m_outcome.missing, {}, stepOf);
  for (const Missing& item : m_outcome.missing) {
    StepResult& step = at(item.step);
    const auto state = item.certain ? StepResult::State::Missing : StepResult::State::Unknown;
    if (step.state != StepResult::State::Missing) step.state = state;
    if (item.certain && !m_outcome.step) m_outcome.step = item.step;
  }
  for (StepResult& step : m_outcome.steps)
    if (step.state == StepResult::State::NotNeeded && step.met > 0) step.state = StepResult::State::Met;
  // Nothing is known about files that do not come from TVM, except what the system's loader refuses.
  const bool refused = std::ranges::any_of(
      m_outcome.missing, [](const Missing& item) { return item.certain && !item.later && item.step <= Step::Symbols; });
  if (!m_needs.ofTvm && !refused) return;
  m_outcome.verdict = Verdict::Loads;
  bool doubtful = false; // whether what comes before the first certain failure decides
  for (const Missing& item : m_outcome.missing) {
    // Functions are bound at their first call: such a symbol or slot ends the process later.
    if (item.later || item.step > Step::Machine) continue;
    if (!item.certain) {
      doubtful = true;
      continue;
    }
    if (item.step == Step::Carrier && doubtful) break;
    m_outcome.verdict = item.step == Step::Carrier ? Verdict::LoadsWithoutModules : Verdict::Fails;
    if (m_outcome.verdict == Verdict::Fails) m_outcome.message = item.printed;
    m_outcome.step = item.step;
    break;
  }
  if (m_outcome.verdict == Verdict::Loads && doubtful) m_outcome.verdict = Verdict::Unknown;
  if (m_outcome.verdict == Verdict::Loads || m_outcome.verdict == Verdict::Unknown) return;
  for (Missing& item : m_outcome.missing) item.reached = item.step <= *m_outcome.step;
}

Outcome Judge::run() {
  m_outcome.runtime = m_runtime.name();
  m_outcome.product = m_runtime.title();
  m_outcome.flags = m_runtime.flags();
  if (m_device) m_outcome.device = m_device->name;
  if (m_system) m_outcome.system = m_system->name;
  checkFile();
  checkExtension();
  checkSymbols();
  checkSlots();
  checkCarrier();
  checkLoaders();
  checkPayload();
  checkMachine();
  checkCalls();
  checkKernels();
  finish();
  return std::move(m_outcome);
}

Outcome judge(const requirements::Requirements& needs, const Target& target) { return Judge(needs, target).run(); }

Outcome judge(const requirements::Requirements& needs, const targets::Runtime& runtime, const targets::Device* device) {
  Target target;
  target.runtime = targets::RuntimePtr(targets::RuntimePtr(), &runtime); // does not own it
  if (device) target.device = *device;
  return judge(needs, target);
}

} // namespace blobscope::preflight
