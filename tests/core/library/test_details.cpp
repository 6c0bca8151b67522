#include "core/library/details.h"

#include "core/library/contents.h"

#include "tests/core/library/library_file.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;

namespace {

const std::vector<Function> kTwoUntagged = {{"add_kernel"}, {"mul/kernel", {0x00014003}, {}}};

library::PackagePtr somePackage() {
  const Record cuda = {"cuda", code3("ptx", kTwoUntagged, ptxText(kTwoUntagged), Info::Three)};
  return openOnDisk(elfWith("__tvm_ffi_library_bin",
                            ffiBlob({{"_lib", ""}, {"Vendor.Kind", "sixteen bytes ok"}, cuda}, {{1}, {2}, {}})));
}

/// "Title: label = value, label = value; step > step | note", one line per group; digests and folders are omitted.
QString textOf(const view::Details& details) {
  QStringList lines;
  for (const view::DetailGroup& group : details) {
    QStringList rows, steps;
    for (const view::DetailRow& row : group.rows)
      if (row.label != "SHA-256" && row.label != "Folder" && !row.label.ends_with(" at"))
        rows << QString::fromStdString(row.label + " = " + row.value);
    for (const view::DetailStep& step : group.path)
      steps << QString::fromStdString(std::string(step.depth, '.') + step.name + "→" + step.ref.toString());
    lines << QString::fromStdString(group.title) + QStringLiteral(": ") + rows.join(QStringLiteral(", ")) +
                 QStringLiteral("; ") + steps.join(QStringLiteral(" ")) + QStringLiteral(" | ") +
                 QString::fromStdString(group.note);
  }
  return lines.join(QLatin1Char('\n'));
}

Result<view::Details> detailsOf(const library::PackagePtr& package, const char* ref) {
  NullMonitor monitor;
  return library::nodeDetails(package, *Ref::parse(ref), monitor);
}

} // namespace

class TestLibraryDetails : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void fileDetailsShowNameTreeAndDigest();
  void kernelDetailsShowArgumentsAndPath();
  void kernelWithoutLaunchParametersSaysSo();
  void moduleDetailsShowItsImporters();
  void fieldDetailsShowTheField();
  void unknownRefsAreRefused();
  void everyNodeHasDetails();
  void digestCanBeCancelled();
};

void TestLibraryDetails::fileDetailsShowNameTreeAndDigest() {
  const auto details = detailsOf(somePackage(), "");
  QVERIFY(details.hasValue());
  const QString text = textOf(*details);
  QVERIFY2(text.contains(QStringLiteral("Name = made.so")), qPrintable(text));
  QVERIFY2(text.contains(QStringLiteral("_lib→m0 .Vendor.Kind→m1 ..cuda→m2")), qPrintable(text));
  QVERIFY2(text.contains(QStringLiteral("Host code: ")), qPrintable(text));
  bool digest = false;
  for (const view::DetailRow& row : (*details)[0].rows) digest |= row.label == "SHA-256" && row.value.size() == 64;
  QVERIFY(digest);
}

void TestLibraryDetails::kernelDetailsShowArgumentsAndPath() {
  const auto details = detailsOf(somePackage(), "m2/kernel:add_kernel");
  QVERIFY(details.hasValue());
  const QString text = textOf(*details);
  QVERIFY2(text.contains(QStringLiteral("Name = add_kernel")), qPrintable(text));
  QVERIFY2(text.contains(QStringLiteral("Launch parameters, 2: 0 = ")) && text.contains(QStringLiteral("threadIdx.x")),
           qPrintable(text));
  QVERIFY2(text.contains(QStringLiteral("Arguments, 2: 0 = handle")), qPrintable(text));
  QVERIFY2(
      text.contains(QStringLiteral("Part of: ; _lib→m0 .Vendor.Kind→m1 ..cuda→m2 ...add_kernel→m2/kernel:add_kernel")),
      qPrintable(text));
}

void TestLibraryDetails::kernelWithoutLaunchParametersSaysSo() {
  const auto details = detailsOf(somePackage(), "m2/kernel:mul%2Fkernel");
  QVERIFY(details.hasValue());
  const QString text = textOf(*details);
  QVERIFY2(text.contains(QStringLiteral("Launch parameters: ;  | No launch parameter.")), qPrintable(text));
}

void TestLibraryDetails::moduleDetailsShowItsImporters() {
  const auto details = detailsOf(somePackage(), "m1");
  QVERIFY(details.hasValue());
  QVERIFY2(textOf(*details).contains(QStringLiteral("Imported through: ; _lib→m0 .Vendor.Kind→m1 | ")),
           qPrintable(textOf(*details)));
  // The only module of a blob has no import path.
  const auto alone = detailsOf(openOnDisk(elfWith("__tvm_ffi_library_bin", ffiBlob({{"_lib", ""}}, {{}}))), "m0");
  QVERIFY(alone.hasValue());
  QVERIFY(!textOf(*alone).contains(QStringLiteral("Imported through")));
}

void TestLibraryDetails::fieldDetailsShowTheField() {
  const auto details = detailsOf(somePackage(), "m2/field:fmt");
  QVERIFY(details.hasValue());
  QVERIFY2(textOf(*details).startsWith(QStringLiteral("Field: Name = fmt")), qPrintable(textOf(*details)));
}

void TestLibraryDetails::unknownRefsAreRefused() {
  const auto package = somePackage();
  for (const char* ref :
       {"m9", "other:blob", "m2/kernel:nobody", "m2/field:nothing", "host:nobody", "symbol:nobody", "section:nobody"}) {
    const auto details = detailsOf(package, ref);
    QVERIFY2(!details, ref);
    QVERIFY2(!details.error().message().empty(), ref);
  }
}

void TestLibraryDetails::everyNodeHasDetails() {
  const auto package = somePackage();
  for (const library::ContentsRow& row : library::contentsOf(*package)) {
    const auto details = detailsOf(package, row.ref.toString().c_str());
    QVERIFY2(details.hasValue(), row.ref.toString().c_str());
    QVERIFY2(!details->empty(), row.ref.toString().c_str());
  }
}

void TestLibraryDetails::digestCanBeCancelled() {
  const std::string big(8 << 20, 'x');
  const auto package =
      openOnDisk(elfWith("__tvm_ffi_library_bin", ffiBlob({{"_lib", ""}, {"Vendor.Kind", big}}, {{1}, {}})));
  StopAfter monitor(1);
  const auto details = library::nodeDetails(package, Ref::file(), monitor);
  QVERIFY(!details);
  QCOMPARE(details.error().code(), ErrorCode::Cancelled);
}

BLOBSCOPE_TEST(TestLibraryDetails);

#include "test_details.moc"
