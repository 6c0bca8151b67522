#pragma once

#include "core/edit/archive/json_text.h"
#include "core/mlf/fixes/fix.h"

#include <initializer_list>
#include <span>
#include <utility>

/// What the fixes are made of.
namespace blobscope::mlf {

/// Collects the parts of a fix.
class FixMaker {
public:
  explicit FixMaker(const FixContext& context) : m_context(context) {}

  /// Sets a value of metadata.json, or of another JSON file.
  FixMaker& set(std::string_view pointer, json::Value value);
  FixMaker& setIn(const File& file, std::string_view pointer, json::Value value);
  /// Removes a value with its name.
  FixMaker& drop(std::string_view pointer);
  FixMaker& dropIn(const File& file, std::string_view pointer);
  /// Gives a member of an object another name; it becomes the last one.
  FixMaker& renameKey(std::string_view pointer, std::string_view name);
  FixMaker& patch(const File& file, uint64_t offset, uint64_t size, std::string bytes);
  /// `path`: as stored in the archive, "./a/b".
  FixMaker& rename(std::string_view stored, std::string path);
  FixMaker& remove(std::string_view stored);
  FixMaker& add(std::string path, Bytes content, std::optional<std::string> after = {});
  FixMaker& archive(edit::SetArchive::Form form);

  Fix done(std::string sentence);

private:
  const FixContext& m_context;
  Fix m_fix;
};

// --- JSON ---

json::Value numberValue(uint64_t number);
json::Value textValue(std::string_view text);
json::Value listValue(json::Value::Array items);
json::Value objectValue(std::initializer_list<std::pair<std::string, json::Value>> members);
/// Returns whether both values have the same content. The order of members counts.
bool isSame(const json::Value& a, const json::Value& b);
/// Returns the value on one line, shortened, for a sentence.
std::string shownJson(const json::Value& value);
using edit::valueAt;
/// Returns the pointer without its last step.
std::string_view parentOf(std::string_view pointer);
/// Returns the last step if it is the number of an item.
std::optional<std::size_t> indexOf(std::string_view pointer);
/// Returns the non-negative integer with that name; nothing for anything else.
std::optional<uint64_t> countIn(const json::Value& object, std::string_view name);
/// Returns the string with that name, or null.
const std::string* textIn(const json::Value& object, std::string_view name);

/// Returns the argument of the finding with that name; empty if it has none.
std::string_view argumentOf(const check::Issue& issue, std::string_view name);

/// Returns the stored path for a new member, in the style of the archive: with "./" in front.
std::string storedPath(std::string_view path);

// --- the fixes, by topic; each returns nothing where the archive does not determine what is right ---

using FixFunction = std::optional<Fix> (*)(const FixContext& context, const check::Issue& issue);
struct FixRow {
  check::Rule rule;
  FixFunction make;
  bool ofPlace = false; ///< findings of the rule at one place have the same fix, whatever they say
};
std::span<const FixRow> containerFixes(); ///< MLF-002 – 020
std::span<const FixRow> metadataFixes();  ///< MLF-102 – 120
std::span<const FixRow> targetFixes();    ///< MLF-120 – 128
std::span<const FixRow> memoryFixes();    ///< MLF-201 – 216
std::span<const FixRow> layoutFixes();    ///< MLF-302 – 310
std::span<const FixRow> parameterFixes(); ///< MLF-401 – 412, 610
std::span<const FixRow> graphFixes();     ///< MLF-502 – 531
std::span<const FixRow> fileFixes();      ///< MLF-602, 607, 608, 612 – 617

/// Returns the value that a key of a module must have, if the archive determines it: "model_name", "style",
/// "executors".
std::optional<json::Value> determinedValue(const FixContext& context, const ModuleFacts& module, std::string_view key);

} // namespace blobscope::mlf
