#include "ui/window/comparing.h"

#include "core/base/path_text.h"
#include "core/edit/copy_edits.h"
#include "core/library/open.h"
#include "ui/compare/compare_view.h"
#include "ui/compare/pair_page.h"
#include "ui/compare/pair_view.h"
#include "ui/session/edit_list.h"
#include "ui/text/plain_text.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/boxes.h"
#include "ui/window/actions.h"
#include "ui/window/node_tabs.h"

#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QPointer>
#include <QTreeView>

namespace blobscope::ui {

Comparing::Comparing(Document& document, Banner& banner, NodeTabs& tabs, const Actions& actions, QWidget* window)
    : QObject(window), m_document(document), m_banner(banner), m_tabs(tabs), m_window(window) {
  connect(actions[ActionId::Compare], &QAction::triggered, this, &Comparing::askForFile);
  connect(actions[ActionId::CompareChanges], &QAction::triggered, this,
          [this] { m_document.afterEdits([this] { compareWithOpened(); }); });
  connect(&document, &Document::changedOnDisk, this, &Comparing::showChanged);
  // Runs after the window has shown the opened file.
  connect(
      &document, &Document::opened, this,
      [this] {
        if (const QString next = std::exchange(m_next, {}); !next.isEmpty()) compareWith(next);
      },
      Qt::QueuedConnection);
  connect(&document, &Document::failed, this, [this] { m_next.clear(); });
  connect(&document, &Document::cancelled, this, [this] { m_next.clear(); });
}

void Comparing::askForFile() {
  if (!m_document.state()) return;
  const QString path =
      QFileDialog::getOpenFileName(m_window, tr("Compare %1 with").arg(QFileInfo(m_document.path()).fileName()),
                                   QFileInfo(m_document.path()).path());
  if (!path.isEmpty()) compareWith(path);
}

void Comparing::compareWith(const QString& path) {
  m_document.afterEdits([this, path] { open(path, QFileInfo(path).fileName()); });
}

void Comparing::reopen(const QStringList& paths, const QString& front) {
  m_reopened = paths;
  m_reopenedFront = front;
  openNext();
}

void Comparing::openNext() {
  if (m_reopened.isEmpty()) return;
  const QString path = m_reopened.takeFirst();
  open(path, QFileInfo(path).fileName(), path == m_reopenedFront);
}

QString Comparing::otherFileOf(CompareView& view) const {
  const auto side = view.documentSide();
  if (!side) return {};
  const QString path = QFile::decodeName(view.comparison().package(*side == Side::A ? Side::B : Side::A)->path.c_str());
  return path == m_document.path() ? QString() : path;
}

bool Comparing::showRef(CompareView& view, const Ref& ref) {
  const auto side = view.documentSide();
  if (!side || !view.comparison().result()) return false;
  for (const diff::DiffNode& node : view.comparison().result()->tree.nodes)
    if ((*side == Side::A ? node.a : node.b) == ref) return view.showNode(node.a, node.b);
  return false;
}

bool Comparing::showCode(const Ref& ref, const QString& other, bool opens) {
  for (QWidget* const page : m_tabs.pages()) {
    auto* const view = qobject_cast<CompareView*>(page);
    if (!view || !view->documentSide() || otherFileOf(*view) != other) continue;
    const bool differs = showRef(*view, ref);
    if (differs || opens) m_tabs.showExisting(view);
    return differs || opens;
  }
  if (!opens || other.isEmpty()) return false;
  connect(
      this, &Comparing::shown, this,
      [this, ref](CompareView* view) {
        connect(view, &CompareView::finished, this, [view, ref] { showRef(*view, ref); }, Qt::SingleShotConnection);
      },
      Qt::SingleShotConnection);
  // In the order of the nodes: the other library is A.
  m_document.afterEdits([this, other] { open(other, QFileInfo(other).fileName(), true, true); });
  return true;
}

QStringList Comparing::otherFiles() const {
  QStringList out;
  for (QWidget* const page : m_tabs.pages())
    if (auto* const view = qobject_cast<CompareView*>(page))
      if (const QString path = otherFileOf(*view); !path.isEmpty()) out.append(path);
  return out;
}

QString Comparing::otherFileInFront() const {
  auto* const view = qobject_cast<CompareView*>(m_tabs.otherPage());
  return view ? otherFileOf(*view) : QString();
}

void Comparing::compareFiles(const QString& old, const QString& other) {
  m_next = other;
  m_document.open(QFileInfo(old).absoluteFilePath());
}

void Comparing::compareWithDisk() {
  open(m_document.path(), tr("%1 (on disk now)").arg(QFileInfo(m_document.path()).fileName()));
}

void Comparing::showChanged() {
  const QString changed = tr("%1 changed on disk.").arg(QFileInfo(m_document.path()).fileName());
  const Banner::Action reload = {tr("Reload"), [this] { m_document.reload(); }}, ignore = {tr("Ignore"), [] {}};
  // The opened bytes may no longer exist, so the new content cannot be compared with them.
  if (m_document.isUncertain())
    m_banner.showMessage(
        Banner::Kind::Warning, changed,
        tr("The file was overwritten in place, so the window may show new bytes. Reload it before you save, export or "
           "run it."),
        {reload, ignore});
  else
    m_banner.showMessage(Banner::Kind::Warning, changed,
                         tr("The window still shows the file as it was opened. Reload it to see the new content."),
                         {reload, {tr("Compare"), [this] { compareWithDisk(); }}, ignore});
}

void Comparing::compareWithOpened() {
  if (!m_document.state() || m_document.state()->edits.empty()) return;
  const QString name = QFileInfo(m_document.path()).fileName();
  show(m_document.state()->opened, tr("%1 (as opened)").arg(name), m_document.state()->package,
       tr("%1 (changed)").arg(name))
      ->setDocumentSide(Side::B);
}

void Comparing::open(const QString& path, const QString& title, bool inFront, bool isOld) {
  if (!m_document.state()) return;
  m_document.jobs().start<library::PackagePtr>(
      tag(),
      [file = pathFrom(QFile::encodeName(path).toStdString()), memory = m_document.memoryLimit()](Monitor& monitor) {
        return library::openPrivate(file, monitor, {{}, memory, {}});
      },
      [guard = QPointer<Comparing>(this), opened = m_document.path(), path, title, inFront,
       isOld](Result<library::PackagePtr> package) {
        if (!guard) return;
        if (!package) {
          guard->m_banner.showMessage(Banner::Kind::Error, tr("%1 cannot be opened.").arg(QFileInfo(path).fileName()),
                                      toQt(package.error().message()), {{tr("Close"), [] {}}},
                                      Banner::Lasts::UntilMoved);
        } else if (const auto state = guard->m_document.state(); state && guard->m_document.path() == opened) {
          const QString name = QFileInfo(opened).fileName();
          if (isOld)
            guard->show(std::move(*package), title, state->package, name, inFront)->setDocumentSide(Side::B);
          else
            guard->show(state->package, name, std::move(*package), title, inFront)->setDocumentSide(Side::A);
        }
        guard->openNext();
      });
}

CompareView* Comparing::show(library::PackagePtr a, const QString& titleA, library::PackagePtr b, const QString& titleB,
                             bool inFront) {
  auto* const view = new CompareView(m_document.jobs(), std::move(a), titleA, std::move(b), titleB);
  connect(view, &CompareView::nodeChosen, this, [this, view](Side side, const Ref& ref) {
    if (view->documentSide() == side) Q_EMIT nodeChosen(ref);
  });
  connect(view, &CompareView::copyRequested, this,
          [this, view](const std::optional<Ref>& left, const std::optional<Ref>& right) { copy(*view, left, right); });
  connect(view, &CompareView::exportRequested, this, [this, view] { askForReport(view); });
  connect(view, &CompareView::message, this, [this](const QString& text) { m_banner.showNote(text); });
  connect(view, &CompareView::reportWritten, this, [this](const QString& path) {
    m_banner.showMessage(Banner::Kind::Ok, tr("Saved %1.").arg(QFileInfo(path).fileName()), {}, {{tr("Close"), [] {}}});
  });
  connect(view, &CompareView::selectionText, this, &Comparing::selectionText);
  const QString icon = QStringLiteral("compare");
  inFront ? m_tabs.showPage(view, view->title(), icon) : m_tabs.addPage(view, view->title(), icon);
  connect(view, &CompareView::titleChanged, this, [this, view](const QString& title) { m_tabs.namePage(view, title); });
  if (inFront) view->tree().setFocus();
  Q_EMIT shown(view);
  return view;
}

void Comparing::follow() {
  if (!m_document.state()) return;
  for (CompareView* const view : m_tabs.findChildren<CompareView*>())
    if (const auto side = view->documentSide())
      if (view->comparison().package(*side) != m_document.state()->package)
        view->setPackage(*side, m_document.state()->package, view->comparison().title(*side));
}

void Comparing::copy(CompareView& view, const std::optional<Ref>& a, const std::optional<Ref>& b) {
  const auto side = view.documentSide();
  if (!side || !view.comparison().result()) return;
  const bool toA = *side == Side::A;
  m_document.editShown([here = toA ? a : b, there = toA ? b : a, toA, compared = view.comparison().result()](
                           const Document::Naming& naming) -> Result<std::vector<edit::Edit>> {
    NullMonitor monitor;
    edit::Copying copying{naming.state().package,
                          toA ? compared->b : compared->a,
                          here,
                          there,
                          {},
                          {},
                          editlist::newId(naming.state().edits)};
    copying.target = [&naming](const Ref& shown) { return naming.target(shown); };
    copying.partner = [&](const Ref& wanted) -> std::optional<Ref> {
      for (const diff::DiffNode& node : compared->tree.nodes)
        if ((toA ? node.b : node.a) == wanted) return toA ? node.a : node.b;
      return std::nullopt;
    };
    return edit::copyEdits(copying, monitor);
  });
}

PairPage* Comparing::shownPage() const {
  auto* const view = qobject_cast<CompareView*>(m_tabs.otherPage());
  return view ? view->pair().page() : nullptr;
}

void Comparing::openFind() {
  if (PairPage* const page = shownPage()) page->openFind();
}

void Comparing::findNext(bool backwards) {
  if (PairPage* const page = shownPage()) page->findNext(backwards);
}

void Comparing::askForReport(CompareView* view) {
  const QString path = QFileDialog::getSaveFileName(
      m_window, tr("Export the comparison"), QStringLiteral("comparison.html"), tr("HTML (*.html);;Markdown (*.md)"));
  if (!path.isEmpty()) view->exportReport(path);
}

} // namespace blobscope::ui
