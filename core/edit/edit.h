#pragma once

#include "core/base/bytes.h"
#include "core/base/json.h"
#include "core/base/ref.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// Changes of a library as values: listed, stored as JSON, taken back one by one. All refs of a list name the tree as
/// opened, whatever edits stand before them; a module that an edit adds is named by its id.
namespace blobscope::edit {

/// Bytes that an edit puts in.
struct Content {
  std::string file; ///< read when the edit is applied; empty: `bytes` are meant
  Bytes bytes;
};

/// What an edit changes: a ref, or something in an added module.
struct Target {
  Ref ref;        ///< of an added module only `parts` count
  std::string id; ///< of an added module, else empty

  /// "m1/kernel:add", "new1".
  std::string toString() const;
  friend bool operator==(const Target&, const Target&) = default;
};

/// A module's payload (without key and ffi length word), a kernel's own code, an image of a fat binary (`entry:N`), a
/// tensor (`const:N`, `param:NAME`; also from .npy, whose shape and type must fit), the bytes of a text or data field,
/// or the whole blob with its header.
struct Replace {
  Target target;
  Content content;
};
/// A new module. `parents`: who imports it ("m0", ids; "blob" for the library itself where the stream has no import
/// tree); `position` among their imports, the last one when left out.
struct AddModule {
  std::string id, key;
  Content content;
  std::vector<std::string> parents;
  std::optional<uint64_t> position;
};
/// A new kernel: its FunctionInfo as JSON ("arg_types", "launch_param_tags", "arg_extra_tags"), its code where each
/// kernel has its own.
struct AddFunction {
  Target target; ///< "m1/kernel:NEW"
  std::optional<Content> content;
  json::Value info;
};
/// A module, a kernel or function entry, an image of a fat binary.
struct Remove {
  Target target;
};
/// A module's type key, or a kernel or function entry with all that names it in the module.
struct Rename {
  Target target;
  std::string name;
};
/// The imports of a module, in order.
struct Relink {
  Target target;
  std::vector<std::string> imports;
};
/// One field: a number, a text, {"hex": "…"}, a type ("float16x4"), a list of these.
struct SetField {
  Target target; ///< "m1/field:PATH"
  json::Value value;
};

using Edit = std::variant<Replace, AddModule, AddFunction, Remove, Rename, Relink, SetField>;

} // namespace blobscope::edit
