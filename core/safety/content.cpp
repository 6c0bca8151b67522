#include "core/base/digest.h"
#include "core/base/field_tree.h"
#include "core/base/text.h"
#include "core/safety/parts.h"

#include <algorithm>
#include <array>

namespace blobscope::safety {
namespace {

/// Absolute paths and times of day differ between builds of the same model.
constexpr std::string_view kRoots[] = {"/home/", "/Users/", "/root/", "/tmp/",     "/workspace/", "/builds/",
                                       "/opt/",  "/mnt/",   "/var/",  "/private/", "/build/",     "/usr/"};

/// Whether a root has this second character.
constexpr auto kSeconds = [] {
  std::array<bool, 256> out{};
  for (const std::string_view root : kRoots) out[static_cast<unsigned char>(root[1])] = true;
  return out;
}();

bool isPathCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' || c == '.' ||
         c == '_' || c == '-' || c == '+';
}

/// Where the next absolute path of a build begins, at or after `from`; npos when there is none.
std::size_t findPath(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find('/', from); at != std::string_view::npos; at = text.find('/', at + 1)) {
    if (at + 1 < text.size() && !kSeconds[static_cast<unsigned char>(text[at + 1])]) continue;
    const std::string_view rest = text.substr(at, 12);
    if (std::ranges::any_of(kRoots, [&](std::string_view root) { return rest.starts_with(root); })) return at;
  }
  return std::string_view::npos;
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

/// The digest of bytes without zeros and blanks at their end, and without build paths.
Result<std::string> normalizedDigest(const Bytes& all, Monitor& monitor) {
  using namespace std::string_view_literals;
  const Bytes bytes = all.slice(0, all.view().find_last_not_of("\0 \n"sv) + 1);
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

} // namespace

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

} // namespace blobscope::safety
