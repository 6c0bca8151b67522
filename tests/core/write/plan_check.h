#pragma once

#include "core/base/source.h"
#include "core/write/plan.h"
#include "tests/support/builders.h"
#include "tests/support/test_support.h"

#include <QtGlobal>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Plans that are made, carried out and read back.
namespace blobscope::test {

constexpr const char* kCarrier = "__tvm_dev_mblob";

/// A blob whose one kernel has that text; any size from about 200 bytes.
inline std::string blobWith(const std::string& text) {
  return classicBlob({{"_lib", ""}, {"metal", code3("metal", {{"add"}}, text, Info::Three)}}, {{{1}, {}}});
}
inline std::string blobOf(std::size_t size, char letter = 'a') {
  const std::size_t empty = blobWith({}).size();
  return blobWith(std::string(size - empty, letter));
}

/// In three pieces, the second of which is empty, as an encoder may return it.
inline write::NewBlob newBlob(const std::string& text) {
  return {{bytes(text.substr(0, 9)), {}, bytes(text.substr(9))}, text.size()};
}

/// Of the error, or "none".
template <class T> std::string idOf(const Result<T>& result) {
  return result ? "none" : std::string(result.error().diagnostic().idText());
}

/// A file before and after.
struct Replaced {
  library::PackagePtr before, after;
  write::Plan plan;
  std::string input, output;

  /// The package at the end of the names.
  static const library::Package* at(const library::PackagePtr& package, const std::vector<std::string>& members) {
    Ref ref;
    ref.members = members;
    const auto found = library::memberIn(*package, ref);
    return found ? *found : nullptr;
  }
  bool has(DiagnosticId id) const {
    return std::any_of(plan.consequences.begin(), plan.consequences.end(),
                       [&](const Diagnostic& diagnostic) { return diagnostic.id == id; });
  }
  bool changes(std::string_view why) const {
    return std::any_of(plan.changes.begin(), plan.changes.end(),
                       [&](const write::Change& change) { return change.why == why; });
  }
};

/// Opens `file`, descends into `members`, replaces the first blob by `fresh`, ascends again, carries out the plan and
/// opens the result.
inline Result<Replaced> replaceBlob(const std::string& file, const std::vector<std::string>& members,
                                    const std::string& replacement, const write::PlanOptions& options = {},
                                    Monitor* asked = nullptr) {
  NullMonitor never;
  Monitor& monitor = asked ? *asked : never;
  Replaced made;
  made.input = file;
  BLOBSCOPE_TRY(before, openBytes(file));
  made.before = before;
  std::vector<std::pair<const library::Package*, const library::PackageMember*>> way;
  const library::Package* package = before.get();
  for (const std::string& name : members) {
    const auto found = std::find_if(package->members.begin(), package->members.end(),
                                    [&](const auto& member) { return member.name == name; });
    if (found == package->members.end() || !found->package) qFatal("no member '%s'", name.c_str());
    way.emplace_back(package, &*found);
    package = found->package.get();
  }
  if (package->blobs.empty()) qFatal("no blob");
  BLOBSCOPE_TRY(plan, write::planBlob({*package, *package->blobs.front(), newBlob(replacement), options, monitor}));
  for (auto step = way.rbegin(); step != way.rend(); ++step) {
    BLOBSCOPE_TRY(outer, write::planMember(*step->first, *step->second, std::move(plan), monitor));
    plan = std::move(outer);
  }
  BLOBSCOPE_TRY(output, write::assemble(plan, before->bytes, monitor));
  made.output = output.view();
  made.plan = std::move(plan);
  BLOBSCOPE_TRY(after, openBytes(made.output));
  made.after = after;
  return made;
}

/// Everything that is wrong with a result, empty when it is correct: sizes, order, and changes that the plan does not
/// list. The caller compares everything except members and blob.
inline std::string problemsOf(const Replaced& made, const std::vector<std::string>& members,
                              const std::string& replacement) {
  std::string text;
  const auto sum = [](const std::vector<write::PlanRange>& ranges) {
    uint64_t size = 0;
    for (const write::PlanRange& stretch : ranges) size += stretch.size;
    return size;
  };
  if (made.plan.size() != made.output.size()) text += "size of the plan; ";
  if (sum(made.plan.before) != made.input.size() || sum(made.plan.after) != made.output.size()) text += "stretches; ";
  std::vector<bool> told(made.output.size());
  uint64_t end = 0;
  for (const write::Change& change : made.plan.changes) {
    if (change.offset < end || change.size > told.size() || change.offset > told.size() - change.size ||
        change.why.empty())
      return text + "changes";
    end = change.offset + change.size;
    std::fill(told.begin() + static_cast<std::ptrdiff_t>(change.offset),
              told.begin() + static_cast<std::ptrdiff_t>(end), true);
  }
  uint64_t at = 0;
  for (const write::Part& part : made.plan.parts) {
    if (part.from == write::Part::From::Input &&
        made.output.compare(at, part.size(), made.input, part.input.offset, part.input.size) != 0)
      text += "copied bytes; ";
    for (uint64_t i = at;
         i < at + part.size() && (part.from == write::Part::From::Literal || part.from == write::Part::From::Zeros);
         ++i)
      if (!told[i]) return text + "a byte at " + std::to_string(i) + " is changed and not stated";
    at += part.size();
  }
  // Other members.
  std::vector<std::string> here;
  for (const std::string& name : members) {
    const auto *old = Replaced::at(made.before, here), *now = Replaced::at(made.after, here);
    if (!now || now->members.size() != old->members.size()) return text + "number of members";
    for (std::size_t i = 0; i < old->members.size(); ++i) {
      if (old->members[i].name != now->members[i].name) text += "names of members; ";
      if (old->members[i].name != name && !(old->members[i].stored->bytes == now->members[i].stored->bytes))
        text += "bytes of '" + old->members[i].name + "'; ";
    }
    here.push_back(name);
  }
  const auto* const inner = Replaced::at(made.after, members);
  if (!inner || inner->blobs.empty()) return text + "no blob";
  if (inner->blobs.front()->bytes.view() != replacement) text += "the blob; ";
  for (const Diagnostic& diagnostic : made.after->diagnostics)
    if (diagnostic.severity() != Severity::Note &&
        std::none_of(made.before->diagnostics.begin(), made.before->diagnostics.end(),
                     [&](const auto& old) { return old.id == diagnostic.id; }))
      text += diagnostic.message() + "; ";
  return text;
}

/// The results of planning a larger blob for copies of `file`, each with one byte from `first` on replaced by one of
/// `values`; `skip` selects bytes that stay.
struct DamagedPlans {
  int plans = 0;
  bool sound = true; ///< every output has the size of its plan, and less than 100,000 bytes
};
inline DamagedPlans planDamaged(const std::string& file, std::size_t first, std::string_view values,
                                const std::function<bool(std::size_t)>& skip) {
  NullMonitor monitor;
  DamagedPlans made;
  write::PlanOptions force;
  force.force = true;
  for (std::size_t place = first; place < file.size(); ++place) {
    if (skip(place)) continue;
    for (const char value : values) {
      if (value == file[place]) continue;
      std::string wrong = file;
      wrong[place] = value;
      const auto package = openBytes(wrong);
      if (!package) continue;
      for (const auto& blob : (*package)->blobs) {
        const auto plan = write::planBlob({**package, *blob, newBlob(blobOf(3'000, 'z')), force, monitor});
        if (!plan) continue;
        ++made.plans;
        const auto output = write::assemble(*plan, (*package)->bytes, monitor);
        made.sound = made.sound && output && output->size() == plan->size() && output->size() < 100'000;
      }
    }
  }
  return made;
}

} // namespace blobscope::test
