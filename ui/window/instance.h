#pragma once

#include <QByteArray>
#include <QObject>
#include <QString>
#include <QStringList>

#include <memory>
#include <optional>

class QLocalServer;
class QLocalSocket;

namespace blobscope::ui {

/// What a second start of the program asks the running one to do.
struct OpenRequest {
  QStringList files; ///< absolute paths: none, one to open, or two to compare
  QString at;        ///< reference to show in the file, as for --at; empty: none

  /// Returns the message for the running program.
  QByteArray toMessage() const;
  /// Returns nullopt for everything that toMessage() does not return.
  static std::optional<OpenRequest> fromMessage(const QByteArray& message);
  friend bool operator==(const OpenRequest&, const OpenRequest&) = default;
};

/// The running program as other starts of it see it: a local socket in the user's own folder, for this display. It
/// receives nothing but requests to open files. Without Qt's network module there is none, and every start is
/// independent.
class Instance : public QObject {
  Q_OBJECT
public:
  /// Largest message in bytes, and the time in which a message or an answer must arrive.
  static constexpr qsizetype kLargest = 64 * 1024;
  static constexpr int kWaitMs = 3'000;

  /// Whether this build can open files in the running program.
  static bool isSupported();
  /// `name`: of the socket, see defaultName().
  explicit Instance(QString name, QObject* parent = nullptr);
  ~Instance() override;
  /// Returns the name of the socket of this user and display: a path on most systems. Empty if there is no private
  /// folder for it.
  static QString defaultName();

  /// Sends the request to a running program. Returns whether one has accepted it.
  static bool send(const QString& name, const OpenRequest& request);
  /// Waits for requests from now on; replaces the socket of a program that has ended. Returns false if another running
  /// program does so, or if it is not possible.
  bool listen();
  bool isListening() const;

Q_SIGNALS:
  void requested(const blobscope::ui::OpenRequest& request);

private:
  void accept();
  void read(QLocalSocket* socket);

  QString m_name;
  QLocalServer* m_server = nullptr;
};

} // namespace blobscope::ui
