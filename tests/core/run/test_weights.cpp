#include "core/run/weights.h"

#include "tests/support/test_main.h"
#include "tests/support/test_support.h"
#include "tests/support/vm_builders.h"

using namespace blobscope;
using namespace blobscope::test;

namespace {

constexpr protocol::DataType kWeightType{2, 32, 1};
using Items = std::vector<program::Parameters::Item>;
using Listed = std::vector<program::Model::Weight>;

host::Parameter tensor(std::string name, std::vector<std::string> shape) {
  host::Parameter out;
  out.name = std::move(name);
  out.kind = host::Parameter::Kind::Tensor;
  out.dtype = "float32";
  out.rankKnown = true;
  for (const std::string& extent : shape) out.shape.push_back(host::dimensionOf(extent));
  return out;
}

program::Entry entryOf(std::vector<host::Parameter> parameters) {
  program::Entry out;
  out.name = out.signature.function = "f";
  out.signature.source = host::Signature::Source::Bytecode;
  out.signature.parameters = std::move(parameters);
  out.uses.resize(out.signature.parameters.size());
  for (program::ParameterUse& use : out.uses) use.used = true;
  return out;
}

/// f(x: Tensor([n, 2]), weights: Tuple(Tensor([2]), Tensor([k])))
program::Entry entry() {
  host::Parameter tuple;
  tuple.name = "weights";
  tuple.kind = host::Parameter::Kind::Tuple;
  tuple.items = {tensor("", {"2"}), tensor("", {"k"})};
  return entryOf({tensor("x", {"n", "2"}), std::move(tuple)});
}

/// f(x: Tensor([n, 2]), a.w: ?, a.b: Tensor([3]))
program::Entry named() {
  host::Parameter unknown;
  unknown.name = "a.w";
  return entryOf({tensor("x", {"n", "2"}), std::move(unknown), tensor("a.b", {"3"})});
}

program::Parameters::Item item(std::string name, std::vector<int64_t> shape, char content) {
  std::size_t count = 4;
  for (const int64_t extent : shape) count *= static_cast<std::size_t>(extent);
  return {std::move(name), kWeightType, std::move(shape), Bytes::copyOf(std::string(count, content))};
}

/// "weights.0=aaaa…" as "weights.0=a", with the values of dimensions and the notes; or the message.
QString placed(Items items, run::RunOptions options = {}, program::Entry into = entry(), const Listed& listed = {}) {
  std::vector<std::string> notes;
  const auto done = run::placeWeights(into, listed, {std::move(items)}, options, notes);
  if (!done) return QString::fromStdString(done.error().message());
  QStringList out;
  for (const auto& [name, content] : options.contents)
    out += QString("%1=%2").arg(QString::fromStdString(name), QChar(char(content.span().front())));
  for (const auto& [name, value] : options.variables)
    out += QString("%1=%2").arg(QString::fromStdString(name)).arg(value);
  for (const std::string& note : notes) out += "; " + QString::fromStdString(note);
  return out.join(' ');
}

const QString kByNumber = "; the tensors are taken as the items of 'weights', by the numbers in their names",
              kInOrder = "; the tensors are taken as the items of 'weights' in the order of the file; the library does "
                         "not state the names of the items";

/// A library whose VM has main(x, w) and tir_main(p); main states that x is Tensor([2, 3], float32), and the list of
/// weights is `params`.
library::PackagePtr libraryWith(const std::string& params, std::vector<std::string> names = {"x", "w"}) {
  RelaxBuilder vm(kTags2025b);
  vm.constants[2] = ByteBuilder().u32(vm.tags.string).str("{\"params\": [" + params + "]}").take();
  vm.functions[1].parameters = std::move(names);
  auto package = openBytes(
      elfWith("__tvm_ffi__library_bin", ffiBlob({{"relax.VMExecutable", vm.build()}, {"_lib", ""}}, {{1}, {}})));
  if (!package || (*package)->blobs.empty()) qFatal("the library of this test cannot be opened");
  return std::move(*package);
}

/// The findings, "error" or "note" before each, and the sentence.
QString checked(const library::PackagePtr& package, Items items) {
  NullMonitor monitor;
  const auto check = run::checkWeights(package, {std::move(items)}, "w.npz", monitor);
  if (!check) return QString::fromStdString(check.error().message());
  QStringList out;
  for (const preflight::Missing& missing : check->missing) {
    if (missing.rule != check::Rule::PreParams || missing.step != preflight::Step::Calls) return "another rule";
    out += QString(missing.certain ? "error: " : "note: ") + QString::fromStdString(missing.sentence);
    if (missing.certain == missing.fix.empty()) return "a fix is missing";
  }
  if (!check->sentence.empty()) out += QString::fromStdString(check->sentence);
  return out.join('\n');
}

} // namespace

class TestWeights : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void tensorsGoToTheirParameters() {
    QCOMPARE(placed({item("b", {2}, 'b'), item("a", {3}, 'a')}), QString("weights.0=b weights.1=a k=3 ") + kInOrder);
    QCOMPARE(placed({item("param_1", {3}, 'b'), item("param_0", {2}, 'a')}),
             QString("weights.0=a weights.1=b k=3 ") + kByNumber);
    QCOMPARE(placed({item("a_1", {3}, 'b'), item("b_0", {2}, 'a')}).left(11),
             QString("invalid inp")); // two words: the order of the file, which does not fit
    QCOMPARE(placed({item("x", {5, 2}, 'x')}),
             QString("x=x n=5 ; 1 parameter has no tensor and gets the values of an input: 'weights'").left(7));
    QCOMPARE(placed({item("x", {5, 2}, 'x'), item("p", {2}, 'p'), item("q", {1}, 'q')}),
             QString("weights.0=p weights.1=q x=x k=1 n=5 ") + kInOrder);
  }

  void namesAreEnough() {
    program::Entry model = named();
    QCOMPARE(placed({item("a.b", {3}, 'b'), item("a.w", {4, 5}, 'w')}, {}, model), QString("a.b=b a.w=w"));
    run::RunOptions options;
    std::vector<std::string> notes;
    QVERIFY(run::placeWeights(model, {}, {{item("a.w", {4, 5}, 'w')}}, options, notes));
    QCOMPARE(model.signature.parameters[1].text(), std::string("Tensor([4, 5], float32)"));
    QCOMPARE(notes, std::vector<std::string>{"1 parameter has no tensor and gets the values of an input: 'a.b'"});
    QCOMPARE(placed({item("a.w", {1}, 'w'), item("a.b", {3}, 'b'), item("c", {1}, 'c')}, {}, named()),
             QString("a.b=b a.w=w ; 1 tensor is not a parameter of 'f': 'c'"));
  }

  void namesOfOtherForms() {
    QCOMPARE(placed({item("p_a_w", {1}, 'w'), item("p_a_b", {3}, 'b')}, {}, named()),
             QString("a.b=b a.w=w ; the names of 2 tensors differ from those of parameters in '.', '_' or the prefix "
                     "'p_'; they are taken as equal"));
    QCOMPARE(placed({item("p_1", {3}, 'b'), item("p_0", {1}, 'w')}, {}, named()),
             QString("a.b=b a.w=w ; the tensors are taken as the last 2 parameters of 'f', by the numbers in their "
                     "names"));
    QCOMPARE(placed({item("p_2", {3}, 'b'), item("p_0", {1}, 'w')}, {}, named()),
             QString("invalid input 'p_2': the file of parameters has 2 tensors without a parameter of that name, and "
                     "'f' takes no tuple of that many tensors"));
  }

  void listedNamesAreItems() {
    const Listed listed = {{"l.b", "float32", std::vector<int64_t>{2}}, {"l.w", "float32", {}}};
    QCOMPARE(placed({item("l.w", {7}, 'w'), item("l.b", {2}, 'b')}, {}, entry(), listed),
             QString("weights.0=b weights.1=w k=7"));
    QCOMPARE(placed({item("l.w", {7}, 'w'), item("z", {2}, 'z')}, {}, entry(), listed),
             QString("weights.1=w k=7 ; 1 tensor is not a parameter of 'f': 'z' ; 1 parameter has no tensor and gets "
                     "the values of an input: 'l.b'"));
    program::Entry open = entry();
    open.signature.parameters[1].items = {host::Parameter()};
    open.uses[1].open = true;
    QCOMPARE(placed({item("l.w", {7}, 'w'), item("l.b", {2}, 'b')}, {}, open, listed),
             QString("weights.0=b weights.1=w"));
    QCOMPARE(placed({item("l.w", {7}, 'w'), item("l.b", {3}, 'b')}, {}, open, listed),
             QString("invalid input 'weights.0': 'l.b' is Tensor([3], float32), but 'f' takes Tensor([2], float32)"));
  }

  void givenInputsStay() {
    run::RunOptions options;
    options.inputs["weights.0"] = "ones";
    QCOMPARE(placed({item("p", {2}, 'p'), item("q", {1}, 'q')}, options), QString("weights.1=q k=1 ") + kInOrder);
  }

  void whatDoesNotFitIsRefused() {
    QCOMPARE(placed({item("p", {3}, 'p'), item("q", {1}, 'q')}),
             QString("invalid input 'weights.0': 'p' is Tensor([3], float32), but 'f' takes Tensor([2], float32)"));
    QCOMPARE(
        placed({item("p", {2}, 'p')}),
        QString(
            "invalid input 'p': the file of parameters has 1 tensor without a parameter of that name, and 'f' takes "
            "no tuple of that many tensors"));
    program::Entry model = named();
    model.uses[2].statedBy = "add";
    QCOMPARE(placed({item("a.b", {2}, 'p')}, {}, model),
             QString("invalid input 'a.b': 'a.b' is Tensor([2], float32), but 'add' takes Tensor([3], float32)"));
    // A function that gets the tensor in another shape says how many elements it has.
    model.uses[2].reshaped = true;
    QCOMPARE(placed({item("a.b", {1, 3}, 'p')}, {}, model), QString("a.b=p"));
    QCOMPARE(placed({item("a.b", {2}, 'p')}, {}, model).left(13), QString("invalid input"));
  }

  void bfloat16MayBeStoredAsUnsigned() {
    program::Entry model = named();
    model.signature.parameters[2].dtype = "bfloat16";
    Items items = {{"a.b", {1, 16, 1}, {3}, Bytes::copyOf("bbbbbb")}};
    QCOMPARE(placed(items, {}, model), QString("a.b=b"));
    items[0].type.bits = 32;
    QCOMPARE(placed(items, {}, model).left(13), QString("invalid input"));
  }

  void librariesAreChecked_data() {
    QTest::addColumn<Items>("items");
    QTest::addColumn<QString>("expected");
    const QString kFits = "weights: 1 tensor of 'w.npz' is a parameter of 'main'";
    QTest::newRow("fits") << Items{item("w", {2, 3}, 'w')} << kFits + "; the names fit, types and shapes are not known";
    QTest::newRow("known") << Items{item("x", {2, 3}, 'x'), item("w", {1}, 'w')}
                           << "weights: 2 tensors of 'w.npz' are parameters of 'main'; the names fit, types and shapes "
                              "as far as they are known";
    QTest::newRow("not a parameter") << Items{item("w", {1}, 'w'), item("v", {1}, 'v')}
                                     << "error: weights: 1 tensor of 'w.npz' is not a parameter of 'main': 'v'\n" +
                                            kFits;
    QTest::newRow("another shape") << Items{item("x", {3, 2}, 'x'), item("w", {1}, 'w')}
                                   << "error: weights: 'x' is Tensor([3, 2], float32), but 'main' takes Tensor([2, 3], "
                                      "float32)\nweights: 2 tensors of 'w.npz' are parameters of 'main'";
    QTest::newRow("without a tensor") << Items{item("x", {2, 3}, 'x')}
                                      << "error: weights: 1 parameter of 'main' has no tensor in 'w.npz': 'w'\n" +
                                             kFits;
    QTest::newRow("none") << Items{item("a", {1}, 'a'), item("b", {1}, 'b'), item("c", {1}, 'c')}
                          << "error: weights: none of the 3 tensors of 'w.npz' is a parameter of the model; tensors: "
                             "'a', 'b', 'c'; parameters: 'x', 'w', 'p'";
    QTest::newRow("numbers") << Items{item("p_1", {1}, 'a'), item("p_0", {2, 3}, 'b')}
                             << "note: weights: the tensors are taken as the last 2 parameters of 'main', by the "
                                "numbers in their names\nweights: 2 tensors of 'w.npz' are parameters of 'main'";
    QTest::newRow("empty") << Items() << "error: weights: 'w.npz' has no tensors";
  }
  void librariesAreChecked() {
    QFETCH(Items, items);
    QFETCH(QString, expected);
    QCOMPARE(checked(libraryWith(""), items), expected);
  }

  void unknownNamesAreNotCertain() {
    QCOMPARE(checked(libraryWith("", {"x", ""}), {item("v", {1}, 'v')}),
             QString("note: weights: the library does not state the names of its parameters"));
    const auto plain = openBytes(elfWith("__tvm_ffi__library_bin", ffiBlob({{"_lib", ""}}, {{}})));
    QVERIFY(plain.hasValue());
    QCOMPARE(checked(*plain, {item("v", {1}, 'v')}),
             QString("note: weights: the library has no model, and does not state the names of its parameters"));
  }

  void stopEndsTheCheck() {
    StopAfter stop(0);
    const auto check = run::checkWeights(libraryWith(""), {{item("w", {1}, 'w')}}, "w", stop);
    QVERIFY(!check && check.error().code() == ErrorCode::Cancelled);
  }
};

BLOBSCOPE_TEST(TestWeights);
#include "test_weights.moc"
