#pragma once

#include "core/protocol/runner_process.h"
#include "tests/core/base/files.h"
#include "tests/support/wait.h"

#include <QProcess>
#include <QStandardPaths>
#include <QStringList>
#include <QTemporaryDir>

#include <optional>
#include <string>
#include <vector>

/// Libraries that the test compiles, and the runner that opens them.
namespace blobscope::test {

/// Whether there is a C compiler: `cc`.
inline bool canCompile() { return !QStandardPaths::findExecutable("cc").isEmpty(); }

/// Compiles a shared object; returns the messages of the compiler when it fails.
inline QString compileLibrary(const std::filesystem::path& target, const char* source,
                              const QStringList& defines = {}) {
  const std::filesystem::path text = target.native() + ".c";
  writeFile(text, source);
  QProcess compiler;
  QStringList words = {"-shared",
                       "-fPIC",
                       "-O1",
                       "-w",
                       "-o",
                       QString::fromStdString(target.native()),
                       QString::fromStdString(text.native())};
  for (const QString& define : defines) words << "-D" + define;
  compiler.start("cc", words << "-lpthread");
  if (!compiler.waitForFinished(kWaitMs) || compiler.exitCode() != 0)
    return "cc: " + QString::fromUtf8(compiler.readAllStandardError());
  return {};
}

inline protocol::JobArgument tensorArgument(std::string name, std::vector<int64_t> shape, int deviceType,
                                            std::string input = {}, std::string output = {}) {
  protocol::JobArgument argument;
  argument.kind = protocol::JobArgument::Kind::Tensor;
  argument.tensor.name = std::move(name);
  argument.tensor.type = {2, 32, 1};
  argument.tensor.shape = std::move(shape);
  argument.tensor.deviceType = deviceType;
  argument.tensor.input = std::move(input);
  argument.tensor.output = std::move(output);
  return argument;
}

inline protocol::JobArgument integerArgument(int64_t value) {
  protocol::JobArgument argument;
  argument.integer = value;
  return argument;
}

inline protocol::JobArgument floatArgument(double value) {
  protocol::JobArgument argument;
  argument.kind = protocol::JobArgument::Kind::Float;
  argument.real = value;
  return argument;
}

/// A run and all its events.
struct RunRecord {
  std::optional<Result<protocol::RunnerEnd>> result;
  std::vector<protocol::Event> events;

  template <class T> std::vector<T> all() const {
    std::vector<T> found;
    for (const protocol::Event& event : events)
      if (const T* const one = std::get_if<T>(&event)) found.push_back(*one);
    return found;
  }
  /// "RUN-LAUNCH@2: …" per error event, then how it ended.
  QString text() const {
    QStringList lines;
    for (const auto& error : all<protocol::ErrorReported>())
      lines << QString("%1@%2: %3")
                   .arg(QString::fromStdString(error.id), error.call ? QString::number(*error.call) : QString("-"),
                        QString::fromStdString(error.message));
    if (!result)
      lines << "not run";
    else if (!*result)
      lines << QString::fromStdString(result->error().message());
    else if ((**result).problem)
      lines << QString::fromStdString((**result).problem->message());
    else
      lines << QString("done %1").arg((**result).finished.value_or(-1));
    return lines.join('\n');
  }
};

inline RunRecord runJob(const protocol::Job& job, const protocol::RunnerOptions& options, Monitor& monitor) {
  RunRecord received;
  received.result.emplace(protocol::runRunner(
      job, options, [&](const protocol::Event& event) { received.events.push_back(event); }, monitor));
  return received;
}

} // namespace blobscope::test
