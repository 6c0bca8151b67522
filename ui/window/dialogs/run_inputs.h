#pragma once

#include "core/run/options.h"
#include "ui/models/run_model.h"

#include <QWidget>

#include <vector>

class QPushButton;
class QTableView;

namespace blobscope::ui {

/// The tensors of a function, filled as `before` has it; `lastIsOutput`: the last one is written.
std::vector<RunInput> inputsOf(const host::Signature& signature, const run::RunOptions& before, bool lastIsOutput);
/// The arguments of a kernel, with the answers of `before` when that is of the same kernel.
std::vector<RunInput> inputsOf(const xref::Kernel& kernel, const run::RunOptions& before);
/// The shapes of the tensors, as in "7 × 128"; "?" for a dimension that is not known.
QStringList shapesOf(const host::Signature& signature, const run::Variables& variables);

/// The table of tensors and what they are filled with.
class RunInputsBox : public QWidget {
  Q_OBJECT
public:
  /// `folder` is where files are looked for first.
  RunInputsBox(QString folder, QWidget* parent);
  RunInputsModel& model() const { return *m_model; }
  /// Shows them, or hides itself when there are none. `wide`: shapes are answers of the user.
  void setInputs(std::vector<RunInput> inputs, bool wide);
  /// Whether the content matters; a dry run reads none.
  void setUsed(bool used);

Q_SIGNALS:
  /// An answer, or the row that buttons are about.
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
