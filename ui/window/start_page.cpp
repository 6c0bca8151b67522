#include "ui/window/start_page.h"

#include "core/base/text.h"
#include "ui/pages/kind_look.h"
#include "ui/text/plain_text.h"
#include "ui/theme/delegates.h"
#include "ui/theme/icons.h"
#include "ui/widgets/labels.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QLocale>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include <array>

namespace blobscope::ui {
namespace {

class Card : public QFrame {
public:
  Card(bool dashed, QWidget* parent) : QFrame(parent), m_dashed(dashed) {}

protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(theme().color(Role::Base));
    QPen pen(theme().color(m_dashed ? Role::ControlBorder : Role::Rule), 1);
    if (m_dashed) pen.setStyle(Qt::DashLine);
    painter.setPen(pen);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
  }

private:
  bool m_dashed;
};

/// A row that is a button: icon, name with a line below, two texts at the right.
class FileRow : public QAbstractButton {
public:
  FileRow(QString iconName, Role role, const QString& name, const QString& detail, QString first, QString second,
          QWidget* parent)
      : QAbstractButton(parent), m_icon(std::move(iconName)), m_role(role), m_detail(plainLine(detail)),
        m_first(std::move(first)), m_second(std::move(second)) {
    setText(plainLine(name));
    setShortcut({}); // an ampersand in a name is not a shortcut
    setAccessibleName(plainLine(name + QStringLiteral(", ") + m_detail));
    setFixedHeight(48);
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    setAttribute(Qt::WA_Hover);
  }

protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    const QRect box = rect().adjusted(4, 2, -4, -2);
    if (underMouse()) painter.fillRect(box, theme().color(Role::Hover));
    if (hasFocus()) {
      painter.setPen(QPen(theme().color(Role::Accent), 2));
      painter.drawRect(box.adjusted(1, 1, -1, -1));
    }
    painter.drawPixmap(placed(*this, QRect(14, (height() - 20) / 2, 20, 20)).topLeft(),
                       iconPixmap(m_icon, m_role, 20, devicePixelRatioF()));
    const QRect words = box.adjusted(42, 4, -12, -4);
    const QFont small = textFont(TextRole::Secondary);
    const int right =
        qMax(QFontMetrics(small).horizontalAdvance(m_first), QFontMetrics(small).horizontalAdvance(m_second));
    QFont nameFont = font();
    nameFont.setWeight(QFont::Medium);
    painter.setFont(nameFont);
    painter.setPen(theme().color(Role::Text));
    const QRect left = words.adjusted(0, 0, -right - 12, 0);
    painter.drawText(placed(*this, left), Qt::AlignTop,
                     QFontMetrics(nameFont).elidedText(text(), Qt::ElideMiddle, left.width()));
    painter.setFont(small);
    painter.setPen(theme().color(Role::Secondary));
    painter.drawText(placed(*this, left), Qt::AlignBottom,
                     QFontMetrics(small).elidedText(m_detail, Qt::ElideRight, left.width()));
    painter.drawText(placed(*this, words), Qt::AlignTop | Qt::AlignRight, m_first);
    painter.drawText(placed(*this, words), Qt::AlignBottom | Qt::AlignRight, m_second);
  }

private:
  QString m_icon;
  Role m_role;
  QString m_detail, m_first, m_second;
};

class Logo : public QWidget {
public:
  explicit Logo(QWidget* parent) : QWidget(parent) { setFixedSize(60, 60); }

protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    drawIcon(painter, QStringLiteral("blobscope"), rect());
  }
};

PlainLabel* startHeading(const QString& text, QWidget* parent) {
  auto* const label = new PlainLabel(text, parent);
  label->setFont(textFont(TextRole::Heading));
  return label;
}

QString whenText(const QDateTime& time) {
  const QDate today = QDate::currentDate();
  if (time.date() == today)
    return QObject::tr("today %1").arg(QLocale().toString(time.time(), QStringLiteral("HH:mm")));
  if (time.date() == today.addDays(-1)) return QObject::tr("yesterday");
  return QLocale().toString(time.date(), QStringLiteral("d MMM yyyy"));
}

/// Returns the most specific module of a library, for the icon: the first device module, else the first module.
QString mainModule(const library::Package& package) {
  QString first;
  for (const auto& blob : package.blobs)
    for (const library::ModulePtr& module : blob->modules) {
      const QString key = nameToQt(module->key.view());
      if (kindLook(library::RowKind::Module, key).role == Role::KindDevice) return key;
      if (first.isEmpty() && key != QLatin1String("_lib")) first = key;
    }
  return first;
}

/// A bundled file and its description.
struct Sample {
  const char *file, *name, *detail, *icon;
  Role role;
};
constexpr std::array<Sample, 6> kSamples = {
    {{"sample-cuda-a.so", QT_TRANSLATE_NOOP("blobscope::ui::StartPage", "A small model for CUDA"),
      QT_TRANSLATE_NOOP("blobscope::ui::StartPage", "Relax VM, four kernels as PTX"), "kind-cuda", Role::KindDevice},
     {"sample-cuda-b.so", QT_TRANSLATE_NOOP("blobscope::ui::StartPage", "The same model, rebuilt"),
      QT_TRANSLATE_NOOP("blobscope::ui::StartPage", "One kernel and one weight differ"), "kind-cuda", Role::KindDevice},
     {"sample-opencl.so", QT_TRANSLATE_NOOP("blobscope::ui::StartPage", "The same model for OpenCL"),
      QT_TRANSLATE_NOOP("blobscope::ui::StartPage", "Kernels as source"), "kind-opencl", Role::KindDevice},
     {"sample-cpu.so", QT_TRANSLATE_NOOP("blobscope::ui::StartPage", "The same model for the CPU"),
      QT_TRANSLATE_NOOP("blobscope::ui::StartPage", "Host functions only"), "kind-host-code", Role::KindHost},
     {"sample-mlf.tar", QT_TRANSLATE_NOOP("blobscope::ui::StartPage", "A model for a microcontroller"),
      QT_TRANSLATE_NOOP("blobscope::ui::StartPage", "Model Library Format archive with C sources"), "kind-archive",
      Role::KindContainer},
     {"sample-damaged.so", QT_TRANSLATE_NOOP("blobscope::ui::StartPage", "A damaged library"),
      QT_TRANSLATE_NOOP("blobscope::ui::StartPage", "Shows how damaged bytes are reported"), "kind-unknown",
      Role::KindUnknown}}};

} // namespace

RecentFile describeRecent(const QString& path, const Document::State& state) {
  QStringList detail;
  const auto fact = [&](std::string_view label) {
    for (const auto& known : state.overview.facts)
      if (known.label == label) return toQt(known.value);
    return QString();
  };
  detail << fact("Host machine") << fact("Device");
  if (const QString era = fact("Era"); era.contains(QLatin1Char('(')))
    detail << era.section(QLatin1Char('('), 1).section(QLatin1Char(')'), 0, 0);
  return {path, detail.join(QStringLiteral(" · ")), mainModule(*state.package)};
}

QString sampleFolder() {
  const QDir program(QCoreApplication::applicationDirPath());
  // As packages for Linux, Windows and macOS have it, and before the installation.
  for (const QString& place :
       {program.filePath(QStringLiteral("../share/blobscope/sample")), program.filePath(QStringLiteral("sample")),
        program.filePath(QStringLiteral("../Resources/sample")), QStringLiteral(BLOBSCOPE_SAMPLE_FOLDER)})
    if (QFileInfo(place).isDir()) return QDir(place).absolutePath();
  return {};
}

StartPage::StartPage(QWidget* parent) : ScrollArea(parent) {
  auto* const page = new QWidget(this);
  auto* const outer = new QVBoxLayout(page);
  outer->setContentsMargins(24, 24, 24, 24);
  outer->addStretch(1);
  auto* const middle = new QHBoxLayout;
  middle->addStretch(1);
  auto* const content = new QWidget(page);
  content->setMaximumWidth(1080);
  middle->addWidget(content, 20);
  middle->addStretch(1);
  outer->addLayout(middle);
  outer->addStretch(3);
  auto* const layout = new QVBoxLayout(content);
  layout->setSpacing(24);

  layout->addLayout(makeHead(content));
  layout->addWidget(makeDrop(content));
  auto* const lists = new QHBoxLayout;
  lists->setSpacing(24);
  lists->addLayout(makeRecent(content), 4);
  lists->addLayout(makeSamples(content), 3);
  layout->addLayout(lists);
  setWidget(page);
  setAccessibleName(tr("Start page"));
}

QLayout* StartPage::makeHead(QWidget* content) {
  auto* const head = new QHBoxLayout;
  head->setSpacing(24);
  head->addWidget(new Logo(content));
  auto* const words = new QVBoxLayout;
  auto* const title = new PlainLabel(QStringLiteral("Blobscope"), content);
  QFont big = textFont(TextRole::FileName);
  big.setPointSizeF(QFontInfo(big).pointSizeF() * 1.4);
  title->setFont(big);
  words->setSpacing(4);
  words->addStretch();
  words->addWidget(title);
  words->addWidget(
      new ThemeLabel(tr("Inspect the libraries that Apache TVM exports. Opening a file never executes it."),
                     TextRole::Body, Role::Secondary, content));
  words->addStretch();
  head->addLayout(words, 1);
  return head;
}

QWidget* StartPage::makeDrop(QWidget* content) {
  auto* const drop = new Card(true, content);
  auto* const dropLayout = new QHBoxLayout(drop);
  dropLayout->setContentsMargins(24, 20, 24, 20);
  dropLayout->addWidget(new IconLabel(QStringLiteral("open"), Role::Accent, 32, drop));
  dropLayout->addSpacing(16);
  auto* const dropWords = new QVBoxLayout;
  dropWords->setSpacing(4);
  dropWords->addWidget(startHeading(tr("Drop a file here"), drop));
  dropWords->addWidget(
      new ThemeLabel(tr(".so  .dll  .dylib  .wasm  .o  .a  .tar  or a blob"), TextRole::Body, Role::Secondary, drop));
  dropLayout->addLayout(dropWords, 1);
  auto* const open = new QPushButton(tr("Open…"), drop);
  open->setDefault(true);
  connect(open, &QPushButton::clicked, this, &StartPage::openRequested);
  dropLayout->addWidget(open);
  return drop;
}

QLayout* StartPage::makeRecent(QWidget* content) {
  auto* const recentSide = new QVBoxLayout;
  recentSide->setSpacing(8);
  auto* const recentHead = new QHBoxLayout;
  recentHead->addWidget(startHeading(tr("Recent"), content));
  recentHead->addStretch();
  auto* const clear = new LinkButton(tr("Clear list"), content);
  m_clear = clear;
  connect(clear, &QAbstractButton::clicked, this, &StartPage::clearRecentRequested);
  recentHead->addWidget(clear);
  recentSide->addLayout(recentHead);
  auto* const recentCard = new Card(false, content);
  m_recent = new QVBoxLayout(recentCard);
  m_recent->setContentsMargins(4, 4, 4, 4);
  m_recent->setSpacing(0);
  recentSide->addWidget(recentCard);
  recentSide->addStretch();
  return recentSide;
}

QLayout* StartPage::makeSamples(QWidget* content) {
  auto* const sampleSide = new QVBoxLayout;
  sampleSide->setSpacing(8);
  sampleSide->addWidget(startHeading(tr("Samples"), content));
  auto* const sampleCard = new Card(false, content);
  auto* const samples = new QVBoxLayout(sampleCard);
  samples->setContentsMargins(4, 4, 4, 4);
  samples->setSpacing(0);
  const QString folder = sampleFolder();
  for (const Sample& sample : kSamples) {
    const QString path = folder + QLatin1Char('/') + QLatin1String(sample.file);
    if (folder.isEmpty() || !QFileInfo::exists(path)) continue;
    auto* const row =
        new FileRow(QLatin1String(sample.icon), sample.role, tr(sample.name), tr(sample.detail), {}, {}, sampleCard);
    connect(row, &QAbstractButton::clicked, this, [this, path] { Q_EMIT fileChosen(path); });
    if (samples->count() > 0) samples->addWidget(new Rule(Qt::Horizontal, sampleCard));
    samples->addWidget(row);
  }
  if (samples->isEmpty()) samples->addWidget(new PlainLabel(tr("The samples are not installed."), sampleCard));
  sampleSide->addWidget(sampleCard);
  sampleSide->addStretch();
  return sampleSide;
}

void StartPage::setRecent(const QVector<RecentFile>& files) {
  while (QLayoutItem* item = m_recent->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  constexpr int kShown = 6;
  for (const RecentFile& recent : files.mid(0, kShown)) {
    const QFileInfo file(recent.path);
    const KindLook look = recent.moduleKey.isEmpty() ? kindLook(library::RowKind::Library, {})
                                                     : kindLook(library::RowKind::Module, recent.moduleKey);
    if (m_recent->count() > 0) m_recent->addWidget(new Rule(Qt::Horizontal, this));
    auto* const row =
        new FileRow(look.icon, look.role, file.fileName(),
                    recent.detail.isEmpty() ? QDir::toNativeSeparators(file.path()) : recent.detail,
                    file.exists() ? whenText(file.lastModified()) : tr("not found"),
                    file.exists() ? toQt(shortSizeText(static_cast<uint64_t>(file.size()))) : QString(), this);
    row->setToolTip(plainTip(QDir::toNativeSeparators(recent.path)));
    connect(row, &QAbstractButton::clicked, this, [this, path = recent.path] { Q_EMIT fileChosen(path); });
    m_recent->addWidget(row);
  }
  m_clear->setVisible(!files.isEmpty());
  if (files.isEmpty()) {
    auto* const empty =
        new ThemeLabel(tr("Files that you open are listed here."), TextRole::Body, Role::Secondary, this);
    empty->setContentsMargins(12, 12, 12, 12);
    m_recent->addWidget(empty);
  }
}

} // namespace blobscope::ui
