#include "core/container/raw.h"

#include "core/base/limits.h"
#include "core/base/reader.h"
#include "core/base/text.h"

#include <algorithm>

namespace blobscope::container {
namespace {

constexpr uint64_t kHeader = 8;

/// The second word of the payload is 0 in the ffi stream (indptr[0]) and the length of the first key in the classic
/// one. Source: core/formats/blob.md 3.1.
bool isFfi(const Bytes& file) {
  Reader reader(file.slice(kHeader + 8, 8));
  return file.size() >= kHeader + 16 && reader.number<uint64_t>("indptr") == 0;
}

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Without a byte order mark and blanks in front.
std::string_view textOf(std::string_view file) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (file.starts_with(kMark)) file.remove_prefix(kMark.size());
  while (!file.empty() && isSpace(file.front())) file.remove_prefix(1);
  return file;
}

/// Whether the text begins with these ASCII letters, in lower case, whatever its own case.
bool beginsWith(std::string_view text, std::string_view lower) {
  return text.size() >= lower.size() && equalsIgnoringCase(text.substr(0, lower.size()), lower);
}

/// The text between two words, on one line; empty when there is none or it is long.
std::string between(std::string_view text, std::string_view begin, std::string_view end) {
  constexpr std::size_t kShown = 100;
  const std::size_t from = text.find(begin);
  if (from == std::string_view::npos) return {};
  const std::size_t to = text.find(end, from + begin.size());
  if (to == std::string_view::npos) return {};
  return escapedWithin(trimmed(text.substr(from + begin.size(), to - from - begin.size())), kShown);
}

std::string quoted(std::string_view before, const std::string& text) {
  return text.empty() ? std::string() : std::string(before) + "'" + text + "'";
}

} // namespace

std::optional<Leftover> leftoverOf(const Bytes& file) {
  constexpr std::size_t kHead = 4'096, kAnswer = 65'536, kZeros = 512;
  const std::string_view head = file.view().substr(0, kHead), text = textOf(head);
  const std::string again = "download the file again";
  // https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md: less than 1,024 bytes; before 1.0 the address was
  // hawser.github.com.
  if (text.starts_with("version https://git-lfs.github.com/spec/") ||
      text.starts_with("version https://hawser.github.com/spec/")) {
    const auto size = parseNumber(between(std::string(head) + "\n", "\nsize ", "\n"));
    return Leftover{"the file is a Git LFS pointer instead of the real file" +
                        (size ? ", which has " + sizeText(*size) : std::string()),
                    "run 'git lfs pull' in its repository to get the real file"};
  }
  // git-annex doc/internals/pointer_file.mdwn; a link that a system without links stores as text is relative.
  if (file.size() < kHead && (text.starts_with("/annex/objects/") ||
                              (text.starts_with("../") && text.find(".git/annex/objects/") != std::string_view::npos)))
    return Leftover{"the file is a git-annex pointer instead of the real file",
                    "run 'git annex get' in its repository to get the real file"};
  if (beginsWith(text, "<!doctype html") || beginsWith(text, "<html"))
    return Leftover{"the file is an HTML page" + quoted(" with the title ", between(text, "<title>", "</title>")) +
                        ", which a failed download leaves",
                    again};
  if (file.size() <= kAnswer && text.starts_with("<?xml") && text.find("<Error>") != std::string_view::npos)
    return Leftover{"the file is the answer of a server with an error" +
                        quoted(": ", between(text, "<Message>", "</Message>")),
                    again};
  if (file.size() <= kAnswer && text.starts_with('{')) {
    const std::size_t quote = text.find('"');
    const std::size_t end = quote == std::string_view::npos ? quote : text.find('"', quote + 1);
    const std::string_view key =
        end == std::string_view::npos ? std::string_view() : text.substr(quote + 1, end - quote - 1);
    for (const std::string_view word : {"error", "errors", "message", "detail"})
      if (equalsIgnoringCase(key, word) && textOf(text.substr(1)).starts_with('"'))
        return Leftover{"the file is the answer of a server with an error" +
                            quoted(": ", escapedWithin(trimmed(text), 100)),
                        again};
  }
  // "404: Not Found", "Entry not found", "Not Found": the whole file.
  if (file.size() <= 64)
    for (const std::string_view words :
         {"404: not found", "404 not found", "not found", "entry not found", "access denied", "forbidden",
          "403 forbidden", "gateway timeout", "bad gateway"})
      if (equalsIgnoringCase(trimmed(text), words))
        return Leftover{"the file only says '" + escaped(trimmed(text)) + "', which a failed download leaves", again};
  const auto isZero = [](std::string_view bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == '\0'; });
  };
  if (head.size() >= kZeros && isZero(head) && isZero(file.view().substr(file.size() - head.size())))
    return Leftover{"the file has only zero bytes at its beginning and end, as a download or copy that was interrupted "
                    "leaves it",
                    "copy or download the file again"};
  return std::nullopt;
}

bool looksLikeBlob(const Bytes& file) {
  Reader reader(file);
  const auto size = reader.number<uint64_t>("nbytes");
  if (!reader.ok() || size != file.size() - kHeader || size < 8) return false;
  const auto first = reader.number<uint64_t>("count");
  if (size < 16) return first == 0;
  const auto second = reader.number<uint64_t>("key");
  if (second == 0) return first >= 2 && first <= limits::kModules + 1; // ffi: number of words of indptr
  if (first == 0 || first > limits::kModules + 1 || second > limits::kKeyLength) return false;
  const std::string_view key = file.slice(kHeader + 16, second).view();
  return key.size() == second && std::all_of(key.begin(), key.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

bool looksLikeParams(std::string_view head) {
  // kTVMNDArrayListMagic 0xF7E58D4F05049CB7, apache/tvm src/runtime/file_utils.h.
  return head.starts_with("\xb7\x9c\x04\x05\x4f\x8d\xe5\xf7");
}

Result<Image> readRaw(const Bytes& file, Monitor&) {
  Image image;
  image.file = file;
  image.format = Format::Raw;
  image.kind = Kind::Other;
  image.bits = 0;
  return image;
}

std::vector<Carrier> findRawCarriers(const Image& image) {
  Carrier carrier;
  carrier.name = isFfi(image.file) ? CarrierName::FfiLibraryBin2 : CarrierName::DevMblob;
  carrier.symbol = carrierText(carrier.name);
  carrier.available = image.file;
  return {carrier};
}

} // namespace blobscope::container
