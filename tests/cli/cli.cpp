#include "tests/cli/cli.h"

#include "tests/support/test_support.h"

#include <QProcessEnvironment>

#include <charconv>
#include <csignal>
#include <unistd.h>

namespace blobscope::test {

QString cliProgram() {
  const QString named = qEnvironmentVariable("BLOBSCOPE_CLI");
  return named.isEmpty() ? QStringLiteral(BLOBSCOPE_CLI_BUILT) : named;
}

bool cliIsSanitized() {
#ifdef BLOBSCOPE_CLI_IS_SANITIZED
  return qEnvironmentVariableIsEmpty("BLOBSCOPE_CLI");
#else
  return false;
#endif
}

QProcessEnvironment cliEnvironment() {
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.remove(QStringLiteral("NO_COLOR"));
  const auto add = [&](const QString& name, const QString& options) {
    const QString old = environment.value(name);
    environment.insert(name, old.isEmpty() ? options : old + QLatin1Char(':') + options);
  };
  add(QStringLiteral("ASAN_OPTIONS"), QStringLiteral("abort_on_error=1"));
  add(QStringLiteral("UBSAN_OPTIONS"), QStringLiteral("abort_on_error=1"));
  return environment;
}

QByteArray Outcome::ending() const {
  if (!finished) return "did not end";
  if (crashed) return "killed by a signal";
  return "exit " + QByteArray::number(exit);
}

QByteArray Outcome::text() const {
  return ending() + "\n--- stdout\n" + out.left(4000) + "--- stderr\n" + err.left(4000);
}

void prepare(QProcess& process, const QString& folder, const QStringList& arguments) {
  process.setProgram(cliProgram());
  process.setArguments(arguments);
  process.setWorkingDirectory(folder);
  process.setProcessEnvironment(cliEnvironment());
  // A separate process group, so that ending the shell also ends what it started.
  process.setChildProcessModifier([] { setpgid(0, 0); });
}

Outcome finish(QProcess& process, int limitMs) {
  Outcome outcome;
  outcome.finished = process.state() == QProcess::NotRunning || process.waitForFinished(limitMs);
  if (!outcome.finished) {
    if (const auto group = static_cast<pid_t>(process.processId()); group > 0) ::kill(-group, SIGKILL);
    process.waitForFinished();
  }
  outcome.crashed = process.exitStatus() == QProcess::CrashExit;
  outcome.exit = process.exitCode();
  outcome.out = process.readAllStandardOutput();
  outcome.err = process.readAllStandardError();
  if (process.error() == QProcess::FailedToStart) outcome.err = "cannot be started: " + process.program().toLocal8Bit();
  return outcome;
}

Outcome runCli(const QString& folder, const QStringList& arguments, int limitMs) {
  QProcess process;
  prepare(process, folder, arguments);
  process.start();
  process.closeWriteChannel();
  return finish(process, limitMs);
}

Outcome runShell(const QString& folder, const QString& script, int limitMs) {
  QProcess process;
  prepare(process, folder, {QStringLiteral("-c"), script, cliProgram()});
  process.setProgram(QStringLiteral("/bin/sh"));
  process.start();
  process.closeWriteChannel();
  return finish(process, limitMs);
}

bool sendSignal(const QProcess& process, int number) {
  // After the process has ended its number is 0, which would mean this program and its whole process group.
  const auto id = static_cast<pid_t>(process.processId());
  return id > 0 && ::kill(id, number) == 0;
}

QByteArray whyNotMessages(const QByteArray& err) {
  if (!err.isEmpty() && !err.endsWith('\n')) return "standard error does not end with a newline: " + err.right(200);
  for (const QByteArray& line : err.split('\n'))
    if (!line.isEmpty() && !line.startsWith("blobscope-cli: ") && !line.startsWith("See 'blobscope-cli"))
      return "no message of the program: " + line;
  return {};
}

std::optional<json::Value> parseJson(const QByteArray& text) {
  auto value = json::parse(bytes({text.constData(), static_cast<std::size_t>(text.size())}));
  if (!value) return std::nullopt;
  return *std::move(value);
}

const json::Value* at(const json::Value& value, const std::vector<std::string>& path) {
  const json::Value* here = &value;
  for (const std::string& step : path) {
    if (const auto* const list = here->array()) {
      std::size_t index = 0;
      const auto [end, failure] = std::from_chars(step.data(), step.data() + step.size(), index);
      here = failure == std::errc{} && index < list->size() ? &(*list)[index] : nullptr;
    } else {
      here = here->find(step);
    }
    if (!here) return nullptr;
  }
  return here;
}

std::string stringAt(const json::Value& value, const std::vector<std::string>& path) {
  const json::Value* const found = at(value, path);
  return found && found->string() ? *found->string() : std::string();
}

int64_t numberAt(const json::Value& value, const std::vector<std::string>& path) {
  const json::Value* const found = at(value, path);
  if (!found) return -1;
  if (const auto* const number = std::get_if<int64_t>(&found->data)) return *number;
  if (const auto* const number = std::get_if<uint64_t>(&found->data)) return static_cast<int64_t>(*number);
  return -1;
}

const json::Value::Array& listAt(const json::Value& value, const std::vector<std::string>& path) {
  static const json::Value::Array kNone;
  const json::Value* const found = at(value, path);
  return found && found->array() ? *found->array() : kNone;
}

} // namespace blobscope::test
