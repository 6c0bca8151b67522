#include "app/cli/repacking.h"

#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/check/rule.h"
#include "core/compile/grow.h"
#include "core/edit/archive/member_names.h"
#include "core/edit/edit_json.h"
#include "core/edit/images.h"
#include "core/edit/rules.h"
#include "core/fix/fixes.h"
#include "core/fix/upgrade.h"
#include "core/mlf/fixes/fix.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>
#include <optional>
#include <variant>

namespace blobscope::cli {
namespace {

/// Parses `REF=VALUE`: "=" in a ref is always escaped, so the first one ends it. `form`: "--rename needs REF=NAME".
/// Error: USAGE. An empty name is reported with the part that it is for.
Result<std::pair<std::string, std::string>> splitAssignment(const std::string& text, const std::string& form,
                                                            bool mayBeEmpty) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || (!mayBeEmpty && equals + 1 == text.size()))
    return Error(DiagnosticId::Usage, {{"what", form + ", not '" + escaped(text) + "'"}});
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

const std::string kImagesForm = "--images needs REF=keep:LIST, REF=drop:LIST, REF=add:FILE or REF=compile:LIST";

/// Returns the edits for `what`, such as "keep:sm_90,ptx", in the fat binaries that `place` names.
Result<std::vector<edit::Edit>> imageEdits(const library::PackagePtr& package, const std::string& place,
                                           const std::string& what, Monitor& monitor) {
  const auto ref = place == "file" ? Ref::file() : Ref::parse(place);
  if (!ref) return Error(DiagnosticId::RefSyntax, {arg("ref", place)});
  const std::size_t colon = what.find(':');
  const std::string operation = what.substr(0, colon), list = colon == std::string::npos ? "" : what.substr(colon + 1);
  if (list.empty() || (operation != "keep" && operation != "drop" && operation != "add" && operation != "compile"))
    return Error(DiagnosticId::Usage, {{"what", kImagesForm}});
  BLOBSCOPE_TRY(binaries, edit::fatBinariesOf(package, *ref, monitor));
  if (operation == "add") {
    if (binaries.size() > 1)
      return Error(DiagnosticId::Usage, {{"what", "an image can only be added to one module; name it"}});
    const edit::FatBinary& binary = binaries.front();
    const Ref added = binary.module.part(PartKind::Entry, std::to_string(binary.images.size()));
    edit::Content content{pathText(std::filesystem::absolute(pathFrom(list))), {}};
    return std::vector<edit::Edit>{edit::AddFunction{{added, {}}, std::move(content), {}}};
  }
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    if (end == begin) return Error(DiagnosticId::Usage, {{"what", "the list of images has an empty item"}});
    words.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  if (operation == "compile") {
    std::vector<edit::Edit> edits;
    for (const edit::FatBinary& binary : binaries) {
      BLOBSCOPE_TRY(added, compile::growFatBinary(package, binary, words, {}, monitor));
      std::ranges::move(added, std::back_inserter(edits));
    }
    return edits;
  }
  return edit::selectImages(binaries, operation == "keep" ? edit::Selection::Keep : edit::Selection::Drop, words);
}

class RepackCommand final : public RepackingCommand {
public:
  std::string_view name() const override { return "repack"; }
  std::string_view summary() const override {
    return "Write the library or archive with edits; without edits, the output is identical to the input";
  }
  std::string_view example() const override { return "model.so --replace m2/field:data=code.bin -o edited.so"; }
  bool takesRef() const override { return true; }
  std::string_view findings() const override { return "a rule of --fix has no quick fix"; }
  void declare(CLI::App& app) override {
    declareFile(app);
    app.add_option("--edits", m_edits, "Apply this JSON list of edits before the options below")->type_name("FILE");
    app.add_option(
           "--replace", m_replace,
           "Replace a module, kernel, image, tensor, text, blob or member of an archive with the bytes of a file")
        ->type_name("REF=FILE")
        ->expected(1)
        ->take_all();
    app.add_option(
           "--overwrite", m_overwrite,
           "Overwrite bytes of a module by hexadecimal digits: @0x20349b=7879, or m2@0x20349b=7879; offsets are "
           "those of the file")
        ->type_name("REF=HEX")
        ->expected(1)
        ->take_all();
    app.add_option("--add", m_add, "Add a file to an archive: src/extra.c=extra.c")
        ->type_name("PATH=FILE")
        ->expected(1)
        ->take_all();
    app.add_option("--remove", m_remove,
                   "Remove a module, kernel, image or member of an archive, or a value of a JSON file in it: "
                   "metadata.json/style")
        ->type_name("REF")
        ->expected(1)
        ->take_all();
    app.add_flag("--with-orphans", m_withOrphans,
                 "With --remove: also remove the modules that only removed modules import");
    app.add_option("--rename", m_rename,
                   "Change the type key of a module, the name of a kernel or function, or the path of a member")
        ->type_name("REF=NAME")
        ->expected(1)
        ->take_all();
    app.add_option(
           "--set", m_set,
           "Set a value of a tensor (the nearest value of its type is stored): m0/const:0[5,7]=0.5; or a value of "
           "a JSON file in an archive: metadata.json/version=7")
        ->type_name("PLACE=VALUE")
        ->expected(1)
        ->take_all();
    app.add_option("--images", m_images,
                   "Keep, drop or add images: m2=keep:sm_90,ptx; file=drop:compute_80 in all modules; m2=add:FILE; "
                   "m2=compile:sm_120 makes one of PTX that is there")
        ->type_name("REF=HOW:LIST")
        ->expected(1)
        ->take_all();
    app.add_option("--fix", m_fix,
                   "Fix the findings of this rule in a Model Library Format archive, or of all rules; can be repeated")
        ->type_name("ID|all")
        ->expected(1)
        ->take_all();
    app.add_option("--upgrade", m_version,
                   "Convert a Model Library Format archive to this version of the format, newer or older")
        ->type_name("VERSION")
        ->check(oneOf({"1", "2", "3", "4", "5", "6", "7"}));
    app.add_flag("--canonical", m_canonical,
                 "Sort the members of an archive, and reset their owners, times and modes, for reproducible archives");
    declareWriting(app);
  }

  Result<Exit> run(Session& session) override {
    if (m_withOrphans && m_remove.empty() && m_edits.empty())
      return Error(DiagnosticId::Usage, {{"what", "--with-orphans needs --remove or --edits"}});
    BLOBSCOPE_TRY(package, openFile(session));
    if (const auto none = ruleWithoutFix()) {
      if (json) writeError(*none, none->message(), session);
      session.flush();
      session.complain(file, none->message());
      return kFindings;
    }
    edit::ApplyOptions options;
    options.folder = pathFrom(m_edits).parent_path();
    BLOBSCOPE_TRY(edits, collect(package, options, session));
    BLOBSCOPE_TRY(extra, addArchiveEdits(package, edits, options, session));
    return repack(package, edits, std::move(options), {pathFrom(m_edits)}, session, std::move(extra));
  }

private:
  /// Returns the rules of --fix; none for all of them.
  Result<std::vector<std::string>> rulesToFix() const {
    for (const std::string& id : m_fix) {
      if (id == "all") return std::vector<std::string>();
      const check::RuleRow* const rule = check::findRule(id);
      if (!rule) return Error(DiagnosticId::Usage, {{"what", "--fix: unknown rule '" + escaped(id) + "'"}});
    }
    return m_fix;
  }
  /// What to say of the first rule of --fix that has no quick fix; nothing when each has one.
  std::optional<Error> ruleWithoutFix() const {
    for (const std::string& id : m_fix)
      if (const check::RuleRow* const rule = check::findRule(id); rule && !mlf::hasFixes(id))
        return Error(DiagnosticId::FixNone,
                     {arg("rule", id), {"what", rule->fix.empty() ? "" : "; " + std::string(rule->fix)}});
    return std::nullopt;
  }
  /// Adds the edits of the options that are for a whole archive: they come after all others.
  Result<RepackExtra> addArchiveEdits(const library::PackagePtr& package, std::vector<edit::Edit>& edits,
                                      edit::ApplyOptions& options, Session& session) const {
    RepackExtra extra;
    const auto append = [&](std::vector<edit::Edit> more, const std::string& name) {
      for (edit::Edit& one : more) edits.push_back(std::move(one));
      options.names.resize(edits.size(), name);
    };
    if (!m_fix.empty()) {
      BLOBSCOPE_TRY(rules, rulesToFix());
      BLOBSCOPE_TRY(plan, fix::planFixes(package, edits, {rules, {}}, options, session.monitor()));
      for (fix::Mended& one : plan.mended)
        extra.mended.push_back({one.issue.rule, one.issue.message, std::move(one.sentence)});
      append(std::move(plan.edits), "--fix");
    }
    if (!m_version.empty()) {
      const auto version = static_cast<unsigned>(m_version.front() - '0');
      BLOBSCOPE_TRY(plan, fix::planVersion(package, edits, version, options, session.monitor()));
      extra.consequences = std::move(plan.consequences);
      append(std::move(plan.edits), "--upgrade");
    }
    if (m_canonical) append({edit::SetArchive{{}, edit::SetArchive::Form::Canonical}}, "--canonical");
    return extra;
  }
  /// Returns all edits, and what messages call them in `options`.
  Result<std::vector<edit::Edit>> collect(const library::PackagePtr& package, edit::ApplyOptions& options,
                                          Session& session) const {
    std::vector<edit::Edit> edits;
    if (!m_edits.empty()) {
      BLOBSCOPE_TRY(source, ByteSource::openFile(pathFrom(m_edits)));
      auto list = edit::readEdits(ByteSource::all(source));
      if (!list) return inList(list.takeError());
      if (auto checked = edit::checkFile(*list, *package, session.monitor()); !checked)
        return inList(checked.takeError());
      edits = std::move(list->edits);
      if (m_replace.empty() && m_overwrite.empty() && m_add.empty() && m_remove.empty() && m_rename.empty() &&
          m_set.empty() && m_images.empty())
        options.source = listText();
    }
    std::vector<std::string> ids;
    for (const edit::Edit& one : edits) {
      if (const auto* add = std::get_if<edit::AddModule>(&one)) ids.push_back(add->id);
      const std::string number = "edit " + std::to_string(options.names.size() + 1);
      options.names.push_back(options.source.empty() ? number + " of " + listText() : number);
    }
    /// Adds an edit of an option to the lists.
    const auto add = [&](std::string_view option, const std::string& text, const std::string& ref,
                         const auto& makeEdit) -> Result<Done> {
      const std::string name = std::string(option) + " " + escaped(text);
      auto target = edit::parseTarget(ref, ids);
      if (!target) return target.takeError().within(name);
      edits.push_back(makeEdit(std::move(*target)));
      options.names.push_back(name);
      return Done{};
    };
    for (const std::string& text : m_replace) {
      BLOBSCOPE_TRY(parts, splitAssignment(text, "--replace needs REF=FILE", false));
      // An absolute path, since relative paths in the list start at the list's folder.
      BLOBSCOPE_CHECK(add("--replace", text, parts.first, [&](edit::Target target) -> edit::Edit {
        return edit::Replace{std::move(target), {pathText(std::filesystem::absolute(pathFrom(parts.second))), {}}};
      }));
    }
    for (const std::string& text : m_overwrite) {
      const std::string form = "--overwrite needs REF=HEX, with the offset in the reference, as in @0x1000=7f45";
      BLOBSCOPE_TRY(parts, splitAssignment(text, form, false));
      const auto bytes = parseHexDigits(parts.second);
      const auto ref = Ref::parse(parts.first);
      if (!bytes || (ref && !ref->at))
        return Error(DiagnosticId::Usage, {{"what", form + ", not '" + escaped(text) + "'"}});
      BLOBSCOPE_CHECK(add("--overwrite", text, parts.first, [&](edit::Target target) -> edit::Edit {
        return edit::Replace{std::move(target), {{}, Bytes::copyOf(*bytes)}};
      }));
    }
    /// Adds an edit of a JSON file in an archive; nothing in `value` removes the value.
    const auto addJson = [&](std::string_view option, const std::string& text, const std::string& where,
                             std::optional<json::Value> value) -> Result<Done> {
      const std::string name = std::string(option) + " " + escaped(text);
      auto place = edit::parseJsonPlace(package, edits, where);
      if (!place) return place.takeError().within(name);
      edits.push_back(edit::SetJson{std::move(place->member), std::move(place->pointer), std::move(value)});
      options.names.push_back(name);
      return Done{};
    };
    for (const std::string& text : m_remove) {
      if (package->archive != library::ArchiveKind::NotTar && !Ref::parse(text)) {
        BLOBSCOPE_CHECK(addJson("--remove", text, text, std::nullopt));
        continue;
      }
      BLOBSCOPE_CHECK(add("--remove", text, text,
                          [](edit::Target target) -> edit::Edit { return edit::Remove{std::move(target)}; }));
    }
    for (const std::string& text : m_rename) {
      BLOBSCOPE_TRY(parts, splitAssignment(text, "--rename needs REF=NAME", true));
      BLOBSCOPE_CHECK(add("--rename", text, parts.first, [&](edit::Target target) -> edit::Edit {
        return edit::Rename{std::move(target), parts.second};
      }));
    }
    for (const std::string& text : m_add) {
      BLOBSCOPE_TRY(parts, splitAssignment(text, "--add needs PATH=FILE", false));
      const std::size_t inner = parts.first.rfind('!') + 1; // npos + 1 is 0
      const bool named = parts.first.compare(inner, 7, "member:") == 0;
      BLOBSCOPE_CHECK(add("--add", text, named ? parts.first : std::string(parts.first).insert(inner, "member:"),
                          [&](edit::Target target) -> edit::Edit {
                            return edit::AddMember{std::move(target),
                                                   {pathText(std::filesystem::absolute(pathFrom(parts.second))), {}},
                                                   {}};
                          }));
    }
    for (const std::string& text : m_set) {
      const std::size_t equals = text.find('='), end = equals == std::string::npos || equals == 0 ? 0 : equals - 1;
      const std::size_t open = text.rfind('[', end);
      if (equals != std::string::npos && text[end] != ']' && package->archive != library::ArchiveKind::NotTar) {
        auto value = json::parse(Bytes::copyOf(std::string_view(text).substr(equals + 1)));
        if (!value)
          return Error(DiagnosticId::Usage,
                       {{"what", "--set " + escaped(text) + ": '" + escaped(text.substr(equals + 1)) +
                                     "' is not a JSON value; a text needs quotes"}});
        // A larger integer would become a number with another value.
        if (std::holds_alternative<double>(value->data) && text.find_first_of(".eE", equals) == std::string::npos)
          return Error(DiagnosticId::Usage,
                       {{"what", "--set " + escaped(text) + ": the number does not fit into 64 bits"}});
        BLOBSCOPE_CHECK(addJson("--set", text, text.substr(0, equals), std::move(*value)));
        continue;
      }
      const auto index = equals == std::string::npos || text[end] != ']' || open == std::string::npos
                             ? std::nullopt
                             : indexOf(std::string_view(text).substr(open + 1, end - open - 1));
      if (!index)
        return Error(DiagnosticId::Usage,
                     {{"what", "--set needs REF[INDEX,…]=VALUE, or in an archive PATH/POINTER=JSON, not '" +
                                   escaped(text) + "'"}});
      BLOBSCOPE_CHECK(add("--set", text, text.substr(0, open), [&](edit::Target target) -> edit::Edit {
        return edit::SetValue{std::move(target), *index, text.substr(equals + 1)};
      }));
    }
    for (const std::string& text : m_images) {
      const std::string name = "--images " + escaped(text);
      BLOBSCOPE_TRY(parts, splitAssignment(text, kImagesForm, false));
      auto chosen = imageEdits(package, parts.first, parts.second, session.monitor());
      if (!chosen) return chosen.takeError().within(name);
      for (edit::Edit& one : *chosen) edits.push_back(std::move(one));
      options.names.resize(edits.size(), name);
    }
    if (!m_withOrphans) return edits;
    BLOBSCOPE_TRY(all, edit::withOrphans(*package, std::move(edits)));
    options.names.resize(all.size(), "--with-orphans");
    return all;
  }

  /// Reads "5, 7, 1"; an empty text is the index of a tensor without axes.
  static std::optional<std::vector<uint64_t>> indexOf(std::string_view text) {
    std::vector<uint64_t> out;
    if (text.empty()) return out;
    for (;;) {
      const std::size_t comma = text.find(',');
      std::string_view part = text.substr(0, comma);
      while (part.starts_with(' ')) part.remove_prefix(1);
      const auto number = parseNumber(part);
      if (!number) return std::nullopt;
      out.push_back(*number);
      if (comma == std::string_view::npos) return out;
      text.remove_prefix(comma + 1);
    }
  }
  std::string listText() const { return "'" + shownPath(m_edits) + "'"; }
  /// The error with the path of the edit list in front.
  Error inList(Error error) const { return std::move(error).within(listText()); }

  std::string m_edits;
  std::vector<std::string> m_replace, m_overwrite, m_add, m_remove, m_rename, m_set, m_images, m_fix;
  std::string m_version;
  bool m_withOrphans = false, m_canonical = false;
};

} // namespace

std::unique_ptr<Command> makeRepack() { return std::make_unique<RepackCommand>(); }

} // namespace blobscope::cli
