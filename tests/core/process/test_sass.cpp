#include "core/modules/cuda/sass_page.h"
#include "core/process/sass.h"
#include "core/syntax/disassembler.h"

#include "tests/core/process/made_tool.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::process;
using namespace blobscope::test;
using namespace std::string_literals;

namespace {

std::string number(uint64_t value, unsigned width) {
  std::string out;
  for (unsigned i = 0; i < width; ++i) out += i < 8 ? static_cast<char>(value >> 8 * i) : '\0';
  return out;
}

/// An ELF file with only a symbol table: the null symbol, a section symbol named "k", the functions "other" and "k".
std::string madeCubin() {
  const std::string names = "\0k\0other\0"s;
  const auto symbol = [](uint64_t name, uint64_t info) {
    return number(name, 4) + number(info, 1) + std::string(19, '\0');
  };
  const std::string symbols = symbol(0, 0) + symbol(1, 3) + symbol(3, 0x12) + symbol(1, 0x12);
  const auto section = [](uint64_t type, uint64_t offset, uint64_t size, uint64_t link) {
    return number(0, 4) + number(type, 4) + number(0, 16) + number(offset, 8) + number(size, 8) + number(link, 8) +
           number(0, 16);
  };
  const uint64_t symbolsAt = 64, namesAt = symbolsAt + symbols.size(), headersAt = namesAt + names.size();
  const std::string head = "\x7f"
                           "ELF\x02\x01\x01"s +
                           std::string(33, '\0') + number(headersAt, 8) + number(0, 10) + number(64, 2) + number(3, 2) +
                           number(0, 2);
  return head + symbols + names + section(0, 0, 0, 0) + section(2, symbolsAt, symbols.size(), 2) +
         section(3, namesAt, names.size(), 0);
}

} // namespace

class TestSassDisassembly : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init();
  void cubinIsDisassembled();
  void oneKernelIsSelectedByItsIndex();
  void unknownKernelIsRefused();
  void damagedCubinsGiveNoListing();
  void missingToolIsExplained();
  void messageOfTheToolIsShown();
  void toolThatHangsIsStopped();
  void toolThatPrintsTooMuchIsStopped();
  void toolCanBeCancelled();
  void pageShowsTheDisassembly();

private:
  void makeTool(std::string_view commands) { writeScript(in(*m_folder, "nvdisasm"), commands); }
  Result<SassListing> disassemble(const std::string& kernel = {}) {
    return disassembleSass(bytes(madeCubin()), kernel, m_monitor, m_options);
  }
  std::string message(const std::string& kernel = {}) {
    const auto result = disassemble(kernel);
    std::string text = result ? "fine: " + result->text : result.error().message();
    const std::string folder = m_folder->path().toStdString();
    for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder))
      text.replace(at, folder.size(), "DIR");
    return text;
  }
  std::unique_ptr<QTemporaryDir> m_folder;
  SassOptions m_options;
  NullMonitor m_monitor;
};

void TestSassDisassembly::init() {
  m_folder = std::make_unique<QTemporaryDir>();
  m_options = {};
  m_options.search = {.named = m_folder->path().toStdString(), .root = m_folder->path().toStdString() + "/root"};
}

void TestSassDisassembly::cubinIsDisassembled() {
  // Confined, so it starts no other programs and does not inherit our environment.
  makeTool("echo \"$@\" $PATH $HOME; exec cat image.cubin");
  QCOMPARE(message(), "fine: -c image.cubin /usr/bin:/bin\n" + madeCubin());
}

void TestSassDisassembly::oneKernelIsSelectedByItsIndex() {
  makeTool("echo \"$@\"");
  QCOMPARE(message("k"), std::string("fine: -c -fun 3 image.cubin\n"));
  QCOMPARE(message("other"), std::string("fine: -c -fun 2 image.cubin\n"));
}

void TestSassDisassembly::unknownKernelIsRefused() {
  makeTool("echo called");
  QCOMPARE(message("ot"),
           std::string("'ot' does not exist in this file: the symbol table of the cubin has no function of "
                       "that name"));
}

/// Truncated at each byte, and each byte set to 0xff: an error, never a crash.
void TestSassDisassembly::damagedCubinsGiveNoListing() {
  makeTool("true");
  const std::string whole = madeCubin();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = '\xff';
    for (const std::string& file : {whole.substr(0, i), changed}) {
      // The table is read before the tool starts; the tool itself need not run.
      StopAfter monitor(1);
      QVERIFY(!disassembleSass(bytes(file), "k", monitor, m_options).hasValue());
    }
  }
}

void TestSassDisassembly::missingToolIsExplained() {
  QCOMPARE(message(), std::string("nvdisasm was not found; it comes with the CUDA toolkit and with the Python package "
                                  "nvidia-cuda-nvdisasm, and BLOBSCOPE_CUDA_TOOLS can name its folder; searched: DIR, "
                                  "DIR/bin, DIR/root/usr/local/cuda/bin, "
                                  "DIR/root/usr/lib/python3/dist-packages/nvidia/cu*/bin, "
                                  "DIR/root/usr/local/lib/python3*/dist-packages"));
  QVERIFY(disassemble().error().id() == DiagnosticId::ToolMissing);
}

void TestSassDisassembly::messageOfTheToolIsShown() {
  // The message of nvdisasm 13.
  makeTool("echo 'nvdisasm fatal   : CUDA architecture \"SM50\" is deprecated. "
           "Please use CUDA toolkit 13.0 or earlier' >&2\nexit 1");
  QCOMPARE(message(),
           std::string("'DIR/nvdisasm' ended with exit code 1: nvdisasm fatal : CUDA architecture \"SM50\" is "
                       "deprecated. Please use CUDA toolkit 13.0 or earlier"));
  QVERIFY(disassemble().error().id() == DiagnosticId::ToolFailed);
}

void TestSassDisassembly::toolThatHangsIsStopped() {
  makeTool("exec sleep 600");
  m_options.timeoutMs = 200;
  QCOMPARE(message(), std::string("'DIR/nvdisasm' did not end within 200 ms and was stopped"));
}

void TestSassDisassembly::toolThatPrintsTooMuchIsStopped() {
  makeTool("exec yes");
  m_options.outputBytes = 4096;
  QCOMPARE(message(), std::string("'DIR/nvdisasm' was stopped after it had printed 4.0 KiB (4,096 bytes)"));
}

void TestSassDisassembly::toolCanBeCancelled() {
  makeTool("exec sleep 600");
  StopAfter monitor(5);
  const auto result = disassembleSass(bytes(madeCubin()), {}, monitor, m_options);
  QVERIFY(!result.hasValue());
  QVERIFY(result.error().code() == ErrorCode::Cancelled);
}

void TestSassDisassembly::pageShowsTheDisassembly() {
  const QByteArray before = qgetenv("BLOBSCOPE_CUDA_TOOLS");
  qputenv("BLOBSCOPE_CUDA_TOOLS", m_folder->path().toUtf8());
  makeTool("echo 'EXIT ;'");
  syntax::setSassDisassembler(listSass);
  const view::Page page = modules::sassPage(bytes(madeCubin()), "k");
  QCOMPARE(page.name, std::string("SASS"));
  QCOMPARE(view::pageKind(page), std::string_view("text"));
  const auto made = view::resolvePage(page, m_monitor);
  makeTool("echo 'no' >&2; exit 1");
  const auto refused = view::resolvePage(page, m_monitor);
  StopAfter stop(0);
  const auto stopped = view::resolvePage(page, stop);
  qputenv("BLOBSCOPE_CUDA_TOOLS", before);
  syntax::setSassDisassembler(nullptr);
  const auto without = view::resolvePage(page, m_monitor);
  QVERIFY(without.hasValue());
  QVERIFY(std::get_if<view::NoticePage>(&without->content));

  QVERIFY(made.hasValue());
  const auto* const text = std::get_if<view::TextPage>(&made->content);
  QVERIFY(text);
  QCOMPARE(std::string(text->text.view()),
           "// disassembled by NVIDIA nvdisasm, " + confinedText(supportedLayers()) + "\nEXIT ;\n");
  QCOMPARE(text->language, std::string("sass"));
  QVERIFY(refused.hasValue());
  const auto* const notice = std::get_if<view::NoticePage>(&refused->content);
  QVERIFY(notice);
  QVERIFY(notice->text.ends_with("/nvdisasm' ended with exit code 1: no"));
  QVERIFY(!stopped.hasValue());
  QVERIFY(stopped.error().code() == ErrorCode::Cancelled);
}

BLOBSCOPE_TEST(TestSassDisassembly);
#include "test_sass.moc"
