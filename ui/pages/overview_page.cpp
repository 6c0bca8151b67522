#include "ui/pages/overview_page.h"

#include "core/base/text.h"
#include "core/view/page_id.h"
#include "ui/models/contents_model.h"
#include "ui/pages/help_pages.h"
#include "ui/pages/kind_look.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/text/severity_text.h"
#include "ui/theme/icons.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/scroll_area.h"
#include "ui/widgets/severity_role.h"

#include <QBoxLayout>
#include <QClipboard>
#include <QFileInfo>
#include <QFrame>
#include <QGridLayout>
#include <QGuiApplication>
#include <QLabel>
#include <QPainter>

#include <array>

namespace blobscope::ui {
namespace {

/// Modules and members have names from the file.
QString partName(const library::Overview::Part& part) {
  using enum library::RowKind;
  return part.kind == Module || part.kind == Member ? toQt(part.name) : coreText(part.name);
}
Role partRole(const library::Overview::Part& part) { return kindLook(part.kind, toQt(part.moduleKey)).role; }

/// The parts to scale in one bar, in the colours of the table below it.
class SizeBar : public QWidget {
  Q_DECLARE_TR_FUNCTIONS(blobscope::ui::SizeBar)
public:
  SizeBar(std::vector<library::Overview::Part> parts, QWidget* parent) : QWidget(parent), m_parts(std::move(parts)) {
    setFixedHeight(20);
    QStringList sizes;
    for (const auto& part : m_parts) sizes << tr("%1 %2").arg(partName(part), bytesText(part.bytes));
    setAccessibleName(plainLine(tr("Sizes: %1").arg(sizes.join(QStringLiteral(", ")))));
  }

protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    uint64_t total = 0;
    for (const auto& part : m_parts) total += part.bytes;
    if (total == 0) return;
    double at = 0;
    for (const auto& part : m_parts) {
      const double size = static_cast<double>(part.bytes) / static_cast<double>(total) * width();
      painter.fillRect(QRectF(at, 0, qMax(size - 1, 1.0), height()), theme().color(partRole(part)));
      at += size;
    }
  }

private:
  std::vector<library::Overview::Part> m_parts;
};

/// A small bar next to a share.
class ShareBar : public QWidget {
public:
  ShareBar(double share, Role role, QWidget* parent) : QWidget(parent), m_share(share), m_role(role) {
    setFixedSize(44, 18);
  }

protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme().color(Role::Header));
    painter.drawRoundedRect(QRectF(0, 7, width(), 5), 2, 2);
    painter.setBrush(theme().color(m_role));
    painter.drawRoundedRect(QRectF(0, 7, qMax(2.0, width() * m_share), 5), 2, 2);
  }

private:
  double m_share;
  Role m_role;
};

/// Returns all blobs, for an archive those in its members.
std::vector<std::shared_ptr<const library::Blob>> blobsOf(const library::PackagePtr& package) {
  std::vector<std::shared_ptr<const library::Blob>> blobs;
  library::forEachPackage(package, [&](const library::PackagePtr& inner) {
    blobs.insert(blobs.end(), inner->blobs.begin(), inner->blobs.end());
  });
  return blobs;
}

} // namespace

OverviewPage::OverviewPage(Document::StatePtr state, bool executed, QWidget* parent)
    : PageWidget(parent), m_state(std::move(state)), m_executed(executed) {
  auto* const outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  auto* const scroll = new ScrollArea(this);
  scroll->setAccessibleName(tr("Overview"));
  scroll->viewport()->setBackgroundRole(QPalette::Base);
  scroll->viewport()->setAutoFillBackground(true);
  outer->addWidget(scroll);
  auto* const content = new QWidget;
  content->setBackgroundRole(QPalette::Base);
  content->setAutoFillBackground(true);
  auto* const layout = new QVBoxLayout(content);
  layout->setContentsMargins(24, 24, 24, 24);
  layout->setSpacing(12);
  layout->addWidget(makeHead());
  layout->addWidget(makeBanner());
  layout->addWidget(makeFacts());
  layout->addSpacing(4);
  layout->addWidget(new ThemeLabel(tr("Contents"), TextRole::Heading, Role::Text, content));
  layout->addWidget(makeParts());
  m_columns = new QWidget(content);
  auto* const columns = new QBoxLayout(QBoxLayout::LeftToRight, m_columns);
  columns->setContentsMargins(0, 8, 0, 0);
  columns->setSpacing(24);
  // The steps have a hint beside them.
  columns->addWidget(makeFindings(), 2, Qt::AlignTop);
  columns->addWidget(makeNext(), 3, Qt::AlignTop);
  layout->addWidget(m_columns);
  layout->addStretch();
  scroll->setWidget(content);
}

QWidget* OverviewPage::makeHead() {
  auto* const head = new QWidget;
  auto* const layout = new QHBoxLayout(head);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(12);
  layout->addWidget(new IconLabel(QStringLiteral("kind-library"), Role::KindContainer, 32, head), 0, Qt::AlignTop);
  auto* const words = new QVBoxLayout;
  words->setSpacing(2);
  words->addWidget(
      new ThemeLabel(QFileInfo(wholeToQt(m_state->package->path)).fileName(), TextRole::FileName, Role::Text, head));
  auto* const sentence = new ThemeLabel(toQt(m_state->overview.sentence), TextRole::Body, Role::Secondary, head);
  sentence->setWordWrap(true);
  words->addWidget(sentence);
  layout->addLayout(words, 1);
  return head;
}

QWidget* OverviewPage::makeBanner() {
  m_banner = new Banner(this);
  updateState();
  return m_banner;
}

void OverviewPage::updateState() {
  const library::Overview& overview = m_state->overview;
  const bool damaged = overview.worst == Severity::Error, warned = overview.worst == Severity::Warning;
  QVector<Banner::Action> actions;
  if (damaged || warned)
    actions.append({tr("Show the findings"),
                    [this] { Q_EMIT activated(Ref::file(), QLatin1String(view::page_id::kProblems)); }, true});
  const bool loadsNowhere = overview.ofTvm && !damaged && !warned && m_loadsNowhere;
  if (loadsNowhere)
    actions.append({tr("Show what is missing"),
                    [this] { Q_EMIT activated(Ref::file(), QLatin1String(view::page_id::kPreflight)); }, true});
  actions.append({tr("Copy report"), [this] { QGuiApplication::clipboard()->setText(report()); }, true});
  if (loadsNowhere) {
    m_banner->showMessage(Banner::Kind::Warning, tr("No known release of TVM loads this library with all its parts."),
                          coreText(overview.state), actions);
    return;
  }
  m_banner->showMessage(damaged                     ? Banner::Kind::Error
                        : overview.ofTvm && !warned ? Banner::Kind::Ok
                                                    : Banner::Kind::Warning,
                        coreText(overview.state), stateDetail(), actions);
}

QString OverviewPage::stateDetail() const {
  const QString detail = coreText(m_state->overview.stateDetail);
  // The message of a finding has no full stop, so no sentence can follow it.
  return !m_executed && detail.endsWith(QLatin1Char('.')) ? tr("%1 Nothing was executed.").arg(detail) : detail;
}

void OverviewPage::showExecuted() {
  m_executed = true;
  updateState();
}

QString OverviewPage::report() const {
  const library::Overview& overview = m_state->overview;
  QString text = wholeToQt(m_state->package->path) + QLatin1Char('\n') + wholeToQt(overview.sentence) +
                 QLatin1Char('\n') + coreText(overview.state) + QLatin1Char(' ') + stateDetail() +
                 QStringLiteral("\n\n");
  for (const auto& fact : overview.facts) text += coreText(fact.label) + wholeToQt(": " + fact.value + "\n");
  text += QLatin1Char('\n');
  for (const auto& part : overview.parts)
    text += tr("%1: %2").arg(partName(part), bytesText(part.bytes)) + QLatin1Char('\n');
  for (const check::Issue& issue : m_state->report->issues)
    text += wholeToQt("\n" + std::string(severityName(issue.severity)) + " " + issue.rule + " " + issue.placeText() +
                      ": " + issue.message);
  return text;
}

QWidget* OverviewPage::makeFacts() {
  auto* const card = new Panel(Role::Alternate, std::nullopt, this);
  auto* const grid = new QGridLayout(card);
  grid->setContentsMargins(14, 12, 14, 12);
  grid->setHorizontalSpacing(16);
  grid->setVerticalSpacing(6);
  int index = 0;
  for (const auto& fact : m_state->overview.facts) {
    const int row = index / 2, column = (index % 2) * 2;
    ThemeLabel* const label = fact.term.empty()
                                  ? new ThemeLabel(coreText(fact.label), TextRole::Secondary, Role::Secondary, card)
                                  : static_cast<ThemeLabel*>(new TermLabel(coreText(fact.label), toQt(fact.term),
                                                                           help::sentence(toQt(fact.term)), card));
    auto* const value = new ThemeLabel(toQt(fact.value), TextRole::Body, Role::Text, card);
    value->setWordWrap(true);
    label->setMinimumWidth(92);
    grid->addWidget(label, row, column, Qt::AlignTop);
    grid->addWidget(value, row, column + 1, Qt::AlignTop);
    ++index;
  }
  if (describe::hasPreflight(*m_state->package)) {
    const int row = (index + 1) / 2;
    auto* const label = new ThemeLabel(tr("Loads in"), TextRole::Secondary, Role::Secondary, card);
    m_loads = new ThemeLabel(tr("checking …"), TextRole::Body, Role::Text, card);
    m_loads->setWordWrap(true);
    grid->addWidget(label, row, 0, Qt::AlignTop);
    grid->addWidget(m_loads, row, 1, 1, 3, Qt::AlignTop);
  }
  grid->setColumnStretch(1, 1);
  grid->setColumnStretch(3, 1);
  return card;
}

void OverviewPage::showLoadCheck(const LoadCheck& check) {
  const LoadCheck::SummaryPtr& summary = check.summary();
  if (!m_loads || !summary) return;
  QString text = summary->fitting.empty() ? tr("no known release of TVM")
                 : summary->doubtful      ? tr("TVM %1, not certain").arg(toQt(summary->fitting))
                                          : tr("TVM %1").arg(toQt(summary->fitting));
  // The newest release is in the list, unless something is to be said about it.
  if (summary->state != view::ChecklistPage::State::Good) text += QLatin1Char('\n') + toQt(summary->newest);
  if (!check.here().isEmpty()) text += QLatin1Char('\n') + tr("This machine: %1").arg(check.here());
  m_loads->setText(text);
  m_loadsNowhere = summary->fitting.empty();
  updateState();
}

QWidget* OverviewPage::makeParts() {
  auto* const box = new QWidget(this);
  auto* const layout = new QVBoxLayout(box);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(8);
  layout->addWidget(new SizeBar(m_state->overview.parts, box));
  auto* const table = new QWidget(box);
  auto* const grid = new QGridLayout(table);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setHorizontalSpacing(12);
  grid->setVerticalSpacing(4);
  const auto head = [&](const QString& text, int column, Qt::Alignment align) {
    grid->addWidget(new ThemeLabel(text, TextRole::Secondary, Role::Secondary, table), 0, column, align);
  };
  head(tr("Part"), 1, Qt::AlignLeft);
  head(tr("Kind"), 2, Qt::AlignLeft);
  head(tr("Bytes"), 3, Qt::AlignRight);
  head(m_state->overview.partsTotal == m_state->package->bytes.size() ? tr("Share of file") : tr("Share"), 4,
       Qt::AlignRight);
  const double total = static_cast<double>(qMax<uint64_t>(1, m_state->overview.partsTotal));
  int row = 1;
  for (const library::Overview::Part& part : m_state->overview.parts) {
    const KindLook look = kindLook(part.kind, toQt(part.moduleKey));
    grid->addWidget(new IconLabel(look.icon, look.role, metrics::kIcon, table), row, 0);
    auto* const name = new LinkButton(partName(part), table);
    connect(name, &QAbstractButton::clicked, this, [this, ref = part.ref, kind = part.kind] {
      const QString page = kind == library::RowKind::HostCode  ? QLatin1String(view::page_id::kFunctions)
                           : kind == library::RowKind::Symbols ? QLatin1String(view::page_id::kSymbols)
                           : kind == library::RowKind::Member
                               ? (ref == Ref::file() ? QLatin1String(view::page_id::kMembers) : QString())
                           : ref == Ref::file() ? QLatin1String(view::page_id::kSections)
                                                : QString();
      Q_EMIT activated(ref, page);
    });
    grid->addWidget(name, row, 1, Qt::AlignLeft);
    grid->addWidget(new ThemeLabel(coreText(part.what), TextRole::Secondary, Role::Secondary, table), row, 2,
                    Qt::AlignLeft);
    grid->addWidget(new ThemeLabel(toQt(groupedText(part.bytes)), TextRole::Body, Role::Text, table), row, 3,
                    Qt::AlignRight);
    const double share = static_cast<double>(part.bytes) / total;
    auto* const cell = new QWidget(table);
    auto* const cellLayout = new QHBoxLayout(cell);
    cellLayout->setContentsMargins(0, 0, 0, 0);
    cellLayout->addStretch();
    cellLayout->addWidget(
        new ThemeLabel(QStringLiteral("%1 %").arg(share * 100, 0, 'f', 1), TextRole::Body, Role::Text, cell));
    cellLayout->addWidget(new ShareBar(share, look.role, cell));
    grid->addWidget(cell, row, 4);
    grid->setRowMinimumHeight(row, metrics::rowHeight() - 4);
    ++row;
  }
  grid->setColumnStretch(2, 1);
  layout->addWidget(table);
  return box;
}

QWidget* OverviewPage::makeFindings() {
  auto* const box = new QWidget(this);
  auto* const layout = new QGridLayout(box);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setHorizontalSpacing(8);
  layout->setVerticalSpacing(6);
  layout->addWidget(new ThemeLabel(tr("Findings"), TextRole::Heading, Role::Text, box), 0, 0, 1, 2);
  constexpr int kShown = 6;
  int row = 1;
  for (const check::Issue& issue : m_state->report->issues) { // worst first
    if (row > kShown) break;
    layout->addWidget(new IconLabel(severityIcon(issue.severity), severityRole(issue.severity), metrics::kIcon, box),
                      row, 0, Qt::AlignTop);
    auto* const text = new ThemeLabel(toQt(issue.message), TextRole::Body, Role::Text, box);
    text->setWordWrap(true);
    layout->addWidget(text, row, 1);
    ++row;
  }
  if (const std::size_t more = m_state->report->issues.size(); more > kShown) {
    auto* const all = new LinkButton(tr("Show all %n finding(s)", nullptr, pluralCount(more)), box);
    connect(all, &QAbstractButton::clicked, this,
            [this] { Q_EMIT activated(Ref::file(), QLatin1String(view::page_id::kProblems)); });
    layout->addWidget(all, row, 1, Qt::AlignLeft);
    ++row;
  }
  if (row == 1)
    layout->addWidget(new ThemeLabel(tr("There are no findings."), TextRole::Body, Role::Secondary, box), 1, 0, 1, 2);
  layout->setColumnStretch(1, 1);
  return box;
}

QWidget* OverviewPage::makeNext() {
  auto* const box = new QWidget(this);
  auto* const layout = new QGridLayout(box);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setHorizontalSpacing(8);
  layout->setVerticalSpacing(6);
  layout->addWidget(new ThemeLabel(tr("Next steps"), TextRole::Heading, Role::Text, box), 0, 0, 1, 3);
  int row = 1;
  const auto step = [&](const QString& iconName, const QString& text, const QString& detail, const Ref& ref,
                        const QString& page) {
    layout->addWidget(new IconLabel(iconName, Role::Accent, metrics::kIcon, box), row, 0);
    auto* const button = new LinkButton(text, box);
    button->setMinimumWidth(button->sizeHint().width());
    connect(button, &QAbstractButton::clicked, this, [this, ref, page] { Q_EMIT activated(ref, page); });
    layout->addWidget(button, row, 1, Qt::AlignLeft);
    auto* const words = new ThemeLabel(detail, TextRole::Secondary, Role::Secondary, box);
    words->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    words->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    layout->addWidget(words, row, 2);
    ++row;
  };
  const library::Package& package = *m_state->package;
  if (m_state->overview.worst == Severity::Error)
    step(QStringLiteral("error"), tr("Show the errors"), tr("offset, cause and size"), Ref::file(),
         QLatin1String(view::page_id::kProblems));
  const auto blobs = blobsOf(m_state->package);
  for (const auto& blob : blobs)
    for (const library::ModulePtr& module : blob->modules) {
      const auto kernels = module->body->kernels().size();
      const std::string key(module->key.view());
      if (row < 5 && (key == "relax.Executable" || key == "relax.VMExecutable" || key == "VMExecutable") &&
          module->body->decoded())
        step(QStringLiteral("kind-vm"), tr("Read the VM bytecode"), tr("functions, constants, instructions"),
             blob->moduleRef(module->index), QLatin1String(view::page_id::kFunctions));
      if (kernels == 0 || row > 6) continue;
      step(QStringLiteral("kind-kernel"),
           tr("Show the %n kernel(s) of %1", nullptr, pluralCount(kernels)).arg(nameToQt(module->key.view())),
           tr("arguments, launch parameters, code"), blob->moduleRef(module->index),
           QLatin1String(view::page_id::kFunctions));
    }
  if (package.kind() == "mlf") {
    step(QStringLiteral("kind-constants"), tr("Show the memory use"), tr("RAM and ROM compared with a budget"),
         Ref::file(), QLatin1String(view::page_id::kMemory));
    step(QStringLiteral("check"), tr("Will it fit?"), tr("RAM and flash of development boards"), Ref::file(),
         QLatin1String(view::page_id::kFit));
    step(QStringLiteral("kind-function"), tr("Show the operators"), tr("graph node, source, workspace"), Ref::file(),
         QLatin1String(view::page_id::kOperators));
    step(QStringLiteral("kind-section"), tr("Read the metadata"), tr("field by field"), Ref::file(),
         QLatin1String(view::page_id::kMetadata));
  }
  if (describe::hasPreflight(package))
    step(QStringLiteral("check"), tr("Will it load?"), tr("TVM releases, runtimes on disk, GPUs"), Ref::file(),
         QLatin1String(view::page_id::kPreflight));
  if (!package.host.functions.empty())
    step(QStringLiteral("kind-function"),
         tr("Show the %n host function(s)", nullptr, pluralCount(package.host.functions.size())),
         tr("functions that a runtime can call"), Ref::file(), QLatin1String(view::page_id::kFunctions));
  for (const auto& blob : blobs)
    if (row < 8)
      step(QStringLiteral("kind-section"), tr("Show the blob field by field"),
           tr("offset, size and value of each field"), blob->ref(), QLatin1String(view::page_id::kFields));
  layout->setColumnStretch(2, 1);
  box->setObjectName(QStringLiteral("next"));
  if (row == 1) box->hide(); // nothing follows from a file without known parts
  return box;
}

void OverviewPage::resizeEvent(QResizeEvent* event) {
  PageWidget::resizeEvent(event);
  if (auto* const columns = qobject_cast<QBoxLayout*>(m_columns->layout()))
    columns->setDirection(width() < 640 ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

} // namespace blobscope::ui
