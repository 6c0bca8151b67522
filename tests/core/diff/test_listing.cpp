#include "core/diff/listing.h"
#include "core/diff/pages.h"

#include "tests/core/diff/diff_text.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <charconv>

using namespace blobscope;
using namespace blobscope::diff;
using namespace blobscope::test;

namespace {

using Mark = view::ListingMark::Kind;

/// The content of constants: a value, or "T" and the digest of a tensor.
using Pool = std::vector<std::string>;

/// A listing from lines in which "%N" is a register, "=N" a written register, "#N" a constant and "^N" a jump by N
/// instructions. A line that begins with "@" begins a function.
view::TextPage listing(const std::vector<std::string>& lines, const Pool& pool = {}) {
  view::Listing out;
  int64_t place = 0;
  for (const std::string& line : lines) {
    if (line.starts_with('@')) {
      out.add(Mark::Function, 0, {});
      place = 0;
    } else {
      out.add(Mark::Place, place, std::to_string(place) + "  ");
      ++place;
    }
    std::string notes;
    for (std::size_t at = 0; at < line.size();) {
      const char sign = line[at];
      int64_t number = 0;
      const char* const end = line.data() + line.size();
      const auto read = std::from_chars(line.data() + at + 1, end, number);
      const bool isMark = std::string_view("%=#^").find(sign) != std::string_view::npos && read.ec == std::errc();
      if (!isMark) {
        out += line.substr(at++, 1);
        continue;
      }
      const std::string digits = std::to_string(number);
      if (sign == '%') out.add(Mark::Use, number, "%" + digits);
      if (sign == '=') out.add(Mark::Definition, number, "%" + digits);
      if (sign == '^') out.add(Mark::Target, number, std::to_string(place - 1 + number));
      if (sign == '#') {
        out.add(Mark::Constant, number, "c[" + digits + "]");
        notes += "  // c[" + digits + "] = " + pool.at(static_cast<std::size_t>(number));
      }
      at = static_cast<std::size_t>(read.ptr - line.data());
    }
    if (!notes.empty()) out.add(Mark::Note, 0, notes);
    out += "\n";
  }
  auto constants = std::make_shared<view::ListingConstants>(
      [pool](int64_t number, Monitor& monitor) -> Result<view::ConstantIdentity> {
        if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        const std::string& held = pool.at(static_cast<std::size_t>(number));
        if (!held.starts_with('T')) return view::ConstantIdentity{held, {}, false};
        return view::ConstantIdentity{"float32[4]", held, true};
      });
  auto marks = std::make_shared<view::ListingMarks>(view::ListingMarks{std::move(out.marks), std::move(constants)});
  return {Bytes::copyOf(out.text), "vm", std::move(marks)};
}

QString hunks(const view::TextPage& a, const view::TextPage& b, Masks masks = {}) {
  NullMonitor monitor;
  auto forth = compareListings(a, b, masks, monitor), back = compareListings(b, a, masks, monitor);
  if (!forth || !back) return QStringLiteral("error");
  if (forth->removed != back->added || forth->added != back->removed) return QStringLiteral("not symmetric");
  return hunksText(forth->hunks);
}

std::string canonical(const view::TextPage& page) {
  NullMonitor monitor;
  auto text = canonicalListing(page, monitor);
  return text ? std::move(*text) : std::string("error");
}

const std::vector<std::string> kFunction = {"@f(=0 x)", "call =1 = alloc(#0)", "call =2 = add(%0, %1, #1)",
                                            "call use(%1, %2)", "ret %2"};
const Pool kPool = {"16", "T1"};

} // namespace

class TestListingDiff : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void renumberedRegistersAreEqual() {
    const view::TextPage a = listing(kFunction, kPool);
    const view::TextPage b =
        listing({"@f(=3 x)", "call =7 = alloc(#4)", "call =5 = add(%3, %7, #2)", "call use(%7, %5)", "ret %5"},
                {"", "", "T1", "", "16"});
    QCOMPARE(hunks(a, b), QStringLiteral("=0+5,0+5"));
    QCOMPARE(canonical(a), canonical(b));
    // On request the numbers count.
    NullMonitor monitor;
    PageOptions options;
    QVERIFY(comparePages({"Bytecode", a}, {"Bytecode", b}, options, monitor)->same);
    options.rawNumbers = true;
    QVERIFY(!comparePages({"Bytecode", a}, {"Bytecode", b}, options, monitor)->same);
  }

  void changedConstantIsADifference() {
    const view::TextPage a = listing(kFunction, kPool), b = listing(kFunction, {"32", "T1"});
    QCOMPARE(hunks(a, b), QStringLiteral("=0+1,0+1 ~1+1,1+1 =2+3,2+3"));
    QVERIFY(canonical(a) != canonical(b));
  }

  /// Swapped operands are a difference, whatever their numbers.
  void swappedOperandsAreADifference() {
    std::vector<std::string> lines = kFunction;
    lines[3] = "call use(%2, %1)";
    const view::TextPage a = listing(kFunction, kPool), b = listing(lines, kPool);
    QCOMPARE(hunks(a, b), QStringLiteral("=0+3,0+3 ~3+1,3+1 =4+1,4+1"));
    QVERIFY(canonical(a) != canonical(b));
  }

  /// A register that a function reads twice may not become two registers.
  void registersAreRenamedOneToOne() {
    const view::TextPage a = listing({"@f()", "call =1 = g()", "call h(%1)", "call k(%1)", "ret %1"});
    const view::TextPage b = listing({"@f()", "call =1 = g()", "call h(%1)", "call k(%2)", "ret %1"});
    QCOMPARE(hunks(a, b), QStringLiteral("=0+3,0+3 ~3+1,3+1 =4+1,4+1"));
  }

  /// Registers of one function are independent of those of another.
  void registersAreRenamedPerFunction() {
    const view::TextPage a = listing({"@f(=0 x)", "call use(%0)", "@g(=0 x)", "call use(%0)"});
    const view::TextPage b = listing({"@f(=1 x)", "call use(%1)", "@g(=2 x)", "call use(%2)"});
    QCOMPARE(hunks(a, b), QStringLiteral("=0+4,0+4"));
  }

  /// Values of weights are compared as constants; here only the identity of the tensor counts.
  void tensorConstantsAreComparedByIdentity() {
    const std::vector<std::string> lines = {"@f(=0 x)", "call add(%0, #0)", "call mul(%0, #1)", "call add(%0, #0)"};
    std::vector<std::string> other = lines;
    other[3] = "call add(%0, #1)";
    const view::TextPage a = listing(lines, {"T1", "T2"});
    QCOMPARE(hunks(a, listing(lines, {"T8", "T9"})), QStringLiteral("=0+4,0+4"));
    QCOMPARE(hunks(a, listing(other, {"T8", "T9"})), QStringLiteral("=0+3,0+3 ~3+1,3+1"));
    // Tensors that are on both sides are distinguished by their values.
    QCOMPARE(hunks(a, listing(lines, {"T2", "T1"})), QStringLiteral("=0+1,0+1 ~1+3,1+3"));
  }

  /// A jump leads to the same instruction although one more is in between.
  void movedJumpTargetIsEqual() {
    const view::TextPage a = listing({"@f(=0 x)", "if %0 else goto ^2", "call g()", "ret %0"});
    const view::TextPage b = listing({"@f(=0 x)", "if %0 else goto ^3", "call new()", "call g()", "ret %0"});
    QCOMPARE(hunks(a, b), QStringLiteral("=0+2,0+2 +2+0,2+1 =2+2,3+2"));
    const view::TextPage c = listing({"@f(=0 x)", "if %0 else goto ^1", "call g()", "ret %0"});
    QCOMPARE(hunks(a, c), QStringLiteral("=0+1,0+1 ~1+1,1+1 =2+2,2+2"));
  }

  void maskedNamesAreEqual() {
    const view::TextPage a = listing({"@f(=0 x)", "call fused_add3(%0)"}),
                         b = listing({"@f(=1 x)", "call fused_add(%1)"});
    QCOMPARE(hunks(a, b), QStringLiteral("=0+1,0+1 ~1+1,1+1"));
    QCOMPARE(hunks(a, b, Masks().with(Mask::Serials)), QStringLiteral("=0+2,0+2"));
  }

  void comparisonCanBeCancelled() {
    const view::TextPage a = listing(kFunction, kPool), b = listing(kFunction, {"32", "T1"});
    StopAfter stopped(0);
    const auto compared = compareListings(a, b, {}, stopped);
    QVERIFY(!compared && compared.error().code() == ErrorCode::Cancelled);
    const auto text = canonicalListing(a, stopped);
    QVERIFY(!text && text.error().code() == ErrorCode::Cancelled);
  }
};

BLOBSCOPE_TEST(TestListingDiff);

#include "test_listing.moc"
