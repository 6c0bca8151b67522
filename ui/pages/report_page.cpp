#include "ui/pages/report_page.h"

#include "core/base/output_file.h"
#include "core/base/path_text.h"
#include "core/view/render.h"
#include "ui/pages/answer_banner.h"
#include "ui/pages/kind_look.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/widgets/charts/coverage_bar.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/scroll_area.h"

#include <QClipboard>
#include <QCoreApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QGuiApplication>
#include <QPointer>

namespace blobscope::ui {
namespace {

using Report = view::ReportPage;
using Mark = Report::Mark;
using State = view::ChecklistPage::State;

constexpr int kReportMargin = 24, kTextWidth = 120;
constexpr int kLeastTitle = 130, kWidestTitle = 260; // of the column

QString markIcon(Mark mark) {
  switch (mark) {
  case Mark::Good: return QStringLiteral("ok");
  case Mark::Note: return QStringLiteral("note");
  case Mark::Warning: return QStringLiteral("warning");
  case Mark::Error: return QStringLiteral("error");
  case Mark::None: break;
  }
  return {};
}

/// What is as expected keeps the colour of secondary text.
Role markRole(Mark mark) {
  switch (mark) {
  case Mark::Note: return Role::Note;
  case Mark::Warning: return Role::Warning;
  case Mark::Error: return Role::Error;
  case Mark::Good:
  case Mark::None: break;
  }
  return Role::Secondary;
}

QString markText(Mark mark) {
  switch (mark) {
  case Mark::Good: return ReportPage::tr("as expected");
  case Mark::Note: return ReportPage::tr("note");
  case Mark::Warning: return ReportPage::tr("warning");
  case Mark::Error: return ReportPage::tr("error");
  case Mark::None: break;
  }
  return ReportPage::tr("none");
}

State bannerState(Mark mark) {
  return mark == Mark::Error ? State::Fails : mark == Mark::Warning ? State::Later : State::NotNeeded;
}

QFont rowFont(bool bold) {
  QFont font = textFont(TextRole::Body);
  if (bold) font.setWeight(QFont::DemiBold);
  return font;
}

bool stands(Mark mark) { return mark == Mark::Warning || mark == Mark::Error; }

QWidget* iconOf(Mark mark, QWidget* parent) {
  if (const QString name = markIcon(mark); !name.isEmpty())
    return new IconLabel(name, markRole(mark), metrics::kIcon, parent);
  auto* const none = new ThemeLabel(QStringLiteral("–"), TextRole::Body, Role::Secondary, parent);
  none->setFixedWidth(metrics::kIcon);
  none->setAlignment(Qt::AlignCenter);
  return none;
}

/// The content of the scroll area, whose height follows from its width.
class ReportContent : public QWidget {
public:
  QSize minimumSizeHint() const override { return {QWidget::minimumSizeHint().width(), 0}; }
};

} // namespace

ReportPage::ReportPage(const view::Page& page, const PageContext& context, QWidget* parent)
    : PageWidget(parent), m_jobs(context.jobs), m_tag(tagPrefix() + QString::number(reinterpret_cast<quintptr>(this))),
      m_name(page.name), m_file(context.package ? context.package->path : std::string()),
      m_page(std::get<view::ReportPagePtr>(page.content)), m_scroll(new ScrollArea(this)) {
  setProperty("helpTopic", QStringLiteral("safety"));
  auto* const outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  m_scroll->setAccessibleName(plainLine(coreText(m_name)));
  m_scroll->setWidget(makeContent());
  outer->addWidget(m_scroll);
  setFocusProxy(m_scroll);
}

ReportPage::~ReportPage() {
  for (QObject* const part : findChildren<QObject*>()) part->disconnect(this);
  m_jobs.cancel(m_tag);
}

void ReportPage::showEvent(QShowEvent* event) {
  PageWidget::showEvent(event);
  // After the window has shown the details of the node.
  QMetaObject::invokeMethod(
      this,
      [this] {
        if (isVisible()) Q_EMIT detailsChanged(m_page->details);
      },
      Qt::QueuedConnection);
}

QWidget* ReportPage::makeContent() {
  auto* const content = new ReportContent;
  content->setBackgroundRole(QPalette::Base);
  content->setAutoFillBackground(true);
  auto* const layout = new QVBoxLayout(content);
  layout->setContentsMargins(kReportMargin, 16, kReportMargin, kReportMargin);
  layout->setSpacing(8);
  auto* const banner = new AnswerBanner(content);
  banner->showAnswer(bannerState(m_page->mark), toQt(m_page->sentence), {});
  connect(&banner->copyButton(), &QAbstractButton::clicked, this, &ReportPage::copyReport);
  if (!m_page->exports.empty())
    connect(banner->addButton(tr("Save report…")), &QAbstractButton::clicked, this, &ReportPage::askForFile);
  layout->addWidget(banner);
  auto* const detail = new ThemeLabel(coreText(m_page->detail), TextRole::Secondary, Role::Secondary, content);
  detail->setWordWrap(true);
  auto* const line = new QHBoxLayout;
  line->setSpacing(16);
  line->addWidget(detail, 1);
  if (m_page->compare) {
    auto* const compare = new LinkButton(tr("Compare with an accepted report…"), content);
    connect(compare, &QAbstractButton::clicked, this, &ReportPage::askForEarlierReport);
    line->addWidget(compare, 0, Qt::AlignTop);
  }
  layout->addLayout(line);
  for (const Report::Section& section : m_page->sections) {
    layout->addSpacing(4);
    layout->addWidget(makeSection(section, content));
  }
  layout->addStretch();
  return content;
}

QWidget* ReportPage::makeSection(const Report::Section& section, QWidget* parent) {
  auto* const box = new QWidget(parent);
  auto* const layout = new QVBoxLayout(box);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  auto* const head = new QHBoxLayout;
  head->addWidget(new ThemeLabel(coreText(section.title), TextRole::Heading, Role::Text, box));
  head->addStretch();
  head->addWidget(new ThemeLabel(toQt(section.note), TextRole::Secondary, Role::Secondary, box));
  layout->addLayout(head);
  if (!section.spans.empty()) {
    auto* const bar = new CoverageBar(box);
    std::vector<Role> roles;
    for (const view::Span& span : section.spans)
      roles.push_back(span.owner == view::Span::Owner::Tables ? Role::KindContainer
                                                              : spanRole(span).value_or(Role::Secondary));
    std::vector<view::Span> spans = section.spans;
    for (view::Span& span : spans) span.name = fromQt(coreText(span.name));
    bar->setSpans(std::move(spans), section.size, roles);
    bar->setAccessibleName(plainLine(coreText(section.title)));
    connect(bar, &CoverageBar::jumped, this, [this](quint64 offset) { Q_EMIT nodeChosen(Ref::bytesAt(offset), true); });
    layout->addWidget(bar);
  }
  auto* const rows = new QWidget(box);
  auto* const grid = new QGridLayout(rows);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setHorizontalSpacing(10);
  grid->setVerticalSpacing(6);
  grid->setColumnStretch(3, 1);
  int titles = kLeastTitle;
  for (const Report::Row& row : section.rows)
    if (!row.text.empty())
      titles = std::max(titles, QFontMetrics(rowFont(true)).horizontalAdvance(coreText(row.title)) + 4);
  grid->setColumnMinimumWidth(1, std::min(titles, kWidestTitle));
  for (const Report::Row& row : section.rows) addRow(row, *grid, rows);
  layout->addWidget(rows);
  return box;
}

void ReportPage::addRow(const Report::Row& row, QGridLayout& grid, QWidget* parent) {
  const int line = grid.rowCount();
  const bool open = stands(row.mark);
  const Role words = open ? Role::Text : Role::Secondary;
  QWidget* const icon = iconOf(row.mark, parent);
  icon->setAccessibleName(plainLine(tr("%1: %2").arg(markText(row.mark), toQt(row.title))));
  grid.addWidget(icon, line, 0, Qt::AlignTop);
  auto* const title = new ThemeLabel(coreText(row.title), TextRole::Body, words, parent);
  title->setMinimumWidth(kLeastTitle);
  title->setWordWrap(true);
  title->setFont(rowFont(open));
  const bool alone = row.place.empty() && row.text.empty();
  grid.addWidget(title, line, 1, 1, alone ? 4 : 1, Qt::AlignTop);
  if (row.placeRef && !row.place.empty()) {
    auto* const place = new LinkButton(toQt(row.place), parent);
    place->setCode(true);
    connect(place, &QAbstractButton::clicked, this, [this, ref = *row.placeRef] { Q_EMIT nodeChosen(ref, true); });
    grid.addWidget(place, line, 2, Qt::AlignTop | Qt::AlignLeft);
  } else if (!row.place.empty()) {
    grid.addWidget(new ThemeLabel(toQt(row.place), TextRole::Body, words, parent), line, 2,
                   Qt::AlignTop | Qt::AlignRight);
  }
  if (!row.text.empty()) {
    const Role color = row.isNames ? words : row.mark == Mark::Error ? Role::Error : words;
    auto* const text = new ThemeLabel(coreText(row.text), row.isNames ? TextRole::Code : TextRole::Body, color, parent);
    text->setMinimumWidth(kTextWidth);
    text->setWordWrap(true);
    grid.addWidget(text, line, 3, Qt::AlignTop);
  }
  if (!row.remark.empty())
    grid.addWidget(
        new ThemeLabel(coreText(row.remark), TextRole::Secondary, open ? markRole(row.mark) : Role::Secondary, parent),
        line, 4, Qt::AlignTop | Qt::AlignRight);
  if (!row.paths.empty() || !row.lines.empty() || !row.links.empty())
    grid.addWidget(makeBelow(row, parent), line + 1, 1, 1, 4);
}

QWidget* ReportPage::makeBelow(const Report::Row& row, QWidget* parent) {
  const Role back = row.mark == Mark::Error ? Role::ErrorBackground : Role::WarningBackground;
  auto* const panel = new Panel(back, markRole(row.mark), parent);
  auto* const layout = new QVBoxLayout(panel);
  layout->setContentsMargins(12, 6, 12, 6);
  layout->setSpacing(4);
  if (!row.paths.empty()) {
    auto* const reaches = new QHBoxLayout;
    reaches->setSpacing(12);
    auto* const head = new ThemeLabel(tr("It reaches"), TextRole::Body, Role::Text, panel);
    head->setFont(rowFont(true));
    reaches->addWidget(head, 0, Qt::AlignTop);
    auto* const paths = new QVBoxLayout;
    paths->setSpacing(2);
    for (const auto& path : row.paths) paths->addWidget(makePath(path, panel));
    reaches->addLayout(paths, 1);
    layout->addLayout(reaches);
  }
  for (const std::string& line : row.lines) {
    auto* const words = new ThemeLabel(linesToQt(line), TextRole::Body, Role::Text, panel);
    words->setWordWrap(true);
    layout->addWidget(words);
  }
  if (!row.links.empty()) layout->addWidget(makeLinks(row, panel));
  return panel;
}

QWidget* ReportPage::makePath(const std::vector<Report::Step>& path, QWidget* parent) {
  auto* const box = new QWidget(parent);
  auto* const flow = new FlowLayout(6, 2, box);
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (i > 0) flow->addWidget(new ThemeLabel(QStringLiteral("→"), TextRole::Body, Role::Secondary, box));
    const bool last = i + 1 == path.size();
    if (path[i].ref) {
      auto* const step = new LinkButton(toQt(path[i].text), box);
      step->setCode(true);
      connect(step, &QAbstractButton::clicked, this, [this, ref = *path[i].ref] { Q_EMIT nodeChosen(ref, true); });
      flow->addWidget(step);
      continue;
    }
    auto* const step = new ThemeLabel(toQt(path[i].text), TextRole::Code, Role::Text, box);
    if (last) {
      QFont strong = step->font();
      strong.setWeight(QFont::Bold);
      step->setFont(strong);
    }
    flow->addWidget(step);
  }
  return box;
}

QWidget* ReportPage::makeLinks(const Report::Row& row, QWidget* parent) {
  auto* const box = new QWidget(parent);
  auto* const flow = new FlowLayout(16, 2, box);
  for (const Report::Link& link : row.links) {
    auto* const button = new LinkButton(coreText(link.text), box);
    connect(button, &QAbstractButton::clicked, this, [this, ref = link.ref] { Q_EMIT nodeChosen(ref, true); });
    flow->addWidget(button);
  }
  return box;
}

void ReportPage::copyReport() const {
  std::string text;
  NullMonitor monitor;
  if (view::renderText({m_name, m_page}, [&](std::string_view part) { text += part; }, monitor))
    QGuiApplication::clipboard()->setText(wholeToQt(text));
}

void ReportPage::askForFile() {
  QStringList filters;
  for (const Report::Export& one : m_page->exports)
    filters.append(tr("%1 (*.%2)").arg(coreText(one.title), toQt(one.extension)));
  QString chosen = filters.front();
  const QString name = QFileInfo(wholeToQt(m_file)).completeBaseName() + QLatin1String("-safety.html");
  const QString path =
      QFileDialog::getSaveFileName(this, tr("Save the report"), name, filters.join(QLatin1String(";;")), &chosen);
  if (path.isEmpty()) return;
  std::size_t index = static_cast<std::size_t>(std::max<qsizetype>(filters.indexOf(chosen), 0));
  // The name decides when it has the extension of another form.
  for (std::size_t i = 0; i < m_page->exports.size(); ++i)
    if (path.endsWith(QLatin1Char('.') + toQt(m_page->exports[i].extension))) index = i;
  save(index, path);
}

void ReportPage::askForEarlierReport() {
  const QString path =
      QFileDialog::getOpenFileName(this, tr("Compare with an accepted report"), {},
                                   tr("Reports in JSON (*.json)") + QStringLiteral(";;") + tr("All files (*)"));
  if (!path.isEmpty()) compareWith(path);
}

void ReportPage::compareWith(const QString& path) {
  m_jobs.start<view::ReportPagePtr>(
      m_tag, [page = m_page, from = pathFrom(fromQt(path))](Monitor& monitor) { return page->compare(from, monitor); },
      [guard = QPointer<ReportPage>(this)](Result<view::ReportPagePtr> made) {
        if (!guard) return;
        if (made) {
          guard->m_page = *made;
          guard->m_scroll->setWidget(guard->makeContent());
        } else {
          Q_EMIT guard->message(toQt(made.error().message()));
        }
        Q_EMIT guard->compared();
      });
}

void ReportPage::save(std::size_t index, const QString& path) {
  m_jobs.start<Done>(
      m_tag,
      [page = m_page, index, target = fromQt(path), source = m_file,
       version = fromQt(QCoreApplication::applicationVersion())](Monitor& monitor) -> Result<Done> {
        BLOBSCOPE_TRY(text, page->exports[index].make(version, monitor));
        return writeFile(pathFrom(target), {{pathFrom(source)}}, Bytes::copyOf(text), monitor);
      },
      [guard = QPointer<ReportPage>(this), path](Result<Done> done) {
        if (!guard) return;
        Q_EMIT guard->message(done ? tr("The report is saved as %1.").arg(plainLine(path))
                                   : toQt(done.error().message()));
        Q_EMIT guard->saved();
      });
}

} // namespace blobscope::ui
