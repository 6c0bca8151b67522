#pragma once

#include "ui/session/test_run.h"
#include "ui/widgets/labels.h"

#include <QDialog>

#include <array>
#include <vector>

class QCheckBox;

namespace blobscope::ui {

/// Code that a run executes.
struct ExecutedCode {
  QString name;   ///< with the place
  QString sha256; ///< empty for a TVM runtime, and until it is known
  QString key;    ///< of the consent; empty until the digest is known
  friend bool operator==(const ExecutedCode&, const ExecutedCode&) = default;
};

/// All code that the request executes, that of the subject first.
std::vector<ExecutedCode> executedCodes(const RunSubject& subject, const QString& file, const RunRequest& request);
/// Whether the keys of all code are among `consents`.
bool areAgreed(const std::vector<ExecutedCode>& codes, const QStringList& consents);

/// Asks for the consent to execute code: what that means, the name and the digest of each file, and a check box.
class RunConsent : public Panel {
  Q_OBJECT
public:
  explicit RunConsent(QWidget* parent);
  /// Shows the code; another one than before takes the consent back. `file` is the name of the opened file;
  /// `isReading`: a digest that is missing follows.
  void setCodes(const std::vector<ExecutedCode>& codes, bool agreed, const QString& file, bool isReading);
  bool isGiven() const;

Q_SIGNALS:
  void toggled();

private:
  struct Row {
    ThemeLabel *name, *digest;
  };
  ThemeLabel* m_words;
  std::array<Row, 3> m_rows;
  QCheckBox* m_check;
  std::vector<ExecutedCode> m_codes; ///< that m_check is for
};

/// Asks only for the consent, with what it is for: `title` names the button, too; `words` are a sentence or two.
class ConsentDialog : public QDialog {
  Q_OBJECT
public:
  ConsentDialog(const QString& title, const QString& words, const std::vector<ExecutedCode>& codes, const QString& file,
                QWidget* parent);
};

} // namespace blobscope::ui
