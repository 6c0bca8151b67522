#pragma once

#include "core/base/json.h"
#include "tests/support/wait.h"

#include <QByteArray>
#include <QProcess>
#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

namespace blobscope::test {

/// The program under test: the built one, or the one named by BLOBSCOPE_CLI.
QString cliProgram();
/// Whether it was built with sanitizers, which make each start several times slower.
bool cliIsSanitized();
/// The environment of all runs: colours are neither requested nor forbidden, and a finding of a sanitizer ends in a
/// signal, not in an exit code that the program uses.
QProcessEnvironment cliEnvironment();

/// How a run ended.
struct Outcome {
  bool finished = false; ///< before the limit
  bool crashed = false;  ///< by a signal
  int exit = -1;
  QByteArray out, err;

  /// The exit code in words, or "killed by a signal" or "did not end".
  QByteArray ending() const;
  /// Everything above, for the message of a failed comparison.
  QByteArray text() const;
};

/// Prepares a run of the program in `folder`.
void prepare(QProcess& process, const QString& folder, const QStringList& arguments);
/// Runs it to its end. Any thread.
Outcome runCli(const QString& folder, const QStringList& arguments, int limitMs = kWaitMs);
/// Runs `script` with sh; the program is `$0`.
Outcome runShell(const QString& folder, const QString& script, int limitMs = kWaitMs);
/// The outcome of a process. Ends the process and its children when it does not end within the limit.
Outcome finish(QProcess& process, int limitMs = kWaitMs);
/// Sends the signal to a running process; false when it no longer runs.
bool sendSignal(const QProcess& process, int number);

/// Says why standard error contains something other than messages of the program, such as a report of a sanitizer;
/// empty when every line is a message.
QByteArray whyNotMessages(const QByteArray& err);

/// Parsed JSON; nothing when the text is not JSON.
std::optional<json::Value> parseJson(const QByteArray& text);
/// The value at a path of member names and list indexes, null when there is none.
const json::Value* at(const json::Value& value, const std::vector<std::string>& path);
/// The string at that path, empty when there is none.
std::string stringAt(const json::Value& value, const std::vector<std::string>& path);
/// The number at that path, -1 when there is none.
int64_t numberAt(const json::Value& value, const std::vector<std::string>& path);
/// The items of the list at that path, none when there is no list.
const json::Value::Array& listAt(const json::Value& value, const std::vector<std::string>& path);

} // namespace blobscope::test
