#include "core/plan/metadata.h"

#include "tests/core/plan/program_builder.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;

class TestPlanMetadata : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void weightsAndMemoryAreRead() {
    ModelMaker m;
    m.text("main");
    m.text(R"({"context_window_size": 768, "prefill_chunk_size": 512, "memory_usage": {"prefill": 4096, "x": -1},
               "params": [{"name": "a", "shape": [2, 3], "dtype": "float16"},
                          {"name": "b", "shape": [4], "dtype": "uint32"}]})");
    const auto metadata = plan::metadataOf(m.model.program);
    QVERIFY(metadata);
    QCOMPARE(metadata->weights, 2U);
    QCOMPARE(metadata->weightBytes.value_or(0), 12U + 16U);
    QCOMPARE(metadata->context.value_or(0), int64_t{768});
    QCOMPARE(metadata->prefill.value_or(0), int64_t{512});
    QCOMPARE(metadata->temporary.size(), std::size_t{1});
    QCOMPARE(metadata->temporary.at("prefill"), 4096U);
  }

  void unknownSizesAreNotZero() {
    ModelMaker m;
    m.text(R"({"params": [{"name": "a", "shape": ["n", 3], "dtype": "float16"}]})");
    const auto metadata = plan::metadataOf(m.model.program);
    QVERIFY(metadata);
    QCOMPARE(metadata->weights, 1U);
    QVERIFY(!metadata->weightBytes);
  }

  void otherTextsAreIgnored() {
    ModelMaker m;
    m.text("{\"model_type\": \"tiny\"}");
    m.text("{ not json");
    m.text("[1]");
    QVERIFY(!plan::metadataOf(m.model.program));
  }
};

BLOBSCOPE_TEST(TestPlanMetadata);
#include "test_metadata.moc"
