#include "ui/window/dialogs/run_inputs.h"

#include "core/run/extent.h"
#include "ui/text/plain_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/labels.h"
#include "ui/window/dialogs/run_rows.h"

#include <QComboBox>
#include <QFileDialog>
#include <QHeaderView>
#include <QPushButton>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>

namespace blobscope::ui {
namespace {

/// Edits the fill of a tensor: words from a list, or other text.
class FillDelegate : public QStyledItemDelegate {
public:
  using QStyledItemDelegate::QStyledItemDelegate;
  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem&, const QModelIndex& index) const override {
    auto* const box = new QComboBox(parent);
    box->setEditable(true);
    box->addItems(RunInputsModel::words());
    box->setAccessibleName(plainLine(
        RunInputsBox::tr("Filled with: %1").arg(index.siblingAtColumn(RunInputsModel::Name).data().toString())));
    return box;
  }
  void setEditorData(QWidget* editor, const QModelIndex& index) const override {
    if (auto* const box = qobject_cast<QComboBox*>(editor)) box->setCurrentText(index.data(Qt::EditRole).toString());
  }
  void setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const override {
    if (auto* const box = qobject_cast<QComboBox*>(editor)) model->setData(index, box->currentText(), Qt::EditRole);
  }
};

/// Returns "7 × 128"; "?" for an unknown dimension.
QString shapeText(const host::Parameter& parameter, const run::Variables& variables) {
  if (!parameter.rankKnown) return QStringLiteral("?");
  QStringList words;
  for (const host::Dimension& dimension : parameter.shape) {
    if (dimension.value) {
      words << QString::number(*dimension.value);
      continue;
    }
    const auto value = dimension.text.empty() ? Result<int64_t>(Error(DiagnosticId::Usage, {}))
                                              : run::evaluate(dimension.text, variables);
    words << (value ? QString::number(*value) : QStringLiteral("?"));
  }
  return words.isEmpty() ? RunInputsBox::tr("scalar") : words.join(QStringLiteral(" × "));
}

QString fillOf(const std::string& name, const run::RunOptions& before) {
  const auto known = before.inputs.find(name);
  return known == before.inputs.end() ? QStringLiteral("default") : wholeToQt(known->second);
}

} // namespace

std::vector<RunInput> inputsOf(const host::Signature& signature, const run::RunOptions& before, bool lastIsOutput) {
  std::vector<RunInput> inputs;
  std::size_t last = signature.parameters.size();
  for (std::size_t i = 0; i < signature.parameters.size(); ++i)
    if (signature.parameters[i].kind == host::Parameter::Kind::Tensor) last = i;
  for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
    const host::Parameter& parameter = signature.parameters[i];
    if (parameter.kind != host::Parameter::Kind::Tensor) continue;
    RunInput input;
    input.name = parameter.name.empty() ? "arg" + std::to_string(i) : parameter.name;
    input.type = parameter.dtype.empty() ? QStringLiteral("bool") : nameToQt(parameter.dtype);
    input.fill = fillOf(input.name, before);
    input.output = i == last && lastIsOutput;
    inputs.push_back(std::move(input));
  }
  return inputs;
}

std::vector<RunInput> inputsOf(const xref::Kernel& kernel, const run::RunOptions& before) {
  std::vector<RunInput> inputs;
  const QStringList types = wholeToQt(kernel.arguments).split(QStringLiteral(", "), Qt::SkipEmptyParts);
  for (qsizetype i = 0; i < types.size(); ++i) {
    RunInput input;
    input.name = "arg" + std::to_string(i);
    input.type = types[i];
    input.asked = true;
    if (before.kernel && before.kernel->kernel == kernel.ref)
      if (const auto argument = before.kernel->arguments.find(static_cast<uint32_t>(i));
          argument != before.kernel->arguments.end())
        input.shape = wholeToQt(argument->second);
    input.fill = fillOf(input.name, before);
    inputs.push_back(std::move(input));
  }
  return inputs;
}

QStringList shapesOf(const host::Signature& signature, const run::Variables& variables) {
  QStringList shapes;
  for (const host::Parameter& parameter : signature.parameters)
    if (parameter.kind == host::Parameter::Kind::Tensor) shapes << shapeText(parameter, variables);
  return shapes;
}

RunInputsBox::RunInputsBox(QString folder, QWidget* parent)
    : QWidget(parent), m_folder(std::move(folder)), m_table(new QTableView(this)),
      m_file(new QPushButton(tr("Fill from a file…"), this)), m_model(new RunInputsModel(this)) {
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(6);
  auto* const head = new QHBoxLayout;
  head->addWidget(rowLabel(tr("&Tensors"), m_table, this), 1);
  m_file->setAutoDefault(false);
  m_file->setToolTip(tr("Fills the selected tensor from a NumPy file"));
  connect(m_file, &QPushButton::clicked, this, &RunInputsBox::browse);
  head->addWidget(m_file);
  layout->addLayout(head);
  setUpTable();
  layout->addWidget(m_table, 1);
  connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &RunInputsBox::changed);
  connect(m_model, &QAbstractItemModel::dataChanged, this, &RunInputsBox::changed);
}

void RunInputsBox::setUpTable() {
  m_table->setModel(m_model);
  m_table->setItemDelegateForColumn(RunInputsModel::Filled, new FillDelegate(m_table));
  m_table->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                           QAbstractItemView::AnyKeyPressed | QAbstractItemView::SelectedClicked);
  m_table->setSelectionMode(QAbstractItemView::SingleSelection);
  m_table->setShowGrid(false);
  m_table->setTabKeyNavigation(false);
  m_table->setWordWrap(false);
  m_table->verticalHeader()->hide();
  m_table->verticalHeader()->setDefaultSectionSize(metrics::rowHeight() + 4);
  m_table->horizontalHeader()->setHighlightSections(false);
  m_table->horizontalHeader()->setFixedHeight(28);
  m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  m_table->horizontalHeader()->setSectionResizeMode(RunInputsModel::Filled, QHeaderView::Stretch);
  m_table->setColumnWidth(RunInputsModel::Name, 150);
  m_table->setColumnWidth(RunInputsModel::Type, 90);
  m_table->setColumnWidth(RunInputsModel::Shape, 160);
  m_table->setMinimumHeight(28 + 2 * (metrics::rowHeight() + 4));
}

void RunInputsBox::setInputs(std::vector<RunInput> inputs, bool wide) {
  m_model->setInputs(std::move(inputs));
  if (m_model->rowCount() > 0)
    m_table->setCurrentIndex(m_model->index(0, RunInputsModel::Filled)); // the column that can be edited
  m_table->setColumnWidth(RunInputsModel::Shape, wide ? 230 : 160);
  setVisible(m_model->rowCount() > 0);
}

void RunInputsBox::setUsed(bool used) {
  m_table->setEnabled(used);
  const int row = m_table->currentIndex().row();
  m_file->setEnabled(used && row >= 0 && RunInputsModel::isBuffer(m_model->inputs()[static_cast<std::size_t>(row)]));
}

void RunInputsBox::browse() {
  const QModelIndex index = m_table->currentIndex();
  if (!index.isValid()) return;
  const QString path = QFileDialog::getOpenFileName(
      this, plainLine(tr("Content of %1").arg(index.siblingAtColumn(RunInputsModel::Name).data().toString())), m_folder,
      tr("NumPy files (*.npy)"));
  if (!path.isEmpty()) m_model->setData(index.siblingAtColumn(RunInputsModel::Filled), path, Qt::EditRole);
}

} // namespace blobscope::ui
