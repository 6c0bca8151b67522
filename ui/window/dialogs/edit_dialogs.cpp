#include "ui/window/dialogs/edit_dialogs.h"

#include "ui/text/plain_text.h"
#include "ui/theme/icons.h"
#include "ui/widgets/labels.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QGridLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

namespace blobscope::ui {
namespace {

/// Returns the buttons Cancel and `verb`.
QDialogButtonBox* buttons(QDialog& dialog, const QString& verb) {
  auto* const box = new QDialogButtonBox(QDialogButtonBox::Cancel, &dialog);
  QPushButton* const accept = box->addButton(verb, QDialogButtonBox::AcceptRole);
  accept->setDefault(true);
  QObject::connect(box, &QDialogButtonBox::accepted, &dialog, &QDialog::accept);
  QObject::connect(box, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
  return box;
}

ThemeLabel* heading(const QString& text, QWidget* parent) {
  auto* const label = new ThemeLabel(text, TextRole::Heading, Role::Text, parent);
  label->setWordWrap(true);
  return label;
}

} // namespace

// --- imports

ImportsDialog::ImportsDialog(const QString& name, const QVector<Row>& rows, QWidget* parent)
    : QDialog(parent), m_list(new QListWidget(this)) {
  setWindowTitle(tr("Imports"));
  setProperty("helpTopic", QStringLiteral("editing"));
  resize(460, 420);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(metrics::kDialogMargin, 16, metrics::kDialogMargin, 16);
  layout->setSpacing(12);
  layout->addWidget(heading(tr("Modules that %1 imports, in this order").arg(name), this));
  auto* const middle = new QHBoxLayout;
  m_list->setAccessibleName(tr("Modules"));
  m_list->setIconSize({metrics::kIcon, metrics::kIcon});
  for (const Row& row : rows) {
    auto* const item = new QListWidgetItem(icon(row.icon, static_cast<Role>(row.role)), row.name, m_list);
    item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
    item->setCheckState(row.imported ? Qt::Checked : Qt::Unchecked);
    item->setData(Qt::UserRole, row.number);
  }
  middle->addWidget(m_list, 1);
  auto* const side = new QVBoxLayout;
  const auto mover = [&](const QString& text, int by) {
    auto* const button = new QPushButton(text, this);
    button->setAutoDefault(false);
    connect(button, &QPushButton::clicked, this, [this, by] { move(by); });
    side->addWidget(button);
    return button;
  };
  m_up = mover(tr("Move up"), -1);
  m_down = mover(tr("Move down"), 1);
  side->addStretch();
  middle->addLayout(side);
  layout->addLayout(middle, 1);
  layout->addWidget(buttons(*this, tr("Apply")));
  connect(m_list, &QListWidget::currentRowChanged, this, &ImportsDialog::updateState);
  if (m_list->count() > 0) m_list->setCurrentRow(0);
  updateState();
  m_list->setFocus();
}

void ImportsDialog::move(int by) {
  const int row = m_list->currentRow();
  if (row < 0 || row + by < 0 || row + by >= m_list->count()) return;
  m_list->insertItem(row + by, m_list->takeItem(row));
  m_list->setCurrentRow(row + by);
}

void ImportsDialog::updateState() {
  m_up->setEnabled(m_list->currentRow() > 0);
  m_down->setEnabled(m_list->currentRow() >= 0 && m_list->currentRow() + 1 < m_list->count());
}

QVector<int> ImportsDialog::imports() const {
  QVector<int> out;
  for (int row = 0; row < m_list->count(); ++row)
    if (m_list->item(row)->checkState() == Qt::Checked) out << m_list->item(row)->data(Qt::UserRole).toInt();
  return out;
}

// --- a new module

AddModuleDialog::AddModuleDialog(const QStringList& keys, const QStringList& parents, int parent, QWidget* parentWidget)
    : QDialog(parentWidget), m_key(new QComboBox(this)), m_parent(new QComboBox(this)), m_file(new QLineEdit(this)) {
  setWindowTitle(tr("Add module"));
  setProperty("helpTopic", QStringLiteral("editing"));
  setMinimumWidth(560);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(metrics::kDialogMargin, 16, metrics::kDialogMargin, 16);
  layout->setSpacing(12);
  layout->addWidget(heading(tr("New module"), this));
  auto* const grid = new QGridLayout;
  grid->setHorizontalSpacing(12);
  grid->setVerticalSpacing(8);
  const auto row = [&](int number, const QString& name, QWidget* field) {
    auto* const label = new ThemeLabel(name, TextRole::Body, Role::Secondary, this);
    label->setTextInteractionFlags(Qt::NoTextInteraction);
    grid->addWidget(label, number, 0);
    grid->addWidget(field, number, 1);
    field->setAccessibleName(plainLine(name));
  };
  m_key->setEditable(true);
  m_key->addItems(keys);
  row(0, tr("Type key"), m_key);
  m_key->lineEdit()->setAccessibleName(tr("Type key"));
  row(1, tr("Payload"), m_file);
  m_file->setPlaceholderText(tr("A file with the bytes of the module, without type key and length"));
  auto* const browse = new QPushButton(tr("Browse…"), this);
  browse->setAutoDefault(false);
  grid->addWidget(browse, 1, 2);
  connect(browse, &QPushButton::clicked, this, [this] {
    const QString path = QFileDialog::getOpenFileName(this, tr("Payload of the new module"), m_file->text());
    if (!path.isEmpty()) m_file->setText(path);
  });
  m_parent->addItems(parents);
  m_parent->setCurrentIndex(parent);
  row(2, tr("Imported by"), m_parent);
  grid->setColumnStretch(1, 1);
  layout->addLayout(grid);
  QDialogButtonBox* const box = buttons(*this, tr("Add module"));
  for (QAbstractButton* button : box->buttons())
    if (box->buttonRole(button) == QDialogButtonBox::AcceptRole) m_add = static_cast<QPushButton*>(button);
  layout->addWidget(box);
  connect(m_key, &QComboBox::currentTextChanged, this, &AddModuleDialog::updateState);
  connect(m_file, &QLineEdit::textChanged, this, &AddModuleDialog::updateState);
  updateState();
}

void AddModuleDialog::updateState() { m_add->setEnabled(!key().isEmpty() && !file().isEmpty()); }

QString AddModuleDialog::key() const { return m_key->currentText().trimmed(); }
QString AddModuleDialog::file() const { return m_file->text().trimmed(); }
int AddModuleDialog::parentIndex() const { return m_parent->currentIndex(); }

} // namespace blobscope::ui
