#pragma once

#include "ui/session/document.h"
#include "ui/window/dialogs/command_palette.h"

namespace blobscope::ui {

/// Shows a node or bytes, on a page (empty: the node's first page).
using PaletteGo = std::function<void(const Ref& ref, const QString& page)>;

/// Returns an entry for each row of the Contents tree.
QVector<CommandPalette::Entry> paletteEntries(const Document::StatePtr& state, const PaletteGo& go);
/// Returns an entry for each page of a node. `fileName`: the name of the file, when it is the node.
QVector<CommandPalette::Entry> pageEntries(const QString& fileName, const Ref& node, const QStringList& pages,
                                           const PaletteGo& go);
/// Returns the entry for an offset ("0x1000", "@0x1000+64", "4096") or a reference. Returns nullopt when the text is
/// neither, or when the reference names no module of the file. An offset past the end has an entry that says so.
std::optional<CommandPalette::Entry> paletteEntryOf(const library::Package& package, const QString& typed,
                                                    const PaletteGo& go);

} // namespace blobscope::ui
