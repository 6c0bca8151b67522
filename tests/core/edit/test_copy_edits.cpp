#include "core/edit/copy_edits.h"

#include "core/edit/preview.h"
#include "tests/core/edit/fixtures.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

namespace {

using Codes = std::vector<std::pair<std::string, std::string>>;

std::string metalLibrary(const Codes& codes, const std::vector<Function>& functions) {
  return ffiLibrary({{"_lib", ""}, {"metal", metal3(codes, functions)}}, {{1}, {}});
}
std::optional<Ref> ref(const char* text) { return text ? Ref::parse(text) : std::nullopt; }

/// The package after copying; modules are paired by number.
Result<library::PackagePtr> copied(const library::PackagePtr& to, const library::PackagePtr& from, const char* here,
                                   const char* there) {
  NullMonitor monitor;
  edit::Copying copying{to, from, ref(here), ref(there), {}, {}, "new1"};
  copying.partner = [&](const Ref& module) -> std::optional<Ref> {
    return module.module < to->blobs[0]->modules.size() && module.module > 0 ? std::optional(module) : std::nullopt;
  };
  copying.target = [](const Ref& shown) -> Result<edit::Target> { return edit::Target{shown, {}}; };
  BLOBSCOPE_TRY(edits, edit::copyEdits(copying, monitor));
  BLOBSCOPE_TRY(applied, edit::apply(to, edits, {}, monitor));
  return edit::preview(to, applied, monitor);
}
std::string payloadOf(const library::PackagePtr& package, std::size_t module) {
  return std::string(package->blobs[0]->modules.at(module)->payload.view());
}

} // namespace

class TestCopyEdits : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void kernelsAreCopiedBetweenFiles() {
    const Codes one = {{"add", "kernel add"}}, two = {{"add", "kernel add"}, {"mul", "kernel mul"}};
    const std::vector<Function> add = {{"add"}}, both = {{"add"}, {"mul", {0x00014003, 0x00012000}}};
    const library::PackagePtr less = opened(metalLibrary(one, add)), more = opened(metalLibrary(two, both));
    // A kernel that only the other file has is copied with its code and FunctionInfo; a kernel that it lacks is
    // removed.
    auto added = copied(less, more, nullptr, "m1/kernel:mul");
    QVERIFY2(added, added ? "" : added.error().message().c_str());
    QCOMPARE(payloadOf(*added, 1), payloadOf(more, 1));
    auto removed = copied(more, less, "m1/kernel:mul", nullptr);
    QVERIFY2(removed, removed ? "" : removed.error().message().c_str());
    QCOMPARE(payloadOf(*removed, 1), payloadOf(less, 1));
    // Equal code under another name, and other code under another name.
    const library::PackagePtr renamed = opened(metalLibrary({{"add1", "kernel add"}}, {{"add1"}})),
                              other = opened(metalLibrary({{"add1", "kernel other"}}, {{"add1"}}));
    for (const library::PackagePtr& from : {renamed, other}) {
      auto made = copied(less, from, "m1/kernel:add", "m1/kernel:add1");
      QVERIFY2(made, made ? "" : made.error().message().c_str());
      QCOMPARE(payloadOf(*made, 1), payloadOf(from, 1));
    }
  }

  void modulesAreCopiedBetweenFiles() {
    const std::string metal = metal3({{"add", "kernel add"}}, {{"add"}}), vendor = "bytes of a vendor";
    const library::PackagePtr one = opened(ffiLibrary({{"_lib", ""}, {"metal", metal}}, {{1}, {}}));
    const library::PackagePtr two =
        opened(ffiLibrary({{"_lib", ""}, {"metal", metal}, {"vendor", vendor}}, {{1, 2}, {}, {}}));
    auto added = copied(one, two, nullptr, "m2");
    QVERIFY2(added, added ? "" : added.error().message().c_str());
    QCOMPARE((*added)->blobs[0]->modules.size(), std::size_t{3});
    QCOMPARE(payloadOf(*added, 2), vendor);
    QVERIFY((*added)->blobs[0]->modules[0]->imports == std::vector<uint32_t>({1, 2}));
    auto removed = copied(two, one, "m2", nullptr);
    QVERIFY(removed);
    QCOMPARE((*removed)->blobs[0]->modules.size(), std::size_t{2});
    // A key with another name: the same module as another kind.
    const library::PackagePtr key = opened(ffiLibrary({{"_lib", ""}, {"vendor2", vendor}}, {{1}, {}})),
                              old = opened(ffiLibrary({{"_lib", ""}, {"vendor", vendor}}, {{1}, {}}));
    auto named = copied(old, key, "m1", "m1");
    QVERIFY(named);
    QCOMPARE(std::string((*named)->blobs[0]->modules[1]->key.view()), "vendor2"s);
  }

  void impossibleCopiesAreRefused() {
    const library::PackagePtr package = opened(metalLibrary({{"add", "kernel add"}}, {{"add"}}));
    for (const auto& [here, there] : std::vector<std::pair<const char*, const char*>>{{nullptr, "host:add"},
                                                                                      {nullptr, "m0/kernel:add"},
                                                                                      {nullptr, "m1/kernel:none"},
                                                                                      {nullptr, "m9"},
                                                                                      {"m0", nullptr},
                                                                                      {"symbol:x", nullptr},
                                                                                      {"m1", "imports"},
                                                                                      {nullptr, "m1/const:0"}}) {
      const auto made = copied(package, package, here, there);
      QVERIFY2(!made, there ? there : here);
    }
  }
};

BLOBSCOPE_TEST(TestCopyEdits);
#include "test_copy_edits.moc"
