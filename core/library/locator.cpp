#include "core/library/locator.h"

#include "core/base/thread_rule.h"

#include <algorithm>

namespace blobscope::library {

Locator::Locator(const Package& package) {
  longWork("library::Locator");
  const uint64_t base = package.bytes.offset().value_or(0);
  const auto add = [&](const Bytes& bytes, Ref ref) {
    if (!bytes.empty() && bytes.offset()) m_ranges.push_back({{*bytes.offset() - base, bytes.size()}, std::move(ref), 0});
  };
  for (const container::Section& section : package.image.sections)
    if (section.file.size > 0)
      m_ranges.push_back({section.file, package.ref(Ref::named(Ref::Kind::Section, section.name)), 0});
  m_outside = package.ref(Ref::file());
  for (const auto& blob : package.blobs) {
    add(blob->bytes, blob->ref());
    for (const ModulePtr& module : blob->modules) {
      const Ref ref = blob->moduleRef(module->index);
      add(module->payload, ref);
      for (const modules::Kernel& kernel : module->body->kernels())
        if (kernel.code) add(*kernel.code, ref.part("kernel", kernel.name.view()));
    }
  }
  std::stable_sort(m_ranges.begin(), m_ranges.end(), [](const Range& a, const Range& b) {
    return a.extent.offset != b.extent.offset ? a.extent.offset < b.extent.offset : a.extent.size > b.extent.size;
  });
  // What is around a range is the nearest one before it that reaches over its first byte.
  for (std::size_t i = 0; i < m_ranges.size(); ++i) {
    m_ranges[i].parent = i;
    for (std::size_t around = i == 0 ? i : i - 1; around < i; around = m_ranges[around].parent) {
      if (m_ranges[around].extent.contains(m_ranges[i].extent.offset)) m_ranges[i].parent = around;
      if (m_ranges[i].parent != i || m_ranges[around].parent == around) break;
    }
  }
}

Ref Locator::at(uint64_t offset) const {
  const auto behind = std::upper_bound(m_ranges.begin(), m_ranges.end(), offset,
                                       [](uint64_t at, const Range& range) { return at < range.extent.offset; });
  if (behind == m_ranges.begin()) return m_outside;
  for (auto index = static_cast<std::size_t>(behind - m_ranges.begin()) - 1;;) {
    const Range& range = m_ranges[index];
    if (range.extent.contains(offset)) return range.ref;
    if (range.parent == index) return m_outside;
    index = range.parent;
  }
}

} // namespace blobscope::library
