#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"

#include <functional>
#include <vector>

namespace blobscope {

/// A part of a job. It uses the monitor that it gets, which belongs to the thread in which it runs.
using Task = std::function<Result<Done>(Monitor&)>;

/// Runs the tasks in this thread and in others, each once, beginning with the first; the longest should come first.
/// They may use the same data, but none may use what another one changes. After an error no further task begins.
/// Errors: the first one of a task; Cancelled when `monitor` asks to stop.
Result<Done> runTasks(const std::vector<Task>& tasks, Monitor& monitor);

} // namespace blobscope
