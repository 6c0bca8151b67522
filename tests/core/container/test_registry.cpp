#include "core/container/container.h"

#include "core/container/elf/elf.h"
#include "tests/core/base/compare.h"
#include "tests/core/container/image_text.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"

#include <set>

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

class TestContainerRegistry : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void unsupportedFilesAreNamed_data();
  void unsupportedFilesAreNamed();
  void cutMagicIsNotClaimed();
  void everyKindHasNameAndSniffer();
  void emptyBytesAreRefused();
  void leftoversAreNamed_data();
  void leftoversAreNamed();
};

void TestContainerRegistry::unsupportedFilesAreNamed_data() {
  QTest::addColumn<std::string>("file");
  QTest::addColumn<std::string>("words");
  const auto row = [](const char* name, std::string file, const char* words) {
    QTest::newRow(name) << std::move(file) << std::string(words);
  };
  const std::string rest(300, '\0');
  row("universal Mach-O", "\xca\xfe\xba\xbe" + rest, "a Java class, or a universal Mach-O file without slices");
  row("CUDA fat binary", "\x50\xed\x55\xba" + rest, "a bare CUDA fat binary");
  row("SPIR-V", "\x03\x02\x23\x07" + rest, "a bare SPIR-V module");
  row("magic and no more", "\xca\xfe\xba\xbe", "a Java class, or a universal Mach-O file without slices");
  row("one letter", "a", "text");
  row("text", "#!/bin/sh\necho\t1\r\n", "text");
  row("long text", std::string(5000, 'x'), "text");
  row("text in UTF-8", "\xe2\x82\xac and \xc3\xa9\n", "text");
  row("text whose character is cut at 512 bytes", "x" + std::string(510, 'x') + "\xe2\x82\xac\n", "text");
  row("one NUL", "\0"s, "data that begins with 00");
  row("random bytes", "\x8a\x11\x02\xf3\x00\x7c\x19\xd4\x55"s, "data that begins with 8a1102f3007c19d4");
  row("control character in text", "abc\x1b[0m", "data that begins with 6162631b5b306d");
  row("erased flash", std::string(64, '\xff'), "data that begins with ffffffffffffffff");
  row("ELF magic, but not at the start",
      " \x7f"
      "ELF" +
          rest,
      "data that begins with 207f454c46000000");
}

void TestContainerRegistry::unsupportedFilesAreNamed() {
  QFETCH(std::string, file);
  QFETCH(std::string, words);
  const auto image = readBytes(file);
  QVERIFY(!image);
  QVERIFY(image.error().id() == DiagnosticId::FileKind);
  QVERIFY(image.error().code() == ErrorCode::Unsupported);
  QVERIFY2(
      image.error().message().starts_with("unsupported file format: the file looks like " + words + "; supported "),
      image.error().message().c_str());
}

/// A file that ends inside a magic is not claimed by the format of that magic.
void TestContainerRegistry::cutMagicIsNotClaimed() {
  for (const std::string& magic : {"\xcf\xfa\xed\xfe"s, "\0asm"s, "!<arch>\n"s, "\xb7\x9c\x04\x05\x4f\x8d\xe5\xf7"s}) {
    const std::string cut = magic.substr(0, magic.size() - 1);
    const auto image = readBytes(cut);
    QVERIFY(!image);
    const std::string message = image.error().message();
    QVERIFY2(message.find("data that begins with " + hexDigits(cut)) != std::string::npos ||
                 message.find("like text") != std::string::npos,
             message.c_str());
  }
}

/// Rules for every row of the table.
void TestContainerRegistry::everyKindHasNameAndSniffer() {
  const std::string library = elfWith("__tvm_dev_mblob", withHeader(ByteBuilder().u64(0).take()));
  std::set<std::string_view> names;
  int sniffed = 0;
  for (const container::ContainerKind& kind : container::containerKinds()) {
    QVERIFY(!kind.name.empty());
    QVERIFY(names.insert(kind.name).second);
    QVERIFY(!kind.sniff(""));
    QVERIFY(!kind.sniff("x"));
    QVERIFY(!kind.sniff(std::string(512, '\0')));
    if (!kind.sniff(std::string_view(library).substr(0, 512))) continue;
    ++sniffed;
    QCOMPARE(std::string(kind.name), "elf"s);
    NullMonitor monitor;
    const auto image = kind.open(bytes(library), Budget::forFile(library.size()), monitor);
    QVERIFY(image);
    QCOMPARE(std::string(formatName(image->format)), std::string(kind.name));
  }
  QCOMPARE(sniffed, 1);
  QVERIFY(!container::looksLikeElf("\x7f"
                                   "EL"));
  QVERIFY(container::looksLikeElf("\x7f"
                                  "ELF"));
}

void TestContainerRegistry::emptyBytesAreRefused() {
  const auto image = readBytes("");
  QVERIFY(!image);
  QVERIFY(image.error().id() == DiagnosticId::FileKind || image.error().id() == DiagnosticId::FileEmpty);
}

void TestContainerRegistry::leftoversAreNamed_data() {
  QTest::addColumn<std::string>("file");
  QTest::addColumn<std::string>("message"); ///< empty: another error
  const auto row = [](const char* name, std::string file, const char* message) {
    QTest::newRow(name) << std::move(file) << std::string(message);
  };
  const char* const lfs =
      "the file is a Git LFS pointer instead of the real file; run 'git lfs pull' in its repository to "
      "get the real file";
  row("Git LFS", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
      "the file is a Git LFS pointer instead of the real file, which has 12.1 KiB (12,345 bytes); run 'git lfs pull' "
      "in "
      "its repository to get the real file");
  row("Git LFS, CRLF", "version https://git-lfs.github.com/spec/v1\r\noid sha256:4d7a\r\nsize 5\r\n",
      "the file is a Git LFS pointer instead of the real file, which has 5 bytes; run 'git lfs pull' in its repository "
      "to get the real file");
  row("Git LFS, cut", "version https://git-lfs.github.com/spec/v1\noid", lfs);
  row("Git LFS, before 1.0", "version https://hawser.github.com/spec/v1\n", lfs);
  row("git-annex", "/annex/objects/SHA256E-s10--abc.so\n",
      "the file is a git-annex pointer instead of the real file; run 'git annex get' in its repository to get the real "
      "file");
  row("HTML", "\n<!DOCTYPE html>\n<html><head><title> Page not found\n</title>",
      "the file is an HTML page with the title 'Page not found', which a failed download leaves; download the file "
      "again");
  row("HTML without a title", "\xef\xbb\xbf<HTML><body>",
      "the file is an HTML page, which a failed download leaves; download the file again");
  row("XML", "<?xml version=\"1.0\"?>\n<Error><Code>NoSuchKey</Code><Message>The key does not exist.</Message></Error>",
      "the file is the answer of a server with an error: 'The key does not exist.'; download the file again");
  row("JSON", "{\"message\": \"Not Found\"}",
      "the file is the answer of a server with an error: '{\"message\": \"Not Found\"}'; download the file again");
  row("one line", "404: Not Found",
      "the file only says '404: Not Found', which a failed download leaves; download the file again");
  row("zeros", std::string(70'000, '\0'),
      "the file has only zero bytes at its beginning and end, as a download or copy that was interrupted leaves it; "
      "copy "
      "or download the file again");
  row("other XML", "<?xml version=\"1.0\"?>\n<model/>", "");
  row("other JSON", "{\"nodes\": [], \"message\": 1}", "");
  row("a text about errors", "404: Not Found is an error of HTTP, which is explained in this text at some length.", "");
  row("zeros with something after them", std::string(1'000, '\0') + "x", "");
}

void TestContainerRegistry::leftoversAreNamed() {
  QFETCH(std::string, file);
  QFETCH(std::string, message);
  const auto image = readBytes(file);
  QVERIFY(!image);
  if (message.empty()) {
    QCOMPARE(image.error().id(), DiagnosticId::FileKind);
    return;
  }
  QCOMPARE(image.error().id(), DiagnosticId::FileLeftover);
  QCOMPARE(image.error().message(), message);
}

BLOBSCOPE_TEST(TestContainerRegistry);
#include "test_registry.moc"
