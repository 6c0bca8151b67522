#pragma once

#include "core/base/bytes.h"
#include "core/base/json.h"
#include "core/base/ref.h"

#include <cstdint>
#include <optional>
#include <string>
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
/// a text or data field, or the whole blob with its header. With an offset in the target ("m2@0x20349b",
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
/// Removes a module, a kernel or function entry, or an image of a fat binary.
struct Remove {
  Target target;
};
/// Renames the type key of a module, or a kernel or function entry with all its names in the module.
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
  Target target;               ///< "m1/const:N", "m1/param:NAME"
  std::vector<uint64_t> index; ///< one per axis
  std::string value;           ///< a number as text: "0.5", "nan", "true"; the nearest value of the type is stored
};

using Edit = std::variant<Replace, AddModule, AddFunction, Remove, Rename, Relink, SetField, SetValue>;

} // namespace blobscope::edit
