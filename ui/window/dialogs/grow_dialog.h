#pragma once

#include "core/edit/images.h"
#include "core/targets/facts.h"

#include <QDialog>

#include <string>
#include <vector>

class QPushButton;
class QTreeWidget;

namespace blobscope::ui {

/// Asks for which GPUs the PTX of fat binaries is to be compiled: those of the tables for which at least one of them
/// has no machine code, and whose architecture is not older than its PTX.
class GrowDialog : public QDialog {
  Q_OBJECT
public:
  struct Subject {
    std::vector<edit::FatBinary> binaries;
    targets::FactsPtr facts;
  };
  /// Reads what the dialog needs. Not for the window's thread. Errors: those of edit::fatBinariesOf(), PRE-FACTS.
  static Result<Subject> read(const library::PackagePtr& package, const Ref& place, Monitor& monitor);

  /// `name`: of the module or file.
  GrowDialog(const QString& name, Subject subject, QWidget* parent);
  const std::vector<edit::FatBinary>& binaries() const { return m_subject.binaries; }
  /// Returns the chosen ones: "sm_120".
  std::vector<std::string> architectures() const;

private:
  void fillTree();

  const Subject m_subject;
  QTreeWidget* m_tree;
  QPushButton* m_accept;
};

} // namespace blobscope::ui
