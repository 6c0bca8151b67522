#pragma once

#include "core/write/repack.h"
#include "ui/session/document.h"
#include "ui/session/jobs.h"

#include <QDialog>
#include <QPointer>
#include <QTimer>

#include <atomic>
#include <memory>
#include <optional>

class QCheckBox;
class QComboBox;
class QLineEdit;
class QListView;
class QPushButton;
class QScrollArea;

namespace blobscope::ui {

class Banner;
class ChangesModel;
class IconLabel;
class RepackPlan;
class ThemeLabel;

/// Asks where to write the edited file, shows what will be written and the consequences, and writes it. The plan is
/// updated with the options; the Repack button is enabled when the plan is ready. The dialog uses the edits that the
/// document has when it is created.
class RepackDialog : public QDialog {
  Q_OBJECT
public:
  /// The document must have a state.
  RepackDialog(Document& document, QWidget* parent);
  ~RepackDialog() override;

  /// Sets the path; a name without a folder is a file next to the opened one.
  void setTarget(const QString& path);
  /// Returns an absolute path; empty when no name is entered.
  QString target() const;
  /// Returns the path of the opened file with "-edited" before the suffix (".tar.gz" and ".so.1.2" count as one
  /// suffix).
  static QString defaultTarget(const QString& opened);
  /// The dialog has its own jobs, so that they end with it.
  Jobs& jobs() { return m_jobs; }
  /// Cancels the write job if it is running, else closes the dialog.
  void reject() override;

Q_SIGNALS:
  /// The file was written and verified.
  void repacked(const QString& path);
  /// The user wants to open the new file.
  void openRequested(const QString& path);

protected:
  void keyPressEvent(QKeyEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  enum class Phase { Asking, Writing, Written };
  /// What a job found at the target path.
  struct Place {
    bool exists = false, isOpened = false;
    QString problem; ///< a sentence; empty when the file can be written there
  };

  QWidget* makeTarget();
  QWidget* makeMiddle();
  QWidget* makeBottom();
  QWidget* makeOptions();
  QWidget* makeArchiveOptions();

  void checkTarget();
  void plan();
  void repack();
  void endWriting(const Result<Done>& done, const QString& path);
  void browse();

  bool isReady() const;
  /// Whether the plan breaks calls and the user has not agreed to that.
  bool lacksConsent() const;
  std::vector<int> includedRows() const;
  /// Excludes the renames that break calls.
  void keepNames();
  /// Clears the message about the last attempt; called when the user changes an option.
  void forget();
  void updateState();
  void setStatus(const QString& text, const char* icon = nullptr);
  void setProgress(std::optional<double> share);
  /// When the first plan is ready, makes the dialog high enough for its rows, as far as the screen allows.
  void growToPlan();

  const Document::StatePtr m_state;
  const QString m_path; ///< of the opened file
  Phase m_phase = Phase::Asking;
  std::shared_ptr<const write::Repack>
      m_repack;                 ///< for the current options; null while it is computed, and when the plan is refused
  std::optional<Place> m_place; ///< of the current target
  std::shared_ptr<std::atomic<bool>> m_stop; ///< of the write job
  QString m_note;                            ///< about the last attempt to write
  QPointer<QWidget> m_focus;                 ///< widget with the focus before the last attempt
  bool m_refused = false, m_signed = false, m_grown = false;

  QLineEdit* m_edit;
  QPushButton* m_browse;
  QScrollArea* m_scroll;
  ThemeLabel* m_count;
  ChangesModel* m_changes;
  QListView* m_list;
  RepackPlan* m_plan;
  QCheckBox *m_scrub, *m_backup, *m_verify;
  QWidget* m_signatureRow;
  QComboBox* m_signature;
  QWidget* m_archiveRow; ///< only for Model Library Format archives
  QComboBox* m_version;
  QCheckBox* m_canonical;
  Banner* m_banner;
  QWidget* m_progress;
  IconLabel* m_statusIcon;
  ThemeLabel* m_status;
  QWidget *m_before, *m_after; ///< rows of buttons
  QPushButton *m_repackButton, *m_cancel, *m_show, *m_open, *m_close;
  QTimer m_delay; ///< before a status text about work in progress appears
  Jobs m_jobs;    ///< last member: destroyed first
};

} // namespace blobscope::ui
