#include "tests/cli/cli.h"
#include "tests/cli/inputs.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"

#include <QFile>

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

namespace blobscope::test {
namespace {

/// A pseudo-terminal: its object reads what is written to `path()`.
class Terminal {
public:
  Terminal() : m_master(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)) {
    if (m_master < 0 || grantpt(m_master) != 0 || unlockpt(m_master) != 0) return;
    m_path = QFile::decodeName(ptsname(m_master));
    // Held open, so that it neither hangs up between two runs nor becomes a controlling terminal.
    m_slave = open(ptsname(m_master), O_RDWR | O_NOCTTY | O_CLOEXEC);
  }
  ~Terminal() {
    if (m_slave >= 0) close(m_slave);
    if (m_master >= 0) close(m_master);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  bool isValid() const { return m_slave >= 0; }
  QString path() const { return m_path; }
  /// Everything written so far, with line ends as a terminal gets them.
  const QByteArray& read() {
    char buffer[4096];
    for (ssize_t size; (size = ::read(m_master, buffer, sizeof buffer)) > 0;) m_text.append(buffer, size);
    return m_text;
  }

private:
  int m_master, m_slave = -1;
  QString m_path;
  QByteArray m_text;
};

} // namespace

/// Output that only a terminal gets: progress and colours.
class TestTerminalOutput : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void initTestCase() {
    m_folder = inputFolder();
    QVERIFY2(m_folder, "the inputs cannot be written to the temporary folder");
  }

  /// Long work shows its progress on one line, which is erased before the message.
  void longWorkShowsProgress() {
    if (!writeEndlessFile(m_folder->filePath(QStringLiteral("endless.so"))))
      QSKIP("no sparse files of 64 GiB in the temporary folder");
    Terminal terminal;
    QVERIFY2(terminal.isValid(), "no pseudo-terminal");
    QProcess process;
    prepare(process, m_folder->path(), {"find", "endless.so", "nothing_of_that_kind"});
    process.setStandardErrorFile(terminal.path(), QIODevice::Append);
    process.start();
    process.closeWriteChannel();
    QVERIFY(QTest::qWaitFor([&] { return terminal.read().count("searching") >= 2; }, kWaitMs));
    QVERIFY(sendSignal(process, SIGINT));
    const Outcome outcome = finish(process);
    QVERIFY2(outcome.ending() == "exit 2", outcome.text());
    const QByteArray text = terminal.read();
    QVERIFY2(text.startsWith("\r\033[Ksearching "), text);
    QVERIFY2(text.contains(" %"), text);
    QVERIFY2(text.endsWith("\r\033[Kblobscope-cli: endless.so: cancelled\r\n"), text);
    QCOMPARE(text.count('\n'), 1);
  }

  void shortWorkShowsNoProgress() {
    Terminal terminal;
    QVERIFY2(terminal.isValid(), "no pseudo-terminal");
    QProcess process;
    prepare(process, m_folder->path(), {"schema", "tree"});
    process.setStandardErrorFile(terminal.path(), QIODevice::Append);
    process.start();
    const Outcome outcome = finish(process);
    QCOMPARE(outcome.ending(), QByteArray("exit 0"));
    QCOMPARE(terminal.read(), QByteArray());
  }

  void coloursAreUsedOnlyOnATerminal_data() {
    QTest::addColumn<bool>("terminal");
    QTest::addColumn<bool>("forbidden");
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<bool>("coloured");
    const QStringList tree = {"tree", "damaged.so"}, json = {"tree", "damaged.so", "--json"},
                      verify = {"verify", "damaged.so"};
    QTest::newRow("tree on a terminal") << true << false << tree << true;
    QTest::newRow("verify on a terminal") << true << false << verify << true;
    QTest::newRow("NO_COLOR") << true << true << tree << false;
    QTest::newRow("--json on a terminal") << true << false << json << false;
    QTest::newRow("file") << false << false << tree << false;
  }
  void coloursAreUsedOnlyOnATerminal() {
    QFETCH(bool, terminal);
    QFETCH(bool, forbidden);
    QFETCH(QStringList, arguments);
    QFETCH(bool, coloured);
    Terminal screen;
    QVERIFY2(screen.isValid(), "no pseudo-terminal");
    const Outcome plain = runCli(m_folder->path(), arguments);
    QProcess process;
    prepare(process, m_folder->path(), arguments);
    QProcessEnvironment environment = cliEnvironment();
    if (forbidden) environment.insert(QStringLiteral("NO_COLOR"), QStringLiteral("1"));
    process.setProcessEnvironment(environment);
    if (terminal) process.setStandardOutputFile(screen.path(), QIODevice::Append);
    process.start();
    const Outcome outcome = finish(process);
    QCOMPARE(outcome.ending(), plain.ending());
    const QByteArray text = terminal ? screen.read() : outcome.out;
    QCOMPARE(text.contains('\033'), coloured);
    // Colours only add to the text.
    QByteArray bare = text;
    bare.replace("\r\n", "\n")
        .replace("\033[31m", "")
        .replace("\033[33m", "")
        .replace("\033[36m", "")
        .replace("\033[0m", "");
    QCOMPARE(bare, plain.out);
  }

  /// Bytes of a file never reach a terminal as control sequences.
  void namesCannotDriveTheTerminal_data() {
    QTest::addColumn<QStringList>("arguments");
    const auto row = [](const QStringList& arguments) {
      QTest::newRow(qPrintable(arguments.join(QLatin1Char(' ')))) << arguments;
    };
    for (const char* verb : {"tree", "symbols", "strings", "show"}) row({verb, "hostile.so"});
    row({"tree", "hostile.so", "--all"});
    row({"tree", "hostile.so", "--json"});
    row({"symbols", "hostile.so", "--json"});
    row({"verify", "hostile.so"});
    row({"find", "hostile.so", "1b5d30", "--hex"});
    row({"find", "hostile.so", "1b5d30", "--hex", "--json"});
    for (const char* page : {"Functions", "Symbols", "Hex", "Problems"}) row({"show", "hostile.so", "--page", page});
    row({"show", "hostile.so", "m1", "--page", "Functions"});
    row({"show", "hostile.so", "m1", "--page", "Fields"});
    row({"show", "hostile.so", "m1", "--page", "Source"});
    row({"show", "hostile.so", "symbol:no\033[31m"});
    row({"tree", "no\033[31m.so"});
    row({"\033[31m"});
    row({"tree", "hostile.so", "--\033[31m"});
  }
  void namesCannotDriveTheTerminal() {
    QFETCH(QStringList, arguments);
    QVERIFY(writeFile(m_folder->filePath(QStringLiteral("hostile.so")), hostile()));
    const Outcome outcome = runCli(m_folder->path(), arguments);
    QVERIFY2(outcome.finished && !outcome.crashed, outcome.text());
    for (const QByteArray& text : {outcome.out, outcome.err})
      for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        QVERIFY2((byte >= 0x20 && byte != 0x7f) || c == '\n' || c == '\t',
                 "a control character: " + QByteArray::number(byte));
      }
    // U+202E turns the direction of writing, U+009B is a control sequence introducer.
    for (const char* sequence : {"\xe2\x80\xae", "\xc2\x9b"})
      QVERIFY(arguments.contains(QStringLiteral("--json")) || !outcome.out.contains(sequence));
  }

  /// Long names are cut, with a note of their length; JSON has the whole names.
  void longNamesAreCutInText() {
    const std::string name(3'000'000, 'k');
    const std::vector<Function> kernels = {{name}, {"mul_kernel"}};
    const auto library = [](const std::vector<Function>& functions) {
      return ffiBlob({{"_lib", ""}, {"cuda", code3("cubin", functions, "code", Info::Four)}}, {{1}, {}});
    };
    QVERIFY(writeFile(m_folder->filePath(QStringLiteral("long.blob")), library(kernels)));
    QVERIFY(writeFile(m_folder->filePath(QStringLiteral("short.blob")), library({{"mul_kernel"}})));
    const QList<QStringList> verbs = {{"tree", "long.blob"},
                                      {"show", "long.blob"},
                                      {"show", "long.blob", "m1", "--page", "Functions"},
                                      {"show", "long.blob", "m1", "--page", "Fields"},
                                      {"diff", "long.blob", "short.blob"}};
    for (const QStringList& verb : verbs) {
      const Outcome outcome = runCli(m_folder->path(), verb);
      QVERIFY2(outcome.finished && !outcome.crashed && outcome.exit >= 0 && outcome.exit < 2, outcome.text());
      QVERIFY2(outcome.out.size() < 20'000, qPrintable(verb.join(QLatin1Char(' '))));
    }
    QVERIFY(runCli(m_folder->path(), verbs.front()).out.contains("kkk… (2,999,600 more bytes)\n"));
    const Outcome json = runCli(m_folder->path(), {"tree", "long.blob", "--json"});
    QVERIFY(json.out.contains(QByteArray::fromStdString("\"" + name + "\"")));
  }

private:
  /// `b1.so` with escape sequences in the names of a kernel and a symbol and in the source.
  static std::string hostile() {
    std::string bytes = input(QStringLiteral("b1.so")).bytes;
    const auto replace = [&](const std::string& from, const std::string& to) {
      for (std::size_t at = bytes.find(from); at != std::string::npos; at = bytes.find(from, at + 1))
        bytes.replace(at, from.size(), to);
    };
    replace("add_kernel", "\033]0;ab\a\033[m");
    replace("mul_kernel", "\xe2\x80\xae\xc2\x9b\x7f\b\r\013\fx");
    replace("behind", "\033[2J\r\a");
    return bytes;
  }

  std::unique_ptr<QTemporaryDir> m_folder;
};

BLOBSCOPE_TEST(TestTerminalOutput);

} // namespace blobscope::test

#include "test_terminal.moc"
