#pragma once

#include "core/base/json.h"

#include <QByteArray>
#include <QProcess>
#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

namespace blobscope::test {

/// The program under test: the built one, or what BLOBSCOPE_CLI names.
QString cliProgram();
/// Whether it was built with sanitizers, which make each start several times slower.
bool cliIsSanitized();
/// The environment of all runs: no colours asked for or forbidden, and a sanitizer's finding ends in a signal, not in
/// an exit code that the program uses itself.
QProcessEnvironment cliEnvironment();

/// How a run ended.
struct Outcome {
  bool finished = false; ///< before the limit
  bool crashed = false;  ///< by a signal
  int exit = -1;
  QByteArray out, err;

  /// Exit code in words; "killed by a signal" or "did not end" else.
  QByteArray ending() const;
  /// All of it, for the message of a failed comparison.
  QByteArray text() const;
};

/// A limit for conditions that hold within a second on any machine that works.
constexpr int kWaitMs = 30'000;

/// Prepares a run of the program in `folder`.
void prepare(QProcess& process, const QString& folder, const QStringList& arguments);
/// Runs it to its end. Any thread.
Outcome runCli(const QString& folder, const QStringList& arguments, int limitMs = kWaitMs);
/// Runs `script` by sh with the program as `$0`.
Outcome runShell(const QString& folder, const QString& script, int limitMs = kWaitMs);
/// What is known once the process ended; ends it, and what it started, when it did not within the limit.
Outcome finish(QProcess& process, int limitMs = kWaitMs);
/// Sends the signal to a process that runs; false when it does not run any more.
bool sendSignal(const QProcess& process, int number);

/// Why standard error holds something that is not a message of the program, such as a sanitizer's report; empty when
/// every line is one.
QByteArray whyNotMessages(const QByteArray& err);

/// Parsed JSON; nothing when it is none.
std::optional<json::Value> parseJson(const QByteArray& text);
/// The value at a path of member names and list indexes, null when there is none.
const json::Value* at(const json::Value& value, const std::vector<std::string>& path);
/// The string there, empty when there is none.
std::string stringAt(const json::Value& value, const std::vector<std::string>& path);
/// The number there, -1 when there is none.
int64_t numberAt(const json::Value& value, const std::vector<std::string>& path);
/// Members of the list there, none when there is no list.
const json::Value::Array& listAt(const json::Value& value, const std::vector<std::string>& path);

} // namespace blobscope::test
