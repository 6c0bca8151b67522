#include "ui/session/edit_list.h"

#include "core/base/text.h"
#include "core/edit/archive/member_names.h"
#include "core/edit/overwrite.h"
#include "core/library/resolve.h"

#include <algorithm>

namespace blobscope::ui::editlist {
namespace {

using edit::AddModule;
using edit::Edit;
using edit::Relink;
using edit::Remove;
using edit::Rename;
using edit::Replace;
using edit::SetField;
using edit::Target;

const std::string* fieldPath(const Target& target) {
  return target.ref.parts.size() == 1 && target.ref.parts.front().kind == PartKind::Field
             ? &target.ref.parts.front().name
             : nullptr;
}

bool sameModule(const Target& a, const Target& b) {
  Target first = a, second = b;
  first.ref.parts.clear();
  second.ref.parts.clear();
  return first == second;
}

/// Returns the name of the target in the file as opened.
std::string openedName(const Target& target) {
  return target.ref.parts.empty() ? std::string() : target.ref.parts.front().name;
}

/// Whether `path` names something inside `above`: "fmap[0].key" in "fmap[0]".
bool isBelow(std::string_view path, std::string_view above) {
  return path.size() > above.size() && path.starts_with(above) &&
         (path[above.size()] == '.' || path[above.size()] == '[');
}

/// Merges the item into the earlier edit that sets its whole list; returns false when there is none.
bool setItem(std::vector<Edit>& list, const SetField& item) {
  const std::string* const path = fieldPath(item.target);
  if (!path || !path->ends_with(']')) return false;
  const std::size_t bracket = path->rfind('[');
  const auto number = parseNumber(std::string_view(*path).substr(bracket + 1, path->size() - bracket - 2));
  for (Edit& earlier : list) {
    auto* const set = std::get_if<SetField>(&earlier);
    const std::string* const above = set && sameModule(set->target, item.target) ? fieldPath(set->target) : nullptr;
    if (!above || *above != std::string_view(*path).substr(0, bracket) || !number) continue;
    auto* const items = std::get_if<json::Value::Array>(&set->value.data);
    if (!items || *number >= items->size()) continue;
    (*items)[static_cast<std::size_t>(*number)] = item.value;
    return true;
  }
  return false;
}

/// Removes an added module from the list; returns false when other edits name it as a parent.
bool dropAddedModule(std::vector<Edit>& list, const std::string& id) {
  for (const Edit& edit : list)
    if (const auto* const add = std::get_if<AddModule>(&edit);
        add && std::find(add->parents.begin(), add->parents.end(), id) != add->parents.end())
      return false;
  std::erase_if(list, [&](const Edit& edit) { return targetOf(edit).id == id; });
  for (Edit& edit : list)
    if (auto* const relink = std::get_if<Relink>(&edit)) std::erase(relink->imports, id);
  return true;
}

/// Returns the number or id that identifies the module in a list of edits.
std::string originOf(const Target& target) {
  return target.id.empty() ? "m" + std::to_string(target.ref.module) : target.id;
}

const edit::EditedBlob* blobOf(const edit::Applied& applied, const Ref& ref) {
  for (const edit::EditedBlob& blob : applied.blobs)
    if (library::isIn(ref, *blob.package, blob.opened())) return &blob;
  return nullptr;
}

/// Whether the edit changes that part of that module.
bool isAbout(const Target& target, const Ref& module, const std::string& origin, const Ref::Part& part,
             std::string_view name) {
  if (target.ref.parts.size() != 1 || target.ref.parts.front().kind != part.kind ||
      target.ref.parts.front().name != name)
    return false;
  return originOf(target) == origin &&
         (!target.id.empty() || (target.ref.members == module.members && target.ref.prefix == module.prefix));
}

// --- members of archives

/// The member that an edit changes as a whole, or whose JSON it changes.
std::optional<Ref> memberOf(const Edit& edit) {
  const Target target = targetOf(edit);
  return target.id.empty() ? edit::asMember(target.ref) : std::nullopt;
}
bool sameMember(const Ref& a, const Ref& b) {
  return a.members == b.members && library::normalisedPath(a.name) == library::normalisedPath(b.name);
}
/// Whether the edit changes something inside a member.
bool isInside(const Edit& edit, const Ref& member) {
  const Target target = targetOf(edit);
  const std::vector<std::string>& around = target.ref.members;
  return target.id.empty() && around.size() > member.members.size() &&
         std::equal(member.members.begin(), member.members.end(), around.begin()) &&
         library::normalisedPath(around[member.members.size()]) == library::normalisedPath(member.name);
}

/// Adds an edit of a member or an archive. What it makes superfluous is removed.
std::vector<Edit> withMember(std::vector<Edit> list, Edit edit) {
  if (auto* const set = std::get_if<edit::SetArchive>(&edit)) {
    std::erase_if(list, [&](const Edit& other) {
      const auto* const earlier = std::get_if<edit::SetArchive>(&other);
      return earlier && earlier->form == set->form && earlier->target == set->target;
    });
    list.push_back(std::move(edit));
    return list;
  }
  const Ref member = *memberOf(edit);
  const auto isOf = [&](const Edit& other) {
    const auto named = std::holds_alternative<edit::SetArchive>(other) ? std::nullopt : memberOf(other);
    return named && sameMember(*named, member);
  };
  // The latest edit that adds a file with that path; it counts unless the path names a member of the file as well.
  const auto added = std::find_if(list.rbegin(), list.rend(), [&](const Edit& other) {
    return std::holds_alternative<edit::AddMember>(other) && isOf(other);
  });
  auto* const add = added == list.rend() ? nullptr : &std::get<edit::AddMember>(*added);
  const auto eraseChanges = [&] {
    std::erase_if(list, [&](const Edit& other) {
      return isInside(other, member) ||
             (isOf(other) && (std::holds_alternative<Replace>(other) || std::holds_alternative<edit::SetJson>(other)));
    });
  };
  if (auto* const replace = std::get_if<Replace>(&edit)) {
    if (add) {
      add->content = std::move(replace->content);
      eraseChanges();
      return list;
    }
    eraseChanges();
  } else if (const auto* const rename = std::get_if<Rename>(&edit)) {
    if (add) {
      for (Edit& other : list)
        if (isOf(other))
          std::visit(
              [&](auto& one) {
                if constexpr (requires { one.target; }) one.target.ref.name = rename->name;
              },
              other);
      return list;
    }
    std::erase_if(list, [&](const Edit& other) { return std::holds_alternative<Rename>(other) && isOf(other); });
    if (library::normalisedPath(rename->name) == library::normalisedPath(member.name)) return list;
  } else if (std::holds_alternative<Remove>(edit)) {
    const bool wasAdded = add != nullptr;
    std::erase_if(list, [&](const Edit& other) {
      return isInside(other, member) || (isOf(other) && !std::holds_alternative<Remove>(other));
    });
    if (wasAdded) return list;
  } else if (const auto* const set = std::get_if<edit::SetJson>(&edit); set && !list.empty()) {
    auto* const earlier = std::get_if<edit::SetJson>(&list.back());
    if (earlier && earlier->target == set->target && earlier->pointer == set->pointer && earlier->value && set->value) {
      *earlier = *set;
      return list;
    }
  }
  list.push_back(std::move(edit));
  return list;
}

/// Adds overwritten bytes to the latest edits of the module if they overlap or continue them. Bytes that are again as
/// in the file are no edit.
std::vector<Edit> withOverwrite(std::vector<Edit> list, Replace edit) {
  const auto isAboutModule = [&](const Edit& other) {
    Target target = targetOf(other);
    target.ref = target.ref.node();
    return sameModule(target, {edit.target.ref.node(), edit.target.id});
  };
  for (std::size_t i = list.size(); i-- > 0;) {
    if (!isAboutModule(list[i])) continue;
    const auto* const earlier = std::get_if<Replace>(&list[i]);
    if (!earlier || !edit::isOverwrite(*earlier)) break; // it decides about what came before it
    const auto joined = edit::joinOverwrites(*earlier, edit);
    if (!joined) continue;
    edit = *joined;
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
    i = list.size(); // it has grown
  }
  const bool isSame = edit.was && edit.content.file.empty() && *edit.was == edit.content.bytes;
  if (!isSame) list.push_back(std::move(edit));
  return list;
}

} // namespace

Target targetOf(const Edit& edit) {
  return std::visit(
      [](const auto& one) {
        if constexpr (requires { one.target; })
          return one.target;
        else
          return Target{{}, one.id};
      },
      edit);
}

std::vector<Edit> with(std::vector<Edit> list, Edit edit) {
  if (auto* const replace = std::get_if<Replace>(&edit); replace && edit::isOverwrite(*replace))
    return withOverwrite(std::move(list), std::move(*replace));
  if (std::holds_alternative<edit::SetArchive>(edit) || memberOf(edit))
    return withMember(std::move(list), std::move(edit));
  const Target target = targetOf(edit);
  const auto erase = [&](auto unwanted) { std::erase_if(list, unwanted); };
  if (const auto* const rename = std::get_if<Rename>(&edit)) {
    const auto earlier = std::find_if(list.begin(), list.end(), [&](const Edit& other) {
      return std::holds_alternative<Rename>(other) && targetOf(other) == target;
    });
    const bool back = !target.ref.parts.empty() && rename->name == openedName(target);
    if (earlier == list.end()) {
      if (!back) list.push_back(std::move(edit));
    } else if (back) {
      list.erase(earlier);
    } else {
      *earlier = std::move(edit);
    }
    return list;
  }
  if (const auto* const set = std::get_if<SetField>(&edit)) {
    if (setItem(list, *set)) return list;
    if (const std::string* const path = fieldPath(target))
      erase([&](const Edit& other) {
        const auto* const earlier = std::get_if<SetField>(&other);
        const std::string* const below =
            earlier && sameModule(earlier->target, target) ? fieldPath(earlier->target) : nullptr;
        return below && isBelow(*below, *path);
      });
  }
  // The new content of a tensor replaces the values that were set.
  if (std::holds_alternative<Replace>(edit))
    erase(
        [&](const Edit& other) { return std::holds_alternative<edit::SetValue>(other) && targetOf(other) == target; });
  if (std::holds_alternative<SetField>(edit) || std::holds_alternative<Replace>(edit)) {
    const auto earlier = std::find_if(list.begin(), list.end(), [&](const Edit& other) {
      return (std::holds_alternative<SetField>(other) || std::holds_alternative<Replace>(other)) &&
             targetOf(other) == target;
    });
    if (earlier == list.end())
      list.push_back(std::move(edit));
    else
      *earlier = std::move(edit);
    return list;
  }
  if (const auto* const value = std::get_if<edit::SetValue>(&edit)) {
    const auto earlier = std::find_if(list.begin(), list.end(), [&](const Edit& other) {
      const auto* const set = std::get_if<edit::SetValue>(&other);
      return set && set->target == target && set->index == value->index;
    });
    if (earlier == list.end())
      list.push_back(std::move(edit));
    else
      *earlier = std::move(edit);
    return list;
  }
  // A relink may name modules that were added since; the later import list replaces the earlier one.
  if (std::holds_alternative<Relink>(edit))
    erase([&](const Edit& other) { return std::holds_alternative<Relink>(other) && targetOf(other) == target; });
  if (std::holds_alternative<Remove>(edit)) {
    if (!target.id.empty() && target.ref.parts.empty() && dropAddedModule(list, target.id)) return list;
    erase([&](const Edit& other) {
      return (!target.ref.parts.empty() || std::holds_alternative<Rename>(other)) && targetOf(other) == target;
    });
  }
  list.push_back(std::move(edit));
  return list;
}

std::string newId(std::span<const Edit> list) {
  for (int number = 1;; ++number) {
    const std::string id = "new" + std::to_string(number);
    const bool used = std::any_of(list.begin(), list.end(), [&](const Edit& edit) {
      return std::holds_alternative<AddModule>(edit) && std::get<AddModule>(edit).id == id;
    });
    if (!used) return id;
  }
}

std::optional<Ref> follow(const Made& before, const Made& after, const Ref& ref) {
  const Ref opened = edit::toOpenedNames(before.applied, ref);
  if (ref.kind != Ref::Kind::Module) return edit::toShownNames(after.applied, opened);
  // --- 1. Its name in the file. ---
  std::string origin = "m" + std::to_string(ref.module);
  if (const edit::EditedBlob* const blob = blobOf(before.applied, opened); blob && ref.module < blob->modules.size())
    origin = blob->modules[ref.module].origin;
  Ref out = opened;
  Ref::Part* const part = out.parts.empty() || out.parts.front().kind == PartKind::Field ? nullptr : &out.parts.front();
  if (part)
    for (const Edit& edit : before.edits) {
      const auto* const rename = std::get_if<Rename>(&edit);
      if (!rename || rename->name != part->name ||
          !isAbout(rename->target, opened, origin, *part, openedName(rename->target)))
        continue;
      part->name = openedName(rename->target);
      break;
    }

  // --- 2. The current name of that. ---
  const edit::EditedBlob* const blob = blobOf(after.applied, opened);
  if (blob && !blob->modules.empty()) {
    const auto found = std::find_if(blob->modules.begin(), blob->modules.end(),
                                    [&](const edit::EditedModule& module) { return module.origin == origin; });
    if (found == blob->modules.end()) return std::nullopt;
    out.module = static_cast<uint32_t>(found - blob->modules.begin());
  } else if (const auto number =
                 origin.starts_with('m') ? parseNumber(std::string_view(origin).substr(1)) : std::nullopt) {
    out.module = static_cast<uint32_t>(*number);
  } else {
    return std::nullopt;
  }
  if (part) {
    const std::string name = part->name;
    for (const Edit& edit : after.edits) {
      if (!isAbout(targetOf(edit), opened, origin, *part, name)) continue;
      if (std::holds_alternative<Remove>(edit)) return std::nullopt;
      if (const auto* const rename = std::get_if<Rename>(&edit)) out.parts.front().name = rename->name;
    }
  }
  return edit::toShownNames(after.applied, out);
}

std::vector<Edit> afterSave(std::vector<Edit> left, const Made& written) {
  const edit::Applied none;
  const auto moved = [&](const Target& target) -> std::optional<Target> {
    if (target.id.empty()) {
      const auto ref = follow({none, {}}, written, target.ref);
      return ref ? std::optional(Target{*ref, {}}) : std::nullopt;
    }
    // A module that was written now has a number.
    for (const edit::EditedBlob& blob : written.applied.blobs)
      for (std::size_t i = 0; i < blob.modules.size(); ++i)
        if (blob.modules[i].origin == target.id) {
          Target out{blob.opened().moduleRef(static_cast<uint32_t>(i)), {}};
          out.ref.parts = target.ref.parts;
          return out;
        }
    return target;
  };
  const auto movedNames = [&](std::vector<std::string>& names) {
    std::erase_if(names, [&](std::string& name) {
      const auto ref = Ref::parse(name);
      const auto now = moved(ref ? Target{*ref, {}} : Target{Ref::moduleAt({}, 0), name});
      if (now) name = now->toString();
      return !now;
    });
  };
  std::erase_if(left, [&](Edit& edit) {
    if (auto* const add = std::get_if<AddModule>(&edit)) {
      movedNames(add->parents);
      return add->parents.empty();
    }
    const auto now = moved(targetOf(edit));
    if (!now) return true;
    std::visit(
        [&](auto& one) {
          if constexpr (requires { one.target; }) one.target = *now;
        },
        edit);
    if (auto* const relink = std::get_if<Relink>(&edit)) movedNames(relink->imports);
    return false;
  });
  return left;
}

} // namespace blobscope::ui::editlist
