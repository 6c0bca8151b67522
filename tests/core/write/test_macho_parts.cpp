#include "core/base/text.h"
#include "core/write/macho/plan.h"
#include "core/write/plan_parts.h"
#include "tests/core/base/compare.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
using write::Overwrite;

namespace {

const std::string kInput = "0123456789abcdef";

struct Edit {
  uint64_t offset;
  const char* bytes;
};

} // namespace

class TestMachOParts : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void bytesAreReplaced_data() {
    QTest::addColumn<int>("row");
    QTest::addColumn<std::string>("output");
    for (std::size_t i = 0; i < rows().size(); ++i)
      QTest::newRow(rows()[i].name) << static_cast<int>(i) << std::string(rows()[i].output);
  }
  void bytesAreReplaced() {
    QFETCH(int, row);
    QFETCH(std::string, output);
    const Row& one = rows()[static_cast<std::size_t>(row)];
    std::vector<Overwrite> edits;
    for (const Edit& edit : one.edits) edits.push_back({edit.offset, Bytes::copyOf(edit.bytes), "changed"});
    write::PlanBuilder builder;
    write::macho::addPatched(builder, one.extent, edits);
    const write::Plan plan = builder.take({});
    NullMonitor monitor;
    const auto found = write::assemble(plan, bytes(kInput), monitor);
    QVERIFY(found.hasValue());
    QCOMPARE(std::string(found->view()), output);
    QCOMPARE(plan.size(), one.extent.size);
  }

  void namesFillTheirField() {
    QCOMPARE(write::macho::nameField(""), std::string(16, '\0'));
    QCOMPARE(write::macho::nameField("__TVM_BLOB"), "__TVM_BLOB" + std::string(6, '\0'));
    QCOMPARE(write::macho::nameField("sixteen letters!"), std::string("sixteen letters!"));
  }

  /// section_64 of mach-o/loader.h, 80 bytes, little-endian.
  void sectionHeaderHasItsFields() {
    const std::string header =
        write::macho::sectionHeader("__tvm_blob", "__DATA", 0x1122334455667788, 0x99, 0xaabbccdd);
    QCOMPARE(header.size(), std::size_t{80});
    QCOMPARE(header.substr(0, 32), write::macho::nameField("__tvm_blob") + write::macho::nameField("__DATA"));
    QCOMPARE(hexDigits(header.substr(32)), std::string("8877665544332211" // address
                                                       "9900000000000000" // size
                                                       "ddccbbaa"         // offset
                                                       "04000000") +      // alignment
                                               std::string(48, '0'));     // relocations, flags, reserved
  }

private:
  struct Row {
    const char* name;
    Extent extent;
    std::vector<Edit> edits;
    const char* output;
  };
  static const std::vector<Row>& rows() {
    static const std::vector<Row> kRows = {
        {"nothing to replace", {2, 6}, {}, "234567"},
        {"in the middle", {0, 16}, {{3, "XY"}}, "012XY56789abcdef"},
        {"at the start", {2, 6}, {{2, "X"}}, "X34567"},
        {"at the end", {2, 6}, {{7, "X"}}, "23456X"},
        {"all of it", {2, 3}, {{2, "XYZ"}}, "XYZ"},
        {"two that touch", {0, 8}, {{1, "AB"}, {3, "CD"}}, "0ABCD567"},
        {"before the part", {4, 4}, {{0, "X"}}, "4567"},
        {"after the part", {4, 4}, {{8, "X"}}, "4567"},
        {"across its start", {4, 4}, {{3, "XY"}}, "4567"},
        {"across its end", {4, 4}, {{7, "XY"}}, "4567"},
        {"an empty part", {4, 0}, {{4, "X"}}, ""},
    };
    return kRows;
  }
};

BLOBSCOPE_TEST(TestMachOParts);

#include "test_macho_parts.moc"
