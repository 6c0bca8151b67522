#pragma once

#include "core/container/carrier.h"
#include "core/container/image.h"

#include "tests/support/test_support.h"

namespace blobscope::test {

/// Reads every byte that an image refers to, so that the address sanitizer sees views outside the file.
inline void touch(const container::Image& image) {
  uint64_t sum = 0;
  const auto add = [&](std::string_view text) {
    for (const char c : text) sum += static_cast<unsigned char>(c);
  };
  const auto addEnds = [&](const std::optional<Bytes>& part) {
    if (part && !part->empty())
      sum += static_cast<unsigned char>(part->view().front()) + static_cast<unsigned char>(part->view().back());
  };
  for (const container::Symbol& symbol : image.symbols) {
    add(symbol.name);
    addEnds(image.findBytesOf(symbol));
    addEnds(image.findBytesAt(symbol.value));
    if (const auto* const section = image.findSectionOf(symbol)) add(section->name);
  }
  for (const container::Section& section : image.sections) {
    add(section.name);
    addEnds(image.file.slice(section.file.offset, section.file.size));
  }
  std::vector<Diagnostic> diagnostics = image.diagnostics;
  NullMonitor monitor;
  if (const auto carriers = container::findCarriers(image, diagnostics, monitor))
    for (const container::Carrier& carrier : *carriers) addEnds(carrier.available);
  for (const Diagnostic& diagnostic : diagnostics) add(diagnostic.message());
  volatile uint64_t sink = sum;
  (void)sink;
}

} // namespace blobscope::test
