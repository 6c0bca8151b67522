#include "core/base/source.h"
#include "core/syntax/line_index.h"
#include "tests/bench/bench_files.h"
#include "ui/pages/node_view.h"
#include "ui/session/jobs.h"
#include "ui/text/plurals.h"
#include "ui/theme/style.h"
#include "ui/theme/theme.h"
#include "ui/widgets/hex/hex_view.h"
#include "ui/widgets/text/text_view.h"
#include "ui/window/main_window.h"
#include "ui/window/node_tabs.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QPlainTextEdit>
#include <QSettings>
#include <QStandardPaths>
#include <QTimer>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <vector>

/// `blobscope_window_bench [FOLDER]` measures the window and its two big views, together with a yardstick of the same
/// run. Draws off screen unless the environment names a platform. Prints medians; judges nothing.
namespace {

using namespace blobscope;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double ms(const std::function<void()>& work) {
  QElapsedTimer clock;
  clock.start();
  work();
  return static_cast<double>(clock.nsecsElapsed()) / 1e6;
}

/// Paints the widget as on the screen.
void paint(QWidget& widget) {
  QImage image(widget.size(), QImage::Format_RGB32);
  widget.render(&image);
}

/// Returns the longest time between two ticks of a 10 ms timer while `until` is not true.
double longestGap(const std::function<bool()>& until) {
  QTimer timer;
  timer.setInterval(10);
  timer.setTimerType(Qt::PreciseTimer);
  QElapsedTimer clock;
  double longest = 0;
  clock.start();
  QObject::connect(&timer, &QTimer::timeout, &timer, [&] {
    longest = std::max(longest, static_cast<double>(clock.nsecsElapsed()) / 1e6);
    clock.restart();
  });
  timer.start();
  while (!until()) QApplication::processEvents(QEventLoop::WaitForMoreEvents);
  return longest;
}

void benchWindow(const QString& small) {
  std::vector<double> shown;
  for (int round = 0; round < 5; ++round) {
    ui::MainWindow window;
    const auto* const tabs = window.findChild<ui::NodeTabs*>();
    window.resize(1440, 900);
    shown.push_back(ms([&] {
      window.show();
      window.openFile(small);
      while (window.document().isOpening() || !tabs->current() || !tabs->current()->isReady())
        QApplication::processEvents(QEventLoop::WaitForMoreEvents);
      paint(window);
    }));
  }
  std::printf(
      "first window with a 3 MB library, contents painted     %7.1f ms   (budget 400 ms, process start not counted)\n",
      median(shown));
}

void benchText() {
  std::string text;
  for (int line = 0; line < 1'000'000; ++line)
    text += "\tld.param.u64 \t%rd" + std::to_string(line) + ", [fused_conv2d_relu_kernel_param_1];\n";
  const Bytes bytes = Bytes::copyOf(text);
  std::vector<double> shown, jumps;
  for (int round = 0; round < 5; ++round) {
    ui::TextView view;
    view.resize(900, 700);
    view.show();
    shown.push_back(ms([&] {
      view.setText(bytes, "ptx");
      paint(view);
    }));
    while (!view.isIndexed()) QApplication::processEvents();
    jumps.push_back(ms([&] {
      view.goToLine(view.lineCount());
      paint(view);
    }));
  }
  std::printf("a million lines of text (%zu MB): shown               %7.1f ms   (budget 50 ms)\n", text.size() >> 20,
              median(shown));
  std::printf("a million lines of text: jump to the last              %7.1f ms   (budget 16 ms)\n", median(jumps));
  const double plain = ms([&] {
    QPlainTextEdit edit;
    edit.resize(900, 700);
    edit.setPlainText(QString::fromStdString(text));
    paint(edit);
  });
  std::printf("  yardstick: QPlainTextEdit shows the same             %7.1f ms\n", plain);
}

void benchHex(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "sparse";
  {
    std::ofstream file(path, std::ios::binary);
    file.seekp((uint64_t{2} << 30) - 1);
    file.put('x');
  }
  const auto source = ByteSource::openFile(path);
  if (!source) return;
  const Bytes bytes = ByteSource::all(*source);
  std::vector<double> shown, jumps;
  for (int round = 0; round < 5; ++round) {
    ui::HexView view;
    view.resize(900, 700);
    view.show();
    shown.push_back(ms([&] {
      view.setBytes(bytes);
      paint(view);
    }));
    jumps.push_back(ms([&] {
      view.select(bytes.size() - 16, 16);
      paint(view);
    }));
  }
  std::printf("2 GB in hex: shown                                     %7.1f ms   (budget 30 ms)\n", median(shown));
  std::printf("2 GB in hex: jump to the last 16 bytes                 %7.1f ms   (budget 16 ms)\n", median(jumps));
}

void benchGap(const QString& large) {
  ui::MainWindow window;
  const auto* const tabs = window.findChild<ui::NodeTabs*>();
  window.resize(1440, 900);
  window.show();
  QApplication::processEvents();
  QElapsedTimer took;
  took.start();
  window.openFile(large);
  bool seen = false;
  const double gap = longestGap([&] {
    seen = seen || (!window.document().isOpening() && tabs->current() && tabs->current()->isReady());
    return seen && took.elapsed() > 500;
  });
  const qint64 time = took.elapsed();
  QElapsedTimer idle;
  idle.start();
  const double quiet = longestGap([&] { return idle.elapsed() > time; });
  std::printf("longest gap of a 10 ms timer, 200 MB library opening   %7.1f ms   in %lld ms\n", gap,
              static_cast<long long>(time));
  std::printf("  yardstick: the same window idle for as long          %7.1f ms\n", quiet);
}

} // namespace

int main(int argc, char** argv) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QStandardPaths::setTestModeEnabled(true);
  QApplication app(argc, argv);
  blobscope::ui::installPlurals();
  QApplication::setOrganizationName(QStringLiteral("BlobscopeBench"));
  QApplication::setApplicationName(QStringLiteral("Bench"));
  QSettings().clear();
  QApplication::setStyle(new ui::Style);
  ui::setTheme(ui::Theme::light());
  const std::filesystem::path folder =
      argc > 1 ? argv[1] : std::filesystem::temp_directory_path() / "blobscope-window-bench";
  std::filesystem::create_directories(folder);
  const std::filesystem::path small = folder / "small.so", large = folder / "large.so";
  test::writeLibrary(small, 300, 50, 3 << 20);
  test::writeLibrary(large, 100'000, 200, 200ull << 20);
  benchWindow(QString::fromStdString(small.native()));
  benchText();
  benchHex(folder);
  benchGap(QString::fromStdString(large.native()));
  std::filesystem::remove_all(folder);
  return 0;
}
