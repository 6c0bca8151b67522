#include "tests/support/wait.h"
#include "tests/ui/ui_test.h"
#include "ui/compare/compare_view.h"
#include "ui/pages/node_view.h"
#include "ui/session/recent_files.h"
#include "ui/text/plain_text.h"
#include "ui/text/translation.h"
#include "ui/theme/style.h"
#include "ui/theme/theme.h"
#include "ui/window/comparing.h"
#include "ui/window/files_checking.h"
#include "ui/window/main_window.h"
#include "ui/window/running.h"

#ifdef BLOBSCOPE_DISASM
#include "core/disasm/mc.h"
#endif

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QApplication>
#include <QComboBox>
#include <QCommandLineParser>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QRegularExpression>
#include <QSettings>
#include <QStandardPaths>
#include <QTabBar>
#include <QTest>

#include <cstdio>

namespace {

/// The texts that `widget` itself shows; only the first rows, since their number depends on the font.
QStringList textsOf(const QWidget& widget) {
  constexpr int kRows = 8;
  if (const auto* const label = qobject_cast<const QLabel*>(&widget)) return {label->text()};
  if (const auto* const button = qobject_cast<const QAbstractButton*>(&widget)) return {button->text()};
  if (const auto* const box = qobject_cast<const QComboBox*>(&widget)) return {box->currentText()};
  if (const auto* const edit = qobject_cast<const QLineEdit*>(&widget)) return {edit->text(), edit->placeholderText()};
  if (const auto* const bar = qobject_cast<const QTabBar*>(&widget)) {
    QStringList tabs;
    for (int i = 0; i < bar->count(); ++i) tabs << bar->tabText(i);
    return tabs;
  }
  const auto* const view = qobject_cast<const QAbstractItemView*>(&widget);
  if (!view || !view->model() || qobject_cast<const QHeaderView*>(view)) return {};
  const QAbstractItemModel& model = *view->model();
  QStringList rows;
  for (int row = 0; row < qMin(kRows, model.rowCount(view->rootIndex())); ++row) {
    QStringList cells;
    for (int column = 0; column < model.columnCount(view->rootIndex()); ++column)
      cells << model.index(row, column, view->rootIndex()).data().toString();
    rows << cells.join(QLatin1String(" | "));
  }
  return rows;
}

/// The texts of the window and of the widgets above it, one line each, without `folder`, the place of the files.
QString textsOfAll(const QList<const QWidget*>& tops, const QString& folder) {
  QStringList lines;
  for (const QWidget* const top : tops)
    for (const QWidget* const widget : top->findChildren<const QWidget*>())
      if (widget->isVisibleTo(top))
        for (const QString& text : textsOf(*widget))
          if (!text.trimmed().isEmpty()) lines << QString(text).replace(QLatin1Char('\n'), QLatin1Char(' '));
  QString text = lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
  return folder.isEmpty() ? text : text.replace(folder, QStringLiteral("FOLDER"));
}

} // namespace

/// Draws the window into a picture without a screen: `blobscope_pictures OUT.png [FILE [OTHER]] [--at REF] [--page
/// NAME] [--replace REF=HEX] [--language CODE] …`. It makes the pictures in resources/screenshots
/// (packaging/pictures.sh). The texts of the window are written to OUT.txt beside it.
int main(int argc, char** argv) {
#ifdef BLOBSCOPE_DISASM
  blobscope::syntax::setDisassemblerFactory(blobscope::disasm::makeDisassembler);
#endif
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QStandardPaths::setTestModeEnabled(true);
  QApplication app(argc, argv);
  QApplication::setOrganizationName(QStringLiteral("BlobscopePictures"));
  QApplication::setApplicationName(QStringLiteral("Pictures"));
  QCommandLineParser parser;
  parser.addHelpOption();
  parser.addPositionalArgument(QStringLiteral("OUT"), QStringLiteral("PNG to write"));
  parser.addPositionalArgument(QStringLiteral("FILE"), QStringLiteral("library to open, or folder to check"));
  const auto option = [&](const char* name, const char* value) {
    const QCommandLineOption made(QLatin1String(name), {}, QLatin1String(value));
    parser.addOption(made);
    return made;
  };
  const auto at = option("at", "REF"), page = option("page", "NAME"), size = option("size", "WxH"),
             theme = option("theme", "NAME"), font = option("font", "FAMILY"), keys = option("keys", "KEYS"),
             recent = option("recent", "FILES"), replace = option("replace", "REF=HEX"),
             language = option("language", "CODE");
  parser.process(app);
  using namespace blobscope;
  ui::installTranslation(parser.isSet(language) ? parser.value(language) : QStringLiteral("en"));
  QSettings().clear();
  // Changes that an earlier picture did not write would be offered again.
  QDir(QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation) + QStringLiteral("/journals"))
      .removeRecursively();
  for (const QString& path : parser.value(recent).split(QLatin1Char(','), Qt::SkipEmptyParts))
    ui::recent::add({path, {}, {}});
  QFont text = QApplication::font();
  if (parser.isSet(font)) text.setFamily(parser.value(font));
  text.setPixelSize(13);
  QApplication::setFont(text);
  QApplication::setStyle(new ui::Style);
  ui::setTheme(parser.value(theme) == QLatin1String("dark") ? ui::Theme::dark() : ui::Theme::light());

  ui::MainWindow window;
  const QStringList wanted = parser.value(size).split(QLatin1Char('x'));
  window.resize(wanted.size() == 2 ? QSize(wanted[0].toInt(), wanted[1].toInt()) : QSize(1440, 900));
  window.show();
  window.activateWindow();
  auto* const running = window.findChild<ui::Running*>();
  const auto isSettled = [&] {
    if (!QTest::qWaitFor([&] { return !running || running->runs().jobs().running().isEmpty(); }, test::kWaitMs))
      return false;
    return !test::settledPicture(window, window.document().jobs(), test::kWaitMs).isNull();
  };
  const QStringList places = parser.positionalArguments();
  if (places.size() > 1 && QFileInfo(places[1]).isDir()) {
    window.filesChecking().check({places[1]});
  } else if (places.size() > 1) {
    window.openFile(places[1]);
    if (!QTest::qWaitFor([&] { return !window.document().isOpening(); }, test::kWaitMs)) return 1;
    if (places.size() > 2) {
      window.comparing().compareWith(places[2]);
      const auto* const view = [&]() -> ui::CompareView* {
        return QTest::qWaitFor([&] { return window.findChild<ui::CompareView*>() != nullptr; }, test::kWaitMs)
                   ? window.findChild<ui::CompareView*>()
                   : nullptr;
      }();
      if (!view || !QTest::qWaitFor([&] { return !view->isRunning(); }, test::kWaitMs)) return 1;
    } else if (parser.isSet(at) || parser.isSet(page)) {
      const auto ref = Ref::parse(ui::fromQt(parser.value(at)));
      if (!ref) return 2;
      window.navigate(*ref, parser.value(page));
    }
  }
  if (parser.isSet(replace)) {
    const QString replaced = parser.value(replace);
    const qsizetype equals = replaced.lastIndexOf(QLatin1Char('='));
    const auto ref = Ref::parse(ui::fromQt(replaced.left(equals)));
    if (!ref) return 2;
    edit::Replace change;
    change.target = {*ref, {}};
    change.content.bytes = Bytes::copyOf(QByteArray::fromHex(replaced.mid(equals + 1).toLatin1()).toStdString());
    window.document().edit(change);
    if (!QTest::qWaitFor([&] { return !window.document().isEditing(); }, test::kWaitMs)) return 1;
  }
  if (!isSettled()) return 1;
  for (const QString& key : parser.value(keys).split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
    QWidget* const popup = QApplication::activePopupWidget();
    QWidget* const focus = popup && popup->focusWidget() ? popup->focusWidget() : QApplication::focusWidget();
    QWidget* const target = focus ? focus : &window;
    if (key.startsWith(QLatin1Char('"')))
      QTest::keyClicks(target, key.mid(1));
    else {
      const auto sequence = QKeySequence(key)[0];
      QTest::keyClick(target, sequence.key(), sequence.keyboardModifiers());
    }
    if (!isSettled()) return 1;
  }
  // On a busy machine a dialog can stand still while its plan is made.
  const auto isPlanning = [] {
    for (const QWidget* const top : QApplication::topLevelWidgets())
      for (const QLabel* const label : top->findChildren<const QLabel*>())
        if (label->isVisible() && label->text().startsWith(QStringLiteral("Planning"))) return true;
    return false;
  };
  if (!QTest::qWaitFor([&] { return !isPlanning(); }, test::kWaitMs) || !isSettled()) return 1;
  QPixmap picture = window.grab();
  QWidget* const above =
      QApplication::activePopupWidget() ? QApplication::activePopupWidget() : QApplication::activeModalWidget();
  if (QWidget* const popup = above) {
    QPainter painter(&picture);
    painter.drawPixmap(popup->mapToGlobal(QPoint()) - window.mapToGlobal(QPoint()), popup->grab());
  }
  QList<const QWidget*> tops = {&window};
  if (above) tops << above;
  const QFileInfo opened(places.value(1));
  const QString folder =
      places.size() > 1 ? (opened.isDir() ? opened.absoluteFilePath() : opened.absolutePath()) : QString();
  const QFileInfo target(places[0]);
  QFile texts(target.path() + QLatin1Char('/') + target.completeBaseName() + QStringLiteral(".txt"));
  QString all = textsOfAll(tops, folder);
  // The name of a folder alone, as a title.
  if (opened.isDir())
    all.replace(QRegularExpression(QLatin1String("^%1(?=$|:)").arg(QRegularExpression::escape(opened.fileName())),
                                   QRegularExpression::MultilineOption),
                QStringLiteral("FOLDER"));
  const QByteArray lines = all.toUtf8();
  if (!texts.open(QIODevice::WriteOnly) || texts.write(lines) != lines.size() || !picture.save(places[0])) {
    std::fprintf(stderr, "%s cannot be written\n", qPrintable(places[0]));
    return 1;
  }
  return 0;
}
