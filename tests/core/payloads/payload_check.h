#pragma once

#include "core/library/open.h"
#include "core/payloads/payload.h"
#include "tests/core/base/compare.h"
#include "tests/core/payloads/page_text.h"
#include "tests/support/test_support.h"

#include <QDir>
#include <QFile>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace blobscope::test {

/// The pages of a format, with deferred pages loaded.
inline view::PageList resolvePages(const payloads::PayloadFormat& format, const Bytes& content) {
  view::PageList list;
  format.pages(content, list);
  NullMonitor monitor;
  for (view::Page& page : list) {
    auto made = view::resolvePage(page, monitor);
    page = made ? *made : view::Page{page.name, view::NoticePage{"error: " + made.error().message()}};
  }
  return list;
}

/// The text of one page, "no page NAME" when it is not in the list.
inline std::string pageText(const view::PageList& list, std::string_view name) {
  for (const view::Page& page : list)
    if (page.name == name) return pageText(page);
  return "no page " + std::string(name) + "\n";
}

/// The value of a fact of a page, nothing when there is none.
inline std::optional<std::string> factOf(const view::PageList& list, std::string_view name, std::string_view fact) {
  for (const view::Page& page : list) {
    const auto* const table = std::get_if<view::TablePage>(&page.content);
    if (page.name != name || !table) continue;
    for (uint64_t row = 0; row < table->source->rowCount(); ++row)
      if (table->source->cell(row, 0) == fact) return table->source->cell(row, 1);
  }
  return std::nullopt;
}

/// A library of the corpus, nothing when it is not available.
inline std::optional<std::filesystem::path> corpusLibrary(const char* name) {
  const QString set = qEnvironmentVariable("BLOBSCOPE_CORPUS");
  const QString path = (set.isEmpty() ? QStringLiteral(BLOBSCOPE_SOURCE_DIR "/../shared/corpus") : set) +
                       QStringLiteral("/libraries/") + QLatin1String(name);
  return QFile::exists(path) ? std::optional(std::filesystem::path(path.toStdString())) : std::nullopt;
}

/// The code in a library: for modules with code per kernel the code of each kernel, for others the image.
inline std::vector<Bytes> codeIn(const std::filesystem::path& path) {
  NullMonitor monitor;
  const auto package = library::open(path, monitor);
  if (!package) qFatal("%s", package.error().message().c_str());
  std::vector<Bytes> found;
  for (const auto& blob : (*package)->blobs) {
    for (const auto& module : blob->modules) {
      for (const modules::Kernel& kernel : module->body->kernels())
        if (kernel.code) found.push_back(*kernel.code);
      const FieldTree tree = modules::describeBody(*module->body, module->payload);
      if (const auto row = tree.find("data"); row && tree.rows[*row].type == FieldType::Data)
        found.push_back(tree.content(*row));
    }
  }
  return found;
}

} // namespace blobscope::test
