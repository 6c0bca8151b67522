#include "core/plan/memory.h"

#include "tests/core/plan/program_builder.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;

namespace {

constexpr protocol::DataType kByte{1, 8, 1}, kHalf{2, 16, 1}, kFloat{2, 32, 1};
using Op = protocol::ProgramStep::Op;

/// x: (n, 8) float16. Two storages of a fixed size; the second one is dropped before the first one.
///  0 heap; 1 match n; 2 storage 4096; 3 shape (n, 8); 4 tensor in it; 5 f(x, tensor); 6 storage 1024; 7 shape (n, 4);
///  8 tensor; 9 g(first, second); 10, 11 drop the second one; 12 h(first); 13 return none
ModelMaker fixedStorages() {
  ModelMaker m;
  m.function("main", {ModelMaker::tensorParameter("x", {"n", "8"}, "float16")}, 10);
  const auto none = ModelMaker::none();
  const auto reg = ModelMaker::reg;
  const auto number = ModelMaker::number;
  m.call(1, "vm.builtin.alloc_shape_heap", {none, number(1)});
  m.call(-1, "vm.builtin.match_shape", {reg(0), reg(1), number(2), number(1), number(0), number(0), number(8), none});
  m.call(2, "vm.builtin.alloc_storage", {none, m.shape({4096}), number(0), m.type(kByte), none});
  m.call(3, "vm.builtin.make_shape", {reg(1), number(2), number(1), number(0), number(0), number(8)});
  m.call(4, "vm.builtin.alloc_tensor", {reg(2), number(0), reg(3), m.type(kHalf)});
  m.call(-1, "f", {reg(0), reg(4)});
  m.call(5, "vm.builtin.alloc_storage", {none, m.shape({1024}), number(0), m.type(kByte), none});
  m.call(3, "vm.builtin.make_shape", {reg(1), number(2), number(1), number(0), number(0), number(4)});
  m.call(6, "vm.builtin.alloc_tensor", {reg(5), number(0), reg(3), m.type(kHalf)});
  m.call(-1, "g", {reg(4), reg(6)});
  m.call(5, "vm.builtin.null_value", {});
  m.call(6, "vm.builtin.null_value", {});
  m.call(-1, "h", {reg(4)});
  m.call(7, "vm.builtin.null_value", {});
  m.ret(7);
  return m;
}

QByteArray textOf(const plan::MemoryPlan& plan) {
  QByteArray out;
  for (const plan::StorageUse& storage : plan.storages) {
    out += storage.bytes ? QByteArray::number(qulonglong(*storage.bytes)) : QByteArray("?");
    out += (storage.isDerived ? "d " : " ") + QByteArray::number(qulonglong(storage.first)) + "-" +
           QByteArray::number(qulonglong(storage.last));
    for (const plan::TensorUse& use : storage.uses)
      out += " [" + QByteArray::fromStdString(use.size) + " = " +
             (use.bytes ? QByteArray::number(qulonglong(*use.bytes)) : QByteArray("?")) + " " +
             QByteArray::number(qulonglong(use.first)) + "-" + QByteArray::number(qulonglong(use.last)) + " " +
             QByteArray::fromStdString(use.writer) + "]";
    out += "; ";
  }
  return out;
}

QByteArray stepsOf(const plan::MemoryPlan& plan) {
  QByteArray out;
  for (const plan::MemoryStep& step : plan.steps)
    out += QByteArray::number(qulonglong(step.instruction)) + ":" + QByteArray::number(qulonglong(step.reserved)) +
           "/" + QByteArray::number(qulonglong(step.inUse)) + " ";
  return out;
}

} // namespace

class TestMemoryPlan : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void lifetimesFollowReferences() {
    const ModelMaker m = fixedStorages();
    const auto plan = plan::planMemory(m.model, 0, {{"n", 16}}, m_monitor);
    QVERIFY2(plan, plan ? "" : plan.error().message().c_str());
    QCOMPARE(textOf(*plan), QByteArray("4096 2-14 [n × 8 × 2 = 256 5-12 f]; 1024 6-11 [n × 4 × 2 = 128 9-9 g]; "));
    QCOMPARE(plan->peak, 5120U);
    QCOMPARE(plan->peakAt, 6U);
    QCOMPARE(plan->total, 5120U);
    QCOMPARE(plan->heap, 8U);
    QCOMPARE(plan->mostInUse, 384U);
    QCOMPARE(plan->mostInUseAt, 9U);
    QCOMPARE(stepsOf(*plan), QByteArray("0:0/0 2:4096/0 5:4096/256 6:5120/256 9:5120/384 10:5120/256 12:4096/256 "
                                        "13:4096/0 15:0/0 "));
    QVERIFY(!plan->hasBranches && !plan->isPartial && plan->unknown == 0);
    QCOMPARE(plan->arguments[0].bytes.value_or(0), 16U * 8 * 2);
  }

  /// Of both tensors the second one needs a smaller n: 4096 / 16 = 256, 1024 / 8 = 128.
  void defaultIsWhatTheStoragesArePlannedFor() {
    const ModelMaker m = fixedStorages();
    const auto plan = plan::planMemory(m.model, 0, {}, m_monitor);
    QVERIFY(plan);
    QCOMPARE(plan->symbols.size(), std::size_t{1});
    QCOMPARE(plan->symbols[0].name, std::string("n"));
    QCOMPARE(plan->symbols[0].from, std::string("extent 0 of x"));
    QCOMPARE(plan->symbols[0].largest.value_or(0), int64_t{128});
    QCOMPARE(plan->symbols[0].value.value_or(0), int64_t{128});
    // A tensor of n × n allows the square root.
    ModelMaker square;
    square.function("main", {ModelMaker::tensorParameter("x", {"n"}, "float32")}, 4);
    const auto reg = ModelMaker::reg;
    const auto number = ModelMaker::number;
    square.call(1, "vm.builtin.alloc_shape_heap", {ModelMaker::none(), number(1)});
    square.call(-1, "vm.builtin.match_shape", {reg(0), reg(1), number(1), number(1), number(0)});
    square.call(2, "vm.builtin.alloc_storage",
                {ModelMaker::none(), square.shape({4096}), number(0), square.type(kByte)});
    square.call(3, "vm.builtin.make_shape", {reg(1), number(2), number(1), number(0), number(1), number(0)});
    square.call(3, "vm.builtin.alloc_tensor", {reg(2), number(0), reg(3), square.type(kFloat)});
    square.ret(3);
    const auto planned = plan::planMemory(square.model, 0, {}, m_monitor);
    QVERIFY(planned);
    QCOMPARE(planned->symbols[0].largest.value_or(0), int64_t{32});
  }

  /// Compiled code computes the size of the storage; its tensors tell it.
  void computedSizesComeFromTensors() {
    ModelMaker m;
    m.function("main", {ModelMaker::tensorParameter("x", {"n"}, "float32")}, 6);
    const auto reg = ModelMaker::reg;
    const auto number = ModelMaker::number;
    const auto none = ModelMaker::none();
    m.call(1, "vm.builtin.alloc_shape_heap", {none, number(2)});
    m.call(-1, "vm.builtin.match_shape", {reg(0), reg(1), number(1), number(1), number(0)});
    m.call(-1, "shape_func", {reg(1)});
    m.call(2, "vm.builtin.make_shape", {reg(1), number(1), number(1), number(1)});
    m.call(3, "vm.builtin.alloc_storage", {none, reg(2), number(0), m.type(kByte)});
    m.call(4, "vm.builtin.make_shape", {reg(1), number(2), number(1), number(0), number(0), number(3)});
    m.call(5, "vm.builtin.alloc_tensor", {reg(3), number(0), reg(4), m.type(kFloat)});
    m.call(-1, "f", {reg(5)});
    m.ret(5);
    auto plan = plan::planMemory(m.model, 0, {{"n", 10}}, m_monitor);
    QVERIFY(plan);
    QCOMPARE(textOf(*plan), QByteArray("120d 4-9 [n × 3 × 4 = 120 7-7 f]; "));
    QCOMPARE(plan->storages[0].size, std::string("shape[1]"));
    QCOMPARE(plan->symbols[1].from, std::string("computed by shape_func"));
    QVERIFY(!plan->symbols[1].value);
    QCOMPARE(plan->unknown, 0U);
    // The user can say what the library computes.
    plan = plan::planMemory(m.model, 0, {{"n", 10}, {"shape[1]", 500}}, m_monitor);
    QVERIFY(plan);
    QCOMPARE(plan->peak, 500U);
    QVERIFY(!plan->storages[0].isDerived);
    // Without a tensor nothing tells it, and it is not 0.
    m.model.program.functions[0].steps[6].arguments[0] = none;
    plan = plan::planMemory(m.model, 0, {{"n", 10}}, m_monitor);
    QVERIFY(plan);
    QVERIFY(!plan->storages[0].bytes);
    QCOMPARE(plan->unknown, 1U);
  }

  void branchesAreCountedOnBothSides() {
    ModelMaker m;
    m.function("main", {host::Parameter()}, 4);
    const auto reg = ModelMaker::reg;
    const auto number = ModelMaker::number;
    const auto storage = [&](int64_t target, int64_t bytes) {
      m.call(target, "vm.builtin.alloc_storage", {ModelMaker::none(), m.shape({bytes}), number(0), m.type(kByte)});
    };
    m.jump(Op::Branch, 4, 0);
    storage(1, 100);
    m.call(1, "vm.builtin.null_value", {});
    m.jump(Op::Jump, 3);
    storage(2, 300);
    m.call(2, "vm.builtin.null_value", {});
    storage(3, 10);
    m.ret(3);
    const auto plan = plan::planMemory(m.model, 0, {}, m_monitor);
    QVERIFY(plan);
    QVERIFY(plan->hasBranches);
    QVERIFY(!plan->isPartial);
    QCOMPARE(plan->peak, 300U); // not both at once
    QCOMPARE(plan->total, 410U);
    (void)reg;
  }

  void callsAreFollowed() {
    ModelMaker m;
    const auto number = ModelMaker::number;
    m.function("inner", {host::Parameter()}, 3);
    m.call(1, "vm.builtin.alloc_storage", {ModelMaker::none(), m.shape({64}), number(0), m.type(kByte)});
    m.call(2, "vm.builtin.alloc_tensor", {ModelMaker::reg(1), number(0), m.shape({16}), m.type(kFloat)});
    m.ret(2);
    m.function("main", {host::Parameter()}, 3);
    m.callFunction(1, 0, {ModelMaker::reg(0)});
    m.callFunction(2, 0, {ModelMaker::reg(1)});
    m.call(-1, "f", {ModelMaker::reg(1), ModelMaker::reg(2)});
    m.ret(2);
    auto plan = plan::planMemory(m.model, 1, {}, m_monitor);
    QVERIFY(plan);
    QCOMPARE(textOf(*plan), QByteArray("64 0-3 [16 × 4 = 64 2-2 f]; 64 1-4 [16 × 4 = 64 2-2 f]; "));
    QCOMPARE(plan->peak, 128U);
    QVERIFY(!plan->isPartial);
    // A function that calls itself is followed once.
    m.model.program.functions[0].steps[2].op = Op::Call;
    m.model.program.functions[0].steps[2].callee = 2;
    m.model.program.callees[2] = {protocol::ProgramCallee::Kind::Function, "inner", 0};
    m.model.program.functions[0].steps.push_back(m.model.program.functions[1].steps.back());
    plan = plan::planMemory(m.model, 1, {}, m_monitor);
    QVERIFY(plan);
    QVERIFY(plan->isPartial);
  }

  void cachesAreCountedApart() {
    ModelMaker m;
    const auto number = ModelMaker::number;
    m.function("create", {}, 3);
    const auto rows = m.tensor(kHalf, {1, 2, 4});
    m.call(0, "vm.builtin.attention_kv_cache_create", {rows, m.shape({32, 2, 4}), number(0)});
    m.call(1, "vm.builtin.paged_attention_kv_cache_create_reduced",
           {m.shape({1, 100, 64, 16}), number(3), number(8), number(2), number(4), m.tensor(kHalf, {})});
    m.call(2, "vm.builtin.make_tuple", {ModelMaker::reg(0), ModelMaker::reg(1)});
    m.ret(2);
    m.function("use", {host::Parameter()}, 3);
    m.call(1, "vm.builtin.tuple_getitem", {ModelMaker::reg(0), number(0)});
    m.call(2, "vm.builtin.attention_kv_cache_append", {ModelMaker::reg(1), ModelMaker::reg(1)});
    m.ret(2);
    const auto made = plan::planMemory(m.model, 0, {}, m_monitor);
    QVERIFY(made);
    // 32 × 2 × 4 halves; 100 tokens in pages of 16 are 7 pages and one more, of 2 × 3 layers × 2 heads × 4.
    QCOMPARE(made->storages[0].bytes.value_or(0), 512U);
    QCOMPARE(made->storages[1].bytes.value_or(0), 8U * 16 * 2 * 3 * 2 * 4 * 2);
    QCOMPARE(made->cacheBytes, 512U + 12'288U);
    QCOMPARE(made->peak, 0U);
    const auto used = plan::planMemory(m.model, 1, {}, m_monitor);
    QVERIFY(used);
    QVERIFY(used->usesCache);
    QVERIFY(used->arguments[0].isCache);
  }

  void graphsHaveStoragesAtTheStart() {
    ModelMaker m;
    const auto number = ModelMaker::number;
    m.function("graph", {ModelMaker::tensorParameter("data", {"4"}, "float32")}, 4);
    m.call(1, "storage.make", {number(16), number(0)});
    m.call(2, "tensor.make", {ModelMaker::reg(1), number(0), m.shape({4}), m.type(kFloat)});
    m.call(-1, "f", {ModelMaker::reg(0), ModelMaker::reg(2)});
    m.ret(2);
    const auto plan = plan::planMemory(m.model, 0, {}, m_monitor);
    QVERIFY(plan);
    QCOMPARE(textOf(*plan), QByteArray("16 0-4 [4 × 4 = 16 2-2 f]; "));
  }

  void hostileProgramsEnd() {
    ModelMaker machine;
    machine.function("main", {}, 1);
    QVERIFY(!plan::planMemory(machine.model, 0, {}, m_monitor)); // machine code
    // Tuples in tuples, of which each has the one before many times.
    ModelMaker m;
    m.function("main", {}, 2);
    m.call(0, "vm.builtin.make_tuple", {ModelMaker::number(1)});
    const std::vector<protocol::ProgramOperand> many(1'000, ModelMaker::reg(0));
    for (int i = 0; i < 20'000; ++i)
      m.call(0, "vm.builtin.make_tuple", i < 15 ? many : std::vector{ModelMaker::reg(0)});
    m.ret(0);
    QVERIFY(plan::planMemory(m.model, 0, {}, m_monitor));
    m.model.program.functions[0].steps.resize(16);
    m.call(-1, "f", {ModelMaker::reg(0)});
    m.ret(0);
    QVERIFY(!plan::planMemory(m.model, 0, {}, m_monitor));
    // Functions that call each other twice, forty levels deep.
    ModelMaker deep;
    for (uint32_t i = 0; i < 40; ++i) {
      deep.function("f" + std::to_string(i), {}, 1);
      for (int twice = 0; twice < 40 && i > 0; ++twice) deep.callFunction(0, i - 1, {});
      deep.ret(0);
    }
    QVERIFY(!plan::planMemory(deep.model, 39, {}, m_monitor));
    // Sizes that do not fit.
    const ModelMaker fixed = fixedStorages();
    const auto plan = plan::planMemory(fixed.model, 0, {{"n", INT64_MAX}}, m_monitor);
    QVERIFY(plan);
    QVERIFY(!plan->storages[0].uses[0].bytes);
  }

  void isCancelled() {
    const ModelMaker m = fixedStorages();
    class Stop final : public Monitor {
      bool stopRequested() const override { return true; }
      void progress(std::string_view, uint64_t, uint64_t) override {}
    } stop;
    const auto plan = plan::planMemory(m.model, 0, {}, stop);
    QVERIFY(!plan && plan.error().code() == ErrorCode::Cancelled);
  }

private:
  NullMonitor m_monitor;
};

BLOBSCOPE_TEST(TestMemoryPlan);
#include "test_memory.moc"
