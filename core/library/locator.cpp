#include "core/library/locator.h"

#include "core/base/thread_rule.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <set>
#include <utility>

namespace blobscope::library {

Locator::Locator(const Package& package) {
  longWork("library::Locator");
  const uint64_t base = package.bytes.offset().value_or(0);
  const auto add = [&](const Bytes& bytes, Ref ref) {
    if (!bytes.empty() && bytes.offset()) m_ranges.push_back({{*bytes.offset() - base, bytes.size()}, std::move(ref)});
  };
  for (const container::Section& section : package.image.sections)
    if (section.file.size > 0)
      m_ranges.push_back({section.file, package.ref(Ref::named(Ref::Kind::Section, section.name))});
  m_outside = package.ref(Ref::file());
  for (const auto& blob : package.blobs) {
    add(blob->bytes, blob->ref());
    for (const ModulePtr& module : blob->modules) {
      const Ref ref = blob->moduleRef(module->index);
      add(module->payload, ref);
      for (const modules::Kernel& kernel : module->body->kernels())
        if (kernel.code) add(*kernel.code, ref.part(PartKind::Kernel, kernel.name.view()));
    }
  }
  std::stable_sort(m_ranges.begin(), m_ranges.end(), [](const Range& a, const Range& b) {
    return a.extent.offset != b.extent.offset ? a.extent.offset < b.extent.offset : a.extent.size > b.extent.size;
  });
  // Computes spans between the offsets at which ranges begin and end: the innermost range at an offset is the one that
  // begins last. Crafted files nest thousands of sections, so a lookup must not visit all of them.
  using End = std::pair<uint64_t, uint32_t>;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends;
  std::set<uint32_t> open;
  const auto change = [&](uint64_t from) {
    const uint32_t owner = open.empty() ? kNone : *open.rbegin();
    if (!m_spans.empty() && m_spans.back().from == from)
      m_spans.back().owner = owner;
    else if (m_spans.empty() || m_spans.back().owner != owner)
      m_spans.push_back({from, owner});
  };
  const auto closeUpTo = [&](uint64_t place) {
    while (!ends.empty() && ends.top().first <= place) {
      const auto [end, range] = ends.top();
      ends.pop();
      open.erase(range);
      change(end);
    }
  };
  for (uint32_t i = 0; i < m_ranges.size(); ++i) {
    closeUpTo(m_ranges[i].extent.offset);
    open.insert(i);
    ends.emplace(m_ranges[i].extent.end(), i);
    change(m_ranges[i].extent.offset);
  }
  closeUpTo(UINT64_MAX);
}

Ref Locator::at(uint64_t offset) const {
  const auto after = std::upper_bound(m_spans.begin(), m_spans.end(), offset,
                                      [](uint64_t place, const Span& span) { return place < span.from; });
  if (after == m_spans.begin()) return m_outside;
  const uint32_t owner = std::prev(after)->owner;
  return owner == kNone ? m_outside : m_ranges[owner].ref;
}

} // namespace blobscope::library
