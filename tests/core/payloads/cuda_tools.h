#pragma once

#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>

#include <optional>
#include <string>

namespace blobscope::test {

/// The output of nvcc for CUDA C++ with these options; nothing when there is no nvcc in PATH or /usr/local/cuda/bin, or
/// when it rejects the text.
inline std::optional<std::string> compileCuda(const char* source, QStringList options) {
  QString nvcc = QStandardPaths::findExecutable(QStringLiteral("nvcc"));
  if (nvcc.isEmpty())
    nvcc = QStandardPaths::findExecutable(QStringLiteral("nvcc"), {QStringLiteral("/usr/local/cuda/bin")});
  const QTemporaryDir folder;
  QFile text(folder.filePath(QStringLiteral("k.cu")));
  if (nvcc.isEmpty() || !text.open(QIODevice::WriteOnly) || text.write(source) < 0) return std::nullopt;
  text.close();
  QFile out(folder.filePath(QStringLiteral("out")));
  options << QStringLiteral("-o") << out.fileName() << text.fileName();
  QProcess process;
  process.setProcessChannelMode(QProcess::MergedChannels);
  process.start(nvcc, options);
  if (!process.waitForFinished(120'000) || process.exitCode() != 0 || !out.open(QIODevice::ReadOnly)) {
    qInfo("nvcc: %s", process.readAll().constData());
    return std::nullopt;
  }
  return out.readAll().toStdString();
}

} // namespace blobscope::test
