#pragma once

#include "app/runner/backends/backend.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"
#include "tests/support/wait.h"

#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>

#include <cstring>
#include <initializer_list>

namespace blobscope::test {

/// The message of an error, or "fine".
template <class T> std::string messageOf(const Result<T>& result) {
  return result ? "fine" : std::string(result.error().diagnostic().idText()) + ": " + result.error().message();
}

template <class T> std::span<const std::byte> bytesOf(const std::vector<T>& values) {
  return {reinterpret_cast<const std::byte*>(values.data()), values.size() * sizeof(T)};
}
template <class T> std::span<std::byte> bytesOf(std::vector<T>& values) {
  return {reinterpret_cast<std::byte*>(values.data()), values.size() * sizeof(T)};
}

/// For finite values that fp16 represents exactly.
inline uint16_t halfBits(float value) {
  uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return (bits & 0x7fffffff) == 0 ? 0
                                  : static_cast<uint16_t>((bits >> 16 & 0x8000) | (((bits >> 23 & 0xff) - 112) << 10) |
                                                          (bits >> 13 & 0x3ff));
}

inline runner::KernelParameter pointer() { return {.isPointer = true}; }
inline runner::KernelParameter int32() { return {.bits = 32}; }
inline runner::KernelParameter int64() { return {.bits = 64}; }
inline runner::KernelParameter float32() { return {.bits = 32, .isFloat = true}; }

/// A float32 scalar as an argument of a launch.
inline uint64_t floatBits(float value) {
  uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// Sets an environment variable and removes it again.
class Environment {
public:
  Environment(const char* name, const QByteArray& value)
      : m_name(name), m_before(qgetenv(name)), m_had(qEnvironmentVariableIsSet(name)) {
    qputenv(name, value);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() { m_had ? (void)qputenv(m_name, m_before) : (void)qunsetenv(m_name); }

private:
  const char* m_name;
  QByteArray m_before;
  bool m_had;
};

/// A tensor on the device with these values; its name is empty on failure.
template <class T> runner::Buffer tensor(runner::Backend& backend, const std::vector<T>& values, const char* name) {
  auto made = backend.allocate(values.size() * sizeof(T), name);
  if (!made) {
    qWarning("%s", messageOf(made).c_str());
    return {};
  }
  const auto written = backend.write(*made, bytesOf(values));
  if (!written) qWarning("%s", messageOf(written).c_str());
  return *made;
}

template <class T> std::vector<T> valuesOf(runner::Backend& backend, const runner::Buffer& buffer) {
  std::vector<T> values(buffer.bytes / sizeof(T));
  const auto read = backend.read(buffer, bytesOf(values));
  if (!read) qWarning("%s", messageOf(read).c_str());
  return values;
}

/// Runs an installed program; returns its messages when it fails, otherwise an empty text.
inline QByteArray runTool(const QString& program, const QStringList& arguments) {
  QProcess process;
  process.setProcessChannelMode(QProcess::MergedChannels);
  process.start(program, arguments);
  if (!process.waitForFinished(kWaitMs)) return "it does not end";
  return process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0 ? QByteArray()
                                                                                 : "failed: " + process.readAll();
}

} // namespace blobscope::test
