#include "core/base/digest.h"
#include "core/base/field_tree.h"
#include "core/base/pattern_search.h"
#include "core/base/text.h"
#include "core/safety/parts.h"

#include <algorithm>
#include <array>

namespace blobscope::safety {
namespace {

/// Absolute paths and times of day differ between builds of the same model.
constexpr std::string_view kRoots[] = {"/home/", "/Users/", "/root/", "/tmp/",     "/workspace/", "/builds/",
                                       "/opt/",  "/mnt/",   "/var/",  "/private/", "/build/",     "/usr/"};

bool isPathCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' || c == '.' ||
         c == '_' || c == '-' || c == '+';
}

/// Where the next absolute path of a build begins, at or after `from`; npos when there is none.
std::size_t findPath(std::string_view text, std::size_t from) {
  static const PatternSearch search({std::begin(kRoots), std::end(kRoots)});
  return search.find(text, from);
}

/// The text from a path at `next` on, with each absolute path cut to its last step.
std::string withoutPaths(std::string_view text, std::size_t next) {
  std::string out;
  std::size_t from = 0;
  for (; next != std::string_view::npos; next = findPath(text, from)) {
    std::size_t end = next;
    while (end < text.size() && isPathCharacter(text[end])) ++end;
    const std::size_t last = text.substr(0, end).find_last_of('/');
    out += text.substr(from, next - from);
    out += text.substr(last, end - last);
    from = end;
  }
  out += text.substr(std::min(from, text.size()));
  return out;
}

/// Without the zeros and blanks at the end. Weights may be megabytes of zeros.
std::string_view withoutFilling(std::string_view text) {
  using namespace std::string_view_literals;
  static constexpr std::array<char, 256> kZeros{};
  constexpr std::string_view kBlock(kZeros.data(), kZeros.size());
  while (text.ends_with(kBlock)) text.remove_suffix(kBlock.size());
  return text.substr(0, text.find_last_not_of("\0 \n"sv) + 1);
}

/// The digest of bytes without what fills their end, and without build paths.
Result<std::string> normalizedDigest(const Bytes& all, Monitor& monitor) {
  const Bytes bytes = all.slice(0, withoutFilling(all.view()).size());
  const std::size_t path = findPath(bytes.view(), 0);
  if (path == std::string_view::npos) return computeSha256(bytes, monitor);
  return computeSha256(Bytes::copyOf(withoutPaths(bytes.view(), path)), monitor);
}

/// Collects a digest per item of each list, and sorts these: TVM writes tables in the order of hash maps.
class ModuleDigest {
public:
  ModuleDigest(const FieldTree& tree, Monitor& monitor) : m_tree(tree), m_monitor(monitor) {}

  Result<std::string> compute() {
    BLOBSCOPE_TRY(text, below(0, static_cast<uint32_t>(m_tree.rows.size())));
    return computeSha256(Bytes::copyOf(text), m_monitor);
  }

private:
  /// The content of the rows `[from, to)`, which are siblings with everything below them.
  Result<std::string> below(uint32_t from, uint32_t to) {
    std::string out;
    for (uint32_t i = from; i < to;) {
      if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      const Field& field = m_tree.rows[i];
      const uint32_t after = std::max(field.after, i + 1);
      BLOBSCOPE_TRY(text, ofRow(i, after));
      out += std::string(field.name) + ":" + text + "\n";
      i = after;
    }
    return out;
  }

  Result<std::string> ofRow(uint32_t row, uint32_t after) {
    const Field& field = m_tree.rows[row];
    if (after == row + 1) {
      if (field.role == FieldRole::Padding) return std::string();
      const Bytes content = m_tree.content(row);
      if (content.size() <= 64 && findPath(content.view(), 0) == std::string_view::npos)
        return std::string(content.view());
      return normalizedDigest(content, m_monitor);
    }
    const bool isTable = field.depth == 0 && (field.type == FieldType::List || field.type == FieldType::Items);
    if (!isTable) return below(row + 1, after);
    std::vector<std::string> items;
    for (uint32_t i = row + 1; i < after;) {
      const uint32_t end = std::max(m_tree.rows[i].after, i + 1);
      BLOBSCOPE_TRY(text, ofRow(i, end));
      BLOBSCOPE_TRY(digest, computeSha256(Bytes::copyOf(text), m_monitor));
      items.push_back(std::move(digest));
      i = end;
    }
    std::ranges::sort(items);
    std::string out;
    for (const std::string& item : items) out += item + "\n";
    return out;
  }

  const FieldTree& m_tree;
  Monitor& m_monitor;
};

/// The digest of a blob's modules that does not depend on their order, on padding, on build paths and on times.
Result<std::string> contentDigest(const library::Blob& blob, Monitor& monitor) {
  std::vector<std::string> modules;
  for (const library::ModulePtr& module : blob.modules) {
    std::string content;
    if (module->undecoded == library::Undecoded::No) {
      FieldTreeBuilder builder;
      module->body->describe(builder);
      const FieldTree tree = builder.take(module->payload);
      BLOBSCOPE_TRY(digest, ModuleDigest(tree, monitor).compute());
      content = std::move(digest);
    } else {
      BLOBSCOPE_TRY(digest, normalizedDigest(module->payload, monitor));
      content = std::move(digest);
    }
    modules.push_back(std::string(module->key.view()) + " " + content);
  }
  std::ranges::sort(modules);
  std::string text;
  for (const std::string& module : modules) text += module + "\n";
  return computeSha256(Bytes::copyOf(text), monitor);
}

} // namespace

Result<Done> readContents(const std::vector<library::PackagePtr>& packages, std::vector<std::string>& out,
                          Monitor& monitor) {
  monitor.progress("computing digests", 0, 0);
  for (const library::PackagePtr& package : packages)
    for (const auto& blob : package->blobs) {
      BLOBSCOPE_TRY(content, contentDigest(*blob, monitor));
      out.push_back(std::move(content));
    }
  return Done{};
}

Result<Done> setContents(Identity& identity, std::vector<std::string> contents, Monitor& monitor) {
  for (std::size_t i = 0; i < contents.size(); ++i) identity.blobs[i].content = contents[i];
  if (contents.size() == 1) identity.content = std::move(contents.front());
  if (contents.size() <= 1) return Done{};
  std::ranges::sort(contents);
  std::string all;
  for (const std::string& one : contents) all += one + "\n";
  BLOBSCOPE_TRY(content, computeSha256(Bytes::copyOf(all), monitor));
  identity.content = std::move(content);
  return Done{};
}

} // namespace blobscope::safety
