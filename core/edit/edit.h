#pragma once

#include "core/base/bytes.h"
#include "core/base/json.h"
#include "core/base/ref.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// Changes of a library as values, which can be listed, stored as JSON and undone one by one. All refs of a list name
/// the tree as opened, independent of earlier edits; the id of an added module names it.
namespace blobscope::edit {

/// Bytes that an edit inserts.
struct Content {
  std::string file; ///< read when the edit is applied; when empty, `bytes` is used
  Bytes bytes;
};

/// What an edit changes: a ref, or something in an added module.
struct Target {
  Ref ref;        ///< for an added module, only `parts` is used
  std::string id; ///< id of an added module, else empty

  /// "m1/kernel:add", "new1".
  std::string toString() const;
  friend bool operator==(const Target&, const Target&) = default;
};

/// Replaces a module's payload (without key and ffi length word), the separate code of a kernel, an image of a fat
/// binary (`entry:N`), a tensor (`const:N`, `param:NAME`; also from .npy, whose shape and type must fit), the bytes of
/// a text or data field, the whole blob with its header, or the content of a file in an archive (`member:PATH`). With
/// an offset in the target ("m2@0x20349b",
/// "@0x20349b+2"), it overwrites bytes of a module's payload, which keeps its size; the length in the target may be
/// left out.
struct Replace {
  Target target;
  Content content;
  std::optional<Bytes> was = {}; ///< only with an offset: the edit is refused when the file has other bytes there
};
/// Adds a module. `parents`: the modules that import it ("m0", ids; "blob" for the library itself when the stream has
/// no import tree); `position` in their imports, by default the last one.
struct AddModule {
  std::string id, key;
  Content content;
  std::vector<std::string> parents;
  std::optional<uint64_t> position;
};
/// Adds a kernel: its FunctionInfo as JSON ("arg_types", "launch_param_tags", "arg_extra_tags"), and its code where
/// each kernel has separate code.
struct AddFunction {
  Target target; ///< "m1/kernel:NEW"
  std::optional<Content> content;
  json::Value info;
};
/// Adds a file to an archive. Its header copies mode, owner and time of another file of the archive.
struct AddMember {
  Target target; ///< "member:PATH", with any members around the archive: "model.tar!member:PATH"
  Content content;
  /// Name of the member after which it is stored; by default, it is stored after the last member of its folder, or
  /// after all members if there is none.
  std::optional<std::string> after = {};
};
/// Removes a module, a kernel or function entry, an image of a fat binary, or a member of an archive.
struct Remove {
  Target target;
};
/// Renames the type key of a module, a kernel or function entry with all its names in the module, or a member of an
/// archive: `name` is its new path.
struct Rename {
  Target target;
  std::string name;
};
/// Sets the imports of a module, in order.
struct Relink {
  Target target;
  std::vector<std::string> imports;
};
/// Sets one field: to a number, a text, {"hex": "…"}, a type ("float16x4"), or a list of these.
struct SetField {
  Target target; ///< "m1/field:PATH"
  json::Value value;
};

/// Sets one value of a tensor; the other values stay. It applies to the tensor that an earlier Replace stores.
struct SetValue {
  Target target;               ///< "m1/const:N", "m1/param:NAME"; "param:NAME" in a parameter file
  std::vector<uint64_t> index; ///< one per axis
  std::string value;           ///< a number as text: "0.5", "nan", "true"; the nearest value of the type is stored
};

/// Sets or removes one value of a JSON file in an archive. All other text of the file stays as it is. It applies to the
/// text that earlier edits leave. A new member of an object becomes its last one; "-" is the place after the last item
/// of an array.
struct SetJson {
  Target target;                    ///< "member:metadata.json"
  std::string pointer;              ///< JSON pointer (RFC 6901); "" is the whole document
  std::optional<json::Value> value; ///< nothing removes the value, with its name
};

/// Changes how an archive stores its members. It applies to the result of all other edits of the archive.
struct SetArchive {
  enum class Form : uint8_t {
    Uncompressed, ///< stored without compression
    EndMarker,    ///< the members are followed by two blocks of zeros and padding to 10 KiB, and by nothing else
    LastCopies,   ///< of several members with one path, only the last one stays: the one that unpacking leaves
    Modes,    ///< 0755 for folders and 0644 for files where a mode has special bits or the owner cannot read the file
    Owners,   ///< every member belongs to root, with the number 0
    Canonical ///< in the order in which TVM writes them, with owner 0, time 0, and modes 0755 and 0644
  };
  Target target; ///< the file (empty ref), or an archive in it: "model.tar!"
  Form form = Form::Uncompressed;
};
/// The word for a form in edit lists: "uncompressed", "end-marker", "last-copies", "modes", "owners",
/// "canonical".
std::string_view formName(SetArchive::Form form);

/// Members of archives are named as the tree names them: by the stored path, followed by "-2", "-3" … for the second
/// and later copies of a path. The "./" in front of stored paths may be left out. A path that no member of the file
/// has, or only one that an earlier edit removes, names the member that an earlier edit adds with that path.
using Edit = std::variant<Replace, AddModule, AddFunction, Remove, Rename, Relink, SetField, SetValue, AddMember,
                          SetJson, SetArchive>;

} // namespace blobscope::edit
