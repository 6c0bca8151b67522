#include "tests/cli/in_process.h"

#include "tests/support/allocation_counter.h"
#include "tests/support/test_support.h"

#include <QDir>
#include <QTemporaryFile>

#include <cstdio>
#include <exception>
#include <optional>
#include <unistd.h>

/// main() of app/cli/main.cpp, compiled with this name.
int blobscopeCliMain(int argc, char** argv);

namespace blobscope::test {
namespace {

/// Redirects a descriptor to a file during its lifetime.
class Redirected {
public:
  Redirected(int descriptor, QTemporaryFile& file) : m_descriptor(descriptor), m_kept(dup(descriptor)) {
    file.open();
    file.resize(0);
    dup2(file.handle(), descriptor);
  }
  ~Redirected() {
    dup2(m_kept, m_descriptor);
    close(m_kept);
  }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;

private:
  int m_descriptor, m_kept;
};

} // namespace

Spent runInProcess(const QString& folder, const QStringList& arguments, uint64_t limitBytes) {
  std::vector<std::string> words = {"blobscope-cli"};
  for (const QString& argument : arguments) words.push_back(argument.toStdString());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);

  const QString before = QDir::currentPath();
  QDir::setCurrent(folder);
  QTemporaryFile out, err;
  Spent spent;
  QByteArray thrown;
  std::fflush(stdout);
  std::fflush(stderr);
  {
    const Redirected toOut(STDOUT_FILENO, out), toErr(STDERR_FILENO, err);
    const int64_t start = threadNs();
    const AllocationCounter counter(limitBytes);
    try {
      spent.outcome.exit = blobscopeCliMain(static_cast<int>(words.size()), pointers.data());
    } catch (const std::exception& exception) {
      spent.outcome.crashed = true;
      thrown = exception.what();
    }
    spent.peakBytes = counter.peakBytes();
    spent.totalBytes = counter.totalBytes();
    spent.refused = counter.refused();
    spent.cpuNs = threadNs() - start;
    std::fflush(stdout);
    std::fflush(stderr);
  }
  QDir::setCurrent(before);
  spent.outcome.finished = true;
  const auto textOf = [](QTemporaryFile& file) {
    file.seek(0);
    return file.readAll();
  };
  spent.outcome.out = textOf(out);
  spent.outcome.err = textOf(err);
  if (spent.outcome.crashed) spent.outcome.err += "an exception left the command line: " + thrown + '\n';
  return spent;
}

} // namespace blobscope::test
