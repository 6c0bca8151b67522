#include "tests/cli/cli.h"
#include "tests/cli/inputs.h"
#include "tests/support/test_main.h"

#include <QThread>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>
#include <random>
#include <thread>

namespace blobscope::test {
namespace {

constexpr int kMutations = 200;
constexpr int kSanitizedMutations = 30;
constexpr int kLimitMs = 10'000;

/// One of three kinds of damage: flipped bits, an extreme word, a truncation. The same on every machine.
std::string mutated(std::string bytes, uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random()) % limit; };
  switch (below(3)) {
  case 0:
    for (std::size_t flips = 1 + below(4); flips > 0; --flips) {
      const std::size_t at = below(bytes.size());
      bytes[at] = static_cast<char>(bytes[at] ^ 1 << below(8));
    }
    break;
  case 1: {
    constexpr uint64_t kWords[] = {0,          1,          0x7f,       0xffff,     0x7fffffff,         0x80000000,
                                   0xffffffff, 0x10000000, 0x40000000, 1ull << 40, 0x7fffffffffffffff, UINT64_MAX};
    const std::size_t at = below(bytes.size()), size = below(2) == 0 ? 8 : 4;
    const uint64_t word = kWords[below(std::size(kWords))];
    for (std::size_t i = 0; i < size && at + i < bytes.size(); ++i) bytes[at + i] = static_cast<char>(word >> (8 * i));
    break;
  }
  default: bytes.resize(below(bytes.size())); break;
  }
  return bytes;
}

/// The commands that are run on a damaged library.
const std::vector<QStringList>& questions() {
  static const std::vector<QStringList> kAll = {{"tree"},    {"verify"},  {"show", "m1"},
                                                {"symbols"}, {"strings"}, {"find", "kernel"}};
  return kAll;
}

/// Says why the run did not end in an allowed way; empty when it did.
QByteArray whyWrong(const Outcome& outcome, bool json) {
  if (!outcome.finished) return "not ended after 10 s";
  if (outcome.crashed || outcome.exit < 0 || outcome.exit > 2) return outcome.text();
  if (!whyNotMessages(outcome.err).isEmpty()) return whyNotMessages(outcome.err);
  if (outcome.err.isEmpty() == (outcome.exit == 2)) return "exit code and standard error disagree: " + outcome.text();
  if (json && !parseJson(outcome.out)) return "not JSON: " + outcome.text();
  return {};
}

} // namespace

/// Damaged libraries: each run ends on its own, with one of the three exit codes.
class TestDamagedLibraries : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void initTestCase() { QVERIFY(m_folder.isValid()); }

  void everyMutationGetsAnAnswer_data() {
    QTest::addColumn<QString>("name");
    // One library of each structure; the others differ from these in content only.
    for (const char* name : {"era-a.so", "b1.so", "c1.so", "opencl-vulkan.so", "vendor-classic.so", "shared-child.so",
                             "two-blobs.so", "mips32.so", "no-sections.so", "object.o"})
      QTest::newRow(name) << QString::fromLatin1(name);
  }
  /// Every command runs on every mutation. With sanitizers a start takes several times as long, so each mutation gets
  /// one command, in turn, and there are fewer mutations; the fuzz replays cover the rest of the code in one process.
  void everyMutationGetsAnAnswer() {
    QFETCH(QString, name);
    const std::string& bytes = input(name).bytes;
    const bool inTurn = cliIsSanitized();
    const int mutations = inTurn ? kSanitizedMutations : kMutations;
    const std::size_t count = questions().size();
    std::atomic<int> next = 0, asked = 0;
    std::mutex guard;
    QByteArray failures;
    const auto work = [&](int worker) {
      const QString file = QStringLiteral("%1-%2").arg(worker).arg(name);
      for (int i; (i = next++) < mutations;) {
        if (!writeFile(m_folder.filePath(file), mutated(bytes, static_cast<uint32_t>(i)))) {
          const std::scoped_lock lock(guard);
          failures += "the temporary folder cannot be written\n";
          return;
        }
        for (std::size_t k = 0; k < count; ++k) {
          if (inTurn && k != static_cast<std::size_t>(i) % count) continue;
          QStringList arguments = questions()[k];
          arguments.insert(1, file);
          const bool json = i / static_cast<int>(count) % 2 == 1;
          if (json) arguments << QStringLiteral("--json");
          const QByteArray why = whyWrong(runCli(m_folder.path(), arguments, kLimitMs), json);
          ++asked;
          if (why.isEmpty()) continue;
          const std::scoped_lock lock(guard);
          failures += "mutation " + QByteArray::number(i) + ": " + arguments.join(QLatin1Char(' ')).toUtf8() + ": " +
                      why + '\n';
        }
      }
    };
    std::vector<std::thread> workers;
    for (int i = 0; i < std::max(QThread::idealThreadCount(), 1); ++i) workers.emplace_back(work, i);
    for (std::thread& worker : workers) worker.join();
    QVERIFY2(failures.isEmpty(), failures.left(8000));
    QCOMPARE(asked.load(), inTurn ? mutations : mutations * static_cast<int>(count));
  }

private:
  QTemporaryDir m_folder;
};

BLOBSCOPE_TEST(TestDamagedLibraries);

} // namespace blobscope::test

#include "test_damage.moc"
