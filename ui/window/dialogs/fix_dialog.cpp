#include "ui/window/dialogs/fix_dialog.h"

#include "core/base/text.h"
#include "ui/compare/compare_view.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/theme/theme.h"
#include "ui/widgets/labels.h"
#include "ui/window/dialogs/repack_plan.h"

#include <QButtonGroup>
#include <QDialogButtonBox>
#include <QFileInfo>
#include <QListView>
#include <QPointer>
#include <QPushButton>
#include <QRadioButton>
#include <QScreen>
#include <QStringListModel>
#include <QVBoxLayout>

#include <algorithm>

namespace blobscope::ui {
namespace {

const QString kFixTag = QStringLiteral("fix");
constexpr QSize kFixSize = {1060, 680};
constexpr int kLinesShown = 5, kScopeGap = 20;
constexpr qsizetype kLines = 2'000; ///< at most this many sentences are listed

/// Returns the number of findings with a quick fix, of one rule or of all.
std::size_t mendableCount(const check::Report& report, const std::string* rule) {
  return static_cast<std::size_t>(std::ranges::count_if(
      report.issues, [&](const check::Issue& one) { return !one.quickFix.empty() && (!rule || one.rule == *rule); }));
}

} // namespace

FixDialog::FixDialog(Document& document, const std::optional<check::Issue>& issue, QWidget* parent)
    : QDialog(parent), m_document(document), m_state(document.state()), m_issue(issue),
      m_scope(issue ? Scope::Finding : Scope::All), m_scopes(new QButtonGroup(this)),
      m_lines(new QStringListModel(this)), m_list(new QListView(this)), m_previewBox(new QVBoxLayout),
      m_title(new ThemeLabel(tr("Quick fix"), TextRole::Heading, Role::Text, this)),
      m_rest(new ThemeLabel({}, TextRole::Secondary, Role::Secondary, this)) {
  setWindowTitle(tr("Quick fix"));
  setProperty("helpTopic", QStringLiteral("problems"));
  resize(kFixSize.boundedTo(screen()->availableSize()));
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(metrics::kDialogMargin, 16, metrics::kDialogMargin, 16);
  layout->setSpacing(8);
  m_title->setWordWrap(true);
  layout->addWidget(m_title);
  addScopes(*layout);
  m_list->setModel(m_lines);
  m_list->setAccessibleName(tr("What is changed"));
  m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_list->setSelectionMode(QAbstractItemView::ExtendedSelection);
  m_list->setUniformItemSizes(true);
  layout->addWidget(m_list);
  layout->addLayout(m_previewBox, 1);
  m_rest->setWordWrap(true);
  auto* const bottom = new QHBoxLayout;
  bottom->addWidget(m_rest, 1);
  auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  m_apply = buttons->addButton(tr("&Apply"), QDialogButtonBox::AcceptRole);
  m_apply->setAccessibleName(tr("Apply"));
  m_apply->setDefault(true);
  connect(buttons, &QDialogButtonBox::accepted, this, &FixDialog::apply);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  bottom->addWidget(buttons);
  layout->addLayout(bottom);
  computePlan();
}

FixDialog::~FixDialog() { m_document.jobs().cancel(kFixTag); }

void FixDialog::addScopes(QVBoxLayout& layout) {
  auto* const row = new QHBoxLayout;
  row->setSpacing(kScopeGap);
  layout.addLayout(row);
  const auto add = [&](Scope scope, const QString& words) {
    auto* const button = new QRadioButton(words, this);
    m_scopes->addButton(button, static_cast<int>(scope));
    row->addWidget(button);
  };
  const std::size_t all = mendableCount(*m_state->report, nullptr);
  if (!m_issue) return;
  const std::size_t same = mendableCount(*m_state->report, &m_issue->rule);
  add(Scope::Finding, tr("&This finding"));
  if (same > 1)
    add(Scope::Rule, tr("All %n finding(s) of the &rule %1", nullptr, pluralCount(same)).arg(toQt(m_issue->rule)));
  if (all > same) add(Scope::All, tr("All %n finding(s) with a &quick fix", nullptr, pluralCount(all)));
  row->addStretch();
  m_scopes->button(static_cast<int>(Scope::Finding))->setChecked(true);
  for (QAbstractButton* const button : m_scopes->buttons()) button->setVisible(all > 1);
  connect(m_scopes, &QButtonGroup::idToggled, this, [this](int id, bool checked) {
    if (checked) setScope(static_cast<Scope>(id));
  });
}

void FixDialog::setScope(Scope scope) {
  if (m_scope == scope) return;
  m_scope = scope;
  if (QAbstractButton* const button = m_scopes->button(static_cast<int>(scope))) button->setChecked(true);
  computePlan();
}

QStringList FixDialog::sentences() const { return m_lines->stringList(); }

void FixDialog::computePlan() {
  m_plan.reset();
  m_apply->setEnabled(false);
  m_rest->setText(tr("Computing the changes…"));
  fix::Selection selection;
  if (m_issue && m_scope == Scope::Rule) selection.rules = {m_issue->rule};
  if (m_issue && m_scope == Scope::Finding) selection.only = m_issue;
  using Plan = std::shared_ptr<const fix::FixPlan>;
  m_document.jobs().start<Plan>(
      kFixTag,
      [state = m_state, selection](Monitor& monitor) -> Result<Plan> {
        BLOBSCOPE_TRY(plan, fix::planFixes(state->opened, state->edits, selection, {}, monitor));
        return std::make_shared<const fix::FixPlan>(std::move(plan));
      },
      [guard = QPointer<FixDialog>(this)](Result<Plan> plan) {
        if (!guard) return;
        if (plan) {
          guard->m_plan = std::move(*plan);
          guard->showPlan(*guard->m_plan);
        } else {
          guard->m_rest->setText(sentenceOf(plan.error().message()));
        }
        Q_EMIT guard->planned();
      });
}

void FixDialog::showPlan(const fix::FixPlan& plan) {
  m_title->setText(tr("%n finding(s) will be fixed", nullptr, pluralCount(plan.mended.size())));
  QStringList lines;
  for (const fix::Mended& one : plan.mended)
    if (lines.size() < kLines) lines << plainLine(toQt(one.issue.rule + ": " + one.sentence));
  m_lines->setStringList(lines);
  const int shown = std::clamp(static_cast<int>(lines.size()), 1, kLinesShown);
  m_list->setFixedHeight(m_list->sizeHintForRow(0) * shown + 2 * m_list->frameWidth());
  const QString name = QFileInfo(m_document.path()).fileName(), after = tr("with the quick fixes");
  if (!m_preview) {
    m_preview = new CompareView(m_document.jobs(), m_state->package, name, plan.result, after, this);
    m_previewBox->addWidget(m_preview, 1);
  } else {
    m_preview->setPackage(Side::B, plan.result, after);
  }
  const std::size_t left = plan.after.issues.size(), errors = plan.after.count(Severity::Error);
  m_rest->setText(left == 0     ? tr("No findings remain.")
                  : errors == 0 ? tr("%n finding(s) (remains|remain), but no errors.", nullptr, pluralCount(left))
                                : tr("%n finding(s) (remains|remain), %1 of them errors.", nullptr, pluralCount(left))
                                      .arg(toQt(groupedText(errors))));
  m_apply->setEnabled(!plan.edits.empty());
}

void FixDialog::apply() {
  if (!m_plan || m_plan->edits.empty() || m_document.state() != m_state) return;
  std::vector<edit::Edit> edits = m_state->edits;
  edits.insert(edits.end(), m_plan->edits.begin(), m_plan->edits.end());
  m_document.setEdits(std::move(edits),
                      m_scope == Scope::All ? tr("Quick fixes") : tr("Quick fix for %1").arg(toQt(m_issue->rule)));
  accept();
}

} // namespace blobscope::ui
