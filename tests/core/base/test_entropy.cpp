#include "core/base/entropy.h"

#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <cmath>
#include <string>

using namespace blobscope;
using namespace blobscope::test;

namespace {

constexpr uint64_t kAll = UINT64_MAX;

std::string everyByte(std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times * 256; ++i) out += static_cast<char>(i);
  return out;
}

/// Stops after some requests.
class StoppingMonitor final : public Monitor {
public:
  explicit StoppingMonitor(int after) : m_left(after) {}
  bool stopRequested() const override { return m_left-- <= 0; }
  void progress(std::string_view, uint64_t, uint64_t) override {}

private:
  mutable int m_left;
};

} // namespace

class TestEntropy : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void bytesHaveTheirEntropy();
  void blocksTileTheBytes();
  void largeDataIsSampled();
  void computingCanBeCancelled();
};

void TestEntropy::bytesHaveTheirEntropy() {
  QCOMPARE(entropyOf(""), 0.0);
  QCOMPARE(entropyOf(std::string(1000, 'x')), 0.0);
  QVERIFY(std::abs(entropyOf("abababab") - 1) < 1e-9);
  QVERIFY(std::abs(entropyOf("abcdefgh") - 3) < 1e-9);
  QVERIFY(std::abs(entropyOf("aaab") - (0.75 * std::log2(4.0 / 3) + 0.25 * 2)) < 1e-9);
  QVERIFY(std::abs(entropyOf(everyByte(3)) - 8) < 1e-9);
  QVERIFY(std::abs(entropyOf(everyByte(3) + "x") - 8) < 0.01);
}

void TestEntropy::blocksTileTheBytes() {
  NullMonitor monitor;
  const std::string text = std::string(1024, '\0') + everyByte(4) + std::string(100, 'a');
  const auto blocks = computeEntropy(bytes(text), 1000, kAll, monitor);
  QVERIFY(blocks);
  QCOMPARE(blocks->blockSize, uint64_t{256});
  QCOMPARE(blocks->bits.size(), std::size_t{9});
  QVERIFY(!blocks->isSampled);
  for (std::size_t i = 0; i < 9; ++i) QCOMPARE(blocks->bits[i], i < 4 || i == 8 ? 0.0F : 8.0F);
  QCOMPARE(blocks->blockAt(255), uint64_t{0});
  QCOMPARE(blocks->blockAt(text.size() - 1), uint64_t{8});

  const auto few = computeEntropy(bytes(text), 2, kAll, monitor);
  QVERIFY(few && few->bits.size() == 2 && few->blockSize == (text.size() + 1) / 2);
  const auto none = computeEntropy(Bytes(), 2, kAll, monitor);
  QVERIFY(none && none->bits.empty());
}

void TestEntropy::largeDataIsSampled() {
  NullMonitor monitor;
  // 4 blocks of 64 KiB; of each, at most 16 KiB are read.
  std::string text;
  for (int i = 0; i < 2; ++i) text += std::string(64 * 1024, '\0') + everyByte(256);
  const auto blocks = computeEntropy(bytes(text), 4, 64 * 1024, monitor);
  QVERIFY(blocks && blocks->isSampled);
  QCOMPARE(blocks->bits, (std::vector<float>{0, 8, 0, 8}));
}

void TestEntropy::computingCanBeCancelled() {
  const Bytes all = bytes(std::string(100'000, 'x'));
  for (const int after : {0, 1, 5}) {
    StoppingMonitor monitor(after);
    const auto blocks = computeEntropy(all, 100, kAll, monitor);
    QVERIFY(!blocks);
    QCOMPARE(blocks.error().code(), ErrorCode::Cancelled);
  }
}

BLOBSCOPE_TEST(TestEntropy);

#include "test_entropy.moc"
