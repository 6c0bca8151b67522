#include "core/describe/comparison.h"

#include "core/base/text.h"
#include "core/describe/code_changes.h"
#include "core/diff/details.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <optional>

namespace blobscope::describe {
namespace {

using diff::DiffNode;
using diff::DiffTree;
using diff::Side;
using diff::Status;
using diff::statusName;
using diff::Topic;
using diff::topicName;
using diff::topicPlural;

/// In display order.
constexpr Topic kOrder[] = {Topic::Member, Topic::Module,   Topic::Kernel,    Topic::VmFunction,
                            Topic::Tensor, Topic::Constant, Topic::GraphNode, Topic::HostFunction,
                            Topic::Image,  Topic::Field,    Topic::Section,   Topic::Symbol};

/// Returns "412 kernels same, 3 changed", "1 tensor changed"; empty if there are none.
std::string clauseOf(const DiffTree& tree, Topic topic) {
  std::string out;
  for (std::size_t i = 0; i < diff::kStatuses; ++i) {
    const auto status = static_cast<Status>(i);
    const uint64_t count = tree.count(topic, status);
    if (count == 0) continue;
    if (out.empty())
      out = groupedText(count) + " " + std::string(count == 1 ? topicName(topic) : topicPlural(topic)) + " " +
            std::string(statusName(status));
    else
      out += ", " + groupedText(count) + " " + std::string(statusName(status));
  }
  if (topic == Topic::Tensor && tree.largestDifference)
    out += ", max difference " + diff::differenceText(*tree.largestDifference);
  return out;
}

bool differs(const DiffTree& tree, Topic topic) {
  for (std::size_t i = 1; i < diff::kStatuses; ++i)
    if (tree.count(topic, static_cast<Status>(i)) > 0) return true;
  return false;
}

std::string sizeClause(const Side& a, const Side& b) {
  if (a.size == b.size) return "same size, " + groupedText(a.size) + " bytes";
  std::string out = "size " + groupedText(a.size) + " → " + groupedText(b.size) + " bytes";
  if (a.size == 0) return out;
  const double percent = (static_cast<double>(b.size) / static_cast<double>(a.size) - 1) * 100;
  char text[32];
  std::snprintf(text, sizeof text, std::abs(percent) < 0.1 ? " (%+.2g %%)" : " (%+.1f %%)", percent);
  return out + text;
}

uint64_t allOf(const DiffTree& tree, Topic topic) {
  uint64_t all = 0;
  for (std::size_t i = 0; i < diff::kStatuses; ++i) all += tree.count(topic, static_cast<Status>(i));
  return all;
}

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : std::string(between)) + part;
  return out;
}

/// Returns "2 changed, 1 only in B" for one kind: those of `statuses` that occur.
std::string countsOf(const DiffTree& tree, Topic topic, std::initializer_list<Status> statuses) {
  std::vector<std::string> out;
  for (const Status status : statuses)
    if (const uint64_t count = tree.count(topic, status); count > 0)
      out.push_back(groupedText(count) + " " + std::string(statusText(status)));
  return joined(out, ", ");
}

/// Returns "48 of 50 kernels are the same, 13 of them under another name". The tree must have nodes of the kind.
std::string samePart(const DiffTree& tree, Topic topic) {
  const std::string one(topicName(topic)), several(topicPlural(topic));
  const uint64_t all = allOf(tree, topic), names = tree.count(topic, Status::Renamed),
                 same = tree.count(topic, Status::Same) + names;
  std::string out;
  if (same == all)
    out = all == 1 ? "the only " + one + " is the same" : "all " + groupedText(all) + " " + several + " are the same";
  else if (same == 0)
    out = all == 1 ? "the only " + one + " differs" : "none of " + groupedText(all) + " " + several + " is the same";
  else
    out = groupedText(same) + " of " + groupedText(all) + " " + several + (same == 1 ? " is" : " are") + " the same";
  if (names == 0) return out;
  return out + (names == same ? " except for the name" : ", " + groupedText(names) + " of them under another name");
}

void writeSide(json::Writer& writer, const char* key, const Side& side) {
  writer.key(key).beginObject();
  writer.member("path", side.path);
  writer.member("size", side.size);
  writer.member("container", side.container);
  writer.endObject();
}

void writeNode(json::Writer& writer, const DiffNode& node) {
  const auto ref = [&](const char* key, const std::optional<Ref>& value) {
    value ? writer.member(key, value->toString()) : writer.nullMember(key);
  };
  const auto text = [&](const char* key, const std::string& value) {
    value.empty() ? writer.nullMember(key) : writer.member(key, value);
  };
  writer.beginObject();
  writer.member("status", statusName(node.status));
  writer.member("kind", diff::nodeKindName(node.kind()));
  writer.member("topic", topicName(node.topic));
  ref("a", node.a);
  ref("b", node.b);
  writer.member("name", node.name);
  text("newName", node.newName);
  writer.member("parent", node.parent == DiffNode::kNoParent ? std::nullopt : std::optional<uint64_t>(node.parent));
  text("detail", node.detail);
  if (node.code)
    writeCode(writer.key("code"), *node.code);
  else
    writer.nullMember("code");
  writer.endObject();
}

/// Colours removed and changed nodes like findings; nodes that were only renamed or moved are not coloured.
std::string colouredStatus(Status status, const TextOutput& out) {
  const std::string word(statusName(status)), blanks(8 - word.size(), ' ');
  switch (status) {
  case Status::Removed: return out.coloured(Severity::Error, word) + blanks;
  case Status::Changed: return out.coloured(Severity::Warning, word) + blanks;
  case Status::Added: return out.coloured(Severity::Note, word) + blanks;
  default: return word + blanks;
  }
}

} // namespace

std::vector<std::string> summaryOf(const DiffTree& tree) {
  std::vector<std::string> out;
  if (tree.identical)
    out.emplace_back("the files are identical, byte for byte");
  else if (tree.equal())
    out.emplace_back("no differences in the compared parts");
  for (const bool differing : {true, false})
    for (const Topic topic : kOrder)
      if (differs(tree, topic) == differing)
        if (std::string clause = clauseOf(tree, topic); !clause.empty()) out.push_back(std::move(clause));
  for (const ResourceChange& change : resourceChanges(tree)) out.push_back(resourceText(change));
  if (!tree.identical) out.push_back(sizeClause(tree.a, tree.b));
  return out;
}

std::string summaryLine(const DiffTree& tree) { return joined(summaryOf(tree), "; "); }

Topic mainTopic(const DiffTree& tree) {
  constexpr std::array kTopics = {Topic::Kernel, Topic::VmFunction, Topic::HostFunction,
                                  Topic::Tensor, Topic::Member,     Topic::Module};
  for (const Topic topic : kTopics)
    if (differs(tree, topic)) return topic;
  for (const Topic topic : kTopics)
    if (allOf(tree, topic) > 0) return topic;
  return Topic::Section;
}

std::string_view statusText(Status status) {
  switch (status) {
  case Status::Added: return "only in B";
  case Status::Removed: return "only in A";
  default: return statusName(status);
  }
}

std::string sentenceOf(const DiffTree& tree) {
  if (tree.identical) return "The files are identical, byte for byte.";
  if (tree.equal()) return "There are no differences in the compared parts.";
  const Topic main = mainTopic(tree);
  std::vector<std::string> parts;
  if (allOf(tree, main) > 0) {
    parts.push_back(samePart(tree, main));
    if (std::string counts = countsOf(tree, main, {Status::Changed, Status::Moved, Status::Added, Status::Removed});
        !counts.empty())
      parts.push_back(std::move(counts));
  }
  // At most two other kinds: the counts and the tree show the rest.
  int others = 0;
  for (const Topic topic : {Topic::VmFunction, Topic::Tensor, Topic::Constant, Topic::HostFunction, Topic::Member,
                            Topic::GraphNode, Topic::Module}) {
    if (topic == main || others == 2) continue;
    const std::string counts =
        countsOf(tree, topic, {Status::Changed, Status::Renamed, Status::Moved, Status::Added, Status::Removed});
    if (counts.empty()) continue;
    const uint64_t differing = allOf(tree, topic) - tree.count(topic, Status::Same);
    parts.push_back(std::string(differing == 1 ? topicName(topic) : topicPlural(topic)) + ": " + counts);
    ++others;
  }
  if (parts.empty()) parts.push_back(summaryLine(tree));
  std::string out = joined(parts, "; ") + ".";
  if (out.front() >= 'a' && out.front() <= 'z') out.front() = static_cast<char>(out.front() - 'a' + 'A');
  return out;
}

void writeComparison(json::Writer& writer, const DiffTree& tree, Monitor& monitor) {
  writer.member("equal", tree.equal());
  writer.member("identical", tree.identical);
  writeSide(writer, "a", tree.a);
  writeSide(writer, "b", tree.b);
  writer.key("summary").beginObject();
  for (std::size_t i = 0; i < diff::kStatuses; ++i)
    writer.member(statusName(static_cast<Status>(i)), tree.count(static_cast<Status>(i)));
  writer.endObject();
  writer.key("sentences").beginArray();
  for (const std::string& clause : summaryOf(tree)) writer.value(clause);
  writer.endArray();
  writer.key("notes").beginArray();
  for (const std::string& note : tree.notes) writer.value(note);
  writer.endArray();
  writer.key("nodes").beginArray();
  for (const DiffNode& node : tree.nodes) {
    if (monitor.stopRequested()) break;
    writeNode(writer, node);
  }
  writer.endArray();
  writer.member("leftOut", tree.leftOut);
}

void writeText(const DiffTree& tree, const TextOutput& out, Monitor& monitor) {
  for (const Side* const side : {&tree.a, &tree.b})
    out.write(std::string(side == &tree.a ? "A: " : "B: ") + escaped(side->path) + ", " + escaped(side->container) +
              ", " + sizeText(side->size) + "\n");
  for (const std::string& clause : summaryOf(tree)) out.write("  " + clause + "\n");
  for (const std::string& note : tree.notes) out.write("  note: " + note + "\n");
  const std::vector<unsigned> depths = tree.depths();
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const DiffNode& node = tree.nodes[i];
    if (monitor.stopRequested()) return;
    std::string line = colouredStatus(node.status, out) + " " + std::string(2 * depths[i], ' ') +
                       std::string(topicName(node.topic)) + " " + shownName(node);
    // Modules of one kind differ only in their numbers.
    if (node.topic == Topic::Module) {
      line += " (" + refOf(node).shown();
      if (node.a && node.b && *node.a != *node.b) line += " → " + node.b->shown();
      line += ")";
    }
    if (!node.detail.empty()) line += ": " + node.detail;
    out.write(line + "\n");
    if (const std::string mix = node.code ? mixText(*node.code) : std::string(); !mix.empty())
      out.write(std::string(11 + 2 * depths[i], ' ') + mix + "\n");
  }
  if (tree.leftOut > 0) out.write(groupedText(tree.leftOut) + " more are not listed\n");
}

std::string shownName(const DiffNode& node) {
  const std::string name = escapedWithin(node.name, 160);
  return node.newName.empty() ? name : name + " → " + escapedWithin(node.newName, 160);
}

const Ref& refOf(const DiffNode& node) {
  static const Ref kFile;
  return node.a ? *node.a : node.b ? *node.b : kFile;
}

} // namespace blobscope::describe
