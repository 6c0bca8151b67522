#pragma once

#include <QString>

#include <functional>

class QWidget;

namespace blobscope::ui {

/// Asks for a TVM runtime on disk: a file, or a folder such as a Python environment. Calls `chosen` with its path.
void askForRuntimeFile(QWidget* parent, const std::function<void(const QString&)>& chosen);
void askForRuntimeFolder(QWidget* parent, const std::function<void(const QString&)>& chosen);

} // namespace blobscope::ui
