#include "ui/window/instance.h"

#include "core/base/ref.h"
#include "ui/text/plain_text.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStandardPaths>
#include <QTimer>

#ifdef BLOBSCOPE_LOCAL_SOCKET
#include <QLocalServer>
#include <QLocalSocket>
#endif

namespace blobscope::ui {
namespace {

const QString kVersion = QStringLiteral("blobscope"), kFiles = QStringLiteral("files"),
              kPlaceKey = QStringLiteral("at");
constexpr int kFormat = 1, kMostFiles = 2;
constexpr qsizetype kLongestPath = 16'384;
constexpr char kAccepted = '+';

bool isPath(const QString& path) {
  return path.size() <= kLongestPath && !path.contains(QChar::Null) && QDir::isAbsolutePath(path);
}

} // namespace

QByteArray OpenRequest::toMessage() const {
  const QJsonObject object = {{kVersion, kFormat}, {kFiles, QJsonArray::fromStringList(files)}, {kPlaceKey, at}};
  return QJsonDocument(object).toJson(QJsonDocument::Compact) + '\n';
}

std::optional<OpenRequest> OpenRequest::fromMessage(const QByteArray& message) {
  if (message.size() > Instance::kLargest || !message.endsWith('\n')) return std::nullopt;
  const QJsonObject object = QJsonDocument::fromJson(message).object();
  const QJsonValue files = object.value(kFiles), at = object.value(kPlaceKey);
  if (object.size() != 3 || object.value(kVersion).toInt() != kFormat || !files.isArray() || !at.isString() ||
      files.toArray().size() > kMostFiles)
    return std::nullopt;
  OpenRequest request;
  for (const QJsonValue& file : files.toArray()) {
    if (!file.isString() || !isPath(file.toString())) return std::nullopt;
    request.files << file.toString();
  }
  request.at = at.toString();
  if (!request.at.isEmpty() && !Ref::parse(fromQt(request.at))) return std::nullopt;
  return request;
}

Instance::Instance(QString name, QObject* parent) : QObject(parent), m_name(std::move(name)) {}

Instance::~Instance() = default;

bool Instance::isSupported() {
#ifdef BLOBSCOPE_LOCAL_SOCKET
  return true;
#else
  return false;
#endif
}

#ifdef BLOBSCOPE_LOCAL_SOCKET

QString Instance::defaultName() {
  QCryptographicHash place(QCryptographicHash::Sha256);
  // Windows on another display would not be seen.
  for (const char* const name : {"WAYLAND_DISPLAY", "DISPLAY", "QT_QPA_PLATFORM"}) {
    place.addData(qgetenv(name));
    place.addData(QByteArray(1, '\0'));
  }
#ifdef Q_OS_WIN
  place.addData(QDir::homePath().toUtf8()); // names of pipes are common to all users
  return QStringLiteral("blobscope-") + QString::fromLatin1(place.result().toHex().left(24));
#else
  // Folders that only the user can read. A path of a socket has at most about 100 bytes.
  constexpr qsizetype kLongestName = 100;
  const QString file = QStringLiteral("/blobscope-") + QString::fromLatin1(place.result().toHex().left(12));
  for (const auto where : {QStandardPaths::RuntimeLocation, QStandardPaths::AppLocalDataLocation}) {
    // Without the variable, Qt makes a folder in a public place, with a warning.
    if (where == QStandardPaths::RuntimeLocation && qEnvironmentVariableIsEmpty("XDG_RUNTIME_DIR")) continue;
    const QString folder = QStandardPaths::writableLocation(where);
    if (folder.isEmpty() || QFile::encodeName(folder + file).size() > kLongestName) continue;
    if (!QDir().mkpath(folder)) continue;
    constexpr auto kOthers = QFile::WriteGroup | QFile::WriteOther;
    if (QFile::permissions(folder) & kOthers) continue;
    return folder + file;
  }
  return {};
#endif
}

bool Instance::send(const QString& name, const OpenRequest& request) {
  const QByteArray message = request.toMessage();
  if (name.isEmpty() || !OpenRequest::fromMessage(message)) return false;
  QLocalSocket socket;
  socket.connectToServer(name);
  if (!socket.waitForConnected(kWaitMs)) return false;
  socket.write(message);
  if (!socket.waitForBytesWritten(kWaitMs)) return false;
  return (socket.bytesAvailable() > 0 || socket.waitForReadyRead(kWaitMs)) &&
         socket.read(1) == QByteArray(1, kAccepted);
}

bool Instance::listen() {
  if (m_name.isEmpty()) return false;
  if (!m_server) {
    m_server = new QLocalServer(this);
    m_server->setSocketOptions(QLocalServer::UserAccessOption);
    connect(m_server, &QLocalServer::newConnection, this, &Instance::accept);
  }
  // The name is taken by a running program, or by one that ended without removing it. Listening would replace both.
  QLocalSocket probe;
  probe.connectToServer(m_name);
  if (probe.waitForConnected(kWaitMs)) return false;
  QLocalServer::removeServer(m_name);
  return m_server->listen(m_name);
}

bool Instance::isListening() const { return m_server && m_server->isListening(); }

void Instance::accept() {
  while (QLocalSocket* const socket = m_server->nextPendingConnection()) {
    socket->setReadBufferSize(kLargest + 1);
    connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
    connect(socket, &QLocalSocket::readyRead, this, [this, socket] { read(socket); });
    QTimer::singleShot(kWaitMs, socket, &QLocalSocket::abort); // a client that sends nothing
    if (socket->bytesAvailable() > 0) read(socket);
  }
}

void Instance::read(QLocalSocket* socket) {
  if (!socket->canReadLine() && socket->bytesAvailable() <= kLargest) return; // the rest follows
  const auto request = OpenRequest::fromMessage(socket->readLine(kLargest + 1));
  if (!request) {
    socket->abort();
    return;
  }
  socket->write(QByteArray(1, kAccepted));
  socket->flush();
  socket->disconnectFromServer();
  Q_EMIT requested(*request);
}

#else

QString Instance::defaultName() { return {}; }
bool Instance::send(const QString&, const OpenRequest&) { return false; }
bool Instance::listen() { return false; }
bool Instance::isListening() const { return false; }

#endif

} // namespace blobscope::ui
