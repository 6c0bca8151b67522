#pragma once

#include "core/base/bytes.h"
#include "core/base/json.h"
#include "core/base/ref.h"
#include "core/base/result.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Changes of values in a JSON text. All bytes outside of these values stay as they are.
namespace blobscope::edit {

/// Returns the steps of a JSON pointer (RFC 6901), decoded. Nothing when it is not one: it is neither empty nor begins
/// with '/', or a '~' is not followed by 0 or 1.
std::optional<std::vector<std::string>> pointerSteps(std::string_view pointer);

/// Returns the value at a JSON pointer, with the first member of each name; null when there is none.
const json::Value* valueAt(const json::Value& root, std::string_view pointer);

/// A JSON text that edits change one after the other. It is parsed once, and once more only for an edit of a value that
/// an earlier edit wrote.
class JsonDraft {
public:
  explicit JsonDraft(const Bytes& text);
  JsonDraft(JsonDraft&&) noexcept;
  JsonDraft& operator=(JsonDraft&&) noexcept;
  ~JsonDraft();

  /// Changes one value as setJson() does, with the same errors.
  Result<Done> set(const Ref& member, std::string_view pointer, const std::optional<json::Value>& value);
  Bytes text() const;
  /// How often the text was parsed.
  uint64_t parses() const;

private:
  class Parsed;
  std::unique_ptr<Parsed> m_parsed;
};

/// Returns the text with another value at `pointer`, or without the value if `value` is nothing. A new member of an
/// object becomes the last one; "-" and the number of items name the place after the last item of an array. The new
/// text is written in the style of the text around it: on one line or indented. Errors: REP-TARGET with member and
/// pointer when there is no such place, JSON-TEXT, JSON-DEPTH, FILE-LIMIT. `member`: names the text in messages.
Result<Bytes> setJson(const Bytes& text, const Ref& member, std::string_view pointer,
                      const std::optional<json::Value>& value);

} // namespace blobscope::edit
