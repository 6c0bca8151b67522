#include "app/cli/command.h"

#include "core/base/output_file.h"
#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/describe/comparison.h"
#include "core/describe/comparison_html.h"
#include "core/describe/comparison_markdown.h"
#include "core/describe/size_changes.h"
#include "core/diff/compare.h"
#include "core/library/damage.h"
#include "core/library/open.h"

#include <CLI/CLI.hpp>

#include <optional>

namespace blobscope::cli {
namespace {

/// What --ignore accepts in addition to the names of masks.
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
  std::string_view example() const override { return "old.so new.so --html report.html"; }
  std::string_view findings() const override { return "the files differ"; }
  void declare(CLI::App& app) override {
    app.add_option("A", m_a, "The old file")->type_name("")->required();
    app.add_option("B", m_b, "The new file")->type_name("")->required();
    app.add_flag("--json", json, "Write one JSON document instead of text");
    declareMemory(app);
    app.add_flag("--full", m_full, "Also list equal nodes");
    app.add_option("--only", m_only, "List only nodes of this kind")->type_name("KIND")->check(oneOf(kindWords()));
    app.add_option("--ignore", m_ignored, "Exclude this from the comparison; can be repeated")
        ->type_name("WHAT")
        ->allow_extra_args(false)
        ->check(oneOf(ignoredWords()));
    app.add_flag("--raw-numbers", m_rawNumbers,
                 "Also compare the numbers of constants, registers and labels in VM bytecode, PTX and SASS");
    app.add_flag("--sizes", m_sizes,
                 "Also list what has another size, and for archives what needs more or less memory, the largest "
                 "difference first");
    app.add_option("--html", m_html, "Also write a report to this file, as one HTML page")->type_name("FILE");
    app.add_option("--markdown", m_markdown, "Also write a report to this file, as Markdown")->type_name("FILE");
  }

  Result<Exit> run(Session& session) override {
    BLOBSCOPE_TRY(a, open(m_a, session));
    BLOBSCOPE_TRY(b, open(m_b, session));
    file = m_a;
    BLOBSCOPE_TRY(tree, diff::compare(a, b, options(), session.monitor()));
    if (const auto kind = diff::findNodeKind(m_only)) tree = diff::onlyKind(tree, *kind);
    if (!m_html.empty())
      BLOBSCOPE_CHECK(writeReport(
          m_html,
          [&](const describe::TextSink& sink) -> Result<Done> {
            BLOBSCOPE_TRY(graphs, describe::differingGraphs(tree, a, b, session.monitor()));
            BLOBSCOPE_TRY(bytes, sizes::compareSizes(a, b, session.monitor()));
            BLOBSCOPE_TRY(memory, describe::memoryChanges(a, b, session.monitor()));
            return describe::writeHtml(tree, sink, session.monitor(), graphs, &bytes, memory ? &*memory : nullptr);
          },
          session));
    if (!m_markdown.empty())
      BLOBSCOPE_CHECK(writeReport(
          m_markdown,
          [&](const describe::TextSink& sink) { return describe::writeMarkdown(tree, sink, session.monitor()); },
          session));
    std::optional<sizes::SizeComparison> changed, memory;
    if (m_sizes) {
      BLOBSCOPE_TRY(needs, describe::memoryChanges(a, b, session.monitor()));
      memory = std::move(needs);
      BLOBSCOPE_TRY(bytes, sizes::compareSizes(a, b, session.monitor()));
      changed = std::move(bytes);
    }
    if (json) {
      const auto writer = beginDocument(session);
      describe::writeComparison(*writer, tree, session.monitor());
      if (changed) describe::writeSizes(*changed, *writer);
      if (memory) describe::writeSizes(*memory, *writer, "memory");
      writer->endObject();
      writer->finish();
    } else {
      printDamage("A", *a, session);
      printDamage("B", *b, session);
      describe::writeText(tree, session.output(), session.monitor());
      if (memory) describe::writeText(*memory, session.output(), "memory");
      if (changed) describe::writeText(*changed, session.output());
    }
    if (session.monitor().stopRequested()) return Error(DiagnosticId::Cancelled, {});
    return tree.equal() ? kFine : kFindings;
  }

private:
  Result<library::PackagePtr> open(const std::string& path, Session& session) {
    file = path; // for messages
    return openFile(session);
  }

  /// Differences in a damaged file are no differences in what was built.
  static void printDamage(std::string_view side, const library::Package& package, Session& session) {
    if (const std::string damage = library::damageText(package); !damage.empty())
      session.print(session.coloured(Severity::Error, std::string(side) + " is damaged") + ": " + damage + "\n");
  }

  diff::CompareOptions options() const {
    diff::CompareOptions options;
    options.full = m_full;
    options.rawNumbers = m_rawNumbers;
    for (const std::string& word : m_ignored) {
      if (word == "order") options.order = false;
      if (word == "names") options.names = false;
      if (word == "container") options.container = false;
      if (word == "host-code") options.hostCode = false;
      if (const auto mask = diff::findMask(word)) options.masks = options.masks.with(*mask);
    }
    return options;
  }

  Result<Done> writeReport(const std::string& path, const std::function<Result<Done>(const describe::TextSink&)>& make,
                           Session& session) const {
    BLOBSCOPE_TRY(out, OutputFile::create(pathFrom(path), {{pathFrom(m_a), pathFrom(m_b)}}));
    std::string text;
    BLOBSCOPE_CHECK(make([&](std::string_view piece) { text += piece; }));
    BLOBSCOPE_CHECK(out.write(Bytes::copyOf(text), session.monitor()));
    return out.commit();
  }

  std::string m_a, m_b, m_only, m_html, m_markdown;
  std::vector<std::string> m_ignored;
  bool m_full = false, m_rawNumbers = false, m_sizes = false;
};

} // namespace

std::unique_ptr<Command> makeDiff() { return std::make_unique<DiffCommand>(); }

} // namespace blobscope::cli
