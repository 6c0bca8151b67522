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

/// Asks where the edited file is to go, shows what will be written and what follows from it, and writes it. The plan
/// follows the options; Repack waits for the plan. It works on the edits that the document has when it is made.
class RepackDialog : public QDialog {
  Q_OBJECT
public:
  /// The document has a state.
  RepackDialog(Document& document, QWidget* parent);
  ~RepackDialog() override;

  /// A path; a name alone means a file beside the opened one.
  void setTarget(const QString& path);
  /// Absolute; empty when no name is given.
  QString target() const;
  /// "-edited" before the suffix, where ".tar.gz" and ".so.1.2" are one: beside the opened file.
  static QString defaultTarget(const QString& opened);
  /// Its own, so that they end with it.
  Jobs& jobs() { return m_jobs; }
  /// While it writes: stops that. Else closes.
  void reject() override;

Q_SIGNALS:
  /// The file is there under its name, verified.
  void repacked(const QString& path);
  /// The user wants to see the result.
  void openRequested(const QString& path);

protected:
  void keyPressEvent(QKeyEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  enum class Phase { Asking, Writing, Written };
  /// What a job found at the target.
  struct Place {
    bool exists = false, isOpened = false;
    QString problem; ///< a sentence; empty when a file can be there
  };

  QWidget* makeTarget();
  QWidget* makeMiddle();
  QWidget* makeBottom();
  QWidget* makeOptions();

  void checkTarget();
  void plan();
  void repack();
  void endWriting(const Result<Done>& done, const QString& path);
  void browse();

  bool isReady() const;
  /// Whether the plan breaks calls and the user has not agreed to that.
  bool lacksConsent() const;
  std::vector<int> includedRows() const;
  /// Leaves out the renames that break calls.
  void keepNames();
  /// After an answer of the user: what was said about the last attempt is over.
  void forget();
  void updateState();
  void setStatus(const QString& text, const char* icon = nullptr);
  void setProgress(std::optional<double> share);
  /// Once, when the first plan is there: as high as its rows, as far as the screen goes.
  void growToPlan();

  const Document::StatePtr m_state;
  const QString m_path; ///< of the opened file
  Phase m_phase = Phase::Asking;
  std::shared_ptr<const write::Repack>
      m_repack;                              ///< of the present answers; null while it is computed, and when refused
  std::optional<Place> m_place;              ///< of the present target
  std::shared_ptr<std::atomic<bool>> m_stop; ///< of the write job
  QString m_note;                            ///< about the last attempt to write
  QPointer<QWidget> m_focus;                 ///< before the last attempt
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
  Banner* m_banner;
  QWidget* m_progress;
  IconLabel* m_statusIcon;
  ThemeLabel* m_status;
  QWidget *m_before, *m_after; ///< the buttons
  QPushButton *m_repackButton, *m_cancel, *m_show, *m_open, *m_close;
  QTimer m_delay; ///< before it is said that something is being computed
  Jobs m_jobs;    ///< last: ends before the rest
};

} // namespace blobscope::ui
