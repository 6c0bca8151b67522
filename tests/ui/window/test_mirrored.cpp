#include "tests/support/test_main.h"
#include "tests/ui/window/window_test.h"
#include "ui/compare/compare_view.h"
#include "ui/pages/table_page.h"
#include "ui/theme/delegates.h"
#include "ui/widgets/hex/hex_view.h"
#include "ui/widgets/text/text_view.h"
#include "ui/window/dialogs/preferences_dialog.h"
#include "ui/window/panels/tree_delegate.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QTableView>
#include <QToolBar>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

namespace {

/// The middle of a widget in its window, horizontally.
int middleOf(const QWidget& widget) { return widget.mapTo(widget.window(), widget.rect().center()).x(); }

/// Columns of the picture in which something is drawn that differs from the corner.
std::pair<int, int> inkOf(const QImage& image) {
  int first = image.width(), last = -1;
  for (int x = 0; x < image.width(); ++x)
    for (int y = 0; y < image.height(); ++y)
      if (image.pixel(x, y) != image.pixel(image.width() / 2, 0)) {
        first = std::min(first, x);
        last = std::max(last, x);
      }
  return {first, last};
}

} // namespace

/// The window in a layout from right to left.
class TestMirrored : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init() {
    WindowApplication::reset();
    QGuiApplication::setLayoutDirection(Qt::RightToLeft);
  }
  void cleanup() { QGuiApplication::setLayoutDirection(Qt::LeftToRight); }
  void panelsAreMirrored();
  void codeAndBytesAreNot();
  void rowsAreMirrored();
  void namesAreReadFromLeftToRight();
  void pagesAndKeysAreMirrored();
  void dialogIsMirrored();
  void comparisonKeepsTheOldFileAtTheLeft();

private:
  WindowApplication m_application;
  Files m_files;
};

void TestMirrored::panelsAreMirrored() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(middleOf(contentsTree(window)) > middleOf(*currentView(window)));
  QVERIFY(middleOf(detailsOf(window)) < middleOf(*currentView(window)));
  // Tools begin at the right.
  const auto* const bar = window.findChild<QToolBar*>(QStringLiteral("tools"));
  const QWidget* const back = bar->widgetForAction(action(window, ActionId::Back));
  const QWidget* const run = bar->widgetForAction(action(window, ActionId::Run));
  QVERIFY(middleOf(*back) > middleOf(*run));
}

void TestMirrored::codeAndBytesAreNot() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(go(window, "m2", QStringLiteral("Hex")));
  QTRY_VERIFY_WITH_TIMEOUT(currentView(window)->findChild<HexView*>(), kWaitMs);
  auto* const hex = currentView(window)->findChild<HexView*>();
  QVERIFY(hex->isVisible() && !hex->isRightToLeft());
  const QImage mirrored = drawn(*hex->viewport(), 1);
  QVERIFY(go(window, "m2", QStringLiteral("Source")));
  auto* const text = currentView(window)->findChild<TextView*>();
  QVERIFY(text && !text->isRightToLeft());
  // The same picture as in the usual direction.
  QGuiApplication::setLayoutDirection(Qt::LeftToRight);
  MainWindow usual;
  QVERIFY(showActive(usual));
  QVERIFY(open(usual, sample("sample-cuda-a.so")));
  QVERIFY(go(usual, "m2", QStringLiteral("Hex")));
  auto* const same = currentView(usual)->findChild<HexView*>();
  QVERIFY(same);
  QTRY_COMPARE_WITH_TIMEOUT(same->viewport()->size(), hex->viewport()->size(), kWaitMs);
  finishJobs(usual.document().jobs());
  QCOMPARE(drawn(*same->viewport(), 1), mirrored);
}

/// A row of Contents begins at the right: its icon, then its name; the size is at the left.
void TestMirrored::rowsAreMirrored() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-mlf.tar")));
  const QTreeView& tree = contentsTree(window);
  const QModelIndex root = tree.model()->index(0, 0);
  const QRect row = tree.visualRect(root);
  const QImage image = drawn(*tree.viewport(), 1).copy(row);
  const auto [first, last] = inkOf(image);
  QVERIFY2(last > image.width() - 30, qPrintable(QString::number(last))); // the icon
  QVERIFY2(first < 20, qPrintable(QString::number(first)));               // the size
  // Modules of a row are found where they are drawn.
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  const QModelIndex chain = rowNamed(tree, QStringLiteral("cuda"));
  QStyleOptionViewItem option;
  option.initFrom(&tree);
  option.rect = tree.visualRect(chain);
  int previous = -1;
  for (int x = option.rect.right(); x > option.rect.left(); --x)
    if (const int part = TreeDelegate::partAt(option, chain, {x, option.rect.center().y()}); part > previous) {
      QCOMPARE(part, previous + 1);
      previous = part;
    }
  QCOMPARE(previous, 2);
  // A table: the first column is at the right.
  QVERIFY(go(window, "m2", QStringLiteral("Functions")));
  const QTableView& table = pageOf<TablePage>(window)->view();
  QVERIFY(table.horizontalHeader()->sectionViewportPosition(0) > table.horizontalHeader()->sectionViewportPosition(1));
}

/// An underscore stays at the beginning of a name: the first column of the picture has ink only near the bottom.
void TestMirrored::namesAreReadFromLeftToRight() {
  for (const auto direction : {Qt::LeftToRight, Qt::RightToLeft}) {
    QImage image(120, 24, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    painter.setLayoutDirection(direction);
    painter.drawText(image.rect(), nameFlags(painter, Qt::AlignLeft | Qt::AlignVCenter), QStringLiteral("_lib"));
    painter.end();
    const auto [first, last] = inkOf(image);
    QVERIFY(last > first);
    QCOMPARE(direction == Qt::LeftToRight, first < 60); // aligned in the direction of the layout
    const auto topOf = [&image](int x) {
      int y = 0;
      while (y < image.height() && image.pixel(x, y) == image.pixel(60, 0)) ++y;
      return y;
    };
    QVERIFY2(topOf(first) > topOf(last) + 4, qPrintable(QString::number(topOf(first))));
  }
}

void TestMirrored::pagesAndKeysAreMirrored() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(go(window, "m2"));
  const QStringList pages = currentView(window)->pageNames();
  QAbstractButton* const first = button(*currentView(window), pages[0]);
  QAbstractButton* const second = button(*currentView(window), pages[1]);
  QVERIFY(first && second && middleOf(*first) > middleOf(*second));
  first->setFocus();
  QTest::keyClick(first, Qt::Key_Left); // what is at the left
  QVERIFY(second->hasFocus());
  QCOMPARE(currentView(window)->currentPage(), pages[1]);
}

void TestMirrored::dialogIsMirrored() {
  MainWindow window;
  PreferencesDialog dialog(&window);
  static_cast<QDialog&>(dialog).show();
  QVERIFY(QTest::qWaitForWindowExposed(&dialog, kWaitMs));
  const auto* const theme = dialog.findChild<QComboBox*>(QStringLiteral("theme"));
  for (const QLabel* const label : dialog.findChildren<QLabel*>())
    if (label->buddy() == theme) QVERIFY(middleOf(*label) > middleOf(*theme));
}

void TestMirrored::comparisonKeepsTheOldFileAtTheLeft() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  window.comparing().compareWith(sample("sample-cuda-b.so"));
  QTRY_VERIFY_WITH_TIMEOUT(window.findChild<CompareView*>(), kWaitMs);
  QVERIFY(!window.findChild<CompareView*>()->isRightToLeft());
}

BLOBSCOPE_TEST(TestMirrored);

#include "test_mirrored.moc"
