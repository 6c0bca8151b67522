#pragma once

#include "core/base/monitor.h"
#include "core/edit/images.h"
#include "core/requirements/requirements.h"
#include "core/targets/facts.h"

#include <QDialog>
#include <QTimer>

#include <optional>
#include <vector>

class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace blobscope::ui {

class ThemeLabel;

/// Asks which images of fat binaries to keep, and shows how many bytes the others have and which GPUs can no longer run
/// the library without them.
class ThinDialog : public QDialog {
  Q_OBJECT
public:
  struct Subject {
    std::vector<edit::FatBinary> binaries;
    std::vector<requirements::DeviceCode> code; ///< of the whole file
    targets::FactsPtr facts;
  };
  /// Reads what the dialog needs. Not for the window's thread. Errors: those of edit::fatBinariesOf(), PRE-FACTS.
  static Result<Subject> read(const library::PackagePtr& package, const Ref& place, Monitor& monitor);

  /// `name`: of the module or file.
  ThinDialog(const QString& name, Subject subject, QWidget* parent);
  /// Returns the images that are not kept.
  std::vector<Ref> removed() const;

private:
  /// An image in the tree; images of a group without rows of their own have the item of the group.
  struct Row {
    const edit::FatBinary* binary;
    std::size_t number; ///< in its fat binary
    QTreeWidgetItem* item = nullptr;
    std::optional<std::size_t> code; ///< index in Subject::code
  };
  void findCode();
  void fillTree();
  void updateState();
  QString refusal() const;

  const Subject m_subject;
  std::vector<Row> m_rows;
  QTreeWidget* m_tree;
  ThemeLabel *m_sum, *m_lost, *m_compiled, *m_refusal;
  QPushButton* m_accept;
  QTimer m_update;
};

} // namespace blobscope::ui
