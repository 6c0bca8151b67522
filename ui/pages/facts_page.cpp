#include "ui/pages/facts_page.h"

#include "ui/pages/help_pages.h"
#include "ui/pages/kind_look.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/scroll_area.h"
#include "ui/widgets/tool_button.h"

#include <QClipboard>
#include <QGridLayout>
#include <QGuiApplication>
#include <QVBoxLayout>

namespace blobscope::ui {

FactsPage::FactsPage(const view::TablePage& page, const PageContext& context, QWidget* parent)
    : PageWidget(parent), m_tools(new QWidget(this)) {
  auto* const tools = new QHBoxLayout(m_tools);
  tools->setContentsMargins(0, 0, 0, 0);
  tools->addWidget(toolButton(QStringLiteral("copy"), tr("Copy these facts"), m_tools,
                              [this] { QGuiApplication::clipboard()->setText(m_text); }));
  m_tools->hide();

  auto* const outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  auto* const scroll = new ScrollArea(this);
  scroll->setAccessibleName(tr("Overview"));
  setFocusProxy(scroll);
  outer->addWidget(scroll);
  auto* const content = new QWidget;
  content->setBackgroundRole(QPalette::Base);
  content->setAutoFillBackground(true);
  auto* const layout = new QVBoxLayout(content);
  layout->setContentsMargins(24, 24, 24, 24);
  layout->setSpacing(12);

  auto* const head = new QHBoxLayout;
  head->setSpacing(12);
  const KindLook look = kindLook(context.kind, context.moduleKey);
  head->addWidget(new IconLabel(look.icon, look.role, 32, content), 0, Qt::AlignTop);
  auto* const words = new QVBoxLayout;
  words->setSpacing(2);
  words->addWidget(new ThemeLabel(context.title, TextRole::FileName, Role::Text, content));
  if (!context.topic.isEmpty()) {
    auto* const sentence = new ThemeLabel(help::sentence(context.topic), TextRole::Body, Role::Secondary, content);
    sentence->setWordWrap(true);
    sentence->setProperty("helpTopic", context.topic);
    words->addWidget(sentence);
  }
  head->addLayout(words, 1);
  layout->addLayout(head);

  auto* const card = new Panel(Role::Alternate, std::nullopt, content);
  auto* const grid = new QGridLayout(card);
  grid->setContentsMargins(14, 12, 14, 12);
  grid->setHorizontalSpacing(16);
  grid->setVerticalSpacing(6);
  grid->setColumnStretch(1, 1);
  m_text = context.title + QLatin1Char('\n');
  for (uint64_t row = 0; row < page.source->rowCount(); ++row) {
    const auto target = page.source->target(row, context.node);
    QString label = target ? toQt(page.source->cell(row, 0)) : coreText(page.source->cell(row, 0));
    const QString value = toQt(page.source->cell(row, 1));
    if (!label.isEmpty()) label[0] = label[0].toUpper();
    m_text += label + QStringLiteral(": ") + value + QLatin1Char('\n');
    const int at = static_cast<int>(row);
    if (target) {
      auto* const link = new LinkButton(toQt(page.source->cell(row, 0)), card);
      connect(link, &QAbstractButton::clicked, this, [this, ref = *target] { Q_EMIT nodeChosen(ref, true); });
      grid->addWidget(link, at, 0, Qt::AlignTop | Qt::AlignLeft);
    } else {
      auto* const name = new ThemeLabel(label, TextRole::Secondary, Role::Secondary, card);
      name->setMinimumWidth(112);
      grid->addWidget(name, at, 0, Qt::AlignTop);
    }
    auto* const text = new ThemeLabel(value, value.startsWith(QLatin1String("0x")) ? TextRole::Code : TextRole::Body,
                                      Role::Text, card);
    text->setWordWrap(true);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    text->setAccessibleName(plainLine(label + QStringLiteral(": ") + value));
    grid->addWidget(text, at, 1);
  }
  layout->addWidget(card);
  layout->addStretch();
  scroll->setWidget(content);
}

} // namespace blobscope::ui
