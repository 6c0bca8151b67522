#pragma once

#include <QTest>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/// Several test classes in one program: each file ends with BLOBSCOPE_TEST(Class) and `#include "test_x.moc"`. Without
/// arguments all classes run; results go to the folder named by BLOBSCOPE_RESULTS, as one JUnit file per class.
namespace blobscope::test {

struct TestClass {
  const char* name;
  std::function<std::unique_ptr<QObject>()> make;
};
std::vector<TestClass>& testClasses();

struct Registration {
  Registration(const char* name, std::function<std::unique_ptr<QObject>()> make) {
    testClasses().push_back({name, std::move(make)});
  }
};

} // namespace blobscope::test

#define BLOBSCOPE_TEST(Class)                                                                                          \
  static const blobscope::test::Registration registration##Class(#Class, [] { return std::make_unique<Class>(); })
