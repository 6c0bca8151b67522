#include "core/compile/grow.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/window/dialogs/grow_dialog.h"
#include "ui/window/dialogs/thin_dialog.h"
#include "ui/window/editing.h"

#include <QFileInfo>
#include <QPointer>

#include <map>

namespace blobscope::ui {
namespace {

const QString kImagesTag = QStringLiteral("edit/images");
const QString kGrowTag = QStringLiteral("compile/images");

/// The number of images that the module had when the file was opened, and those that edits add.
uint64_t countImages(const Document::State& state, const edit::Target& module, Monitor& monitor) {
  uint64_t out = 0;
  if (const auto opened = edit::fatBinariesOf(state.opened, module.ref, monitor))
    for (const edit::FatBinary& binary : *opened) out += binary.images.size();
  for (const edit::Edit& one : state.edits)
    if (const auto* const add = std::get_if<edit::AddFunction>(&one)) {
      edit::Target parent = add->target;
      if (parent.ref.partKind() != PartKind::Entry) continue;
      parent.ref.parts.clear();
      if (parent == module) ++out;
    }
  return out;
}

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

void Editing::askForArchitectures(const std::optional<Ref>& ref) {
  if (!m_document.state()) return;
  const library::PackagePtr package = m_document.state()->package;
  const Ref place = edit::thinnedPlace(*package, ref);
  m_document.jobs().start<GrowDialog::Subject>(
      kGrowTag, [package, place](Monitor& monitor) { return GrowDialog::read(package, place, monitor); },
      [guard = QPointer<Editing>(this), place](Result<GrowDialog::Subject> subject) {
        if (!guard) return;
        if (!subject) return guard->showMessage(tr("There is no PTX to compile."), toQt(subject.error().message()));
        const QString name =
            place == Ref::file() ? QFileInfo(guard->m_document.path()).fileName() : guard->nameOf(place);
        auto* const dialog = new GrowDialog(name, std::move(*subject), guard->m_window);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        connect(dialog, &QDialog::accepted, guard,
                [guard, dialog] { guard->addImages(dialog->binaries(), dialog->architectures()); });
        dialog->open();
      });
}

void Editing::addImages(const std::vector<edit::FatBinary>& binaries, const std::vector<std::string>& architectures) {
  if (!m_document.state() || architectures.empty()) return;
  using Added = std::vector<std::pair<Ref, Bytes>>; // the module and the image
  m_document.jobs().start<Added>(
      kGrowTag,
      [package = m_document.state()->package, binaries, architectures](Monitor& monitor) -> Result<Added> {
        Added out;
        for (const edit::FatBinary& binary : binaries) {
          std::vector<std::string> missing;
          for (const std::string& one : architectures)
            if (compile::canGrow(binary, one)) missing.push_back(one);
          BLOBSCOPE_TRY(edits, compile::growFatBinary(package, binary, missing, {}, monitor));
          for (edit::Edit& one : edits)
            out.emplace_back(binary.module, std::get<edit::AddFunction>(one).content->bytes);
        }
        return out;
      },
      [guard = QPointer<Editing>(this)](Result<Added> added) {
        if (!guard) return;
        if (!added) {
          if (added.error().code() != ErrorCode::Cancelled)
            guard->showMessage(tr("The PTX was not compiled."), toQt(added.error().message()));
          return;
        }
        const QString step = tr("Add %n image(s)", nullptr, pluralCount(added->size()));
        guard->m_document.editShown(
            [added = std::move(*added)](const Document::Naming& naming) -> Result<std::vector<edit::Edit>> {
              std::vector<edit::Edit> edits;
              NullMonitor monitor;
              std::map<std::string, uint64_t> numbers;
              for (const auto& [module, image] : added) {
                BLOBSCOPE_TRY(target, naming.target(module));
                const auto [number, isNew] = numbers.try_emplace(target.toString(), 0);
                if (isNew) number->second = countImages(naming.state(), target, monitor);
                target.ref = target.ref.part(PartKind::Entry, std::to_string(number->second++));
                edits.push_back(edit::AddFunction{std::move(target), edit::Content{{}, image}, {}});
              }
              return edits;
            },
            step);
      });
}

} // namespace blobscope::ui
