#include "tests/core/base/compare.h"
#include "tests/core/safety/assessed.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;

namespace {

std::string contentOf(const std::string& blob, std::string_view carrier = "__tvm_dev_mblob") {
  const safety::Report report = assessed(elfWith(carrier, blob));
  if (report.identity.blobs.size() != 1) qFatal("a made library has no blob");
  return report.identity.blobs[0].content;
}
std::string shaOf(const std::string& blob) {
  return assessed(elfWith("__tvm_dev_mblob", blob)).identity.blobs[0].sha256;
}
std::string blobWith(const std::vector<Function>& functions, const std::string& source) {
  return classicBlob({{"_lib", ""}, {"cuda", code3("cuda", functions, source, Info::Three)}}, {{{1}, {}}});
}

} // namespace

/// The digest of a blob that does not change when only order, padding, build paths or times differ.
class TestSafetyContent : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void orderOfATableDoesNotMatter() {
    const std::vector<Function> ab = {{"a_kernel"}, {"b_kernel"}}, ba = {{"b_kernel"}, {"a_kernel"}};
    QVERIFY(shaOf(blobWith(ab, "source")) != shaOf(blobWith(ba, "source")));
    QCOMPARE(contentOf(blobWith(ab, "source")), contentOf(blobWith(ba, "source")));
  }

  void orderOfModulesDoesNotMatter() {
    const Record cuda{"cuda", code3("cuda", {{"f"}}, "c", Info::Three)},
        opencl{"opencl", code3("cl", {{"f"}}, "o", Info::Three)};
    const std::string one = classicBlob({{"_lib", ""}, cuda, opencl}, {{{1, 2}, {}, {}}}),
                      two = classicBlob({{"_lib", ""}, opencl, cuda}, {{{1, 2}, {}, {}}});
    QVERIFY(one != two);
    QCOMPARE(contentOf(one), contentOf(two));
  }

  void pathsAndPaddingDoNotMatter() {
    const std::vector<Function> f = {{"f"}};
    const std::string plain = contentOf(blobWith(f, "// /home/a/build/k.cu\nbody\n"));
    QCOMPARE(contentOf(blobWith(f, "// /home/somebody/other/k.cu\nbody\n")), plain);
    QCOMPARE(contentOf(blobWith(f, "// /home/a/build/k.cu\nbody\n" + std::string(7, '\0'))), plain);
    QVERIFY(contentOf(blobWith(f, "// /home/a/build/other.cu\nbody\n")) != plain);
  }

  void contentMatters() {
    const std::vector<Function> f = {{"f"}}, g = {{"g"}};
    const std::string plain = contentOf(blobWith(f, "body"));
    QVERIFY(contentOf(blobWith(f, "bodx")) != plain);
    QVERIFY(contentOf(blobWith(g, "body")) != plain);
    QCOMPARE(plain.size(), std::size_t{64});
  }

  /// The digests of file and code: the same code in another file.
  void digestsOfFileAndCode() {
    const safety::Report a = assessed(elfWith("__tvm_dev_mblob", blobWith({{"f"}}, "a"))),
                         b = assessed(elfWith("__tvm_dev_mblob", blobWith({{"f"}}, "b")));
    QVERIFY(a.identity.file != b.identity.file);
    QCOMPARE(a.identity.code, b.identity.code);
  }
};

BLOBSCOPE_TEST(TestSafetyContent);
#include "test_content.moc"
