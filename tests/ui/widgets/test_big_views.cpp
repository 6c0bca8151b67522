#include "core/base/source.h"
#include "tests/support/test_main.h"
#include "tests/support/wait.h"
#include "tests/ui/ui_test.h"
#include "ui/widgets/find/find_bar.h"
#include "ui/widgets/hex/hex_view.h"
#include "ui/widgets/text/text_view.h"

#include <QFile>
#include <QTemporaryDir>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

namespace {

constexpr qint64 kTwoGiB = qint64{2} << 30;

double ms(const QElapsedTimer& timer) { return static_cast<double>(timer.nsecsElapsed()) / 1e6; }

} // namespace

/// Realistic large sizes and their times: the figures are printed, not judged.
class TestLargeContent : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void twoGigabytesAreShownWithoutDelay();
  void millionLinesAreShownWithoutDelay();
  void searchInAMillionLinesIsFast();

private:
  Application m_application;
};

void TestLargeContent::twoGigabytesAreShownWithoutDelay() {
  const QTemporaryDir folder;
  QFile file(folder.filePath(QStringLiteral("sparse.bin")));
  QVERIFY(file.open(QIODevice::ReadWrite));
  if (!file.resize(kTwoGiB + 5)) QSKIP("no room for a sparse file of 2 GiB");
  QVERIFY(file.seek(kTwoGiB - 11));
  QCOMPARE(file.write("the last 16 byte"), qint64{16});
  file.close();

  HexView view;
  view.resize(1000, 800);
  view.show();
  drawn(view, 1);
  QElapsedTimer timer;
  timer.start();
  const auto source = ByteSource::openFile(file.fileName().toStdString());
  QVERIFY(source);
  view.setBytes(ByteSource::all(*source));
  drawn(view, 1);
  const double shown = ms(timer);
  timer.restart();
  view.goTo(view.bytes().size() - 16);
  view.select(view.bytes().size() - 16, 16);
  const QImage image = drawn(view, 1);
  const double jumped = ms(timer);
  QCOMPARE(view.textOf(view.selection(), HexView::CopyForm::Characters), QStringLiteral("the last 16 byte"));
  QCOMPARE(view.visibleBytes().end(), static_cast<uint64_t>(kTwoGiB + 5));
  QVERIFY(countPixels(image, theme().color(Role::Text)) > 50);
  QCOMPARE(view.describe(view.cursor()), QStringLiteral("0x7ffffff5, 74"));
  qInfo("2 GiB: opened and shown in %.1f ms, jump to the end in %.1f ms", shown, jumped);

  timer.restart();
  view.verticalScrollBar()->setValue(view.verticalScrollBar()->maximum() / 2);
  drawn(view, 1);
  qInfo("2 GiB: jump to the middle in %.1f ms", ms(timer));
}

void TestLargeContent::millionLinesAreShownWithoutDelay() {
  std::string text;
  for (int line = 1; line < 1'000'000; ++line) text += "\tld.param.u64 \t%rd" + std::to_string(line) + ", [k];\n";
  text += "// the last line\n";
  const Bytes bytes = Bytes::copyOf(text);
  TextView view;
  view.resize(1000, 800);
  view.show();
  drawn(view, 1);
  QElapsedTimer timer;
  timer.start();
  view.setText(bytes, "ptx");
  view.goToLine(1'000'000);
  drawn(view, 1);
  const double first = ms(timer);
  while (view.currentLine() == 1 && timer.elapsed() < kWaitMs) QCoreApplication::processEvents();
  QCOMPARE(view.currentLine(), quint64{1'000'000});
  const QImage image = drawn(view, 1);
  const double last = ms(timer);
  QCOMPARE(view.lineCount(), quint64{1'000'000});
  QCOMPARE(view.lineText(1'000'000), QStringLiteral("// the last line"));
  QCOMPARE(view.topLine() + view.visibleLines() - 1, quint64{1'000'000});
  QVERIFY(countPixels(image, theme().color(Role::CodeComment), 40) > 20);
  timer.restart();
  view.goToLine(500'000);
  drawn(view, 1);
  qInfo("1,000,000 lines of PTX, %.0f MB: first lines in %.1f ms, last line in %.1f ms, jump to the middle in %.1f ms",
        static_cast<double>(text.size()) / 1e6, first, last, ms(timer));

  NullMonitor monitor;
  const auto index = syntax::LineIndex::compute(bytes, monitor);
  QVERIFY(index);
  timer.restart();
  view.setText(bytes, "ptx", *index);
  view.goToLine(1'000'000);
  drawn(view, 1);
  qInfo("1,000,000 lines of PTX with an index made before: last line in %.1f ms; the index takes %llu bytes", ms(timer),
        static_cast<unsigned long long>((*index)->memoryBytes()));
  QCOMPARE(view.currentLine(), quint64{1'000'000});
}

void TestLargeContent::searchInAMillionLinesIsFast() {
  std::string text;
  for (int line = 1; line <= 1'000'000; ++line)
    text += line % 1'000 == 0 ? "\tbar.sync \t0; // here\n" : "\tld.param.u64 \t%rd4, [kernel_param_1];\n";
  TextView view;
  view.setText(Bytes::copyOf(text), "ptx");
  FindBar bar(&view);
  for (const bool regex : {false, true}) {
    FindQuery query;
    query.pattern = regex ? QStringLiteral("ba[r].*//\\s*h") : QStringLiteral("bar.sync");
    query.kind = regex ? FindQuery::Kind::Regex : FindQuery::Kind::Text;
    QElapsedTimer timer;
    timer.start();
    bar.setQuery(query);
    // Waits for events, not by the clock, so that the figures are those of the search.
    const auto wait = [&](auto done) {
      while (!done() && timer.elapsed() < kWaitMs) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    };
    wait([&] { return bar.hitCount() > 0; });
    const double first = ms(timer);
    wait([&] { return !bar.isSearching(); });
    QCOMPARE(bar.hitCount(), std::size_t{1'000});
    qInfo("find %s in 1,000,000 lines: first hit in %.0f ms, all in %.0f ms", qPrintable(query.pattern), first,
          ms(timer));
  }
}

BLOBSCOPE_TEST(TestLargeContent);

#include "test_big_views.moc"
