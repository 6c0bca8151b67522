#include "core/mlf/parameters.h"

#include "core/base/text.h"
#include "core/mlf/fixes/graph_facts.h"
#include "core/mlf/metadata_place.h"

#include <algorithm>
#include <bit>

namespace blobscope::mlf {
namespace {

using check::Issue;
using OptionalFix = std::optional<Fix>;

std::string littleEndian(uint64_t value, std::size_t bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes; ++i, value >>= 8) out += static_cast<char>(value & 0xff);
  return out;
}

std::string shownName(std::string_view name) { return "'" + escapedWithin(name, 120) + "'"; }

/// Whether the file has no finding that makes it unreadable once the bytes at `offset` are replaced.
bool isWholeWith(const FixContext& context, const File& file, uint64_t offset, std::string_view bytes) {
  std::string text(file.bytes.view());
  if (offset > text.size() || text.size() - offset < bytes.size()) return false;
  text.replace(offset, bytes.size(), bytes);
  const File changed{file.path, file.stored, Bytes::copyOf(text)};
  Findings findings;
  return readParameters(changed, {}, findings, context.monitor()).whole && findings.all().empty();
}

/// A wrong magic number is mended only if everything else in the file is right.
OptionalFix writeMagic(const FixContext& context, const Issue& issue, uint64_t magic, const char* what) {
  const File* const file = context.model().find(issue.place.member);
  const uint64_t offset = issue.place.offset.value_or(0);
  const std::string bytes = littleEndian(magic, 8);
  if (!file || !isWholeWith(context, *file, offset, bytes)) return std::nullopt;
  return FixMaker(context)
      .patch(*file, offset, bytes.size(), bytes)
      .done("Write the magic number of " + std::string(what) + " at " + hexText(offset));
}

OptionalFix writeListMagic(const FixContext& context, const Issue& issue) {
  return writeMagic(context, issue, kParametersMagic, "a parameter list");
}
OptionalFix writeTensorMagic(const FixContext& context, const Issue& issue) {
  return writeMagic(context, issue, kTensorMagic, "a tensor");
}

/// Only where shape and type lead to the next tensor or to the end of the file, and the stated length does not.
OptionalFix setDataBytes(const FixContext& context, const Issue& issue) {
  const File* const file = context.model().find(issue.place.member);
  const std::string_view want = argumentOf(issue, "want");
  std::string digits;
  for (const char c : want)
    if (c >= '0' && c <= '9') digits += c;
  const auto number = parseNumber(digits);
  const uint64_t offset = issue.place.offset.value_or(0);
  if (!file || !number || !isWholeWith(context, *file, offset, littleEndian(*number, 8))) return std::nullopt;
  return FixMaker(context)
      .patch(*file, offset, 8, littleEndian(*number, 8))
      .done("Set the data bytes of tensor " + std::string(argumentOf(issue, "name").empty() ? "" : "'") +
            std::string(argumentOf(issue, "name")) + "' to " + std::to_string(*number));
}

/// The finding's offset is that of the type of the device.
OptionalFix setDevice(const FixContext& context, const Issue& issue) {
  const File* const file = context.model().find(issue.place.member);
  const uint64_t offset = issue.place.offset.value_or(0);
  if (!file || offset > file->bytes.size() || file->bytes.size() - offset < 8) return std::nullopt;
  return FixMaker(context)
      .patch(*file, offset, 8, littleEndian(1, 4) + littleEndian(0, 4))
      .done("Set the device of tensor '" + std::string(argumentOf(issue, "name")) + "' to CPU 0");
}

OptionalFix clearReserved(const FixContext& context, const Issue& issue) {
  const File* const file = context.model().find(issue.place.member);
  const uint64_t offset = issue.place.offset.value_or(0);
  if (!file || offset > file->bytes.size() || file->bytes.size() - offset < 8) return std::nullopt;
  return FixMaker(context)
      .patch(*file, offset, 8, std::string(8, '\0'))
      .done("Set the reserved word " + std::string(argumentOf(issue, "where")) + " to zero");
}

OptionalFix cutEnd(const FixContext& context, const Issue& issue) {
  const File* const file = context.model().find(issue.place.member);
  const uint64_t offset = issue.place.offset.value_or(0);
  if (!file || offset == 0 || offset >= file->bytes.size()) return std::nullopt;
  const uint64_t size = file->bytes.size() - offset;
  return FixMaker(context)
      .patch(*file, offset, size, {})
      .done("Remove " + groupedText(size) + " byte" + (size == 1 ? "" : "s") + " from the end of " + file->path);
}

// --- MLF-409, 610 ---

/// Returns the bytes of the tensor's record, with its header.
uint64_t recordSize(const Parameter& parameter) {
  constexpr uint64_t kHeader = 40; // magic, reserved word, device, rank, type, number of bytes
  return kHeader + 8 * parameter.shape.size() + parameter.dataBytes;
}

/// Removes parameters: their names, their tensors, and as many from both counts. Every tensor must be sound. If the
/// metadata states the size of all parameters, that changes, too. `indices`: ascending, not empty.
OptionalFix removeParameters(const FixContext& context, const ModuleFacts& module,
                             const std::vector<std::size_t>& indices, const std::string& why) {
  const File& file = *module.module->parameters;
  const std::vector<Parameter>& list = module.parameters->list;
  if (!module.parameters->whole ||
      !std::all_of(list.begin(), list.end(), [](const Parameter& one) { return one.sound; }))
    return std::nullopt;
  const char* const start = file.bytes.view().data();
  const auto secondCountAt = static_cast<uint64_t>(list.back().name.data() - start) + list.back().name.size();
  const std::string count = littleEndian(list.size() - indices.size(), 8);
  FixMaker maker(context);
  maker.patch(file, 16, 8, count).patch(file, secondCountAt, 8, count);
  uint64_t all = 0, removed = 0;
  for (const Parameter& one : list) all += one.dataBytes;
  for (const std::size_t index : indices) {
    const Parameter& parameter = list[index];
    const auto nameAt = static_cast<uint64_t>(parameter.name.data() - start);
    maker.patch(file, nameAt - 8, 8 + parameter.name.size(), {})
        .patch(file, parameter.offset, recordSize(parameter), {});
    removed += parameter.dataBytes;
  }
  const std::string main = module.module->memoryPointer() + "/functions/main";
  const json::Value* const entries = context.inMetadata(main);
  if (module.module->executor == Executor::Graph && entries && entries->items().size() == 1 &&
      countIn(entries->items().front(), "constants_size_bytes") == all)
    maker.set(main + "/0/constants_size_bytes", numberValue(all - removed));
  return maker.done("Remove the parameter " + shownName(list[indices.front()].name) + why);
}

/// Only where all tensors of that name are equal; loaders may use any of them.
OptionalFix removeRepeatedParameter(const FixContext& context, const Issue& issue) {
  const ModuleFacts* const module = context.moduleOf(issue.place.member);
  if (!module || !module->parameters || !module->module->parameters || !issue.place.offset) return std::nullopt;
  const std::string_view text = module->module->parameters->bytes.view();
  const std::vector<Parameter>& list = module->parameters->list;
  const auto named = std::find_if(list.begin(), list.end(), [&](const Parameter& one) {
    return static_cast<uint64_t>(one.name.data() - text.data()) == *issue.place.offset;
  });
  if (named == list.end()) return std::nullopt;
  const auto record = [&](const Parameter& one) { return text.substr(one.offset, recordSize(one)); };
  const Parameter* first = nullptr;
  std::vector<std::size_t> repeated;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].name != named->name) continue;
    if (!list[i].sound || (first && record(list[i]) != record(*first))) return std::nullopt;
    if (first) repeated.push_back(i);
    if (!first) first = &list[i];
  }
  return repeated.empty() ? std::nullopt
                          : removeParameters(context, *module, repeated, " where it repeats an earlier one");
}

/// Not if anything else in the archive says that the graph should have such an input.
OptionalFix removeUnusedParameter(const FixContext& context, const Issue& issue) {
  const ModuleFacts* const module = context.moduleOf(issue.place.member);
  if (!module || !module->parameters || !issue.place.offset || context.hasIssue("MLF-521")) return std::nullopt;
  const std::vector<Parameter>& list = module->parameters->list;
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const Parameter& one) { return one.offset == *issue.place.offset; });
  if (found == list.end()) return std::nullopt;
  if (module->memory.storages)
    for (const ListedStorage& storage : *module->memory.storages)
      if (storage.binding && storage.binding->text() == found->name) return std::nullopt;
  return removeParameters(context, *module, {static_cast<std::size_t>(found - list.begin())},
                          ", which is not an input of the graph");
}

constexpr FixRow kParameterFixes[] = {
    {check::Rule::MlfParametersMagic, writeListMagic},
    {check::Rule::MlfTensorMagic, writeTensorMagic},
    {check::Rule::MlfTensorBytes, setDataBytes},
    {check::Rule::MlfTensorDevice, setDevice},
    {check::Rule::MlfParameterTwice, removeRepeatedParameter},
    {check::Rule::MlfParametersEnd, cutEnd},
    {check::Rule::MlfReservedWord, clearReserved},
    {check::Rule::MlfParameterNoInput, removeUnusedParameter},
};

} // namespace

std::span<const FixRow> parameterFixes() { return kParameterFixes; }

} // namespace blobscope::mlf
