#include "app/cli/command.h"

#include "core/base/output_file.h"
#include "core/base/text.h"
#include "core/diff/compare.h"
#include "core/diff/report_html.h"
#include "core/diff/report_markdown.h"
#include "core/diff/summary.h"
#include "core/library/open.h"

#include <CLI/CLI.hpp>

namespace blobscope::cli {
namespace {

using diff::DiffNode;
using diff::DiffTree;
using diff::Status;

/// What --ignore takes besides the names of masks.
constexpr const char* kIgnored[] = {"order", "names", "container", "host-code"};

std::vector<std::string> ignoredWords() {
  std::vector<std::string> words(std::begin(kIgnored), std::end(kIgnored));
  for (std::size_t i = 0; i < diff::kMaskCount; ++i) words.emplace_back(diff::maskName(static_cast<diff::Mask>(i)));
  return words;
}

std::vector<std::string> kindWords() {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < diff::kNodeKinds; ++i)
    words.emplace_back(diff::nodeKindName(static_cast<diff::NodeKind>(i)));
  return words;
}

class DiffCommand final : public Command {
public:
  std::string_view name() const override { return "diff"; }
  std::string_view summary() const override { return "Compare two libraries or archives node by node"; }
  void declare(CLI::App& app) override {
    app.add_option("A", m_a, "The file to compare from")->required();
    app.add_option("B", m_b, "The file to compare with")->required();
    app.add_flag("--json", json, "Write one JSON document instead of text");
    declareMemory(app);
    app.add_flag("--full", m_full, "List nodes that are the same, too");
    app.add_option("--only", m_only, "Tell only nodes of this kind")->check(CLI::IsMember(kindWords()));
    app.add_option("--ignore", m_ignored, "Leave this out of the comparison; may be given several times")
        ->allow_extra_args(false)
        ->check(CLI::IsMember(ignoredWords()));
    app.add_option("--html", m_html, "Also write a report to this file as one HTML page");
    app.add_option("--markdown", m_markdown, "Also write a report to this file as Markdown");
  }

  Result<Exit> run(Session& session) override {
    BLOBSCOPE_TRY(a, open(m_a, session));
    BLOBSCOPE_TRY(b, open(m_b, session));
    file = m_a;
    BLOBSCOPE_TRY(tree, diff::compare(a, b, options(), session.monitor()));
    if (const auto kind = diff::findNodeKind(m_only)) tree = diff::onlyKind(tree, *kind);
    if (!m_html.empty())
      BLOBSCOPE_CHECK(writeReport(
          m_html, [&](const diff::TextSink& sink) { return diff::writeHtml(tree, sink, session.monitor()); }, session));
    if (!m_markdown.empty())
      BLOBSCOPE_CHECK(writeReport(
          m_markdown, [&](const diff::TextSink& sink) { return diff::writeMarkdown(tree, sink, session.monitor()); },
          session));
    if (json)
      write(session, tree);
    else
      print(session, tree);
    if (session.monitor().stopRequested()) return Error(DiagnosticId::Cancelled, {});
    return tree.equal() ? kFine : kFindings;
  }

private:
  Result<library::PackagePtr> open(const std::string& path, Session& session) {
    file = path; // messages name it
    return openFile(session);
  }

  diff::CompareOptions options() const {
    diff::CompareOptions options;
    options.full = m_full;
    for (const std::string& word : m_ignored) {
      if (word == "order") options.order = false;
      if (word == "names") options.names = false;
      if (word == "container") options.container = false;
      if (word == "host-code") options.hostCode = false;
      if (const auto mask = diff::maskNamed(word)) options.masks = options.masks.with(*mask);
    }
    return options;
  }

  Result<Done> writeReport(const std::string& path, const std::function<Result<Done>(const diff::TextSink&)>& make,
                           Session& session) const {
    BLOBSCOPE_TRY(out, OutputFile::create(path, {{m_a, m_b}}));
    std::string text;
    BLOBSCOPE_CHECK(make([&](std::string_view piece) { text += piece; }));
    BLOBSCOPE_CHECK(out.write(Bytes::copyOf(text), session.monitor()));
    return out.commit();
  }

  static void writeSide(json::Writer& writer, const char* key, const diff::Side& side) {
    writer.key(key).beginObject();
    writer.member("path", side.path);
    writer.member("size", side.size);
    writer.member("container", side.container);
    writer.endObject();
  }

  void write(Session& session, const DiffTree& tree) const {
    const auto writer = beginDocument(session);
    const auto ref = [&](const char* key, const std::optional<Ref>& value) {
      value ? writer->member(key, value->toString()) : writer->nullMember(key);
    };
    const auto text = [&](const char* key, const std::string& value) {
      value.empty() ? writer->nullMember(key) : writer->member(key, value);
    };
    writer->member("equal", tree.equal());
    writer->member("identical", tree.identical);
    writeSide(*writer, "a", tree.a);
    writeSide(*writer, "b", tree.b);
    writer->key("summary").beginObject();
    for (std::size_t i = 0; i < diff::kStatuses; ++i)
      writer->member(diff::statusName(static_cast<Status>(i)), tree.count(static_cast<Status>(i)));
    writer->endObject();
    writer->key("sentences").beginArray();
    for (const std::string& clause : diff::summaryOf(tree)) writer->value(clause);
    writer->endArray();
    writer->key("notes").beginArray();
    for (const std::string& note : tree.notes) writer->value(note);
    writer->endArray();
    writer->key("nodes").beginArray();
    for (const DiffNode& node : tree.nodes) {
      if (session.monitor().stopRequested()) break;
      writer->beginObject();
      writer->member("status", diff::statusName(node.status));
      writer->member("kind", diff::nodeKindName(node.kind()));
      writer->member("topic", diff::topicName(node.topic));
      ref("a", node.a);
      ref("b", node.b);
      writer->member("name", node.name);
      text("newName", node.newName);
      writer->member("parent",
                     node.parent == DiffNode::kNoParent ? std::nullopt : std::optional<uint64_t>(node.parent));
      text("detail", node.detail);
      writer->endObject();
    }
    writer->endArray();
    writer->member("leftOut", tree.leftOut);
    writer->endObject();
    writer->finish();
  }

  /// Removed and changed things in the colours of findings; what is only elsewhere needs none.
  static std::string statusText(Session& session, Status status) {
    std::string word(diff::statusName(status));
    const std::string blanks(8 - word.size(), ' ');
    switch (status) {
    case Status::Removed: return session.coloured(Severity::Error, word) + blanks;
    case Status::Changed: return session.coloured(Severity::Warning, word) + blanks;
    case Status::Added: return session.coloured(Severity::Note, word) + blanks;
    default: return word + blanks;
    }
  }

  void print(Session& session, const DiffTree& tree) const {
    for (const diff::Side* const side : {&tree.a, &tree.b})
      session.print(std::string(side == &tree.a ? "A: " : "B: ") + escaped(side->path) + ", " +
                    escaped(side->container) + ", " + sizeText(side->size) + "\n");
    for (const std::string& clause : diff::summaryOf(tree)) session.print("  " + clause + "\n");
    for (const std::string& note : tree.notes) session.print("  note: " + note + "\n");
    const std::vector<unsigned> depths = tree.depths();
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      const DiffNode& node = tree.nodes[i];
      if (session.monitor().stopRequested()) return;
      std::string line = statusText(session, node.status) + " " + std::string(2 * depths[i], ' ') +
                         std::string(diff::topicName(node.topic)) + " " + diff::shownName(node);
      // Modules of one kind are told apart by their numbers.
      if (node.topic == diff::Topic::Module) {
        line += " (" + (node.a ? node.a->shown() : node.b->shown());
        if (node.a && node.b && *node.a != *node.b) line += " → " + node.b->shown();
        line += ")";
      }
      if (!node.detail.empty()) line += ": " + node.detail;
      session.print(line + "\n");
    }
    if (tree.leftOut > 0) session.print(groupedText(tree.leftOut) + " more are not listed\n");
  }

  std::string m_a, m_b, m_only, m_html, m_markdown;
  std::vector<std::string> m_ignored;
  bool m_full = false;
};

} // namespace

std::unique_ptr<Command> makeDiff() { return std::make_unique<DiffCommand>(); }

} // namespace blobscope::cli
