# cmake -DROOT=… -P lint.cmake: rules that the compiler does not know. Prints each breach; fails when there is one.

cmake_policy(VERSION 3.25)

set(breaches 0)
function(breach file text)
  message("${file}: ${text}")
  math(EXPR count "${breaches} + 1")
  set(breaches ${count} PARENT_SCOPE)
endfunction()

# Who may include whom: folder → folders under core/ that its files may include besides their own. The same table stands
# in core/README.md for people.
set(may_base "")
set(may_container base)
set(may_host base container)
set(may_view base)
set(may_process base syntax view)
set(may_payloads base container view)
set(may_modules base payloads process view)
set(may_library base container host modules payloads syntax view)
set(may_disasm base syntax)
set(may_xref base container host library modules syntax view)
set(may_mlf base container library payloads view xref)
set(may_protocol base payloads process)
set(may_search base library)
set(may_run base container edit host library modules payloads process protocol view xref)
set(may_diff base container host library modules payloads syntax view)
set(may_edit base library modules payloads)
set(may_write base container edit library modules payloads)
set(may_syntax base)

# The same for folders under ui/; `core` is all of core. Nobody else includes theirs, app/gui and tests excepted.
set(ui_may_text core/base)
set(ui_may_session core ui/text)
set(ui_may_models core ui/session ui/text)
set(ui_may_theme "")
set(ui_may_widgets ui/text ui/theme core/base core/search core/syntax core/view)
set(ui_may_pages core ui/models ui/session ui/text ui/theme ui/widgets)
set(ui_may_compare core ui/models ui/pages ui/session ui/text ui/theme ui/widgets)
set(ui_may_window core ui/compare ui/models ui/pages ui/session ui/text ui/theme ui/widgets)

# What a window holds and its models know no widgets.
set(without_widgets text session models)
string(CONCAT widget_headers "^(QtWidgets/.*|QApplication|QWidget|QFrame|QMenu|QCompleter|QToolTip|QSplitter|QMainWindow|"
       "QStyle|QStyled.*|QStyleOption.*|QProxyStyle|QGraphics.*|"
       "Q[A-Za-z]*(Widget|Button|Dialog|Delegate|Layout|Label|Bar|Box|Slider|Area|Edit|TreeView|TableView|ListView|"
       "HeaderView|ItemView))$")

# Colours that are not a role of the theme: a number, a name, or Qt's own; Qt::transparent is none.
set(hex "[0-9A-Fa-f]")
string(CONCAT colors "#${hex}${hex}${hex}${hex}${hex}${hex}|QColor *[({] *[0-9]|QColor +[a-zA-Z_]+ *[({] *[0-9]|"
       "QColor *[({] *(QStringLiteral|QLatin1String|u?\")|QColor::from|setNamedColor|qRgba? *\\(|"
       "Qt::(black|white|red|darkRed|green|darkGreen|blue|darkBlue|cyan|darkCyan|magenta|darkMagenta|yellow|darkYellow|"
       "gray|darkGray|lightGray|color0|color1)([^A-Za-z0-9_]|$)")

# Text of files in the window: a name can be markup, megabytes long, or turn what is around it. So it comes through
# ui/text, and what Qt takes for rich text where nobody says that it is plain is made in one place each.
string(CONCAT plain_call "(plainTip|plainLine|plainLines|plainBlock|plainAction)\\(")
string(CONCAT own_words "([A-Za-z]+::)?tr\\(\"([^\"\\\\]|\\\\.)*\"\\)[),]")
set(text_setters "setToolTip|setStatusTip|setWhatsThis|setAccessibleName|setAccessibleDescription|setWindowTitle")
set(tab_setters "setTabText|setTabToolTip|QToolTip::showText")
string(CONCAT bare_text
       "new QMessageBox|QMessageBox +[a-z]+[({]|QMessageBox::(about|question|information|warning|critical)\\(|QInputDialog::get|new QInputDialog|"
       "QInputDialog +[a-z]+[({]|[^A-Za-z]QLabel[ (:*]|QString::from(StdString|Utf8|Local8Bit|StdU16String|StdWString)\\(|"
       "QErrorMessage|QProgressDialog|QWhatsThis::showText|add(Action|Menu|Button|Tab)\\((toQt|linesToQt|nameToQt|wholeToQt|tr\\(\"[^\"]*\"\\)\\.arg)")
set(may_bare_text "ui/text/plain_text.cpp;ui/widgets/labels.h;ui/widgets/labels.cpp;ui/widgets/boxes.h;ui/widgets/boxes.cpp")
# Own resources; characters that are searched or drawn one by one.
list(APPEND may_bare_text ui/pages/help_pages.cpp ui/widgets/find/find_search.cpp ui/widgets/text/line_cells.cpp)
# Bytes as they are: clipboard, editors, paths, keys of maps.
set(may_whole_text
    ui/compare/pair_accessible.cpp ui/compare/text_pair_view.cpp ui/models/field_text.cpp ui/pages/fields_page.cpp
    ui/pages/overview_page.cpp ui/text/plain_text.cpp ui/text/plain_text.h ui/widgets/hex/hex_view.cpp
    ui/widgets/text/text_view.cpp ui/window/panels/details_panel.cpp ui/window/editing.cpp ui/window/main_window_setup.cpp
    ui/window/dialogs/run_consent.cpp ui/window/dialogs/run_dialog.cpp ui/window/dialogs/run_inputs.cpp
    ui/window/dialogs/run_rows.cpp)
# `out`: the first place where `text` shows something that did not come through ui/text, empty when there is none.
function(find_bare_text text out)
  set(found "")
  # A call may begin its arguments on the next line.
  string(REGEX REPLACE "\\([ \t\r\n]+" "(" text "${text}")
  string(REGEX REPLACE ",[ \t\r\n]+" ", " text "${text}")
  string(REGEX REPLACE "(${text_setters})\\((${plain_call}|${own_words}|{}\\))" "" left "${text}")
  string(REGEX REPLACE "(${tab_setters})\\([^,;]+, *(${plain_call}|${own_words})" "" left "${left}")
  if(left MATCHES "[^A-Za-z](${text_setters}|${tab_setters})\\([^;]*")
    string(SUBSTRING "${CMAKE_MATCH_0}" 0 100 found)
  elseif(left MATCHES "${bare_text}")
    set(found "${CMAKE_MATCH_0}")
  elseif(text MATCHES "Qt::ToolTipRole" AND NOT text MATCHES "plainTip\\(|shownAs\\(")
    set(found "Qt::ToolTipRole without plainTip()")
  endif()
  set(${out} "${found}" PARENT_SCOPE)
endfunction()
# The rule sees what it is for, and nothing else.
foreach(bad IN ITEMS "  a->setToolTip(name)" "  setAccessibleName(tr(\"A %1\").arg(name))" "  QToolTip::showText(help->globalPos(), name, this)"
                     " new QLabel(name, this)" "  QMessageBox box(QMessageBox::Warning, a, b)" "  QMessageBox::warning(this, a, b)"
                     "  auto* const d = new QInputDialog(w)" "  m_tabs->setTabText(1, name)" "  menu->addAction(toQt(name))"
                     "  menu->addAction(tr(\"Open %1\").arg(name))" "  QString::fromStdString(name)" "  case Qt::ToolTipRole: return name"
                     "  setWindowTitle(file)" "  setWindowTitle(tr(\"a\") + file)")
  find_bare_text("${bad}\n" found)
  if(NOT found)
    breach("tests/lint/lint.cmake" "the rule for text no longer sees: ${bad}")
  endif()
endforeach()
foreach(good IN ITEMS "  a->setToolTip(plainTip(name))" "  a->setToolTip(tr(\"A \\\"word\\\" here\"))" "  menu->setToolTipsVisible(true)"
                      "  QToolTip::showText(help->globalPos(), plainTip(name), this)" "  m_tabs->setTabText(1, plainAction(name))"
                      "  menu->addAction(plainAction(name))" "  case Qt::ToolTipRole: return plainTip(name)" "  switch (box->exec()) { case QMessageBox::Save: ")
  find_bare_text("${good}\n" found)
  if(found)
    breach("tests/lint/lint.cmake" "the rule for text refuses: ${good}")
  endif()
endforeach()

# The one file that may include a library.
set(only_nlohmann "core/base/json.cpp")
set(only_llvm "core/base/digest.cpp;core/container/elf/elf.cpp;core/disasm/mc.cpp;tests/core/container/llvm_oracle.cpp")
set(only_CLI "app/cli/")
set(only_archive "core/container/archive/archive.cpp")

set(longest_header 250)
set(longest_source 720)

file(GLOB_RECURSE files RELATIVE "${ROOT}" "${ROOT}/core/*.h" "${ROOT}/core/*.cpp" "${ROOT}/app/*.h" "${ROOT}/app/*.cpp"
     "${ROOT}/ui/*.h" "${ROOT}/ui/*.cpp" "${ROOT}/tests/*.h" "${ROOT}/tests/*.cpp")
foreach(file IN LISTS files)
  file(STRINGS "${ROOT}/${file}" includes REGEX "^[ \t]*#include")
  set(layer "")
  if(file MATCHES "^core/([a-z]+)/")
    set(layer ${CMAKE_MATCH_1})
  endif()
  set(ui "")
  if(file MATCHES "^ui/([a-z]+)/")
    set(ui ${CMAKE_MATCH_1})
    if(NOT DEFINED ui_may_${ui})
      breach("${file}" "the table says nothing of ui/${ui}")
    endif()
  endif()
  foreach(line IN LISTS includes)
    string(REGEX REPLACE ".*#include[ \t]*[<\"]([^>\"]*)[>\"].*" "\\1" header "${line}")
    if(layer AND header MATCHES "^core/([a-z]+)/")
      set(target ${CMAKE_MATCH_1})
      if(NOT target STREQUAL layer AND NOT target IN_LIST may_${layer})
        breach("${file}" "${layer} may not include ${header}")
      endif()
    endif()
    if(ui AND header MATCHES "^((core|ui)/[a-z]+)/")
      set(target ${CMAKE_MATCH_1})
      set(part ${CMAKE_MATCH_2})
      if(NOT target STREQUAL "ui/${ui}" AND NOT target IN_LIST ui_may_${ui} AND NOT part IN_LIST ui_may_${ui})
        breach("${file}" "ui/${ui} may not include ${header}")
      endif()
    endif()
    if(ui AND header MATCHES "^(app|tests)/")
      breach("${file}" "ui may not include ${header}")
    endif()
    if(ui IN_LIST without_widgets AND header MATCHES "${widget_headers}")
      breach("${file}" "no widgets here: ${header}")
    endif()
    # What kinds share is no kind: edits write FunctionInfo and shaders with it.
    if(header MATCHES "^core/modules/[a-z_]+/" AND NOT file MATCHES "^(core/(modules|library)|tests)/" AND
       NOT (file MATCHES "^core/edit/" AND header MATCHES "^core/modules/common/"))
      breach("${file}" "only core/modules and core/library know a kind: ${header}")
    endif()
    if(file MATCHES "^app/cli/" AND header MATCHES "^ui/")
      breach("${file}" "the command line may not include ${header}")
    endif()
    # A module kind knows the shared folder and itself; only the registry knows all kinds.
    if(file MATCHES "^core/modules/([a-z_]+)/" AND header MATCHES "^core/modules/([a-z_]+)/")
      string(REGEX REPLACE "^core/modules/([a-z_]+)/.*" "\\1" from "${file}")
      string(REGEX REPLACE "^core/modules/([a-z_]+)/.*" "\\1" to "${header}")
      if(NOT from STREQUAL to AND NOT to STREQUAL "common")
        breach("${file}" "kind ${from} may not include ${header}")
      endif()
    endif()
    if(layer AND header MATCHES "^(app|ui|tests)/")
      breach("${file}" "core may not include ${header}")
    endif()
    if((layer OR file MATCHES "^app/cli/") AND header MATCHES "^Q[A-Z]|^Qt")
      breach("${file}" "no Qt here: ${header}")
    endif()
    if(header MATCHES "^QtWidgets$")
      breach("${file}" "name the widgets' own headers, not ${header}")
    endif()
    foreach(library IN ITEMS nlohmann llvm CLI)
      if(header MATCHES "^${library}/")
        set(allowed FALSE)
        foreach(place IN LISTS only_${library})
          string(FIND "${file}" "${place}" at)
          if(at EQUAL 0)
            set(allowed TRUE)
          endif()
        endforeach()
        if(NOT allowed)
          breach("${file}" "${header} may be included only by ${only_${library}}")
        endif()
      endif()
    endforeach()
  endforeach()

  if(NOT file MATCHES "^tests/")
    file(STRINGS "${ROOT}/${file}" loaders REGEX "dlopen *\\(|LoadLibrary[AW]? *\\(")
    if(loaders AND NOT file MATCHES "^app/runner/")
      breach("${file}" "only the runner loads foreign code")
    endif()
    file(READ "${ROOT}/${file}" text)
    string(REGEX MATCHALL "\n" lines "${text}")
    list(LENGTH lines count)
    if(file MATCHES "\\.h$" AND count GREATER longest_header)
      breach("${file}" "${count} lines; headers are split above ${longest_header}")
    endif()
    if(file MATCHES "\\.cpp$" AND count GREATER longest_source)
      breach("${file}" "${count} lines; sources are split above ${longest_source}")
    endif()
    if(file MATCHES "\\.h$" AND NOT text MATCHES "^#pragma once")
      breach("${file}" "headers begin with #pragma once")
    endif()
    if(file MATCHES "^(app|ui)/" AND NOT file MATCHES "^ui/theme/" AND text MATCHES "${colors}")
      breach("${file}" "only ui/theme holds colours: ${CMAKE_MATCH_0}")
    endif()
    if(file MATCHES "^(ui|app/gui)/")
      if(NOT file IN_LIST may_bare_text)
        find_bare_text("${text}" found)
        if(found)
          breach("${file}" "text goes through ui/text/plain_text.h: ${found}")
        endif()
      endif()
      if(text MATCHES "wholeToQt\\(" AND NOT file IN_LIST may_whole_text)
        breach("${file}" "wholeToQt is for the clipboard, editors and paths")
      endif()
    endif()
    if(text MATCHES "setStyleSheet")
      breach("${file}" "no style sheets: they switch off the style for all that is below")
    endif()
  endif()
endforeach()

# Rules of the archive check: their ids are stable, each stands once, in order.
file(STRINGS "${ROOT}/core/mlf/rules.inc" rules REGEX "^BLOBSCOPE_MLF_RULE")
set(before "")
foreach(rule IN LISTS rules)
  if(NOT rule MATCHES "^BLOBSCOPE_MLF_RULE\\(\"(MLF-[0-9][0-9][0-9])\", ")
    breach("core/mlf/rules.inc" "no id: ${rule}")
  elseif(before AND NOT CMAKE_MATCH_1 STRGREATER before)
    breach("core/mlf/rules.inc" "${CMAKE_MATCH_1} does not come behind ${before}")
  else()
    set(before ${CMAKE_MATCH_1})
  endif()
endforeach()
if(NOT before)
  breach("core/mlf/rules.inc" "no rules")
endif()

# Every verb whose output has a schema has it in the program.
file(GLOB schemas RELATIVE "${ROOT}/resources/schemas" "${ROOT}/resources/schemas/*.json")
file(READ "${ROOT}/app/CMakeLists.txt" app)
foreach(schema IN LISTS schemas)
  string(REPLACE ".json" "" verb "${schema}")
  if(NOT app MATCHES "[ (]${verb}[ )]")
    breach("resources/schemas/${schema}" "not built into the program")
  endif()
endforeach()

list(LENGTH files count)
if(breaches GREATER 0)
  message(FATAL_ERROR "${breaches} breaches in ${count} files")
endif()
message(STATUS "${count} files, no breach")
