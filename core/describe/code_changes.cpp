#include "core/describe/code_changes.h"

#include "core/base/text.h"

#include <algorithm>

namespace blobscope::describe {
namespace {

using diff::CodeChange;
using diff::NumberPair;

constexpr std::size_t kKernelName = 80;

std::string valueText(std::string_view label, const std::optional<uint64_t>& value) {
  if (!value) return "–";
  return groupedText(*value) + (label == "occupancy" ? " %" : "");
}

void writePairs(json::Writer& writer, const char* key, const std::vector<NumberPair>& pairs) {
  writer.key(key).beginArray();
  for (const NumberPair& pair : pairs) {
    writer.beginObject();
    writer.member("label", pair.label);
    writer.member("a", pair.a);
    writer.member("b", pair.b);
    writer.endObject();
  }
  writer.endArray();
}

} // namespace

std::vector<ResourceChange> resourceChanges(const diff::DiffTree& tree) {
  std::vector<ResourceChange> out;
  for (const char* const label : {"registers", "occupancy"}) {
    ResourceChange change;
    change.label = label;
    change.perCent = change.label == "occupancy";
    uint64_t largest = 0;
    for (const diff::DiffNode& node : tree.nodes) {
      const NumberPair* const pair = node.code ? node.code->find(label) : nullptr;
      if (!pair || !pair->a || !pair->b || *pair->a == *pair->b) continue;
      ++change.kernels;
      const uint64_t amount = std::max(*pair->a, *pair->b) - std::min(*pair->a, *pair->b);
      if (amount <= largest) continue;
      largest = amount;
      change.a = *pair->a;
      change.b = *pair->b;
      change.kernel = escapedWithin(node.name, kKernelName);
    }
    if (change.kernels > 0) out.push_back(std::move(change));
  }
  return out;
}

std::string changeText(const ResourceChange& change) {
  return valueText(change.label, change.a) + " → " + valueText(change.label, change.b);
}

std::string resourceText(const ResourceChange& change) {
  if (change.kernels == 1) return change.label + " " + changeText(change) + " in " + change.kernel;
  return change.label + " changed in " + groupedText(change.kernels) + " kernels, most in " + change.kernel + ": " +
         changeText(change);
}

std::string pairText(const NumberPair& pair) {
  const std::string a = valueText(pair.label, pair.a), b = valueText(pair.label, pair.b);
  return a == b ? a : a + " → " + b;
}

std::string mixText(const CodeChange& code) {
  std::string out;
  for (const NumberPair& pair : code.instructions)
    if (pair.a != pair.b) out += (out.empty() ? "" : ", ") + pair.label + " " + pairText(pair);
  const NumberPair* const all = code.find("instructions");
  if (out.empty() || !all) return {};
  return code.listing + " instructions " + pairText(*all) + ": " + out;
}

void writeCode(json::Writer& writer, const CodeChange& code) {
  writer.beginObject();
  writePairs(writer, "numbers", code.numbers);
  code.listing.empty() ? writer.nullMember("listing") : writer.member("listing", code.listing);
  writer.member("removed", code.removed);
  writer.member("added", code.added);
  writePairs(writer, "instructions", code.instructions);
  writer.endObject();
}

} // namespace blobscope::describe
