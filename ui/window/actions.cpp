#include "ui/window/actions.h"

#include "ui/text/plain_text.h"
#include "ui/theme/icons.h"

#include <QCoreApplication>
#include <QMenu>
#include <QMenuBar>

namespace blobscope::ui {
namespace {

struct Row {
  ActionId id;
  const char* menu; ///< empty: the menu of the row above; "-" before the text begins a new group
  const char* text;
  const char* shortcut; ///< portable; alternatives separated by ";"
  const char* icon;
  const char* help; ///< one sentence
};

using enum ActionId;
constexpr std::array kRows = std::to_array<Row>({
    {Open, QT_TRANSLATE_NOOP("actions", "&File"), QT_TRANSLATE_NOOP("actions", "&Open…"), "Ctrl+O", "open",
     QT_TRANSLATE_NOOP("actions", "Opens a library without executing its code")},
    {OpenFolder, "", QT_TRANSLATE_NOOP("actions", "Open &folder…"), "", "",
     QT_TRANSLATE_NOOP("actions", "Opens the folder of an unpacked archive")},
    {OpenRecent, "", QT_TRANSLATE_NOOP("actions", "Open recen&t"), "", "",
     QT_TRANSLATE_NOOP("actions", "Lists the files that were opened last")},
    {Reload, "", QT_TRANSLATE_NOOP("actions", "&Reload"), "Ctrl+Shift+R", "",
     QT_TRANSLATE_NOOP("actions", "Reads the file from disk again and keeps tabs and selection")},
    {Compare, "", QT_TRANSLATE_NOOP("actions", "-Co&mpare with…"), "Ctrl+D", "compare",
     QT_TRANSLATE_NOOP("actions", "Compares this file with another file, side by side")},
    {CompareChanges, "", QT_TRANSLATE_NOOP("actions", "Compare with the file as &opened"), "", "",
     QT_TRANSLATE_NOOP("actions", "Compares the changed file with the file as it was opened")},
    {Check, "", QT_TRANSLATE_NOOP("actions", "C&heck"), "Ctrl+Shift+C", "check",
     QT_TRANSLATE_NOOP("actions", "Checks the file and lists all findings")},
    {CheckCode, "", QT_TRANSLATE_NOOP("actions", "Check C so&urces…"), "", "",
     QT_TRANSLATE_NOOP("actions", "Compiles the C code of a Model Library Format archive and lists errors and sizes")},
    {CheckFolder, "", QT_TRANSLATE_NOOP("actions", "Check a fo&lder…"), "", "",
     QT_TRANSLATE_NOOP("actions", "Shows which libraries of a folder load with which releases of TVM")},
    {FixFindings, "", QT_TRANSLATE_NOOP("actions", "Fi&x findings…"), "", "",
     QT_TRANSLATE_NOOP("actions", "Shows what quick fixes of the findings would change, and applies them")},
    {SaveFindings, "", QT_TRANSLATE_NOOP("actions", "Save fin&dings as SARIF…"), "", "",
     QT_TRANSLATE_NOOP("actions", "Saves the findings as a SARIF file for other programs")},
    {Save, "", QT_TRANSLATE_NOOP("actions", "-&Save…"), "Ctrl+S", "save",
     QT_TRANSLATE_NOOP("actions", "Opens the Repack dialog to overwrite the opened file with your changes")},
    {Repack, "", QT_TRANSLATE_NOOP("actions", "Re&pack…"), "Ctrl+Shift+S", "repack",
     QT_TRANSLATE_NOOP("actions", "Opens the Repack dialog to preview and write a file with your changes")},
    {SaveBytes, "", QT_TRANSLATE_NOOP("actions", "-Save &bytes as…"), "Ctrl+Alt+S", "",
     QT_TRANSLATE_NOOP("actions", "Saves the bytes of the selection to a file")},
    {SaveTensor, "", QT_TRANSLATE_NOOP("actions", "Save &tensor as .npy…"), "", "",
     QT_TRANSLATE_NOOP("actions", "Saves the selected tensor as a NumPy file")},
    {SavePicture, "", QT_TRANSLATE_NOOP("actions", "Save p&icture…"), "", "",
     QT_TRANSLATE_NOOP("actions", "Saves the picture of the page as an SVG file")},
    {ExportFolder, "", QT_TRANSLATE_NOOP("actions", "&Export everything…"), "Ctrl+E", "export",
     QT_TRANSLATE_NOOP("actions", "Writes all modules and their content to a new folder")},
    {CloseTab, "", QT_TRANSLATE_NOOP("actions", "-&Close tab"), "Ctrl+W", "",
     QT_TRANSLATE_NOOP("actions", "Closes the current tab")},
    {CloseOtherTabs, "", QT_TRANSLATE_NOOP("actions", "Close other &tabs"), "", "",
     QT_TRANSLATE_NOOP("actions", "Closes all tabs except the current tab and the tab of the file")},
    {KeepTab, "", QT_TRANSLATE_NOOP("actions", "&Keep tab open"), "", "",
     QT_TRANSLATE_NOOP("actions", "Keeps the preview tab (its title is italic); the next part opens in another tab")},
    {Quit, "", QT_TRANSLATE_NOOP("actions", "&Quit"), "Ctrl+Q", "",
     QT_TRANSLATE_NOOP("actions", "Closes all windows and quits Blobscope")},
    {Undo, QT_TRANSLATE_NOOP("actions", "&Edit"), QT_TRANSLATE_NOOP("actions", "&Undo"), "Ctrl+Z", "undo",
     QT_TRANSLATE_NOOP("actions", "Undoes the last change")},
    {Redo, "", QT_TRANSLATE_NOOP("actions", "Red&o"), "Ctrl+Shift+Z;Ctrl+Y", "redo",
     QT_TRANSLATE_NOOP("actions", "Redoes the last undone change")},
    {RevertAll, "", QT_TRANSLATE_NOOP("actions", "Revert all chan&ges"), "", "",
     QT_TRANSLATE_NOOP("actions", "Reverts all unsaved changes")},
    {EditText, "", QT_TRANSLATE_NOOP("actions", "-Edit &text"), "", "",
     QT_TRANSLATE_NOOP("actions", "Goes to the text of a kernel, a field or a module and edits it")},
    {ReplaceFile, "", QT_TRANSLATE_NOOP("actions", "Replace &with file…"), "", "",
     QT_TRANSLATE_NOOP("actions", "Replaces the selection with the content of a file")},
    {Rename, "", QT_TRANSLATE_NOOP("actions", "Rena&me…"), "F2", "",
     QT_TRANSLATE_NOOP(
         "actions",
         "Renames a module, kernel, function or member of an archive; on the Fields page it edits the value")},
    {Imports, "", QT_TRANSLATE_NOOP("actions", "&Imports…"), "", "",
     QT_TRANSLATE_NOOP("actions", "Chooses which modules the selected module imports, and their order")},
    {AddModule, "", QT_TRANSLATE_NOOP("actions", "&Add module…"), "", "",
     QT_TRANSLATE_NOOP("actions", "Adds a module that the selected module imports")},
    {AddMember, "", QT_TRANSLATE_NOOP("actions", "Add file from dis&k…"), "", "",
     QT_TRANSLATE_NOOP("actions", "Adds a file to the archive")},
    {Thin, "", QT_TRANSLATE_NOOP("actions", "T&hin to…"), "", "",
     QT_TRANSLATE_NOOP("actions", "Removes images for some GPUs from a module or from all modules")},
    {Grow, "", QT_TRANSLATE_NOOP("actions", "&Build for more GPUs…"), "", "",
     QT_TRANSLATE_NOOP("actions", "Compiles the PTX of a fat binary and adds machine code for further GPUs")},
    {Remove, "", QT_TRANSLATE_NOOP("actions", "Remo&ve"), "Del", "",
     QT_TRANSLATE_NOOP("actions", "Removes a module, kernel, function, image or member of an archive")},
    {Copy, "", QT_TRANSLATE_NOOP("actions", "-&Copy"), "", "copy",
     QT_TRANSLATE_NOOP("actions", "Copies the selection (Ctrl+C)")},
    {CopyReference, "", QT_TRANSLATE_NOOP("actions", "Copy &reference"), "Ctrl+Alt+C", "",
     QT_TRANSLATE_NOOP("actions", "Copies the reference of this part, for --at and the command line")},
    {CopyDetails, "", QT_TRANSLATE_NOOP("actions", "Copy &details"), "", "",
     QT_TRANSLATE_NOOP("actions", "Copies the content of the Details panel as text")},
    {FindHere, "", QT_TRANSLATE_NOOP("actions", "-&Find here…"), "Ctrl+F", "find",
     QT_TRANSLATE_NOOP("actions", "Searches the current page")},
    {ReplaceHere, "", QT_TRANSLATE_NOOP("actions", "Find and rep&lace…"), "Ctrl+H", "",
     QT_TRANSLATE_NOOP("actions", "Replaces matches on a page with a text that can be edited")},
    {FindNext, "", QT_TRANSLATE_NOOP("actions", "Find &next"), "F3", "",
     QT_TRANSLATE_NOOP("actions", "Goes to the next match")},
    {FindPrevious, "", QT_TRANSLATE_NOOP("actions", "Find &previous"), "Shift+F3", "",
     QT_TRANSLATE_NOOP("actions", "Goes to the previous match")},
    {FindEverywhere, "", QT_TRANSLATE_NOOP("actions", "Find &everywhere…"), "Ctrl+Shift+F", "",
     QT_TRANSLATE_NOOP("actions", "Searches the whole file for text, bytes or a regular expression")},
    {OpenPreferences, "", QT_TRANSLATE_NOOP("actions", "-Preference&s…"), "Ctrl+,", "settings",
     QT_TRANSLATE_NOOP("actions", "Changes colours, fonts, tools, limits and the language")},
    {ShowContents, QT_TRANSLATE_NOOP("actions", "&View"), QT_TRANSLATE_NOOP("actions", "&Contents"), "F9", "",
     QT_TRANSLATE_NOOP("actions", "Shows or hides the Contents panel")},
    {ShowDetails, "", QT_TRANSLATE_NOOP("actions", "&Details"), "Shift+F9;Ctrl+9", "",
     QT_TRANSLATE_NOOP("actions", "Shows or hides the Details panel")},
    {ShowBottom, "", QT_TRANSLATE_NOOP("actions", "&Bottom panel"), "Ctrl+J", "",
     QT_TRANSLATE_NOOP("actions", "Shows or hides the bottom panel")},
    {ShowChanges, "", QT_TRANSLATE_NOOP("actions", "Chan&ges"), "", "",
     QT_TRANSLATE_NOOP("actions", "Shows the Changes panel, which lists all unsaved changes")},
    {ZoomIn, "", QT_TRANSLATE_NOOP("actions", "-&Larger text"), "Ctrl++;Ctrl+=", "",
     QT_TRANSLATE_NOOP("actions", "Makes the text of code, bytes and tables larger")},
    {ZoomOut, "", QT_TRANSLATE_NOOP("actions", "S&maller text"), "Ctrl+-", "",
     QT_TRANSLATE_NOOP("actions", "Makes the text of code, bytes and tables smaller")},
    {ZoomReset, "", QT_TRANSLATE_NOOP("actions", "&Normal text size"), "Ctrl+0", "",
     QT_TRANSLATE_NOOP("actions", "Shows code, bytes and tables in the size that the preferences set")},
    {SwitchTheme, "", QT_TRANSLATE_NOOP("actions", "-S&witch between light and dark"), "", "theme",
     QT_TRANSLATE_NOOP("actions", "Switches all windows between light and dark colours")},
    {FollowSystem, "", QT_TRANSLATE_NOOP("actions", "Follow the s&ystem's colours"), "", "",
     QT_TRANSLATE_NOOP("actions", "Uses the light or dark colours of the system")},
    {FullScreen, "", QT_TRANSLATE_NOOP("actions", "-&Full screen"), "F11", "",
     QT_TRANSLATE_NOOP("actions", "Shows this window on the whole screen, or at its normal size")},
    {Back, QT_TRANSLATE_NOOP("actions", "&Go"), QT_TRANSLATE_NOOP("actions", "&Back"), "Alt+Left", "back",
     QT_TRANSLATE_NOOP("actions", "Goes to the previous location")},
    {Forward, "", QT_TRANSLATE_NOOP("actions", "&Forward"), "Alt+Right", "forward",
     QT_TRANSLATE_NOOP("actions", "Goes to the next location")},
    {Palette, "", QT_TRANSLATE_NOOP("actions", "-Find or go &to…"), "Ctrl+K", "find",
     QT_TRANSLATE_NOOP("actions", "Finds a part or an action by name, or goes to an offset")},
    {GoTo, "", QT_TRANSLATE_NOOP("actions", "Go to &offset or line…"), "Ctrl+G", "",
     QT_TRANSLATE_NOOP("actions", "Goes to an offset on the Hex page or to a line of a text")},
    {NextTab, "", QT_TRANSLATE_NOOP("actions", "-Next t&ab"), "Ctrl+Tab;Ctrl+PgDown", "",
     QT_TRANSLATE_NOOP("actions", "Goes to the next tab")},
    {PreviousTab, "", QT_TRANSLATE_NOOP("actions", "Previous ta&b"), "Ctrl+Shift+Tab;Ctrl+PgUp", "",
     QT_TRANSLATE_NOOP("actions", "Goes to the previous tab")},
    {ListTabs, "", QT_TRANSLATE_NOOP("actions", "&List of tabs…"), "", "",
     QT_TRANSLATE_NOOP("actions", "Lists all open tabs")},
    {NextProblem, "", QT_TRANSLATE_NOOP("actions", "-&Next finding"), "F8", "",
     QT_TRANSLATE_NOOP("actions", "Goes to the next finding in the Problems panel")},
    {PreviousProblem, "", QT_TRANSLATE_NOOP("actions", "&Previous finding"), "Shift+F8", "",
     QT_TRANSLATE_NOOP("actions", "Goes to the previous finding in the Problems panel")},
    {NextPanel, "", QT_TRANSLATE_NOOP("actions", "-Next pane&l"), "F6", "",
     QT_TRANSLATE_NOOP("actions", "Moves the keyboard focus to the next panel")},
    {PreviousPanel, "", QT_TRANSLATE_NOOP("actions", "Previous panel"), "Shift+F6", "",
     QT_TRANSLATE_NOOP("actions", "Moves the keyboard focus to the previous panel")},
    {ToPage, "", QT_TRANSLATE_NOOP("actions", "Go to the pa&ge"), "", "",
     QT_TRANSLATE_NOOP("actions", "Moves the keyboard focus to the current page (Esc)")},
    {Run, QT_TRANSLATE_NOOP("actions", "&Run"), QT_TRANSLATE_NOOP("actions", "&Run…"), "F5", "run",
     QT_TRANSLATE_NOOP("actions", "Runs functions of the file in a helper process after you agree")},
    {RunModel, "", QT_TRANSLATE_NOOP("actions", "Run the whole &model…"), "Ctrl+F5", "",
     QT_TRANSLATE_NOOP("actions", "Runs the model from its inputs to its outputs and shows each node, without TVM")},
    {BuildArchive, "", QT_TRANSLATE_NOOP("actions", "&Build a library from the archive…"), "", "",
     QT_TRANSLATE_NOOP("actions",
                       "Compiles the C code of a Model Library Format archive to a library that can be run")},
    {RunAgain, "", QT_TRANSLATE_NOOP("actions", "Run &again"), "Shift+F5", "",
     QT_TRANSLATE_NOOP("actions", "Repeats the last run with the current file")},
    {ReadSignatures, "", QT_TRANSLATE_NOOP("actions", "Read &signatures…"), "", "",
     QT_TRANSLATE_NOOP("actions",
                       "Reads the types of tvm-ffi functions by running code of the library after you agree")},
    {Devices, "", QT_TRANSLATE_NOOP("actions", "-&Devices…"), "", "",
     QT_TRANSLATE_NOOP("actions", "Lists the devices that test runs can use on this machine, and what is missing")},
    {Minimize, QT_TRANSLATE_NOOP("actions", "&Window"), QT_TRANSLATE_NOOP("actions", "&Minimize"), "Ctrl+M", "",
     QT_TRANSLATE_NOOP("actions", "Minimizes this window")},
    {NextWindow, "", QT_TRANSLATE_NOOP("actions", "&Next window"), "Ctrl+F6", "",
     QT_TRANSLATE_NOOP("actions", "Goes to the next window of Blobscope")},
    {PreviousWindow, "", QT_TRANSLATE_NOOP("actions", "&Previous window"), "Ctrl+Shift+F6", "",
     QT_TRANSLATE_NOOP("actions", "Goes to the previous window of Blobscope")},
    {Help, QT_TRANSLATE_NOOP("actions", "&Help"), QT_TRANSLATE_NOOP("actions", "&Help on this"), "F1", "",
     QT_TRANSLATE_NOOP("actions",
                       "Opens the help page for the item under the mouse pointer or with the keyboard focus")},
    {HelpIndex, "", QT_TRANSLATE_NOOP("actions", "&All help pages"), "", "",
     QT_TRANSLATE_NOOP("actions", "Opens the list of all help pages")},
    {About, "", QT_TRANSLATE_NOOP("actions", "-A&bout Blobscope"), "", "",
     QT_TRANSLATE_NOOP("actions", "Shows the version and the licence of Blobscope")},
});
static_assert(kRows.size() == static_cast<std::size_t>(Count));

} // namespace

Actions::Actions(QWidget* window, QMenuBar* menus) {
  QMenu* menu = nullptr;
  for (const Row& row : kRows) {
    if (*row.menu) menu = menus->addMenu(QCoreApplication::translate("actions", row.menu));
    QString text = QCoreApplication::translate("actions", row.text);
    if (text.startsWith(QLatin1Char('-'))) {
      menu->addSeparator();
      text.remove(0, 1);
    }
    auto* const action = new QAction(text, window);
    action->setData(static_cast<int>(row.id));
    QList<QKeySequence> shortcuts;
    for (const QString& keys : QString::fromLatin1(row.shortcut).split(QLatin1Char(';'), Qt::SkipEmptyParts))
      shortcuts << QKeySequence(keys);
    action->setShortcuts(shortcuts);
    const QString help = QCoreApplication::translate("actions", row.help);
    action->setStatusTip(plainLine(help));
    action->setToolTip(plainTip(shortcuts.isEmpty() ? help
                                                    : QStringLiteral("%1 (%2)").arg(
                                                          help, shortcuts.first().toString(QKeySequence::NativeText))));
    if (*row.icon) action->setIcon(icon(QLatin1String(row.icon)));
    menu->addAction(action);
    if (row.id == OpenRecent) action->setMenu(new QMenu(menu)); // filled when it opens
    if (row.id == Minimize) m_windowMenu = menu;
    m_actions[static_cast<std::size_t>(row.id)] = action;
  }
}

} // namespace blobscope::ui
