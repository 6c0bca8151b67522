#include "core/targets/table_source.h"

#include <algorithm>

namespace blobscope::targets {
namespace {

/// As much of a commit as is shown, and the least of one in a table.
constexpr std::size_t kCommit = 12;

bool isCommit(std::string_view text) {
  return text.size() >= kCommit && text.size() <= 40 &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool isRepository(std::string_view text) {
  const std::size_t slash = text.find('/');
  return slash != std::string_view::npos && slash > 0 && slash + 1 < text.size() &&
         text.find('/', slash + 1) == std::string_view::npos;
}

/// "zephyrproject-rtos/zephyr, dts/arm/x.dtsi, abc123def456". The owner is left out after a file of the same one.
Result<std::string> lineOf(const TableValue& source, std::string& lastOwner) {
  BLOBSCOPE_TRY(version, source.text("version"));
  if (version.empty()) return source.fail("its version is empty");
  if (source.has("page")) {
    BLOBSCOPE_TRY(page, source.text("page"));
    if (!page.starts_with("https://")) return source.fail("its page does not begin with https://");
    return page + ", " + version;
  }
  const bool package = source.has("package");
  BLOBSCOPE_TRY(owner, source.text(package ? "package" : "repository"));
  BLOBSCOPE_TRY(path, source.text("path"));
  if (owner.empty() || path.empty()) return source.fail("a name is empty");
  if (!package && !isRepository(owner)) return source.fail("its repository is not written as owner/name");
  if (!package && !isCommit(version)) return source.fail("its version is not a commit of 12 to 40 digits");
  std::string out = owner == lastOwner ? "" : owner + ", ";
  out += path + ", " + (package ? version : version.substr(0, kCommit));
  lastOwner = std::move(owner);
  return out;
}

} // namespace

Result<std::string> sourceLine(const TableValue& row) {
  if (!row.has("sources")) return row.text("source"); // tables of users may be older
  BLOBSCOPE_TRY(sources, row.member("sources"));
  std::string out, owner;
  BLOBSCOPE_CHECK(sources.forItems([&](const TableValue& source) -> Result<Done> {
    BLOBSCOPE_TRY(line, lineOf(source, owner));
    out += (out.empty() ? "" : "; ") + line;
    return Done{};
  }));
  if (out.empty()) return sources.fail("it is empty");
  if (row.has("note")) {
    BLOBSCOPE_TRY(note, row.text("note"));
    out += "; " + note;
  }
  return out;
}

} // namespace blobscope::targets
