#include "ui/window/dialogs/repack_plan.h"

#include "core/base/text.h"
#include "core/describe/write_plan.h"
#include "core/edit/rules.h"
#include "ui/pages/kind_look.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/widgets/charts/plan_bar.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/severity_role.h"
#include "ui/window/dialogs/repack_rows.h"

#include <QAccessible>
#include <QCheckBox>
#include <QEvent>
#include <QHeaderView>
#include <QPainter>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace blobscope::ui {
namespace {

constexpr int kSection = 14, kStepsShown = 8, kConsequencesShown = 100, kHeaderHeight = 28;

std::vector<PlanBar::Part> partsOf(const std::vector<write::PlanRange>& ranges, PlanBar::Kind blob) {
  std::vector<PlanBar::Part> parts;
  for (const write::PlanRange& range : ranges) {
    using enum write::PlanRange::Kind;
    parts.push_back({range.kind == Blob || range.kind == Member ? blob
                     : range.kind == DeadBlob                   ? PlanBar::Kind::DeadBlob
                                                                : PlanBar::Kind::Other,
                     range.size});
  }
  return parts;
}

QVBoxLayout* column(QWidget* widget, int spacing = 0) {
  auto* const layout = new QVBoxLayout(widget);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(spacing);
  return layout;
}

/// The frame of the table.
class Frame : public QWidget {
public:
  using QWidget::QWidget;

protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(theme().color(Role::Rule));
    painter.setBrush(theme().color(Role::Base));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
  }
};

} // namespace

QString sentenceOf(const std::string& message) {
  QString text = toQt(message);
  if (!text.isEmpty()) text[0] = text[0].toUpper();
  if (!text.endsWith(QLatin1Char('.'))) text += QLatin1Char('.');
  return text;
}

QHBoxLayout* headingLine(ThemeLabel* title, ThemeLabel* word) {
  auto* const line = new QHBoxLayout;
  line->setContentsMargins(0, 0, 0, 0);
  title->setTextInteractionFlags(Qt::NoTextInteraction);
  line->addWidget(title);
  line->addStretch();
  if (word) line->addWidget(word);
  return line;
}

RepackPlan::RepackPlan(QWidget* parent) : QWidget(parent) {
  auto* const layout = column(this);
  auto* const title = new ThemeLabel(tr("&Plan"), TextRole::Heading, Role::Text, this);
  m_strategy = new ThemeLabel({}, TextRole::Secondary, Role::Secondary, this);
  layout->addLayout(headingLine(title, m_strategy));
  layout->addSpacing(6);
  layout->addWidget(makeSteps());
  title->setBuddy(m_table);
  layout->addWidget(makeRefusal());

  m_force = new QCheckBox(tr("Repack &anyway"), this);
  m_force->setAccessibleName(tr("Repack anyway"));
  m_force->setToolTip(tr("Writes the file even though it may not work."));
  m_forceRow = new QWidget(this);
  auto* const force = column(m_forceRow);
  force->addSpacing(10);
  force->addWidget(m_force, 0, Qt::AlignLeft);
  m_forceRow->hide();
  layout->addWidget(m_forceRow);

  layout->addWidget(makeConsequences());
  layout->addWidget(makeConsent());
}

QWidget* RepackPlan::makeSteps() {
  m_planned = new QWidget(this);
  auto* const planned = column(m_planned, 8);
  m_bar = new PlanBar(m_planned);
  planned->addWidget(m_bar);
  auto* const frame = new Frame(m_planned);
  auto* const inside = column(frame);
  inside->setContentsMargins(1, 1, 1, 1);
  m_steps = new StepsModel(this);
  m_table = new QTableView(frame);
  m_table->setModel(m_steps);
  m_table->setItemDelegate(new StepsDelegate(m_table));
  m_table->setAccessibleName(tr("Steps of the plan"));
  m_table->setFrameShape(QFrame::NoFrame);
  m_table->setShowGrid(false);
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->setSelectionMode(QAbstractItemView::NoSelection);
  m_table->setTabKeyNavigation(false);
  m_table->setWordWrap(false);
  m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_table->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  m_table->verticalHeader()->hide();
  m_table->verticalHeader()->setMinimumSectionSize(0);
  m_table->verticalHeader()->setDefaultSectionSize(metrics::rowHeight());
  m_table->horizontalHeader()->setHighlightSections(false);
  m_table->horizontalHeader()->setSectionsClickable(false);
  m_table->horizontalHeader()->setMinimumSectionSize(24);
  m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  m_table->viewport()->installEventFilter(this);
  inside->addWidget(m_table);
  planned->addWidget(frame);
  return m_planned;
}

QWidget* RepackPlan::makeRefusal() {
  m_refusal = new Panel(Role::ErrorBackground, Role::Error, this);
  auto* const reason = new QHBoxLayout(m_refusal);
  reason->setContentsMargins(15, 9, 12, 9);
  reason->setSpacing(8);
  auto* const picture = new IconLabel(QStringLiteral("error"), Role::Error, metrics::kIcon, m_refusal);
  m_refusalText = new ThemeLabel({}, TextRole::Body, Role::Text, m_refusal);
  m_refusalText->setWordWrap(true);
  m_refusalId = new ThemeLabel({}, TextRole::Code, Role::Secondary, m_refusal);
  reason->addWidget(picture, 0, Qt::AlignTop);
  reason->addWidget(m_refusalText, 1);
  reason->addWidget(m_refusalId, 0, Qt::AlignTop);
  m_refusal->hide();
  return m_refusal;
}

QWidget* RepackPlan::makeConsequences() {
  m_consequences = new QWidget(this);
  auto* const below = column(m_consequences);
  below->addSpacing(kSection);
  below->addLayout(
      headingLine(new ThemeLabel(tr("Consequences"), TextRole::Heading, Role::Text, m_consequences), nullptr));
  below->addSpacing(4);
  m_consequenceRows = new QWidget(m_consequences);
  below->addWidget(m_consequenceRows);
  m_consequences->hide();
  return m_consequences;
}

QWidget* RepackPlan::makeConsent() {
  m_consentRow = new QWidget(this);
  auto* const line = new QHBoxLayout(m_consentRow);
  line->setContentsMargins(0, 8, 0, 0);
  m_consent = new QCheckBox(tr("Repack &even though calls in this file will fail"), m_consentRow);
  m_consent->setToolTip(tr("The file works only as long as nothing makes these calls."));
  m_consent->setAccessibleName(tr("Repack even though calls in this file will fail"));
  m_keepNames = new QPushButton(tr("&Keep the old names"), m_consentRow);
  m_keepNames->setToolTip(tr("Excludes the renames that break calls. They stay in the list of changes."));
  m_keepNames->setAccessibleName(tr("Keep the old names"));
  m_keepNames->setAutoDefault(false);
  connect(m_keepNames, &QPushButton::clicked, this, &RepackPlan::keepNamesRequested);
  line->addWidget(m_consent);
  line->addStretch();
  line->addWidget(m_keepNames);
  m_consentRow->hide();
  return m_consentRow;
}

void RepackPlan::showConsent(const write::Repack& repack) {
  QStringList broken;
  for (const Diagnostic& one : repack.plan.consequences)
    if (one.id == DiagnosticId::EditCall) broken << toQt(one.message());
  if (broken != m_broken) m_consent->setChecked(false); // the consent was for other calls
  m_broken = std::move(broken);
  m_consentRow->setVisible(repack.needsConsent());
  m_keepNames->setVisible(!repack.breakingRenames.empty());
}

void RepackPlan::arrangeSteps() {
  const auto natural = [&](int column) { return StepsDelegate::widthOf(*m_steps, column); };
  const int number = std::max(38, natural(StepsModel::Number)), at = std::max(88, natural(StepsModel::At)),
            size = std::max(88, natural(StepsModel::Size));
  const int rest = std::max(0, m_table->viewport()->width() - number - at - size), what = natural(StepsModel::What);
  // Step and reason share the remaining width, if it is not enough for both.
  const int step = what + natural(StepsModel::Why) <= rest ? what : std::min(what, rest * 3 / 5);
  m_table->setColumnWidth(StepsModel::Number, number);
  m_table->setColumnWidth(StepsModel::What, step);
  m_table->setColumnWidth(StepsModel::At, at);
  m_table->setColumnWidth(StepsModel::Size, size);
  m_table->setColumnWidth(StepsModel::Why, rest - step);
  const int rows = std::clamp(m_steps->rowCount(), 1, kStepsShown);
  m_table->setFixedHeight(kHeaderHeight + rows * metrics::rowHeight());
}

bool RepackPlan::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_table->viewport() && event->type() == QEvent::Resize) arrangeSteps();
  return QWidget::eventFilter(watched, event);
}

void RepackPlan::showPlan(const write::Repack& repack) {
  const write::Plan& plan = repack.plan;
  m_strategy->setText(tr("Strategy: %1").arg(coreText(describe::strategyText(plan))));
  m_bar->setParts(partsOf(plan.before, PlanBar::Kind::Blob),
                  partsOf(plan.after, plan.isIdentity() ? PlanBar::Kind::Blob : PlanBar::Kind::NewBlob));
  m_steps->setSteps(describe::stepsOf(plan));
  arrangeSteps();
  m_refusal->hide();
  m_planned->show();
  showConsequences(plan.consequences);
  showConsent(repack);
}

void RepackPlan::showRefusal(const Error& error) {
  m_strategy->setText({});
  m_refusalText->setText(sentenceOf(error.message()));
  m_refusalId->setText(toQt(row(error.id()).id));
  m_refusal->setAccessibleName(plainLine(tr("The file cannot be repacked: %1").arg(m_refusalText->text())));
  if (edit::isForcible(error.id())) m_forceRow->show();
  m_planned->hide();
  m_refusal->show();
  m_consequences->hide();
  m_consentRow->hide();
  QAccessibleEvent event(m_refusal, QAccessible::Alert);
  QAccessible::updateAccessibility(&event);
}

void RepackPlan::showConsequences(const std::vector<Diagnostic>& consequences) {
  auto* const rows = new QWidget(m_consequences);
  auto* const layout = column(rows);
  const int high = metrics::rowHeight(), textTop = (high - QFontMetrics(textFont(TextRole::Body)).height()) / 2;
  const auto add = [&](const char* picture, Role role, const QString& text, const QString& id) {
    auto* const line = new QHBoxLayout;
    line->setSpacing(8);
    auto* const icon = new IconLabel(QLatin1String(picture), role, metrics::kIcon, rows);
    auto* const iconColumn = new QVBoxLayout;
    iconColumn->addSpacing((high - metrics::kIcon) / 2);
    iconColumn->addWidget(icon);
    iconColumn->addStretch();
    line->addLayout(iconColumn);
    auto* const label = new ThemeLabel(text, TextRole::Body, Role::Text, rows);
    label->setWordWrap(true);
    label->setContentsMargins(0, textTop, 0, high - textTop - QFontMetrics(label->font()).height());
    line->addWidget(label, 1);
    auto* const rule = new ThemeLabel(id, TextRole::Code, Role::Secondary, rows);
    rule->setContentsMargins(8, textTop, 0, 0);
    line->addWidget(rule, 0, Qt::AlignTop);
    layout->addLayout(line);
  };
  if (consequences.empty()) add("ok", Role::Ok, tr("Repacking has no consequences besides the changes."), {});
  for (std::size_t i = 0; i < consequences.size(); ++i) {
    const Diagnostic& one = consequences[i];
    if (i == kConsequencesShown) {
      add("note", Role::Note, tr("%n more consequence(s)", nullptr, pluralCount(consequences.size() - i)), {});
      break;
    }
    const bool good = one.id == DiagnosticId::PlanUnreferenced;
    const char* const picture = good                                  ? "ok"
                                : one.severity() == Severity::Note    ? "note"
                                : one.severity() == Severity::Warning ? "warning"
                                                                      : "error";
    add(picture, good ? Role::Ok : severityRole(one.severity()), sentenceOf(one.message()), toQt(one.idText()));
  }
  auto* const place = static_cast<QVBoxLayout*>(m_consequences->layout());
  delete place->replaceWidget(m_consequenceRows, rows);
  delete m_consequenceRows;
  m_consequenceRows = rows;
  rows->show();
  m_consequences->show();
}

} // namespace blobscope::ui
