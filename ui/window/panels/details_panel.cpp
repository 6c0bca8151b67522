#include "ui/window/panels/details_panel.h"

#include "core/describe/node.h"
#include "core/library/open.h"
#include "ui/models/contents_model.h"
#include "ui/pages/help_pages.h"
#include "ui/pages/kind_look.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/text/severity_text.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/segments.h"
#include "ui/widgets/severity_role.h"
#include "ui/widgets/wrapped_text.h"

#include <QAbstractButton>
#include <QGridLayout>
#include <QPainter>
#include <QPointer>
#include <QPushButton>
#include <QResizeEvent>
#include <QTextLayout>
#include <QVBoxLayout>

namespace blobscope::ui {
namespace {

constexpr int kLabelWidth = 104;

/// A value in one line that is elided in the middle; the whole value is the tool tip and the copied text.
class ValueLabel : public PlainLabel {
public:
  /// `room`: pixels in a line; longer text is broken, also inside words.
  ValueLabel(const QString& text, bool code, int room, QWidget* parent) : PlainLabel(text, parent) {
    setFont(textFont(code ? TextRole::Code : TextRole::Body));
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setAlignment(Qt::AlignLeft | Qt::AlignTop);
    setWordWrap(QFontMetrics(font()).horizontalAdvance(text) > room);
    // The size hint of a label without a width is only a guess.
    if (wordWrap()) setFixedHeight(brokenHeight(room));
    setSizePolicy(QSizePolicy::Ignored, wordWrap() ? QSizePolicy::Preferred : QSizePolicy::Fixed);
  }

protected:
  void paintEvent(QPaintEvent* event) override {
    // The base class breaks lines only between words, so it paints the text only while some of it is selected.
    if (!wordWrap() || hasSelectedText()) {
      PlainLabel::paintEvent(event);
      return;
    }
    QPainter painter(this);
    painter.setPen(palette().color(QPalette::WindowText));
    painter.drawText(QRectF(rect()), text(), option());
  }

private:
  static QTextOption option() {
    QTextOption option(Qt::AlignLeft | Qt::AlignTop);
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    return option;
  }
  int brokenHeight(int room) const {
    QTextLayout layout(text(), font());
    layout.setTextOption(option());
    layout.beginLayout();
    int lines = 0;
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine(), ++lines)
      line.setLineWidth(room);
    layout.endLayout();
    return lines * QFontMetrics(font()).lineSpacing() + 1;
  }
};

/// The lines that connect a step with the ones below it.
class StepLine : public QWidget {
public:
  StepLine(uint32_t depth, QWidget* parent) : QWidget(parent), m_depth(depth) {
    setFixedSize(static_cast<int>(depth) * 14, 22);
  }

protected:
  void paintEvent(QPaintEvent*) override {
    if (m_depth == 0) return;
    QPainter painter(this);
    painter.setPen(theme().color(Role::ControlBorder));
    const int x = static_cast<int>(m_depth - 1) * 14 + 7;
    painter.drawLine(x, 0, x, height() / 2);
    painter.drawLine(x, height() / 2, x + 5, height() / 2);
  }

private:
  uint32_t m_depth;
};

/// Whether the title of a group is one of core's, which begin with a capital, or the status of a function that did not
/// run to its end; else it is the name of a kernel or an output.
bool titleIsFixed(const view::DetailGroup& group) {
  const bool isStatus = !group.rows.empty() && group.rows.front().label == "Code";
  return isStatus || (!group.title.empty() && group.title[0] >= 'A' && group.title[0] <= 'Z');
}

/// Whether the value of a row is one of core's texts, too: what is known about a field because of its name and type.
bool valueIsFixed(const view::DetailGroup& group, const view::DetailRow& row) {
  return row.severity || (group.title == "Field" && (row.label == "Meaning" || row.label == "Type"));
}

} // namespace

bool labelsAreNames(const view::DetailGroup& group) {
  const std::string_view title = group.title;
  return title.starts_with("Arguments") || title.starts_with("Signature") || title == "Sizes";
}

DetailsPanel::DetailsPanel(QWidget* parent) : ScrollArea(parent) {
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setAccessibleName(tr("Details"));
  setMinimumWidth(240);
  viewport()->setBackgroundRole(QPalette::Window);
  show({});
}

void DetailsPanel::showNode(Document& document, const Ref& ref) {
  if (!document.state()) return;
  document.jobs().start<view::Details>(
      QStringLiteral("details"),
      [package = document.state()->package, ref](Monitor& monitor) -> Result<view::Details> {
        BLOBSCOPE_TRY(details, describe::detailsOf(package, ref, monitor));
        BLOBSCOPE_CHECK(library::checkUnchanged(*package));
        return details;
      },
      [guard = QPointer<DetailsPanel>(this)](Result<view::Details> details) {
        if (guard && details) guard->show(std::move(*details));
        if (guard && !details && details.error().id() == DiagnosticId::FileChanged) guard->show({});
      });
}

void DetailsPanel::show(view::Details wanted) {
  m_details = std::move(wanted);
  setProperty("helpTopic", QVariant());
  const view::Details& details = m_details;
  auto* const content = new QWidget;
  auto* const layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 4, 0, 12);
  layout->setSpacing(0);
  for (std::size_t i = 0; i < details.size(); ++i) {
    if (i > 0) layout->addWidget(new Rule(Qt::Horizontal, content));
    layout->addWidget(makeGroup(details[i]));
  }
  if (details.empty()) {
    auto* const empty =
        new ThemeLabel(tr("Select something to see its details."), TextRole::Body, Role::Secondary, content);
    empty->setContentsMargins(12, 12, 12, 12);
    empty->setWordWrap(true);
    layout->addWidget(empty);
  }
  layout->addStretch();
  setWidget(content); // deletes the earlier widget
}

QWidget* DetailsPanel::makeGroup(const view::DetailGroup& group) {
  auto* const box = new QWidget;
  auto* const layout = new QVBoxLayout(box);
  layout->setContentsMargins(12, 12, 12, 12);
  layout->setSpacing(8);
  auto* const title = new ThemeLabel(titleIsFixed(group) ? coreText(group.title) : toQt(group.title),
                                     TextRole::Secondary, Role::Text, box);
  QFont bold = title->font();
  bold.setWeight(QFont::DemiBold);
  title->setFont(bold);
  layout->addWidget(title);
  if (!group.printed.empty()) {
    auto* const printed =
        new CodeBox(linesToQt(group.printed), wholeToQt(group.printed), Role::Alternate, Role::ControlBorder, box);
    printed->setFixedHeight(printed->heightForWidth(viewport()->width() - 24));
    layout->addWidget(printed);
  }
  if (!group.readings.empty()) layout->addWidget(makeReadings(group, box));
  const std::vector<view::DetailRow> rows = shownRows(group);
  if (!rows.empty()) {
    auto* const grid = new QGridLayout;
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(5);
    grid->setColumnStretch(1, 1);
    int row = 0;
    if (std::ranges::any_of(rows, [](const view::DetailRow& one) { return one.other.has_value(); })) {
      grid->setColumnStretch(2, 1);
      for (const auto& [column, name, role] : {std::tuple(1, "A", Role::Removed), std::tuple(2, "B", Role::Added)}) {
        auto* const head = new ThemeLabel(QLatin1String(name), TextRole::Secondary, role, box);
        QFont strong = head->font();
        strong.setWeight(QFont::DemiBold);
        head->setFont(strong);
        grid->addWidget(head, row, column);
      }
      ++row;
    }
    for (view::DetailRow detail : rows) {
      if (valueIsFixed(group, detail)) detail.value = fromQt(coreText(detail.value));
      addRow(detail, labelsAreNames(group) ? toQt(detail.label) : coreText(detail.label), grid, row++, box);
    }
    layout->addLayout(grid);
  }
  if (!group.path.empty()) {
    auto* const steps = new QVBoxLayout;
    steps->setSpacing(0);
    for (const view::DetailStep& step : group.path) steps->addLayout(makeStep(step, box));
    layout->addLayout(steps);
  }
  if (!group.note.empty()) {
    auto* const note = new ThemeLabel(coreText(group.note), TextRole::Secondary, Role::Secondary, box);
    note->setWordWrap(true);
    layout->addWidget(note);
    if (group.startsFix) {
      auto* const button = new QPushButton(tr("Fix…"), box);
      connect(button, &QPushButton::clicked, this, &DetailsPanel::fixRequested);
      layout->addWidget(button, 0, Qt::AlignLeft);
    }
  }
  return box;
}

const view::DetailReading* DetailsPanel::chosenReading(const view::DetailGroup& group) const {
  for (const view::DetailReading& one : group.readings)
    if (one.name == m_reading) return &one;
  return group.readings.empty() ? nullptr : &group.readings.front();
}

std::vector<view::DetailRow> DetailsPanel::shownRows(const view::DetailGroup& group) const {
  const view::DetailReading* const reading = chosenReading(group);
  std::vector<view::DetailRow> rows = reading ? reading->rows : std::vector<view::DetailRow>();
  rows.insert(rows.end(), group.rows.begin(), group.rows.end());
  return rows;
}

QWidget* DetailsPanel::makeReadings(const view::DetailGroup& group, QWidget* box) {
  auto* const choices = new Segments(coreText(group.title), box);
  QStringList names;
  for (const view::DetailReading& one : group.readings) names << coreText(one.name);
  choices->setChoices(names);
  choices->setCurrent(static_cast<int>(chosenReading(group) - group.readings.data()));
  connect(choices, &Segments::chosen, this, [this, readings = group.readings](int index) {
    m_reading = readings[static_cast<std::size_t>(index)].name;
    // Not while the button is in use: show() deletes it.
    QMetaObject::invokeMethod(
        this,
        [this] {
          show(m_details);
          for (auto* const made : widget()->findChildren<QAbstractButton*>())
            if (made->text() == coreText(m_reading)) made->setFocus();
        },
        Qt::QueuedConnection);
  });
  return choices;
}

void DetailsPanel::addMenu(QWidget* widget, const view::DetailRow& detail) {
  widget->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(widget, &QWidget::customContextMenuRequested, this,
          [this, widget, link = detail.link, value = wholeToQt(detail.value)](const QPoint& place) {
            Q_EMIT menuRequested(link, value, widget->mapToGlobal(place));
          });
}

/// A name, as a link if it has a target, followed by a note.
QHBoxLayout* DetailsPanel::makeNoted(const view::DetailRow& detail, QWidget* box) {
  auto* const line = new QHBoxLayout;
  line->setSpacing(8);
  if (detail.link) {
    auto* const link = new LinkButton(toQt(detail.value), box);
    connect(link, &QAbstractButton::clicked, this, [this, ref = *detail.link] { Q_EMIT linked(ref); });
    addMenu(link, detail);
    line->addWidget(link, 0);
  } else {
    auto* const name = new ThemeLabel(toQt(detail.value), TextRole::Body, Role::Text, box);
    addMenu(name, detail);
    line->addWidget(name, 0);
  }
  line->addWidget(new ThemeLabel(coreText(detail.note), TextRole::Secondary, Role::Secondary, box), 0);
  line->addStretch(1);
  return line;
}

void DetailsPanel::addRow(const view::DetailRow& detail, const QString& name, QGridLayout* grid, int row,
                          QWidget* box) {
  if (!detail.note.empty()) {
    grid->addLayout(makeNoted(detail, box), row, 0, 1, 2);
    return;
  }
  if (detail.other) {
    addPair(detail, name, grid, row, box);
    return;
  }
  auto* const label = new ThemeLabel(name, TextRole::Secondary, Role::Secondary, box);
  label->setFixedWidth(kLabelWidth);
  addMenu(label, detail);
  grid->addWidget(label, row, 0, Qt::AlignTop);
  if (detail.link) {
    auto* const link = new LinkButton(toQt(detail.value), box);
    link->setCode(detail.code);
    connect(link, &QAbstractButton::clicked, this, [this, ref = *detail.link] { Q_EMIT linked(ref); });
    addMenu(link, detail);
    grid->addWidget(link, row, 1, Qt::AlignTop | Qt::AlignLeft);
  } else if (const QString id = toQt(detail.value); detail.code && !help::topicOfRule(id).isEmpty()) {
    auto* const link = new LinkButton(id, box);
    link->setCode(true);
    link->setToolTip(plainTip(tr("Open the help of this rule")));
    connect(link, &QAbstractButton::clicked, this, [this, id] { Q_EMIT ruleRequested(id); });
    addMenu(link, detail);
    grid->addWidget(link, row, 1, Qt::AlignTop | Qt::AlignLeft);
    if (m_details.front().title == "Finding" && detail.label == "Rule") setProperty("helpTopic", id);
  } else if (detail.severity) {
    auto* const cell = new QHBoxLayout;
    cell->setSpacing(6);
    cell->addWidget(new IconLabel(severityIcon(*detail.severity), severityRole(*detail.severity), metrics::kIcon, box),
                    0, Qt::AlignTop);
    auto* const words = new ThemeLabel(toQt(detail.value), TextRole::Body, severityRole(*detail.severity), box);
    words->setWordWrap(true);
    cell->addWidget(words, 1);
    grid->addLayout(cell, row, 1);
  } else {
    auto* const value = new ValueLabel(toQt(detail.value), detail.code, viewport()->width() - kLabelWidth - 32, box);
    value->setAccessibleName(plainLine(tr("%1: %2").arg(name, toQt(detail.value))));
    addMenu(value, detail);
    grid->addWidget(value, row, 1);
  }
}

void DetailsPanel::addPair(const view::DetailRow& detail, const QString& name, QGridLayout* grid, int row,
                           QWidget* box) {
  auto* const label = new ThemeLabel(name, TextRole::Secondary, Role::Secondary, box);
  label->setFixedWidth(kLabelWidth);
  addMenu(label, detail);
  grid->addWidget(label, row, 0, Qt::AlignTop);
  const int room = (viewport()->width() - kLabelWidth - 40) / 2;
  const auto add = [&](int column, const std::string& text, QWidget* parent, const QString& side) {
    auto* const value = new ValueLabel(toQt(text), detail.code, room, parent);
    value->setAccessibleName(plainLine(tr("%1 of %2: %3").arg(name, side, toQt(text))));
    view::DetailRow copied = detail;
    copied.value = text;
    addMenu(value, copied);
    if (parent == box) grid->addWidget(value, row, column);
    return value;
  };
  add(1, detail.value, box, QStringLiteral("A"));
  if (*detail.other == detail.value) {
    add(2, *detail.other, box, QStringLiteral("B"));
    return;
  }
  auto* const mark = new class Panel(Role::ChangedLine, std::nullopt, box);
  auto* const inside = new QHBoxLayout(mark);
  inside->setContentsMargins(3, 0, 3, 0);
  inside->addWidget(add(2, *detail.other, mark, QStringLiteral("B")));
  grid->addWidget(mark, row, 2);
}

/// A line of the path: its depth, its kind, and its name as a link.
QHBoxLayout* DetailsPanel::makeStep(const view::DetailStep& step, QWidget* box) {
  auto* const line = new QHBoxLayout;
  line->setSpacing(6);
  line->addWidget(new StepLine(step.depth, box));
  const KindLook look = step.moduleKey.empty() ? kindLook(library::RowKind::Kernel, {})
                                               : kindLook(library::RowKind::Module, toQt(step.moduleKey));
  line->addWidget(new IconLabel(look.icon, look.role, metrics::kIcon, box));
  auto* const link = new LinkButton(toQt(step.name), box);
  connect(link, &QAbstractButton::clicked, this, [this, ref = step.ref] { Q_EMIT linked(ref); });
  line->addWidget(link, 0);
  line->addStretch(1);
  return line;
}

void DetailsPanel::resizeEvent(QResizeEvent* event) {
  ScrollArea::resizeEvent(event);
  // Line breaks depend on the width.
  if (event->oldSize().width() != event->size().width() && !m_details.empty()) show(m_details);
}

QString DetailsPanel::text() const {
  // Unlike in the panel, texts are complete: a note may be what a run printed.
  const auto words = [](const std::string& text, bool fixed = true) {
    return fixed && isCoreWord(text) ? coreText(text) : wholeToQt(text);
  };
  QString out;
  for (const view::DetailGroup& group : m_details) {
    out += words(group.title, titleIsFixed(group)) + QLatin1Char('\n');
    if (!group.printed.empty()) out += QStringLiteral("  ") + wholeToQt(group.printed) + QLatin1Char('\n');
    const bool fixed = !labelsAreNames(group);
    if (const view::DetailReading* const reading = chosenReading(group))
      out += QStringLiteral("  ") + words(reading->name) + QLatin1Char('\n');
    for (const view::DetailRow& row : shownRows(group)) {
      const QString value = row.other ? tr("A %1, B %2").arg(wholeToQt(row.value), wholeToQt(*row.other))
                                      : words(row.value, valueIsFixed(group, row));
      out += QStringLiteral("  ") + (row.note.empty() ? words(row.label, fixed) + QStringLiteral(": ") + value
                                                      : value + QStringLiteral(", ") + words(row.note));
      out += QLatin1Char('\n');
    }
    for (const view::DetailStep& step : group.path)
      out += wholeToQt("  " + std::string(2 * step.depth, ' ') + step.name + "\n");
    if (!group.note.empty()) out += QStringLiteral("  ") + words(group.note) + QLatin1Char('\n');
  }
  return out;
}

} // namespace blobscope::ui
