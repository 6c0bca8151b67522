#include "core/modules/registry.h"

#include "tests/core/modules/tree_check.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <set>

using namespace blobscope;
using namespace blobscope::test;

/// The table of kinds, and the body of kinds without a codec.
class TestModuleRegistry : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void eachKeyHasOneCodec();
  void upstreamKeysAreKnown_data();
  void upstreamKeysAreKnown();
  void unknownKindsKeepTheirBytes_data();
  void unknownKindsKeepTheirBytes();
};

void TestModuleRegistry::eachKeyHasOneCodec() {
  std::set<std::string_view> keys;
  for (const modules::ModuleCodec* codec : modules::codecs()) {
    QVERIFY(!codec->keys.empty());
    QVERIFY(!codec->layouts.empty());
    for (const std::string_view key : codec->keys) {
      QVERIFY2(keys.insert(key).second, std::string(key).c_str());
      QCOMPARE(modules::findCodec(key), codec);
      QVERIFY2(modules::isUpstreamKey(key), std::string(key).c_str());
    }
  }
  for (const char* none : {"", "Cuda", "cuda ", "_import_tree", "Vendor.Kind"}) QVERIFY(!modules::findCodec(none));
}

void TestModuleRegistry::upstreamKeysAreKnown_data() {
  QTest::addColumn<bool>("upstream");
  for (const char* key : {"relax.VMExecutable", "relax.Executable", "c", "json", "metal", "mrvl_hw", "_lib"})
    QTest::newRow(key) << true;
  for (const char* key : {"MERADRPRuntime", "_import_tree", "llvm", "Metal"}) QTest::newRow(key) << false;
  QTest::newRow("") << false;
}

void TestModuleRegistry::upstreamKeysAreKnown() {
  QFETCH(bool, upstream);
  QCOMPARE(modules::isUpstreamKey(QTest::currentDataTag()), upstream);
}

void TestModuleRegistry::unknownKindsKeepTheirBytes_data() {
  QTest::addColumn<QByteArray>("payload");
  QTest::addColumn<QString>("content");
  QTest::newRow("no bytes") << QByteArray() << "";
  QTest::newRow("text") << QByteArray("hello") << "text";
  QTest::newRow("JSON") << QByteArray("{\"a\": 1}") << "json";
  QTest::newRow("binary") << QByteArray("\x01\x00\xff", 3) << "";
  QTest::newRow("large enough to be passed on without a copy") << QByteArray(70'000, '\x02') << "";
}

void TestModuleRegistry::unknownKindsKeepTheirBytes() {
  QFETCH(QByteArray, payload);
  QFETCH(QString, content);
  const std::string_view view(payload.constData(), static_cast<std::size_t>(payload.size()));
  const modules::BodyPtr body = modules::opaqueBody(bytes(view));
  QVERIFY(!body->decoded());
  QCOMPARE(body->layout(), std::string_view("opaque"));
  QVERIFY(body->kernels().empty());
  QVERIFY(!body->format());
  QCOMPARE(body->content().size(), std::size_t{content.isEmpty() ? 0u : 1u});
  if (!content.isEmpty()) QCOMPARE(shown(body->content().front()), content);
  Writer writer;
  body->encode(writer);
  QCOMPARE(whereDifferent(joined(writer.takePieces()).view(), view), QString());
  uint64_t unknown = 0;
  QCOMPARE(whyNotTiled(modules::describeBody(*body, bytes(view)), view.size(), &unknown), QString());
  QCOMPARE(unknown, uint64_t{view.size()});
}

BLOBSCOPE_TEST(TestModuleRegistry);
#include "test_registry.moc"
