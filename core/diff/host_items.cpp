#include "core/diff/host_items.h"

#include "core/base/text.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

namespace blobscope::diff {
namespace {

using container::Image;
using container::Kind;
using container::Section;
using container::Segment;
using container::Symbol;
using container::SymbolType;
using library::Package;

/// The bytes of all symbols, or of all sections, may add up to this many times the size of the file.
constexpr uint64_t kOverlap = 4;
constexpr std::size_t kItems = 4'096;

Error cancelled() { return Error(DiagnosticId::Cancelled, {}); }

uint64_t budgetOf(const Image& image) { return checkedMultiply(image.file.size(), kOverlap).value_or(UINT64_MAX); }

/// Returns the symbols that are compared: with a non-empty name, once if both symbol tables contain them, not host
/// functions.
Result<std::vector<uint32_t>> comparedSymbols(const Package& package, Monitor& monitor) {
  const Image& image = package.image;
  uint64_t steps = 0;
  const auto stopped = [&] { return ++steps % kItems == 0 && monitor.stopRequested(); };
  bool dynamic = false, fixed = false;
  for (const Symbol& symbol : image.symbols) (symbol.dynamic ? dynamic : fixed) = true;
  std::unordered_set<std::string_view> known;
  if (dynamic && fixed)
    for (const Symbol& symbol : image.symbols) {
      if (stopped()) return cancelled();
      if (symbol.dynamic) known.insert(symbol.name);
    }
  std::vector<bool> isFunction(image.symbols.size(), false);
  for (const host::Function& function : package.host.functions) isFunction[function.symbol] = true;
  std::vector<uint32_t> out;
  for (uint32_t i = 0; i < image.symbols.size(); ++i) {
    if (stopped()) return cancelled();
    const Symbol& symbol = image.symbols[i];
    if (symbol.name.empty() || isFunction[i] || symbol.type == SymbolType::Section || symbol.type == SymbolType::File)
      continue;
    if (!symbol.dynamic && !known.empty() && known.contains(symbol.name)) continue;
    out.push_back(i);
  }
  return out;
}

bool isCarrier(const Package& package, uint32_t index) {
  return index < package.host.groups.size() && package.host.groups[index] == host::Group::Carrier;
}

/// Reads the host functions of one side, by their index among the host functions.
class FunctionReader {
public:
  FunctionReader(const Package& package, bool code) : m_package(package), m_code(code), m_bytes(package.image) {}

  uint32_t symbolOf(uint32_t number) const { return m_package.host.functions[number].symbol; }
  Bytes bytesOf(uint32_t number) { return m_code ? m_bytes.of(m_package.image.symbols[symbolOf(number)]) : Bytes(); }
  bool isLike(uint32_t number, const FunctionReader& other, uint32_t otherNumber) const {
    return m_package.host.functions[number].name == other.m_package.host.functions[otherNumber].name;
  }
  Item itemOf(uint32_t number) {
    Item item;
    item.name = m_package.host.functions[number].name;
    item.index = symbolOf(number);
    item.content = bytesOf(number);
    return item;
  }

private:
  const Package& m_package;
  bool m_code;
  SymbolBytes m_bytes;
};

/// Reads the symbols of one side, by their index in the image.
class SymbolReader {
public:
  SymbolReader(const Package& package, const CompareOptions& options)
      : m_package(package), m_options(options), m_bytes(package.image) {}

  const Symbol& symbol(uint32_t index) const { return m_package.image.symbols[index]; }
  uint32_t symbolOf(uint32_t index) const { return index; }
  bool isLike(uint32_t index, const SymbolReader& other, uint32_t otherIndex) const {
    const Symbol& x = symbol(index);
    const Symbol& y = other.symbol(otherIndex);
    return x.name == y.name && x.type == y.type && x.binding == y.binding && x.defined == y.defined &&
           x.absolute == y.absolute && sizeOf(index) == other.sizeOf(otherIndex) && (!x.absolute || x.value == y.value);
  }
  /// Size for the comparison, besides name and bytes. The size of a carrier is that of its blob, which is compared
  /// separately.
  uint64_t sizeOf(uint32_t index) const { return isCarrier(m_package, index) ? 0 : symbol(index).size; }
  Bytes bytesOf(uint32_t index) {
    const Symbol& one = symbol(index);
    if (!one.defined || one.absolute || isCarrier(m_package, index)) return {};
    if (one.type == SymbolType::Function) return m_options.hostCode ? m_bytes.of(one) : Bytes();
    return one.type == SymbolType::Object && one.size > 0 ? m_bytes.of(one) : Bytes();
  }
  Item itemOf(uint32_t index) {
    const Symbol& one = symbol(index);
    Item item;
    item.name = one.name;
    item.index = index;
    item.facts = {{"type", std::string(symbolTypeName(one.type))},
                  {"binding", std::string(bindingName(one.binding))},
                  {"defined", one.defined ? "yes" : "no"}};
    if (sizeOf(index) > 0) item.facts.emplace_back("size", groupedText(one.size));
    if (one.absolute) item.facts.emplace_back("value", hexText(one.value));
    item.content = bytesOf(index);
    return item;
  }

private:
  const Package& m_package;
  const CompareOptions& m_options;
  SymbolBytes m_bytes;
};

/// Returns equal rows at both ends of two tables, and items for the rows between them.
template <class R>
Result<TableItems> readTables(const std::vector<uint32_t>& inA, const std::vector<uint32_t>& inB, R& readerA,
                              R& readerB, const TableContext& context, Monitor& monitor) {
  TableItems out;
  std::size_t steps = 0;
  const auto equalAt = [&](uint32_t i, uint32_t k) -> Result<bool> {
    if (++steps % kItems == 0) {
      if (monitor.stopRequested()) return cancelled();
      monitor.progress("comparing symbols", steps, inA.size());
    }
    if (!readerA.isLike(i, readerB, k)) return false;
    return context.identical ? Result<bool>(true) : context.same.equal(readerA.bytesOf(i), readerB.bytesOf(k), monitor);
  };
  const std::size_t common = std::min(inA.size(), inB.size());
  std::size_t front = 0, back = 0;
  for (; front < common; ++front) {
    BLOBSCOPE_TRY(result, equalAt(inA[front], inB[front]));
    if (!result) break;
    out.same.emplace_back(readerA.symbolOf(inA[front]), readerB.symbolOf(inB[front]));
  }
  for (; back < common - front; ++back) {
    const uint32_t i = inA[inA.size() - 1 - back], k = inB[inB.size() - 1 - back];
    BLOBSCOPE_TRY(result, equalAt(i, k));
    if (!result) break;
    out.same.emplace_back(readerA.symbolOf(i), readerB.symbolOf(k));
  }
  const auto items = [&](const std::vector<uint32_t>& rows, R& reader, std::vector<Item>& list) -> Result<Done> {
    for (std::size_t i = front; i < rows.size() - back; ++i) {
      if (i % kItems == 0 && monitor.stopRequested()) return cancelled();
      list.push_back(reader.itemOf(rows[i]));
    }
    return Done{};
  };
  BLOBSCOPE_CHECK(items(inA, readerA, out.a));
  BLOBSCOPE_CHECK(items(inB, readerB, out.b));
  return out;
}

} // namespace

SymbolBytes::SymbolBytes(const Image& image) : m_image(image), m_left(budgetOf(image)) {
  for (const Segment& segment : image.segments)
    if (segment.file.size > 0) m_segments.push_back(&segment);
  std::stable_sort(m_segments.begin(), m_segments.end(),
                   [](const Segment* x, const Segment* y) { return x->address < y->address; });
}

SymbolBytes::Place SymbolBytes::placeOf(const Symbol& symbol) const {
  const bool thumb = m_image.arch == "arm" && symbol.type == SymbolType::Function;
  return {m_image.kind == Kind::Object ? symbol.section : 0, thumb ? symbol.value & ~uint64_t{1} : symbol.value};
}

Bytes SymbolBytes::of(const Symbol& symbol) {
  if (!symbol.defined || symbol.absolute) return {};
  const Place place = placeOf(symbol);
  Bytes rest;
  if (m_image.kind == Kind::Object) {
    if (symbol.section >= m_image.sections.size()) return {};
    const Section& section = m_image.sections[symbol.section];
    if (place.second >= section.file.size) return {};
    rest = m_image.file.slice(section.file.offset, section.file.size).slice(place.second);
  } else if (m_segments.empty()) {
    if (const auto found = m_image.findBytesOf(symbol)) rest = *found;
  } else {
    auto after = std::upper_bound(m_segments.begin(), m_segments.end(), place.second,
                                  [](uint64_t address, const Segment* segment) { return address < segment->address; });
    if (after == m_segments.begin()) return {};
    const Segment& segment = **(after - 1);
    const uint64_t delta = place.second - segment.address;
    if (delta >= segment.file.size) return {};
    rest = m_image.file.slice(segment.file.offset, segment.file.size).slice(delta);
  }
  uint64_t size = symbol.size;
  if (size == 0 && symbol.type == SymbolType::Function) {
    if (!m_sorted) {
      for (const Symbol& other : m_image.symbols)
        if (other.defined && !other.absolute && other.type == SymbolType::Function)
          m_functions.push_back(placeOf(other));
      std::sort(m_functions.begin(), m_functions.end());
      m_sorted = true;
    }
    const auto next = std::upper_bound(m_functions.begin(), m_functions.end(), place);
    if (next != m_functions.end() && next->first == place.first) {
      size = next->second - place.second;
    } else if (const Section* const section = m_image.findSectionOf(symbol)) {
      // The last function ends with its section.
      size = m_image.kind == Kind::Object ? rest.size() : section->address + section->size - place.second;
    }
  }
  Bytes found = rest.slice(0, size);
  if (found.size() > m_left) return {};
  m_left -= found.size();
  return found;
}

Result<std::vector<Item>> readHostFunctions(const Package& package, bool code, Monitor& monitor) {
  FunctionReader reader(package, code);
  std::vector<Item> out;
  for (uint32_t i = 0; i < package.host.functions.size(); ++i) {
    if (i % kItems == 0 && monitor.stopRequested()) return cancelled();
    out.push_back(reader.itemOf(i));
  }
  return out;
}

Result<std::vector<Item>> readSections(const Package& package, Monitor& monitor) {
  std::vector<Item> out;
  uint64_t left = budgetOf(package.image);
  for (uint32_t i = 0; i < package.image.sections.size(); ++i) {
    if (i % kItems == 0 && monitor.stopRequested()) return cancelled();
    const Section& section = package.image.sections[i];
    if (section.name.empty()) continue;
    Item item;
    item.name = section.name;
    item.index = i;
    item.facts = {{"type", std::string(section.type)},
                  {"access", std::string(section.allocated ? "r" : "-") + (section.writable ? "w" : "-") +
                                 (section.executable ? "x" : "-")}};
    if (section.file.size == 0) item.facts.emplace_back("size", groupedText(section.size));
    const Bytes content = package.bytes.slice(section.file.offset, section.file.size);
    if (content.size() <= left) {
      left -= content.size();
      item.content = content;
    }
    out.push_back(std::move(item));
  }
  return out;
}

Result<TableItems> readHostFunctions(const Package& a, const Package& b, bool code, const TableContext& context,
                                     Monitor& monitor) {
  FunctionReader readerA(a, code), readerB(b, code);
  const auto all = [](const Package& package) {
    std::vector<uint32_t> numbers(package.host.functions.size());
    std::iota(numbers.begin(), numbers.end(), uint32_t{0});
    return numbers;
  };
  return readTables(all(a), all(b), readerA, readerB, context, monitor);
}

Result<TableItems> readSymbols(const Package& a, const Package& b, const TableContext& context, Monitor& monitor) {
  SymbolReader readerA(a, context.options), readerB(b, context.options);
  BLOBSCOPE_TRY(inA, comparedSymbols(a, monitor));
  BLOBSCOPE_TRY(inB, comparedSymbols(b, monitor));
  return readTables(inA, inB, readerA, readerB, context, monitor);
}

} // namespace blobscope::diff
