#pragma once

#include "core/library/contents.h"
#include "core/view/page.h"
#include "ui/theme/theme.h"

#include <QString>

#include <optional>

namespace blobscope::ui {

/// Icon and colour of a row in the contents tree.
struct KindLook {
  QString icon;
  Role role;
};
/// `moduleKey` is the type key of a module, else empty.
KindLook kindLook(library::RowKind kind, const QString& moduleKey);
/// Returns the colour of a part of a file, the same as in its row on the Overview; nullopt for fields.
std::optional<Role> spanRole(const view::Span& span);
/// Returns the kind of the row in a word or two: "kernel". Empty for rows that only group others.
QString kindText(library::RowKind kind);
/// Returns the help page about nodes of this kind, empty when there is none.
QString kindTopic(library::RowKind kind, const QString& moduleKey);

} // namespace blobscope::ui
