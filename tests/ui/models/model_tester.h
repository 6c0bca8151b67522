#pragma once

#include <QAbstractItemModelTester>

namespace blobscope::test {

/// A model that breaks the rules of Qt ends the program.
constexpr auto kFatal = QAbstractItemModelTester::FailureReportingMode::Fatal;

} // namespace blobscope::test
