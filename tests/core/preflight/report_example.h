#pragma once

#include "core/preflight/folder.h"

#include <string>
#include <utility>

namespace blobscope::test {

/// The outcome for a runtime on which nothing is missing.
inline preflight::Outcome goodOutcome(std::string runtime) {
  preflight::Outcome outcome;
  outcome.product = outcome.runtime = std::move(runtime);
  outcome.verdict = preflight::Verdict::Loads;
  return outcome;
}

/// The outcome for a runtime that fails at a step.
inline preflight::Outcome failedOutcome(std::string runtime, preflight::Step step, std::string sentence,
                                        std::string printed = {}) {
  preflight::Outcome outcome = goodOutcome(std::move(runtime));
  outcome.verdict = step > preflight::Step::Machine ? preflight::Verdict::Loads : preflight::Verdict::Fails;
  outcome.step = step;
  preflight::Missing missing;
  missing.rule = step > preflight::Step::Machine ? check::Rule::PreArguments : check::Rule::PreLoader;
  missing.kind = step > preflight::Step::Machine ? "arguments" : "loader";
  missing.name = "vm.builtin.create";
  missing.step = step;
  missing.sentence = std::move(sentence);
  missing.printed = std::move(printed);
  missing.fix = "use v0.19.0";
  missing.ref = Ref::moduleAt("", 0);
  missing.affected = {"create_cache"};
  outcome.missing.push_back(std::move(missing));
  return outcome;
}

/// Three libraries, of which two fit v0.19, a file that is no library of TVM, and one that cannot be read; for v0.18,
/// v0.19 and a runtime on disk.
inline preflight::FilesReport filesExample() {
  using namespace preflight;
  FilesReport report;
  report.title = "/data/models";
  report.targets = {"v0.18.0", "v0.19.0", "/opt/MLCChat.apk on vulkan"};
  report.fitting = {1, 2};
  const auto add = [&](std::string path, uint64_t size, std::string key) -> FileOutcomes& {
    FileOutcomes& file = report.files.emplace_back();
    file.path = std::move(path);
    file.size = size;
    file.ofTvm = true;
    file.era = "B1";
    file.moduleKey = std::move(key);
    return file;
  };
  const auto app = [](Outcome outcome) {
    outcome.device = "vulkan";
    return outcome;
  };
  FileOutcomes& gemma = add("gemma.so", 3'000'000, "cuda");
  gemma.outcomes = {failedOutcome("v0.18.0", Step::Calls, "'vm.builtin.create' is called with 23 arguments",
                                  "Check failed: (args.size() == 19), \"why\""),
                    goodOutcome("v0.19.0"),
                    app(failedOutcome("/opt/MLCChat.apk", Step::Loaders, "no loader for modules of kind 'cuda'"))};
  gemma.outcomes[0].flags = {"cuda", "opencl"};
  gemma.releases = {1};
  FileOutcomes& phi = add("sub/phi.so", 250'000, "vulkan");
  phi.outcomes = {goodOutcome("v0.18.0"), goodOutcome("v0.19.0"), app(goodOutcome("/opt/MLCChat.apk"))};
  phi.releases = {0, 1};
  FileOutcomes& old = add("old.wasm", 1'000, "");
  old.outcomes = {goodOutcome("v0.18.0"), goodOutcome("v0.19.0"), app(goodOutcome("/opt/MLCChat.apk"))};
  old.outcomes[0].verdict = Verdict::LoadsWithoutModules;
  old.outcomes[0].step = Step::Carrier;
  Missing& slot = old.outcomes[1].missing.emplace_back();
  slot.rule = check::Rule::PreSlot;
  slot.kind = "slot";
  slot.name = "__A";
  slot.step = Step::Slots;
  slot.crashes = true;
  slot.sentence = "v0.19.0 does not fill the slot '__A'";
  old.outcomes[1].step = Step::Slots;
  old.outcomes[2].verdict = Verdict::Unknown;
  Missing& function = old.outcomes[2].missing.emplace_back();
  function.rule = check::Rule::PreFunction;
  function.kind = "function";
  function.name = "=cmd";
  function.step = Step::Machine;
  function.certain = false;
  function.sentence = "the runtime may have no function '=cmd'";
  FileOutcomes& other = add("zlib.so", 90'000, "");
  other.ofTvm = false;
  other.era.clear();
  other.outcomes = {goodOutcome("v0.18.0"), goodOutcome("v0.19.0"), app(goodOutcome("/opt/MLCChat.apk"))};
  FileOutcomes& damaged = add("=cut.so", 12, "");
  damaged.ofTvm = false;
  damaged.era.clear();
  damaged.error = "the file ends after 12 bytes";
  return report;
}

} // namespace blobscope::test
