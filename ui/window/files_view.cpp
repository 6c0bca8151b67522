#include "ui/window/files_view.h"

#include "core/base/output_file.h"
#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/describe/files.h"
#include "core/preflight/report_files.h"
#include "core/sizes/page.h"
#include "ui/pages/size_page.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/text/state_text.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/charts/fit_bars.h"
#include "ui/widgets/charts/state_cell.h"
#include "ui/widgets/filter_keys.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/list_table.h"
#include "ui/widgets/segments.h"
#include "ui/widgets/tool_button.h"
#include "ui/window/dialogs/targets_dialog.h"
#include "ui/window/files_cells.h"
#include "ui/window/panels/details_panel.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QPointer>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>

#include <algorithm>
#include <array>

namespace blobscope::ui {
namespace {

using State = view::ChecklistPage::State;

constexpr std::array kShownStates = {State::Good,  State::Empty,   State::Later,
                                     State::Fails, State::Crashes, State::Unknown};
/// Widths of the view from which the details, the bars and the legend are shown.
constexpr int kDetailsFrom = 1'000, kBarsFrom = 760, kLegendFrom = 1'180;
constexpr int kTargetColumn = 92, kWidestTarget = 160, kEraColumn = 130, kSizeColumn = 90, kLibraryColumn = 200,
              kFilesDetails = 308;

} // namespace

FilesView::FilesView(Jobs& jobs, QStringList paths, QWidget* parent)
    : QWidget(parent), m_jobs(jobs), m_tag(tagPrefix() + QString::number(reinterpret_cast<quintptr>(this))),
      m_paths(std::move(paths)) {
  setProperty("helpTopic", QStringLiteral("preflight"));
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Base);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(makeHead());
  layout->addWidget(new Rule(Qt::Horizontal, this));
  if (m_paths.size() == 1 && QFileInfo(m_paths.first()).isDir()) layout->addWidget(makeModes());
  layout->addWidget(makeLoad(), 1);
  layout->addWidget(makeSizes(), 1);
  setFocusProxy(m_table);
  showHead();
  connect(&m_jobs, &Jobs::finished, this, [this](const QString& tag) {
    // Before the results, or in place of them.
    if (tag == m_tag) m_targets->setEnabled(m_model.check() != nullptr);
    if (tag == m_tag && !m_model.check()) showNotice(tr("Cancelled. No file is listed."));
  });
}

FilesView::~FilesView() {
  m_jobs.disconnect(this);
  m_jobs.cancel(m_tag);
  m_jobs.cancel(sizeTag());
}

QString FilesView::title() const {
  const QString name = m_paths.size() == 1 ? QFileInfo(m_paths.first()).fileName()
                                           : tr("%n file(s)", nullptr, static_cast<int>(m_paths.size()));
  return tr("%1: will they load?").arg(name);
}

QString FilesView::absolutePath(const preflight::FileOutcomes& file) const {
  const QString path = QFile::decodeName(file.path.c_str());
  return m_paths.size() == 1 && QFileInfo(m_paths.first()).isDir() ? QDir(m_paths.first()).filePath(path) : path;
}

QWidget* FilesView::makeHead() {
  auto* const head = new QWidget(this);
  auto* const row = new QHBoxLayout(head);
  row->setContentsMargins(16, 12, 16, 12);
  row->setSpacing(24);
  auto* const words = new QVBoxLayout;
  words->setSpacing(2);
  m_name = new ThemeLabel({}, TextRole::Heading, Role::Text, head);
  m_facts = new ThemeLabel({}, TextRole::Secondary, Role::Secondary, head);
  m_common = new ThemeLabel({}, TextRole::Body, Role::Text, head);
  QFont bold = m_common->font();
  bold.setWeight(QFont::DemiBold);
  m_common->setFont(bold);
  for (ThemeLabel* const label : {m_name, m_facts, m_common}) {
    label->setElided();
    words->addWidget(label);
  }
  m_common->setWordWrap(true);
  words->addStretch();
  row->addLayout(words, 2);
  m_bars = new FitBars(head);
  row->addWidget(m_bars, 3, Qt::AlignTop);
  return head;
}

QWidget* FilesView::makeModes() {
  auto* const bar = new QWidget(this);
  auto* const row = new QHBoxLayout(bar);
  row->setContentsMargins(12, 6, 12, 6);
  row->setSpacing(8);
  m_modes = new Segments(tr("What is shown of the folder"), bar);
  m_modes->setChoices({tr("Will they load?"), tr("Size")});
  m_modes->setCurrent(0);
  row->addWidget(m_modes);
  row->addStretch();
  connect(m_modes, &Segments::chosen, this, [this](int mode) { showSizes(mode == 1); });
  return bar;
}

/// What says whether the files load.
QWidget* FilesView::makeLoad() {
  m_load = new QWidget(this);
  auto* const layout = new QVBoxLayout(m_load);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(makeTools());
  layout->addWidget(new Rule(Qt::Horizontal, this));
  m_banner = new Banner(this);
  m_banner->hide();
  layout->addWidget(m_banner);
  m_stack = new QStackedWidget(this);
  m_stack->addWidget(makeTable());
  m_notice = new PlainLabel(this);
  m_notice->setAlignment(Qt::AlignCenter);
  m_notice->setWordWrap(true);
  m_stack->addWidget(m_notice);
  layout->addWidget(m_stack, 1);
  return m_load;
}

// --- sizes

QString FilesView::sizeTag() const { return m_tag + QLatin1String("/size"); }

QWidget* FilesView::makeSizes() {
  m_sizeBox = new QWidget(this);
  auto* const layout = new QVBoxLayout(m_sizeBox);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  m_sizeNotice = new PlainLabel(m_sizeBox);
  m_sizeNotice->setAlignment(Qt::AlignCenter);
  m_sizeNotice->setWordWrap(true);
  layout->addWidget(m_sizeNotice, 1);
  m_sizeBox->hide();
  connect(&m_jobs, &Jobs::finished, this, [this](const QString& tag) {
    // Before the results, or in place of them.
    if (tag == sizeTag() && !m_sizes) m_sizeNotice->setText(tr("Cancelled. Nothing was read."));
  });
  return m_sizeBox;
}

void FilesView::showSizes(bool sizes) {
  if (!m_modes) return;
  m_modes->setCurrent(sizes ? 1 : 0);
  m_load->setVisible(!sizes);
  m_sizeBox->setVisible(sizes);
  setFocusProxy(sizes && m_sizes ? static_cast<QWidget*>(m_sizes) : m_table);
  if (m_sizes) m_sizes->tools()->setVisible(sizes);
  if (sizes && !m_sizes && !m_jobs.isRunning(sizeTag())) readSizes();
}

void FilesView::readSizes() {
  m_sizeNotice->setText(tr("Reading the files…"));
  const std::filesystem::path folder = pathFrom(QFile::encodeName(m_paths.first()).toStdString());
  m_jobs.start<view::TreemapPagePtr>(
      sizeTag(),
      [folder](Monitor& monitor) -> Result<view::TreemapPagePtr> {
        BLOBSCOPE_TRY(made, sizes::folderSizes(folder, monitor));
        return view::TreemapPagePtr(std::make_shared<const view::TreemapPage>(std::move(made)));
      },
      [guard = QPointer<FilesView>(this)](Result<view::TreemapPagePtr> made) {
        if (!guard) return;
        if (!made)
          guard->m_sizeNotice->setText(toQt(made.error().message()));
        else if ((*made)->total() == 0)
          guard->m_sizeNotice->setText(tr("There are no bytes in this folder."));
        else
          guard->addSizes(*made);
        Q_EMIT guard->finished();
      });
}

void FilesView::addSizes(const view::TreemapPagePtr& page) {
  PageContext context{m_jobs, Ref::file()};
  context.title = QFileInfo(m_paths.first()).fileName();
  m_sizes = new SizePage(page, context, m_sizeBox);
  m_sizeNotice->hide();
  m_sizeBox->layout()->addWidget(m_sizes);
  m_modes->parentWidget()->layout()->addWidget(m_sizes->tools());
  connect(m_sizes, &PageWidget::selectionText, this, &FilesView::selectionText);
  connect(m_sizes, &PageWidget::message, this, &FilesView::selectionText);
  connect(m_sizes, &SizePage::fileChosen, this, [this](const QString& path, const Ref& ref) {
    Q_EMIT fileRequested(QDir(m_paths.first()).filePath(path), ref);
  });
  showSizes(m_modes->current() == 1);
}

QWidget* FilesView::makeTools() {
  auto* const tools = new QWidget(this);
  auto* const row = new QHBoxLayout(tools);
  row->setContentsMargins(12, 6, 12, 6);
  row->setSpacing(8);
  m_filter = new QLineEdit(tools);
  m_filter->setAccessibleName(tr("Filter libraries"));
  m_filter->setPlaceholderText(tr("Filter libraries"));
  m_filter->setClearButtonEnabled(true);
  addFindIcon(*m_filter);
  m_filter->setMinimumWidth(90);
  m_filter->setMaximumWidth(240);
  m_states = new QComboBox(tools);
  m_states->setAccessibleName(tr("State"));
  m_states->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  m_states->setMinimumContentsLength(10);
  m_states->addItem(tr("All states"));
  for (const State state : kShownStates) m_states->addItem(stateText(state, 0), static_cast<int>(state));
  m_targets = wordButton(QStringLiteral("settings"), tr("Targets…"), tools);
  m_legend = new StateLegend({kShownStates.begin(), kShownStates.end()}, tools);
  QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Preferred); // it does not keep the window wide
  policy.setHeightForWidth(true);
  m_legend->setSizePolicy(policy);
  m_legend->hide(); // until there is room
  m_csv = wordButton(QStringLiteral("export"), tr("CSV…"), tools);
  m_sarif = wordButton(QStringLiteral("export"), tr("SARIF…"), tools);
  row->addWidget(m_filter);
  row->addWidget(m_states);
  row->addWidget(m_targets);
  row->addSpacing(8);
  row->addWidget(m_legend, 1);
  row->addStretch();
  row->addWidget(m_csv);
  row->addWidget(m_sarif);
  for (QToolButton* const button : {m_targets, m_csv, m_sarif}) button->setEnabled(false);
  connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& text) {
    m_rows.setWords(text);
    updateFooter();
  });
  connect(m_states, &QComboBox::currentIndexChanged, this, [this] {
    const QVariant state = m_states->currentData();
    m_rows.setState(state.isValid() ? std::optional(static_cast<State>(state.toInt())) : std::nullopt);
    updateFooter();
  });
  connect(m_targets, &QToolButton::clicked, this, &FilesView::askForTargets);
  connect(m_csv, &QToolButton::clicked, this, [this] { askForExport(false); });
  connect(m_sarif, &QToolButton::clicked, this, [this] { askForExport(true); });
  return tools;
}

QWidget* FilesView::makeTable() {
  auto* const splitter = new QSplitter(Qt::Horizontal, this);
  splitter->setChildrenCollapsible(false);
  auto* const box = new QWidget(splitter);
  auto* const layout = new QVBoxLayout(box);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  m_table = new QTableView(box);
  m_table->setModel(&m_rows);
  setUpList(*m_table);
  m_table->setFrameShape(QFrame::NoFrame);
  m_table->setItemDelegate(new FilesDelegate(m_table));
  m_table->setAccessibleName(tr("Libraries and targets"));
  m_table->horizontalHeader()->setFixedHeight(42); // two lines
  m_table->horizontalHeader()->setSortIndicatorShown(true);
  m_table->horizontalHeader()->setSortIndicator(PreflightModel::Library, Qt::AscendingOrder);
  m_table->setSortingEnabled(true);
  layout->addWidget(m_table, 1);
  m_footer = new ColumnFooter(*m_table, box);
  layout->addWidget(m_footer);
  m_details = new DetailsPanel(splitter);
  m_details->setMinimumWidth(0);
  m_details->hide(); // until there is room
  splitter->addWidget(box);
  splitter->addWidget(m_details);
  splitter->setStretchFactor(0, 1);
  splitter->setStretchFactor(1, 0);
  splitter->setSizes({1'000, kFilesDetails});
  addFilterKeys(*m_filter, *m_table);
  m_table->viewport()->installEventFilter(this);
  connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this, &FilesView::showSelection);
  connect(m_table, &QTableView::activated, this, &FilesView::open);
  connect(m_details, &DetailsPanel::linked, this, [this](const Ref& ref) {
    const QModelIndex index = m_rows.mapToSource(m_table->currentIndex());
    if (index.isValid()) Q_EMIT fileRequested(absolutePath(m_model.file(index.row())), ref);
  });
  connect(m_details, &DetailsPanel::ruleRequested, this, &FilesView::ruleRequested);
  return splitter;
}

// --- results

void FilesView::start(TargetChoice choice) {
  m_choice = std::move(choice);
  if (!m_model.check()) showNotice(tr("Reading the files…"));
  m_banner->hide();
  m_targets->setEnabled(false);
  std::vector<std::filesystem::path> paths;
  for (const QString& path : std::as_const(m_paths)) paths.push_back(pathFrom(QFile::encodeName(path).toStdString()));
  m_jobs.start<FilesCheckPtr>(
      m_tag, [paths, wanted = m_choice](Monitor& monitor) { return checkFiles(paths, wanted, monitor); },
      [guard = QPointer<FilesView>(this)](Result<FilesCheckPtr> check) {
        if (!guard) return;
        if (check) {
          guard->showCheck(std::move(*check));
        } else {
          guard->m_banner->showMessage(Banner::Kind::Error, tr("The files could not be checked."),
                                       toQt(check.error().message()), {{tr("Close"), [] {}}});
          if (!guard->m_model.check()) guard->showNotice(tr("No file is listed."));
        }
        Q_EMIT guard->finished();
      });
}

void FilesView::showNotice(const QString& text) {
  m_notice->setText(text);
  m_stack->setCurrentWidget(m_notice);
}

void FilesView::showCheck(FilesCheckPtr check) {
  const std::string before = [&] {
    const QModelIndex index = m_rows.mapToSource(m_table->currentIndex());
    return index.isValid() ? m_model.file(index.row()).path : std::string();
  }();
  m_model.setCheck(std::move(check));
  m_choice = m_model.check()->choice;
  for (QToolButton* const button : {m_targets, m_csv, m_sarif}) button->setEnabled(true);
  QHeaderView* const header = m_table->horizontalHeader();
  header->setMinimumSectionSize(56);
  for (int column = PreflightModel::FirstTarget; column < m_model.columnCount(); ++column)
    header->resizeSection(column, targetWidth(column));
  fitColumns();
  showHead();
  updateFooter();
  if (m_model.rowCount() == 0) {
    showNotice(tr("There are no libraries in this folder."));
    return;
  }
  m_stack->setCurrentIndex(0);
  int row = 0;
  for (int i = 0; i < m_rows.rowCount(); ++i)
    if (m_model.file(m_rows.mapToSource(m_rows.index(i, 0)).row()).path == before) row = i;
  m_table->setCurrentIndex(
      m_rows.index(row, std::min(static_cast<int>(PreflightModel::FirstTarget), m_model.columnCount() - 1)));
}

void FilesView::fitColumns() {
  QHeaderView* const header = m_table->horizontalHeader();
  if (m_model.columnCount() == 0) return;
  int room = m_table->viewport()->width();
  for (int column = PreflightModel::FirstTarget; column < m_model.columnCount(); ++column)
    room -= header->sectionSize(column);
  for (const auto& [column, wanted] :
       {std::pair(PreflightModel::Size, kSizeColumn), std::pair(PreflightModel::Era, kEraColumn)}) {
    m_table->setColumnHidden(column, room < kLibraryColumn + wanted);
    if (room < kLibraryColumn + wanted) continue;
    header->resizeSection(column, wanted);
    room -= wanted;
  }
  header->resizeSection(PreflightModel::Library, std::max(room, kLibraryColumn));
}

int FilesView::targetWidth(int column) const {
  const QFontMetrics metrics(textFont(TextRole::Secondary));
  int width = kTargetColumn;
  const QString title = m_model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
  for (const QString& line : title.split(QLatin1Char('\n')))
    width = std::max(width, metrics.horizontalAdvance(line) + 44); // margins and the sort arrow
  return std::min(width, kWidestTarget);
}

void FilesView::showHead() {
  const QString path = m_paths.size() == 1 ? m_paths.first() : QString();
  m_name->setText(path.isEmpty() ? tr("%n file(s)", nullptr, static_cast<int>(m_paths.size()))
                                 : plainLine(QFileInfo(path).fileName()));
  QStringList facts;
  if (!path.isEmpty()) facts << plainLine(QDir::toNativeSeparators(path));
  std::vector<FitBars::Bar> bars;
  quint64 libraries = 0;
  if (const FilesCheckPtr& check = m_model.check()) {
    const preflight::FilesReport& report = check->report;
    libraries = report.libraries();
    facts << tr("%n (library|libraries)", nullptr, pluralCount(libraries))
          << tr("%n target(s)", nullptr, pluralCount(report.targets.size()));
    if (const uint64_t others = report.others + report.sources; others > 0)
      facts << tr("%n other file(s)", nullptr, pluralCount(others));
    for (std::size_t i = 0; i < std::min(report.fitting.size(), check->releases.size()); ++i) {
      QString label = toQt(check->releases[i].label);
      if (label.startsWith(QLatin1Char('v'))) label.remove(0, 1);
      bars.push_back({label, report.fitting[i]});
    }
    m_common->setText(toQt(check->common));
  }
  m_facts->setText(facts.join(QStringLiteral(" · ")));
  m_bars->setBars(std::move(bars), libraries);
  m_bars->setVisible(width() >= kBarsFrom && m_model.check() && libraries > 0);
}

void FilesView::updateFooter() {
  const FilesCheckPtr& check = m_model.check();
  if (!check) return;
  const uint64_t libraries = check->report.libraries();
  std::vector<ColumnFooter::Text> texts;
  for (int column = PreflightModel::FirstTarget; column < m_model.columnCount(); ++column) {
    const auto fitting = static_cast<uint64_t>(m_model.fitting(column));
    texts.push_back({tr("%1 of %2").arg(toQt(groupedText(fitting)), toQt(groupedText(libraries))),
                     fitting == libraries && libraries > 0});
  }
  uint64_t bytes = 0;
  for (const preflight::FileOutcomes& file : check->report.files) bytes += file.ofTvm ? file.size : 0;
  const QString rows = m_rows.rowCount() == m_model.rowCount()
                           ? tr("%n file(s)", nullptr, m_model.rowCount())
                           : tr("%1 of %n file(s)", nullptr, m_model.rowCount())
                                 .arg(toQt(groupedText(static_cast<uint64_t>(m_rows.rowCount()))));
  m_footer->setTexts(tr("%1 · %2 in libraries · nothing was executed").arg(rows, toQt(shortSizeText(bytes))),
                     PreflightModel::FirstTarget, std::move(texts));
}

// --- the selected cell

void FilesView::showSelection() {
  const QModelIndex index = m_rows.mapToSource(m_table->currentIndex());
  if (!index.isValid()) {
    m_details->show({});
    Q_EMIT selectionText({});
    return;
  }
  // Another column of a row shows the first target.
  const std::size_t target = PreflightModel::targetOf(index.column()).value_or(0);
  m_details->show(describe::cellDetails(m_model.file(index.row()), target));
  Q_EMIT selectionText(index.data(Qt::AccessibleTextRole).toString());
}

void FilesView::open(const QModelIndex& row) {
  const QModelIndex index = m_rows.mapToSource(row);
  if (index.isValid()) Q_EMIT fileRequested(absolutePath(m_model.file(index.row())), Ref::file());
}

// --- targets and export

void FilesView::askForTargets() {
  if (!m_model.check()) return;
  auto* const dialog = new TargetsDialog(*m_model.check(), this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this, dialog] {
    const TargetChoice choice = dialog->choice();
    choice.store();
    start(choice);
  });
  dialog->open();
}

void FilesView::askForExport(bool sarif) {
  const QString name = safeFileName(m_name->text()) + (sarif ? QStringLiteral(".sarif") : QStringLiteral(".csv"));
  const QString path = QFileDialog::getSaveFileName(
      this, tr("Export the table"), name, sarif ? tr("SARIF files (*.sarif *.json)") : tr("CSV files (*.csv)"));
  if (!path.isEmpty()) exportTo(path);
}

void FilesView::exportTo(const QString& path) {
  const QString suffix = QFileInfo(path).suffix().toLower();
  const preflight::FilesReport report = m_rows.shown();
  Inputs inputs; // none of the files may be overwritten
  for (const preflight::FileOutcomes& file : report.files)
    inputs.files.push_back(pathFrom(QFile::encodeName(absolutePath(file)).toStdString()));
  const bool sarif = suffix == QLatin1String("sarif") || suffix == QLatin1String("json");
  m_jobs.start<Done>(
      m_tag + QLatin1String("/export"),
      [report, inputs, sarif, target = pathFrom(QFile::encodeName(path).toStdString()),
       version = fromQt(QCoreApplication::applicationVersion())](Monitor& monitor) -> Result<Done> {
        std::string text;
        const auto sink = [&](std::string_view piece) { text += piece; };
        sarif ? preflight::writeSarif(report, version, sink) : preflight::writeCsv(report, sink);
        return writeFile(target, inputs, Bytes::copyOf(text), monitor);
      },
      [guard = QPointer<FilesView>(this), path](Result<Done> done) {
        if (!guard) return;
        const QString name = plainLine(QFileInfo(path).fileName());
        if (done) {
          guard->m_banner->showMessage(Banner::Kind::Ok, tr("Saved %1.").arg(name), {}, {{tr("Close"), [] {}}});
          Q_EMIT guard->exported(path);
        } else {
          guard->m_banner->showMessage(Banner::Kind::Error, tr("%1 was not saved.").arg(name),
                                       toQt(done.error().message()), {{tr("Close"), [] {}}});
        }
      });
}

void FilesView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  m_details->setVisible(width() >= kDetailsFrom);
  m_legend->setVisible(width() >= kLegendFrom);
  m_bars->setVisible(width() >= kBarsFrom && m_model.check() && m_model.check()->report.libraries() > 0);
  fitColumns();
}

bool FilesView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_table->viewport() && event->type() == QEvent::Resize) fitColumns();
  return QWidget::eventFilter(watched, event);
}

} // namespace blobscope::ui
