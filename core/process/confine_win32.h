#pragma once

#include "core/base/windows_win32.h"
#include "core/process/confine.h"

/// Job objects, which limit programs on Windows; only for sources of this folder and of the runner that belong to
/// Windows.
namespace blobscope::process {

/// A job whose processes do not report a crash with a dialog box. With `endsWithHandle` they all end when the last
/// handle of the job is closed. `held`: the layers of the confinement that the job applies. Null with the last error.
windows::Handle makeJob(const Confinement* confinement, bool endsWithHandle, Layers& held);

} // namespace blobscope::process
