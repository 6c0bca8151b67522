#include "ui/text/core_text.h"

#include "core/describe/files.h"
#include "core/describe/node.h"
#include "core/library/contents.h"
#include "core/library/open.h"
#include "core/modules/registry.h"
#include "core/payloads/payload.h"
#include "core/view/details.h"
#include "core/view/plan_page.h"
#include "core/view/report_page.h"
#include "tests/core/preflight/report_example.h"
#include "tests/support/contracts/codec_rows.h"
#include "tests/support/cuda_builders.h"
#include "tests/support/payload_builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"
#include "ui/window/panels/details_panel.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>

#include <set>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

namespace {

/// Labels that are the same in every language: identifiers of formats, and numbers.
bool isSameEverywhere(const std::string& text) {
  static const std::set<std::string> kSame = {"hex",  "u8, i8", "u16, i16", "u32, i32", "u64",     "i64",   "f16",
                                              "bf16", "f32",    "f64",      "f8 e4m3",  "f8 e5m2", "LEB128"};
  return kSame.contains(text) || text.find_first_not_of("0123456789,.") == std::string::npos;
}

/// Texts that the window shows in its language, with the place of one of them.
using Texts = std::map<std::string, std::string>;

void add(Texts& texts, const std::string& text, const std::string& place) {
  if (!text.empty() && !isSameEverywhere(text)) texts.emplace(text, place);
}

/// Titles, columns and notes of a checklist; its sentences are about a file.
void addChecklist(Texts& texts, const view::ChecklistPage& page, const std::string& where) {
  for (const std::string& text : {page.stripTitle, page.stripNote, page.stepsTitle}) add(texts, text, where);
  for (const view::ChecklistPage::Step& step : page.steps) add(texts, step.title, where);
  for (const view::ChecklistPage::Table& table : page.tables) {
    add(texts, table.title, where);
    add(texts, table.note, where);
    for (const std::string& column : table.columns) add(texts, column, where);
  }
}

void addDetails(Texts& texts, const view::Details& details, const std::string& place);

/// Titles and remarks of a report; its sentences are about a file.
void addReport(Texts& texts, const view::ReportPage& page, const std::string& where) {
  add(texts, page.detail, where);
  for (const view::ReportPage::Section& section : page.sections) {
    add(texts, section.title, where);
    for (const view::Span& span : section.spans) add(texts, span.name, where);
    for (const view::ReportPage::Row& row : section.rows) add(texts, row.remark, where);
    if (section.title == "Could do")
      for (const view::ReportPage::Row& row : section.rows) add(texts, row.title, where);
  }
  for (const view::ReportPage::Export& one : page.exports) add(texts, one.title, where);
  addDetails(texts, page.details, where);
}

/// The name of a page, the titles of its columns, the labels of its facts, the names of its groups.
void addPage(Texts& texts, const view::Page& deferred, const Ref& node, const std::string& place) {
  NullMonitor monitor;
  // What follows the colon is from the file.
  if (!deferred.name.starts_with("Stored source ")) add(texts, deferred.name, place);
  const auto page = view::resolvePage(deferred, monitor);
  if (!page) return;
  const std::string where = place + ", page " + page->name;
  if (const auto* const table = std::get_if<view::TablePage>(&page->content)) {
    if (!table->facts)
      for (const view::Column& column : table->source->columns()) add(texts, column.title, where);
    for (uint64_t row = 0; table->facts && row < table->source->rowCount(); ++row)
      if (!table->source->target(row, node)) add(texts, table->source->cell(row, 0), where);
  } else if (const auto* const checklist = std::get_if<view::ChecklistPage>(&page->content)) {
    addChecklist(texts, *checklist, where);
  } else if (const auto* const report = std::get_if<view::ReportPagePtr>(&page->content)) {
    addReport(texts, **report, where);
  } else if (const auto* const plan = std::get_if<view::PlanPagePtr>(&page->content)) {
    for (const view::PlanPage::Part& part : (*plan)->parts) add(texts, part.name, where);
  } else if (const auto* const bars = std::get_if<view::BarsPage>(&page->content)) {
    for (const view::BarsPage::Group& group : bars->groups) {
      add(texts, group.title, where);
      for (const view::BarsPage::Bar& bar : group.bars)
        for (const view::BarsPage::Part& part : bar.parts) add(texts, part.name, where);
    }
  }
}

void addDetails(Texts& texts, const view::Details& details, const std::string& place) {
  for (const view::DetailGroup& group : details) {
    if (!group.title.empty() && group.title[0] >= 'A' && group.title[0] <= 'Z') add(texts, group.title, place);
    if (labelsAreNames(group)) continue;
    for (const view::DetailReading& reading : group.readings) {
      add(texts, reading.name, place);
      for (const view::DetailRow& row : reading.rows) add(texts, row.label, place);
    }
    for (const view::DetailRow& row : group.rows) {
      if (row.note.empty()) add(texts, row.label, place);
      if (group.title == "Field" && (row.label == "Meaning" || row.label == "Type")) add(texts, row.value, place);
    }
    if (group.title == "Format") add(texts, group.note, place);
  }
}

/// What describe::cellDetails() shows for files and targets.
void addCells(Texts& texts) {
  for (const preflight::FileOutcomes& file : filesExample().files)
    for (std::size_t target = 0; target < 3; ++target)
      addDetails(texts, describe::cellDetails(file, target), "cell of a table of files");
}

/// Everything in one of the bundled samples.
void addSample(Texts& texts, const QString& path) {
  NullMonitor monitor;
  const auto opened = library::open(path.toStdString(), monitor);
  if (!opened) qFatal("%s", opened.error().message().c_str());
  const std::string file = QFileInfo(path).fileName().toStdString();
  std::set<std::string> known;
  library::forEachPackage(*opened, [&](const library::PackagePtr& inner) {
    for (const library::ContentsRow& row : library::contentsOf(*inner)) {
      if (!known.insert(row.ref.toString()).second) continue;
      const std::string place = file + " " + row.ref.toString();
      if (const auto pages = describe::pagesOf(*opened, row.ref, monitor))
        for (const view::Page& page : *pages) {
          addPage(texts, page, row.ref, place);
          if (const auto* const fields = std::get_if<view::FieldsPage>(&page.content))
            for (uint32_t field = 0; field < fields->tree->rows.size(); field += 7)
              addDetails(texts, view::fieldDetails(*fields->tree, field, std::nullopt), place);
        }
      if (const auto details = describe::detailsOf(*opened, row.ref, monitor)) addDetails(texts, *details, place);
    }
  });
  if (const auto overview = describe::overviewOf(**opened, nullptr, monitor))
    for (const auto& fact : overview->facts) add(texts, fact.label, file);
}

/// The pages of every kind of module in every layout.
void addModules(Texts& texts) {
  NullMonitor monitor;
  for (const CodecRow& row : codecRows()) {
    const modules::ModuleCodec* const codec = modules::findCodec(row.key);
    const auto layout = std::find_if(codec->layouts.begin(), codec->layouts.end(),
                                     [&](const modules::Layout& one) { return one.name == row.layout; });
    Reader reader(Bytes::copyOf(row.payload));
    const modules::BodyPtr body = layout->decode(reader, row.context);
    if (!body) qFatal("%s does not decode", row.name().c_str());
    view::PageList pages;
    body->pages(pages);
    for (const modules::Kernel& kernel : body->kernels()) body->kernelPages(kernel, pages);
    for (const modules::PartGroup& group : body->parts()) {
      add(texts, std::string(group.title), row.name());
      for (std::size_t i = 0; i < group.parts.size(); ++i)
        if (const auto part = body->part(group.kind, i, monitor))
          pages.insert(pages.end(), part->pages.begin(), part->pages.end());
    }
    for (const view::Page& page : pages) addPage(texts, page, Ref::file(), row.name());
    for (const auto& [label, value] : body->facts()) add(texts, label, row.name());
  }
}

/// The pages of code in each format.
void addPayloads(Texts& texts) {
  cuda::CubinFile cubin;
  cubin.kernels = {{.name = "add_kernel", .code = std::string(8, 'c'), .shared = 64}};
  ElfBuilder elf;
  elf.function("add").data("table", "0123").undefined("printf");
  for (const std::string& content :
       {cubin.build(), cuda::fatbin({{.kind = 1, .sm = 80, .payload = ptxText({{"add_kernel"}})}}),
        ptxText({{"add_kernel"}, {"mul_kernel"}}), spirv_builder::shader(), metallib_builder::metallib(),
        hsaco_builder::whole(), hexagon_builder::withDynamic(true, false), elf.build(), bitcode_builder::bitcode(),
        bitcode_builder::wrapped(bitcode_builder::bitcode())}) {
    view::PageList pages;
    payloads::addPayloadPages(Bytes::copyOf(content), {}, pages);
    for (const view::Page& page : pages) addPage(texts, page, Ref::file(), "payload");
  }
}

QString sourcesOf(const QString& folder) {
  QString all;
  QDirIterator files(folder, {QStringLiteral("*.cpp"), QStringLiteral("*.h")}, QDir::Files,
                     QDirIterator::Subdirectories);
  while (files.hasNext()) {
    QFile file(files.next());
    if (!file.open(QIODevice::ReadOnly)) qFatal("%s cannot be read", qPrintable(file.fileName()));
    all += QString::fromUtf8(file.readAll());
  }
  return all;
}

/// The first group of each match.
QStringList found(const QString& text, const char* pattern) {
  QStringList out;
  for (auto match = QRegularExpression(QLatin1String(pattern)).globalMatch(text); match.hasNext();)
    out << match.next().captured(1);
  return out;
}

} // namespace

/// The list of core's fixed texts is complete and has nothing else.
class TestCoreWords : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void initTestCase() { m_core = sourcesOf(QStringLiteral(BLOBSCOPE_SOURCE_DIR "/core")); }

  void everyShownWordIsListed() {
    Texts texts;
    const QDir folder(QStringLiteral(BLOBSCOPE_SOURCE_DIR "/resources/sample"));
    const QStringList samples = folder.entryList({QStringLiteral("*.so"), QStringLiteral("*.tar")}, QDir::Files);
    QVERIFY(samples.size() >= 6);
    for (const QString& sample : samples) addSample(texts, folder.filePath(sample));
    addModules(texts);
    addPayloads(texts);
    addCells(texts);
    QVERIFY2(texts.size() > 200, qPrintable(QString::number(texts.size())));
    int missing = 0;
    for (const auto& [text, place] : texts) {
      if (isCoreWord(text)) continue;
      qWarning("'%s' (%s) is not in ui/text/core_words.cpp", text.c_str(), place.c_str());
      ++missing;
    }
    QCOMPARE(missing, 0);
  }

  void everyStageAndStepIsListed_data() {
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<int>("least");
    QTest::newRow("stages of work") << "progress\\(\"([^\"]*[^\" ])\"" << 50;
    QTest::newRow("steps of a plan") << "step\\(\\s*\"([^\"]+)\"\\s*," << 60;
    QTest::newRow("reasons of steps") << "step\\(\\s*\"[^;]*?,\\s*\"([^\"]+)\"\\s*\\);" << 30;
    QTest::newRow("names of pages") << "(?:factsPage|tablePage|lazyPage|laterPage)\\(\"([^\"]+)\"" << 20;
    QTest::newRow("ids of pages") << "inline constexpr char k\\w+\\[\\] = \"([^\"]+)\"" << 10;
  }
  void everyStageAndStepIsListed() {
    QFETCH(const QString, pattern);
    QFETCH(const int, least);
    const QStringList words = found(m_core, qPrintable(pattern));
    QVERIFY2(words.size() >= least, qPrintable(QString::number(words.size())));
    for (const QString& word : words)
      QVERIFY2(isCoreWord(word.toStdString()), qPrintable(word + QStringLiteral(": add it to ui/text/core_words.cpp")));
  }

  void wordsAreListedOnce() {
    std::set<std::string> seen;
    for (const auto& words : coreWords())
      for (const char* const word : words) QVERIFY2(seen.insert(word).second, word);
    QVERIFY(seen.size() > 300);
  }

private:
  QString m_core;
};

BLOBSCOPE_TEST(TestCoreWords);

#include "test_core_words.moc"
