; The installer, for the current user, without administrator rights:
;   makensis -DVERSION=0.1.0 -DSOURCE=FOLDER -DREMOVAL=FILE.nsh -DOUTPUT=FILE.exe installer.nsi
; SOURCE: the folder that packaging/windows/build.sh zips. With blobscope.exe in it, the window is installed too.
; REMOVAL: one Delete or RMDir for each file and folder of it.

Target amd64-unicode ; the programs are for 64-bit Windows only
Unicode true
SetCompressor /SOLID lzma
!include MUI2.nsh
!include FileFunc.nsh
!include LogicLib.nsh
!include Sections.nsh
!include WinMessages.nsh

Name "Blobscope ${VERSION}"
OutFile "${OUTPUT}"
RequestExecutionLevel user
InstallDir "$LOCALAPPDATA\Programs\Blobscope"
InstallDirRegKey HKCU "Software\Blobscope" "Folder"
ManifestDPIAware true

!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\Blobscope"
!define CLASSES "Software\Classes"

!insertmacro MUI_PAGE_LICENSE "${SOURCE}/LICENSE.txt"
!insertmacro MUI_PAGE_COMPONENTS
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"

; "Open with" offers Blobscope for an ending; the default program stays what it is.
!macro OfferFor ENDING
  WriteRegStr HKCU "${CLASSES}\.${ENDING}\OpenWithProgids" "Blobscope.Library" ""
!macroend
; PATH of the user. It can be longer than a variable of NSIS, so it is changed in memory, and it stays REG_EXPAND_SZ.
!define PATH_BYTES 131072
!macro PathFunctions PREFIX
; $R0: PATH, 0 if it is too long or cannot be read; $R1: its type; $R2: the key; $R6: ";PATH;".
Function ${PREFIX}ReadPath
  StrCpy $R0 0
  System::Call 'advapi32::RegCreateKeyExW(p 0x80000001, w "Environment", i 0, p 0, i 0, i 0x2001f, p 0, *p .R2, p 0) i .R3'
  ${If} $R3 = 0
    System::Alloc ${PATH_BYTES}
    Pop $R0
    IntOp $R5 ${PATH_BYTES} / 2
    System::Call 'advapi32::RegQueryValueExW(p R2, w "Path", p 0, *i .R1, p R0, *i R5R5) i .R3'
    ${If} $R3 = 2 ; there is none
      StrCpy $R1 2
    ${ElseIf} $R3 <> 0
      DetailPrint "PATH is too long or cannot be read; it is not changed."
      System::Free $R0
      System::Call 'advapi32::RegCloseKey(p R2)'
      StrCpy $R0 0
      Return
    ${EndIf}
    System::Alloc ${PATH_BYTES}
    Pop $R6
    System::Call 'kernel32::lstrcpyW(p R6, w ";")'
    System::Call 'kernel32::lstrcatW(p R6, p R0)'
    System::Call 'kernel32::lstrcatW(p R6, w ";")'
  ${EndIf}
FunctionEnd
; Makes the text at $R7 the PATH; an empty one removes it.
Function ${PREFIX}WritePath
  System::Call 'kernel32::lstrlenW(p R7) i .R5'
  ${If} $R5 = 0
    System::Call 'advapi32::RegDeleteValueW(p R2, w "Path")'
  ${Else}
    IntOp $R5 $R5 + 1
    IntOp $R5 $R5 * 2
    System::Call 'advapi32::RegSetValueExW(p R2, w "Path", i 0, i R1, p R7, i R5)'
  ${EndIf}
  SendMessage ${HWND_BROADCAST} ${WM_SETTINGCHANGE} 0 "STR:Environment" /TIMEOUT=5000
FunctionEnd
Function ${PREFIX}FreePath
  System::Free $R0
  System::Free $R6
  System::Call 'advapi32::RegCloseKey(p R2)'
FunctionEnd
!macroend
!insertmacro PathFunctions ""
!insertmacro PathFunctions "un."

!macro OfferNoMoreFor ENDING
  DeleteRegValue HKCU "${CLASSES}\.${ENDING}\OpenWithProgids" "Blobscope.Library"
!macroend

Section "Blobscope" SectionPrograms
  SectionIn RO
  SetOutPath "$INSTDIR"
  File /r "${SOURCE}/*.*"
  WriteRegStr HKCU "Software\Blobscope" "Folder" "$INSTDIR"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "Blobscope"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "Publisher" "Blobscope"
  WriteRegStr HKCU "${UNINSTALL}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegDWORD HKCU "${UNINSTALL}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL}" "NoRepair" 1
  ${GetSize} "$INSTDIR" "/S=0K" $0 $1 $2
  WriteRegDWORD HKCU "${UNINSTALL}" "EstimatedSize" $0
  IfFileExists "$INSTDIR\blobscope.exe" 0 +2
    CreateShortcut "$SMPROGRAMS\Blobscope.lnk" "$INSTDIR\blobscope.exe"
SectionEnd

Section "Offer Blobscope under 'Open with'" SectionOpenWith
  IfFileExists "$INSTDIR\blobscope.exe" 0 done
  WriteRegStr HKCU "${CLASSES}\Blobscope.Library" "" "Library or archive of TVM"
  WriteRegStr HKCU "${CLASSES}\Blobscope.Library\shell\open\command" "" '"$INSTDIR\blobscope.exe" "%1"'
  WriteRegStr HKCU "${CLASSES}\Applications\blobscope.exe\shell\open\command" "" '"$INSTDIR\blobscope.exe" "%1"'
  !insertmacro OfferFor "so"
  !insertmacro OfferFor "dll"
  !insertmacro OfferFor "dylib"
  !insertmacro OfferFor "wasm"
  !insertmacro OfferFor "o"
  !insertmacro OfferFor "obj"
  !insertmacro OfferFor "a"
  !insertmacro OfferFor "lib"
  !insertmacro OfferFor "tar"
  done:
SectionEnd

Section /o "Add blobscope-cli to PATH" SectionPath
  Call ReadPath
  ${If} $R0 <> 0
    System::Call 'shlwapi::StrStrIW(p R6, w ";$INSTDIR;") p .R7'
    ${If} $R7 = 0
      System::Call 'kernel32::lstrlenW(p R0) i .R8'
      ${If} $R8 > 0
        IntOp $R7 $R0 + $R8
        IntOp $R7 $R7 + $R8
        IntOp $R7 $R7 - 2
        System::Call '*$R7(&w1 .R9)'
        ${If} $R9 != ";"
          System::Call 'kernel32::lstrcatW(p R0, w ";")'
        ${EndIf}
      ${EndIf}
      System::Call 'kernel32::lstrcatW(p R0, w "$INSTDIR")'
      StrCpy $R7 $R0
      Call WritePath
    ${EndIf}
    Call FreePath
    WriteRegDWORD HKCU "Software\Blobscope" "OnPath" 1
  ${EndIf}
SectionEnd

; A silent installation (/S) makes the programs available in terminals with /PATH.
Function .onInit
  ${GetOptions} $CMDLINE "/PATH" $0
  ${IfNot} ${Errors}
    !insertmacro SelectSection ${SectionPath}
  ${EndIf}
FunctionEnd

Section "Uninstall"
  ReadRegDWORD $0 HKCU "Software\Blobscope" "OnPath"
  IntCmp $0 1 0 keep keep
  Call un.ReadPath
  ${If} $R0 <> 0
    StrLen $R8 ";$INSTDIR"
    ${Do}
      System::Call 'shlwapi::StrStrIW(p R6, w ";$INSTDIR;") p .R7'
      ${If} $R7 = 0
        ${ExitDo}
      ${EndIf}
      IntOp $R9 $R8 * 2
      IntOp $R9 $R7 + $R9
      System::Call 'kernel32::lstrlenW(p R9) i .R5'
      IntOp $R5 $R5 + 1
      IntOp $R5 $R5 * 2
      System::Call 'kernel32::RtlMoveMemory(p R7, p R9, i R5)'
    ${Loop}
    ; Without the semicolons that ReadPath put around it; nothing is left of ";" alone.
    System::Call 'kernel32::lstrlenW(p R6) i .R8'
    IntOp $R7 $R6 + 2
    ${If} $R8 > 1
      IntOp $R9 $R8 * 2
      IntOp $R9 $R6 + $R9
      IntOp $R9 $R9 - 2
      System::Call '*$R9(&i2 0)'
    ${EndIf}
    Call un.WritePath
    Call un.FreePath
  ${EndIf}
  keep:
  !insertmacro OfferNoMoreFor "so"
  !insertmacro OfferNoMoreFor "dll"
  !insertmacro OfferNoMoreFor "dylib"
  !insertmacro OfferNoMoreFor "wasm"
  !insertmacro OfferNoMoreFor "o"
  !insertmacro OfferNoMoreFor "obj"
  !insertmacro OfferNoMoreFor "a"
  !insertmacro OfferNoMoreFor "lib"
  !insertmacro OfferNoMoreFor "tar"
  DeleteRegKey HKCU "${CLASSES}\Blobscope.Library"
  DeleteRegKey HKCU "${CLASSES}\Applications\blobscope.exe"
  DeleteRegKey HKCU "${UNINSTALL}"
  DeleteRegKey HKCU "Software\Blobscope"
  Delete "$SMPROGRAMS\Blobscope.lnk"
  ; Only what was installed: the user may have put other files into these folders.
  !include "${REMOVAL}"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
SectionEnd

!insertmacro MUI_FUNCTION_DESCRIPTION_BEGIN
  !insertmacro MUI_DESCRIPTION_TEXT ${SectionPrograms} "The programs and the bundled samples."
  !insertmacro MUI_DESCRIPTION_TEXT ${SectionOpenWith} "Explorer offers Blobscope for libraries and archives; the default program of these files stays what it is."
  !insertmacro MUI_DESCRIPTION_TEXT ${SectionPath} "Makes blobscope-cli available in every new terminal of this user."
!insertmacro MUI_FUNCTION_DESCRIPTION_END
