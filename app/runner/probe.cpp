#include "app/runner/calls.h"
#include "app/runner/channel.h"
#include "app/runner/probe_text.h"

#include <algorithm>
#include <map>
#include <utility>

namespace blobscope::runner {
namespace {

/// Measured: 10 to 27 calls for functions of real libraries.
constexpr uint64_t kTries = 400;
constexpr int64_t kMostArguments = 1'000;
constexpr int64_t kMostRank = 64;
/// Extent of every unknown dimension, and value of every variable.
constexpr int64_t kFree = 7;
/// A rank and a type that no function accepts, so that each tensor is refused once by name. Shapes have 16 extents.
constexpr int32_t kNoRank = 15;
constexpr uint8_t kNoCode = 99;
/// Number of arguments for a function that accepts zero arguments without a message.
constexpr std::size_t kTooMany = 37;

struct ArgumentFacts {
  std::string name;
  std::string kind; ///< as protocol::ProbedArgument::kind; until it is known a tensor is passed, which is safe to read
  std::string dtype;
  std::optional<int64_t> rank;
  std::map<std::size_t, std::pair<int64_t, std::string>> extents; ///< value and text by dimension
  std::optional<int64_t> deviceType;
  int64_t value = 1; ///< of scalars
};

/// Returns DLPack's numbers for TVM's spelling; nothing for a type that does not occur in messages.
std::optional<protocol::DataType> typeOf(std::string_view text) {
  struct Row {
    std::string_view name;
    uint8_t code;
  };
  constexpr Row kRows[] = {{"uint", 1}, {"int", 0}, {"bfloat", 4}, {"float", 2}};
  if (text == "bool") return protocol::DataType{1, 1, 1};
  if (text == "handle") return protocol::DataType{3, 64, 1};
  for (const Row& row : kRows) {
    if (!text.starts_with(row.name)) continue;
    unsigned bits = 0, lanes = 0;
    std::size_t at = row.name.size();
    const auto number = [&](unsigned& out) {
      while (at < text.size() && text[at] >= '0' && text[at] <= '9' && out < 10'000)
        out = out * 10 + static_cast<unsigned>(text[at++] - '0');
    };
    number(bits);
    if (at < text.size() && text[at] == 'x') {
      ++at;
      number(lanes);
    } else {
      lanes = 1;
    }
    if (at != text.size() || bits == 0 || bits > 255 || lanes == 0) return std::nullopt;
    return protocol::DataType{row.code, static_cast<uint8_t>(bits), static_cast<uint16_t>(lanes)};
  }
  return std::nullopt;
}

protocol::JobTensor tensorOf(const ArgumentFacts& facts, int64_t deviceType) {
  protocol::JobTensor tensor;
  tensor.name = facts.name;
  tensor.type = typeOf(facts.dtype).value_or(protocol::DataType{2, 32, 1});
  tensor.deviceType = static_cast<int>(facts.deviceType.value_or(deviceType));
  // Tensors with unknown properties are refused before they are accessed; messages do not mention one-bit types, for
  // which bytes are sufficient.
  tensor.shape.assign(static_cast<std::size_t>(facts.rank.value_or(1)), kFree);
  for (const auto& [dimension, extent] : facts.extents)
    if (dimension < tensor.shape.size()) tensor.shape[dimension] = extent.first;
  return tensor;
}

/// Collects the facts from one function's answers, call by call.
class Probe {
public:
  Probe(const JobContext& context, const HostLibrary& library, Runtime& runtime, void* function, std::string name)
      : m_context(context), m_library(library), m_runtime(runtime), m_function(function), m_name(std::move(name)) {}

  Result<Done> run();
  protocol::ProbedSignature probedSignature() const;

private:
  /// Returns true if the function accepted the arguments; otherwise m_message is its message.
  Result<bool> tryOnce();
  /// Returns whether a function without arguments refuses many.
  bool checksCount();
  /// Returns the name without the prefixes of some releases: the function's name, "arg".
  std::string plainName(std::string_view path) const;
  /// Returns false if the message gives no new fact.
  bool apply(const ProbeFact& fact);
  bool applyKind(const ProbeFact& fact);
  bool applyRank(const ProbeFact& fact);
  /// Returns the argument that the path means and for which `isNew` is true.
  template <class F> ArgumentFacts* findNew(const std::string& path, F&& isNew);
  Error unknown(std::string reason) const {
    return Error(DiagnosticId::RunSignature, {arg("name", m_name), {"reason", std::move(reason)}});
  }

  const JobContext& m_context;
  const HostLibrary& m_library;
  Runtime& m_runtime;
  void* m_function;
  std::string m_name;
  std::vector<ArgumentFacts> m_arguments;
  bool m_counted = false;
  int64_t m_deviceType = 1;
  uint64_t m_tries = 0;
  bool m_accepted = false;
  std::string m_message;
  std::string m_literal;
};

Result<bool> Probe::tryOnce() {
  ++m_tries;
  enterQuietly(protocol::Stage::HostCall, m_context.job.limits.runMs);
  std::vector<protocol::JobTensor> tensors;
  for (const ArgumentFacts& facts : m_arguments) tensors.push_back(tensorOf(facts, m_deviceType));
  Memory memory(m_context.job.limits, nullptr, m_context.fakes, m_context.folder);
  PackedArguments packed;
  for (std::size_t i = 0; i < m_arguments.size(); ++i) {
    const std::string& kind = m_arguments[i].kind;
    if (kind.empty() || kind == "tensor") {
      BLOBSCOPE_TRY(tensor, memory.place(tensors[i], i, m_name));
      if (!m_arguments[i].rank) tensor->head.rank = kNoRank;
      if (m_arguments[i].dtype.empty()) tensor->head.typeCode = kNoCode;
      packed.tensor(&tensor->head);
    } else if (kind == "float")
      packed.real(0.5);
    else if (kind == "bool")
      packed.boolean(m_arguments[i].value != 0);
    else
      packed.integer(m_arguments[i].value);
  }
  const protocol::JobTensor spare = tensorOf({}, m_deviceType);
  BLOBSCOPE_TRY(padding, memory.place(spare, m_arguments.size(), m_name));
  padding->head.rank = kNoRank;
  packed.padWith(&padding->head);
  m_runtime.begin(memory, false, false);
  const int code = m_library.call(m_function, packed);
  auto problem = m_runtime.takeProblem();
  m_message = m_runtime.takeRaised();
  m_runtime.end();
  // It got so far that it requested something other than arguments.
  if (problem) return std::move(*problem);
  return code == 0;
}

template <class F> ArgumentFacts* Probe::findNew(const std::string& path, F&& isNew) {
  ArgumentFacts* best = nullptr;
  std::size_t length = 0;
  for (ArgumentFacts& facts : m_arguments) {
    // If two names fit, the longer one is meant; if they are equal, the first that is not done.
    if (!probeNames(path, facts.name) || facts.name.size() < length || !isNew(facts)) continue;
    if (best && facts.name.size() == length) continue;
    best = &facts;
    length = facts.name.size();
  }
  return best;
}

bool Probe::applyKind(const ProbeFact& fact) {
  if (fact.index >= m_arguments.size()) return false;
  ArgumentFacts& facts = m_arguments[fact.index];
  if (!facts.kind.empty()) return false;
  facts.name = plainName(fact.name);
  facts.kind = fact.text == "pointer"           ? "tensor"
               : fact.text.starts_with("float") ? "float"
               : fact.text.starts_with("bool")  ? "bool"
                                                : "int";
  return true;
}

bool Probe::applyRank(const ProbeFact& fact) {
  if (fact.number < 0 || fact.number > kMostRank) return false;
  // Tensors are checked in order, and the rank is checked first.
  ArgumentFacts* facts = findNew(fact.name, [](const ArgumentFacts& one) { return !one.rank; });
  for (std::size_t i = 0; i < m_arguments.size() && !facts; ++i)
    if (m_arguments[i].name.empty() && m_arguments[i].kind.empty()) facts = &m_arguments[i];
  if (!facts) return false;
  facts->rank = fact.number;
  facts->kind = "tensor";
  if (facts->name.empty()) facts->name = plainName(fact.name);
  return true;
}

bool Probe::apply(const ProbeFact& fact) {
  using Kind = ProbeFact::Kind;
  switch (fact.kind) {
  case Kind::Count:
    if (m_counted || fact.number < 0 || fact.number > kMostArguments) return false;
    m_counted = true;
    m_arguments.assign(static_cast<std::size_t>(fact.number), {});
    return true;
  case Kind::ArgumentKind: return applyKind(fact);
  case Kind::Rank: return applyRank(fact);
  case Kind::Dtype: {
    ArgumentFacts* const facts =
        findNew(fact.name, [](const ArgumentFacts& one) { return one.dtype.empty() && one.kind == "tensor"; });
    if (facts) facts->dtype = fact.text;
    return facts != nullptr && typeOf(fact.text);
  }
  case Kind::Extent: {
    if (fact.number < 0) return false;
    const std::pair<int64_t, std::string> extent{fact.number, fact.text};
    ArgumentFacts* const facts = findNew(
        fact.name, [&](const ArgumentFacts& one) { return one.kind == "tensor" && !one.extents.contains(fact.index); });
    if (facts) facts->extents[fact.index] = extent;
    return facts != nullptr;
  }
  case Kind::DeviceType: {
    if (fact.number < 0 || fact.number > 1000) return false;
    ArgumentFacts* const facts =
        findNew(fact.name, [](const ArgumentFacts& one) { return !one.deviceType && one.kind == "tensor"; });
    if (facts) facts->deviceType = fact.number;
    return facts != nullptr;
  }
  case Kind::EveryDeviceType:
    if (fact.number == m_deviceType || fact.number < 0 || fact.number > 1000) return false;
    m_deviceType = fact.number;
    return true;
  case Kind::Scalar: {
    ArgumentFacts* const facts =
        findNew(fact.name, [&](const ArgumentFacts& one) { return one.kind != "tensor" && one.value != fact.number; });
    if (facts) facts->value = fact.number;
    return facts != nullptr;
  }
  case Kind::Literal: m_literal = fact.text; return true;
  case Kind::None: break;
  }
  return false;
}

bool Probe::checksCount() {
  m_arguments.assign(kTooMany, {});
  const auto accepted = tryOnce();
  m_arguments.clear();
  return accepted.hasValue() && !*accepted;
}

std::string Probe::plainName(std::string_view path) const {
  for (const std::string& prefix : {m_name + "_", std::string("arg_")})
    if (path.size() > prefix.size() && path.starts_with(prefix)) path.remove_prefix(prefix.size());
  return std::string(path);
}

Result<Done> Probe::run() {
  while (m_tries < kTries && !cancelled()) {
    BLOBSCOPE_TRY(accepted, tryOnce());
    m_accepted = accepted;
    if (accepted) {
      if (!m_counted && !checksCount()) {
        m_accepted = false;
        return unknown("the function does not check them");
      }
      // Arguments that were never refused accept any pointer.
      for (ArgumentFacts& facts : m_arguments)
        if (facts.kind.empty()) facts.kind = "pointer";
      return Done{};
    }
    if (m_message.empty()) return unknown("the function refuses them without a reason");
    if (!apply(probeFact(m_message, kFree))) return unknown("it says '" + m_message + "'");
    if (!m_literal.empty()) return Done{};
  }
  return unknown("it refused them " + std::to_string(m_tries) + " times");
}

protocol::ProbedSignature Probe::probedSignature() const {
  protocol::ProbedSignature signature;
  signature.call = currentCall().value_or(0);
  signature.tries = m_tries;
  signature.accepted = m_accepted;
  signature.literal = m_literal;
  for (const ArgumentFacts& facts : m_arguments) {
    protocol::ProbedArgument argument;
    argument.name = facts.name;
    argument.kind = facts.kind;
    argument.dtype = facts.dtype;
    if (facts.kind == "tensor") {
      argument.rankKnown = facts.rank.has_value();
      // A rank that was never requested is the one that was tried; the same is true of an extent that was accepted and
      // never mentioned.
      argument.shape.resize(static_cast<std::size_t>(facts.rank.value_or(m_accepted ? 1 : 0)),
                            m_accepted ? std::to_string(kFree) : std::string());
      for (const auto& [dimension, extent] : facts.extents)
        if (dimension < argument.shape.size())
          argument.shape[dimension] =
              probeValue(extent.second, kFree + 1) == extent.first ? std::to_string(extent.first) : extent.second;
      argument.deviceType = static_cast<uint64_t>(facts.deviceType.value_or(m_deviceType));
    }
    signature.arguments.push_back(std::move(argument));
  }
  return signature;
}

} // namespace

int runProbe(const JobContext& context) {
  const protocol::Job& job = context.job;
  Runtime& runtime = *new Runtime(job, context.folder);
  const HostLibrary* const library = loadLibrary(context, runtime);
  if (!library) return kLoadFailed;
  int code = 0;
  for (std::size_t i = 0; i < job.calls.size() && !cancelled(); ++i) {
    enterCall(i);
    const std::string& name = job.calls[i].function;
    const auto function = findFunction(*library, runtime, name);
    if (!function) {
      sendEvent(function.error());
      code = kCallFailed;
      continue;
    }
    enter(protocol::Stage::HostCall, job.limits.runMs);
    Probe probe(context, *library, runtime, *function, name);
    const auto done = probe.run();
    sendEvent(probe.probedSignature());
    if (!done) {
      sendEvent(done.error());
      code = kCallFailed;
    }
  }
  enterCall(std::nullopt);
  return code;
}

} // namespace blobscope::runner
