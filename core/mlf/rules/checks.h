#pragma once

#include "core/base/monitor.h"
#include "core/mlf/model.h"

/// The checks, one topic per file. Each adds to `findings`, omits what follows from another finding, and never stops at
/// the first one. If the monitor requests a stop, the findings are incomplete; the caller of all checks asks the
/// monitor again.
namespace blobscope::mlf {

struct FileFacts;

/// MLF-001 to 020.
void checkContainer(const Model& model, Findings& findings, Monitor& monitor);
/// MLF-101 to 128; MLF-102 for graph files, too.
void checkMetadata(const Model& model, Findings& findings, Monitor& monitor);
/// MLF-201 to 218.
void checkMemory(const Model& model, Findings& findings, Monitor& monitor);
/// `facts`: those of the model, or empty ones.
void checkMemory(const Model& model, const FileFacts& facts, Findings& findings, Monitor& monitor);
/// MLF-301 to 311; MLF-015, MLF-017.
void checkLayout(const Model& model, Findings& findings, Monitor& monitor);
/// MLF-401 to 413.
void checkParameters(const Model& model, Findings& findings, Monitor& monitor);
/// MLF-501 to 531.
void checkGraphs(const Model& model, Findings& findings, Monitor& monitor);
/// `facts`: those of the model, so that graphs are not read a second time, or empty ones.
void checkGraphs(const Model& model, const FileFacts& facts, Findings& findings, Monitor& monitor);
/// MLF-601 to 628.
void checkAcrossFiles(const FileFacts& facts, Findings& findings, Monitor& monitor);
void checkAcrossFiles(const Model& model, Findings& findings, Monitor& monitor);

} // namespace blobscope::mlf
