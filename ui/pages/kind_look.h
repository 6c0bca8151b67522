#pragma once

#include "core/library/contents.h"
#include "core/view/page.h"
#include "ui/theme/theme.h"

#include <QString>

#include <optional>

namespace blobscope::ui {

/// Icon and colour of something in the contents tree.
struct KindLook {
  QString icon;
  Role role;
};
/// `moduleKey` is the type key of a module, else empty.
KindLook kindLook(library::RowKind kind, const QString& moduleKey);
/// The colour of the part of a file, the same as its row on the overview; nothing for fields.
std::optional<Role> spanRole(const view::Span& span);
/// What such a row is, in a word or two: "kernel". Empty for rows that only group others.
QString kindText(library::RowKind kind);
/// Colour of a severity's icon and words.
Role severityRole(Severity severity);
/// Help page about such nodes, empty when there is none.
QString kindTopic(library::RowKind kind, const QString& moduleKey);

} // namespace blobscope::ui
