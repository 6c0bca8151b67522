#include "core/base/text.h"
#include "core/mlf/file_facts.h"
#include "core/mlf/machines.h"

#include <algorithm>

namespace blobscope::mlf {
namespace {

/// Returns the targets for which a file may have been made: those of its module, or all if it belongs to no module.
std::vector<std::string_view> targetsOf(const FileFacts& facts, const CodeFile& code) {
  std::vector<std::string_view> targets;
  for (const ModuleFacts& module : facts.modules)
    if (!code.owner || code.owner == module.module)
      targets.insert(targets.end(), module.module->targets.begin(), module.module->targets.end());
  return targets;
}

std::string_view withoutTrailingSpaces(std::string_view text) {
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// --- MLF-618 ---

void checkMachine(const FileFacts& facts, const CodeFile& code, Findings& findings) {
  std::string want;
  bool fits = false;
  for (const std::string_view text : targetsOf(facts, code)) {
    const Target target = parseTarget(text);
    if (target.kind != "llvm") continue;
    if (!target.why.empty()) return; // MLF-121 reports it
    const std::vector<std::string> machines = machinesOf(target);
    if (machines.empty()) return; // it may be the right machine
    for (const std::string& machine : machines) {
      fits = fits || machine == code.object->arch;
      want += (want.empty() ? "" : " or ") + machine;
    }
  }
  if (!want.empty() && !fits)
    findings.add(Rule::MlfObjectMachine, {code.file->path, {}, {}, {}},
                 {arg("file", code.file->path), arg("found", code.object->text()), arg("want", shortened(want, 200))});
}

// --- MLF-620 ---

void checkKind(const CodeFile& code, Findings& findings) {
  if (code.object->kind == ObjectFacts::Kind::Other)
    findings.add(Rule::MlfObjectKind, {code.file->path, {}, {}, {}},
                 {arg("file", code.file->path), arg("why", code.object->why)});
}

// --- MLF-624 ---

void checkTarget(const FileFacts& facts, const CodeFile& code, Findings& findings) {
  const std::vector<std::string_view> targets = targetsOf(facts, code);
  if (targets.empty()) return;
  for (const CName& comment : code.source->targets) {
    const std::string_view found = withoutTrailingSpaces(comment.text);
    if (std::any_of(targets.begin(), targets.end(),
                    [&](std::string_view target) { return withoutTrailingSpaces(target) == found; }))
      continue;
    findings.add(Rule::MlfSourceTarget, {code.file->path, {}, comment.line, {}},
                 {arg("file", code.file->path), arg("found", shortened(found, 200))});
  }
}

} // namespace

void checkObjects(const FileFacts& facts, Findings& findings, Monitor& monitor) {
  const CodeFile* first = nullptr;
  for (const CodeFile& code : facts.code) {
    if (monitor.stopRequested()) return;
    if (!code.fits) continue;
    if (code.source) checkTarget(facts, code, findings);
    if (!code.object) continue;
    checkKind(code, findings);
    if (code.object->kind != ObjectFacts::Kind::Object) continue;
    checkMachine(facts, code, findings);
    if (!first)
      first = &code;
    else if (code.object->text() != first->object->text()) // MLF-619
      findings.add(Rule::MlfObjectsDisagree, {code.file->path, {}, {}, {}},
                   {arg("a", first->file->path), arg("fa", first->object->text()), arg("b", code.file->path),
                    arg("fb", code.object->text())});
  }
}

} // namespace blobscope::mlf
