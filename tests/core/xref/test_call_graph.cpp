#include "core/xref/call_graph.h"

#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace xref;
using view::GraphPage;

namespace {

/// VM function main → host add (twice) → two kernels; `other` calls nothing; a host function nothing calls.
Functions example() {
  Functions out;
  out.callers.resize(2);
  out.callers[0].name = "main";
  out.callers[0].kind = "VM";
  out.callers[0].ref = Ref::moduleAt("", 0).part(PartKind::Function, "main");
  out.callers[0].calls = {{"add", 2, 0, {}}, {"vm.builtin.copy", 1, {}, {}}};
  out.callers[1].name = "other";
  out.callers[1].ref = Ref::moduleAt("", 0).part(PartKind::Function, "other");
  for (const char* const name : {"add", "alone"}) {
    HostFunction host;
    host.signature.function = name;
    host.ref = Ref::named(Ref::Kind::Host, name);
    out.hosts.push_back(host);
  }
  out.hosts[0].launches = {{0, Basis::Code}, {1, Basis::Name}};
  out.hosts[0].calledBy = {0};
  for (const char* const name : {"add_kernel", "add_kernel_1"}) {
    Kernel kernel;
    kernel.name = name;
    kernel.moduleKey = "cuda";
    kernel.ref = Ref::moduleAt("", 2).part(PartKind::Kernel, name);
    kernel.launchedBy = {{0, Basis::Code}};
    kernel.bytes = Ref::bytesAt(64, 100);
    out.kernels.push_back(kernel);
  }
  return out;
}

} // namespace

class TestCallGraph : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void calls() {
    const GraphPage page = callGraph(example(), {});
    QCOMPARE(page.nodes.size(), std::size_t{4});
    QVERIFY(page.sideways);
    QCOMPARE(page.nodes[0].title, std::string("main"));
    QCOMPARE(page.nodes[2].device, std::string("cuda"));
    QCOMPARE(page.nodes[2].bytes, std::optional<uint64_t>(100));
    QCOMPARE(page.edges.size(), std::size_t{3});
    QCOMPARE(page.edges[0].label, std::string("2 ×"));
    QCOMPARE(page.edges[1].label, std::string());
    QCOMPARE(page.edges[2].label, std::string("by name"));
    QCOMPARE(page.nodes[page.edges[2].to].ref->toString(), std::string("m2/kernel:add_kernel_1"));
  }

  void membersAreSeparate() { QVERIFY(callGraph(example(), {"other.o"}).nodes.empty()); }

  void withoutCalls() {
    Functions functions = example();
    functions.callers.clear();
    functions.hosts[0].launches.clear();
    functions.hosts[0].calledBy.clear();
    functions.kernels.clear();
    QCOMPARE(callGraph(functions, {}).nodes.size(), std::size_t{2});
    QVERIFY(callGraph({}, {}).nodes.empty());
  }

  void links() {
    GraphPage page;
    page.nodes.resize(3);
    page.nodes[0].calls = "add";
    page.nodes[1].calls = "unknown";
    page.nodes[2].part = Ref::Part{PartKind::Const, "7"};
    linkGraph(page, example(), Ref::moduleAt("", 0).part(PartKind::Function, "main"));
    QCOMPARE(page.nodes[0].ref->toString(), std::string("host:add"));
    QCOMPARE(page.nodes[0].device, std::string("cuda"));
    QVERIFY(!page.nodes[1].ref);
    QCOMPARE(page.nodes[2].ref->toString(), std::string("m0/const:7"));
  }
};

BLOBSCOPE_TEST(TestCallGraph);
#include "test_call_graph.moc"
