#include "core/sizes/compare.h"

#include "core/base/extent.h"
#include "core/base/text.h"
#include "core/sizes/page.h"

#include <algorithm>
#include <map>
#include <utility>

namespace blobscope::sizes {
namespace {

using view::TreemapPage;

std::string signedText(uint64_t before, uint64_t after) {
  if (after == before) return "0";
  return after > before ? "+" + groupedText(after - before) : "−" + groupedText(before - after);
}

/// Items by path and name; equal ones on a side are one.
class Items {
public:
  void add(const TreemapPage& page, bool isNew) {
    if (page.items.empty()) return;
    for (const uint32_t leaf : page.leavesBelow(0)) {
      const TreemapPage::Item& item = page.items[leaf];
      // Their numbers change with the number of the others.
      std::string name = item.merged > 0 ? "smaller items" : item.name;
      std::string in = page.pathAbove(leaf);
      if (leaf == 0) name = "all";
      const auto [found, first] = m_places.try_emplace({in, name}, m_changes.size());
      if (first) m_changes.push_back({std::move(name), std::move(in), item.kind, 0, 0, std::nullopt, std::nullopt});
      SizeChange& change = m_changes[found->second];
      (isNew ? change.after : change.before) += item.bytes;
      std::optional<Ref>& ref = isNew ? change.b : change.a;
      if (!ref) ref = item.ref;
    }
  }
  std::vector<SizeChange> take() {
    joinRenumbered();
    return std::move(m_changes);
  }

private:
  /// An item of one side whose name differs from that of an item of the other side in numbers only is the same one.
  void joinRenumbered() {
    std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> removed;
    for (std::size_t i = m_changes.size(); i-- > 0;) // the largest ones last: both sides are sorted
      if (m_changes[i].after == 0) removed[{m_changes[i].in, withoutNumbers(m_changes[i].name)}].push_back(i);
    std::vector<bool> isGone(m_changes.size());
    for (SizeChange& change : m_changes) {
      if (change.before > 0 || withoutNumbers(change.name).size() < kLettersInCommon) continue;
      const auto found = removed.find({change.in, withoutNumbers(change.name)});
      if (found == removed.end() || found->second.empty()) continue;
      const std::size_t old = found->second.back();
      found->second.pop_back();
      isGone[old] = true;
      change.before = m_changes[old].before;
      change.a = m_changes[old].a;
      change.name = m_changes[old].name + " → " + change.name;
    }
    std::size_t next = 0;
    std::erase_if(m_changes, [&](const SizeChange&) { return isGone[next++]; });
  }
  /// The letters of a name: "layer_norm_kernel" for "layer_norm_kernel0" and "layer_norm_kernel_1".
  static std::string withoutNumbers(std::string_view name) {
    std::string out;
    for (const char c : name)
      if (c < '0' || c > '9') out += c;
    while (out.ends_with('_')) out.pop_back();
    return out;
  }

  static constexpr std::size_t kLettersInCommon = 4;
  std::map<std::pair<std::string, std::string>, std::size_t> m_places;
  std::vector<SizeChange> m_changes;
};

/// Keeps what differs, the largest difference first, and counts the rest.
void keepDifferences(SizeComparison& sizes) {
  sizes.equal = std::erase_if(sizes.changes, [](const SizeChange& change) { return change.before == change.after; });
  std::ranges::stable_sort(sizes.changes, [](const SizeChange& left, const SizeChange& right) {
    return left.difference() > right.difference();
  });
}

} // namespace

std::string SizeChange::differenceText() const { return signedText(before, after); }

std::string SizeComparison::sentence() const {
  return (about.empty()
              ? groupedText(before) + " → " + countText(after, "byte") + " (" + signedText(before, after) + ")"
              : about) +
         "; " + (changes.size() == 1 ? "1 item differs, " : groupedText(changes.size()) + " items differ, ") +
         (equal == 1 ? "1 has the same size." : groupedText(equal) + " have the same size.");
}

SizeComparison compareSizes(const TreemapPage& a, const TreemapPage& b) {
  Items items;
  items.add(a, false);
  items.add(b, true);
  SizeComparison out;
  out.before = a.total();
  out.after = b.total();
  out.changes = items.take();
  keepDifferences(out);
  return out;
}

SizeComparison compareMemory(const view::MemoryFit& a, const view::MemoryFit& b) {
  SizeComparison out;
  const auto add = [&](std::string name, std::string in, uint64_t bytes, bool isNew) {
    auto change =
        std::ranges::find_if(out.changes, [&](const SizeChange& one) { return one.name == name && one.in == in; });
    if (change == out.changes.end()) {
      out.changes.push_back({std::move(name), std::move(in), TreemapPage::Kind::Constants, 0, 0, {}, {}});
      change = out.changes.end() - 1;
    }
    (isNew ? change->after : change->before) = bytes;
  };
  for (const bool isNew : {false, true}) // both can be the same object
    for (const view::MemoryFit::Group& group : (isNew ? b : a).groups) {
      add(group.title, {}, group.bytes(), isNew);
      for (const view::MemoryFit::Part& part : group.parts) add(part.name, group.title, part.bytes, isNew);
    }
  for (const SizeChange& change : out.changes)
    if (change.in.empty()) {
      out.about += (out.about.empty() ? "" : ", ") + change.name + " " + groupedText(change.before) + " → " +
                   countText(change.after, "byte") + " (" + change.differenceText() + ")";
      out.before = addSaturated(out.before, change.before);
      out.after = addSaturated(out.after, change.after);
    }
  keepDifferences(out);
  return out;
}

Result<SizeComparison> compareSizes(const library::PackagePtr& a, const library::PackagePtr& b, Monitor& monitor) {
  BLOBSCOPE_TRY(before, sizesOf(a, Ref::file(), monitor));
  BLOBSCOPE_TRY(after, sizesOf(b, Ref::file(), monitor));
  return compareSizes(before, after);
}

} // namespace blobscope::sizes
