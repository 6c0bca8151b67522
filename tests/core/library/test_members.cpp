#include "core/library/contents.h"
#include "core/library/details.h"
#include "core/library/node.h"
#include "core/library/node_pages.h"
#include "core/library/overview.h"
#include "core/search/search.h"
#include "tests/support/archive_builder.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;

namespace {

std::string blob() {
  return classicBlob({{"_lib", ""}, {"cuda", code3("ptx", {{"needle_kernel"}}, ".version 8.0", Info::Three)}},
                     {{{1}, {}}});
}
std::string libraryFile() { return elfWith("__tvm_dev_mblob", blob()); }

library::PackagePtr opened(const std::string& file) {
  auto package = openBytes(file);
  if (!package) qFatal("%s", package.error().message().c_str());
  return *package;
}

Ref ref(const std::string& text) {
  const auto parsed = Ref::parse(text);
  if (!parsed) qFatal("%s", text.c_str());
  return *parsed;
}

} // namespace

/// Packages in packages: refs name members, and damage stays in its member.
class TestArchiveMembers : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void membersHaveRolesAndRefs();
  void nestedMembersOpen();
  void nestingDepthIsLimited();
  void damagedMemberDoesNotHideOthers();
  void duplicateNamesAreNumbered();
  void wrongRefsAreRefused();
  void membersHavePagesAndDetails();
  void contentsAndOverviewListMembers();
  void searchGoesIntoMembers();
  void openingCanBeCancelled();
};

void TestArchiveMembers::membersHaveRolesAndRefs() {
  const auto package = opened(gzipOf(tarOf({{"devc.so", libraryFile()}, {"readme.txt", "hello"}, {"folder", ""}})));
  QCOMPARE(package->kind(), std::string_view("objects"));
  QCOMPARE(package->members.size(), std::size_t{3});
  QCOMPARE(package->members[0].role, std::string_view("library"));
  QCOMPARE(package->members[1].role, std::string_view("other"));
  QVERIFY(!package->members[1].package);
  const library::Blob& inner = *package->members[0].package->blobs.at(0);
  QCOMPARE(inner.moduleRef(1).toString(), std::string("devc.so!m1"));
  const auto node = library::findNode(*package, ref("devc.so!m1"));
  QVERIFY(node.hasValue());
  QCOMPARE(node->bytes->view(), inner.modules[1]->payload.view());
  const auto text = library::findNode(*package, ref("member:readme.txt"));
  QVERIFY(text.hasValue());
  QCOMPARE(text->bytes->view(), std::string_view("hello"));
  // Offsets count from the member's first byte.
  const auto first = library::findNode(*package, ref("devc.so!@0+4"));
  QVERIFY(first.hasValue());
  QCOMPARE(first->bytes->view(), std::string_view("\x7f"
                                                  "ELF"));
}

void TestArchiveMembers::nestedMembersOpen() {
  const auto package =
      opened(tarOf({{"outer.tar", tarOf({{"in/ner.a", "!<arch>\n" + arMember("x.so/", libraryFile())}})}}));
  const auto node = library::findNode(*package, ref("outer.tar!in/ner.a!x.so!m1/kernel:needle_kernel"));
  QVERIFY2(node.hasValue() || node.error().id() == DiagnosticId::RefNotFound,
           node ? "" : node.error().message().c_str());
  QVERIFY(node.hasValue());
}

void TestArchiveMembers::nestingDepthIsLimited() {
  std::string file = libraryFile();
  for (int depth = 0; depth < 7; ++depth) file = tarOf({{"t", file}});
  const auto package = opened(file);
  int told = 0;
  for (const Diagnostic& diagnostic : package->diagnostics) told += diagnostic.id == DiagnosticId::FileNesting;
  QCOMPARE(told, 1);
}

void TestArchiveMembers::damagedMemberDoesNotHideOthers() {
  std::string bad = libraryFile();
  bad.resize(40);
  const auto package = opened(tarOf({{"bad.so", bad}, {"good.so", libraryFile()}}));
  QVERIFY(!package->members[0].package);
  QCOMPARE(package->members[1].package->blobs.size(), std::size_t{1});
  bool told = false;
  for (const Diagnostic& diagnostic : package->diagnostics)
    if (diagnostic.id == DiagnosticId::FileMember) {
      told = true;
      QCOMPARE(diagnostic.place.members, std::vector<std::string>{"bad.so"});
    }
  QVERIFY(told);
}

void TestArchiveMembers::duplicateNamesAreNumbered() {
  const auto package = opened(tarOf({{"a.so", libraryFile()}, {"a.so", libraryFile()}}));
  QCOMPARE(package->members[0].name, std::string("a.so"));
  QCOMPARE(package->members[1].name, std::string("a.so-2"));
  QVERIFY(library::findNode(*package, ref("a.so-2!m1")).hasValue());
}

void TestArchiveMembers::wrongRefsAreRefused() {
  const auto package = opened(tarOf({{"a.so", libraryFile()}, {"text", "x"}}));
  for (const char* const text : {"b.so!m1", "text!m1", "a.so!a.so!m1", "member:none", "a.so!member:x", "a.so!m7"}) {
    const auto node = library::findNode(*package, ref(text));
    QVERIFY2(!node, text);
    QCOMPARE(node.error().id(), DiagnosticId::RefNotFound);
  }
}

void TestArchiveMembers::membersHavePagesAndDetails() {
  const auto package = opened(tarOf({{"a.so", libraryFile()}, {"text", "x"}}));
  const auto pages = library::nodePages(package, Ref::file());
  QVERIFY(pages.hasValue());
  std::vector<std::string> names;
  for (const view::Page& page : *pages) names.push_back(page.name);
  QCOMPARE(names, (std::vector<std::string>{"Overview", "Problems", "Members", "Hex"}));
  for (const char* const text :
       {"a.so!", "a.so!blob", "a.so!m1", "a.so!m1/kernel:needle_kernel", "member:text", "a.so!section:.text"}) {
    QVERIFY2(library::nodePages(package, ref(text)).hasValue(), text);
    NullMonitor monitor;
    QVERIFY2(library::nodeDetails(package, ref(text), monitor).hasValue(), text);
  }
}

void TestArchiveMembers::contentsAndOverviewListMembers() {
  const auto package = opened(tarOf({{"a.so", libraryFile()}, {"text", "x"}}));
  const auto rows = library::contentsOf(*package);
  const auto find = [&](library::RowKind kind) {
    return std::count_if(rows.begin(), rows.end(), [&](const auto& row) { return row.kind == kind; });
  };
  QCOMPARE(find(library::RowKind::Member), std::ptrdiff_t{2});
  QCOMPARE(find(library::RowKind::Module), std::ptrdiff_t{2});
  for (const library::ContentsRow& row : rows)
    if (row.kind == library::RowKind::Module) QCOMPARE(row.ref.members, std::vector<std::string>{"a.so"});
  NullMonitor monitor;
  const auto overview = library::fileOverview(*package, monitor);
  QVERIFY(overview.hasValue());
  QVERIFY(overview->sentence.find("NVIDIA CUDA") != std::string::npos);
  uint64_t sum = 0;
  for (const auto& part : overview->parts) sum += part.bytes;
  QCOMPARE(sum, overview->partsTotal);
  QCOMPARE(overview->owned, overview->blobBytes);
}

void TestArchiveMembers::searchGoesIntoMembers() {
  const auto package = opened(gzipOf(tarOf({{"a.so", libraryFile()}, {"text", "a needle_kernel here"}})));
  std::vector<std::string> places;
  NullMonitor monitor;
  const auto done = search::find(*package, {"needle_kernel"}, monitor, [&](const search::Hit& hit) {
    places.push_back(hit.ref.toString());
    return true;
  });
  QVERIFY(done.hasValue());
  QVERIFY(std::find(places.begin(), places.end(), "a.so!m1") != places.end());
  QCOMPARE(places.back(), std::string("member:text"));
  // A callback that returns false ends the search in all members.
  int hits = 0;
  QVERIFY(search::find(*package, {"needle"}, monitor, [&](const search::Hit&) { return ++hits < 1; }).hasValue());
  QCOMPARE(hits, 1);
}

void TestArchiveMembers::openingCanBeCancelled() {
  const std::string file = tarOf({{"a.so", libraryFile()}, {"b.so", libraryFile()}});
  for (int looks = 0; looks < 12; ++looks) {
    StopAfter stop(looks);
    const auto package = library::open(source(file), "made.tar", stop);
    if (!package) QCOMPARE(package.error().code(), ErrorCode::Cancelled);
  }
}

BLOBSCOPE_TEST(TestArchiveMembers);

#include "test_members.moc"
