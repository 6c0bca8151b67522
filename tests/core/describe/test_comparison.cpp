#include "core/describe/comparison_html.h"
#include "core/describe/comparison_markdown.h"

#include "core/describe/code_changes.h"
#include "core/describe/comparison.h"
#include "core/diff/compare.h"
#include "core/library/open.h"
#include "tests/core/base/files.h"
#include "tests/support/builders.h"
#include "tests/support/tensor_builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <QRegularExpression>
#include <QXmlStreamReader>

using namespace blobscope;
using namespace blobscope::test;
using namespace diff;
using namespace describe;

namespace {

/// A tree with a module that contains a kernel, names that look like markup, and a note.
DiffTree sample() {
  DiffTree tree;
  tree.a = {"a <b>.so", 1'000, "ELF shared, x86_64"};
  tree.b = {"b|c.so", 1'012, "ELF shared, x86_64"};
  const auto add = [&](Status status, Topic topic, uint32_t parent, const std::string& name, const std::string& detail,
                       const std::string& newName = {}) {
    DiffNode node;
    node.status = status;
    node.topic = topic;
    node.parent = parent;
    node.name = name;
    node.newName = newName;
    node.detail = detail;
    if (topic == Topic::Kernel && status == Status::Changed) {
      auto code = std::make_shared<CodeChange>();
      code->numbers = {
          {"registers", 96, 168}, {"occupancy", 50, 25}, {"stack", std::nullopt, 8}, {"instructions", 120, 138}};
      code->listing = "SASS";
      code->removed = 2;
      code->added = 20;
      code->instructions = {{"matrix", 4, 4}, {"global memory", 1'020, 2'024}};
      node.code = code;
    }
    if (status != Status::Added) node.a = Ref::moduleAt("", 1);
    if (status != Status::Removed) node.b = Ref::moduleAt("", 1);
    ++tree.counts[static_cast<std::size_t>(topic)][static_cast<std::size_t>(status)];
    tree.nodes.push_back(std::move(node));
  };
  add(Status::Changed, Topic::Module, DiffNode::kNoParent, "cuda", "12 → 24 bytes");
  add(Status::Changed, Topic::Kernel, 0, "<script>alert(1)</script>", "registers 96 → 168");
  add(Status::Renamed, Topic::Kernel, 0, "`a`", "", "b``c");
  add(Status::Removed, Topic::Symbol, DiffNode::kNoParent, "new\nline \xff &amp;", "");
  tree.counts[static_cast<std::size_t>(Topic::Kernel)][0] = 412;
  tree.counts[static_cast<std::size_t>(Topic::Tensor)][1] = 2;
  tree.largestDifference = 3e-4;
  tree.notes = {"host code is for <other> systems"};
  tree.leftOut = 7;
  return tree;
}

QString html(const DiffTree& tree) {
  std::string out;
  NullMonitor monitor;
  if (!writeHtml(tree, [&](std::string_view text) { out += text; }, monitor)) return {};
  return QString::fromStdString(out);
}

QString markdown(const DiffTree& tree) {
  std::string out;
  NullMonitor monitor;
  if (!writeMarkdown(tree, [&](std::string_view text) { out += text; }, monitor)) return {};
  return QString::fromStdString(out);
}

} // namespace

class TestComparisonReport : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void summaryCountsChanges() {
    QStringList clauses;
    for (const std::string& clause : summaryOf(sample())) clauses << QString::fromStdString(clause);
    QCOMPARE(clauses, QStringList({"1 module changed", "412 kernels same, 1 changed, 1 renamed",
                                   "2 tensors changed, max difference 0.0003", "1 symbol removed",
                                   QString::fromUtf8("registers 96 → 168 in <script>alert(1)</script>"),
                                   QString::fromUtf8("occupancy 50 % → 25 % in <script>alert(1)</script>"),
                                   QString::fromUtf8("size 1,000 → 1,012 bytes (+1.2 %)")}));
    DiffTree same;
    same.identical = true;
    same.counts[0][0] = 2;
    QCOMPARE(QString::fromStdString(summaryLine(same)),
             QStringLiteral("the files are identical, byte for byte; 2 modules same"));
    same.identical = false;
    QCOMPARE(QString::fromStdString(summaryOf(same).front()), QStringLiteral("no differences in the compared parts"));
    DiffTree half = sample();
    half.b.size = 999;
    QCOMPARE(QString::fromStdString(summaryOf(half).back()), QString::fromUtf8("size 1,000 → 999 bytes (-0.1 %)"));
  }

  /// Well-formed once the void elements are closed, and without anything that loads or runs.
  void htmlIsWellFormedAndSelfContained() {
    for (const DiffTree& tree : {sample(), DiffTree()}) {
      const QString text = html(tree);
      QVERIFY(text.startsWith(QLatin1String("<!DOCTYPE html>")));
      QString xml = text.mid(text.indexOf(QLatin1String("<html")));
      static const QRegularExpression kMeta(QStringLiteral("<meta ([^>]*)>"));
      xml.replace(kMeta, QStringLiteral("<meta \\1/>"));
      xml.replace(QStringLiteral("<details open>"), QStringLiteral("<details>"));
      QXmlStreamReader reader(xml);
      while (!reader.atEnd()) reader.readNext();
      QVERIFY2(!reader.hasError(), qPrintable(reader.errorString() + QString::number(reader.lineNumber())));
      for (const char* word : {"<script", "<img", "<link", "http://", "https://", "src=", "onclick"})
        QVERIFY2(!text.contains(QLatin1String(word)), word);
      QVERIFY(text.contains(QLatin1String("prefers-color-scheme: dark")));
    }
    const QString text = html(sample());
    QVERIFY(text.contains(QLatin1String("&lt;script&gt;alert(1)&lt;/script&gt;")));
    QVERIFY(text.contains(QLatin1String("new\\nline \\xff &amp;amp;")));
    QVERIFY(text.contains(QLatin1String("7 more are not listed")));
    QVERIFY(text.contains(QLatin1String("<h3><code>&lt;script&gt;alert(1)&lt;/script&gt;</code></h3>")));
    QVERIFY(text.contains(
        QString::fromUtf8("<tr><th>registers</th><td class=\"number\">96</td><td class=\"number\">168</td>"
                          "<td class=\"number\">+72</td></tr>")));
    QVERIFY(text.contains(QString::fromUtf8("<tr><th>stack</th><td class=\"number\">–</td><td class=\"number\">8</td>"
                                            "<td class=\"number\"></td></tr>")));
    QVERIFY(text.contains(QLatin1String("<tr><th>SASS: global memory</th><td class=\"number\">1,020</td>")));
    QVERIFY(text.contains(QLatin1String("host code is for &lt;other&gt; systems")));
  }

  void markdownIsEscaped() {
    const QString text = markdown(sample());
    QVERIFY2(text.contains(QString::fromUtf8("- **changed** module `cuda` `m1`: 12 → 24 bytes\n  - **changed** kernel "
                                             "`<script>alert(1)</script>`: registers 96 → 168; SASS instructions 120 → "
                                             "138: global memory 1,020 → 2,024\n")),
             qPrintable(text));
    QVERIFY2(text.contains(QString::fromUtf8("**renamed** kernel ``` `a` → b``c ```\n")), qPrintable(text));
    QVERIFY2(text.contains(QLatin1String("| B | b\\|c.so |")), qPrintable(text));
    QVERIFY(text.contains(QLatin1String("a \\<b\\>.so")));
    QVERIFY(text.endsWith(QLatin1String("7 more are not listed.\n")));
  }

  /// Text that looks like a link, a picture, a mention, an issue or a list stays text in notes, paths and details.
  void markdownTextNeverBecomesMarkup() {
    const auto noteOf = [](const std::string& note) {
      DiffTree tree;
      tree.notes = {note};
      const QString text = markdown(tree);
      return text.section(QLatin1String("## Notes\n\n- "), 1).section(QLatin1String("\n"), 0, 0);
    };
    const struct {
      const char *note, *written;
    } cases[] = {
        {"plain words, 1 of 2 (and more)", "plain words, 1 of 2 (and more)"},
        {"[a](http://b)", "\\[a\\](http:<!-- -->//b)"},
        {"![a](b)", "\\!<!-- -->\\[a\\](b)"},
        {"<img src=x>", "\\<img src=x\\>"},
        {"thanks @octocat and a@b.example", "thanks @<!-- -->octocat and a@<!-- -->b.example"},
        {"see #12 or GH-12", "see \\#<!-- -->12 or GH-<!-- -->12"},
        {"a | b", "a \\| b"},
        {"`a` *b* _c_ ~~d~~", "\\`a\\` \\*b\\* \\_c\\_ \\~\\~d\\~\\~"},
        {"https://example.org www.example.org", "https:<!-- -->//example.org www\\.example.org"},
        {":tada:", ":<!-- -->tada:"},
        {"- item", "\\- item"},
        {"1. item", "1\\. item"},
        {"a\nb\x1b[31m\xe2\x80\xae", "a b\\\\x1b\\[31m\\\\u202e"},
        {"&lt;b&gt;", "\\&lt;b\\&gt;"},
    };
    for (const auto& [note, written] : cases) QCOMPARE(noteOf(note), QString::fromUtf8(written));
    QVERIFY(noteOf(std::string(1'000'000, 'k')).size() < 5'000);
    // A name is a code span, whatever it contains.
    DiffTree tree = sample();
    tree.nodes[0].name = "```\n@octocat #12 [a](b) <b>";
    tree.nodes[1].name = std::string(1'000'000, '`');
    const QString text = markdown(tree);
    QVERIFY2(text.contains(QLatin1String("module ```` ```\\n@octocat #12 [a](b) <b> ````")), qPrintable(text));
    QVERIFY(text.size() < 5'000);
  }

  void mirroredComparisonSwapsTheSides() {
    const DiffTree tree = sample(), twice = mirrored(mirrored(tree));
    QCOMPARE(twice.nodes.size(), tree.nodes.size());
    QVERIFY(twice.counts == tree.counts);
    QCOMPARE(mirrored(tree).count(Topic::Symbol, Status::Added), uint64_t{1});
    QCOMPARE(mirrored(tree).nodes[2].name, std::string("b``c"));
    QCOMPARE(onlyKind(tree, NodeKind::Kernel).nodes.size(), std::size_t{2});
    QCOMPARE(onlyKind(tree, NodeKind::Kernel).count(Status::Same), uint64_t{412});
  }

  void reportsCanBeCancelled() {
    StopAfter stop(1);
    QVERIFY(!writeHtml(sample(), [](std::string_view) {}, stop));
    StopAfter soon(1);
    QVERIFY(!writeMarkdown(sample(), [](std::string_view) {}, soon));
  }

  /// Two builds whose kernel needs other resources: the call graph shows it. Each picture is one element of its own.
  void graphsAreInTheReport() {
    NullMonitor monitor;
    const auto open = [&](const char* name) {
      return *library::open(std::string(BLOBSCOPE_SOURCE_DIR "/resources/sample/") + name, monitor);
    };
    const library::PackagePtr a = open("sample-cuda-a.so"), b = open("sample-cuda-b.so");
    const auto tree = diff::compare(a, b, {}, monitor);
    const auto graphs = differingGraphs(*tree, a, b, monitor);
    QVERIFY(graphs);
    QCOMPARE(graphs->size(), std::size_t{2}); // also a constant
    QCOMPARE(graphs->front().title, std::string("Call graph: 1 changed"));
    QXmlStreamReader svg{QByteArray::fromStdString(graphs->front().svg)};
    int boxes = 0;
    while (!svg.atEnd()) {
      svg.readNext();
      const auto look = svg.attributes().value(QStringLiteral("class"));
      boxes += svg.isStartElement() && svg.name() == QStringLiteral("rect") && look == QStringLiteral("box changed");
    }
    QVERIFY2(!svg.hasError(), qPrintable(svg.errorString()));
    QCOMPARE(boxes, 1);

    std::string report;
    QVERIFY(writeHtml(*tree, [&](std::string_view text) { report += text; }, monitor, *graphs));
    QVERIFY(report.find("<summary>Call graph: 1 changed</summary>") != std::string::npos);
    QVERIFY(report.find(graphs->front().svg) != std::string::npos);
    const auto same = differingGraphs(*diff::compare(a, a, {}, monitor), a, a, monitor);
    QVERIFY(same && same->empty());
  }

  /// One of six values differs: a heat map of six cells, of which one has another colour.
  void tensorsAreInTheReport() {
    NullMonitor monitor;
    QTemporaryDir folder;
    const auto write = [&](const char* name, float value) {
      const std::string payload = constants({"w"}, {{kFloat32, {2, 3}, floats({1, 2, 3, 4, value, 6})}}, {"f"}, {{}});
      ElfBuilder elf;
      elf.function("__tvm_ffi_f");
      elf.data("__tvm_ffi__library_bin", ffiBlob({{"_lib", ""}, {"const_loader", payload}}, {{1}, {}}));
      writeFile(in(folder, name), elf.build());
      return *library::open(in(folder, name), monitor);
    };
    const library::PackagePtr a = write("a.so", 5), b = write("b.so", 5.5f);
    const auto tree = diff::compare(a, b, {}, monitor);
    const auto pictures = differingGraphs(*tree, a, b, monitor);
    QVERIFY(pictures);
    const auto map =
        std::ranges::find(*pictures, std::string("m1/param:w: 1 of 6 values differs"), &ReportGraph::title);
    QVERIFY(map != pictures->end());
    QXmlStreamReader svg{QByteArray::fromStdString(map->svg)};
    QMap<QString, int> cells; // by colour
    while (!svg.atEnd()) {
      svg.readNext();
      if (svg.isStartElement() && svg.name() == QStringLiteral("rect") &&
          svg.attributes().value(QStringLiteral("width")) == QStringLiteral("24.0"))
        ++cells[svg.attributes().value(QStringLiteral("fill")).toString()];
    }
    QVERIFY2(!svg.hasError(), qPrintable(svg.errorString()));
    QCOMPARE(cells.values(), (QList<int>{1, 5}));
  }

  void resourcesAreSummarised() {
    DiffTree tree = sample();
    DiffNode other = tree.nodes[1];
    auto code = std::make_shared<CodeChange>(*other.code);
    code->numbers = {{"registers", 16, 255}, {"occupancy", 50, 50}};
    other.name = "mul";
    other.code = code;
    tree.nodes.push_back(other);
    const std::vector<ResourceChange> changes = resourceChanges(tree);
    QCOMPARE(changes.size(), std::size_t{2});
    QCOMPARE(QString::fromStdString(resourceText(changes[0])),
             QString::fromUtf8("registers changed in 2 kernels, most in mul: 16 → 255"));
    QCOMPARE(QString::fromStdString(changeText(changes[1])), QString::fromUtf8("50 % → 25 %"));
    QVERIFY(resourceChanges(DiffTree()).empty());
    QCOMPARE(QString::fromStdString(mixText(*tree.nodes[1].code)),
             QString::fromUtf8("SASS instructions 120 → 138: global memory 1,020 → 2,024"));
    QVERIFY(mixText(CodeChange()).empty());
    QCOMPARE(mirrored(tree).nodes[1].code->numbers.front(), (NumberPair{"registers", 168, 96}));
  }

  void kindsAndTopicsHaveNames() {
    for (std::size_t i = 0; i < kNodeKinds; ++i)
      QCOMPARE(*findNodeKind(nodeKindName(static_cast<NodeKind>(i))), static_cast<NodeKind>(i));
    QVERIFY(!findNodeKind("nonsense"));
    for (std::size_t i = 0; i < kTopics; ++i)
      QVERIFY(topicName(static_cast<Topic>(i)) != topicPlural(static_cast<Topic>(i)));
  }
};

BLOBSCOPE_TEST(TestComparisonReport);

#include "test_comparison.moc"
