#include "core/container/number_at.h"
#include "core/write/plan_parts.h"

#include "core/base/text.h"

namespace blobscope::write {
namespace {

using container::numberAt;

/// Where the fields are that depend on the file's bytes. Source: "PE Format",
/// learn.microsoft.com/windows/win32/debug/pe-format; the checksum lies at the same place in both optional headers.
struct Header {
  uint64_t checksumAt = 0;
  uint64_t checksum = 0;
  uint64_t directoryAt = 0; ///< of the certificate table's data directory, 0 when there is none
  Extent certificate;       ///< empty when there is none
};

constexpr uint64_t kCertificateDirectory = 4;

Result<Header> readHeader(const library::Package& package) {
  const std::string_view text = package.bytes.view();
  const uint64_t optional = uint64_t{numberAt<uint32_t>(text, 0x3c)} + 24;
  if (!Extent{0, text.size()}.contains(Extent{optional, 68})) return layoutError(package, "the optional header is cut off");
  Header header;
  header.checksumAt = optional + 64;
  header.checksum = numberAt<uint32_t>(text, header.checksumAt);
  const uint64_t fixed = numberAt<uint16_t>(text, optional) == 0x20b ? 112 : 96, size = numberAt<uint16_t>(text, optional - 4);
  const uint64_t entry = fixed + 8 * kCertificateDirectory;
  if (size < entry + 8 || numberAt<uint32_t>(text, optional + fixed - 4) <= kCertificateDirectory) return header;
  if (!Extent{0, text.size()}.contains(Extent{optional, entry + 8})) return header;
  header.directoryAt = optional + entry;
  // The one directory whose place is an offset in the file.
  header.certificate = {numberAt<uint32_t>(text, header.directoryAt), numberAt<uint32_t>(text, header.directoryAt + 4)};
  if (header.certificate.offset == 0) header.certificate.size = 0;
  return header;
}

/// CheckSum as the system computes it: the one's-complement sum of all 16-bit words and the size of the file, with the
/// field itself counted as 0. Source: formats text rewriting.md 5.2 (6), where it gave the values of GNU ld and lld.
Result<uint32_t> computeChecksum(const Plan& plan, const Bytes& input, uint64_t fieldAt, Monitor& monitor) {
  constexpr uint64_t kStep = 1 << 20;
  OutputReader reader(plan, input);
  uint64_t sum = 0;
  for (uint64_t at = 0; at < reader.size(); at += kStep) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    monitor.progress("computing the checksum", at, reader.size());
    const Bytes block = reader.read(at, kStep);
    const std::string_view text = block.view();
    uint64_t words = 0;
    std::size_t i = 0;
    for (; i + 1 < text.size(); i += 2) words += static_cast<unsigned char>(text[i]) | static_cast<unsigned>(static_cast<unsigned char>(text[i + 1])) << 8;
    if (i < text.size()) words += static_cast<unsigned char>(text[i]);
    sum += words;
  }
  // What the field holds now does not count.
  const Bytes field = reader.read(fieldAt, 4);
  for (uint64_t i = 0; i < field.size(); ++i) sum -= uint64_t{static_cast<unsigned char>(field.view()[i])} << 8 * ((fieldAt + i) & 1);
  while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint32_t>(sum + reader.size());
}

} // namespace

Result<Plan> planPe(const library::Package& package, const library::Blob& blob, const NewBlob& fresh, const PlanOptions&, Monitor& monitor) {
  BLOBSCOPE_TRY(room, roomFor(package, blob, fresh));
  BLOBSCOPE_TRY(header, readHeader(package));
  const uint64_t fileSize = package.bytes.size();
  const bool isSigned = header.certificate.size > 0;
  std::vector<Overwrite> overwrites;

  // --- 1. The certificate: it covers the blob, so it is wrong from now on. Formats text rewriting.md 5.2 (5). ---
  bool cut = false;
  if (isSigned) {
    if (header.certificate.offset < room.end()) return layoutError(package, "the certificate table at " + hexText(header.certificate.offset) + " is not behind the blob");
    overwrites.push_back({header.directoryAt, Bytes::copyOf(std::string(8, '\0')), "certificate directory"});
    // Bytes behind the table belong to someone else and stay where they are, and then the table has to stay, too.
    cut = header.certificate.end() == fileSize;
  }
  if (header.checksum != 0) overwrites.push_back({header.checksumAt, Bytes::copyOf(std::string(4, '\0')), "checksum"});
  for (const Overwrite& overwrite : overwrites)
    if (overwrite.offset < room.end() && overwrite.offset + overwrite.bytes.size() > room.offset) return layoutError(package, "the blob overlaps the headers");
  Plan plan = overwritePlan(package, room, fresh, overwrites);
  if (cut) cutOutput(plan, header.certificate.offset);

  // --- 2. The checksum, of all that. ---
  if (header.checksum != 0) {
    BLOBSCOPE_TRY(checksum, computeChecksum(plan, package.bytes, header.checksumAt, monitor));
    overwrites.back().bytes = Bytes::copyOf(numberText(checksum, 4, false));
    plan = overwritePlan(package, room, fresh, std::move(overwrites));
    if (cut) cutOutput(plan, header.certificate.offset);
  }
  if (isSigned) {
    if (cut) plan.steps.push_back({"Leave out the certificate table", header.certificate.offset, header.certificate.size, "the signature is of the old bytes"});
    plan.consequences.push_back({DiagnosticId::PlanCertificate, {}, {}});
  }
  return plan;
}

} // namespace blobscope::write
