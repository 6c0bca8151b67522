#include "core/base/text.h"
#include "core/process/sass.h"
#include "core/syntax/disassembler.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/theme/style.h"
#include "ui/window/application.h"
#include "ui/window/comparing.h"
#include "ui/window/main_window.h"
#include "ui/window/theme_choice.h"

#ifdef BLOBSCOPE_DISASM
#include "core/disasm/mc.h"
#endif

#include <QCommandLineParser>
#include <QIcon>

#include <cstdio>

/// `blobscope [FILE [OTHER]] [--at REF] [--memory SIZE]`
int main(int argc, char** argv) {
#ifdef BLOBSCOPE_DISASM
  blobscope::syntax::setDisassemblerFactory(blobscope::disasm::makeDisassembler);
#endif
  blobscope::syntax::setSassDisassembler(blobscope::process::listSass);
  blobscope::ui::Application app(argc, argv);
  blobscope::ui::installPlurals();
  QApplication::setApplicationName(QStringLiteral("Blobscope"));
  QApplication::setOrganizationName(QStringLiteral("Blobscope"));
  QApplication::setApplicationVersion(QStringLiteral(BLOBSCOPE_VERSION));
  QApplication::setWindowIcon(QIcon(QStringLiteral(":/icons/blobscope.svg")));

  QCommandLineParser parser;
  parser.setApplicationDescription(
      QStringLiteral("Shows the content of libraries that Apache TVM exports, without executing them."));
  parser.addHelpOption();
  parser.addVersionOption();
  parser.addPositionalArgument(QStringLiteral("FILE"),
                               QStringLiteral("The library to open; without it the start page opens"),
                               QStringLiteral("[FILE]"));
  parser.addPositionalArgument(QStringLiteral("OTHER"), QStringLiteral("A second library to compare FILE with"),
                               QStringLiteral("[OTHER]"));
  const QCommandLineOption at(QStringLiteral("at"),
                              QStringLiteral("Show this node or these bytes, for example m1/kernel:NAME or @0x1000"),
                              QStringLiteral("REF"));
  parser.addOption(at);
  const QCommandLineOption memory(QStringLiteral("memory"),
                                  QStringLiteral("Memory limit for unpacking a file, for example 4 GiB"),
                                  QStringLiteral("SIZE"));
  parser.addOption(memory);
  parser.process(app);

  using namespace blobscope;
  const auto ref = parser.isSet(at) ? Ref::parse(ui::fromQt(parser.value(at))) : std::optional(Ref());
  if (!ref) {
    std::fprintf(stderr, "blobscope: invalid reference '%s'; examples: m1, m1/kernel:NAME, @0x1000+64\n",
                 qPrintable(parser.value(at)));
    return 2;
  }
  const auto memoryBytes = parser.isSet(memory) ? parseSize(ui::fromQt(parser.value(memory))) : std::nullopt;
  if (parser.isSet(memory) && !memoryBytes) {
    std::fprintf(stderr, "blobscope: invalid size '%s' for --memory; example: '4 GiB'\n",
                 qPrintable(parser.value(memory)));
    return 2;
  }
  QApplication::setStyle(new ui::Style);
  ui::applyThemeChoice();

  auto* const window = new ui::MainWindow;
  window->setAttribute(Qt::WA_DeleteOnClose);
  if (memoryBytes) window->document().setMemoryLimit(memoryBytes);
  if (parser.isSet(at)) window->openAt(*ref);
  window->show();
  const QStringList files = parser.positionalArguments();
  if (files.size() > 1)
    window->comparing().compareFiles(files[0], files[1]);
  else if (!files.isEmpty())
    window->openFile(files.first());
  return QApplication::exec();
}
