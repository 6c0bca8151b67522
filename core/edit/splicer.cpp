#include "core/edit/splicer.h"

#include "core/base/text.h"
#include "core/base/writer.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

namespace blobscope::edit {
namespace {

/// Returns the number of bytes that one unit of a row's length word counts; 0 when the row has no length word.
uint64_t lengthUnit(const Field& field) {
  switch (field.type) {
  case FieldType::String:
  case FieldType::Sized: return 1;
  case FieldType::Data: return field.size == field.number + 8 ? 1 : 0;
  case FieldType::Words: return 4;
  case FieldType::Words64: return 8;
  default: return 0;
  }
}

uint64_t numberIn(const Bytes& bytes, uint64_t offset, unsigned size) {
  uint64_t value = 0;
  if (offset <= bytes.size() && bytes.size() - offset >= size) std::memcpy(&value, bytes.data() + offset, size);
  return value;
}

/// `first`, `second`: the labels of the edits.
Error conflict(std::string_view module, const std::string& first, const std::string& second) {
  return Error(
      DiagnosticId::EditConflict,
      {arg("module", module), {"first", first}, {"second", first == second ? "another edit of " + second : second}});
}

Bytes numberBytes(uint64_t value, unsigned size) {
  return Bytes::copyOf({reinterpret_cast<const char*>(&value), size});
}

} // namespace

std::vector<uint32_t> Splicer::rowsAround(Extent bytes) const {
  std::vector<uint32_t> chain;
  uint32_t row = 0, end = static_cast<uint32_t>(m_tree.rows.size());
  while (row < end) {
    const Field& field = m_tree.rows[row];
    // An insertion between two rows belongs to the first one.
    const bool holds =
        Extent{field.offset, field.size}.contains(bytes) && (bytes.size > 0 || bytes.offset > field.offset);
    if (!holds) {
      row = field.after;
      continue;
    }
    chain.push_back(row);
    end = field.after;
    ++row;
  }
  return chain;
}

void Splicer::add(Splice splice) {
  // What was overwritten before is part of the content that is replaced now.
  if (!splice.insertion)
    std::erase_if(m_patches, [&](const Splice& patch) { return splice.bytes.contains(patch.bytes); });
  for (Splice& earlier : m_splices)
    if (!splice.insertion && !earlier.insertion && earlier.bytes == splice.bytes) {
      earlier = std::move(splice);
      return;
    }
  m_splices.push_back(std::move(splice));
}

bool Splicer::changes(Extent bytes) const {
  const auto overlaps = [&](const Splice& splice) {
    return splice.bytes.offset < bytes.end() && bytes.offset < splice.bytes.end();
  };
  return std::ranges::any_of(m_splices, overlaps) || std::ranges::any_of(m_patches, overlaps);
}

Result<Done> Splicer::replace(Extent bytes, Bytes newBytes, std::string label, std::optional<Counter> counter) {
  const std::vector<uint32_t> chain = rowsAround(bytes);
  if (!chain.empty()) {
    const Field& leaf = m_tree.rows[chain.back()];
    const uint64_t unit = lengthUnit(leaf);
    const auto refuse = [&](std::string reason) {
      return Error(DiagnosticId::EditValue,
                   {arg("ref", label), sizeArg("value", newBytes.size()), {"reason", std::move(reason)}});
    };
    if (unit == 0 && newBytes.size() != bytes.size) return refuse("its place has " + sizeText(bytes.size));
    if (unit > 1 && newBytes.size() % unit != 0)
      return refuse("it consists of words of " + std::to_string(unit) + " bytes");
  }
  add({.bytes = bytes,
       .newBytes = std::move(newBytes),
       .label = std::move(label),
       .around = chain,
       .counter = counter});
  return Done{};
}

void Splicer::overwrite(Extent bytes, Bytes newBytes, std::string label) {
  // Earlier bytes that overlap become part of the new ones.
  uint64_t from = bytes.offset, to = bytes.end();
  const auto overlaps = [&](const Splice& patch) { return patch.bytes.offset < to && from < patch.bytes.end(); };
  std::vector<Splice> joined;
  for (auto patch = m_patches.begin(); patch != m_patches.end();) {
    if (!overlaps(*patch)) {
      ++patch;
      continue;
    }
    from = std::min(from, patch->bytes.offset);
    to = std::max(to, patch->bytes.end());
    joined.push_back(std::move(*patch));
    m_patches.erase(patch);
    patch = m_patches.begin(); // the range has grown
  }
  if (joined.empty()) {
    m_patches.push_back({.bytes = bytes, .newBytes = std::move(newBytes), .label = std::move(label)});
    return;
  }
  std::string content(m_tree.bytes.slice(from, to - from).view());
  for (const Splice& patch : joined)
    content.replace(patch.bytes.offset - from, patch.bytes.size, patch.newBytes.view());
  content.replace(bytes.offset - from, bytes.size, newBytes.view());
  m_patches.push_back({.bytes = {from, to - from}, .newBytes = Bytes::copyOf(content), .label = std::move(label)});
}

std::vector<Splicer::Splice> Splicer::withPatches() const {
  std::vector<Splice> out = m_splices;
  for (const Splice& patch : m_patches) {
    const auto around = std::ranges::find_if(out, [&](const Splice& splice) {
      return splice.newBytes.size() == splice.bytes.size && splice.bytes.contains(patch.bytes);
    });
    if (around == out.end()) {
      out.push_back(patch);
      continue;
    }
    std::string content(around->newBytes.view());
    content.replace(patch.bytes.offset - around->bytes.offset, patch.bytes.size, patch.newBytes.view());
    around->newBytes = Bytes::copyOf(content);
  }
  return out;
}

void Splicer::insert(uint64_t offset, Bytes newBytes, std::string label, std::optional<Counter> counter) {
  const Extent place{offset, 0};
  add({.bytes = place,
       .newBytes = std::move(newBytes),
       .label = std::move(label),
       .around = rowsAround(place),
       .counter = counter,
       .insertion = true});
}

void Splicer::replaceList(uint32_t row, Bytes newBytes, std::string label) {
  const Extent place{m_tree.rows[row].offset, m_tree.rows[row].size};
  add({.bytes = place, .newBytes = std::move(newBytes), .label = std::move(label), .around = rowsAround(place)});
}

void Splicer::removeItem(uint32_t row, std::string label) {
  const Field& field = m_tree.rows[row];
  const std::vector<uint32_t> chain = rowsAround({field.offset, field.size});
  const auto self = std::find(chain.begin(), chain.end(), row);
  Splice splice{.bytes = {field.offset, field.size}, .newBytes = {}, .label = std::move(label), .around = chain};
  if (self != chain.end() && self != chain.begin()) {
    splice.list = *(self - 1);
    splice.items = -1;
  }
  add(std::move(splice));
}

void Splicer::addItem(uint32_t listRow, Bytes newBytes, std::string label) {
  const Field& list = m_tree.rows[listRow];
  add({.bytes = {list.offset + list.size, 0},
       .newBytes = std::move(newBytes),
       .label = std::move(label),
       .around = rowsAround({list.offset, list.size}),
       .list = listRow,
       .items = 1,
       .insertion = true});
}

Result<std::map<uint64_t, Splicer::Number>> Splicer::numbersAround(std::string_view module) const {
  std::map<uint64_t, Number> words;
  std::map<uint32_t, int64_t> grown; // change in bytes, by row with a length word
  for (const Splice& splice : m_splices) {
    const int64_t delta = static_cast<int64_t>(splice.newBytes.size()) - static_cast<int64_t>(splice.bytes.size);
    const auto takes = [&](const Splice& other) {
      return splice.list && other.bytes.size > 0 && other.bytes.contains(Extent{m_tree.rows[*splice.list].offset, 8});
    };
    if (const auto other = std::find_if(m_splices.begin(), m_splices.end(), takes); other != m_splices.end())
      return conflict(module, other->label, splice.label);
    if (splice.list) words[m_tree.rows[*splice.list].offset].delta += splice.items;
    if (splice.counter)
      words[splice.counter->offset] = {splice.counter->size, words[splice.counter->offset].delta + delta};
    for (const uint32_t row : splice.around)
      if (lengthUnit(m_tree.rows[row]) > 0 && splice.bytes.offset >= m_tree.rows[row].offset + 8) grown[row] += delta;
  }
  for (const auto& [row, delta] : grown) {
    const Field& field = m_tree.rows[row];
    Number& word = words[field.offset];
    word = {8, word.delta + delta / static_cast<int64_t>(lengthUnit(field))};
  }
  return words;
}

std::vector<Splicer::Splice> Splicer::ordered(const std::map<uint64_t, Number>& numbers) const {
  std::vector<Splice> splices = withPatches();
  for (const auto& [offset, word] : numbers) {
    if (word.delta == 0) continue;
    // A length inside replaced or removed bytes needs no update.
    const bool inside = std::any_of(m_splices.begin(), m_splices.end(), [&](const Splice& splice) {
      return splice.bytes.size > 0 && splice.bytes.contains(Extent{offset, word.size});
    });
    if (!inside)
      splices.push_back({.bytes = {offset, word.size},
                         .newBytes = numberBytes(
                             numberIn(m_tree.bytes, offset, word.size) + static_cast<uint64_t>(word.delta), word.size),
                         .label = "its length"});
  }
  // At the same offset: first the new content of an empty text, then items added after it, then replacements of bytes.
  const auto order = [](const Splice& splice) {
    return std::pair(splice.bytes.offset, splice.bytes.size > 0 ? 2 : splice.insertion ? 1 : 0);
  };
  std::stable_sort(splices.begin(), splices.end(),
                   [&](const Splice& a, const Splice& b) { return order(a) < order(b); });
  return splices;
}

Result<Bytes> Splicer::apply(std::string_view module) const {
  BLOBSCOPE_TRY(numbers, numbersAround(module));
  const std::vector<Splice> splices = ordered(numbers);
  Writer writer;
  uint64_t done = 0;
  const Splice* before = nullptr;
  for (const Splice& splice : splices) {
    if (splice.bytes.offset < done) return conflict(module, before ? before->label : std::string(), splice.label);
    writer.raw(m_tree.bytes.slice(done, splice.bytes.offset - done));
    writer.raw(splice.newBytes);
    done = splice.bytes.end();
    before = &splice;
  }
  writer.raw(m_tree.bytes.slice(done));
  return joined(writer.takePieces());
}

} // namespace blobscope::edit
