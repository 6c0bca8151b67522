#pragma once

#include "core/fix/fixes.h"
#include "core/library/open.h"
#include "core/mlf/tar.h"
#include "tests/core/mlf/clean_archives.h"
#include "tests/support/test_support.h"

#include <QString>
#include <QStringList>

#include <map>
#include <string>
#include <string_view>

/// Mends made archives and describes what happened.
namespace blobscope::test {

inline library::PackagePtr openArchive(std::string_view tar) {
  NullMonitor monitor;
  auto package = library::open(source(tar), "archive.tar", monitor);
  return package ? *package : nullptr;
}

/// "616 metadata.json: storage 5 has …", worst first.
inline QStringList linesOf(const check::Report& report) {
  QStringList lines;
  for (const check::Issue& issue : report.issues)
    lines << QString::fromStdString(issue.rule.substr(4) + " " + issue.message);
  return lines;
}

/// The content of each file of a tar, by its stored path.
inline std::map<std::string, std::string> filesOf(std::string_view tar) {
  NullMonitor monitor;
  std::map<std::string, std::string> out;
  const auto read = mlf::readTar(bytes(tar), Budget::forFile(tar.size()), monitor);
  if (read)
    for (const mlf::File& file : read->files) out[file.stored] = std::string(file.bytes.view());
  return out;
}

/// "changed metadata.json, added …, removed …" for the files of two archives.
inline QString changesOf(std::string_view before, std::string_view after) {
  const auto old = filesOf(before), now = filesOf(after);
  QStringList out;
  for (const auto& [path, content] : old)
    if (!now.contains(path))
      out << QString::fromStdString("removed " + path);
    else if (now.at(path) != content)
      out << QString::fromStdString("changed " + path);
  for (const auto& [path, content] : now)
    if (!old.contains(path)) out << QString::fromStdString("added " + path);
  return out.join(QStringLiteral(", "));
}

} // namespace blobscope::test
