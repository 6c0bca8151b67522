#include "core/host/assertions.h"

#include "core/host/literal.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_set>

namespace blobscope::host {
namespace {

using Fact = Assertions::Fact;
using What = Assertions::What;

/// Longest text of one check; the longest real one seen has 700 bytes.
constexpr std::size_t kTextBytes = 16'384;
/// Longest path of a function and its parameter, and the maximum number of dots that are tried as the end of the
/// function's name.
constexpr std::size_t kPathBytes = 2'048, kDots = 32;
/// Maximum number of conditions read for one tensor; a real tensor has one, with a term per dimension.
constexpr std::size_t kConditions = 8;
/// Longest product of dimensions that is read.
constexpr std::size_t kProductBytes = 1'024;
/// Maximum number of stray bytes before a text: the end of a constant before it.
constexpr std::size_t kStrayBytes = 8;

constexpr std::string_view kAssert = "Assert fail: ";
constexpr auto npos = std::string_view::npos;

std::optional<uint32_t> numberOf(std::string_view text) {
  uint32_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end == text.data()) return std::nullopt;
  return value;
}

/// The word that ends at `end` and begins after a space or at the start.
std::string_view wordBefore(std::string_view text, std::size_t end) {
  const std::size_t space = end == 0 ? npos : text.find_last_of(" \n\t", end - 1);
  const std::size_t from = space == npos ? 0 : space + 1;
  return text.substr(from, end - from);
}

/// Splits "PATH.shape[3]" into "PATH" and 3.
bool cutIndex(std::string_view& path, std::string_view member, uint32_t& index) {
  if (!path.ends_with(']')) return false;
  const std::size_t at = path.rfind(member);
  if (at == npos) return false;
  const auto number = numberOf(path.substr(at + member.size()));
  if (!number) return false;
  index = *number;
  path = path.substr(0, at);
  return true;
}

std::optional<Fact> factOf(std::string_view text) {
  std::string_view condition;
  if (const std::size_t at = text.find(kAssert); at <= kStrayBytes) {
    text.remove_prefix(at + kAssert.size());
    condition = text;
  }
  const auto fact = [&](What what, std::string_view path, uint32_t index, std::string_view value) {
    return Fact{what, index, path, value, condition};
  };
  // The message is at the end, so its words are searched backwards; the condition may contain the same words.
  constexpr std::string_view kCount = ": num_args should be ", kKind = ": Expect arg[", kTo = "] to be ";
  if (const std::size_t at = text.rfind(kCount); at != npos) {
    const auto count = numberOf(text.substr(at + kCount.size()));
    if (!count) return std::nullopt;
    return fact(What::Count, wordBefore(text, at), *count, {});
  }
  if (const std::size_t at = text.rfind(kKind); at != npos) {
    const std::string_view rest = text.substr(at + kKind.size());
    const auto index = numberOf(rest);
    const std::size_t to = rest.find(kTo);
    if (!index || to == npos) return std::nullopt;
    return fact(What::Kind, wordBefore(text, at), *index, rest.substr(to + kTo.size()));
  }
  constexpr std::string_view kRankText = ".ndim is expected to equal ", kType = ".dtype is expected to be ";
  if (const std::size_t at = text.rfind(kRankText); at != npos) {
    const auto rank = numberOf(text.substr(at + kRankText.size()));
    if (!rank) return std::nullopt;
    return fact(What::Rank, wordBefore(text, at), *rank, {});
  }
  if (const std::size_t at = text.rfind(kType); at != npos)
    return fact(What::Type, wordBefore(text, at), 0, text.substr(at + kType.size()));
  if (const std::size_t at = text.rfind(".strides: expected to be compact array"); at != npos)
    return fact(What::Strides, wordBefore(text, at), 0, {});
  if (const std::size_t at = text.rfind(" is expected to have non-NULL data pointer"); at != npos)
    return fact(What::Data, wordBefore(text, at), 0, {});
  constexpr std::string_view kConstraint = " has an unsatisfied constraint";
  const std::size_t at = text.find(kConstraint);
  if (at == npos) return std::nullopt;
  std::string_view path = wordBefore(text, at), value = text.substr(at + kConstraint.size());
  if (!text.substr(0, at - path.size()).ends_with("Argument ")) return std::nullopt;
  if (value.starts_with(": ")) value.remove_prefix(2);
  uint32_t index = 0;
  if (cutIndex(path, ".shape[", index)) return fact(What::Shape, path, index, value);
  constexpr std::string_view kDevice = ".device_type";
  if (path.ends_with(kDevice)) {
    path.remove_suffix(kDevice.size());
    return fact(What::Device, path, 0, value);
  }
  for (const std::string_view other : {".byte_offset", ".device_id", ".elem_offset", ".strides", ".data"})
    if (path.ends_with(other)) return std::nullopt;
  if (path.ends_with(']')) return std::nullopt;
  return fact(What::Scalar, path, 0, value);
}

/// The sides of "L == R", split outside brackets; nothing without " == ".
std::optional<std::pair<std::string_view, std::string_view>> sidesOf(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i + 4 <= text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if (text[i] == ')' || text[i] == ']') --depth;
    if (depth == 0 && text.substr(i, 4) == " == ") return std::pair(text.substr(0, i), text.substr(i + 4));
  }
  return std::nullopt;
}

/// The spelling of "arg.A_handle" in conditions: "arg_A_handle".
std::string keyOf(std::string_view name) {
  std::string key(name);
  std::replace(key.begin(), key.end(), '.', '_');
  return key;
}

/// The name of an argument in the condition about its kind: "((((arg.p0.code == 3) …", "var_A_type_index == 0 or …".
std::string_view nameIn(std::string_view condition) {
  while (condition.starts_with('(')) condition.remove_prefix(1);
  std::string_view word = condition.substr(0, condition.find(' '));
  for (const std::string_view end : {"_type_index", "_code", ".code"})
    if (word.ends_with(end)) return word.substr(0, word.size() - end.size());
  return {};
}

/// What the texts say about one tensor.
struct Block {
  std::string_view shown;
  std::size_t order = 0; ///< number of its first text
  std::optional<uint32_t> rank;
  std::string_view type;
  std::vector<std::pair<uint32_t, std::string_view>> shape; ///< dimension, and the side that is not the tensor's own
  std::vector<std::string_view> strides, data;              ///< conditions
  std::optional<int> device;

  std::string_view dimension(uint32_t index) const {
    for (const auto& [number, text] : shape)
      if (number == index) return text;
    return {};
  }
  bool hasDetails() const { return !type.empty() || !shape.empty() || !strides.empty() || device; }
};

/// The texts of one function.
struct FunctionTexts {
  std::string_view name;
  std::optional<uint32_t> count;
  std::vector<const Fact*> kinds;
  std::vector<std::pair<std::string, const Fact*>> tensors; ///< key of the parameter
};

/// Blocks with one name, in order.
class BlockList {
public:
  /// `most`: the number of arguments with that name.
  explicit BlockList(std::size_t most) : m_most(most) {}

  /// `order`: index of the text among those of the function.
  void add(std::string_view shown, const Fact& fact, std::size_t order) {
    m_order = order;
    if (m_blocks.empty()) start(shown);
    Block* block = &m_blocks[m_now];
    switch (fact.what) {
    case What::Rank:
      if (m_blocks.back().rank && m_blocks.size() < m_most) {
        // Releases that check all ranks first check the rest afterwards, in the same order.
        const bool upFront = !m_blocks.back().hasDetails();
        start(shown);
        if (!upFront) m_now = m_blocks.size() - 1;
        m_blocks.back().rank = fact.index;
      } else if (!m_blocks.back().rank) {
        m_blocks.back().rank = fact.index;
      }
      break;
    case What::Type:
      if (!block->type.empty() && block->type != fact.value) block = next(shown);
      if (block && block->type.empty()) block->type = fact.value;
      break;
    case What::Shape: {
      const auto sides = sidesOf(fact.value);
      if (!sides || fact.index >= kRank) break;
      const std::string own = "shape[" + std::to_string(fact.index) + "]";
      const std::string_view side = sides->first.find(own) == npos ? sides->first : sides->second;
      // A dimension that is already known, or one before those already known, belongs to another argument.
      const bool inOrder = m_most == 1 || block->shape.empty() || block->shape.back().first < fact.index;
      if (!block->dimension(fact.index).empty() || !inOrder) block = next(shown);
      if (block && block->dimension(fact.index).empty()) block->shape.emplace_back(fact.index, side);
      break;
    }
    case What::Strides:
      if (block->strides.size() < kConditions) block->strides.push_back(fact.condition);
      break;
    case What::Data:
      if (block->data.size() < kConditions) block->data.push_back(fact.condition);
      break;
    case What::Device:
      if (const auto sides = sidesOf(fact.value); sides && !block->device) {
        const auto left = numberOf(sides->first), right = numberOf(sides->second);
        if (left || right) block->device = static_cast<int>(left ? *left : *right);
      }
      break;
    default: break;
    }
  }

  /// The blocks. Later blocks inherit missing facts from earlier ones, because equal texts are stored once.
  std::vector<Block> take() {
    for (std::size_t i = 1; i < m_blocks.size(); ++i) {
      Block& block = m_blocks[i];
      const Block& before = m_blocks[i - 1];
      if (!block.rank) block.rank = before.rank;
      if (block.type.empty()) block.type = before.type;
      if (!block.device) block.device = before.device;
      if (block.rank == before.rank) {
        for (const auto& [index, text] : before.shape)
          if (block.dimension(index).empty()) block.shape.emplace_back(index, text);
        if (block.strides.empty()) block.strides = before.strides;
      }
    }
    return std::move(m_blocks);
  }

private:
  void start(std::string_view shown) {
    m_blocks.emplace_back();
    m_blocks.back().shown = shown;
    m_blocks.back().order = m_order;
  }
  /// The block after the current one; null when there is already one per argument.
  Block* next(std::string_view shown) {
    if (m_now + 1 == m_blocks.size()) {
      if (m_blocks.size() >= m_most) return nullptr;
      start(shown);
    }
    return &m_blocks[++m_now];
  }

  std::size_t m_most, m_now = 0, m_order = 0;
  std::vector<Block> m_blocks;
};

/// Names the dimensions that no constraint names because they define their variable.
class Definitions {
public:
  Definitions(Signature& signature, const std::vector<const Block*>& blocks)
      : m_signature(signature), m_blocks(blocks) {}

  void resolve() {
    fromStrides();
    fromProducts();
    fromRemaining();
  }

private:
  using Place = std::pair<std::size_t, std::size_t>; ///< parameter, dimension

  /// "(D == 1 or S == T.Cast("int32", f_x_strides[k]))" says that dimension k is D.
  void fromStrides() {
    for (std::size_t p = 0; p < m_signature.parameters.size(); ++p) {
      if (!m_blocks[p]) continue;
      auto& shape = m_signature.parameters[p].shape;
      for (const std::string_view condition : m_blocks[p]->strides) {
        constexpr std::string_view kOr = " == 1 or ", kStrides = "strides[";
        std::size_t terms = 0;
        for (std::size_t at = condition.find(kOr); at != npos && terms < kRank;
             at = condition.find(kOr, at + 1), ++terms) {
          std::string_view left = condition.substr(0, at);
          int depth = 0;
          std::size_t from = left.size();
          for (; from > 0; --from) {
            if (left[from - 1] == ')' || left[from - 1] == ']') ++depth;
            if ((left[from - 1] == '(' || left[from - 1] == '[') && --depth < 0) break;
            if (depth == 0 && left.substr(0, from).ends_with(" and ")) break;
          }
          left.remove_prefix(from);
          const std::string_view right = condition.substr(at + kOr.size());
          const std::size_t stride = right.find(kStrides), further = right.find(kOr);
          if (stride == npos || stride > further) continue;
          const auto index = numberOf(right.substr(stride + kStrides.size()));
          if (index && *index < shape.size() && shape[*index].text.empty()) shape[*index] = dimensionOf(left);
        }
      }
    }
  }

  /// "n * 4 == 0 or not T.isnullptr(A)": the product of the dimensions, 0.15 and later.
  void fromProducts() {
    for (std::size_t p = 0; p < m_signature.parameters.size(); ++p) {
      if (!m_blocks[p]) continue;
      auto& shape = m_signature.parameters[p].shape;
      const auto open =
          std::find_if(shape.begin(), shape.end(), [](const Dimension& dimension) { return dimension.text.empty(); });
      if (open == shape.end() || std::find_if(open + 1, shape.end(), [](const Dimension& dimension) {
                                   return dimension.text.empty();
                                 }) != shape.end())
        continue;
      std::unordered_set<std::string_view> inDimensions;
      for (const Dimension& dimension : shape)
        for (const std::string_view word : variablesIn(dimension.text)) inDimensions.insert(word);
      for (const std::string_view condition : m_blocks[p]->data) {
        const std::size_t end = condition.find(" == 0 or ");
        if (end == npos || end > kProductBytes) continue;
        std::vector<std::string_view> words = variablesIn(condition.substr(0, end));
        std::erase_if(words, [&](std::string_view word) { return inDimensions.contains(word); });
        if (words.size() == 1) *open = dimensionOf(words[0]);
        break;
      }
    }
  }

  /// A variable that is used but not defined must be defined by a dimension before its first use; when there is only
  /// one such dimension, it is that one.
  void fromRemaining() {
    std::vector<Place> open;                         // ascending
    std::vector<std::pair<std::string, Place>> used; // with the place of the first use
    std::unordered_set<std::string> defined, seen;
    for (const Parameter& parameter : m_signature.parameters) {
      if (parameter.kind != Parameter::Kind::Integer) continue;
      if (parameter.name.empty()) return; // may define any of them
      defined.insert(parameter.name);
    }
    for (std::size_t p = 0; p < m_signature.parameters.size(); ++p) {
      const auto& shape = m_signature.parameters[p].shape;
      for (std::size_t d = 0; d < shape.size(); ++d) {
        if (shape[d].text.empty()) open.emplace_back(p, d);
        // A single variable without a constraint defines that variable.
        const bool checked = m_blocks[p] && !m_blocks[p]->dimension(static_cast<uint32_t>(d)).empty();
        if (shape[d].isVariable() && !checked) defined.insert(shape[d].text);
        if (shape[d].value || shape[d].text.empty()) continue;
        for (const std::string_view word : variablesIn(shape[d].text))
          if (used.size() < kParameters && seen.emplace(word).second) used.emplace_back(word, Place(p, d));
      }
    }
    std::size_t next = 0; // the first open place
    for (bool again = next < open.size(); again;) {
      again = false;
      for (const auto& [name, first] : used) {
        const bool only =
            next < open.size() && open[next] < first && (next + 1 == open.size() || open[next + 1] >= first);
        if (!only || defined.contains(name)) continue;
        m_signature.parameters[open[next].first].shape[open[next].second] = dimensionOf(name);
        ++next;
        defined.insert(name);
        again = true;
      }
    }
  }

  Signature& m_signature;
  const std::vector<const Block*>& m_blocks;
};

std::string shownName(std::string_view name) {
  // "arg.A_handle"; in conditions of the same releases "arg_A_handle".
  return std::string(name.starts_with("arg.") ? name.substr(4) : name);
}

bool isType(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '[' || c == ']';
  });
}

void fill(Parameter& parameter, const Block& block) {
  parameter.kind = Parameter::Kind::Tensor;
  parameter.name = shownName(block.shown);
  if (isType(block.type)) parameter.dtype = block.type;
  parameter.deviceType = block.device;
  if (!block.rank || *block.rank > kRank) return;
  parameter.rankKnown = true;
  parameter.shape.resize(*block.rank);
  for (const auto& [index, text] : block.shape)
    if (index < parameter.shape.size()) parameter.shape[index] = dimensionOf(text);
}

/// Builds a signature from the texts of one function: its arguments, the blocks of facts about tensors, and the
/// assignment of blocks to arguments: by name when the texts name each argument, else in order.
class SignatureBuilder {
public:
  /// `tensorNames`: paths in texts that name no function, by their keys.
  SignatureBuilder(const FunctionTexts& texts, const std::unordered_map<std::string, std::string_view>& tensorNames)
      : m_texts(texts), m_tensorNames(tensorNames) {}

  Signature build() {
    m_out.function = m_texts.name;
    if (!m_texts.count || *m_texts.count > kParameters) return std::move(m_out);
    m_out.source = Signature::Source::Assertions;
    readArguments();
    collectBlocks();
    bind();
    for (std::size_t i = 0; i < m_bound.size(); ++i) {
      Parameter& parameter = m_out.parameters[i];
      if (m_bound[i]) {
        fill(parameter, *m_bound[i]);
      } else if (const auto found = m_tensorNames.find(m_keys[i]);
                 parameter.kind == Kind::Pointer && found != m_tensorNames.end()) {
        parameter.kind = Kind::Tensor; // texts of 0.12 and earlier, shared between functions
        parameter.name = shownName(found->second);
      }
    }
    Definitions(m_out, m_bound).resolve();
    m_out.collectVariables();
    return std::move(m_out);
  }

private:
  using Kind = Parameter::Kind;

  /// Reads the number, kinds and names of the arguments.
  void readArguments() {
    m_out.parameters.resize(*m_texts.count);
    m_keys.resize(*m_texts.count);
    for (const Fact* fact : m_texts.kinds) {
      if (fact->index >= *m_texts.count) continue;
      Parameter& parameter = m_out.parameters[fact->index];
      const std::string_view word = fact->value;
      parameter.kind = word.starts_with("pointer") ? Kind::Pointer
                       : word.starts_with("int")   ? Kind::Integer
                       : word.starts_with("float") ? Kind::Float
                       : word.starts_with("bool")  ? Kind::Boolean
                                                   : Kind::Unknown;
      const std::string_view name = nameIn(fact->condition);
      if (name.empty()) continue;
      parameter.name = shownName(name);
      m_keys[fact->index] = keyOf(name);
    }
  }

  /// Collects the blocks, for each name as many as there are arguments with that name.
  void collectBlocks() {
    std::unordered_map<std::string_view, std::size_t> positions;
    for (std::size_t i = 0; i < m_keys.size(); ++i)
      if (!m_keys[i].empty() && m_out.parameters[i].kind == Kind::Pointer) ++positions[m_keys[i]], m_named = true;
    std::unordered_set<std::string_view> distinct;
    for (const auto& [key, fact] : m_texts.tensors) distinct.insert(key);
    const auto pointers = static_cast<std::size_t>(
        std::count_if(m_out.parameters.begin(), m_out.parameters.end(),
                      [](const Parameter& parameter) { return parameter.kind == Kind::Pointer; }));
    const std::size_t further = pointers > distinct.size() ? pointers - distinct.size() : 0;
    std::vector<BlockList> lists;
    for (std::size_t i = 0; i < m_texts.tensors.size(); ++i) {
      const auto& [key, fact] = m_texts.tensors[i];
      const auto [at, isNew] = m_listOf.try_emplace(key, lists.size());
      if (isNew) {
        const auto found = positions.find(key);
        lists.emplace_back(!m_named ? 1 + further : found == positions.end() ? 1 : found->second);
      }
      lists[at->second].add(fact->path.substr(fact->path.size() - key.size()), *fact, i);
    }
    m_blocks.reserve(lists.size());
    for (BlockList& list : lists) m_blocks.push_back(list.take());
  }

  /// Assigns blocks to arguments.
  void bind() {
    m_bound.resize(m_out.parameters.size());
    if (m_named) {
      std::unordered_map<std::string_view, std::size_t> used;
      for (std::size_t i = 0; i < m_out.parameters.size(); ++i) {
        const auto found = m_listOf.find(m_keys[i]);
        if (m_out.parameters[i].kind != Kind::Pointer || found == m_listOf.end()) continue;
        const std::vector<Block>& own = m_blocks[found->second];
        if (own.empty()) continue;
        m_bound[i] = &own[std::min(used[m_keys[i]]++, own.size() - 1)];
      }
      return;
    }
    std::vector<const Block*> order;
    for (const auto& own : m_blocks)
      for (const Block& block : own) order.push_back(&block);
    std::stable_sort(order.begin(), order.end(), [](const Block* a, const Block* b) { return a->order < b->order; });
    for (std::size_t i = 0, next = 0; i < m_out.parameters.size() && next < order.size(); ++i)
      if (m_out.parameters[i].kind == Kind::Pointer) m_bound[i] = order[next++];
  }

  const FunctionTexts& m_texts;
  const std::unordered_map<std::string, std::string_view>& m_tensorNames;
  Signature m_out;
  std::vector<std::string> m_keys;                            ///< per argument, empty without a name
  bool m_named = false;                                       ///< the texts name arguments that are pointers
  std::unordered_map<std::string_view, std::size_t> m_listOf; ///< index in m_blocks by key
  std::vector<std::vector<Block>> m_blocks;
  std::vector<const Block*> m_bound; ///< per argument, null when no text describes it
};

} // namespace

void Assertions::addText(std::string_view text) {
  if (text.size() > kTextBytes || m_facts.size() >= kTexts) return;
  // All patterns contain one of these words; this is a cheap check, since most texts match no pattern.
  if (text.find("num_args") == npos && text.find("xpect") == npos && text.find("unsatisfied") == npos) return;
  if (auto fact = factOf(text); fact && fact->path.size() <= kPathBytes) m_facts.push_back(*fact);
}

Result<std::vector<Signature>> Assertions::signatures(const std::unordered_map<std::string_view, std::size_t>& known,
                                                      Monitor& monitor) const {
  // --- 1. The functions: those whose number of arguments a text states. ---
  std::vector<FunctionTexts> functions;
  std::unordered_map<std::string_view, std::size_t> numbers;
  const auto nameOf = [&](std::string_view name) {
    // A text of a C host may begin with a stray printable byte; the name without it is used when it is a function.
    if (known.empty() || known.contains(name)) return name;
    for (std::size_t i = 1; i <= kStrayBytes && i < name.size(); ++i)
      if (known.contains(name.substr(i))) return name.substr(i);
    return name;
  };
  for (const Fact& fact : m_facts) {
    if (fact.what != What::Count) continue;
    const std::string_view name = fact.condition.empty() ? nameOf(fact.path) : fact.path;
    if (name.empty()) continue;
    const auto [at, isNew] = numbers.try_emplace(name, functions.size());
    if (isNew) {
      functions.emplace_back();
      functions.back().name = name;
    }
    if (!functions[at->second].count) functions[at->second].count = fact.index;
  }

  // --- 2. Assign texts to functions. ---
  std::unordered_map<std::string, std::string_view> tensorNames;
  std::size_t done = 0;
  for (const Fact& fact : m_facts) {
    if (++done % 4096 == 0) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      monitor.progress("reading signatures", done, m_facts.size());
    }
    if (fact.what == What::Count || fact.what == What::Scalar) continue;
    if (fact.what == What::Kind) {
      const auto found = numbers.find(fact.condition.empty() ? nameOf(fact.path) : fact.path);
      if (found != numbers.end() && functions[found->second].kinds.size() < kParameters)
        functions[found->second].kinds.push_back(&fact);
      continue;
    }
    std::size_t dot = fact.path.rfind('.'), tried = 0;
    FunctionTexts* function = nullptr;
    for (; dot != npos && dot > 0 && tried < kDots; dot = fact.path.rfind('.', dot - 1), ++tried) {
      const auto found =
          numbers.find(fact.condition.empty() ? nameOf(fact.path.substr(0, dot)) : fact.path.substr(0, dot));
      if (found == numbers.end()) continue;
      function = &functions[found->second];
      break;
    }
    if (function)
      function->tensors.emplace_back(keyOf(fact.path.substr(dot + 1)), &fact);
    else if (fact.what == What::Rank)
      tensorNames.try_emplace(keyOf(fact.path), fact.path);
  }

  // --- 3. Signatures. ---
  std::vector<Signature> out;
  std::size_t values = 0;
  for (const FunctionTexts& function : functions) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    if (values + function.count.value_or(0) > kValues) continue;
    out.push_back(SignatureBuilder(function, tensorNames).build());
    values += valuesOf(out.back());
  }
  return out;
}

} // namespace blobscope::host
