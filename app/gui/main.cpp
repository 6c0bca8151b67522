#include "core/base/budget.h"
#include "core/base/private_file.h"
#include "core/base/ref.h"
#include "core/process/sass.h"
#include "core/syntax/disassembler.h"
#include "ui/text/plain_text.h"
#include "ui/text/translation.h"
#include "ui/theme/icons.h"
#include "ui/theme/style.h"
#include "ui/window/application.h"
#include "ui/window/comparing.h"
#include "ui/window/instance.h"
#include "ui/window/main_window.h"
#include "ui/window/preferences.h"
#include "ui/window/session_keeper.h"

#ifdef BLOBSCOPE_DISASM
#include "core/disasm/mc.h"
#endif

#include <QCommandLineParser>
#include <QFileInfo>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace {

/// The command line: `blobscope [FILE [OTHER]] [--at REF] [--memory SIZE] [--reuse | --new-window]`.
struct CommandLine {
  QCommandLineParser parser;
  QCommandLineOption at{QStringLiteral("at"),
                        QStringLiteral("Show this part or these bytes, for example m1/kernel:NAME or @0x1000"),
                        QStringLiteral("REF")};
  QCommandLineOption memory{QStringLiteral("memory"),
                            QStringLiteral("Memory limit for unpacking a file, for example 4 GiB"),
                            QStringLiteral("SIZE")};
  QCommandLineOption reuse{QStringLiteral("reuse"),
                           QStringLiteral("Open the files in the running instance, if there is one")};
  QCommandLineOption newWindow{
      QStringLiteral("new-window"),
      QStringLiteral("Open the files in a new instance, even if the preferences say otherwise")};

  CommandLine() {
    parser.setApplicationDescription(
        QStringLiteral("Shows the content of libraries that Apache TVM exports, without executing them."));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument(QStringLiteral("FILE"),
                                 QStringLiteral("The library to open; without it, the start page opens"),
                                 QStringLiteral("[FILE]"));
    parser.addPositionalArgument(QStringLiteral("OTHER"), QStringLiteral("A second library to compare FILE with"),
                                 QStringLiteral("[OTHER]"));
    parser.addOption(at);
    parser.addOption(memory);
    if (!blobscope::ui::Instance::isSupported()) {
      reuse.setFlags(QCommandLineOption::HiddenFromHelp);
      newWindow.setFlags(QCommandLineOption::HiddenFromHelp);
    }
    parser.addOption(reuse);
    parser.addOption(newWindow);
  }
};

void nameApplication() {
  QCoreApplication::setApplicationName(QStringLiteral("Blobscope"));
  QCoreApplication::setOrganizationName(QStringLiteral("Blobscope"));
  QCoreApplication::setApplicationVersion(QStringLiteral(BLOBSCOPE_VERSION));
  // Wayland finds the icon of the window by the name of its menu entry.
  QGuiApplication::setDesktopFileName(QStringLiteral("org.blobscope.Blobscope"));
}

/// Prints the help or the version and ends the program, if an argument asks for it. This needs no display, while a
/// QApplication without one aborts.
void printWhatIsAskedFor(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") return;
    if (word == "--at" || word == "--memory") ++i; // its value may be anything
    const bool help = word == "--help" || word == "-h" || word == "--help-all";
    if (!help && word != "--version" && word != "-v") continue;
    const QCoreApplication app(argc, argv);
    nameApplication();
    CommandLine line;
    if (!help) line.parser.showVersion();
    line.parser.showHelp(0);
  }
}

/// Ends the program with a message where Qt would abort: when the window system cannot be used.
void endWithoutDisplay(QtMsgType type, const QMessageLogContext& context, const QString& text) {
  if (type != QtFatalMsg) {
    std::fprintf(stderr, "%s\n", qPrintable(qFormatLogMessage(type, context, text)));
    return;
  }
  std::fputs(
      "blobscope: no window can be opened, because there is no usable display; set DISPLAY or WAYLAND_DISPLAY, or "
      "use blobscope-cli\n",
      stderr);
  std::_Exit(2);
}

} // namespace

int main(int argc, char** argv) {
  printWhatIsAskedFor(argc, argv);
  blobscope::surviveFileLimit();
#ifdef BLOBSCOPE_DISASM
  blobscope::syntax::setDisassemblerFactory(blobscope::disasm::makeDisassembler);
#endif
  blobscope::syntax::setSassDisassembler(blobscope::process::listSass);
  const QtMessageHandler usual = qInstallMessageHandler(endWithoutDisplay);
  blobscope::ui::Application app(argc, argv);
  qInstallMessageHandler(usual);
  nameApplication();
  QApplication::setWindowIcon(blobscope::ui::programIcon());

  CommandLine line;
  QCommandLineParser& parser = line.parser;
  const QCommandLineOption &at = line.at, &memory = line.memory;
  parser.process(app);

  using namespace blobscope;
  const auto ref = parser.isSet(at) ? Ref::parse(ui::fromQt(parser.value(at))) : std::optional(Ref());
  if (!ref) {
    std::fprintf(stderr, "blobscope: invalid reference '%s'; examples: m1, m1/kernel:NAME, @0x1000+64\n",
                 qPrintable(parser.value(at)));
    return 2;
  }
  std::optional<uint64_t> memoryBytes;
  if (parser.isSet(memory)) {
    const auto bytes = Budget::parseMemory(ui::fromQt(parser.value(memory)));
    if (!bytes) {
      std::fprintf(stderr, "blobscope: --memory: %s\n", bytes.error().message().c_str());
      return 2;
    }
    memoryBytes = *bytes;
  }
  QStringList files;
  for (const QString& file : parser.positionalArguments()) files << QFileInfo(file).absoluteFilePath();
  const ui::Preferences preferences = ui::Preferences::load();
  const bool reuse = !parser.isSet(line.newWindow) && (parser.isSet(line.reuse) || preferences.reuseInstance);
  const QString name = ui::Instance::defaultName();
  // A memory limit is for this start only.
  if (reuse && !memoryBytes && ui::Instance::send(name, {files.mid(0, 2), parser.value(at)})) return 0;

  ui::installTranslation(preferences.language);
  QApplication::setStyle(new ui::Style);
  ui::applyPreferencesAtStart(preferences);
  ui::SessionKeeper session(&app);
  ui::Instance instance(name, &app);
  QObject::connect(&instance, &ui::Instance::requested, &app, &ui::MainWindow::handle);
  instance.listen(); // unless another one does; then this one is independent

  auto* const window = new ui::MainWindow;
  window->setAttribute(Qt::WA_DeleteOnClose);
  if (memoryBytes) window->document().setMemoryLimit(memoryBytes);
  if (parser.isSet(at)) window->openAt(*ref);
  window->show();
  if (files.isEmpty())
    session.start(*window);
  else if (files.size() > 1)
    window->comparing().compareFiles(files[0], files[1]);
  else
    window->openFile(files.first());
  return QApplication::exec();
}
