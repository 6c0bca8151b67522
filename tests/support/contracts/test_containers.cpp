#include "core/container/container.h"

#include "tests/core/base/compare.h"
#include "tests/core/container/image_text.h"
#include "tests/core/container/image_touch.h"
#include "tests/support/contracts/container_rows.h"
#include "tests/support/contracts/damage.h"
#include "tests/support/test_main.h"

#include <set>

using namespace blobscope;
using namespace blobscope::test;
using container::Image;

namespace {

constexpr std::size_t kLengths = 500, kPlaces = 400; ///< of one file: about 2,500 readings

/// Formats that containerKinds() leaves to readImage().
constexpr const char* kAfterTheTable[] = {"raw", "c-source"};

/// Whether a message has a placeholder that nothing was put into: "{size}".
bool hasPlaceholder(std::string_view message) {
  for (std::size_t at = 0; (at = message.find('{', at)) != std::string_view::npos; ++at) {
    const std::size_t end = message.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", at + 1);
    if (end != std::string_view::npos && end > at + 2 && (message[end] == '}' || message[end] == '!')) return true;
  }
  return false;
}

/// Why an image is not sound, empty when it is: parts outside the file, indexes that lead nowhere.
std::string whyUnsound(const Image& image) {
  const Extent whole{0, image.file.size()};
  const auto inside = [&](const Bytes& part) {
    return part.empty() ||
           (part.data() >= image.file.data() && part.data() + part.size() <= image.file.data() + image.file.size());
  };
  for (const container::Section& section : image.sections)
    if (section.file.size > 0 && !whole.contains(section.file))
      return "section '" + escaped(section.name) + "' is outside the file";
  for (const container::Segment& segment : image.segments)
    if (segment.file.size > 0 && !whole.contains(segment.file))
      return "the segment at " + hexText(segment.file.offset) + " is outside the file";
  for (const container::Symbol& symbol : image.symbols) {
    // The index is as stored, and may lead nowhere; what findSectionOf() makes of it may not.
    const container::Section* const section = image.findSectionOf(symbol);
    if (section && (section < image.sections.data() || section >= image.sections.data() + image.sections.size()))
      return "the section of symbol '" + escaped(symbol.name) + "' does not exist";
    if (const auto part = image.findBytesOf(symbol); part && !inside(*part))
      return "symbol '" + escaped(symbol.name) + "' is outside the file";
  }
  for (const container::Member& member : image.members)
    if (!member.bytes.empty()) {
      const auto owner = member.bytes.owner();
      if (!owner) return "member '" + escaped(member.path) + "' has bytes without an owner";
      const std::span<const std::byte> all = owner->view();
      if (member.bytes.data() < all.data() || member.bytes.data() + member.bytes.size() > all.data() + all.size())
        return "member '" + escaped(member.path) + "' is outside its file";
    }
  for (const Diagnostic& diagnostic : image.diagnostics)
    if (diagnostic.message().empty() || hasPlaceholder(diagnostic.message()))
      return "a diagnostic has no whole sentence: " + diagnostic.message();
  return {};
}

/// What is wrong with reading `file`, whatever is in it: an image is sound, an error has a sentence.
std::string whyUnsoundFile(const std::string& file) {
  NullMonitor monitor;
  const auto image = readBytes(file);
  if (!image) {
    const std::string message = image.error().message();
    return message.empty() || hasPlaceholder(message) ? "an error without a whole sentence: " + message : "";
  }
  if (std::string found = whyUnsound(*image); !found.empty()) return found;
  touch(*image);
  std::vector<Diagnostic> diagnostics;
  const auto isBlob = [](const Bytes&) { return true; };
  (void)container::carriersOf(*image, isBlob, Budget::forFile(file.size()), diagnostics, monitor);
  return {};
}

} // namespace

/// What every reader of a container format promises, on the files of container_rows.h. What sections and symbols have
/// to be is compared with other readers in tests/core/container/test_oracles.cpp, on the same files.
class TestContainers : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void everyKindHasARow();
  void opens_data() { addRows(); }
  void opens();
  void truncations_data() { addRows(); }
  void truncations();
  void changedBytes_data() { addRows(); }
  void changedBytes();
  void cancelled_data() { addRows(); }
  void cancelled();

private:
  void addRows() {
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < containerRows().size(); ++i)
      QTest::newRow(containerRows()[i].name.c_str()) << static_cast<int>(i);
  }
  const ContainerRow& row() {
    QFETCH(int, index);
    return containerRows()[static_cast<std::size_t>(index)];
  }
};

void TestContainers::everyKindHasARow() {
  std::set<std::string> wanted(std::begin(kAfterTheTable), std::end(kAfterTheTable)), there;
  for (const container::ContainerKind& kind : container::containerKinds()) wanted.insert(std::string(kind.name));
  for (const ContainerRow& row : containerRows()) there.insert(row.kind);
  for (const std::string& name : wanted) QVERIFY2(there.contains(name), ("no row for " + name).c_str());
  for (const std::string& name : there) QVERIFY2(wanted.contains(name), ("no kind for the rows of " + name).c_str());
}

void TestContainers::opens() {
  const ContainerRow& row = this->row();
  std::string kind;
  for (const container::ContainerKind& each : container::containerKinds())
    if (kind.empty() && each.sniff(std::string_view(row.file).substr(0, 512))) kind = each.name;
  const auto image = readBytes(row.file);
  QVERIFY2(image, image ? "" : image.error().message().c_str());
  QCOMPARE(kind.empty() ? std::string(formatName(image->format)) : kind, row.kind);
  NOTHING_WRONG(diagnosticsText(image->diagnostics));
  NOTHING_WRONG(whyUnsound(*image));
  QVERIFY(!image->sections.empty() || !image->members.empty() || row.containers == 0);
}

void TestContainers::truncations() { NOTHING_WRONG(wrongWithTruncations(row().file, kLengths, whyUnsoundFile)); }

void TestContainers::changedBytes() { NOTHING_WRONG(wrongWithChangedBytes(row().file, kPlaces, whyUnsoundFile)); }

/// A reader that asks its monitor stops at once; one that is done before it asks returns the image.
void TestContainers::cancelled() {
  StopAfter stop(0);
  const auto image = container::readImage(bytes(row().file), stop);
  if (!image) QVERIFY2(image.error().code() == ErrorCode::Cancelled, image.error().message().c_str());
}

BLOBSCOPE_TEST(TestContainers);
#include "test_containers.moc"
