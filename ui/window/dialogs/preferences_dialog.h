#pragma once

#include "ui/window/preferences.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QGridLayout;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace blobscope::ui {

class PathRow;
class ThemeLabel;

/// The preferences on one page: looks, files, tools, language. Apply and OK store them and apply them to all windows;
/// what applies to the next start says so.
class PreferencesDialog : public QDialog {
  Q_OBJECT
public:
  explicit PreferencesDialog(QWidget* parent);
  /// Returns what the dialog shows.
  Preferences shown() const;
  void show(const Preferences& preferences);
  using QDialog::show;
  void accept() override;

Q_SIGNALS:
  /// The preferences were stored and applied.
  void applied();

private:
  void addHeading(const QString& text);
  /// Adds a row; `note`: a sentence below it, empty for none.
  void addRow(const QString& name, QWidget* widget, QWidget* buddy, const QString& note = {});
  void addBox(QCheckBox* box);
  ThemeLabel* addNote(const QString& text);
  void makeLooks();
  void makeFiles();
  void makeTools();
  void makeLanguage();
  void makeButtons();
  void browse(PathRow& row, const QString& title);
  void apply();
  void updateState();
  void updateSample();

  QGridLayout* m_grid;
  QComboBox *m_theme, *m_family, *m_units, *m_language;
  QSpinBox* m_points;
  ThemeLabel* m_sample;
  QCheckBox *m_reopen, *m_reuse;
  QLineEdit* m_memory;
  PathRow *m_cuda, *m_runtime;
  ThemeLabel* m_problem;
  QPushButton *m_ok, *m_apply;
  Preferences m_stored; ///< what is stored now
};

} // namespace blobscope::ui
