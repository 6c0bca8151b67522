#include "core/base/source.h"
#include "core/describe/safety.h"
#include "core/view/report_page.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <QFile>
#include <QTemporaryDir>

using namespace blobscope;
using namespace blobscope::test;

namespace {

const view::ReportPage::Section* findSection(const view::ReportPage& page, std::string_view title) {
  for (const view::ReportPage::Section& section : page.sections)
    if (section.title == title) return &section;
  return nullptr;
}

} // namespace

/// The page "Safety", and its comparison with an accepted report.
class TestSafetyPage : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void newFindingsAreListed() {
    const QString accepted = m_folder.filePath(QStringLiteral("accepted.json"));
    const view::ReportPagePtr before = pageOf(sample());
    QVERIFY(before && before->compare);
    QVERIFY(!findSection(*before, "Not in the accepted report"));
    write(accepted, exported(*before, "json"));

    NullMonitor monitor;
    const auto same = before->compare(accepted.toStdString(), monitor);
    QVERIFY(same);
    const auto* const nothing = findSection(**same, "Not in the accepted report");
    QVERIFY(nothing);
    QCOMPARE(nothing->rows.size(), std::size_t{1});
    QVERIFY(nothing->rows[0].mark == view::ReportPage::Mark::Good);

    const view::ReportPagePtr after = pageOf(sample() + std::string(5'000, 'x'));
    const auto compared = after->compare(accepted.toStdString(), monitor);
    QVERIFY(compared);
    const auto* const more = findSection(**compared, "Not in the accepted report");
    QVERIFY(more);
    QCOMPARE(more->rows.size(), std::size_t{1});
    QCOMPARE(more->rows[0].title, std::string("SAFE-UNOWNED"));
    const auto* const findings = findSection(**compared, "Findings");
    QVERIFY(findings);
    for (const auto& row : findings->rows)
      QCOMPARE(row.remark, std::string(row.title == "SAFE-UNOWNED" ? "new" : "accepted"));
    // The comparison can be repeated, and other files are refused.
    QVERIFY((*compared)->compare(accepted.toStdString(), monitor));
    write(accepted, "{}");
    const auto refused = after->compare(accepted.toStdString(), monitor);
    QVERIFY(!refused);
    QVERIFY(refused.error().id() == DiagnosticId::Usage);
  }

private:
  static std::string sample() {
    QFile file(QStringLiteral(BLOBSCOPE_SOURCE_DIR "/resources/sample/sample-cpu.so"));
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
  }
  static view::ReportPagePtr pageOf(const std::string& file) {
    const auto package = openBytes(file);
    if (!package) return nullptr;
    NullMonitor monitor;
    const auto page = view::resolvePage(describe::safetyPage(*package), monitor);
    const auto* const report = page ? std::get_if<view::ReportPagePtr>(&page->content) : nullptr;
    return report ? *report : nullptr;
  }
  static std::string exported(const view::ReportPage& page, std::string_view extension) {
    NullMonitor monitor;
    for (const view::ReportPage::Export& one : page.exports)
      if (one.extension == extension) return one.make("1", monitor).value();
    return {};
  }
  static void write(const QString& path, const std::string& text) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(QByteArray::fromStdString(text)), static_cast<qint64>(text.size()));
  }

  QTemporaryDir m_folder;
};

BLOBSCOPE_TEST(TestSafetyPage);
#include "test_safety_page.moc"
