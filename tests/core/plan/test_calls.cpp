#include "core/plan/calls.h"

#include "tests/core/plan/program_builder.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/counting_monitor.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <algorithm>

using namespace blobscope;
using namespace blobscope::test;

namespace {
using Op = protocol::ProgramStep::Op;

QByteArray textOf(const view::CallsPage& page) {
  QByteArray out;
  for (const view::CallsPage::Row& row : page.rows)
    out += QByteArray(int(row.depth), '.') + QByteArray::fromStdString(row.name) + (row.recursive ? "↻" : "") + " " +
           QByteArray::fromStdString(view::CallsPage::countText(row, row.calls)) + "/" +
           QByteArray::number(qulonglong(row.launches)) + "; ";
  return out;
}
} // namespace

class TestCallTree : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init() {
    m_sizes.clear();
    m_package = std::make_shared<library::Package>();
    m_functions = {};
    for (const char* const name : {"conv", "split"}) {
      xref::HostFunction& host = m_functions.hosts.emplace_back();
      host.signature.function = name;
      host.ref = Ref::named(Ref::Kind::Host, name);
    }
    for (const char* const name : {"conv_kernel", "split_kernel", "split_kernel_1"}) {
      xref::Kernel& kernel = m_functions.kernels.emplace_back();
      kernel.name = name;
      kernel.ref = Ref::moduleAt({}, 2).part(PartKind::Kernel, name);
    }
    m_functions.hosts[0].launches = {{0, xref::Basis::Name}};
    m_functions.hosts[1].launches = {{1, xref::Basis::Name}, {2, xref::Basis::Name}};
  }

  void countsMultiplyDownTheTree() {
    ModelMaker m;
    m.function("layer", {}, 1);
    m.call(-1, "conv", {});
    m.call(-1, "conv", {});
    m.call(-1, "split", {});
    m.ret(0);
    m.function("main", {}, 1);
    for (int i = 0; i < 3; ++i) m.callFunction(0, 0, {});
    m.call(-1, "conv", {});
    m.call(0, "vm.builtin.null_value", {});
    m.ret(0);
    const auto tree = make(m);
    QCOMPARE(textOf(tree), QByteArray("main 1/13; .layer 3/12; ..conv 6/6; ...conv_kernel 6/6; ..split 3/6; "
                                      "...split_kernel 3/3; ...split_kernel_1 3/3; .conv 1/1; ..conv_kernel 1/1; "
                                      ".functions of the runtime 1/0; layer 1/4; .conv 2/2; ..conv_kernel 2/2; "
                                      ".split 1/2; ..split_kernel 1/1; ..split_kernel_1 1/1; "));
    QCOMPARE(tree.rows[1].first.value_or(9), 0U);
    QVERIFY(tree.rows[2].ref && tree.rows[2].ref->toString() == "host:conv");
    QCOMPARE(tree.rows[1].ref->toString(), std::string("m0/function:layer"));
  }

  void theCalledFunctionOfADynamicCallCounts() {
    ModelMaker m;
    m.function("main", {}, 1);
    const uint32_t callee = m.callee(protocol::ProgramCallee::Kind::Host, "conv");
    m.call(-1, "vm.builtin.call_tir_dyn", {{protocol::ProgramOperand::Kind::Callee, callee}});
    m.ret(0);
    QCOMPARE(textOf(make(m)), QByteArray("main 1/1; .conv 1/1; ..conv_kernel 1/1; "));
  }

  void loopsAndBranchesAreMarked() {
    ModelMaker m;
    m.function("main", {}, 1);
    m.jump(Op::Branch, 3);   // 0 to 3
    m.call(-1, "conv", {});  // 1
    m.jump(Op::Jump, 2);     // 2 to 4
    m.call(-1, "split", {}); // 3
    m.call(-1, "third", {}); // 4
    m.jump(Op::Branch, 2);   // 5 to 7
    m.jump(Op::Jump, -2);    // 6 to 4
    m.call(-1, "last", {});  // 7
    m.ret(0);
    QCOMPARE(textOf(make(m)),
             QByteArray("main at most 1/3; .conv at most 1/1; ..conv_kernel at most 1/1; .split at most 1/2; "
                        "..split_kernel at most 1/1; ..split_kernel_1 at most 1/1; .third at least 1/0; .last 1/0; "));
  }

  void recursionIsOneRow() {
    ModelMaker m;
    m.function("main", {}, 1);
    m.call(-1, "conv", {});
    m.callFunction(0, 0, {});
    m.ret(0);
    // Nothing else calls it, so it is no root by itself, but it is shown.
    QCOMPARE(textOf(make(m)), QByteArray("main at least 1/1; .conv 1/1; ..conv_kernel 1/1; .main↻ at least 1/1; "));
  }

  /// x: (n, 8); the weights (4, 8) are an item of a tuple. A function of the model calls the product twice.
  void workComesFromShapes() {
    ModelMaker m;
    host::Parameter weights;
    weights.kind = host::Parameter::Kind::Tuple;
    weights.name = "weights";
    weights.items = {ModelMaker::tensorParameter("w", {"4", "8"}, "float32")};
    const auto x = ModelMaker::tensorParameter("x", {"n", "8"}, "float32");
    const auto out = ModelMaker::tensorParameter("out", {"n", "4"}, "float32");
    m.function("layer", {x, weights, out}, 4);
    m.call(3, "vm.builtin.tuple_getitem", {ModelMaker::reg(1), ModelMaker::number(0)});
    m.call(-1, "conv_matmul", {ModelMaker::reg(0), ModelMaker::reg(3), ModelMaker::reg(2)});
    m.call(-1, "split", {ModelMaker::reg(0), ModelMaker::reg(2)});
    m.call(-1, "unknown", {});
    m.ret(2);
    m.function("main", {x, weights, out}, 4);
    for (int i = 0; i < 2; ++i) m.callFunction(3, 0, {ModelMaker::reg(0), ModelMaker::reg(1), ModelMaker::reg(2)});
    m.ret(3);
    m_sizes = {{"n", 16}};
    const auto tree = make(m);
    QCOMPARE(tree.sizes, std::string("n = 16"));
    const double product = 2.0 * 16 * 4 * 8, split = 16 * 4;
    const auto flopOf = [&](const char* name, uint32_t depth) {
      const auto row = std::ranges::find_if(
          tree.rows, [&](const view::CallsPage::Row& one) { return one.name == name && one.depth == depth; });
      return row != tree.rows.end() && row->flop ? *row->flop : -1;
    };
    QCOMPARE(flopOf("main", 0), 2 * (product + split));
    QCOMPARE(flopOf("layer", 1), 2 * (product + split));
    QCOMPARE(flopOf("conv_matmul", 2), 2 * product);
    QCOMPARE(flopOf("split", 2), 2 * split);
    QCOMPARE(flopOf("split_kernel", 3), -1.0); // which of its two kernels does it is not known
    QCOMPARE(flopOf("unknown", 2), -1.0);
    QCOMPARE(flopOf("layer", 0), product + split);
  }

  void sizeIsBounded() {
    ModelMaker m;
    for (uint32_t i = 0; i < 14; ++i) {
      m.function("f" + std::to_string(i), {}, 1);
      for (uint32_t callee = 0; callee < i; ++callee) {
        m.callFunction(0, callee, {});
        m.callFunction(0, callee, {});
      }
      m.ret(0);
    }
    const auto tree = make(m);
    QVERIFY(tree.rows.size() <= 20'000);
    QVERIFY(tree.omitted > 0 || tree.rows.size() > 1'000);
    QCOMPARE(tree.rows[0].name, std::string("f13"));
  }

  /// A chain of functions counts each of them once, whatever its length and order, and stops when it is asked to.
  void chainsCountEachFunctionOnce() {
    const auto chain = [](uint32_t length) {
      ModelMaker m;
      m.function("f0", {}, 1);
      m.call(-1, "split", {});
      m.ret(0);
      for (uint32_t i = 1; i < length; ++i) {
        m.function("f" + std::to_string(i), {}, 1);
        m.callFunction(0, i - 1, {});
        m.ret(0);
      }
      return m;
    };
    const ModelMaker small = chain(1'000), large = chain(2'000);
    CountingMonitor one, two;
    const auto tree = plan::callTree(large.model, m_package, Ref::moduleAt({}, 0), m_functions, m_sizes, two);
    QVERIFY(tree && plan::callTree(small.model, m_package, Ref::moduleAt({}, 0), m_functions, m_sizes, one));
    QVERIFY2(two.looks() <= 2 * one.looks() + 8, qPrintable(QString::number(two.looks())));
    QCOMPARE(tree->rows[0].name, std::string("f1999"));
    QCOMPARE(tree->rows[0].launches, uint64_t{2}); // of the last function, 1,999 calls below
    for (uint64_t stop = 0; stop < two.looks(); stop += 1 + two.looks() / 16) {
      CountingMonitor stopping(stop);
      const auto stopped = plan::callTree(large.model, m_package, Ref::moduleAt({}, 0), m_functions, m_sizes, stopping);
      QVERIFY(!stopped && stopped.error().code() == ErrorCode::Cancelled);
      QCOMPARE(stopping.looksAfterStop(), uint64_t{0});
    }
  }

  /// 200 functions that each call the next one ten times: the work is estimated as long as it takes few steps.
  void estimatesEndAndSayIt() {
    ModelMaker m;
    for (uint32_t i = 0; i < 200; ++i) m.function("f" + std::to_string(i), {}, 1);
    for (uint32_t i = 0; i < 200; ++i) {
      for (int k = 0; k < 10 && i + 1 < 200; ++k) {
        auto& step = m.model.program.functions[i].steps.emplace_back();
        step.op = Op::Call;
        step.target = 0;
        step.callee = m.callee(protocol::ProgramCallee::Kind::Function, "f" + std::to_string(i + 1));
        m.model.program.callees[step.callee].function = i + 1;
      }
      auto& last = m.model.program.functions[i].steps.emplace_back();
      last.op = Op::Return;
      last.target = 0;
    }
    CountingMonitor monitor;
    const auto tree = plan::callTree(m.model, m_package, Ref::moduleAt({}, 0), m_functions, m_sizes, monitor);
    QVERIFY(tree);
    QVERIFY2(tree->summary.find(" functions were not estimated, because it takes too many steps") != std::string::npos,
             tree->summary.c_str());
    // A step of the plan is one of 4,096 between two questions; two plans may have the largest number of steps.
    QVERIFY2(monitor.looks() < 1'000, qPrintable(QString::number(monitor.looks())));
    QCOMPARE(tree->rows[0].launches, uint64_t{0});
  }

  /// Lists of kernels are shared, so that a chain above a function with many of them does not copy them.
  void listsOfKernelsAreShared() {
    ModelMaker m;
    for (uint32_t i = 0; i < 3'000; ++i) {
      xref::Kernel& kernel = m_functions.kernels.emplace_back();
      kernel.name = "k" + std::to_string(i);
      m_functions.hosts[0].launches.push_back({i + 3, xref::Basis::Name});
    }
    m.function("f0", {}, 1);
    m.call(-1, "conv", {});
    m.ret(0);
    for (uint32_t i = 1; i < 3'000; ++i) {
      m.function("f" + std::to_string(i), {}, 1);
      m.callFunction(0, i - 1, {});
      m.ret(0);
    }
    const AllocationCounter counter;
    const auto tree = make(m);
    QCOMPARE(tree.rows[0].launches, uint64_t{3'001});
    QVERIFY2(counter.totalBytes() < 200'000'000, qPrintable(QString::number(counter.totalBytes())));
  }

private:
  view::CallsPage make(const ModelMaker& maker) {
    NullMonitor monitor;
    auto tree = plan::callTree(maker.model, m_package, Ref::moduleAt({}, 0), m_functions, m_sizes, monitor);
    if (!tree) qFatal("no tree");
    return std::move(*tree);
  }

  library::PackagePtr m_package;
  xref::Functions m_functions;
  plan::Sizes m_sizes;
};

BLOBSCOPE_TEST(TestCallTree);
#include "test_calls.moc"
