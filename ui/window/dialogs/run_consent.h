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
  QString name;   ///< with its origin
  QString sha256; ///< empty for a TVM runtime, and until it is computed
  QString key;    ///< key of the consent; empty until the digest is known
  friend bool operator==(const ExecutedCode&, const ExecutedCode&) = default;
};

/// Returns all code that the request executes, that of the subject first.
std::vector<ExecutedCode> executedCodes(const RunSubject& subject, const QString& file, const RunRequest& request);
/// Whether `consents` contains the keys of all code.
bool areAgreed(const std::vector<ExecutedCode>& codes, const QStringList& consents);

/// Asks for consent to execute code: what it means, the name and the digest of each file, and a check box.
class RunConsent : public Panel {
  Q_OBJECT
public:
  explicit RunConsent(QWidget* parent);
  /// Shows the code; if it differs from the code before, the consent is withdrawn. `file` is the name of the opened
  /// file; `isReading`: a missing digest follows later.
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
  std::vector<ExecutedCode> m_codes; ///< code that m_check applies to
};

/// Asks only for the consent: `title` is also the text of the button; `words` are one or two sentences about its
/// purpose.
class ConsentDialog : public QDialog {
  Q_OBJECT
public:
  ConsentDialog(const QString& title, const QString& words, const std::vector<ExecutedCode>& codes, const QString& file,
                QWidget* parent);
};

} // namespace blobscope::ui
