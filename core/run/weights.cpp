#include "core/run/weights.h"

#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/check/rule.h"
#include "core/protocol/data_type.h"
#include "core/protocol/element_code.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <unordered_map>
#include <utility>

namespace blobscope::run {
namespace {

using host::Parameter;
using Item = program::Parameters::Item;
using Weight = program::Model::Weight;

/// Names that a sentence lists.
constexpr std::size_t kNames = 6;
/// Findings about types and shapes that one check lists.
constexpr std::size_t kFindings = 100;

std::string nameText(std::string_view name) { return "'" + escapedWithin(name, 120) + "'"; }

/// "'a', 'b' and 3 more".
template <class List, class NameOf> std::string namesText(const List& list, const NameOf& nameOf) {
  std::string out;
  for (std::size_t i = 0; i < list.size() && i < kNames; ++i) out += (i > 0 ? ", " : "") + nameText(nameOf(list[i]));
  return list.size() > kNames ? out + " and " + groupedText(list.size() - kNames) + " more" : out;
}

// --- Names with numbers. ---

/// A word and the number at its end: "param_12" is "param_" and 12.
std::optional<std::pair<std::string_view, std::size_t>> numberIn(std::string_view name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  const std::size_t start = last == std::string_view::npos ? 0 : last + 1;
  std::size_t number = 0;
  const auto [end, failure] = std::from_chars(name.data() + start, name.data() + name.size(), number);
  if (start == name.size() || failure != std::errc()) return std::nullopt;
  return std::pair(name.substr(0, start), number);
}

/// Sorts by number when all names are one word with the numbers from 0 on, each once. Returns whether they are.
bool order(std::vector<std::size_t>& tensors, const program::Parameters& weights) {
  std::vector<std::optional<std::size_t>> sorted(tensors.size());
  std::string_view word;
  for (const std::size_t tensor : tensors) {
    const auto parts = numberIn(weights.items[tensor].name);
    if (!parts || parts->second >= sorted.size() || sorted[parts->second]) return false;
    if (tensor != tensors.front() && parts->first != word) return false;
    word = parts->first;
    sorted[parts->second] = tensor;
  }
  std::ranges::transform(sorted, tensors.begin(), [](const auto& one) { return *one; });
  return true;
}

/// The name without a prefix "p_", and with one '_' for each '.'.
std::string plainName(std::string_view name) {
  constexpr std::string_view kPrefix = "p_";
  if (name.starts_with(kPrefix)) name.remove_prefix(kPrefix.size());
  std::string out(name);
  std::ranges::replace(out, '.', '_');
  return out;
}

// --- Types and shapes. ---

std::string textOf(const Item& item) {
  std::string out = "Tensor([";
  for (std::size_t i = 0; i < item.shape.size(); ++i) out += (i > 0 ? ", " : "") + std::to_string(item.shape[i]);
  return out + "], " + protocol::typeText(item.type) + ")";
}

/// NumPy has no bfloat16 and no 8-bit floats; payloads::npyHeader() writes unsigned integers for them.
bool isStoredAs(const Item& item, const Parameter& parameter) {
  if (parameter.dtype == protocol::typeText(item.type)) return true;
  const bool mayStand = item.type.code == 1 && item.type.lanes == 1 && (item.type.bits == 8 || item.type.bits == 16);
  return mayStand && (item.type.bits == 16 ? parameter.dtype == "bfloat16" : parameter.dtype.starts_with("float8"));
}

std::optional<int64_t> elements(const std::vector<host::Dimension>& shape) {
  int64_t out = 1;
  for (const host::Dimension& dimension : shape)
    if (!dimension.value || __builtin_mul_overflow(out, *dimension.value, &out)) return std::nullopt;
  return out;
}

bool fits(const Item& item, const Parameter& parameter, bool reshaped) {
  if (!parameter.dtype.empty() && !isStoredAs(item, parameter)) return false;
  if (!parameter.rankKnown) return true;
  if (reshaped) {
    const auto wanted = elements(parameter.shape);
    int64_t count = 1;
    for (const int64_t extent : item.shape)
      if (__builtin_mul_overflow(count, extent, &count)) return false;
    return !wanted || *wanted == count;
  }
  if (parameter.shape.size() != item.shape.size()) return false;
  for (std::size_t i = 0; i < item.shape.size(); ++i)
    if (parameter.shape[i].value && *parameter.shape[i].value != item.shape[i]) return false;
  return true;
}

/// `taker`: the function that takes it.
std::string differenceText(const Item& item, const std::string& taker, const Parameter& wanted) {
  return nameText(item.name) + " is " + textOf(item) + ", but " + nameText(taker) + " takes " + wanted.text();
}

/// A tensor that the executable lists.
Parameter parameterOf(const Weight& weight) {
  Parameter out;
  out.kind = Parameter::Kind::Tensor;
  out.dtype = weight.dtype;
  if (!weight.shape) return out;
  out.rankKnown = true;
  for (const int64_t extent : *weight.shape) out.shape.push_back({extent, std::to_string(extent)});
  return out;
}

bool isOther(const Parameter& parameter) {
  return parameter.kind != Parameter::Kind::Tensor && parameter.kind != Parameter::Kind::Unknown;
}

bool isTupleOfTensors(const Parameter& parameter) {
  return parameter.kind == Parameter::Kind::Tuple && !parameter.items.empty() &&
         std::ranges::all_of(parameter.items,
                             [](const Parameter& item) { return item.kind == Parameter::Kind::Tensor; });
}

program::ParameterUse useOf(const program::Entry& entry, std::size_t parameter) {
  return parameter < entry.uses.size() ? entry.uses[parameter] : program::ParameterUse();
}

class Matcher {
public:
  Matcher(const program::Entry& entry, const std::vector<Weight>& listed, const program::Parameters& weights)
      : m_entry(entry), m_listed(listed), m_weights(weights) {}

  WeightsMatch match() {
    matchNames();
    if (!m_others.empty()) matchListed();
    if (!m_others.empty() && !matchTuple() && !matchPlainNames()) matchLast();
    m_out.unused = std::move(m_others);
    addMissing();
    return std::move(m_out);
  }

private:
  const std::vector<Parameter>& parameters() const { return m_entry.signature.parameters; }

  void add(std::size_t item, std::size_t parameter, std::optional<std::size_t> position = std::nullopt) {
    WeightsMatch::Pair& pair = m_out.pairs.emplace_back();
    pair.item = item;
    pair.parameter = parameter;
    pair.position = position;
    const Parameter& owner = parameters()[parameter];
    if (position && *position >= owner.items.size()) return;
    const Parameter& wanted = position ? owner.items[*position] : owner;
    if (wanted.kind != Parameter::Kind::Tensor) return;
    const program::ParameterUse use = useOf(m_entry, parameter);
    pair.known = wanted.complete();
    if (!fits(m_weights.items[item], wanted, use.reshaped))
      pair.problem = differenceText(m_weights.items[item], use.statedBy.empty() ? m_entry.name : use.statedBy, wanted);
  }

  void matchNames() {
    std::unordered_map<std::string_view, std::size_t> byName;
    for (std::size_t i = 0; i < parameters().size(); ++i) byName.try_emplace(parameters()[i].name, i);
    for (std::size_t i = 0; i < m_weights.items.size(); ++i) {
      const auto found = byName.find(m_weights.items[i].name);
      if (found == byName.end() || isOther(parameters()[found->second]))
        m_others.push_back(i);
      else
        add(i, found->second);
    }
  }

  /// Items of a tuple by the names that the executable lists.
  void matchListed() {
    std::optional<std::size_t> tuple;
    for (std::size_t i = 0; i < parameters().size() && !tuple; ++i)
      if (parameters()[i].kind == Parameter::Kind::Tuple &&
          (parameters()[i].items.size() == m_listed.size() ||
           (useOf(m_entry, i).open && parameters()[i].items.size() <= m_listed.size())))
        tuple = i;
    if (!tuple) return;
    std::unordered_map<std::string_view, std::size_t> byName;
    for (std::size_t i = 0; i < m_listed.size(); ++i) byName.try_emplace(m_listed[i].name, i);
    std::vector<std::size_t> rest;
    std::vector<bool> taken(m_listed.size());
    for (const std::size_t item : m_others) {
      const auto found = byName.find(m_weights.items[item].name);
      if (found == byName.end() || taken[found->second]) {
        rest.push_back(item);
        continue;
      }
      taken[found->second] = true;
      add(item, *tuple, found->second);
      WeightsMatch::Pair& pair = m_out.pairs.back();
      const Parameter listed = parameterOf(m_listed[found->second]);
      if (pair.known || !listed.complete()) continue;
      pair.known = true;
      if (!fits(m_weights.items[item], listed, false))
        pair.problem = differenceText(m_weights.items[item], m_entry.name, listed);
    }
    if (rest.size() == m_others.size()) return;
    m_others = std::move(rest);
    for (std::size_t i = 0; i < taken.size(); ++i)
      if (!taken[i]) m_out.missing.push_back({m_listed[i].name, *tuple});
  }

  bool matchTuple() {
    for (std::size_t i = 0; i < parameters().size(); ++i) {
      const Parameter& tuple = parameters()[i];
      const bool isOpen = useOf(m_entry, i).open && tuple.items.size() <= m_others.size();
      if (!isOpen && (!isTupleOfTensors(tuple) || tuple.items.size() != m_others.size())) continue;
      const bool numbered = order(m_others, m_weights);
      m_out.order = "the tensors are taken as the items of " + nameText(tuple.name) +
                    (numbered ? ", by the numbers in their names"
                              : " in the order of the file; the library does not state the names of the items");
      for (std::size_t position = 0; position < m_others.size(); ++position) add(m_others[position], i, position);
      m_others.clear();
      return true;
    }
    return false;
  }

  bool matchPlainNames() {
    std::unordered_map<std::string, std::optional<std::size_t>> byName;
    for (std::size_t i = 0; i < parameters().size(); ++i)
      if (const auto [at, isNew] = byName.try_emplace(plainName(parameters()[i].name), i); !isNew) at->second.reset();
    std::vector<std::size_t> found;
    std::vector<bool> taken(parameters().size());
    for (const WeightsMatch::Pair& pair : m_out.pairs) taken[pair.parameter] = true;
    for (const std::size_t item : m_others) {
      const auto at = byName.find(plainName(m_weights.items[item].name));
      if (at == byName.end() || !at->second || taken[*at->second] || isOther(parameters()[*at->second])) return false;
      taken[*at->second] = true;
      found.push_back(*at->second);
    }
    m_out.order = "the names of " + countText(m_others.size(), "tensor") +
                  " differ from those of parameters in '.', '_' or the prefix 'p_'; they are taken as equal";
    for (std::size_t i = 0; i < found.size(); ++i) add(m_others[i], found[i]);
    m_others.clear();
    return true;
  }

  bool matchLast() {
    if (!m_out.pairs.empty() || m_others.size() > parameters().size() || !order(m_others, m_weights)) return false;
    const std::size_t first = parameters().size() - m_others.size();
    if (std::any_of(parameters().begin() + static_cast<std::ptrdiff_t>(first), parameters().end(), isOther))
      return false;
    m_out.order = "the tensors are taken as the last " + countText(m_others.size(), "parameter") + " of " +
                  nameText(m_entry.name) + ", by the numbers in their names";
    for (std::size_t i = 0; i < m_others.size(); ++i) add(m_others[i], first + i);
    m_others.clear();
    return true;
  }

  void addMissing() {
    std::optional<std::size_t> first;
    std::vector<bool> taken(parameters().size());
    for (const WeightsMatch::Pair& pair : m_out.pairs) {
      taken[pair.parameter] = true;
      first = std::min(first.value_or(pair.parameter), pair.parameter);
    }
    for (std::size_t i = 0; i < taken.size(); ++i)
      if (!taken[i] && first && i > *first && !isOther(parameters()[i]))
        m_out.missing.push_back({parameters()[i].name, i});
  }

  const program::Entry& m_entry;
  const std::vector<Weight>& m_listed;
  const program::Parameters& m_weights;
  WeightsMatch m_out;
  std::vector<std::size_t> m_others; ///< tensors without a parameter of their name
};

/// What a parameter is that nothing states.
void learn(Parameter& parameter, const Item& item) {
  if (parameter.kind != Parameter::Kind::Unknown && parameter.complete()) return;
  parameter.kind = Parameter::Kind::Tensor;
  if (parameter.dtype.empty() || !parameter.rankKnown) parameter.dtype = protocol::typeText(item.type);
  if (parameter.rankKnown) return;
  parameter.rankKnown = true;
  parameter.shape.clear();
  for (const int64_t extent : item.shape) parameter.shape.push_back({extent, std::to_string(extent)});
}

// --- Checks. ---

preflight::Missing finding(std::string sentence, std::string name, bool certain) {
  preflight::Missing out;
  out.rule = check::Rule::PreParams;
  out.kind = "weights";
  out.name = std::move(name);
  out.step = preflight::Step::Calls;
  out.certain = certain;
  const check::RuleRow& row = check::row(out.rule);
  out.sentence = "weights: " + std::move(sentence); // the message of the rule
  if (certain) out.fix = row.fix;
  return out;
}

/// A function of a model with what is compared.
struct CheckedEntry {
  const program::Entry* entry = nullptr;
  WeightsMatch match;
};

class Checker {
public:
  Checker(const program::Parameters& weights, std::string_view name) : m_weights(weights), m_name(nameText(name)) {}

  void add(const program::Model& model) {
    m_hasModel = true;
    m_values.insert(m_values.end(), model.values.begin(), model.values.end());
    for (const program::Entry& entry : model.entries)
      if (!entry.signature.parameters.empty())
        m_entries.push_back({&entry, matchWeights(entry, model.listedWeights, m_weights)});
  }
  void addUnread(std::string why) { m_unread.push_back(std::move(why)); }

  preflight::FileCheck take() {
    std::vector<bool> used(m_weights.items.size());
    std::ranges::sort(m_values);
    for (std::size_t i = 0; i < used.size(); ++i)
      used[i] = std::ranges::binary_search(m_values, m_weights.items[i].name);
    std::vector<const CheckedEntry*> takers;
    for (const CheckedEntry& one : m_entries)
      if (!one.match.pairs.empty()) takers.push_back(&one);
    if (takers.empty() && std::ranges::find(used, true) == used.end()) {
      addNothing();
      return std::move(m_out);
    }
    std::vector<std::string> functions;
    uint64_t pairs = 0, compared = 0;
    for (const CheckedEntry* const one : takers) {
      functions.push_back(one->entry->name);
      for (const WeightsMatch::Pair& pair : one->match.pairs) {
        used[pair.item] = true;
        ++pairs;
        if (pair.known) ++compared;
      }
    }
    addDifferences(takers);
    addMissing(takers);
    addUnused(used, functions, takers);
    addOrder(takers);
    const auto fitting = static_cast<uint64_t>(std::ranges::count(used, true));
    m_out.sentence = "weights: " + countText(fitting, "tensor") + " of " + m_name +
                     (fitting == 1 ? " is a parameter of " : " are parameters of ") + functionsText(functions);
    if (!m_out.missing.empty()) return std::move(m_out);
    m_out.sentence += pairs == compared ? "; names, types and shapes fit"
                      : compared == 0   ? "; the names fit, types and shapes are not known"
                                        : "; the names fit, types and shapes as far as they are known";
    return std::move(m_out);
  }

private:
  static std::string functionsText(const std::vector<std::string>& functions) {
    return functions.empty() ? std::string("the model")
                             : namesText(functions, [](const std::string& one) { return one; });
  }

  /// One finding for each sentence, with all functions that it is about.
  void addOnce(const std::string& sentence, const std::string& name, bool certain, const std::string& function) {
    const auto [at, isNew] = m_findings.try_emplace(sentence, m_out.missing.size());
    if (isNew) m_out.missing.push_back(finding(sentence, name, certain));
    m_out.missing[at->second].affected.push_back(function);
  }

  void addDifferences(const std::vector<const CheckedEntry*>& takers) {
    uint64_t more = 0;
    for (const CheckedEntry* const one : takers)
      for (const WeightsMatch::Pair& pair : one->match.pairs) {
        if (pair.problem.empty()) continue;
        if (m_findings.size() >= kFindings && !m_findings.contains(pair.problem))
          ++more;
        else
          addOnce(pair.problem, m_weights.items[pair.item].name, true, one->entry->name);
      }
    if (more > 0)
      m_out.missing.push_back(finding("types or shapes of " + groupedText(more) + " more parameters differ", {}, true));
  }

  void addMissing(const std::vector<const CheckedEntry*>& takers) {
    // Functions with the same list share a sentence.
    std::vector<std::pair<std::vector<std::string>, std::vector<const program::Entry*>>> lists;
    for (const CheckedEntry* const one : takers) {
      std::vector<std::string> names;
      for (const WeightsMatch::Missing& missing : one->match.missing) names.push_back(missing.name);
      if (names.empty()) continue;
      const auto same = std::ranges::find(lists, names, &decltype(lists)::value_type::first);
      if (same != lists.end())
        same->second.push_back(one->entry);
      else
        lists.emplace_back(std::move(names), std::vector{one->entry});
    }
    for (const auto& [names, entries] : lists) {
      std::vector<std::string> functions;
      bool certain = true;
      for (const program::Entry* const entry : entries) {
        functions.push_back(entry->name);
        // The inputs of a graph have any order.
        certain = certain && entry->namesKnown && entry->signature.source != host::Signature::Source::Graph;
      }
      const std::string sentence = countText(names.size(), "parameter") + " of " + functionsText(functions) +
                                   (names.size() == 1 ? " has no tensor in " : " have no tensor in ") + m_name + ": " +
                                   namesText(names, [](const std::string& name) { return name; }) +
                                   (certain ? "" : ", unless they are inputs of the model");
      m_out.missing.push_back(finding(sentence, names.front(), certain));
      m_out.missing.back().affected = std::move(functions);
    }
  }

  void addUnused(const std::vector<bool>& used, const std::vector<std::string>& functions,
                 const std::vector<const CheckedEntry*>& takers) {
    std::vector<std::size_t> unused;
    for (std::size_t i = 0; i < used.size(); ++i)
      if (!used[i]) unused.push_back(i);
    if (unused.empty()) return;
    // The graph executor ignores tensors without an input of that name.
    const bool certain = std::ranges::any_of(takers, [](const CheckedEntry* one) {
      return one->entry->namesKnown && one->entry->signature.source != host::Signature::Source::Graph;
    });
    m_out.missing.push_back(finding(countText(unused.size(), "tensor") + " of " + m_name +
                                        (unused.size() == 1 ? " is not a parameter of " : " are not parameters of ") +
                                        functionsText(functions) + ": " +
                                        namesText(unused, [&](std::size_t item) { return m_weights.items[item].name; }),
                                    m_weights.items[unused.front()].name, certain));
  }

  void addOrder(const std::vector<const CheckedEntry*>& takers) {
    for (const CheckedEntry* const one : takers)
      if (!one->match.order.empty()) addOnce(one->match.order, {}, false, one->entry->name);
  }

  /// No function takes any of the tensors.
  void addNothing() {
    const uint64_t count = m_weights.items.size();
    if (count == 0) {
      m_out.missing.push_back(finding(m_name + " has no tensors", {}, true));
      return;
    }
    if (!m_hasModel) {
      m_out.missing.push_back(finding(m_unread.empty()
                                          ? "the library has no model, and does not state the names of its parameters"
                                          : "the model of the library cannot be read: " + m_unread.front(),
                                      {}, false));
      return;
    }
    if (!std::ranges::all_of(m_entries, [](const CheckedEntry& one) { return one.entry->namesKnown; })) {
      m_out.missing.push_back(finding("the library does not state the names of its parameters", {}, false));
      return;
    }
    std::vector<std::string> names;
    for (const CheckedEntry& one : m_entries)
      for (const Parameter& parameter : one.entry->signature.parameters) {
        if (isTupleOfTensors(parameter))
          addOnce(nameText(parameter.name) + " is a tuple of " + countText(parameter.items.size(), "tensor") +
                      ", but " + m_name + " has " + groupedText(count),
                  parameter.name, true, one.entry->name);
        if (names.size() <= kNames && std::ranges::find(names, parameter.name) == names.end())
          names.push_back(parameter.name);
      }
    if (!m_out.missing.empty()) return;
    m_out.missing.push_back(finding(
        "none of the " + countText(count, "tensor") + " of " + m_name + " is a parameter of the model; tensors: " +
            namesText(m_weights.items, [](const Item& item) { return item.name; }) + "; parameters: " +
            (names.empty() ? std::string("none") : namesText(names, [](const std::string& one) { return one; })),
        m_weights.items.front().name, true));
  }

  const program::Parameters& m_weights;
  const std::string m_name;
  std::vector<CheckedEntry> m_entries;
  bool m_hasModel = false;
  std::vector<std::string> m_values, m_unread;
  std::unordered_map<std::string, std::size_t> m_findings; ///< sentence → its number in FileCheck::missing
  preflight::FileCheck m_out;
};

} // namespace

WeightsMatch matchWeights(const program::Entry& entry, const std::vector<Weight>& listed,
                          const program::Parameters& weights) {
  return Matcher(entry, listed, weights).match();
}

Result<Done> placeWeights(program::Entry& entry, const std::vector<Weight>& listed, const program::Parameters& weights,
                          RunOptions& options, std::vector<std::string>& notes) {
  const WeightsMatch match = matchWeights(entry, listed, weights);
  host::Signature& signature = entry.signature;
  const auto nameOf = [&](std::size_t item) { return weights.items[item].name; };
  if (match.pairs.empty() && !match.unused.empty())
    return Error(DiagnosticId::RunInput,
                 {arg("name", nameOf(match.unused.front())),
                  {"reason", "the file of parameters has " + countText(match.unused.size(), "tensor") +
                                 " without a parameter of that name, and '" + escapedWithin(signature.function, 100) +
                                 "' takes no tuple of that many tensors"}});
  for (const WeightsMatch::Pair& pair : match.pairs) {
    const Item& item = weights.items[pair.item];
    Parameter& owner = signature.parameters[pair.parameter];
    std::string name = owner.name;
    if (pair.position) name += "." + std::to_string(*pair.position);
    if (options.inputs.contains(name)) continue;
    if (!pair.problem.empty()) return Error(DiagnosticId::RunInput, {arg("name", name), {"reason", pair.problem}});
    if (pair.position && *pair.position >= owner.items.size()) owner.items.resize(*pair.position + 1);
    Parameter& parameter = pair.position ? owner.items[*pair.position] : owner;
    learn(parameter, item);
    options.contents[name] = item.data;
    for (std::size_t i = 0; i < item.shape.size() && i < parameter.shape.size(); ++i)
      if (parameter.shape[i].isVariable()) options.variables.try_emplace(parameter.shape[i].text, item.shape[i]);
  }
  if (signature.source == host::Signature::Source::None) signature.source = host::Signature::Source::Bytecode;
  signature.collectVariables();
  if (!match.order.empty()) notes.push_back(match.order);
  if (!match.unused.empty())
    notes.push_back(countText(match.unused.size(), "tensor") +
                    (match.unused.size() == 1 ? " is not a parameter of " : " are not parameters of ") +
                    nameText(entry.name) + ": " + namesText(match.unused, nameOf));
  std::vector<std::string> missing;
  for (const WeightsMatch::Missing& one : match.missing)
    if (!options.inputs.contains(one.name) && useOf(entry, one.parameter).used) missing.push_back(one.name);
  if (!missing.empty())
    notes.push_back(countText(missing.size(), "parameter") +
                    (missing.size() == 1 ? " has no tensor and gets" : " have no tensor and get") +
                    " the values of an input: " + namesText(missing, [](const std::string& one) { return one; }));
  return Done{};
}

Result<preflight::FileCheck> checkWeights(const library::PackagePtr& package, const program::Parameters& weights,
                                          std::string_view name, Monitor& monitor) {
  longWork("run::checkWeights");
  BLOBSCOPE_TRY(functions, xref::computeFunctions(package, monitor));
  Checker checker(weights, name);
  std::vector<std::unique_ptr<const program::Model>> models; // what the checker refers to
  std::optional<Error> cancelled;
  const auto add = [&](Result<program::Model> model) {
    if (model) {
      models.push_back(std::make_unique<const program::Model>(std::move(*model)));
      checker.add(*models.back());
    } else if (model.error().code() == ErrorCode::Cancelled) {
      cancelled = model.takeError();
    } else {
      checker.addUnread(model.error().message());
    }
  };
  bool any = false;
  library::forEachPackage(package, [&](const library::PackagePtr& inner) {
    for (const auto& blob : inner->blobs)
      for (const library::ModulePtr& module : blob->modules) {
        if (cancelled || !program::isModel(module->key.view())) continue;
        any = true;
        add(program::modelOfModule(inner, *module, functions, monitor, &weights));
      }
  });
  if (!any && !cancelled)
    if (const program::ModelFiles beside = program::filesBeside(pathFrom(package->path)); !beside.graph.empty())
      add(program::modelOf(package, functions, {beside.graph, {}}, monitor));
  if (cancelled) return std::move(*cancelled);
  return checker.take();
}

} // namespace blobscope::run
