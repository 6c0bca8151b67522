#pragma once

#include "core/run/options.h"
#include "ui/models/run_model.h"

#include <QWidget>

#include <vector>

class QPushButton;
class QTableView;

namespace blobscope::ui {

/// Returns the tensors of a function, filled as in `before`; `lastIsOutput`: the last one is written.
std::vector<RunInput> inputsOf(const host::Signature& signature, const run::RunOptions& before, bool lastIsOutput);
/// Returns the arguments of a kernel, with the answers of `before` if they are for the same kernel.
std::vector<RunInput> inputsOf(const xref::Kernel& kernel, const run::RunOptions& before);
/// Returns the shapes of the tensors, such as "7 × 128"; "?" for an unknown dimension.
QStringList shapesOf(const host::Signature& signature, const run::Variables& variables);

/// The table of tensors and of what they are filled with.
class RunInputsBox : public QWidget {
  Q_OBJECT
public:
  /// `folder` is the initial folder of file dialogs.
  RunInputsBox(QString folder, QWidget* parent);
  RunInputsModel& model() const { return *m_model; }
  /// Shows the inputs; hides the box when there are none. `wide`: the user enters shapes.
  void setInputs(std::vector<RunInput> inputs, bool wide);
  /// Whether the content matters; a dry run does not read it.
  void setUsed(bool used);

Q_SIGNALS:
  /// An answer or the selected row has changed.
  void changed();

private:
  void setUpTable();
  void browse();

  const QString m_folder;
  QTableView* m_table;
  QPushButton* m_file;
  RunInputsModel* m_model;
};

} // namespace blobscope::ui
