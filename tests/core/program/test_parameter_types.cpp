#include "core/program/parameter_types.h"

#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
using protocol::ProgramCallee;
using protocol::ProgramConstant;
using protocol::ProgramOperand;
using protocol::ProgramStep;

namespace {

using Operands = std::vector<ProgramOperand>;

ProgramOperand reg(int64_t number) { return {ProgramOperand::Kind::Register, number}; }
ProgramOperand number(int64_t value) { return {ProgramOperand::Kind::Integer, value}; }
const ProgramOperand kNothing{ProgramOperand::Kind::None, 0};

host::Parameter tensor(const char* name, const char* dtype, const std::vector<const char*>& shape) {
  host::Parameter out;
  out.name = name;
  out.kind = host::Parameter::Kind::Tensor;
  out.dtype = dtype;
  out.rankKnown = *dtype != '\0';
  for (const char* const extent : shape) out.shape.push_back(host::dimensionOf(extent));
  return out;
}

/// A program as a test writes it. Host functions: take(a: [2, n] float32), half(a: [n] float16), both(a: [n, k]
/// float32, b: [k, m] float32, c: [n, m] float32), count(a: [n] int32, n: int), kind(a: ?), other(a: [3, n] int8).
class Written {
public:
  explicit Written(std::vector<std::string> parameters) {
    addFunction("main", std::move(parameters));
    const auto host = [&](const char* name, std::vector<host::Parameter> list) {
      host::Signature& signature = m_signatures.emplace_back();
      signature.function = name;
      signature.parameters = std::move(list);
    };
    host::Parameter extent;
    extent.name = "n";
    extent.kind = host::Parameter::Kind::Integer;
    host("take", {tensor("a", "float32", {"2", "n"})});
    host("half", {tensor("a", "float16", {"n"})});
    host("both",
         {tensor("a", "float32", {"n", "k"}), tensor("b", "float32", {"k", "m"}), tensor("c", "float32", {"n", "m"})});
    host("count", {tensor("a", "int32", {"n"}), extent});
    host("kind", {tensor("a", "", {})});
    host("other", {tensor("a", "int8", {"3", "n"})});
    host("twice", {tensor("a", "float32", {"n * 2"})});
  }

  uint32_t addFunction(std::string name, std::vector<std::string> parameters) {
    m_function = static_cast<uint32_t>(m_model.program.functions.size());
    protocol::ProgramFunction& function = m_model.program.functions.emplace_back();
    function.name = name;
    function.registers = 64;
    function.parameters = static_cast<uint32_t>(parameters.size());
    program::Entry& entry = m_model.entries.emplace_back();
    entry.name = entry.signature.function = std::move(name);
    entry.function = m_function;
    entry.signature.source = host::Signature::Source::Bytecode;
    for (std::string& parameter : parameters) entry.signature.parameters.emplace_back().name = std::move(parameter);
    return m_function;
  }
  void state(std::size_t parameter, host::Parameter stated) {
    const std::string name = m_model.entries[m_function].signature.parameters[parameter].name;
    m_model.entries[m_function].signature.parameters[parameter] = std::move(stated);
    m_model.entries[m_function].signature.parameters[parameter].name = name;
  }
  void to(uint32_t function) { m_function = function; }

  void host(const char* name, Operands arguments) { call(ProgramCallee::Kind::Host, name, std::move(arguments), -1); }
  void builtin(const char* name, Operands arguments, int64_t target = -1) {
    call(ProgramCallee::Kind::Builtin, name, std::move(arguments), target);
  }
  void function(uint32_t number, Operands arguments) {
    call(ProgramCallee::Kind::Function, "", std::move(arguments), -1, number);
  }
  ProgramOperand shape(std::vector<int64_t> extents) {
    ProgramConstant& constant = m_model.program.constants.emplace_back();
    constant.kind = ProgramConstant::Kind::Shape;
    constant.shape = std::move(extents);
    return {ProgramOperand::Kind::Constant, static_cast<int64_t>(m_model.program.constants.size() - 1)};
  }
  ProgramOperand hostAsValue(const char* name) {
    return {ProgramOperand::Kind::Callee, callee(ProgramCallee::Kind::Host, name, 0)};
  }
  void finish(int64_t target) {
    ProgramStep& step = m_model.program.functions[m_function].steps.emplace_back();
    step.op = ProgramStep::Op::Return;
    step.target = target;
  }

  /// Completes it once.
  const program::Model& complete(Monitor& monitor) {
    if (std::exchange(m_completed, true)) return m_model;
    std::vector<const host::Signature*> hosts;
    for (const ProgramCallee& callee : m_model.program.callees) {
      const auto found = std::ranges::find(m_signatures, callee.name, &host::Signature::function);
      hosts.push_back(found == m_signatures.end() ? nullptr : &*found);
    }
    m_cancelled = !program::completeSignatures(m_model, hosts, monitor);
    return m_model;
  }
  std::string text() {
    NullMonitor monitor;
    std::string out = complete(monitor).entries.front().signature.text();
    for (const std::string& note : m_model.entries.front().notes) out += "; " + note;
    return out;
  }
  bool cancelled() const { return m_cancelled; }

private:
  uint32_t callee(ProgramCallee::Kind kind, const char* name, uint32_t function) {
    m_model.program.callees.push_back({kind, name, function});
    return static_cast<uint32_t>(m_model.program.callees.size() - 1);
  }
  void call(ProgramCallee::Kind kind, const char* name, Operands arguments, int64_t target, uint32_t function = 0) {
    const uint32_t number = callee(kind, name, function);
    ProgramStep& step = m_model.program.functions[m_function].steps.emplace_back();
    step.op = ProgramStep::Op::Call;
    step.target = target;
    step.callee = number;
    step.arguments = std::move(arguments);
  }

  program::Model m_model;
  std::vector<host::Signature> m_signatures;
  uint32_t m_function = 0;
  bool m_cancelled = false, m_completed = false;
};

} // namespace

class TestParameterTypes : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void typesComeFromTheFirstFunction() {
    Written direct({"x", "w"});
    direct.host("take", {reg(1)});
    direct.finish(1);
    QCOMPARE(direct.text(), std::string("main(x: ?, w: Tensor([2, n], float32))"));

    Written copied({"w"});
    copied.builtin("vm.builtin.copy", {reg(0)}, 1);
    copied.builtin("vm.builtin.to_device", {reg(1), number(2), number(0)}, 2);
    copied.host("half", {reg(2)});
    QCOMPARE(copied.text(), std::string("main(w: Tensor([n], float16))"));

    Written released({"w"});
    released.builtin("vm.builtin.copy", {reg(0)}, 1);
    released.host("half", {reg(1)});
    released.builtin("vm.builtin.null_value", {}, 1);
    released.builtin("move", {kNothing}, 0);
    QCOMPARE(released.text(), std::string("main(w: Tensor([n], float16))"));

    Written twoValues({"v", "w"});
    twoValues.builtin("vm.builtin.copy", {reg(0)}, 2);
    twoValues.builtin("vm.builtin.copy", {reg(1)}, 2);
    twoValues.host("half", {reg(2)});
    QCOMPARE(twoValues.text(), std::string("main(v: ?, w: ?)"));

    Written wrongCount({"w"});
    wrongCount.host("half", {reg(0), reg(0)});
    wrongCount.host("absent", {reg(0)});
    wrongCount.host("twice", {reg(0)});
    QCOMPARE(wrongCount.text(), std::string("main(w: ?)"));
  }

  void itemsOfTuples() {
    Written given({"params"});
    given.builtin("vm.builtin.tuple_getitem", {reg(0), number(2)}, 1);
    given.host("half", {reg(1)});
    given.builtin("vm.builtin.tuple_getitem", {reg(0), number(0)}, 2);
    given.host("take", {reg(2)});
    QCOMPARE(given.text(), std::string("main(params: R.Tuple(Tensor([2, n_1], float32), ?, Tensor([n], float16)))"));
    NullMonitor monitor;
    const program::Entry& entry = given.complete(monitor).entries.front();
    QCOMPARE(entry.signature.parameters[0].items.size(), std::size_t{3});
    QVERIFY(entry.uses[0].open && entry.uses[0].used);
    QCOMPARE(entry.uses[0].statedBy, std::string("half"));

    // The number of items that is stated is right.
    Written stated({"params"});
    host::Parameter tuple;
    tuple.kind = host::Parameter::Kind::Tuple;
    tuple.dtype = "R.Tuple(…)";
    tuple.items.resize(2);
    stated.state(0, tuple);
    stated.builtin("vm.builtin.tuple_getitem", {reg(0), number(1)}, 1);
    stated.builtin("vm.builtin.tuple_getitem", {reg(0), number(2)}, 2);
    stated.host("half", {reg(1)});
    stated.host("half", {reg(2)});
    const program::Entry& second = stated.complete(monitor).entries.front();
    QCOMPARE(second.signature.parameters[0].items.size(), std::size_t{2});
    QCOMPARE(second.signature.parameters[0].items[1].text(), std::string("Tensor([n], float16)"));
    QVERIFY(!second.uses[0].open);

    Written made({"v", "w"});
    made.builtin("tuple.make", {number(0), reg(0), reg(1)}, 2);
    made.builtin("tuple.get", {reg(2), number(1)}, 3);
    made.host("half", {reg(3)});
    made.host("count", {reg(2)});
    QCOMPARE(made.text(), std::string("main(v: Tensor([n_1], int32), w: Tensor([n], float16))"));
  }

  void shapesOfValues() {
    Written reshaped({"w"});
    const ProgramOperand shape = reshaped.shape({2, 8});
    reshaped.builtin("vm.builtin.reshape", {reg(0), shape}, 1);
    reshaped.host("take", {reg(1)});
    QCOMPARE(reshaped.text(), std::string("main(w: Tensor([2, 8], float32))"));
    NullMonitor monitor;
    QVERIFY(reshaped.complete(monitor).entries.front().uses[0].reshaped);

    // both(x: [batch, 4], w, out: [batch, 9])
    Written bound({"x", "w"});
    bound.state(0, tensor("", "float32", {"batch", "4"}));
    bound.builtin("vm.builtin.alloc_shape_heap", {kNothing, number(1)}, 2);
    bound.builtin("vm.builtin.match_shape", {reg(0), reg(2), number(2), number(1), number(0), number(0), number(4)});
    bound.builtin("vm.builtin.make_shape", {reg(2), number(2), number(1), number(0), number(0), number(9)}, 3);
    bound.builtin("vm.builtin.alloc_tensor", {reg(63), number(0), reg(3), kNothing}, 4);
    bound.host("both", {reg(0), reg(1), reg(4)});
    QCOMPARE(bound.text(), std::string("main(x: Tensor([batch, 4], float32), w: Tensor([4, 9], float32))"));

    Written names({"x", "w"});
    names.state(0, tensor("", "float32", {"m", "4"}));
    names.host("half", {reg(1)});
    names.host("both", {reg(0), reg(40), reg(41)});
    QCOMPARE(names.text(), std::string("main(x: Tensor([m, 4], float32), w: Tensor([n], float16))"));

    Written dynamic({"w"});
    const ProgramOperand count = dynamic.hostAsValue("count");
    const ProgramOperand extents = dynamic.shape({5});
    dynamic.builtin("vm.builtin.call_tir_dyn", {count, reg(0), extents});
    QCOMPARE(dynamic.text(), std::string("main(w: Tensor([5], int32))"));
  }

  void functionsOfTheModelAreFollowed() {
    Written program({"w", "params"});
    const uint32_t inner = program.addFunction("inner", {"a", "t"});
    program.host("half", {reg(0)});
    program.builtin("vm.builtin.tuple_getitem", {reg(1), number(0)}, 2);
    program.host("take", {reg(2)});
    program.to(0);
    program.function(inner, {reg(0), reg(1)});
    QCOMPARE(program.text(), std::string("main(w: Tensor([n], float16), params: R.Tuple(Tensor([2, n_1], float32)))"));

    Written endless({"w"});
    endless.function(0, {reg(0)});
    endless.host("half", {reg(0)});
    QCOMPARE(endless.text(), std::string("main(w: Tensor([n], float16))"));

    Written deep({"w"});
    for (uint32_t i = 1; i < 1'000; ++i) {
      deep.to(i - 1);
      deep.function(i, {reg(0)});
      deep.addFunction("f", {"w"});
    }
    deep.host("half", {reg(0)});
    QCOMPARE(deep.text(), std::string("main(w: ?)"));
  }

  void differentTypesAreNoted() {
    Written program({"w"});
    program.host("take", {reg(0)});
    program.host("other", {reg(0)});
    program.host("half", {reg(0)});
    QCOMPARE(program.text(), std::string("main(w: Tensor([2, n], float32)); parameter 'w': 'take' takes "
                                         "Tensor([2, n], float32), but 'other' takes Tensor([3, n], int8); the first "
                                         "is used"));
    Written stated({"w"});
    stated.state(0, tensor("", "float32", {"5", "n"}));
    stated.host("take", {reg(0)});
    QCOMPARE(stated.text(), std::string("main(w: Tensor([5, n], float32)); parameter 'w': the model states "
                                        "Tensor([5, n], float32), but 'take' takes Tensor([2, n], float32); the first "
                                        "is used"));
  }

  void useIsKnown() {
    Written program({"checked", "used", "returned", "unclear"});
    program.builtin("vm.builtin.check_tensor_info", {reg(0), number(-1), kNothing, kNothing});
    program.builtin("own.function", {reg(1)}, 5);
    program.host("kind", {reg(3)});
    program.finish(2);
    NullMonitor monitor;
    const program::Entry& entry = program.complete(monitor).entries.front();
    QVERIFY(!entry.uses[0].used && entry.uses[1].used && entry.uses[2].used);
    QCOMPARE(entry.uses[3].unclear, std::vector<std::string>{"kind"});
    QVERIFY(entry.uses[1].unclear.empty());
  }

  /// Indexes of items and nested tuples cost no more than the steps that name them.
  void hostileTuples() {
    Written far({"params"});
    far.builtin("vm.builtin.tuple_getitem", {reg(0), number(1'000'000)}, 1);
    far.builtin("vm.builtin.tuple_getitem", {reg(0), number(-1)}, 2);
    far.builtin("vm.builtin.tuple_getitem", {reg(0), number(INT64_MAX)}, 3);
    NullMonitor monitor;
    QVERIFY(far.complete(monitor).entries.front().signature.parameters[0].items.empty());

    Written nested({"params"});
    for (int64_t i = 0; i < 60; ++i) nested.builtin("vm.builtin.tuple_getitem", {reg(i), number(0)}, i + 1);
    const host::Parameter* item = &nested.complete(monitor).entries.front().signature.parameters[0];
    int depth = 0;
    for (; !item->items.empty(); ++depth) item = &item->items[0];
    QCOMPARE(depth, 8);
  }

  void stopEndsTheWork() {
    Written program({"w"});
    for (int i = 0; i < 5'000; ++i) program.host("half", {reg(0)});
    StopAfter stop(0);
    program.complete(stop);
    QVERIFY(program.cancelled());
  }
};

BLOBSCOPE_TEST(TestParameterTypes);
#include "test_parameter_types.moc"
