#include "ui/window/dialogs/palette_entries.h"

#include "core/base/text.h"
#include "core/library/resolve.h"
#include "ui/models/contents_model.h"
#include "ui/pages/kind_look.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/theme/icons.h"

#include <QObject>

namespace blobscope::ui {

QVector<CommandPalette::Entry> paletteEntries(const Document::StatePtr& state, const PaletteGo& go) {
  using enum library::RowKind;
  QVector<CommandPalette::Entry> entries;
  for (std::size_t i = 0; i < state->contents.size(); ++i) {
    const library::ContentsRow& row = state->contents[i];
    const KindLook look = kindLook(row.kind, toQt(row.moduleKey));
    Ref owner = row.ref;
    owner.parts.clear();
    const bool inModule = row.ref.kind == Ref::Kind::Module;
    entries.append({contentsName(row), kindText(row.kind),
                    !row.page.empty() ? coreText(row.page)
                    : inModule        ? toQt(owner.shown())
                                      : QString(),
                    icon(look.icon, look.role),
                    [go, state, i] { go(state->contents[i].ref, toQt(state->contents[i].page)); },
                    toQt(row.ref.shown()), row.kind == Library || row.kind == Folder || row.kind == Member});
  }
  return entries;
}

QVector<CommandPalette::Entry> pageEntries(const QString& fileName, const Ref& node, const QStringList& pages,
                                           const PaletteGo& go) {
  const QString name = node == Ref::file() ? fileName : toQt(node.shown());
  QVector<CommandPalette::Entry> entries;
  for (const QString& page : pages)
    entries.append({coreText(fromQt(page)), QObject::tr("page"), plainLine(name), icon(QStringLiteral("forward")),
                    [go, node, page] { go(node, page); }});
  return entries;
}

std::optional<CommandPalette::Entry> paletteEntryOf(const library::Package& package, const QString& typed,
                                                    const PaletteGo& go) {
  const std::string text = fromQt(typed);
  const std::optional<Ref> ref = Ref::parse(parseNumber(text) ? "@" + text : text);
  if (!ref || *ref == Ref::file()) return std::nullopt;
  const QIcon sign = icon(QStringLiteral("forward"));
  const uint64_t size = package.bytes.size();
  if (ref->at && *ref->at >= size && ref->members.empty())
    return CommandPalette::Entry{
        QObject::tr("%1 is past the end of the file").arg(toQt(hexText(*ref->at))), {}, bytesText(size), sign, {}};
  if (!library::resolve(package, *ref)) return std::nullopt;
  return CommandPalette::Entry{QObject::tr("Go to %1").arg(toQt(ref->shown())),
                               ref->at ? QObject::tr("offset") : QObject::tr("reference"),
                               {},
                               sign,
                               [go, place = *ref] { go(place, {}); }};
}

} // namespace blobscope::ui
