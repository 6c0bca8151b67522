#include "core/base/text.h"
#include "tests/support/test_main.h"
#include "tests/ui/window/window_test.h"
#include "ui/text/plain_text.h"
#include "ui/window/dialogs/command_palette.h"
#include "ui/window/editing.h"
#include "ui/window/panels/bottom_panel.h"
#include "ui/window/panels/details_panel.h"
#include "ui/window/saving.h"

#include <QAction>
#include <QComboBox>
#include <QHelpEvent>
#include <QInputDialog>
#include <QLabel>
#include <QListWidget>
#include <QMessageBox>
#include <QTabBar>
#include <QTextDocument>
#include <QToolTip>
#include <QTreeView>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;
using namespace Qt::StringLiterals;

/// Names from a file in the window: shown as text, shortened, and without any effect of markup.
class TestNamesAsPlainText : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init() { WindowApplication::reset(); }
  void hostileNamesAreShownAsPlainText_data();
  void hostileNamesAreShownAsPlainText();
  void toolTipsAreShownAsPlainText();
  void longNamesAreCutEverywhere();
  void paletteShowsPlainText();
  void renameDialogShowsPlainText();
  void removeDialogShowsPlainText();
  void fileNameIsShownAsPlainText();
  void suggestedFileNamesAreSafe();

private:
  WindowApplication m_application;
  Files m_files;
};

namespace {

/// More than any text of ours, less than any name that must be cut.
constexpr qsizetype kMost = 6'000;

/// Says what is wrong with a text in the window, nothing when it is correct.
QString faultOf(const QString& text, bool mayBeRich) {
  if (text.size() > kMost) return u"%1 characters: %2"_s.arg(text.size()).arg(text.left(60));
  for (const QChar c : text)
    if ((c.unicode() < 0x20 && c != u'\n') || c.unicode() == 0x7f || (c.unicode() >= 0x200b && c.unicode() <= 0x200f) ||
        (c.unicode() >= 0x2028 && c.unicode() <= 0x202e) || (c.unicode() >= 0x2066 && c.unicode() <= 0x2069) ||
        c.unicode() == 0x61c)
      return u"holds U+%1: %2"_s.arg(c.unicode(), 4, 16).arg(text.left(60));
  if (mayBeRich && Qt::mightBeRichText(text) &&
      (text.contains(u"<img"_s) || text.contains(u"<table"_s) || text.contains(u"<b>"_s)))
    return u"rich text: %1"_s.arg(text.left(60));
  return {};
}

/// Checks all texts of all widgets, actions and models.
class Sweep {
public:
  QStringList faults;
  qsizetype texts = 0;

  void all() {
    for (QWidget* const widget : QApplication::allWidgets()) {
      look(widget, "tool tip", widget->toolTip(), true);
      look(widget, "status tip", widget->statusTip());
      look(widget, "accessible name", widget->accessibleName());
      look(widget, "accessible description", widget->accessibleDescription());
      look(widget, "title", widget->windowTitle());
      for (const QAction* const action : widget->actions()) {
        look(widget, "action", action->text());
        look(widget, "tip of an action", action->toolTip(), true);
      }
      if (const auto* const label = qobject_cast<QLabel*>(widget))
        look(widget, "label", label->text(), label->textFormat() != Qt::PlainText);
      if (const auto* const button = qobject_cast<QAbstractButton*>(widget)) look(widget, "button", button->text());
      if (const auto* const combo = qobject_cast<QComboBox*>(widget))
        for (int i = 0; i < combo->count(); ++i) look(widget, "choice", combo->itemText(i));
      if (const auto* const bar = qobject_cast<QTabBar*>(widget))
        for (int i = 0; i < bar->count(); ++i) {
          look(widget, "tab", bar->tabText(i));
          look(widget, "tip of a tab", bar->tabToolTip(i), true);
        }
      if (const auto* const view = qobject_cast<QAbstractItemView*>(widget); view && view->model())
        rows(*view->model(), {});
    }
  }

private:
  void look(const QObject* where, const char* what, const QString& text, bool mayBeRich = false) {
    ++texts;
    if (const QString fault = faultOf(text, mayBeRich); !fault.isEmpty())
      faults << u"%1 of %2 %3"_s.arg(QLatin1String(what), QLatin1String(where->metaObject()->className()), fault);
  }
  void rows(const QAbstractItemModel& model, const QModelIndex& parent) {
    for (int row = 0; row < std::min(model.rowCount(parent), 200); ++row)
      for (int column = 0; column < model.columnCount(parent); ++column) {
        const QModelIndex index = model.index(row, column, parent);
        for (int role = Qt::DisplayRole; role < Qt::UserRole + 16; ++role) {
          if (role == Qt::EditRole) continue; // editable text is complete
          const QVariant value = index.data(role);
          if (value.typeId() == QMetaType::QString) look(&model, "role", value.toString(), role == Qt::ToolTipRole);
        }
        if (column == 0) rows(model, index);
      }
  }
};

std::string nestedTables() {
  std::string out;
  for (int i = 0; i < 20'000; ++i) out += "<table><tr><td>";
  return out;
}

std::string picture() { return "<img src=\"" + sample("sample-cuda-a.so").toStdString() + "\">"; }

/// The tool tip shown when hovering over a row; empty when none appears.
QString hovered(QAbstractItemView& view, const QModelIndex& index) {
  view.scrollTo(index);
  const QPoint place = view.visualRect(index).center();
  QHelpEvent help(QEvent::ToolTip, place, view.viewport()->mapToGlobal(place));
  QApplication::sendEvent(view.viewport(), &help);
  return QToolTip::text();
}

QModelIndex rowThatBegins(const QTreeView& tree, const QString& name, const QModelIndex& below = {}) {
  for (int row = 0; row < tree.model()->rowCount(below); ++row) {
    const QModelIndex index = tree.model()->index(row, 0, below);
    if (index.data().toString().startsWith(name)) return index;
    if (const QModelIndex inner = rowThatBegins(tree, name, index); inner.isValid()) return inner;
  }
  return {};
}

/// Host functions, kernels, a module and a section with that name.
std::string libraryOf(const std::string& name) {
  ElfBuilder elf = someHost();
  std::string symbol = name;
  std::replace(symbol.begin(), symbol.end(), '\0', '_');
  elf.function("__tvm_ffi_" + symbol);
  const std::vector<Function> kernels = {{name}, {name + "2"}};
  const Record cuda = {"cuda", code3("ptx", kernels, ptxText(kernels), Info::Four)};
  return elf
      .data("__tvm_ffi__library_bin", ffiBlob({{"_lib", ""}, cuda, {name.substr(0, 60), "bytes"}}, {{1, 2}, {}, {}}))
      .build();
}

/// The labels of a box, without the icon.
QList<QLabel*> labels(const QWidget& box) {
  QList<QLabel*> out;
  for (QLabel* const label : box.findChildren<QLabel*>())
    if (!label->text().isEmpty()) out << label;
  return out;
}

} // namespace

void TestNamesAsPlainText::hostileNamesAreShownAsPlainText_data() {
  QTest::addColumn<std::string>("name");
  QTest::addColumn<QString>("shown");
  const auto row = [](const char* title, const std::string& name, const QString& shown) {
    QTest::newRow(title) << name << shown;
  };
  row("nested tables", nestedTables(), u"<table><tr><td><table>"_s);
  row("picture", picture(), u"<img src=\""_s);
  row("bold", "<b>name</b>&amp;", u"<b>name</b>&amp;"_s);
  row("from right to left", "exe.\xe2\x80\xaegpj\xe2\x80\x8f\xd8\x9c\xe2\x81\xa6x",
      u"exe.\\u202egpj\\u200f\\u061c\\u2066x"_s);
  row("lines",
      "one\ntwo\r\nthree\xe2\x80\xa8"
      "four\tfive",
      u"one\\ntwo\\r\\nthree\\u2028four\\tfive"_s);
  row("ampersands", "save && &quit", u"save && &quit"_s);
  row("a megabyte", std::string(1'000'000, 'k'), QString(kShownBytes, u'k') + u"… (999,6"_s);
  row("not UTF-8", "a\xff\xfe\x01z", u"a\\xff\\xfe\\x01z"_s);
}

void TestNamesAsPlainText::hostileNamesAreShownAsPlainText() {
  QFETCH(std::string, name);
  QFETCH(QString, shown);
  MainWindow window;
  QVERIFY(showActive(window, {1366, 768}));
  QVERIFY(open(window, m_files.write(u"names.so"_s, libraryOf(name))));
  Sweep sweep;
  sweep.all();
  const auto* const tree = window.findChild<QTreeView*>();
  QVERIFY(tree);
  const QModelIndex row = rowThatBegins(*tree, shown);
  QVERIFY2(row.isValid(), "no row of that name in Contents");
  for (const QString& page : {QString(), u"Functions"_s, u"Fields"_s, u"Source"_s}) {
    window.navigate(Ref::moduleAt("", 1), page);
    QVERIFY(QTest::qWaitFor([&] { return currentView(window)->isReady(); }, kWaitMs));
    sweep.all();
  }
  // Its own tab, its tip and the details.
  window.navigate(Ref::moduleAt("", 1).part(PartKind::Kernel, name), {});
  QVERIFY(QTest::qWaitFor([&] { return currentView(window)->isReady(); }, kWaitMs));
  const QString title = tabs(window).tabText(tabs(window).currentIndex());
  QVERIFY2(QString(title).replace(u"&&"_s, u"&"_s).startsWith(shown) || title.startsWith(u"cuda"_s),
           qPrintable(title.left(200)));
  sweep.all();
  window.navigate(Ref::file(), u"Problems"_s);
  QVERIFY(QTest::qWaitFor([&] { return currentView(window)->isReady(); }, kWaitMs));
  window.navigate(Ref::named(Ref::Kind::Host, "__tvm_ffi_" + name), {});
  QVERIFY(QTest::qWaitFor([&] { return currentView(window)->isReady(); }, kWaitMs));
  sweep.all();
  QVERIFY(sweep.texts > 1'000);
  QVERIFY2(sweep.faults.isEmpty(),
           qPrintable(u"%1 faults: %2"_s.arg(sweep.faults.size()).arg(sweep.faults.mid(0, 5).join(u"; "_s))));
  // No name makes the window larger than the screen.
  QVERIFY2(window.minimumSizeHint().width() <= 1366, qPrintable(QString::number(window.minimumSizeHint().width())));
  QCOMPARE(window.size(), QSize(1366, 768));
}

void TestNamesAsPlainText::toolTipsAreShownAsPlainText() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_files.write(u"hover.so"_s, libraryOf(picture()))));
  auto* const tree = window.findChild<QTreeView*>();
  const QModelIndex row = rowThatBegins(*tree, u"<img"_s);
  QVERIFY(row.isValid());
  const QString tip = hovered(*tree, row);
  QVERIFY(!tip.isEmpty());
  QVERIFY2(!Qt::mightBeRichText(tip) || tip.contains(u"&lt;img"_s), qPrintable(tip));
  QVERIFY2(!tip.contains(u"<img"_s), qPrintable(tip));
  QToolTip::hideText();
}

void TestNamesAsPlainText::longNamesAreCutEverywhere() {
  // 20 MB: the drawn, sorted and spoken text is as long as for any other name.
  const std::string name(20'000'000, 'k');
  const std::vector<Function> kernels = {{name}, {"mul_kernel"}};
  const Record cuda = {"cuda", code3("cubin", kernels, "code", Info::Four)};
  MainWindow window;
  QVERIFY(showActive(window, {1366, 768}));
  QVERIFY(
      open(window,
           m_files.write(u"long.so"_s,
                         someHost().data("__tvm_ffi__library_bin", ffiBlob({{"_lib", ""}, cuda}, {{1}, {}})).build())));
  const QString shown = QString(kShownBytes, u'k') + u"… (19,999,600 more bytes)"_s;
  auto* const tree = window.findChild<QTreeView*>();
  const QModelIndex row = rowNamed(*tree, shown);
  QVERIFY(row.isValid());
  QVERIFY(hovered(*tree, row).size() < 1'000);
  QToolTip::hideText();
  Sweep sweep;
  for (const QString& page : {u"Functions"_s, u"Fields"_s}) {
    window.navigate(Ref::moduleAt("", 1), page);
    QVERIFY(QTest::qWaitFor([&] { return currentView(window)->isReady(); }, kWaitMs));
    sweep.all();
  }
  window.navigate(Ref::moduleAt("", 1).part(PartKind::Kernel, name), {});
  QVERIFY(QTest::qWaitFor([&] { return currentView(window)->isReady(); }, kWaitMs));
  sweep.all();
  QVERIFY2(sweep.faults.isEmpty(), qPrintable(sweep.faults.mid(0, 5).join(u"; "_s)));
}

void TestNamesAsPlainText::paletteShowsPlainText() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_files.write(u"palette.so"_s, libraryOf(nestedTables()))));
  action(window, ActionId::Palette)->trigger();
  const auto* const palette = window.findChild<CommandPalette*>();
  QVERIFY(palette);
  const auto* const list = palette->findChild<QListWidget*>();
  QVERIFY(list && list->count() > 5);
  Sweep sweep;
  sweep.all();
  QVERIFY2(sweep.faults.isEmpty(), qPrintable(sweep.faults.mid(0, 5).join(u"; "_s)));
}

void TestNamesAsPlainText::renameDialogShowsPlainText() {
  const struct {
    std::string name;
    QString value;
  } cases[] = {{picture(), QString::fromStdString(picture())},
               {"one\ntwo", {}},
               {std::string(1'000'000, 'k'), {}},
               {"a\xff", {}},
               {"a\\b", {}}};
  for (const auto& [name, value] : cases) {
    MainWindow window;
    QVERIFY(showActive(window));
    QVERIFY(open(window, m_files.write(u"rename.so"_s, libraryOf(name))));
    window.navigate(Ref::moduleAt("", 1).part(PartKind::Kernel, name), {});
    QVERIFY(QTest::qWaitFor([&] { return currentView(window)->isReady(); }, kWaitMs));
    QVERIFY(QTest::qWaitFor([&] { return action(window, ActionId::Rename)->isEnabled(); }, kWaitMs));
    action(window, ActionId::Rename)->trigger();
    auto* const dialog = window.findChild<QInputDialog*>();
    QVERIFY(dialog);
    QCOMPARE(dialog->textValue(), value);
    for (const QLabel* const label : labels(*dialog)) {
      QCOMPARE(label->textFormat(), Qt::PlainText);
      QVERIFY(faultOf(label->text(), false).isEmpty());
    }
    QVERIFY2(dialog->sizeHint().width() < 1'366, qPrintable(QString::number(dialog->sizeHint().width())));
    // Viewing a name changes nothing.
    dialog->accept();
    QCoreApplication::processEvents();
    QVERIFY(!window.document().isModified());
  }
}

void TestNamesAsPlainText::removeDialogShowsPlainText() {
  const std::string key = "<img src=\"a\"><table><tr>\n&x";
  const std::string library = someHost()
                                  .data("__tvm_ffi__library_bin",
                                        ffiBlob({{"_lib", ""}, {key, "bytes"}, {"<b>" + key, "more"}}, {{1}, {2}, {}}))
                                  .build();
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_files.write(u"remove.so"_s, library)));
  window.navigate(Ref::moduleAt("", 1), {});
  QVERIFY(QTest::qWaitFor([&] { return action(window, ActionId::Remove)->isEnabled(); }, kWaitMs));
  action(window, ActionId::Remove)->trigger();
  auto* const box = window.findChild<QMessageBox*>();
  QVERIFY(box);
  QVERIFY(box->text().contains(u"<img src"_s));
  QVERIFY(box->informativeText().contains(u"<b><img"_s));
  QCOMPARE(labels(*box).size(), 2);
  for (const QLabel* const label : labels(*box)) {
    QCOMPARE(label->textFormat(), Qt::PlainText);
    QVERIFY2(faultOf(label->text(), false).isEmpty(), qPrintable(faultOf(label->text(), false)));
    QVERIFY(!label->text().contains(u'\n'));
  }
  box->reject();
}

void TestNamesAsPlainText::fileNameIsShownAsPlainText() {
  MainWindow window;
  QVERIFY(showActive(window));
  const QString path = m_files.write(u"<b>&x[*]\u202e.so"_s, someLibrary());
  QVERIFY(open(window, path));
  QCOMPARE(window.windowTitle(), u"<b>&x[*][*]\\u202e.so[*] – Blobscope"_s);
  Sweep sweep;
  sweep.all();
  // The start page lists it as well.
  {
    MainWindow other;
    other.show();
    sweep.all();
  }
  QVERIFY2(sweep.faults.isEmpty(), qPrintable(sweep.faults.mid(0, 5).join(u"; "_s)));
}

void TestNamesAsPlainText::suggestedFileNamesAreSafe() {
  const auto kernel = [](const char* name) { return partName(Ref::moduleAt("", 1).part(PartKind::Kernel, name)); };
  QCOMPARE(kernel("add"), u"m1-add"_s);
  QCOMPARE(kernel("../../etc/passwd"), u"m1-.._.._etc_passwd"_s);
  QCOMPARE(kernel("a\nb\xe2\x80\xae"), u"m1-a_nb_u202e"_s);
  const auto member = [](const char* name) { return partName(Ref::named(Ref::Kind::Member, name)); };
  QCOMPARE(member(".."), u"_"_s);
  QCOMPARE(member("."), u"_"_s);
  QCOMPARE(member(".bashrc"), u"_bashrc"_s);
  QCOMPARE(member("/etc/passwd"), u"_etc_passwd"_s);
  QCOMPARE(member("C:\\x|y"), u"C___x_y"_s);
  QVERIFY(partName(Ref::named(Ref::Kind::Symbol, std::string(100'000, 'k'))).size() <= 100);
}

BLOBSCOPE_TEST(TestNamesAsPlainText);

#include "test_names.moc"
