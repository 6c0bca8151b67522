#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/window/dialogs/thin_dialog.h"
#include "ui/window/editing.h"

#include <QFileInfo>
#include <QPointer>

namespace blobscope::ui {
namespace {

const QString kImagesTag = QStringLiteral("edit/images");

} // namespace

void Editing::askForImages(const std::optional<Ref>& ref) {
  if (!m_document.state()) return;
  const library::PackagePtr package = m_document.state()->package;
  const Ref place = edit::thinnedPlace(*package, ref);
  m_document.jobs().start<ThinDialog::Subject>(
      kImagesTag, [package, place](Monitor& monitor) { return ThinDialog::read(package, place, monitor); },
      [guard = QPointer<Editing>(this), place](Result<ThinDialog::Subject> subject) {
        if (!guard) return;
        if (!subject) return guard->showMessage(tr("There are no images to remove."), toQt(subject.error().message()));
        const QString name =
            place == Ref::file() ? QFileInfo(guard->m_document.path()).fileName() : guard->nameOf(place);
        auto* const dialog = new ThinDialog(name, std::move(*subject), guard->m_window);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        connect(dialog, &QDialog::accepted, guard, [guard, dialog] { guard->removeImages(dialog->removed()); });
        dialog->open();
      });
}

void Editing::removeImages(const std::vector<Ref>& images) {
  if (images.empty()) return;
  m_document.editShown(
      [images](const Document::Naming& naming) -> Result<std::vector<edit::Edit>> {
        std::vector<edit::Edit> edits;
        for (const Ref& image : images) {
          BLOBSCOPE_TRY(target, naming.target(image));
          edits.push_back(edit::Remove{std::move(target)});
        }
        return edits;
      },
      tr("Remove %n image(s)", nullptr, pluralCount(images.size())));
}

} // namespace blobscope::ui
