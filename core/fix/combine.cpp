#include "core/fix/combine.h"

#include "core/base/text.h"
#include "core/mlf/fixes/maker.h"

#include <algorithm>
#include <map>

namespace blobscope::fix {
namespace {

using edit::Edit;

template <class T> const T* as(const Edit& edit) { return std::get_if<T>(&edit); }

const edit::Target& targetOf(const Edit& edit) {
  static const edit::Target kNone;
  return std::visit(
      [](const auto& one) -> const edit::Target& {
        if constexpr (requires { one.target; })
          return one.target;
        else
          return kNone;
      },
      edit);
}

bool isSameEdit(const Edit& a, const Edit& b) {
  if (a.index() != b.index() || targetOf(a) != targetOf(b)) return false;
  if (const auto* const x = as<edit::SetJson>(a)) {
    const auto& y = *as<edit::SetJson>(b);
    return x->pointer == y.pointer && x->value.has_value() == y.value.has_value() &&
           (!x->value || mlf::isSame(*x->value, *y.value));
  }
  if (const auto* const x = as<edit::SetArchive>(a)) return x->form == as<edit::SetArchive>(b)->form;
  if (const auto* const x = as<edit::Rename>(a)) return x->name == as<edit::Rename>(b)->name;
  if (const auto* const x = as<edit::AddMember>(a)) return x->content.bytes == as<edit::AddMember>(b)->content.bytes;
  return as<edit::Remove>(a) != nullptr;
}

bool isIn(std::string_view pointer, std::string_view around) {
  return pointer.starts_with(around) && (pointer.size() == around.size() || pointer[around.size()] == '/');
}

/// Whether both edits may be applied, in the order of take().
bool goTogether(const Edit& a, const Edit& b) {
  if (as<edit::SetArchive>(a) || as<edit::SetArchive>(b) || targetOf(a) != targetOf(b)) return true;
  const auto *const x = as<edit::SetJson>(a), *const y = as<edit::SetJson>(b);
  if (x && y) return !isIn(x->pointer, y->pointer) && !isIn(y->pointer, x->pointer);
  // A rename and a change of the content concern different things.
  const auto isContent = [](const Edit& one) { return as<edit::SetJson>(one) || as<edit::Replace>(one); };
  return (as<edit::Rename>(a) && isContent(b)) || (as<edit::Rename>(b) && isContent(a)) ||
         (as<edit::Remove>(a) && as<edit::AddMember>(b)) || (as<edit::Remove>(b) && as<edit::AddMember>(a));
}

bool overlap(const mlf::Patch& a, const mlf::Patch& b) {
  return a.file == b.file && a.offset < b.offset + std::max<uint64_t>(b.size, 1) &&
         b.offset < a.offset + std::max<uint64_t>(a.size, 1);
}
bool isSamePatch(const mlf::Patch& a, const mlf::Patch& b) {
  return a.file == b.file && a.offset == b.offset && a.size == b.size && a.bytes == b.bytes;
}

/// Whether two fixes of one batch may both change the file.
bool touches(const Edit& edit, const mlf::Patch& patch) {
  const std::string& name = targetOf(edit).ref.name;
  return !as<edit::SetArchive>(edit) && !as<edit::Rename>(edit) &&
         (name == patch.file->stored || name.starts_with(patch.file->stored + "-"));
}

/// Steps of a pointer, to compare the numbers of items as numbers.
std::vector<std::pair<uint64_t, std::string>> stepsOf(std::string_view pointer) {
  std::vector<std::pair<uint64_t, std::string>> steps;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::string step(pointer.substr(0, pointer.find('/')));
    steps.emplace_back(parseNumber(step).value_or(0), step);
    pointer.remove_prefix(step.size());
  }
  return steps;
}

/// 0: values that are set; 1: new items at the end of lists and new members; 2: everything else; 3: removed values, the
/// last items of a list first.
int orderOf(const Edit& edit) {
  const auto* const set = as<edit::SetJson>(edit);
  if (!set) return 2;
  return !set->value ? 3 : set->pointer.ends_with("/-") ? 1 : 0;
}

} // namespace

Batch::Fit Batch::fitOf(const Edit& one) const {
  const auto found = m_targets.find(targetOf(one).toString());
  if (found == m_targets.end()) return Fit::New;
  const OfTarget& there = found->second;
  const auto conflicts = [&](std::size_t i) { return !goTogether(one, m_edits[i]); };
  const auto* const set = as<edit::SetJson>(one);
  if (!set) {
    if (std::ranges::any_of(there.others, [&](std::size_t i) { return isSameEdit(one, m_edits[i]); })) return Fit::Same;
    return std::ranges::any_of(there.edits, conflicts) ? Fit::Conflict : Fit::New;
  }
  if (const auto same = there.pointers.find(set->pointer); same != there.pointers.end())
    return isSameEdit(one, m_edits[same->second]) ? Fit::Same : Fit::Conflict;
  // Values around this one, and in it.
  const std::string_view pointer = set->pointer;
  if (there.pointers.contains(std::string_view())) return Fit::Conflict;
  for (std::size_t slash = pointer.find('/', 1); slash != std::string_view::npos; slash = pointer.find('/', slash + 1))
    if (there.pointers.contains(pointer.substr(0, slash))) return Fit::Conflict;
  const std::string inner = set->pointer + "/";
  if (const auto after = there.pointers.lower_bound(inner);
      after != there.pointers.end() && after->first.starts_with(inner))
    return Fit::Conflict;
  return std::ranges::any_of(there.others, conflicts) ? Fit::Conflict : Fit::New;
}

void Batch::append(const Edit& one) {
  OfTarget& target = m_targets[targetOf(one).toString()];
  target.edits.push_back(m_edits.size());
  if (const auto* const set = as<edit::SetJson>(one))
    target.pointers.try_emplace(set->pointer, m_edits.size());
  else
    target.others.push_back(m_edits.size());
  m_edits.push_back(one);
}

bool Batch::add(const mlf::Fix& fix) {
  std::vector<Edit> edits;
  for (const Edit& one : fix.edits) {
    const Fit fit = fitOf(one);
    if (fit == Fit::Same) continue;
    if (fit == Fit::Conflict ||
        std::any_of(m_patches.begin(), m_patches.end(), [&](const mlf::Patch& there) { return touches(one, there); }))
      return false;
    edits.push_back(one);
  }
  std::vector<mlf::Patch> patches;
  for (const mlf::Patch& one : fix.patches) {
    if (std::any_of(m_patches.begin(), m_patches.end(),
                    [&](const mlf::Patch& there) { return isSamePatch(one, there); }))
      continue;
    if (std::any_of(m_patches.begin(), m_patches.end(), [&](const mlf::Patch& there) { return overlap(one, there); }) ||
        std::any_of(m_edits.begin(), m_edits.end(), [&](const Edit& there) { return touches(there, one); }))
      return false;
    patches.push_back(one);
  }
  for (const Edit& one : edits) append(one);
  m_patches.insert(m_patches.end(), patches.begin(), patches.end());
  return true;
}

std::vector<Edit> Batch::take(const mlf::FixContext& context) {
  std::map<const mlf::File*, std::vector<const mlf::Patch*>> byFile;
  for (const mlf::Patch& patch : m_patches) byFile[patch.file].push_back(&patch);
  for (auto& [file, patches] : byFile) {
    std::sort(patches.begin(), patches.end(), [](const auto* a, const auto* b) { return a->offset < b->offset; });
    const std::string_view old = file->bytes.view();
    std::string text;
    uint64_t at = 0;
    for (const mlf::Patch* const patch : patches) {
      text += old.substr(at, patch->offset - at);
      text += patch->bytes;
      at = patch->offset + patch->size;
    }
    text += old.substr(at);
    m_edits.push_back(edit::Replace{context.memberTarget(file->stored), {{}, Bytes::copyOf(text)}});
  }
  // Each fix with a removal and a set of one object, a new name for a key, works in either order.
  std::stable_sort(m_edits.begin(), m_edits.end(), [](const Edit& a, const Edit& b) {
    const int x = orderOf(a), y = orderOf(b);
    if (x != y || x != 3) return x < y;
    return stepsOf(as<edit::SetJson>(a)->pointer) > stepsOf(as<edit::SetJson>(b)->pointer);
  });
  m_patches.clear();
  m_targets.clear();
  return std::move(m_edits);
}

} // namespace blobscope::fix
