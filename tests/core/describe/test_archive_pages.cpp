#include "core/describe/node.h"

#include "core/library/contents.h"
#include "core/library/open.h"
#include "core/mlf/exporter.h"
#include "core/mlf/memory_use.h"
#include "core/view/render.h"
#include "tests/support/builders.h"
#include "tests/support/mlf_builder.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

namespace blobscope::test {
namespace {

using namespace std::string_literals;

library::PackagePtr opened(const std::string& file) {
  const auto package = openBytes(file);
  return package ? *package : nullptr;
}

const view::Page* pageOf(const view::PageList& pages, std::string_view name) {
  for (const view::Page& page : pages)
    if (page.name == name) return &page;
  return nullptr;
}

std::string textOf(const view::PageList& pages, std::string_view name) {
  const view::Page* const page = pageOf(pages, name);
  if (!page) return "no page " + std::string(name);
  std::string out;
  NullMonitor monitor;
  if (!view::renderText(*page, [&](std::string_view text) { out += text; }, monitor)) return "cancelled";
  return out;
}

view::PageList pagesOf(const library::PackagePtr& package, const Ref& ref = Ref::file()) {
  NullMonitor monitor;
  auto pages = describe::pagesOf(package, ref, monitor);
  return pages ? std::move(*pages) : view::PageList();
}

library::Overview overviewOf(const library::PackagePtr& package) {
  NullMonitor monitor;
  const auto archive = mlf::readArchive(package, monitor);
  auto overview = describe::overviewOf(*package, archive ? archive->get() : nullptr, monitor);
  return overview ? std::move(*overview) : library::Overview();
}

std::string factOf(const library::Overview& overview, std::string_view label) {
  for (const auto& fact : overview.facts)
    if (fact.label == label) return fact.value;
  return "no fact " + std::string(label);
}

std::string releaseOf(const Mlf& mlf) {
  NullMonitor monitor;
  const auto archive = mlf::readArchive(opened(mlf.tar()), monitor);
  return archive && *archive ? mlf::exporterOf(**archive).release : "no archive";
}

} // namespace

/// The pages of an archive.
class TestArchivePages : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void everyVersionHasOverviewAndPages_data();
  void everyVersionHasOverviewAndPages();
  void memoryPageShowsPoolsAndBuffers();
  void memoryPageCountsLoadedSectionsOfObjects();
  void memorySumsNeverOverflow();
  void operatorsPageShowsTheirSources();
  void tensorsPageShowsRolesAndShapes();
  void membersHaveRoles();
  void metadataPageShowsTheJson();
  void overviewDescribesTheModel();
  void versionAndContentGiveTheRelease();
  void contentsShowTheWorstFinding();
  void findingsInNestedMembersLeadIntoThem();
  void detailsExplainTheFinding();
  void projectShowsItsArchive();
  void unpackedFolderOpensLikeTheArchive();
  void foldersAreLimitedInDepthAndFiles();

private:
  NullMonitor m_monitor;
};

void TestArchivePages::everyVersionHasOverviewAndPages_data() {
  QTest::addColumn<unsigned>("version");
  QTest::addColumn<int>("style");
  for (const MlfVariant& variant : mlfVariants())
    QTest::newRow(variant.title().c_str()) << variant.version << static_cast<int>(variant.style);
}

void TestArchivePages::everyVersionHasOverviewAndPages() {
  QFETCH(unsigned, version);
  QFETCH(int, style);
  const auto package = opened(cleanMlf(version, static_cast<MlfStyle>(style)).tar());
  QVERIFY(package);
  QCOMPARE(std::string(package->kind()), "mlf"s);
  const library::Overview overview = overviewOf(package);
  QVERIFY2(overview.sentence.find("version " + std::to_string(version)) != std::string::npos,
           overview.sentence.c_str());
  QCOMPARE(overview.state, "No rule of the format is broken."s);
  const view::PageList pages = pagesOf(package);
  QCOMPARE(pages.front().name, "Overview"s);
  for (const char* name : {"Problems", "Operators", "Tensors", "Metadata", "Members", "Hex"})
    QVERIFY2(pageOf(pages, name), name);
  // Version 1 knows storage only.
  QCOMPARE(pageOf(pages, "Memory") != nullptr, version > 1);
  QVERIFY(textOf(pages, "Operators")
              .find(style == static_cast<int>(MlfStyle::Operator)              ? "add_op"
                    : version == 1 && style == static_cast<int>(MlfStyle::Aot) ? "function"
                                                                               : "fused_add") != std::string::npos);
}

void TestArchivePages::memoryPageShowsPoolsAndBuffers() {
  const auto package = opened(cleanMlf(7, MlfStyle::Graph).tar());
  const view::PageList pages = pagesOf(package);
  const auto* const bars = std::get_if<view::BarsPage>(&pageOf(pages, "Memory")->content);
  QVERIFY(bars);
  QCOMPARE(bars->groups.size(), std::size_t{3});
  QCOMPARE(bars->groups[0].title, "RAM"s);
  QCOMPARE(bars->groups[0].budget, "RAM"s);
  QCOMPARE(bars->groups[0].bars.size(), std::size_t{1});
  QCOMPARE(bars->groups[0].bars[0].bytes(), uint64_t{64 + 32});
  QCOMPARE(bars->groups[0].bars[0].parts[0].bytes, uint64_t{64});
  QCOMPARE(bars->groups[1].budget, "ROM"s);
  QCOMPARE(bars->groups[1].bars[0].bytes(), uint64_t{16});
  QVERIFY(bars->groups[2].budget.empty());
  QCOMPARE(bars->groups[2].bars[0].bytes(), uint64_t{32});
  const std::string text = textOf(pages, "Memory");
  QVERIFY2(text.find("main on CPU  96  ##############################  workspace 64  inputs and outputs 32") !=
               std::string::npos,
           text.c_str());
  // Two models are distinguished.
  const std::string two = textOf(pagesOf(opened(cleanMlfOfTwo().tar())), "Memory");
  QVERIFY2(two.find("RAM of net\n") != std::string::npos && two.find("RAM of net_lib0\n") != std::string::npos,
           two.c_str());
  // For operators: the buffers.
  const std::string buffers = textOf(pagesOf(opened(cleanMlf(7, MlfStyle::Operator).tar())), "Memory");
  QVERIFY2(buffers.find("Buffers of functions\n  add_op  32") != std::string::npos, buffers.c_str());
}

/// Objects contribute their loaded sections.
void TestArchivePages::memoryPageCountsLoadedSectionsOfObjects() {
  Mlf mlf = cleanMlf(7, MlfStyle::Graph);
  ElfBuilder elf;
  elf.type = 1;
  elf.dynamic = false;
  elf.staticSymbols = true;
  elf.function("tvmgen_default_fused_add");
  mlf.remove("./codegen/host/src/default_lib1.c").add("./codegen/host/lib/default_lib0.o", elf.build());
  const view::PageList pages = pagesOf(opened(mlf.tar()));
  const auto* const bars = std::get_if<view::BarsPage>(&pageOf(pages, "Memory")->content);
  QVERIFY(bars);
  const view::BarsPage::Bar& rom = bars->groups[1].bars[0];
  QCOMPARE(rom.parts.size(), std::size_t{2});
  QVERIFY(rom.parts[1].bytes > 0);
  QVERIFY(!bars->groups[1].note.empty());
}

/// Sums of numbers in a damaged file stay within 64 bits.
void TestArchivePages::memorySumsNeverOverflow() {
  Mlf mlf = cleanMlf(7, MlfStyle::Graph);
  mlf.meta("\"workspace_size_bytes\": 64", "\"workspace_size_bytes\": 18446744073709551615")
      .meta("\"io_size_bytes\": 32", "\"io_size_bytes\": 18446744073709551615");
  const auto package = opened(mlf.tar());
  const view::PageList pages = pagesOf(package);
  QCOMPARE(std::get<view::BarsPage>(pageOf(pages, "Memory")->content).groups[0].bars[0].bytes(), UINT64_MAX);
  QVERIFY(textOf(pages, "Memory").find("18,446,744,073,709,551,615") != std::string::npos);
  QVERIFY(!overviewOf(package).sentence.empty());
}

void TestArchivePages::operatorsPageShowsTheirSources() {
  const auto package = opened(cleanMlf(7, MlfStyle::Graph).tar());
  const view::PageList pages = pagesOf(package);
  const auto& table = *std::get<view::TablePage>(pageOf(pages, "Operators")->content).source;
  QCOMPARE(table.rowCount(), uint64_t{1});
  std::string cells;
  for (std::size_t column = 0; column < table.columns().size(); ++column) cells += table.cell(0, column) + "|";
  QCOMPARE(cells, "tvmgen_default_fused_add|tvmgen_default_fused_add|1|32|default_lib1.c|11|"s);
  // The row leads to the line of the definition.
  const auto target = table.target(0, Ref::file());
  QVERIFY(target && target->at);
  QCOMPARE(target->node().toString(), "./codegen/host/src/default_lib1.c!"s);
  const auto source = library::memberOf(package, *target);
  QVERIFY(source &&
          (*source)->bytes.view().substr(*target->at).starts_with("TVM_DLL int32_t tvmgen_default_fused_add("));
  // A function without a definition.
  const std::string missing =
      textOf(pagesOf(opened(cleanMlf(7, MlfStyle::Graph)
                                .add("./codegen/host/src/default_lib1.c", "// tvm target: c -keys=cpu \n")
                                .tar())),
             "Operators");
  QVERIFY2(missing.find("nowhere") != std::string::npos, missing.c_str());
}

void TestArchivePages::tensorsPageShowsRolesAndShapes() {
  const std::string graph = textOf(pagesOf(opened(cleanMlf(7, MlfStyle::Graph).tar())), "Tensors");
  QVERIFY2(graph.find("parameter") != std::string::npos && graph.find("[1, 4]") != std::string::npos &&
               graph.find("output of tvmgen_default_fused_add") != std::string::npos,
           graph.c_str());
  // The parameter leads into the parameter file.
  const auto package = opened(cleanMlf(7, MlfStyle::Graph).tar());
  const view::PageList pages = pagesOf(package);
  const auto& table = *std::get<view::TablePage>(pageOf(pages, "Tensors")->content).source;
  const auto target = table.target(1, Ref::file());
  QVERIFY(target);
  QCOMPARE(target->toString(), "./parameters/default.params!param:p0"s);
  QVERIFY(!pagesOf(package, *target).empty());
  // Without a graph: the tensors listed in the metadata.
  const std::string aot = textOf(pagesOf(opened(cleanMlf(7, MlfStyle::Aot).tar())), "Tensors");
  QVERIFY2(aot.find("input") != std::string::npos && aot.find("output") != std::string::npos &&
               aot.find("float32") != std::string::npos,
           aot.c_str());
}

void TestArchivePages::membersHaveRoles() {
  const auto package = opened(cleanMlf(7, MlfStyle::Aot).tar());
  std::string roles;
  for (const library::PackageMember& member : package->members)
    if (member.role != "folder") roles += std::string(member.role) + " ";
  QCOMPARE(roles, "header source source metadata params runtime runtime relay runtime "s);
  // C and Relay are coloured, JSON is shown as text and as fields.
  const auto languageOf = [&](const char* path, const char* page) {
    const view::PageList pages = pagesOf(package, Ref::named(Ref::Kind::Member, path));
    const view::Page* const found = pageOf(pages, page);
    const auto* const text = found ? std::get_if<view::TextPage>(&found->content) : nullptr;
    return text ? text->language : "no text page"s;
  };
  QCOMPARE(languageOf("./codegen/host/src/default_lib1.c", "Source"), "c"s);
  QCOMPARE(languageOf("./codegen/host/include/tvmgen_default.h", "Source"), "c"s);
  QCOMPARE(languageOf("./src/default.relay", "Source"), "relay"s);
  QCOMPARE(languageOf("./metadata.json", "Text"), "json"s);
  QVERIFY(textOf(pagesOf(package, Ref::named(Ref::Kind::Member, "./metadata.json")), "Fields").find("modules") !=
          std::string::npos);
  // An archive inside a folder has the same roles.
  Mlf wrapped;
  for (const MlfMember& member : cleanMlf(7, MlfStyle::Graph).members)
    if (member.type == '0') wrapped.add("model/" + member.path.substr(2), member.content);
  const auto inFolder = opened(wrapped.tar());
  QCOMPARE(std::string(inFolder->kind()), "mlf"s);
  QCOMPARE(std::string(inFolder->members.back().role), "relay"s);
}

void TestArchivePages::metadataPageShowsTheJson() {
  const std::string text = textOf(pagesOf(opened(cleanMlf(5, MlfStyle::Graph).tar())), "Metadata");
  for (const char* line : {"model_name: \"default\"", "version: 5", "target", "1: \"c -keys=cpu \"", "sids: 3 items",
                           "[0]", "storage_id: 0"})
    QVERIFY2(text.find(line) != std::string::npos, (line + ("\n" + text)).c_str());
  const std::string broken =
      textOf(pagesOf(opened(cleanMlf(5, MlfStyle::Graph).add("./metadata.json", "{\"a\": ").tar())), "Metadata");
  QVERIFY2(broken.find("no valid JSON") != std::string::npos || broken.find("JSON") != std::string::npos,
           broken.c_str());
}

void TestArchivePages::overviewDescribesTheModel() {
  const library::Overview graph = overviewOf(opened(cleanMlf(7, MlfStyle::Graph).tar()));
  QCOMPARE(graph.sentence,
           "Model Library Format archive, version 7: the model 'default' for the graph executor, as 2 C sources."s);
  QCOMPARE(factOf(graph, "Runtime"), "C runtime"s);
  QCOMPARE(factOf(graph, "Target"), "c -keys=cpu"s);
  QCOMPARE(factOf(graph, "RAM"), "64 bytes workspace, 32 bytes inputs and outputs"s);
  QCOMPARE(factOf(graph, "ROM"), "16 bytes constants"s);
  const library::Overview two = overviewOf(opened(cleanMlfOfTwo().tar()));
  QVERIFY2(two.sentence.find(": 2 models, for the graph and AOT executors") != std::string::npos, two.sentence.c_str());
  QCOMPARE(factOf(two, "Models"), "net, net_lib0"s);
  // Errors come first.
  const library::Overview broken = overviewOf(opened(cleanMlf(5, MlfStyle::Graph).meta("full-model", "model").tar()));
  QCOMPARE(broken.worst, Severity::Error);
  QCOMPARE(broken.state, "1 rule violation."s);
  QVERIFY2(broken.stateDetail.find("style") != std::string::npos, broken.stateDetail.c_str());
  // Notes are counted, but break no rule that readers need.
  const library::Overview noted = overviewOf(opened(cleanMlf(7, MlfStyle::Graph).add("./extra.bin", "x").tar()));
  QCOMPARE(noted.worst, Severity::Note);
  QCOMPARE(noted.state, "No errors or warnings; 1 note."s);
  QCOMPARE(factOf(noted, "Exported by"), "TVM 0.11 to 0.18 (from format version 7, inputs listed in the memory)"s);
  // Other archives of TVM's tools, by their kind.
  const auto sentence = [](const Mlf& mlf) { return overviewOf(opened(mlf.tar())).sentence; };
  QVERIFY(sentence(Mlf().add("mod.so", "x").add("mod.json", "{}").add("mod.params", "x"))
              .starts_with("Classic tvmc package"));
  QVERIFY(sentence(Mlf().add("model.json", "{}").add("model.params", "x")).starts_with("Saved tvmc model"));
  QVERIFY(sentence(Mlf().add("lib.so", "x")).starts_with("Tvmc package for the VM"));
}

void TestArchivePages::versionAndContentGiveTheRelease() {
  QCOMPARE(releaseOf(cleanMlf(1, MlfStyle::Graph)), "development of 0.8, March 2021"s);
  QCOMPARE(releaseOf(cleanMlf(4, MlfStyle::Graph)), "development of 0.8, July 2021"s);
  QCOMPARE(releaseOf(cleanMlf(6, MlfStyle::Graph)), "development of 0.9, May 2022"s);
  QCOMPARE(releaseOf(cleanMlf(7, MlfStyle::Aot)), "0.12.0"s);         // the runtime inside decides
  QCOMPARE(releaseOf(cleanMlf(7, MlfStyle::Graph)), "0.11 to 0.18"s); // inputs are listed
  QCOMPARE(releaseOf(cleanMlf(7, MlfStyle::Graph).add("./templates/platform.c.template")), "0.12 to 0.18"s);
  QCOMPARE(releaseOf(cleanMlf(7, MlfStyle::Graph).add("./runtime/Makefile")), "0.11"s);
  QCOMPARE(releaseOf(cleanMlf(5, MlfStyle::Graph)), "0.8 or development of 0.9, early 2022"s);
  QCOMPARE(releaseOf(cleanMlf(5, MlfStyle::Graph).add("./runtime/Makefile")), "development of 0.9, early 2022"s);
  QVERIFY(releaseOf(cleanMlf(7, MlfStyle::Graph).meta("\"version\": 7", "\"version\": 9")).empty());
}

void TestArchivePages::contentsShowTheWorstFinding() {
  const auto package = opened(cleanMlf(5, MlfStyle::Graph).meta("full-model", "model").tar());
  auto rows = library::contentsOf(*package);
  NullMonitor monitor;
  const auto report = mlf::check(package, monitor);
  QVERIFY(report);
  std::vector<library::FindingPlace> found;
  for (const check::Issue& issue : report->issues) found.push_back({*issue.ref, issue.severity});
  library::markSeverities(rows, found);
  for (const library::ContentsRow& row : rows)
    QCOMPARE(row.worst == Severity::Error,
             row.parent == library::ContentsRow::kNoParent || row.name == "metadata.json");
}

/// Findings in members that open on their own lead into them.
void TestArchivePages::findingsInNestedMembersLeadIntoThem() {
  const std::string tar =
      cleanMlf(7, MlfStyle::Graph)
          .replace("./parameters/default.params", std::string(8, '\0'), std::string(7, '\0') + "\x01")
          .tar();
  const auto package = opened(tar);
  NullMonitor monitor;
  const auto report = mlf::check(package, monitor);
  QVERIFY(report && !report->issues.empty());
  QCOMPARE(report->issues.front().refText(), "./parameters/default.params!@0x8"s);
  QVERIFY(!pagesOf(package, *report->issues.front().ref).empty());
  QVERIFY(!mlf::issueDetails(report->issues.front()).empty());
}

void TestArchivePages::detailsExplainTheFinding() {
  library::Package package;
  package.diagnostics = {{DiagnosticId::BlobModule,
                          Ref::moduleAt({}, 2).withBytes(0x5653, 8),
                          {arg("module", uint64_t{2}), arg("kind", "cuda"), arg("reason", "cut")}}};
  const check::Report report = mlf::foundWhileOpening(package);
  QCOMPARE(report.issues.size(), std::size_t{1});
  const view::Details details = mlf::issueDetails(report.issues[0]);
  QCOMPARE(details.size(), std::size_t{1});
  QCOMPARE(details[0].note, package.diagnostics[0].message());
  QCOMPARE(details[0].rows[1].severity, std::optional(Severity::Error));
  QCOMPARE(details[0].rows.back().value, "0x5653"s);
  QVERIFY(details[0].rows.back().link == package.diagnostics[0].place);
  // A rule of the format says what to do, or what its quick fix does.
  const auto broken = mlf::check(
      opened(cleanMlf(7, MlfStyle::Graph).meta("\"workspace_size_bytes\": 64", "\"workspace_size_bytes\": 6").tar()),
      m_monitor);
  QVERIFY(broken && !broken->issues.empty());
  const view::Details rule = mlf::issueDetails(broken->issues[0]);
  QCOMPARE(rule.back().title, "Quick fix"s);
  QVERIFY(!rule.back().note.empty() && rule.back().startsFix);
  const auto lost =
      mlf::check(opened(cleanMlf(7, MlfStyle::Graph).remove("./executor-config/graph/default.graph").tar()), m_monitor);
  QVERIFY(lost && !lost->issues.empty());
  const view::Details without = mlf::issueDetails(lost->issues[0]);
  QCOMPARE(without.back().title, "What to do"s);
  QVERIFY(!without.back().note.empty() && !without.back().startsFix);
}

void TestArchivePages::projectShowsItsArchive() {
  Mlf project;
  project.add("p/microtvm_api_server.py")
      .add("p/model.tar", cleanMlf(5, MlfStyle::Graph).meta("full-model", "model").tar());
  const auto package = opened(project.tar());
  QCOMPARE(std::string(package->kind()), "microtvm"s);
  NullMonitor monitor;
  const auto report = mlf::check(package, monitor);
  QVERIFY(report);
  QVERIFY2(report->issues.front().refText().starts_with("p/model.tar!member:./metadata.json@0x"),
           report->issues.front().refText().c_str());
  // The archive inside has its pages, too.
  Ref inner;
  inner.members = {"p/model.tar"};
  QVERIFY(pageOf(pagesOf(package, inner), "Operators"));
  QVERIFY(overviewOf(package).sentence.starts_with("Generated microTVM project"));
}

/// An unpacked archive opens like the archive; links are reported and not followed.
void TestArchivePages::unpackedFolderOpensLikeTheArchive() {
  QTemporaryDir folder;
  QVERIFY(folder.isValid());
  const QDir root(folder.path());
  for (const MlfMember& member : cleanMlf(7, MlfStyle::Graph).members) {
    if (member.type != '0') continue;
    const QString path = root.filePath(QString::fromStdString(member.path));
    QVERIFY(QDir().mkpath(QFileInfo(path).path()));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(member.content.data(), static_cast<qint64>(member.content.size()));
  }
  NullMonitor monitor;
  const auto clean = library::open(folder.path().toStdString(), monitor);
  QVERIFY(clean);
  QCOMPARE(std::string((*clean)->kind()), "mlf"s);
  const auto report = mlf::check(*clean, monitor);
  QVERIFY(report);
  for (const check::Issue& issue : report->issues)
    QVERIFY2(issue.severity == Severity::Note, (issue.rule + ": " + issue.message).c_str());

  QVERIFY(QFile::link(QStringLiteral("/etc/passwd"), root.filePath(QStringLiteral("src/out"))));
  const auto linked = library::open(folder.path().toStdString(), monitor);
  QVERIFY(linked);
  const auto found = mlf::check(*linked, monitor);
  QVERIFY(found);
  QVERIFY(std::any_of(found->issues.begin(), found->issues.end(),
                      [](const check::Issue& issue) { return issue.rule == "MLF-006"; }));
  QVERIFY((*linked)->bytes.view().find("root:x:0") == std::string_view::npos);
}

void TestArchivePages::foldersAreLimitedInDepthAndFiles() {
  QTemporaryDir folder;
  QString path = folder.path();
  for (int depth = 0; depth < 80; ++depth) path += QStringLiteral("/d");
  QVERIFY(QDir().mkpath(path));
  NullMonitor monitor;
  const auto deep = library::open(folder.path().toStdString(), monitor);
  QVERIFY(!deep);
  QCOMPARE(deep.error().id(), DiagnosticId::FileLimit);
  StopAfter stop(1);
  QCOMPARE(library::open(folder.path().toStdString(), stop).error().code(), ErrorCode::Cancelled);
  QTemporaryDir empty;
  const auto nothing = library::open(empty.path().toStdString(), monitor);
  QVERIFY(!nothing);
  QCOMPARE(nothing.error().id(), DiagnosticId::FileNotRegular);
}

BLOBSCOPE_TEST(TestArchivePages);

} // namespace blobscope::test

#include "test_archive_pages.moc"
