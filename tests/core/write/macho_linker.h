#pragma once

#include "core/container/carrier.h"
#include "tests/core/write/macho_rules.h"
#include "tests/core/write/plan_check.h"

#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>

#include <map>
#include <string>
#include <string_view>

/// Mach-O files made by clang-19 and ld64.lld-19, and the results of other tools for them.
namespace blobscope::test {

constexpr std::size_t kMachOBlob = 1'000; ///< bytes of the blob, unless a test sets another size

inline bool writeFile(const QString& path, std::string_view content) {
  QFile file(path);
  return file.open(QIODevice::WriteOnly) &&
         file.write(content.data(), static_cast<qint64>(content.size())) == static_cast<qint64>(content.size());
}
inline std::string readFile(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : "";
}

/// Overwrites a little-endian number.
inline void put(std::string& file, uint64_t at, uint64_t value, unsigned size = 4) {
  for (unsigned i = 0; i < size; ++i) file[at + i] = static_cast<char>(value >> 8 * i);
}

inline QString toolPath(const char* name) {
  return QStandardPaths::findExecutable(QLatin1String(name) + QLatin1String("-19"));
}

inline QStringList words(const char* text) { return QString::fromLatin1(text).split(QLatin1Char(' ')); }

/// The messages of the program, "" on success.
inline std::string complaints(const QString& program, const QStringList& arguments) {
  QProcess process;
  process.setStandardOutputFile(QProcess::nullDevice());
  process.start(program, arguments);
  if (!process.waitForFinished(60'000)) return "does not end";
  const std::string text = process.readAllStandardError().toStdString();
  return process.exitCode() == 0 ? text : text + "exit " + std::to_string(process.exitCode());
}

/// A library: its blob between other data, pointers in the given number of segments, one of them bound by name.
struct Shape {
  std::string arch = "arm64";
  bool chained = true;
  int segments = 4; ///< with __LINKEDIT
  std::string headerPad = "0xa0";
  std::string more;         ///< assembler
  QStringList options = {}; ///< of the linker
  std::string blob = blobOf(kMachOBlob);
};

inline std::string sourceOf(const Shape& shape, const QString& blobPath) {
  std::string text = ".section __TEXT,__text,regular,pure_instructions\n.globl _run\n.p2align 4\n_run:\n nop\n "
                     "ret\n.section __TEXT,__const\n"
                     ".globl ___tvm_dev_mblob\n___tvm_dev_mblob:\n .incbin \"" +
                     blobPath.toStdString() + "\"\n.globl _behind\n.p2align 3\n_behind:\n .quad 0x1122334455667788\n";
  if (shape.segments > 2)
    text += ".section __DATA,__data\n.globl _pointer\n.p2align 3\n_pointer:\n .quad _behind\n .quad _other\n .zero "
            "64\n .quad _run\n";
  if (shape.segments > 3) text += ".section __DATA,__const\n.p2align 3\n_table:\n .quad _run\n";
  return text + shape.more + "\n.subsections_via_symbols\n";
}

/// Works in a separate folder; each file is made only once.
class Linker {
public:
  /// Why the linker cannot be used, empty when it can.
  static std::string missing() {
    for (const char* const name : {"clang", "ld64.lld"})
      if (toolPath(name).isEmpty()) return std::string(name) + "-19 is not installed";
    return {};
  }
  QString path(const QString& name) const { return m_folder.filePath(name); }
  std::string object(const Shape& shape) {
    if (!writeFile(path(QStringLiteral("blob")), shape.blob)) return {};
    const std::string source = sourceOf(shape, path(QStringLiteral("blob")));
    std::string& made = m_objects[shape.arch + source + shape.blob];
    if (!made.empty()) return made;
    writeFile(path(QStringLiteral("a.s")), source);
    const QStringList files = {path(QStringLiteral("a.s")), QStringLiteral("-o"), path(QStringLiteral("a.o"))};
    const std::string said =
        complaints(toolPath("clang"), words(("-c -target " + shape.arch + "-apple-macos12").c_str()) + files);
    if (!said.empty()) qWarning("%s", said.c_str());
    return made = readFile(path(QStringLiteral("a.o")));
  }
  std::string link(const std::string& object, const Shape& shape) {
    writeFile(path(QStringLiteral("in.o")), object);
    QFile::remove(path(QStringLiteral("out")));
    QStringList arguments =
        words("-dylib -platform_version macos 12.0 12.0 -install_name @rpath/libmade.dylib -undefined dynamic_lookup");
    arguments += words(("-arch " + shape.arch + " -headerpad " + shape.headerPad +
                        (shape.chained ? " -fixup_chains" : " -no_fixup_chains"))
                           .c_str());
    arguments += shape.options;
    arguments += {path(QStringLiteral("in.o")), QStringLiteral("-o"), path(QStringLiteral("out"))};
    if (const std::string said = complaints(toolPath("ld64.lld"), arguments); !said.empty())
      qWarning("%s", said.c_str());
    return readFile(path(QStringLiteral("out")));
  }
  std::string library(const Shape& shape) { return link(object(shape), shape); }
  /// The file after a tool has changed it.
  std::string after(const char* tool, QStringList arguments, const std::string& file) {
    writeFile(path(QStringLiteral("tool")), file);
    arguments << path(QStringLiteral("tool"));
    const std::string said = complaints(toolPath(tool), arguments);
    return said.empty() ? readFile(path(QStringLiteral("tool"))) : said;
  }
  std::string objdump(const std::string& file, const QStringList& more = {}) {
    writeFile(path(QStringLiteral("dump")), file);
    const QStringList asked = words("--macho --all-headers --exports-trie --chained-fixups --dyld-info") + more;
    return complaints(toolPath("llvm-objdump"), asked + QStringList{path(QStringLiteral("dump"))});
  }

private:
  QTemporaryDir m_folder;
  std::map<std::string, std::string> m_objects;
};

/// Broken rules, and names that lead to other places than before.
inline std::string brokenLinks(const Replaced& made) {
  std::string text = brokenRules(made.output);
  const MachORules before(made.input), after(made.output);
  for (const auto& [name, address] : before.exports) {
    const auto found = after.exports.find(name);
    if (found == after.exports.end() || (found->second != address && !container::matchCarrier(name)))
      text += name + " is exported differently; ";
  }
  if (before.exports.size() != after.exports.size()) text += "other exports; ";
  return text;
}

/// Everything that is wrong with a result, "" for nothing: the plan, the rules, other names.
inline std::string problems(const Replaced& made, const std::string& replacement) {
  return problemsOf(made, {}, replacement) + brokenLinks(made);
}

/// Like `replaceBlob`; a refusal has its reason as output and nothing else.
inline Replaced replaced(const std::string& file, const std::string& replacement,
                         const write::PlanOptions& options = {}) {
  auto made = replaceBlob(file, {}, replacement, options);
  if (!made) {
    Replaced none;
    none.output = "refused: " + made.error().message();
    return none;
  }
  return std::move(*made);
}

} // namespace blobscope::test
