#include "core/base/digest.h"
#include "core/base/path_text.h"
#include "core/base/source.h"
#include "core/base/text.h"
#include "core/container/macho/file.h"
#include "core/container/number_at.h"
#include "core/container/pe/file.h"
#include "core/safety/parts.h"
#include "core/write/macho/signature.h"

#include <algorithm>
#include <array>

namespace blobscope::safety {
namespace {

namespace macho = container::macho;
namespace pe = container::pe;
using container::Format;

constexpr uint64_t kBeside = uint64_t{1} << 20; // the largest signature file that is read

// --- Authenticode. Sources: "Windows Authenticode Portable Executable Signature Format", version 1.0; X.690.

/// One value of DER.
struct Der {
  uint8_t tag = 0;
  std::string_view content;
  std::string_view rest; ///< after it
};
std::optional<Der> readDer(std::string_view text) {
  if (text.size() < 2) return std::nullopt;
  uint64_t size = static_cast<uint8_t>(text[1]);
  std::size_t at = 2;
  if (size & 0x80) {
    const std::size_t count = size & 0x7f;
    if (count == 0 || count > 4 || text.size() < 2 + count) return std::nullopt;
    size = 0;
    for (std::size_t i = 0; i < count; ++i) size = size << 8 | static_cast<uint8_t>(text[at++]);
  }
  if (text.size() - at < size) return std::nullopt;
  return Der{static_cast<uint8_t>(text[0]), text.substr(at, size), text.substr(at + size)};
}

/// The digest in SpcIndirectDataContent: the last value of the structure after its identifier 1.3.6.1.4.1.311.2.1.4.
std::string_view digestIn(std::string_view certificate) {
  constexpr std::string_view kSpcIndirectData{"\x06\x0a\x2b\x06\x01\x04\x01\x82\x37\x02\x01\x04", 12};
  const std::size_t at = findBytes(certificate, kSpcIndirectData, 0);
  if (at == std::string_view::npos) return {};
  const auto wrapped = readDer(certificate.substr(at + kSpcIndirectData.size())); // [0]
  const auto data = wrapped ? readDer(wrapped->content) : std::nullopt;
  const auto first = data ? readDer(data->content) : std::nullopt;
  const auto info = first ? readDer(first->rest) : std::nullopt; // DigestInfo
  const auto algorithm = info ? readDer(info->content) : std::nullopt;
  const auto digest = algorithm ? readDer(algorithm->rest) : std::nullopt;
  return digest && digest->tag == 4 ? digest->content : std::string_view();
}

/// The common names (2.5.4.3) in certificates, last first: the signer's certificate usually comes last.
std::string commonNames(std::string_view certificate) {
  constexpr std::string_view kCommonName{"\x06\x03\x55\x04\x03", 5};
  std::vector<std::string> names;
  for (std::size_t at = findBytes(certificate, kCommonName, 0); at != std::string_view::npos && names.size() < 16;
       at = findBytes(certificate, kCommonName, at + 1)) {
    const auto name = readDer(certificate.substr(at + kCommonName.size()));
    if (!name || name->content.size() > 256) continue;
    std::string text(name->content);
    if (std::ranges::find(names, text) == names.end()) names.push_back(std::move(text));
  }
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

Result<Done> addAuthenticode(const library::Package& package, Report& report, Monitor& monitor) {
  const container::Image& image = package.image;
  const pe::File file = pe::File::read(image.file);
  const Extent place = file.directory(pe::IMAGE_DIRECTORY_ENTRY_SECURITY);
  if (place.size == 0) return Done{};
  Signature out;
  out.kind = "authenticode";
  out.extent = place;
  out.covers = "all bytes but the checksum and the signature itself";
  const std::string_view all = image.file.view();
  if (!Extent{0, all.size()}.contains(place) || place.size < 8) {
    out.problem = "it is not inside the file";
  } else {
    const std::string_view certificate = all.substr(place.offset + 8, place.size - 8);
    const std::string_view stored = digestIn(certificate);
    out.signer = commonNames(certificate);
    if (stored.empty()) {
      out.problem = "it has no digest of the file";
    } else if (stored.size() != 32) {
      out.problem = "its digest is not SHA-256, which is the only one that is compared";
    } else {
      const uint64_t directory = file.directoryAt(pe::IMAGE_DIRECTORY_ENTRY_SECURITY);
      const auto part = [&](uint64_t begin, uint64_t end) { return image.file.slice(begin, end - begin); };
      const std::array<Bytes, 4> hashed = {part(0, file.checksumAt), part(file.checksumAt + 4, directory),
                                           part(directory + 8, place.offset), part(place.end(), all.size())};
      BLOBSCOPE_TRY(digest, computeSha256(hashed, monitor));
      out.matches = digest == hexDigits(stored);
    }
  }
  report.signatures.push_back(std::move(out));
  return Done{};
}

// --- Mach-O

Result<Done> addCodeSignature(const library::Package& package, Report& report, Monitor& monitor) {
  auto file = macho::File::readHeader(package.image.file);
  if (!file) return Done{};
  (void)file->readCommands();
  const macho::Table* const table = file->findTable(macho::Role::Signature);
  if (!table) return Done{};
  const auto read = write::macho::readSignature(file->text(), table->file);
  Signature out;
  out.kind = "code-signature";
  out.extent = table->file;
  using Kind = write::macho::Signature::Kind;
  if (read.kind == Kind::Damaged) {
    out.problem = read.reason;
  } else {
    out.signer =
        read.kind == Kind::AdHoc ? "nobody (ad-hoc: anyone can make it)" : std::string(read.identifier.substr(0, 200));
    out.covers = "the first " + groupedText(read.limit) + " bytes";
    bool same = true;
    const uint64_t page = uint64_t{1} << read.pageBits;
    for (uint64_t i = 0; same && i < read.pages; ++i) {
      const uint64_t begin = i * page;
      if (begin >= read.limit) break;
      BLOBSCOPE_TRY(digest,
                    computeSha256(package.image.file.slice(begin, std::min(page, read.limit - begin)), monitor));
      const uint64_t at = read.hashesAt + i * write::macho::kHashSize;
      same = digest == hexDigits(package.image.file.slice(at, write::macho::kHashSize).view());
    }
    out.matches = same;
  }
  report.signatures.push_back(std::move(out));
  return Done{};
}

// --- files beside it

std::optional<std::string> decodeBase64(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    if (c == '=') break;
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    count += 6;
    if (count >= 8) {
      count -= 8;
      out += static_cast<char>(bits >> count);
    }
  }
  return out;
}

/// Source: minisign's "File format": an untrusted comment, then base64 of an algorithm of two bytes, a key number of
/// eight, and a signature of 64.
void readMinisign(std::string_view text, Signature& out) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(std::min(end + 1, text.size()));
  line = line.substr(0, line.find_first_of("\r\n"));
  const auto bytes = decodeBase64(line);
  if (!bytes || bytes->size() != 74 || (!bytes->starts_with("Ed") && !bytes->starts_with("ED"))) {
    out.problem = "it is not in minisign's format";
    return;
  }
  std::string number(bytes->substr(2, 8));
  std::ranges::reverse(number); // shown as a little-endian number
  out.key = hexDigits(number);
  std::ranges::transform(out.key, out.key.begin(),
                         [](char c) { return c >= 'a' && c <= 'f' ? static_cast<char>(c - 32) : c; });
}

} // namespace

Result<Done> addSignatures(const library::Package& package, Report& report, Monitor& monitor) {
  if (package.image.format == Format::Pe) return addAuthenticode(package, report, monitor);
  if (package.image.format == Format::MachO) return addCodeSignature(package, report, monitor);
  return Done{};
}

Result<Done> addSignaturesBeside(const library::Package& package, Report& report, Monitor& monitor) {
  if (!package.memberPath.empty() || !package.bytes.owner() || !package.bytes.owner()->isFile()) return Done{};
  struct Beside {
    std::string_view extension, kind;
  };
  constexpr std::array<Beside, 5> kBesides = {{{".minisig", "minisign"},
                                               {".sig", "cosign"},
                                               {".sigstore", "cosign"},
                                               {".sigstore.json", "cosign"},
                                               {".asc", "openpgp"}}};
  for (const Beside& one : kBesides) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const std::string path = package.path + std::string(one.extension);
    const auto source = ByteSource::openFile(pathFrom(path));
    if (!source) continue;
    const Bytes bytes = ByteSource::all(*source);
    Signature out;
    out.kind = one.kind;
    out.path = path;
    out.covers = "the whole file";
    if (bytes.size() > kBeside)
      out.problem = "it is larger than a signature";
    else if (out.kind == "minisign")
      readMinisign(bytes.view(), out);
    report.signatures.push_back(std::move(out));
  }
  return Done{};
}

} // namespace blobscope::safety
