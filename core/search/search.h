#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

/// Search over all bytes of a file, which covers names, texts, code and data; every hit names the node that contains
/// it. Results stream: a sink receives each as it is found and may end the search.
namespace blobscope::search {

enum class Syntax {
  Text, ///< the pattern's own bytes
  Hex,  ///< two digits per byte
  Regex ///< POSIX extended and \d \s \w \b, matched inside runs of printable characters; matches of up to 1 KiB
};

/// The pattern and the part of the file to search.
struct Query {
  std::string pattern;
  Syntax syntax = Syntax::Text;
  bool matchCase = true;      ///< false: ASCII letters of both cases are the same; bytes in hex are never folded
  std::optional<Ref> in = {}; ///< only the bytes of this node; nothing: the whole file
};

struct Hit {
  Ref ref;         ///< innermost node that contains the first byte
  uint64_t offset; ///< from the start of the file
  uint64_t size;
  Bytes around; ///< the printable run around the hit for texts, the hit itself for bytes; at most 160 bytes
};

/// Whether the pattern is valid. PATTERN.
Result<Done> check(const Query& query);
/// Also checks that the node can be searched: REF-NOT-FOUND, REF-NO-BYTES, Cancelled.
Result<Done> check(const library::Package& package, const Query& query, Monitor& monitor);

/// Calls `sink` for each hit in file order until it returns false. PATTERN for an invalid pattern, REF-NOT-FOUND for a
/// node that does not exist, REF-NO-BYTES for one that has no bytes in the file; Cancelled.
Result<Done> find(const library::Package& package, const Query& query, Monitor& monitor,
                  const std::function<bool(const Hit&)>& sink);

/// Calls `sink` for each run of at least `minimum` printable ASCII characters (tab included), in file order, until it
/// returns false. A run longer than 64 KiB is reported in pieces. Error: only Cancelled.
Result<Done> strings(const library::Package& package, uint64_t minimum, Monitor& monitor,
                     const std::function<bool(const Hit&)>& sink);

/// The same for the bytes of a node: their offsets count from the first one. A run longer than 64 KiB is reported in
/// pieces.
Result<Done> stringsOf(const Bytes& bytes, uint64_t minimum, Monitor& monitor, const std::function<bool(Extent)>& sink);

} // namespace blobscope::search
