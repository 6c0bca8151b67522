#include "ui/window/dialogs/repack_dialog.h"

#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/describe/image_change.h"
#include "core/fix/upgrade.h"
#include "ui/pages/kind_look.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/theme/theme.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/labels.h"
#include "ui/window/dialogs/repack_plan.h"
#include "ui/window/dialogs/repack_rows.h"

#include <QAccessible>
#include <QCheckBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QDesktopServices>
#include <QDialogButtonBox>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QLocale>
#include <QPainter>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>

namespace blobscope::ui {
namespace {

const QString kPlace = QStringLiteral("repack-place"), kPlan = QStringLiteral("repack-plan"),
              kWrite = QStringLiteral("repack-write");
constexpr int kSection = 14, kOptionGap = 20, kChangesShown = 6, kDelayMs = 150;
constexpr QSize kSize = {820, 648}, kSmallestSize = {560, 340};

QString numberText(quint64 number) { return QLocale(QLocale::English).toString(number); }
std::filesystem::path pathOf(const QString& path) { return pathFrom(QFile::encodeName(path).toStdString()); }
/// Whether the result was written and kept under the name that the message contains.
bool isKept(const Error& error) {
  return error.id() == DiagnosticId::RepackChanged || error.id() == DiagnosticId::RepackVerify;
}

QVBoxLayout* column(QWidget* widget, int spacing = 0) {
  auto* const layout = new QVBoxLayout(widget);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(spacing);
  return layout;
}

/// Returns the edits of a state, in order.
QVector<ChangeRow> changeRows(const Document::State& state) {
  QVector<ChangeRow> rows;
  for (const edit::Description& change : state.changes) {
    ChangeRow row;
    const bool blob = change.subject.empty() && change.place.kind == Ref::Kind::Blob;
    const bool member = change.place.kind == Ref::Kind::Member || change.place.kind == Ref::Kind::File;
    const KindLook look = kindLook(blob     ? library::RowKind::Blob
                                   : member ? library::RowKind::Member
                                            : library::RowKind::Module,
                                   toQt(change.subject));
    row.icon = look.icon;
    row.role = look.role;
    row.sentence = toQt(change.what);
    QStringList values;
    if (!change.before.empty() && !change.after.empty())
      values << RepackDialog::tr("%1 → %2").arg(toQt(change.before), toQt(change.after));
    else if (!change.before.empty() || !change.after.empty())
      values << toQt(change.before + change.after);
    if (!change.target.empty()) values << toQt(change.target);
    row.values = values.join(QStringLiteral(" · "));
    rows << row;
  }
  rows.resize(static_cast<qsizetype>(state.edits.size()));
  return rows;
}

/// Three pixels of progress on a rule; only the rule while nothing is written.
class ProgressLine : public QWidget {
public:
  explicit ProgressLine(QWidget* parent) : QWidget(parent) { setFixedHeight(3); }
  void setShare(std::optional<double> share) {
    m_share = share;
    update();
  }

protected:
  void paintEvent(QPaintEvent*) override {
    if (!m_share) return;
    QPainter painter(this);
    painter.fillRect(rect(), theme().color(Role::Header));
    painter.fillRect(QRectF(0, 0, width() * qBound(0.0, *m_share, 1.0), height()), theme().color(Role::Accent));
  }

private:
  std::optional<double> m_share;
};

/// Also stops when the dialog requests it. Unlike Jobs::cancel(), this keeps the result of the job: whether or not the
/// file was already renamed.
class StoppableMonitor final : public Monitor {
public:
  StoppableMonitor(Monitor& monitor, const std::atomic<bool>& stop) : m_monitor(monitor), m_stop(stop) {}
  bool stopRequested() const override { return m_stop || m_monitor.stopRequested(); }
  void progress(std::string_view what, uint64_t done, uint64_t total) override {
    m_monitor.progress(what, done, total);
  }

private:
  Monitor& m_monitor;
  const std::atomic<bool>& m_stop;
};

} // namespace

// --- 1. Widgets

RepackDialog::RepackDialog(Document& document, QWidget* parent)
    : QDialog(parent), m_state(document.state()), m_path(document.path()) {
  setWindowTitle(tr("Repack"));
  auto* const layout = column(this);
  layout->addWidget(makeTarget());
  layout->addWidget(makeMiddle(), 1);
  layout->addWidget(makeBottom());
  setMinimumSize(kSmallestSize);
  resize(kSize.boundedTo(screen()->availableSize()));

  m_delay.setSingleShot(true);
  m_delay.setInterval(kDelayMs);
  connect(&m_delay, &QTimer::timeout, this, [this] {
    if (m_phase == Phase::Asking && m_jobs.isRunning(kPlan)) setStatus(tr("Planning…"));
  });
  connect(&m_jobs, &Jobs::progressed, this,
          [this](const QString& tag, const QString& what, quint64 done, quint64 total) {
            if (tag != (m_phase == Phase::Writing ? kWrite : kPlan) || m_phase == Phase::Written ||
                m_delay.isActive() || (m_stop && *m_stop))
              return;
            QString text = what;
            if (!text.isEmpty()) text[0] = text[0].toUpper();
            setStatus(total > 0 ? tr("%1, %2 of %3").arg(text, numberText(done), numberText(total)) : text);
            if (m_phase == Phase::Writing && total > 0)
              setProgress(static_cast<double>(done) / static_cast<double>(total));
          });
  connect(m_edit, &QLineEdit::textChanged, this, [this] {
    forget();
    checkTarget();
  });
  connect(m_changes, &QAbstractItemModel::dataChanged, this,
          [this](const QModelIndex&, const QModelIndex&, const QList<int>& roles) {
            if (roles.contains(Qt::CheckStateRole)) plan();
          });
  for (const QCheckBox* box : {m_scrub, &m_plan->force()}) connect(box, &QCheckBox::toggled, this, &RepackDialog::plan);
  connect(&m_plan->consent(), &QCheckBox::toggled, this, &RepackDialog::forget);
  connect(m_plan, &RepackPlan::keepNamesRequested, this, &RepackDialog::keepNames);
  for (const QCheckBox* box : {m_backup, m_verify}) connect(box, &QCheckBox::toggled, this, &RepackDialog::forget);
  connect(m_signature, &QComboBox::currentIndexChanged, this, &RepackDialog::plan);
  connect(m_version, &QComboBox::currentIndexChanged, this, &RepackDialog::plan);
  connect(m_canonical, &QCheckBox::toggled, this, &RepackDialog::plan);

  setTarget(defaultTarget(m_path));
  plan();
  const QString name = m_edit->text();
  m_edit->setSelection(0, static_cast<int>(std::max<qsizetype>(0, name.lastIndexOf(QStringLiteral("-edited")))));
  m_edit->setFocus();
}

RepackDialog::~RepackDialog() = default;

QWidget* RepackDialog::makeTarget() {
  auto* const bar = new QWidget(this);
  auto* const layout = new QHBoxLayout(bar);
  layout->setContentsMargins(metrics::kDialogMargin, 16, metrics::kDialogMargin, 0);
  layout->setSpacing(0);
  auto* const label = new ThemeLabel(tr("&Save as"), TextRole::Secondary, Role::Secondary, bar);
  label->setTextInteractionFlags(Qt::NoTextInteraction);
  m_edit = new QLineEdit(bar);
  m_edit->setAccessibleName(tr("Save as"));
  label->setBuddy(m_edit);
  m_browse = new QPushButton(tr("&Browse…"), bar);
  m_browse->setAccessibleName(tr("Browse…"));
  m_browse->setAutoDefault(false);
  connect(m_browse, &QPushButton::clicked, this, &RepackDialog::browse);
  layout->addWidget(label);
  layout->addSpacing(8);
  layout->addWidget(m_edit, 1);
  layout->addSpacing(4);
  layout->addWidget(m_browse);
  return bar;
}

QWidget* RepackDialog::makeMiddle() {
  m_scroll = new QScrollArea(this);
  m_scroll->setFrameShape(QFrame::NoFrame);
  m_scroll->setWidgetResizable(true);
  m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_scroll->setFocusPolicy(Qt::NoFocus);
  m_scroll->setAccessibleName(tr("Changes and plan"));
  auto* const content = new QWidget;
  auto* const layout = new QVBoxLayout(content);
  layout->setContentsMargins(metrics::kDialogMargin, 16, metrics::kDialogMargin, 12);
  layout->setSpacing(0);

  // --- Changes ---
  auto* const changes = new ThemeLabel(tr("C&hanges"), TextRole::Heading, Role::Text, content);
  m_count = new ThemeLabel({}, TextRole::Secondary, Role::Secondary, content);
  layout->addLayout(headingLine(changes, m_count));
  layout->addSpacing(4);
  const int count = static_cast<int>(m_state->edits.size());
  m_changes = new ChangesModel(changeRows(*m_state), this);
  m_list = new QListView(content);
  m_list->setModel(m_changes);
  m_list->setItemDelegate(new ChangesDelegate(m_list));
  m_list->setSelectionMode(QAbstractItemView::NoSelection);
  m_list->setFrameShape(QFrame::NoFrame);
  m_list->setUniformItemSizes(true);
  m_list->setMouseTracking(true);
  m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_list->viewport()->setAutoFillBackground(false);
  m_list->setFixedHeight(metrics::rowHeight() * std::min(count, kChangesShown));
  m_list->setAccessibleName(tr("Changes"));
  m_list->setVisible(count > 0);
  changes->setBuddy(m_list);
  layout->addWidget(m_list);
  if (count == 0)
    layout->addWidget(new ThemeLabel(tr("There are no changes. The new file will be identical to the opened file."),
                                     TextRole::Body, Role::Secondary, content));
  layout->addSpacing(kSection);

  m_plan = new RepackPlan(content);
  layout->addWidget(m_plan);

  layout->addSpacing(kSection);
  layout->addWidget(makeOptions());
  layout->addStretch();
  m_scroll->setWidget(content);
  m_scroll->verticalScrollBar()->installEventFilter(this);
  return m_scroll;
}

QWidget* RepackDialog::makeOptions() {
  auto* const options = new QWidget(this);
  auto* const layout = column(options, 10);
  auto* const boxes = new QHBoxLayout;
  boxes->setSpacing(kOptionGap);
  const auto box = [&](const QString& words, const QString& name, const QString& tip) {
    auto* const made = new QCheckBox(words, options);
    made->setAccessibleName(plainLine(name));
    made->setToolTip(plainTip(tip));
    boxes->addWidget(made);
    return made;
  };
  m_scrub = box(tr("Scr&ub the old blob"), tr("Scrub the old blob"),
                tr("Overwrites the old blob with zeros if the new blob is stored elsewhere in the file."));
  m_backup = box(tr("&Keep a backup"), tr("Keep a backup"), {});
  m_verify = box(tr("&Verify every byte"), tr("Verify every byte"),
                 tr("Reads the whole new file back. Otherwise, long unchanged ranges are checked in samples."));
  m_verify->setChecked(true);
  boxes->addStretch();
  layout->addLayout(boxes);

  m_signatureRow = new QWidget(options);
  auto* const row = new QHBoxLayout(m_signatureRow);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(8);
  auto* const label = new ThemeLabel(tr("Si&gnature"), TextRole::Secondary, Role::Secondary, m_signatureRow);
  label->setTextInteractionFlags(Qt::NoTextInteraction);
  m_signature = new QComboBox(m_signatureRow);
  m_signature->setAccessibleName(tr("Signature"));
  m_signature->addItem(tr("Keep"), static_cast<int>(write::PlanOptions::Signature::Keep));
  m_signature->addItem(tr("Sign ad hoc"), static_cast<int>(write::PlanOptions::Signature::AdHoc));
  m_signature->addItem(tr("Remove"), static_cast<int>(write::PlanOptions::Signature::Remove));
  label->setBuddy(m_signature);
  row->addWidget(label);
  row->addWidget(m_signature);
  row->addStretch();
  m_signatureRow->hide();
  layout->addWidget(m_signatureRow);
  m_archiveRow = makeArchiveOptions();
  layout->addWidget(m_archiveRow);
  return options;
}

QWidget* RepackDialog::makeArchiveOptions() {
  constexpr unsigned kVersions = 7;
  auto* const options = new QWidget(this);
  auto* const row = new QHBoxLayout(options);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(8);
  auto* const label = new ThemeLabel(tr("&Archive version"), TextRole::Secondary, Role::Secondary, options);
  label->setTextInteractionFlags(Qt::NoTextInteraction);
  m_version = new QComboBox(options);
  m_version->setAccessibleName(tr("Archive version"));
  m_version->setToolTip(plainTip(tr("Converts metadata and names of files to another version of the format.")));
  label->setBuddy(m_version);
  m_canonical = new QCheckBox(tr("Ca&nonical form"), options);
  m_canonical->setAccessibleName(tr("Canonical form"));
  m_canonical->setToolTip(
      plainTip(tr("Sorts the members and resets their owners, times and modes, so that the same content always gives "
                  "the same archive.")));
  row->addWidget(label);
  row->addWidget(m_version);
  row->addSpacing(kOptionGap);
  row->addWidget(m_canonical);
  row->addStretch();
  const std::optional<unsigned> current = m_state->report->version;
  for (unsigned version = 1; version <= kVersions; ++version)
    m_version->addItem(version == current ? tr("%1 (unchanged)").arg(version) : QString::number(version), version);
  if (current) m_version->setCurrentIndex(static_cast<int>(*current) - 1);
  options->setVisible(m_state->report->format == "mlf" && current && m_state->opened->members.size() > 0);
  m_scrub->setVisible(m_state->report->format != "mlf");
  return options;
}

QWidget* RepackDialog::makeBottom() {
  auto* const bottom = new QWidget(this);
  auto* const layout = column(bottom);
  m_banner = new Banner(bottom);
  m_banner->hide();
  layout->addWidget(m_banner);
  m_progress = new ProgressLine(bottom);
  layout->addWidget(m_progress);
  auto* const row = new QHBoxLayout;
  row->setContentsMargins(metrics::kDialogMargin, 9, metrics::kDialogMargin, 16);
  row->setSpacing(8);
  layout->addLayout(row);
  m_statusIcon = new IconLabel(QStringLiteral("ok"), Role::Ok, metrics::kIcon, bottom);
  m_statusIcon->hide();
  m_status = new ThemeLabel({}, TextRole::Secondary, Role::Secondary, bottom);
  m_status->setWordWrap(true);
  row->addWidget(m_statusIcon);
  row->addWidget(m_status, 1);

  const auto buttons = [&] {
    auto* const box = new QDialogButtonBox(bottom);
    row->addWidget(box);
    return box;
  };
  const auto button = [](QDialogButtonBox* box, const QString& words, const QString& name,
                         QDialogButtonBox::ButtonRole role) {
    auto* const made = box->addButton(words, role);
    made->setAccessibleName(plainLine(name));
    made->setAutoDefault(false); // the default button stays the same; keyPressEvent() handles Enter
    return made;
  };
  QDialogButtonBox* const before = buttons();
  m_before = before;
  m_cancel = button(before, tr("Cancel"), tr("Cancel"), QDialogButtonBox::RejectRole);
  m_repackButton = button(before, tr("&Repack"), tr("Repack"), QDialogButtonBox::AcceptRole);
  m_repackButton->setDefault(true);
  QDialogButtonBox* const after = buttons();
  m_after = after;
  m_show = button(after, tr("Show in &folder"), tr("Show in folder"), QDialogButtonBox::ActionRole);
  m_open = button(after, tr("&Open the new file"), tr("Open the new file"), QDialogButtonBox::AcceptRole);
  m_close = button(after, tr("&Close"), tr("Close"), QDialogButtonBox::RejectRole);
  m_after->hide();
  connect(m_repackButton, &QPushButton::clicked, this, &RepackDialog::repack);
  connect(m_cancel, &QPushButton::clicked, this, &RepackDialog::reject);
  connect(m_close, &QPushButton::clicked, this, &RepackDialog::reject);
  connect(m_show, &QPushButton::clicked, this,
          [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(QFileInfo(target()).absolutePath())); });
  connect(m_open, &QPushButton::clicked, this, [this] {
    const QString path = target();
    accept();
    Q_EMIT openRequested(path);
  });
  return bottom;
}

void RepackDialog::growToPlan() {
  if (m_grown || m_refused || !isVisible()) return;
  m_grown = true;
  QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest); // lets the layouts process their new rows
  QLayout* const rows = m_scroll->widget()->layout();
  const int missing = (rows->hasHeightForWidth() ? rows->totalHeightForWidth(m_scroll->viewport()->width())
                                                 : rows->totalSizeHint().height()) -
                      m_scroll->viewport()->height();
  if (missing > 0)
    resize(width(), std::min(height() + missing, std::max(height(), screen()->availableSize().height() - 40)));
}

// --- 2. Answers and their plan

QString RepackDialog::defaultTarget(const QString& opened) {
  const QFileInfo info(opened);
  const QString name = info.fileName();
  qsizetype dot = name.lastIndexOf(QLatin1Char('.'));
  if (dot > 4 && name.left(dot).endsWith(QStringLiteral(".tar"))) dot -= 4;
  if (const qsizetype version = name.indexOf(QStringLiteral(".so.")); version > 0) dot = version;
  if (dot <= 0) dot = name.size();
  return QDir(info.absolutePath()).filePath(name.left(dot) + QStringLiteral("-edited") + name.mid(dot));
}

void RepackDialog::setTarget(const QString& path) {
  const QFileInfo info(QDir(QFileInfo(m_path).absolutePath()).absoluteFilePath(path));
  const bool sameFolder = info.absolutePath() == QFileInfo(m_path).absolutePath();
  m_edit->setText(path.isEmpty() ? QString()
                  : sameFolder   ? info.fileName()
                                 : QDir::toNativeSeparators(info.absoluteFilePath()));
}

QString RepackDialog::target() const {
  QString text = QDir::fromNativeSeparators(m_edit->text());
  if (text.startsWith(QStringLiteral("~/"))) text = QDir::homePath() + text.mid(1);
  return text.isEmpty() ? QString() : QDir::cleanPath(QDir(QFileInfo(m_path).absolutePath()).absoluteFilePath(text));
}

void RepackDialog::browse() {
  const QString path = QFileDialog::getSaveFileName(this, tr("Save as"), target());
  if (!path.isEmpty()) setTarget(path);
}

void RepackDialog::checkTarget() {
  const QString path = target();
  m_place.reset();
  m_edit->setToolTip(plainTip(QDir::toNativeSeparators(path)));
  m_jobs.start<Place>(
      kPlace,
      [path, opened = m_path](Monitor&) -> Result<Place> {
        const QFileInfo info(path), folder(info.absolutePath());
        Place place;
        place.exists = !path.isEmpty() && info.exists();
        place.isOpened = place.exists && info == QFileInfo(opened);
        if (path.isEmpty())
          place.problem = tr("Enter a file name.");
        else if (info.isDir())
          place.problem = tr("“%1” is a folder. Enter the name of a file.").arg(info.fileName());
        else if (!folder.isDir())
          place.problem = tr("The folder “%1” does not exist.").arg(QDir::toNativeSeparators(folder.filePath()));
        return place;
      },
      [this](Result<Place> place) {
        if (place) m_place = *place;
        updateState();
      });
  updateState();
}

void RepackDialog::plan() {
  forget();
  m_repack.reset();
  m_count->setText(m_changes->rowCount() == 0
                       ? QString()
                       : tr("%1 of %n change(s) included", nullptr, m_changes->rowCount())
                             .arg(toQt(groupedText(static_cast<uint64_t>(m_changes->included())))));
  std::vector<edit::Edit> edits;
  for (const int row : includedRows()) edits.push_back(m_state->edits[static_cast<std::size_t>(row)]);
  edit::ApplyOptions apply;
  apply.force = m_plan->force().isChecked();
  write::PlanOptions options;
  options.scrub = m_scrub->isChecked();
  options.force = m_plan->force().isChecked();
  options.signature = static_cast<write::PlanOptions::Signature>(m_signature->currentData().toInt());
  std::optional<unsigned> version = m_version->currentData().toUInt();
  if (m_archiveRow->isHidden() || version == m_state->report->version) version.reset();
  const bool canonical = !m_archiveRow->isHidden() && m_canonical->isChecked();
  using Planned = std::shared_ptr<const write::Repack>;
  m_jobs.start<Planned>(
      kPlan,
      [state = m_state, edits = std::move(edits), apply, options, version,
       canonical](Monitor& monitor) mutable -> Result<Planned> {
        std::vector<Diagnostic> losses;
        if (version) {
          BLOBSCOPE_TRY(conversion, fix::planVersion(state->opened, edits, *version, apply, monitor));
          edits.insert(edits.end(), conversion.edits.begin(), conversion.edits.end());
          losses = std::move(conversion.consequences);
        }
        if (canonical) edits.push_back(edit::SetArchive{{}, edit::SetArchive::Form::Canonical});
        BLOBSCOPE_TRY(planned, write::planRepack(state->opened, edits, apply, options, monitor));
        planned.plan.consequences.insert(planned.plan.consequences.end(), losses.begin(), losses.end());
        if (auto change = describe::addImageChange(planned, monitor); !change) return change.takeError();
        return std::make_shared<const write::Repack>(std::move(planned));
      },
      [this](Result<Planned> planned) {
        m_refused = !planned;
        if (planned) {
          m_repack = std::move(*planned);
          m_plan->showPlan(*m_repack);
          for (const Diagnostic& one : m_repack->plan.consequences)
            m_signed = m_signed || one.id == DiagnosticId::PlanResigned;
        } else {
          m_plan->showRefusal(planned.error());
          m_signed = m_signed || planned.error().id() == DiagnosticId::PlanSigned;
        }
        updateState();
        growToPlan();
      });
  m_delay.start();
  updateState();
}

std::vector<int> RepackDialog::includedRows() const {
  std::vector<int> rows;
  for (int i = 0; i < m_changes->rowCount(); ++i)
    if (m_changes->isIncluded(i)) rows.push_back(i);
  return rows;
}

void RepackDialog::keepNames() {
  if (!m_repack) return;
  const std::shared_ptr<const write::Repack> planned = m_repack; // excluding a row starts a new plan
  const std::vector<int> rows = includedRows();
  for (const std::size_t place : planned->breakingRenames)
    if (place < rows.size()) m_changes->setData(m_changes->index(rows[place]), Qt::Unchecked, Qt::CheckStateRole);
}

// --- 3. State

bool RepackDialog::isReady() const {
  return m_phase == Phase::Asking && m_repack && m_place && m_place->problem.isEmpty() && !lacksConsent();
}

bool RepackDialog::lacksConsent() const {
  return m_repack && m_repack->needsConsent() && !m_plan->consent().isChecked();
}

void RepackDialog::forget() {
  m_note.clear();
  m_banner->hide();
  updateState();
}

void RepackDialog::setStatus(const QString& text, const char* icon) {
  const bool error = icon && QLatin1String(icon) == QLatin1String("error");
  if (icon) m_statusIcon->setIcon(QLatin1String(icon), error ? Role::Error : Role::Ok);
  m_statusIcon->setVisible(icon);
  m_status->setText(text);
  m_status->setAccessibleName(plainLine(text));
}

void RepackDialog::setProgress(std::optional<double> share) { static_cast<ProgressLine*>(m_progress)->setShare(share); }

void RepackDialog::updateState() {
  const bool asking = m_phase == Phase::Asking, written = m_phase == Phase::Written;
  for (QWidget* input : std::initializer_list<QWidget*>{m_edit, m_browse, m_list, &m_plan->force(), &m_plan->consent(),
                                                        m_scrub, m_verify, m_signature, m_version, m_canonical})
    input->setEnabled(asking);
  const bool replaces = m_place && m_place->exists;
  m_backup->setEnabled(asking && replaces);
  m_backup->setToolTip(plainTip(replaces ? tr("Keeps the replaced file and adds “.bak” to its name.")
                                         : tr("The new file replaces no file, so there is nothing to keep.")));
  m_signatureRow->setVisible(m_signed);
  m_repackButton->setEnabled(isReady());
  m_before->setVisible(!written);
  m_after->setVisible(written);
  if (!asking) return;
  setProgress(std::nullopt);
  if (!m_note.isEmpty())
    setStatus(m_note);
  else if (!m_jobs.isRunning(kPlan) && m_refused)
    setStatus(tr("The file cannot be written with these changes."), "error");
  else if (m_place && !m_place->problem.isEmpty())
    setStatus(m_place->problem, "error");
  else if (m_place && lacksConsent())
    setStatus(tr("Calls in the file will fail. Tick the box above to repack anyway, or leave out the change."),
              "error");
  else if (isReady()) {
    const QString size = toQt(shortSizeText(m_repack->plan.size()));
    setStatus(m_place->isOpened ? tr("Ready to overwrite the opened file (%1).").arg(size)
              : m_place->exists ? tr("Ready to replace the existing file (%1).").arg(size)
                                : tr("Ready to write a new file (%1).").arg(size));
  } else
    setStatus({});
}

void RepackDialog::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
    if (auto* const button = qobject_cast<QPushButton*>(focusWidget())) {
      button->click();
      return;
    }
  if (event->key() == Qt::Key_PageDown || event->key() == Qt::Key_PageUp) {
    m_scroll->verticalScrollBar()->triggerAction(event->key() == Qt::Key_PageDown ? QAbstractSlider::SliderPageStepAdd
                                                                                  : QAbstractSlider::SliderPageStepSub);
    return;
  }
  QDialog::keyPressEvent(event);
}

bool RepackDialog::eventFilter(QObject* watched, QEvent* event) {
  // The scroll bar is in the margin, so that the rows keep their width.
  if (watched == m_scroll->verticalScrollBar() && (event->type() == QEvent::Show || event->type() == QEvent::Hide))
    m_scroll->widget()->layout()->setContentsMargins(
        metrics::kDialogMargin, 16,
        metrics::kDialogMargin - (event->type() == QEvent::Show ? m_scroll->verticalScrollBar()->width() : 0), 12);
  return QDialog::eventFilter(watched, event);
}

// --- 4. Writing

void RepackDialog::repack() {
  if (!isReady()) return;
  forget();
  m_phase = Phase::Writing;
  m_stop = std::make_shared<std::atomic<bool>>(false);
  const QString path = target();
  write::WriteOptions options;
  options.verify = m_verify->isChecked() ? write::WriteOptions::Verify::Full : write::WriteOptions::Verify::Sampled;
  options.backup = m_backup->isChecked() && m_backup->isEnabled();
  m_jobs.start<Done>(
      kWrite,
      [planned = m_repack, file = pathOf(path), options, stop = m_stop](Monitor& monitor) -> Result<Done> {
        StoppableMonitor both(monitor, *stop);
        if (both.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        return write::writeRepack(*planned, file, options, both);
      },
      [this, path](Result<Done> done) { endWriting(done, path); });
  m_focus = focusWidget(); // a disabled widget loses the focus
  setStatus(tr("Writing…"));
  setProgress(0);
  updateState();
}

void RepackDialog::endWriting(const Result<Done>& done, const QString& path) {
  m_phase = done ? Phase::Written : Phase::Asking;
  m_stop.reset();
  setProgress(std::nullopt);
  if (!done) {
    if (done.error().code() == ErrorCode::Cancelled)
      m_note = tr("Cancelled. Nothing was written.");
    else
      m_banner->showMessage(Banner::Kind::Error,
                            isKept(done.error()) ? tr("The file was not replaced.") : tr("Nothing was written."),
                            sentenceOf(done.error().message()), {{tr("Close"), [] {}}});
    updateState();
    if (m_focus) m_focus->setFocus();
    return;
  }
  const QString size = bytesText(m_repack->plan.size());
  setStatus(m_verify->isChecked() ? tr("Written and verified: %1.").arg(size)
                                  : tr("Written: %1. Long unchanged ranges were verified in samples.").arg(size),
            "ok");
  updateState();
  m_open->setDefault(true);
  m_open->setFocus();
  QAccessibleEvent event(m_status, QAccessible::Alert);
  QAccessible::updateAccessibility(&event);
  Q_EMIT repacked(path);
}

void RepackDialog::reject() {
  switch (m_phase) {
  case Phase::Asking: QDialog::reject(); return;
  case Phase::Written: accept(); return;
  case Phase::Writing:
    *m_stop = true;
    setStatus(tr("Stopping…"));
    return;
  }
}

} // namespace blobscope::ui
