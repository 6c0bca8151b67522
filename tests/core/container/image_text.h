#pragma once

#include "core/base/text.h"
#include "core/container/container.h"

#include "tests/support/test_support.h"

#include <algorithm>
#include <string>
#include <string_view>

/// An image as text to compare.
namespace blobscope::test {

inline Result<container::Image> readBytes(std::string_view file) {
  NullMonitor monitor;
  return container::readImage(bytes(file), monitor);
}

inline std::string textOf(Extent extent) { return hexText(extent.offset) + "+" + hexText(extent.size); }

inline bool hasError(const std::vector<Diagnostic>& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& diagnostic) { return diagnostic.severity() == Severity::Error; });
}

/// One line: name, type, binding, place, and the first bytes of the symbol.
inline std::string symbolText(const container::Image& image, const container::Symbol& symbol) {
  std::string out = escaped(symbol.name) + " " + std::string(symbolTypeName(symbol.type)) + " " +
                    std::string(bindingName(symbol.binding)) +
                    (!symbol.defined   ? " undefined"
                     : symbol.absolute ? " absolute"
                                       : " defined") +
                    (symbol.dynamic ? " dynamic" : " static") + " " + std::to_string(symbol.size);
  if (const auto content = image.findBytesOf(symbol))
    out += " " + hexDigits(content->view().substr(0, std::min<uint64_t>(symbol.size, 8)));
  return out + "\n";
}

inline std::string symbolsText(const container::Image& image) {
  std::string out;
  for (const container::Symbol& symbol : image.symbols) out += symbolText(image, symbol);
  return out;
}

inline std::string sectionsText(const container::Image& image) {
  std::string out;
  for (const container::Section& section : image.sections)
    out += (section.name.empty() ? "-" : escaped(section.name)) + " " + std::string(section.type) + " " +
           (section.allocated ? "a" : "-") + (section.writable ? "w" : "-") + (section.executable ? "x" : "-") + "\n";
  return out;
}

/// One line "ID: message" per diagnostic.
inline std::string diagnosticsText(const std::vector<Diagnostic>& diagnostics) {
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics)
    out += std::string(diagnostic.idText()) + ": " + diagnostic.message() + "\n";
  return out;
}

inline const container::Symbol* findSymbol(const container::Image& image, std::string_view name) {
  for (const container::Symbol& symbol : image.symbols)
    if (symbol.name == name) return &symbol;
  return nullptr;
}

inline const container::Section* findSection(const container::Image& image, std::string_view name) {
  for (const container::Section& section : image.sections)
    if (section.name == name) return &section;
  return nullptr;
}

/// `file` with a little-endian number of `bytes` bytes at `offset`.
inline std::string withNumber(std::string file, std::size_t offset, uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) file.at(offset + i) = static_cast<char>(value >> (8 * i));
  return file;
}

} // namespace blobscope::test
