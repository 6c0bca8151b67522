#include "ui/window/panels.h"

#include "core/library/node.h"
#include "ui/models/contents_model.h"
#include "ui/session/strings.h"
#include "ui/theme/icons.h"

#include <QPointer>
#include <QVBoxLayout>

#include <array>

namespace blobscope::ui {

DetailsPanel::DetailsPanel(QWidget* parent) : QWidget(parent), m_title(new QLabel(this)), m_form(new QFormLayout) {
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(12, 12, 12, 12);
  layout->setSpacing(8);
  m_title->setFont(textFont(TextRole::Heading));
  m_title->setWordWrap(true);
  layout->addWidget(m_title);
  m_form->setHorizontalSpacing(12);
  m_form->setVerticalSpacing(4);
  m_form->setLabelAlignment(Qt::AlignLeft | Qt::AlignTop);
  layout->addLayout(m_form);
  layout->addStretch();
}

void DetailsPanel::show(Document& document, const Ref& ref) {
  struct Facts {
    std::string title;
    std::vector<std::pair<std::string, std::string>> rows;
  };
  const library::PackagePtr package = document.state()->package;
  document.jobs().start<Facts>(
      QStringLiteral("details"),
      [package, ref](Monitor&) -> Result<Facts> {
        BLOBSCOPE_TRY(node, library::findNode(*package, ref));
        BLOBSCOPE_TRY(pages, library::pagesOf(package, ref));
        Facts facts;
        facts.title = node.title;
        for (const view::Page& page : pages) {
          const auto* const table = std::get_if<view::TablePage>(&page.content);
          if (page.name != "Overview" || !table) continue;
          for (uint64_t row = 0; row < table->source->rowCount(); ++row)
            facts.rows.emplace_back(table->source->cell(row, 0), table->source->cell(row, 1));
        }
        return facts;
      },
      [guard = QPointer<DetailsPanel>(this)](Result<Facts> facts) {
        if (!guard || !facts) return;
        guard->m_title->setText(toQt(facts->title));
        QVector<QPair<QString, QString>> rows;
        for (const auto& [label, value] : facts->rows) rows.append({toQt(label), toQt(value)});
        guard->setRows(rows);
      });
}

void DetailsPanel::clear() {
  m_title->clear();
  setRows({});
}

void DetailsPanel::setRows(const QVector<QPair<QString, QString>>& rows) {
  while (m_form->rowCount() > 0) m_form->removeRow(0);
  m_rows = rows;
  for (const auto& [label, value] : rows) {
    auto* const name = new QLabel(label, this);
    name->setFont(textFont(TextRole::Secondary));
    name->setMinimumWidth(96);
    auto* const text = new QLabel(value, this);
    text->setTextFormat(Qt::PlainText);
    text->setWordWrap(true);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_form->addRow(name, text);
  }
}

QString DetailsPanel::text() const {
  QString out = m_title->text() + QLatin1Char('\n');
  for (const auto& [label, value] : m_rows) out += label + QStringLiteral(": ") + value + QLatin1Char('\n');
  return out;
}

ProblemsPanel::ProblemsPanel(Jobs& jobs, QWidget* parent) : QWidget(parent), m_jobs(jobs), m_empty(new QLabel(tr("Nothing is damaged."), this)) {
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* const bar = new QWidget(this);
  auto* const barLayout = new QHBoxLayout(bar);
  barLayout->setContentsMargins(8, 4, 8, 4);
  constexpr std::array kRoles = {Role::Error, Role::Warning, Role::Note};
  for (std::size_t i = 0; i < m_toggles.size(); ++i) {
    auto* const toggle = new QToolButton(bar);
    toggle->setCheckable(true);
    toggle->setChecked(true);
    toggle->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    toggle->setIcon(icon(severityIcon(static_cast<Severity>(i)), kRoles[i]));
    connect(toggle, &QToolButton::toggled, this, &ProblemsPanel::fill);
    barLayout->addWidget(toggle);
    m_toggles[i] = toggle;
  }
  barLayout->addStretch();
  layout->addWidget(bar);
  static_cast<QLabel*>(m_empty)->setAlignment(Qt::AlignCenter);
  layout->addWidget(m_empty, 1);
  setPackage(nullptr);
}

void ProblemsPanel::setPackage(const library::PackagePtr& package) {
  m_package = package;
  m_counts = {};
  if (package)
    for (const Diagnostic& diagnostic : package->diagnostics) ++m_counts[static_cast<std::size_t>(diagnostic.severity())];
  const std::array<QString, 3> words = {tr("%n error(s)", nullptr, m_counts[0]), tr("%n warning(s)", nullptr, m_counts[1]),
                                        tr("%n note(s)", nullptr, m_counts[2])};
  for (std::size_t i = 0; i < m_toggles.size(); ++i) m_toggles[i]->setText(words[i]);
  fill();
}

void ProblemsPanel::fill() {
  delete m_table;
  m_table = nullptr;
  m_shown.clear();
  m_current = -1;
  std::vector<std::vector<std::string>> rows;
  for (const Severity severity : {Severity::Error, Severity::Warning, Severity::Note}) {
    if (!m_package || !m_toggles[static_cast<std::size_t>(severity)]->isChecked()) continue;
    for (std::size_t i = 0; i < m_package->diagnostics.size(); ++i) {
      const Diagnostic& diagnostic = m_package->diagnostics[i];
      if (diagnostic.severity() != severity) continue;
      m_shown.push_back(i);
      rows.push_back({std::string(severityName(severity)), diagnostic.message(), std::string(diagnostic.idText()), diagnostic.place.toString()});
    }
  }
  m_empty->setVisible(rows.empty());
  if (rows.empty()) return;
  const view::TablePage page{std::make_shared<view::FixedTable>(
      std::vector<view::Column>{{fromQt(tr("Severity"))}, {fromQt(tr("Problem"))}, {fromQt(tr("Rule"))}, {fromQt(tr("Where"))}}, std::move(rows))};
  m_table = new TablePage(page, m_jobs, this);
  m_table->view().setColumnWidth(1, 640);
  connect(m_table, &TablePage::rowActivated, this, [this](quint64 row) {
    m_current = static_cast<int>(row);
    Q_EMIT activated(m_package->diagnostics[m_shown[row]].place);
  });
  layout()->addWidget(m_table);
}

void ProblemsPanel::step(bool backwards) {
  if (m_shown.empty()) return;
  const int count = static_cast<int>(m_shown.size());
  m_current = m_current < 0 ? (backwards ? count - 1 : 0) : (m_current + (backwards ? count - 1 : 1)) % count;
  m_table->view().selectRow(m_current);
  Q_EMIT activated(m_package->diagnostics[m_shown[static_cast<std::size_t>(m_current)]].place);
}

} // namespace blobscope::ui
