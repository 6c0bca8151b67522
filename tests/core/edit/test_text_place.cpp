#include "core/edit/text_place.h"

#include "tests/core/edit/fixtures.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;

/// Where the texts of pages are stored.
class TestTextPlace : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void storedTextIsFound() {
    const std::string text = ptxText(kAddMul);
    const auto package = opened(oneModule("cuda", code3("ptx", kAddMul, text, Info::Four)));
    const Bytes whole = package->bytes;
    const std::size_t at = whole.view().find(text);
    QVERIFY(at != std::string_view::npos);
    NullMonitor monitor;
    const Ref module = Ref::moduleAt({}, 1);
    const auto found = edit::findTextPlace(*package, module, whole.slice(at, text.size()), monitor);
    QVERIFY(found && *found);
    QCOMPARE((*found)->target.toString(), std::string("m1/field:data"));
    QVERIFY((*found)->before.empty() && (*found)->after.empty());
    // A part of the field: the rest is kept.
    const auto part = edit::findTextPlace(*package, module, whole.slice(at + 3, text.size() - 5), monitor);
    QVERIFY(part && *part);
    QCOMPARE((*part)->before.view(), std::string_view(text).substr(0, 3));
    QCOMPARE((*part)->after.view(), std::string_view(text).substr(text.size() - 2));
    const auto read = edit::readTextPlace(*package, **part, monitor);
    QVERIFY(read && *read);
    QCOMPARE((*read)->view(), std::string_view(text).substr(3, text.size() - 5));
  }

  void otherTextIsNotFound() {
    const std::string text = ptxText(kAddMul);
    const auto package = opened(oneModule("cuda", code3("ptx", kAddMul, text, Info::Four)));
    NullMonitor monitor;
    // A copy is a computed text, as far as can be known.
    const auto copy = edit::findTextPlace(*package, Ref::moduleAt({}, 1), Bytes::copyOf(text), monitor);
    QVERIFY(copy && !*copy);
    const auto header = edit::findTextPlace(*package, Ref::file(), package->bytes.slice(0, 16), monitor);
    QVERIFY(header && !*header);
    const auto across = edit::findTextPlace(*package, Ref::moduleAt({}, 1), package->bytes, monitor);
    QVERIFY(across && !*across);
    // The same place in a file with other bytes around it.
    edit::TextPlace place{Ref::moduleAt({}, 1).part(PartKind::Field, "data"), Bytes::copyOf("?"), Bytes()};
    const auto read = edit::readTextPlace(*package, place, monitor);
    QVERIFY(read && !*read);
  }
};

BLOBSCOPE_TEST(TestTextPlace);

#include "test_text_place.moc"
