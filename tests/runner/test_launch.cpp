#include "app/runner/launch.h"

#include "tests/support/test_main.h"

#include <QRegularExpression>
#include <QStringList>

using namespace blobscope;
using namespace blobscope::runner;

namespace {

/// "i5" an integer, "f0.5" a float, "p64" a pointer, "n" nothing, "b1" true, "?" something else; as ffi or classic
/// values.
PackedValue valueOf(const QString& text, bool ffi) {
  const QString rest = text.mid(1);
  TvmValue value{};
  int classic = 0;
  int32_t type = 0;
  switch (text[0].toLatin1()) {
  case 'i':
    value.integer = rest.toLongLong();
    classic = kClassicInt;
    type = kFfiInt;
    break;
  case 'b':
    value.integer = rest.toLongLong();
    classic = kClassicInt;
    type = kFfiBool;
    break;
  case 'f':
    value.real = rest.toDouble();
    classic = kClassicFloat;
    type = kFfiFloat;
    break;
  case 'p':
    value.integer = rest.toLongLong();
    classic = kClassicHandle;
    type = kFfiPointer;
    break;
  case 'n':
    classic = kClassicNull;
    type = kFfiNone;
    break;
  default:
    classic = 11;
    type = 65;
    break;
  }
  return ffi ? packedOf(FfiAny{type, 0, value}) : packedOf(value, classic);
}

std::vector<PackedValue> valuesOf(const QString& text, bool ffi) {
  std::vector<PackedValue> values;
  for (const QString& word : text.split(' ', Qt::SkipEmptyParts)) values.push_back(valueOf(word, ffi));
  return values;
}

protocol::DataType typeOf(const QString& text) {
  if (text == "handle") return {3, 64, 1};
  if (text == "int32x4") return {0, 32, 4};
  const uint8_t code = text.startsWith("uint") ? 1 : text.startsWith("int") ? 0 : text.startsWith("bfloat") ? 4 : 2;
  QString digits = text;
  digits.remove(QRegularExpression("[a-z]+"));
  return {code, static_cast<uint8_t>(digits.toInt()), 1};
}

protocol::JobKernel kernelOf(const QString& types, const QString& tags, const QString& fields = {}) {
  protocol::JobKernel kernel;
  kernel.name = "k";
  for (const QString& type : types.split(' ', Qt::SkipEmptyParts)) kernel.arguments.push_back(typeOf(type));
  for (const QString& tag : tags.split(' ', Qt::SkipEmptyParts)) kernel.tags.push_back(tag.toStdString());
  for (const QString& field : fields.split(' ', Qt::SkipEmptyParts)) kernel.launchFields.push_back(field.toStdString());
  return kernel;
}

QString textOf(const Result<DecodedLaunch>& decoded) {
  if (!decoded) return QString::fromStdString(decoded.error().message());
  const Launch& launch = decoded->launch;
  const auto three = [](const char* name, const std::array<uint64_t, 3>& extents) {
    return QString("%1=%2,%3,%4 ").arg(name).arg(extents[0]).arg(extents[1]).arg(extents[2]);
  };
  QString text = three("grid", launch.grid) + three("block", launch.block);
  if (launch.cluster != std::array<uint64_t, 3>{1, 1, 1}) text += three("cluster", launch.cluster);
  if (launch.dynamicShared) text += QString("dyn=%1 ").arg(launch.dynamicShared);
  if (launch.programmatic) text += "programmatic ";
  if (launch.cooperative) text += "cooperative ";
  for (const std::string& axis : decoded->zeroExtents) text += "zero:" + QString::fromStdString(axis) + ' ';
  for (const std::string& tag : decoded->unknownTags) text += "unknown:" + QString::fromStdString(tag) + ' ';
  QStringList arguments;
  for (const uint64_t argument : launch.arguments) arguments << QString("0x%1").arg(argument, 0, 16);
  return text + "(" + arguments.join(' ') + ")";
}

} // namespace

class TestLaunchDecoding : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void launchParametersAreDecoded_data();
  void launchParametersAreDecoded();
  void tensorMapsAreRecognised();
};

void TestLaunchDecoding::launchParametersAreDecoded_data() {
  QTest::addColumn<QString>("types");
  QTest::addColumn<QString>("tags");
  QTest::addColumn<QString>("fields");
  QTest::addColumn<QString>("values");
  QTest::addColumn<QString>("expected");
  const auto row = [](const char* name, const char* types, const char* tags, const char* values, const char* expected) {
    QTest::newRow(name) << types << tags << QString() << values << expected;
  };
  const auto fields = [](const char* name, const char* types, const char* words, const char* values,
                         const char* expected) {
    QTest::newRow(name) << types << QString() << words << values << expected;
  };
  row("pointers", "handle handle", "blockIdx.x threadIdx.x", "p256 p512 i3 i64",
      "grid=3,1,1 block=64,1,1 (0x100 0x200)");
  row("order of the tags", "handle", "blockIdx.x threadIdx.y threadIdx.x", "p1 i4 i8 i16",
      "grid=4,1,1 block=16,8,1 (0x1)");
  row("all axes", "", "threadIdx.z blockIdx.y blockIdx.z", "i2 i3 i4", "grid=1,3,4 block=1,1,2 ()");
  row("no tags", "handle", "", "p1", "grid=1,1,1 block=1,1,1 (0x1)");
  row("nothing at all", "", "", "", "grid=1,1,1 block=1,1,1 ()");
  row("null pointer", "handle", "threadIdx.x", "n i1", "grid=1,1,1 block=1,1,1 (0x0)");
  row("dynamic shared memory", "handle", "threadIdx.x tir.use_dyn_shared_memory", "p1 i32 i73728",
      "grid=1,1,1 block=32,1,1 dyn=73728 (0x1)");
  row("dynamic shared memory of 0.24", "handle", "threadIdx.x tirx.use_dyn_shared_memory", "p1 i32 i0",
      "grid=1,1,1 block=32,1,1 (0x1)");
  row("flags take no value", "handle",
      "threadIdx.x tirx.use_programtic_dependent_launch tirx.use_cooperative_launch tirx.use_dyn_shared_memory",
      "p1 i32 i16", "grid=1,1,1 block=32,1,1 dyn=16 programmatic cooperative (0x1)");
  row("required block dimension", "handle", "tirx.use_required_block_dimension threadIdx.x", "p1 i32",
      "grid=1,1,1 block=32,1,1 (0x1)");
  row("clusters", "", "clusterCtaIdx.x clusterCtaIdx.y blockIdx.x", "i2 i4 i8",
      "grid=8,1,1 block=1,1,1 cluster=2,4,1 ()");
  row("preferred cluster", "", "preferredClusterCtaIdx.x blockIdx.x", "i2 i8",
      "grid=8,1,1 block=1,1,1 unknown:preferredClusterCtaIdx.x ()");
  row("written buffers of WebGPU", "handle", "blockIdx.x threadIdx.x paramWriteAccess:[1]", "p1 i3 i64",
      "grid=3,1,1 block=64,1,1 (0x1)");
  row("zero extent", "", "blockIdx.y threadIdx.x", "i0 i32", "grid=1,1,1 block=32,1,1 zero:blockIdx.y ()");
  row("scalars", "int32 int32 uint32 int64 float32 float64", "", "i7 i-1 i4294967295 i-2 f0.5 f0.5",
      "grid=1,1,1 block=1,1,1 (0x7 0xffffffff 0xffffffff 0xfffffffffffffffe 0x3f000000 0x3fe0000000000000)");
  row("int32 keeps the low bits", "int32", "", "i4294967298", "grid=1,1,1 block=1,1,1 (0x2)");
  row("true as a number", "int32", "", "b1", "grid=1,1,1 block=1,1,1 (0x1)");
  row("number for a float", "float32", "", "i1",
      "argument 0 of 'k' cannot be passed: it is a float, but an integer was passed");
  row("float for a number", "handle int32", "", "p1 f1",
      "argument 1 of 'k' cannot be passed: it is an integer, but a float was passed");
  row("number for a pointer", "handle", "", "i1",
      "argument 0 of 'k' cannot be passed: it is a pointer, but an integer was passed");
  row("float16", "float16", "", "f1", "argument 0 of 'k' cannot be passed: TVM does not pass float16 to kernels");
  row("uint64", "uint64", "", "i1", "argument 0 of 'k' cannot be passed: TVM does not pass uint64 to kernels");
  row("int8", "int8", "", "i1", "argument 0 of 'k' cannot be passed: TVM does not pass int8 to kernels");
  row("vector", "int32x4", "", "i1",
      "argument 0 of 'k' cannot be passed: vectors like int32x4 are not passed to kernels");
  row("too few", "handle", "threadIdx.x", "p1",
      "kernel 'k' is launched with 1 value, but its table declares 2 (1 parameter and 1 launch value); the table "
      "and the host code are from different builds");
  row("too many", "handle", "tir.use_cooperative_launch", "p1 i1",
      "kernel 'k' is launched with 2 values, but its table declares 1 (1 parameter and 0 launch values); the table "
      "and the host code are from different builds");
  row("negative extent", "", "blockIdx.x", "i-1",
      "kernel 'k' is launched with 1 value, but its table declares 1 ('blockIdx.x' is negative); the table and the "
      "host code are from different builds");
  row("extent that is a pointer", "", "blockIdx.x", "p1",
      "kernel 'k' is launched with 1 value, but its table declares 1 ('blockIdx.x' is a pointer); the table and the "
      "host code are from different builds");
  row("unknown tag takes a value", "", "warpIdx.x threadIdx.x", "i5 i32",
      "grid=1,1,1 block=32,1,1 unknown:warpIdx.x ()");
  row("not an axis", "", "blockIdx.w", "i5", "grid=1,1,1 block=1,1,1 unknown:blockIdx.w ()");
  fields("launch fields", "handle", "grid.x block.x block.y dynamic_smem_bytes stream cooperative priority",
         "p1 i5 i32 i2 i64 p0 b1 i0",
         "grid=5,1,1 block=32,2,1 dyn=64 cooperative unknown:stream unknown:priority (0x1)");
  fields("cooperative field of 0", "", "cooperative grid.x cluster.z", "i0 i5 i2",
         "grid=5,1,1 block=1,1,1 cluster=1,1,2 ()");
}

void TestLaunchDecoding::launchParametersAreDecoded() {
  QFETCH(QString, types);
  QFETCH(QString, tags);
  QFETCH(QString, fields);
  QFETCH(QString, values);
  QFETCH(QString, expected);
  const protocol::JobKernel kernel = kernelOf(types, tags, fields);
  for (const bool ffi : {false, true}) QCOMPARE(textOf(decodeLaunch(kernel, valuesOf(values, ffi))), expected);
}

void TestLaunchDecoding::tensorMapsAreRecognised() {
  protocol::JobKernel kernel = kernelOf("handle handle", "");
  kernel.extraTags = {0, 1};
  const auto decoded = decodeLaunch(kernel, valuesOf("p256 p128", true));
  QCOMPARE(textOf(decoded), QString("grid=1,1,1 block=1,1,1 (0x100 0x80)"));
  const auto parameters = parametersOf(kernel);
  QVERIFY(parameters[0].isPointer && !parameters[0].isTensorMap);
  QVERIFY(!parameters[1].isPointer && parameters[1].isTensorMap);
}

BLOBSCOPE_TEST(TestLaunchDecoding);
#include "test_launch.moc"
