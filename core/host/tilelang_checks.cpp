#include "core/host/tilelang_checks.h"

#include "core/host/literal.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace blobscope::host {
namespace {

using Fact = TileLangChecks::Fact;
using What = Fact::What;

constexpr auto npos = std::string_view::npos;
/// Longest text of a check: it has two names and few words.
constexpr std::size_t kTextBytes = 8'192;
/// Maximum number of stray bytes before a text: the end of a constant before it.
constexpr std::size_t kStrayBytes = 8;
/// Maximum number of dots of a function's name, of tensors that share a variable, and of variables of one function.
constexpr std::size_t kDots = 32, kSharing = 4'096, kVariables = 256;

std::optional<uint32_t> numberOf(std::string_view text) {
  uint32_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Cuts `end` off `text`; false when it does not end so.
bool cutEnd(std::string_view& text, std::string_view end) {
  if (!text.ends_with(end)) return false;
  text.remove_suffix(end.size());
  return true;
}

/// "A shape" and 1 for "A shape[1]".
bool cutIndex(std::string_view& text, uint32_t& index) {
  const std::size_t open = text.rfind('[');
  if (open == npos || !text.ends_with(']')) return false;
  const auto number = numberOf(text.substr(open + 1, text.size() - open - 2));
  if (!number) return false;
  index = *number;
  text = text.substr(0, open);
  return true;
}

/// The check of a parameter: `rest` is the text after "kernel F input ".
std::optional<Fact> inputFact(std::string_view function, std::string_view rest) {
  Fact fact{What::Pointer, 0, function, {}, {}, {}};
  if (cutEnd(rest, " expected pointer or tensor handle")) {
    fact.parameter = rest;
    return fact;
  }
  constexpr std::string_view kRankText = " ndim mismatch, expected ", kTypeText = " dtype mismatch, expected ",
                             kDeviceText = " device_type mismatch, expected ";
  const std::pair<std::string_view, What> values[] = {
      {kRankText, What::Rank}, {kTypeText, What::Type}, {kDeviceText, What::Device}};
  for (const auto& [words, what] : values) {
    const std::size_t at = rest.rfind(words);
    if (at == npos) continue;
    fact.what = what;
    fact.parameter = rest.substr(0, at);
    fact.value = rest.substr(at + words.size());
    if (what == What::Rank) {
      const auto rank = numberOf(fact.value);
      if (!rank) return std::nullopt;
      fact.index = *rank;
    }
    return fact;
  }
  if (!cutEnd(rest, " violates packed ABI constraint") || !cutIndex(rest, fact.index) || !cutEnd(rest, " shape"))
    return std::nullopt;
  fact.what = What::Shape;
  fact.parameter = rest;
  return fact;
}

std::optional<Fact> factOf(std::string_view text) {
  constexpr std::string_view kKernel = "kernel ", kInput = " input ", kScalar = " scalar ",
                             kCount = ": num_args should be ", kAnchor = ": allocator anchor must be a Tensor",
                             kVariable = "Symbolic shape variable ",
                             kAmong = " requires at least one non-null buffer among: ";
  if (const std::size_t at = text.rfind(kCount); at != npos) {
    const auto count = numberOf(text.substr(at + kCount.size()));
    if (!count) return std::nullopt;
    return Fact{What::Count, *count, text.substr(0, at), {}, {}, {}};
  }
  if (cutEnd(text, kAnchor)) return Fact{What::Anchor, 0, text, "allocator_anchor", {}, {}};
  if (const std::size_t at = text.find(kVariable); at <= kStrayBytes) {
    text.remove_prefix(at + kVariable.size());
    const std::size_t among = text.find(kAmong);
    if (among == npos) return std::nullopt;
    return Fact{What::Variable, 0, {}, text.substr(among + kAmong.size()), text.substr(0, among), {}};
  }
  const std::size_t at = text.find(kKernel);
  if (at > kStrayBytes) return std::nullopt;
  text.remove_prefix(at + kKernel.size());
  if (const std::size_t input = text.find(kInput); input != npos)
    return inputFact(text.substr(0, input), text.substr(input + kInput.size()));
  const std::size_t scalar = text.find(kScalar), expected = text.rfind(" expected ");
  if (scalar == npos || expected == npos || expected < scalar + kScalar.size()) return std::nullopt;
  const std::string_view kind = text.substr(expected + 10);
  const std::pair<std::string_view, What> kinds[] = {
      {"integer", What::Integer}, {"float", What::Float}, {"boolean", What::Boolean}};
  for (const auto& [word, what] : kinds)
    if (kind == word)
      return Fact{
          what, 0, text.substr(0, scalar), text.substr(scalar + kScalar.size(), expected - scalar - kScalar.size()),
          {},   {}};
  return std::nullopt;
}

std::optional<int> deviceOf(std::string_view name) {
  constexpr int kLast = 16;
  for (int type = 1; type <= kLast; ++type)
    if (deviceTypeName(type) == name) return type;
  return std::nullopt;
}

bool isType(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '[' || c == ']';
  });
}

/// The texts of one function, in the order of the file, which is the order of the checks.
struct FunctionTexts {
  std::string_view name;
  std::optional<uint32_t> count;
  std::vector<std::pair<const Fact*, std::string_view>> facts; ///< with the name of the parameter
  std::vector<const Fact*> variables;
};

/// The name of a tensor's shape in C source.
std::string shapeName(std::string_view function, std::string_view parameter) {
  std::string name = std::string(function) + "_" + std::string(parameter) + "_shape";
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

using Variables = std::unordered_map<std::string, std::string>;

Signature build(const FunctionTexts& texts, const Variables& variables) {
  Signature out;
  out.function = texts.name;
  if (!texts.count || *texts.count > kParameters) return out;
  out.source = Signature::Source::Assertions;

  // --- 1. The parameters: the checks of their kinds are in call order. ---
  std::unordered_map<std::string_view, std::size_t> numbers;
  for (const auto& [fact, parameter] : texts.facts) {
    if (fact->what > What::Anchor || out.parameters.size() >= *texts.count) continue;
    Parameter made;
    made.name = parameter;
    made.kind = fact->what == What::Integer   ? Parameter::Kind::Integer
                : fact->what == What::Float   ? Parameter::Kind::Float
                : fact->what == What::Boolean ? Parameter::Kind::Boolean
                : fact->what == What::Anchor  ? Parameter::Kind::Tensor
                                              : Parameter::Kind::Pointer;
    numbers.try_emplace(parameter, out.parameters.size());
    out.parameters.push_back(std::move(made));
  }
  out.parameters.resize(*texts.count);

  // --- 2. What is said about tensors. ---
  for (const auto& [fact, parameter] : texts.facts) {
    const auto found = numbers.find(parameter);
    if (fact->what <= What::Anchor || found == numbers.end()) continue;
    Parameter& tensor = out.parameters[found->second];
    if (fact->what == What::Rank && !tensor.rankKnown && fact->index <= kRank) {
      tensor.kind = Parameter::Kind::Tensor;
      tensor.rankKnown = true;
      tensor.shape.resize(fact->index);
    }
    if (fact->what == What::Type && isType(fact->value)) tensor.dtype = fact->value;
    if (fact->what == What::Device) tensor.deviceType = deviceOf(fact->value);
  }
  for (const auto& [fact, parameter] : texts.facts) {
    const auto found = numbers.find(parameter);
    if (fact->what != What::Shape || found == numbers.end()) continue;
    Parameter& tensor = out.parameters[found->second];
    if (fact->index >= tensor.shape.size()) continue;
    tensor.checks |= uint64_t{1} << fact->index;
    if (!fact->dimension.empty()) tensor.shape[fact->index] = dimensionOf(fact->dimension);
  }

  // --- 3. Variables. ---
  for (Parameter& tensor : out.parameters) {
    const std::string shape = shapeName(out.function, tensor.name);
    for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
      const auto found = variables.find(shape + "[" + std::to_string(d) + "]");
      if (tensor.shape[d].text.empty() && found != variables.end()) tensor.shape[d] = dimensionOf(found->second);
    }
  }
  for (const Fact* const fact : texts.variables) {
    SharedVariable shared{std::string(fact->value), {}};
    for (std::string_view list = fact->parameter; !list.empty() && shared.parameters.size() < kSharing;) {
      std::string_view path = list.substr(0, list.find(", "));
      list.remove_prefix(std::min(path.size() + 2, list.size()));
      if (!path.starts_with(out.function) || path.size() <= out.function.size() + 1) continue;
      const auto found = numbers.find(path.substr(out.function.size() + 1));
      if (found != numbers.end()) shared.parameters.push_back(static_cast<uint32_t>(found->second));
    }
    if (!shared.parameters.empty()) out.shared.push_back(std::move(shared));
  }
  nameSharedDimensions(out);
  out.collectVariables();
  return out;
}

} // namespace

void TileLangChecks::addText(std::string_view text, const ExtentOf& extentOf) {
  if (text.size() > kTextBytes || m_facts.size() >= kTexts) return;
  // All patterns contain one of these words; this is a cheap check, since most texts match no pattern.
  const std::string_view head = text.substr(0, 32);
  if (head.find("kernel ") == npos && head.find("Symbolic shape") == npos && text.find(": num_args should") == npos &&
      text.find(": allocator anchor must") == npos)
    return;
  auto fact = factOf(text);
  if (!fact) return;
  if (extentOf && fact->what == What::Shape)
    fact->dimension = extentOf(shapeName(fact->function, fact->parameter), fact->index);
  m_checks += fact->what != What::Count;
  m_facts.push_back(std::move(*fact));
}

void TileLangChecks::addVariable(std::string shape, uint32_t index, std::string variable) {
  if (m_variables.size() >= kTexts) return;
  m_variables.try_emplace(std::move(shape) + "[" + std::to_string(index) + "]", std::move(variable));
}

Result<std::vector<Signature>>
TileLangChecks::signatures(const std::unordered_map<std::string_view, std::size_t>& known, Monitor& monitor) const {
  std::vector<Signature> out;
  if (m_checks == 0) return out;

  // --- 1. The functions: those whose number of arguments a text states. ---
  std::vector<FunctionTexts> functions;
  std::unordered_map<std::string_view, std::size_t> numbers;
  const auto nameOf = [&](std::string_view name) {
    // A stray printable byte may precede the text; the name without it is used when it is a function.
    for (std::size_t i = 0; !known.empty() && i <= kStrayBytes && i < name.size(); ++i)
      if (known.contains(name.substr(i))) return name.substr(i);
    return name;
  };
  for (const Fact& fact : m_facts) {
    if (fact.what != What::Count) continue;
    const std::string_view name = nameOf(fact.function);
    const auto [at, isNew] = numbers.try_emplace(name, functions.size());
    if (isNew) functions.push_back({name, {}, {}, {}});
    if (!functions[at->second].count) functions[at->second].count = fact.index;
  }

  // --- 2. Assign texts to functions. ---
  std::size_t done = 0;
  for (const Fact& fact : m_facts) {
    if (++done % 4096 == 0) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      monitor.progress("reading signatures", done, m_facts.size());
    }
    if (fact.what == What::Count) continue;
    std::string_view function = fact.function, parameter = fact.parameter;
    if (fact.what == What::Variable) function = parameter.substr(0, parameter.find(", "));
    if (fact.what == What::Anchor) function = nameOf(function);
    // Texts about tensors name the function up to its first dot, the rest is in front of the tensor.
    const bool isSplit = fact.what > What::Anchor && fact.what != What::Variable;
    std::string whole = isSplit ? std::string(function) + "." + std::string(parameter) : std::string(function);
    auto found = fact.what <= What::Anchor ? numbers.find(function) : numbers.end();
    std::size_t dot = whole.rfind('.');
    for (std::size_t tried = 0; found == numbers.end() && dot != npos && dot > 0 && tried < kDots; ++tried) {
      found = numbers.find(std::string_view(whole).substr(0, dot));
      if (found == numbers.end()) dot = whole.rfind('.', dot - 1);
    }
    if (found == numbers.end()) continue;
    FunctionTexts& texts = functions[found->second];
    if (fact.what == What::Variable) {
      if (texts.variables.size() < kVariables) texts.variables.push_back(&fact);
      continue;
    }
    if (isSplit) parameter.remove_prefix(std::min(parameter.size(), dot + 1 - std::min(dot + 1, function.size() + 1)));
    texts.facts.emplace_back(&fact, parameter);
  }

  // --- 3. Signatures. ---
  std::size_t values = 0;
  for (const FunctionTexts& texts : functions) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    if (texts.facts.empty() || values + texts.count.value_or(0) > kValues) continue;
    out.push_back(build(texts, m_variables));
    values += valuesOf(out.back());
  }
  return out;
}

std::string shapeCheckText(const Signature& signature, std::size_t parameter, std::size_t dimension) {
  const std::string path = signature.function + "." + signature.parameters[parameter].name;
  const std::size_t dot = path.find('.');
  return "kernel " + path.substr(0, dot) + " input " + path.substr(dot + 1) + " shape[" + std::to_string(dimension) +
         "] violates packed ABI constraint";
}

void nameSharedDimensions(Signature& signature) {
  const auto isOpen = [](const Parameter& tensor, std::size_t d, bool checked) {
    return tensor.shape[d].text.empty() && ((tensor.checks >> d & 1) != 0) == checked;
  };
  if (signature.shared.empty()) return;
  for (uint32_t p = 0; p < signature.parameters.size(); ++p) {
    Parameter& tensor = signature.parameters[p];
    // The variables that this tensor defines: it is the first that has them. Their texts are in the order of the
    // dimensions.
    std::vector<std::size_t> open, compared;
    for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
      if (isOpen(tensor, d, false)) open.push_back(d);
      if (isOpen(tensor, d, true)) compared.push_back(d);
    }
    if (open.empty() && compared.empty()) continue;
    std::vector<const std::string*> defined, used;
    for (const SharedVariable& variable : signature.shared)
      if (variable.parameters.front() == p) defined.push_back(&variable.name);
    if (defined.size() == open.size())
      for (std::size_t i = 0; i < open.size(); ++i) tensor.shape[open[i]] = dimensionOf(*defined[i]);
    // Those that are compared with a variable. A dimension may also be compared with a number or an expression, so the
    // variables are certain only when as many dimensions are left.
    for (const SharedVariable& variable : signature.shared) {
      const auto times = std::count(variable.parameters.begin(), variable.parameters.end(), p);
      const auto named = std::count_if(tensor.shape.begin(), tensor.shape.end(),
                                       [&](const Dimension& dimension) { return dimension.text == variable.name; });
      for (auto i = named; i < times && used.size() <= kRank; ++i) used.push_back(&variable.name);
    }
    const bool same = std::all_of(used.begin(), used.end(), [&](const std::string* name) { return *name == *used[0]; });
    if (compared.size() == used.size() && same)
      for (const std::size_t d : compared) tensor.shape[d] = dimensionOf(*used[0]);
  }
  signature.collectVariables();
}

} // namespace blobscope::host
