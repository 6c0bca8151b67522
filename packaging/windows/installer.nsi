; The installer, for the current user, without administrator rights:
;   makensis -DVERSION=0.1.0 -DSOURCE=FOLDER -DREMOVAL=FILE.nsh -DOUTPUT=FILE.exe installer.nsi
; SOURCE: the folder that packaging/windows/build.sh zips. With blobscope.exe in it, the window is installed too.
; REMOVAL: one Delete or RMDir for each file and folder of it.

Target amd64-unicode ; the programs are for 64-bit Windows only
Unicode true
SetCompressor /SOLID lzma
!include MUI2.nsh
!include FileFunc.nsh

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

; PowerShell, because a variable of NSIS would cut a long PATH.
Section /o "Add blobscope-cli to PATH" SectionPath
  nsExec::ExecToLog `powershell.exe -NoProfile -Command "$$p = [Environment]::GetEnvironmentVariable('Path', 'User'); if (($$p -split ';') -notcontains '$INSTDIR') { [Environment]::SetEnvironmentVariable('Path', ($$p.TrimEnd(';') + ';$INSTDIR').TrimStart(';'), 'User') }"`
  Pop $0
  WriteRegDWORD HKCU "Software\Blobscope" "OnPath" 1
SectionEnd

Section "Uninstall"
  ReadRegDWORD $0 HKCU "Software\Blobscope" "OnPath"
  IntCmp $0 1 0 keep keep
  nsExec::ExecToLog `powershell.exe -NoProfile -Command "$$p = [Environment]::GetEnvironmentVariable('Path', 'User'); [Environment]::SetEnvironmentVariable('Path', (($$p -split ';' | Where-Object { $$_ -ne '$INSTDIR' }) -join ';'), 'User')"`
  Pop $0
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
