#pragma once

#include "core/base/ref.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope {

/// What a caller reacts to: it retries, asks, or gives up. The sentence for people is made from diagnostics.inc.
enum class ErrorCode { Io, Format, Truncated, Unsupported, Limit, Conflict, Cancelled, Usage, Internal };

enum class Severity { Error, Warning, Note };

/// One value per row of diagnostics.inc; the build lists their names.
enum class DiagnosticId {
#include "core/base/diagnostic_ids.inc"
};

/// A row of the table of message texts.
struct DiagnosticRow {
  std::string_view id; ///< as shown and as stored in scripts: "BLOB-TRUNCATED"; never reused
  Severity severity;
  ErrorCode code;
  std::string_view text; ///< with named placeholders: "'{path}' does not exist"
};

const DiagnosticRow& row(DiagnosticId id);
/// All rows in the order of DiagnosticId.
std::span<const DiagnosticRow> diagnosticRows();
/// "error", "warning" or "note".
std::string_view severityName(Severity severity);

/// The value for one placeholder, already in words.
struct Argument {
  std::string_view name; ///< a literal
  std::string value;
};
/// The text unchanged, in the message's own quotes if the template has them, escaped as escaped() does; at most
/// kMessageBytes.
Argument arg(std::string_view name, std::string_view value);
/// Decimal: counts and sizes as "12,800", numbers that identify something, such as {module} and {node}, as "12800".
Argument arg(std::string_view name, uint64_t value);
/// "3.1 KiB (3,146 bytes)".
Argument sizeArg(std::string_view name, uint64_t bytes);
/// Hexadecimal with 0x, for offsets.
Argument hexArg(std::string_view name, uint64_t value);

/// Something could be read, but it is not as it should be: what, where, and the numbers that disagree.
struct Diagnostic {
  DiagnosticId id;
  Ref place;
  std::vector<Argument> arguments;

  Severity severity() const { return row(id).severity; }
  std::string_view idText() const { return row(id).id; }
  /// The template with its placeholders filled; a placeholder without an argument stays visible as "{name}".
  std::string message() const;
};

} // namespace blobscope
