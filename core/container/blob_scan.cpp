#include "core/container/blob_scan.h"

#include "core/base/reader.h"
#include "core/base/text.h"
#include "core/container/number_at.h"

#include <algorithm>
#include <array>
#include <utility>

namespace blobscope::container {
namespace {

constexpr std::array kNames = {CarrierName::DevMblob, CarrierName::FfiLibraryBin, CarrierName::FfiLibraryBin2};
/// The key of the tree record, preceded by its length; the word alone occurs in the runtime's own constants.
constexpr std::string_view kAnchor("\x0c\0\0\0\0\0\0\0_import_tree", 20);
constexpr uint64_t kHeader = 8, kStep = 1 << 20;
/// The number of places that are tried with a whole decoder, and of anchors that are checked. Real programs have a few.
constexpr unsigned kAttempts = 64, kAnchors = 64;

class Scanner {
public:
  Scanner(const Image& image, const IsBlob& isBlob, Budget& budget, std::vector<Diagnostic>& diagnostics,
          Monitor& monitor)
      : m_image(image), m_isBlob(isBlob), m_budget(budget), m_diagnostics(diagnostics), m_monitor(monitor) {}

  Result<std::vector<Carrier>> scan() {
    if (!findName()) return std::move(m_found);
    std::vector<const Segment*> segments;
    for (const Segment& segment : m_image.segments)
      if (segment.file.size >= 2 * kHeader) segments.push_back(&segment);
    std::stable_sort(segments.begin(), segments.end(), [](const Segment* a, const Segment* b) {
      return a->file.offset != b->file.offset ? a->file.offset < b->file.offset : a->file.size > b->file.size;
    });
    uint64_t seen = 0;
    for (const Segment* const one : segments) {
      const Segment& segment = *one;
      if (segment.file.end() <= seen) continue; // inside an earlier one
      if (!pay(segment.file.size)) break;
      seen = segment.file.end();
      const Bytes bytes = m_image.file.slice(segment.file.offset, segment.file.size);
      BLOBSCOPE_CHECK(m_name == CarrierName::FfiLibraryBin2 ? findStreams(bytes, segment) : findTrees(bytes, segment));
    }
    return std::move(m_found);
  }

private:
  /// Finds the carrier's name as a zero-terminated string; the part of the string before the name is the prefix.
  bool findName() {
    const std::string_view text = m_image.file.view();
    for (const CarrierName name : kNames) {
      const std::string_view word = carrierText(name);
      for (std::size_t at = findBytes(text, word, 0); at != std::string_view::npos;
           at = findBytes(text, word, at + 1)) {
        if (at + word.size() >= text.size() || text[at + word.size()] != '\0') continue;
        std::size_t begin = at;
        const auto inName = [](char c) {
          return c == '_' || c == '.' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        };
        while (begin > 0 && at - begin < 256 && inName(text[begin - 1])) --begin;
        m_name = name;
        m_prefix = text.substr(begin, at - begin);
        // The runtime itself contains the name without a prefix as a constant; a name with a prefix is a registration.
        if (!m_prefix.empty()) return true;
      }
      if (m_name == name) return true;
    }
    return m_name.has_value();
  }

  /// Returns false when the file has used up its budget.
  bool pay(uint64_t bytes) {
    if (m_budget.takeWork(bytes)) return true;
    if (!std::exchange(m_spent, true))
      m_diagnostics.push_back(m_budget.workExceeded("of segments to look through", bytes, Ref::file()));
    return false;
  }

  Result<bool> checkStop(uint64_t done, uint64_t total) {
    if (done < m_nextLook) return true;
    m_nextLook = done + kStep;
    if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    m_monitor.progress("looking for blobs", done, total);
    return true;
  }

  /// Adds the blob when it decodes. Returns false when no attempts are left.
  bool attempt(const Bytes& bytes, const Segment& segment, uint64_t start) {
    const uint64_t size = numberAt<uint64_t>(bytes.view(), start) + kHeader;
    const Bytes blob = bytes.slice(start, size);
    const auto known = [&](const Carrier& carrier) { return carrier.available.data() == blob.data(); };
    if (std::any_of(m_found.begin(), m_found.end(), known)) return true;
    if (m_attempts == kAttempts) {
      m_diagnostics.push_back({DiagnosticId::FileLimit,
                               Ref::file(),
                               {arg("what", "places that look like a blob"), arg("count", uint64_t{kAttempts} + 1),
                                arg("limit", uint64_t{kAttempts})}});
      ++m_attempts;
    }
    if (m_attempts > kAttempts || !pay(blob.size())) return false;
    ++m_attempts;
    if (!m_isBlob(blob)) return true;
    Carrier carrier;
    carrier.name = *m_name;
    carrier.prefix = m_found.empty() ? m_prefix : m_prefix + std::to_string(m_found.size() + 1);
    carrier.symbol = carrier.prefix + std::string(carrierText(*m_name));
    carrier.address = segment.address + start;
    carrier.available = bytes.slice(start);
    m_found.push_back(std::move(carrier));
    return true;
  }

  /// Era B: the vectors of the tree follow the anchor and end the blob.
  Result<Done> findTrees(const Bytes& bytes, const Segment& segment) {
    const std::string_view text = bytes.view();
    unsigned anchors = 0;
    for (std::size_t at = findBytes(text, kAnchor, 0); at != std::string_view::npos && anchors < kAnchors;
         at = findBytes(text, kAnchor, at + 1), ++anchors) {
      Reader reader(bytes.slice(at + kAnchor.size()));
      (void)reader.array("indptr", 8);
      (void)reader.array("child", 8);
      if (!reader.ok()) continue;
      const uint64_t end = at + kAnchor.size() + reader.position();
      m_nextLook = 0;
      if (!pay(end)) return Done{};
      for (uint64_t back = kHeader; back <= end; ++back) {
        BLOBSCOPE_TRY(more, checkStop(back, end));
        (void)more;
        const uint64_t start = end - back;
        if (numberAt<uint64_t>(text, start) != back - kHeader) continue;
        const std::size_t before = m_found.size();
        if (!attempt(bytes, segment, start)) return Done{};
        if (m_found.size() > before) break;
      }
    }
    return Done{};
  }

  /// Era C: header, then `indptr`, whose first word is 0, and whose words never decrease.
  Result<Done> findStreams(const Bytes& bytes, const Segment& segment) {
    const std::string_view text = bytes.view();
    m_nextLook = 0;
    for (uint64_t at = 0; at + 4 * kHeader <= text.size(); ++at) {
      BLOBSCOPE_TRY(more, checkStop(at, text.size()));
      (void)more;
      const uint64_t size = numberAt<uint64_t>(text, at);
      if (size < 44 || size > text.size() - at - kHeader) continue;
      const uint64_t words = numberAt<uint64_t>(text, at + 8);
      if (words < 2 || words > size / 8 || numberAt<uint64_t>(text, at + 16) != 0) continue;
      const uint64_t edges = numberAt<uint64_t>(text, at + 8 + 8 * words);
      if (edges != numberAt<uint64_t>(text, at + 16 + 8 * words) || edges > size / 8)
        continue; // the last word is the number of children
      const std::size_t before = m_found.size();
      if (!attempt(bytes, segment, at)) return Done{};
      if (m_found.size() > before) at += size + kHeader - 1;
    }
    return Done{};
  }

  const Image& m_image;
  const IsBlob& m_isBlob;
  Budget& m_budget;
  std::vector<Diagnostic>& m_diagnostics;
  Monitor& m_monitor;
  std::optional<CarrierName> m_name;
  std::string m_prefix;
  std::vector<Carrier> m_found;
  unsigned m_attempts = 0;
  bool m_spent = false;
  uint64_t m_nextLook = 0;
};

} // namespace

Result<std::vector<Carrier>> scanForBlobs(const Image& image, const IsBlob& isBlob, Budget& budget,
                                          std::vector<Diagnostic>& diagnostics, Monitor& monitor) {
  return Scanner(image, isBlob, budget, diagnostics, monitor).scan();
}

} // namespace blobscope::container
