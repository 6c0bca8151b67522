#include "core/base/digest.h"
#include "tests/core/base/compare.h"
#include "tests/core/safety/assessed.h"
#include "tests/support/pe_builder.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>

using namespace blobscope;
using namespace blobscope::test;

namespace {

std::string derOf(char tag, const std::string& content) {
  std::string size(1, static_cast<char>(content.size()));
  if (content.size() > 127) size = std::string("\x81") + size;
  return std::string(1, tag) + size + content;
}

/// A certificate with that digest of the file and the name of a signer.
std::string certificateWith(const std::string& digest) {
  const std::string info = derOf('\x30', derOf('\x30', "") + derOf('\x04', digest));
  const std::string data = derOf('\xa0', derOf('\x30', derOf('\x30', "") + info));
  const std::string name = "\x06\x03\x55\x04\x03" + derOf('\x0c', "Example Corp");
  const std::string body = "\x06\x0a\x2b\x06\x01\x04\x01\x82\x37\x02\x01\x04" + data + name;
  return ByteBuilder().u32(static_cast<uint32_t>(8 + body.size())).u16(0x200).u16(2).raw(body).take();
}

std::string dllWith(const std::string& digest) {
  PeBuilder pe;
  pe.function("f");
  pe.certificate = certificateWith(digest);
  return pe.build();
}

/// A DLL whose signature has the digest of all bytes but the checksum, its place in the directory, and itself.
std::string signedDll() {
  PeBuilder pe;
  pe.function("f");
  pe.certificate = certificateWith(std::string(32, 'x'));
  const std::string file = pe.build();
  const std::size_t checksum = pe.places.at("optional") + 64, entry = pe.places.at("directories") + 4 * 8;
  std::string hashed = file.substr(0, file.size() - pe.certificate.size());
  hashed.erase(entry, 8).erase(checksum, 4);
  NullMonitor monitor;
  const std::string hex = *computeSha256(Bytes::copyOf(hashed), monitor);
  std::string raw;
  for (std::size_t i = 0; i < hex.size(); i += 2) raw += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return dllWith(raw);
}

} // namespace

/// Signatures inside a file and beside it. No key is checked.
class TestSafetySignatures : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void digestOfAuthenticodeMatches() {
    const std::string file = signedDll();
    const safety::Report report = assessed(file);
    QCOMPARE(report.signatures.size(), std::size_t{1});
    QCOMPARE(report.signatures[0].kind, std::string("authenticode"));
    QCOMPARE(report.signatures[0].signer, std::string("Example Corp"));
    QVERIFY(report.signatures[0].matches && *report.signatures[0].matches);
    QVERIFY(!rulesOf(report).contains("SAFE-SIGNATURE-VOID"));
    // One byte of the code was changed after it was signed.
    std::string changed = file;
    changed[0x400] = static_cast<char>(changed[0x400] ^ 1);
    const safety::Report voided = assessed(changed);
    QVERIFY(voided.signatures[0].matches && !*voided.signatures[0].matches);
    QVERIFY(rulesOf(voided).contains("SAFE-SIGNATURE-VOID"));
  }

  /// Files beside the library; the number of a key is shown as minisign prints it.
  void filesBesideTheLibrary() {
    QTemporaryDir folder;
    const auto write = [&](const char* name, const std::string& content) {
      QFile file(folder.filePath(QLatin1String(name)));
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write(content.data(), static_cast<qint64>(content.size()));
    };
    write("m.so", LinkedLibrary().build());
    const std::string raw = "Ed" + std::string("\x01\x02\x03\x04\x05\x06\x07\xab", 8) + std::string(64, 's');
    write("m.so.minisig", "untrusted comment: x\n" +
                              QByteArray(raw.data(), static_cast<qsizetype>(raw.size())).toBase64().toStdString() +
                              "\n");
    write("m.so.asc", "-----BEGIN PGP SIGNATURE-----\n");
    NullMonitor monitor;
    const auto package =
        library::open(std::filesystem::path(folder.filePath(QStringLiteral("m.so")).toStdString()), monitor);
    QVERIFY(package);
    const auto report = safety::assess(*package, monitor);
    QVERIFY(report);
    QCOMPARE(report->signatures.size(), std::size_t{2});
    QCOMPARE(report->signatures[0].kind, std::string("minisign"));
    QCOMPARE(report->signatures[0].key, std::string("AB07060504030201"));
    QVERIFY(!report->signatures[0].matches);
    QCOMPARE(report->signatures[1].kind, std::string("openpgp"));
    write("m.so.minisig", "no signature");
    const auto damaged = safety::assess(*package, monitor);
    QVERIFY(damaged);
    QVERIFY(!damaged->signatures[0].problem.empty());
    QVERIFY(rulesOf(*damaged).contains("SAFE-SIGNATURE-DAMAGED"));
  }
};

BLOBSCOPE_TEST(TestSafetySignatures);
#include "test_signatures.moc"
