<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE">
<context>
    <name>Copy</name>
    <message>
        <source>The selection is %1, but at most 64 MiB can be copied at once. Select less, or save it to a file.</source>
        <translation>Die Auswahl umfasst %1, aber es können höchstens 64 MiB auf einmal kopiert werden. Wählen Sie weniger aus oder speichern Sie die Auswahl in einer Datei.</translation>
    </message>
</context>
<context>
    <name>FindBar</name>
    <message>
        <source>Enter a search pattern.</source>
        <translation>Geben Sie ein Suchmuster ein.</translation>
    </message>
    <message>
        <source>Enter two hexadecimal digits for each byte.</source>
        <translation>Geben Sie für jedes Byte zwei hexadezimale Ziffern ein.</translation>
    </message>
    <message>
        <source>Character %1: %2.</source>
        <translation>Zeichen %1: %2.</translation>
    </message>
    <message>
        <source>Invalid pattern: %1.</source>
        <translation>Ungültiges Muster: %1.</translation>
    </message>
    <message>
        <source>Unknown escape sequence %1 in the replacement. Use \\ for a backslash.</source>
        <translation>Unbekannte Escape-Sequenz %1 in der Ersetzung. Ein umgekehrter Schrägstrich wird als \\ geschrieben.</translation>
    </message>
    <message>
        <source>The pattern has no group \%1.</source>
        <translation>Das Muster hat keine Gruppe \%1.</translation>
    </message>
</context>
<context>
    <name>PairView</name>
    <message>
        <source>addresses</source>
        <translation>Adressen</translation>
    </message>
    <message>
        <source>Addresses and offsets, such as 0x1a40 or the offsets of instructions</source>
        <translation>Adressen und Offsets, etwa 0x1a40 oder die Offsets von Befehlen</translation>
    </message>
    <message>
        <source>serial numbers</source>
        <translation>laufende Nummern</translation>
    </message>
    <message>
        <source>Numbers at the end of names and register numbers, such as _123, add3 or %rd12</source>
        <translation>Nummern am Ende von Namen und Registernummern, etwa _123, add3 oder %rd12</translation>
    </message>
    <message>
        <source>labels</source>
        <translation>Sprungmarken</translation>
    </message>
    <message>
        <source>Labels that a compiler generates, such as $L__BB0_3 or .L12</source>
        <translation>Vom Compiler erzeugte Sprungmarken, etwa $L__BB0_3 oder .L12</translation>
    </message>
    <message>
        <source>times</source>
        <translation>Zeiten</translation>
    </message>
    <message>
        <source>Dates and times of day</source>
        <translation>Datums- und Zeitangaben</translation>
    </message>
    <message>
        <source>paths</source>
        <translation>Pfade</translation>
    </message>
    <message>
        <source>Absolute file paths</source>
        <translation>Absolute Dateipfade</translation>
    </message>
    <message>
        <source>line ends</source>
        <translation>Zeilenenden</translation>
    </message>
    <message>
        <source>Line feed, or carriage return and line feed</source>
        <translation>Zeilenvorschub oder Wagenrücklauf mit Zeilenvorschub</translation>
    </message>
    <message>
        <source>formatting</source>
        <translation>Formatierung</translation>
    </message>
    <message>
        <source>Blanks, and the outer ones of double parentheses</source>
        <translation>Leerzeichen und die äußeren von doppelten Klammern</translation>
    </message>
</context>
<context>
    <name>PlainText</name>
    <message>
        <source>… (%1 more characters)</source>
        <translation>… (%1 weitere Zeichen)</translation>
    </message>
</context>
<context>
    <name>QObject</name>
    <message>
        <source>version %1</source>
        <translation>Version %1</translation>
    </message>
    <message>
        <source>versions %1 to %2</source>
        <translation>Versionen %1 bis %2</translation>
    </message>
    <message>
        <source>What to do: %1.</source>
        <translation>Abhilfe: %1.</translation>
    </message>
    <message>
        <source>file</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>blob</source>
        <translation>Blob</translation>
    </message>
    <message>
        <source>module</source>
        <translation>Modul</translation>
    </message>
    <message>
        <source>kernel</source>
        <translation>Kernel</translation>
    </message>
    <message>
        <source>function</source>
        <translation>Funktion</translation>
    </message>
    <message>
        <source>constant</source>
        <translation>Konstante</translation>
    </message>
    <message>
        <source>image</source>
        <translation>Image</translation>
    </message>
    <message>
        <source>host function</source>
        <translation>Hostfunktion</translation>
    </message>
    <message>
        <source>section</source>
        <translation>Abschnitt</translation>
    </message>
    <message>
        <source>folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>member</source>
        <translation>Eintrag</translation>
    </message>
    <message>
        <source>This page is not shown because the file was overwritten in place after it was opened.
Reload the file to see its current content.</source>
        <translation>Diese Seite wird nicht angezeigt, weil die Datei nach dem Öffnen an Ort und Stelle überschrieben wurde.
Laden Sie die Datei neu, um ihren aktuellen Inhalt zu sehen.</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>%1 is past the end of the file</source>
        <translation>%1 liegt hinter dem Ende der Datei</translation>
    </message>
    <message>
        <source>Go to %1</source>
        <translation>Gehe zu %1</translation>
    </message>
    <message>
        <source>offset</source>
        <translation>Offset</translation>
    </message>
    <message>
        <source>reference</source>
        <translation>Referenz</translation>
    </message>
    <message>
        <source>today %1</source>
        <translation>heute %1</translation>
    </message>
    <message>
        <source>yesterday</source>
        <translation>gestern</translation>
    </message>
    <message>
        <source>Shows or dims what has this colour</source>
        <translation>Zeigt oder dämpft, was diese Farbe hat</translation>
    </message>
    <message>
        <source>page</source>
        <translation>Seite</translation>
    </message>
</context>
<context>
    <name>ThinDialog</name>
    <message>
        <source>machine code</source>
        <translation>Maschinencode</translation>
    </message>
</context>
<context>
    <name>actions</name>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Datei</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation>Ö&amp;ffnen…</translation>
    </message>
    <message>
        <source>Opens a library without executing its code</source>
        <translation>Öffnet eine Bibliothek, ohne ihren Code auszuführen</translation>
    </message>
    <message>
        <source>Open &amp;folder…</source>
        <translation>O&amp;rdner öffnen…</translation>
    </message>
    <message>
        <source>Opens the folder of an unpacked archive</source>
        <translation>Öffnet den Ordner eines entpackten Archivs</translation>
    </message>
    <message>
        <source>&amp;Reload</source>
        <translation>Neu &amp;laden</translation>
    </message>
    <message>
        <source>Reads the file from disk again and keeps tabs and selection</source>
        <translation>Liest die Datei neu ein und behält Tabs und Auswahl bei</translation>
    </message>
    <message>
        <source>-Co&amp;mpare with…</source>
        <translation>-&amp;Vergleichen mit…</translation>
    </message>
    <message>
        <source>Compares this file with another file, side by side</source>
        <translation>Vergleicht diese Datei mit einer anderen, nebeneinander</translation>
    </message>
    <message>
        <source>Compare with the file as &amp;opened</source>
        <translation>Mit der Datei beim Öffnen ver&amp;gleichen</translation>
    </message>
    <message>
        <source>Compares the changed file with the file as it was opened</source>
        <translation>Vergleicht die geänderte Datei mit der Datei, wie sie geöffnet wurde</translation>
    </message>
    <message>
        <source>C&amp;heck</source>
        <translation>&amp;Prüfen</translation>
    </message>
    <message>
        <source>Checks the file and lists all findings</source>
        <translation>Prüft die Datei und listet alle Befunde auf</translation>
    </message>
    <message>
        <source>Save fin&amp;dings as SARIF…</source>
        <translation>&amp;Befunde als SARIF speichern…</translation>
    </message>
    <message>
        <source>Saves the findings as a SARIF file for other programs</source>
        <translation>Speichert die Befunde als SARIF-Datei für andere Programme</translation>
    </message>
    <message>
        <source>-&amp;Save…</source>
        <translation>-&amp;Speichern…</translation>
    </message>
    <message>
        <source>Opens the Repack dialog to overwrite the opened file with your changes</source>
        <translation>Öffnet den Dialog „Neu packen“, um die geöffnete Datei mit Ihren Änderungen zu überschreiben</translation>
    </message>
    <message>
        <source>Re&amp;pack…</source>
        <translation>N&amp;eu packen…</translation>
    </message>
    <message>
        <source>Opens the Repack dialog to preview and write a file with your changes</source>
        <translation>Öffnet den Dialog „Neu packen“, um eine Datei mit Ihren Änderungen zu planen und zu schreiben</translation>
    </message>
    <message>
        <source>-Save &amp;bytes as…</source>
        <translation>-B&amp;ytes speichern unter…</translation>
    </message>
    <message>
        <source>Saves the bytes of the selection to a file</source>
        <translation>Speichert die Bytes der Auswahl in einer Datei</translation>
    </message>
    <message>
        <source>Save &amp;tensor as .npy…</source>
        <translation>&amp;Tensor als .npy speichern…</translation>
    </message>
    <message>
        <source>Saves the selected tensor as a NumPy file</source>
        <translation>Speichert den ausgewählten Tensor als NumPy-Datei</translation>
    </message>
    <message>
        <source>&amp;Export everything…</source>
        <translation>Alles e&amp;xportieren…</translation>
    </message>
    <message>
        <source>Writes all modules and their content to a new folder</source>
        <translation>Schreibt alle Module und ihren Inhalt in einen neuen Ordner</translation>
    </message>
    <message>
        <source>-&amp;Close tab</source>
        <translation>-Tab s&amp;chließen</translation>
    </message>
    <message>
        <source>Closes the current tab</source>
        <translation>Schließt den aktuellen Tab</translation>
    </message>
    <message>
        <source>Close other &amp;tabs</source>
        <translation>&amp;Andere Tabs schließen</translation>
    </message>
    <message>
        <source>Closes all tabs except the current tab and the tab of the file</source>
        <translation>Schließt alle Tabs außer dem aktuellen und dem der Datei</translation>
    </message>
    <message>
        <source>&amp;Keep tab open</source>
        <translation>Tab offen &amp;halten</translation>
    </message>
    <message>
        <source>Keeps the preview tab (its title is italic); the next part opens in another tab</source>
        <translation>Behält den Vorschau-Tab (mit kursivem Titel); der nächste Teil wird in einem anderen Tab geöffnet</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>Bee&amp;nden</translation>
    </message>
    <message>
        <source>Closes all windows and quits Blobscope</source>
        <translation>Schließt alle Fenster und beendet Blobscope</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>&amp;Bearbeiten</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Rückgängig</translation>
    </message>
    <message>
        <source>Undoes the last change</source>
        <translation>Macht die letzte Änderung rückgängig</translation>
    </message>
    <message>
        <source>Red&amp;o</source>
        <translation>&amp;Wiederherstellen</translation>
    </message>
    <message>
        <source>Redoes the last undone change</source>
        <translation>Stellt die zuletzt rückgängig gemachte Änderung wieder her</translation>
    </message>
    <message>
        <source>Revert all chan&amp;ges</source>
        <translation>Alle Änderungen &amp;verwerfen</translation>
    </message>
    <message>
        <source>Reverts all unsaved changes</source>
        <translation>Verwirft alle nicht gespeicherten Änderungen</translation>
    </message>
    <message>
        <source>Replace &amp;with file…</source>
        <translation>&amp;Durch Datei ersetzen…</translation>
    </message>
    <message>
        <source>Replaces the selection with the content of a file</source>
        <translation>Ersetzt die Auswahl durch den Inhalt einer Datei</translation>
    </message>
    <message>
        <source>Rena&amp;me…</source>
        <translation>&amp;Umbenennen…</translation>
    </message>
    <message>
        <source>&amp;Imports…</source>
        <translation>&amp;Importe…</translation>
    </message>
    <message>
        <source>Chooses which modules the selected module imports, and their order</source>
        <translation>Legt fest, welche Module das ausgewählte Modul importiert, und ihre Reihenfolge</translation>
    </message>
    <message>
        <source>&amp;Add module…</source>
        <translation>&amp;Modul hinzufügen…</translation>
    </message>
    <message>
        <source>Adds a module that the selected module imports</source>
        <translation>Fügt ein Modul hinzu, das vom ausgewählten Modul importiert wird</translation>
    </message>
    <message>
        <source>Remo&amp;ve</source>
        <translation>&amp;Entfernen</translation>
    </message>
    <message>
        <source>-&amp;Copy</source>
        <translation>-&amp;Kopieren</translation>
    </message>
    <message>
        <source>Copies the selection (Ctrl+C)</source>
        <translation>Kopiert die Auswahl (Strg+C)</translation>
    </message>
    <message>
        <source>Copy &amp;reference</source>
        <translation>Re&amp;ferenz kopieren</translation>
    </message>
    <message>
        <source>Copies the reference of this part, for --at and the command line</source>
        <translation>Kopiert die Referenz dieses Teils, für --at und die Befehlszeile</translation>
    </message>
    <message>
        <source>Copy &amp;details</source>
        <translation>Det&amp;ails kopieren</translation>
    </message>
    <message>
        <source>Copies the content of the Details panel as text</source>
        <translation>Kopiert den Inhalt des Bereichs „Details“ als Text</translation>
    </message>
    <message>
        <source>-&amp;Find here…</source>
        <translation>-&amp;Hier suchen…</translation>
    </message>
    <message>
        <source>Searches the current page</source>
        <translation>Durchsucht die aktuelle Seite</translation>
    </message>
    <message>
        <source>Find &amp;next</source>
        <translation>Weiter&amp;suchen</translation>
    </message>
    <message>
        <source>Goes to the next match</source>
        <translation>Geht zum nächsten Treffer</translation>
    </message>
    <message>
        <source>Find &amp;previous</source>
        <translation>Rückwärts su&amp;chen</translation>
    </message>
    <message>
        <source>Goes to the previous match</source>
        <translation>Geht zum vorherigen Treffer</translation>
    </message>
    <message>
        <source>Find &amp;everywhere…</source>
        <translation>Ü&amp;berall suchen…</translation>
    </message>
    <message>
        <source>Searches the whole file for text, bytes or a regular expression</source>
        <translation>Durchsucht die ganze Datei nach Text, Bytes oder einem regulären Ausdruck</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Ansicht</translation>
    </message>
    <message>
        <source>&amp;Contents</source>
        <translation>&amp;Inhalt</translation>
    </message>
    <message>
        <source>Shows or hides the Contents panel</source>
        <translation>Zeigt den Bereich „Inhalt“ oder blendet ihn aus</translation>
    </message>
    <message>
        <source>&amp;Details</source>
        <translation>&amp;Details</translation>
    </message>
    <message>
        <source>Shows or hides the Details panel</source>
        <translation>Zeigt den Bereich „Details“ oder blendet ihn aus</translation>
    </message>
    <message>
        <source>&amp;Bottom panel</source>
        <translation>&amp;Unterer Bereich</translation>
    </message>
    <message>
        <source>Shows or hides the bottom panel</source>
        <translation>Zeigt den unteren Bereich oder blendet ihn aus</translation>
    </message>
    <message>
        <source>Chan&amp;ges</source>
        <translation>Ä&amp;nderungen</translation>
    </message>
    <message>
        <source>Shows the Changes panel, which lists all unsaved changes</source>
        <translation>Zeigt den Bereich „Änderungen“ mit allen nicht gespeicherten Änderungen</translation>
    </message>
    <message>
        <source>Switches all windows between light and dark colours</source>
        <translation>Schaltet alle Fenster zwischen hellen und dunklen Farben um</translation>
    </message>
    <message>
        <source>Follow the s&amp;ystem&apos;s colours</source>
        <translation>&amp;Farben des Systems verwenden</translation>
    </message>
    <message>
        <source>Uses the light or dark colours of the system</source>
        <translation>Verwendet die hellen oder dunklen Farben des Systems</translation>
    </message>
    <message>
        <source>&amp;Go</source>
        <translation>&amp;Gehe zu</translation>
    </message>
    <message>
        <source>&amp;Back</source>
        <translation>&amp;Zurück</translation>
    </message>
    <message>
        <source>Goes to the previous location</source>
        <translation>Geht zum vorherigen Ort</translation>
    </message>
    <message>
        <source>&amp;Forward</source>
        <translation>&amp;Vor</translation>
    </message>
    <message>
        <source>Goes to the next location</source>
        <translation>Geht zum nächsten Ort</translation>
    </message>
    <message>
        <source>-Find or go &amp;to…</source>
        <translation>-&amp;Suchen oder gehe zu…</translation>
    </message>
    <message>
        <source>Finds a part or an action by name, or goes to an offset</source>
        <translation>Findet einen Teil oder eine Aktion über den Namen oder geht zu einem Offset</translation>
    </message>
    <message>
        <source>Go to &amp;offset or line…</source>
        <translation>Zu &amp;Offset oder Zeile…</translation>
    </message>
    <message>
        <source>Goes to an offset on the Hex page or to a line of a text</source>
        <translation>Geht zu einem Offset auf der Seite „Hex“ oder zu einer Zeile eines Texts</translation>
    </message>
    <message>
        <source>-Next t&amp;ab</source>
        <translation>-Nächster T&amp;ab</translation>
    </message>
    <message>
        <source>Goes to the next tab</source>
        <translation>Geht zum nächsten Tab</translation>
    </message>
    <message>
        <source>Previous ta&amp;b</source>
        <translation>Vorheriger Ta&amp;b</translation>
    </message>
    <message>
        <source>Goes to the previous tab</source>
        <translation>Geht zum vorherigen Tab</translation>
    </message>
    <message>
        <source>&amp;List of tabs…</source>
        <translation>&amp;Liste der Tabs…</translation>
    </message>
    <message>
        <source>Lists all open tabs</source>
        <translation>Listet alle geöffneten Tabs auf</translation>
    </message>
    <message>
        <source>-&amp;Next finding</source>
        <translation>-&amp;Nächster Befund</translation>
    </message>
    <message>
        <source>Goes to the next finding in the Problems panel</source>
        <translation>Geht zum nächsten Befund im Bereich „Probleme“</translation>
    </message>
    <message>
        <source>&amp;Previous finding</source>
        <translation>Vo&amp;rheriger Befund</translation>
    </message>
    <message>
        <source>Goes to the previous finding in the Problems panel</source>
        <translation>Geht zum vorherigen Befund im Bereich „Probleme“</translation>
    </message>
    <message>
        <source>-Next pane&amp;l</source>
        <translation>-Nächster B&amp;ereich</translation>
    </message>
    <message>
        <source>Moves the keyboard focus to the next panel</source>
        <translation>Setzt den Tastaturfokus in den nächsten Bereich</translation>
    </message>
    <message>
        <source>Previous panel</source>
        <translation>Vorheriger Bereich</translation>
    </message>
    <message>
        <source>Moves the keyboard focus to the previous panel</source>
        <translation>Setzt den Tastaturfokus in den vorherigen Bereich</translation>
    </message>
    <message>
        <source>Go to the pa&amp;ge</source>
        <translation>Zur Se&amp;ite</translation>
    </message>
    <message>
        <source>Moves the keyboard focus to the current page (Esc)</source>
        <translation>Setzt den Tastaturfokus auf die aktuelle Seite (Esc)</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>Aus&amp;führen</translation>
    </message>
    <message>
        <source>&amp;Run…</source>
        <translation>&amp;Ausführen…</translation>
    </message>
    <message>
        <source>Runs functions of the file in a helper process after you agree</source>
        <translation>Führt nach Ihrer Zustimmung Funktionen der Datei in einem Hilfsprozess aus</translation>
    </message>
    <message>
        <source>Run &amp;again</source>
        <translation>&amp;Erneut ausführen</translation>
    </message>
    <message>
        <source>Repeats the last run with the current file</source>
        <translation>Wiederholt den letzten Lauf mit der aktuellen Datei</translation>
    </message>
    <message>
        <source>Read &amp;signatures…</source>
        <translation>&amp;Signaturen lesen…</translation>
    </message>
    <message>
        <source>Reads the types of tvm-ffi functions by running code of the library after you agree</source>
        <translation>Liest die Typen von tvm-ffi-Funktionen, indem nach Ihrer Zustimmung Code der Bibliothek ausgeführt wird</translation>
    </message>
    <message>
        <source>-&amp;Devices…</source>
        <translation>-&amp;Geräte…</translation>
    </message>
    <message>
        <source>Lists the devices that test runs can use on this machine, and what is missing</source>
        <translation>Listet die Geräte auf, die Testläufe auf diesem Rechner verwenden können, und was fehlt</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
    <message>
        <source>&amp;Help on this</source>
        <translation>&amp;Hilfe hierzu</translation>
    </message>
    <message>
        <source>Opens the help page for the item under the mouse pointer or with the keyboard focus</source>
        <translation>Öffnet die Hilfeseite zum Element unter dem Mauszeiger oder mit dem Tastaturfokus</translation>
    </message>
    <message>
        <source>&amp;All help pages</source>
        <translation>&amp;Alle Hilfeseiten</translation>
    </message>
    <message>
        <source>Opens the list of all help pages</source>
        <translation>Öffnet die Liste aller Hilfeseiten</translation>
    </message>
    <message>
        <source>-A&amp;bout Blobscope</source>
        <translation>-Ü&amp;ber Blobscope</translation>
    </message>
    <message>
        <source>Shows the version and the licence of Blobscope</source>
        <translation>Zeigt die Version und die Lizenz von Blobscope</translation>
    </message>
    <message>
        <source>Open recen&amp;t</source>
        <translation>&amp;Zuletzt geöffnet</translation>
    </message>
    <message>
        <source>Lists the files that were opened last</source>
        <translation>Führt die zuletzt geöffneten Dateien auf</translation>
    </message>
    <message>
        <source>-Preference&amp;s…</source>
        <translation>-Einste&amp;llungen…</translation>
    </message>
    <message>
        <source>Changes colours, fonts, tools, limits and the language</source>
        <translation>Ändert Farben, Schriften, Werkzeuge, Grenzen und die Sprache</translation>
    </message>
    <message>
        <source>-&amp;Larger text</source>
        <translation>-Text ver&amp;größern</translation>
    </message>
    <message>
        <source>Makes the text of code, bytes and tables larger</source>
        <translation>Vergrößert den Text von Code, Bytes und Tabellen</translation>
    </message>
    <message>
        <source>S&amp;maller text</source>
        <translation>Text ver&amp;kleinern</translation>
    </message>
    <message>
        <source>Makes the text of code, bytes and tables smaller</source>
        <translation>Verkleinert den Text von Code, Bytes und Tabellen</translation>
    </message>
    <message>
        <source>&amp;Normal text size</source>
        <translation>Norm&amp;ale Textgröße</translation>
    </message>
    <message>
        <source>Shows code, bytes and tables in the size that the preferences set</source>
        <translation>Zeigt Code, Bytes und Tabellen in der Größe aus den Einstellungen</translation>
    </message>
    <message>
        <source>-S&amp;witch between light and dark</source>
        <translation>-Zwischen hell und dunkel &amp;wechseln</translation>
    </message>
    <message>
        <source>-&amp;Full screen</source>
        <translation>-&amp;Vollbild</translation>
    </message>
    <message>
        <source>Shows this window on the whole screen, or at its normal size</source>
        <translation>Zeigt dieses Fenster auf dem ganzen Bildschirm oder in normaler Größe</translation>
    </message>
    <message>
        <source>&amp;Window</source>
        <translation>Fe&amp;nster</translation>
    </message>
    <message>
        <source>&amp;Minimize</source>
        <translation>&amp;Minimieren</translation>
    </message>
    <message>
        <source>Minimizes this window</source>
        <translation>Minimiert dieses Fenster</translation>
    </message>
    <message>
        <source>&amp;Next window</source>
        <translation>&amp;Nächstes Fenster</translation>
    </message>
    <message>
        <source>Goes to the next window of Blobscope</source>
        <translation>Geht zum nächsten Fenster von Blobscope</translation>
    </message>
    <message>
        <source>&amp;Previous window</source>
        <translation>&amp;Vorheriges Fenster</translation>
    </message>
    <message>
        <source>Goes to the previous window of Blobscope</source>
        <translation>Geht zum vorherigen Fenster von Blobscope</translation>
    </message>
    <message>
        <source>Check a fo&amp;lder…</source>
        <translation>Einen &amp;Ordner prüfen…</translation>
    </message>
    <message>
        <source>Shows which libraries of a folder load with which releases of TVM</source>
        <translation>Zeigt, welche Bibliotheken eines Ordners mit welchen Releases von TVM laden</translation>
    </message>
    <message>
        <source>T&amp;hin to…</source>
        <translation>Redu&amp;zieren auf…</translation>
    </message>
    <message>
        <source>Removes images for some GPUs from a module or from all modules</source>
        <translation>Entfernt Images für bestimmte GPUs aus einem Modul oder aus allen Modulen</translation>
    </message>
    <message>
        <source>-Edit &amp;text</source>
        <translation>-&amp;Text bearbeiten</translation>
    </message>
    <message>
        <source>Goes to the text of a kernel, a field or a module and edits it</source>
        <translation>Geht zum Text eines Kernels, eines Felds oder eines Moduls und bearbeitet ihn</translation>
    </message>
    <message>
        <source>Find and rep&amp;lace…</source>
        <translation>Suche&amp;n und ersetzen…</translation>
    </message>
    <message>
        <source>Replaces matches on a page with a text that can be edited</source>
        <translation>Ersetzt Treffer auf einer Seite, deren Text bearbeitet werden kann</translation>
    </message>
    <message>
        <source>&amp;Build for more GPUs…</source>
        <translation>Für weitere &amp;GPUs bauen…</translation>
    </message>
    <message>
        <source>Compiles the PTX of a fat binary and adds machine code for further GPUs</source>
        <translation>Kompiliert das PTX einer Fat Binary und fügt Maschinencode für weitere GPUs hinzu</translation>
    </message>
    <message>
        <source>Run the whole &amp;model…</source>
        <translation>Ganzes &amp;Modell ausführen…</translation>
    </message>
    <message>
        <source>Runs the model from its inputs to its outputs and shows each node, without TVM</source>
        <translation>Führt das Modell von den Eingaben bis zu den Ausgaben ohne TVM aus und zeigt jeden Knoten</translation>
    </message>
    <message>
        <source>Save p&amp;icture…</source>
        <translation>B&amp;ild speichern…</translation>
    </message>
    <message>
        <source>Saves the picture of the page as an SVG file</source>
        <translation>Speichert das Bild der Seite als SVG-Datei</translation>
    </message>
    <message>
        <source>Check C so&amp;urces…</source>
        <translation>C-&amp;Quellen prüfen…</translation>
    </message>
    <message>
        <source>Compiles the C code of a Model Library Format archive and lists errors and sizes</source>
        <translation>Übersetzt den C-Code eines Archivs im Model Library Format und listet Fehler und Größen</translation>
    </message>
    <message>
        <source>Fi&amp;x findings…</source>
        <translation>Bef&amp;unde beheben…</translation>
    </message>
    <message>
        <source>Shows what quick fixes of the findings would change, and applies them</source>
        <translation>Zeigt, was automatische Korrekturen der Befunde ändern würden, und wendet sie an</translation>
    </message>
    <message>
        <source>&amp;Build a library from the archive…</source>
        <translation>Bi&amp;bliothek aus dem Archiv bauen…</translation>
    </message>
    <message>
        <source>Compiles the C code of a Model Library Format archive to a library that can be run</source>
        <translation>Übersetzt den C-Code eines Archivs im Model Library Format in eine Bibliothek, die ausgeführt werden kann</translation>
    </message>
    <message>
        <source>Renames a module, kernel, function or member of an archive; on the Fields page it edits the value</source>
        <translation>Benennt ein Modul, einen Kernel, eine Funktion oder ein Element eines Archivs um; auf der Seite „Felder“ bearbeitet es den Wert</translation>
    </message>
    <message>
        <source>Add file from dis&amp;k…</source>
        <translation>Datei ins Archiv &amp;packen…</translation>
    </message>
    <message>
        <source>Adds a file to the archive</source>
        <translation>Fügt dem Archiv eine Datei hinzu</translation>
    </message>
    <message>
        <source>Removes a module, kernel, function, image or member of an archive</source>
        <translation>Entfernt ein Modul, einen Kernel, eine Funktion, ein Image oder ein Element eines Archivs</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::AddModuleDialog</name>
    <message>
        <source>Add module</source>
        <translation>Modul hinzufügen</translation>
    </message>
    <message>
        <source>New module</source>
        <translation>Neues Modul</translation>
    </message>
    <message>
        <source>Type key</source>
        <translation>Typschlüssel</translation>
    </message>
    <message>
        <source>Payload</source>
        <translation>Nutzdaten</translation>
    </message>
    <message>
        <source>A file with the bytes of the module, without type key and length</source>
        <translation>Eine Datei mit den Bytes des Moduls, ohne Typschlüssel und Länge</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>Durchsuchen…</translation>
    </message>
    <message>
        <source>Payload of the new module</source>
        <translation>Nutzdaten des neuen Moduls</translation>
    </message>
    <message>
        <source>Imported by</source>
        <translation>Importiert von</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::AnswerBanner</name>
    <message>
        <source>Copy report</source>
        <translation>Bericht kopieren</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::Application</name>
    <message>
        <source>Blobscope ran out of memory.</source>
        <translation>Blobscope hat nicht mehr genug Arbeitsspeicher.</translation>
    </message>
    <message>
        <source>The window may be incomplete. Close tabs and windows that you do not need, then reload the file.</source>
        <translation>Das Fenster ist möglicherweise unvollständig. Schließen Sie Tabs und Fenster, die Sie nicht brauchen, und laden Sie dann die Datei neu.</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::Banner</name>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::BarChart</name>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::BarsPage</name>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>for example 256 KiB</source>
        <translation>zum Beispiel 256 KiB</translation>
    </message>
    <message>
        <source>Budget of %1</source>
        <translation>Budget für %1</translation>
    </message>
    <message>
        <source>Available memory of the device in bytes, or with a unit: KiB, MiB, kB, MB</source>
        <translation>Verfügbarer Speicher des Geräts in Bytes oder mit einer Einheit: KiB, MiB, kB, MB</translation>
    </message>
    <message>
        <source>Budget</source>
        <translation>Budget</translation>
    </message>
    <message>
        <source>Enter a size such as 256 KiB.</source>
        <translation>Geben Sie eine Größe ein, zum Beispiel 256 KiB.</translation>
    </message>
    <message>
        <source>Within the budget: %1 free.</source>
        <translation>Im Budget: %1 frei.</translation>
    </message>
    <message>
        <source>Over the budget by %1.</source>
        <translation>%1 über dem Budget.</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::BottomPanel</name>
    <message>
        <source>Close this panel</source>
        <translation>Diesen Bereich schließen</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::ByteBar</name>
    <message>
        <source>Apply</source>
        <translation>Anwenden</translation>
    </message>
    <message>
        <source>Adds the typed bytes to the unsaved changes of the file (Enter)</source>
        <translation>Nimmt die eingegebenen Bytes in die ungespeicherten Änderungen der Datei auf (Eingabetaste)</translation>
    </message>
    <message>
        <source>Revert</source>
        <translation>Verwerfen</translation>
    </message>
    <message>
        <source>Reverts the change that contains this byte</source>
        <translation>Verwirft die Änderung, zu der dieses Byte gehört</translation>
    </message>
    <message>
        <source>Discards the typed bytes (Esc)</source>
        <translation>Verwirft die eingegebenen Bytes (Esc)</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::ByteMap</name>
    <message>
        <source>Map of the bytes that differ</source>
        <translation>Karte der abweichenden Bytes</translation>
    </message>
    <message>
        <source>1 byte differs.</source>
        <translation>1 Byte unterscheidet sich.</translation>
    </message>
    <message numerus="yes">
        <source>%1 bytes differ in %n range(s).</source>
        <translation>
            <numerusform>%1 Bytes unterscheiden sich, in %n Bereich.</numerusform>
            <numerusform>%1 Bytes unterscheiden sich, in %n Bereichen.</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 differ at %2</source>
        <translation>%1 unterscheiden sich bei %2</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::BytesPairPage</name>
    <message numerus="yes">
        <source>All %1 byte(s) (is|are) equal.</source>
        <translation>
            <numerusform>Das einzige Byte (%1) ist gleich.</numerusform>
            <numerusform>Alle %1 Bytes sind gleich.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The first %1 byte(s) (is|are) equal.</source>
        <translation>
            <numerusform>Das erste Byte (%1) ist gleich.</numerusform>
            <numerusform>Die ersten %1 Bytes sind gleich.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %2 bytes differ, in %n range(s).</source>
        <translation>
            <numerusform>%1 von %2 Bytes unterscheiden sich, in %n Bereich.</numerusform>
            <numerusform>%1 von %2 Bytes unterscheiden sich, in %n Bereichen.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>A is %1 byte(s) longer.</source>
        <translation>
            <numerusform>A ist %1 Byte länger.</numerusform>
            <numerusform>A ist %1 Bytes länger.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>B is %1 byte(s) longer.</source>
        <translation>
            <numerusform>B ist %1 Byte länger.</numerusform>
            <numerusform>B ist %1 Bytes länger.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Only the first %n range(s) (is|are) marked.</source>
        <translation>
            <numerusform>Nur der erste Bereich (%n) ist markiert.</numerusform>
            <numerusform>Nur die ersten %n Bereiche sind markiert.</numerusform>
        </translation>
    </message>
    <message>
        <source>Bytes of A</source>
        <translation>Bytes von A</translation>
    </message>
    <message>
        <source>Bytes of B</source>
        <translation>Bytes von B</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::CallsModel</name>
    <message>
        <source>VM function, packed function, kernel</source>
        <translation>VM-Funktion, gepackte Funktion, Kernel</translation>
    </message>
    <message>
        <source>Calls</source>
        <translation>Aufrufe</translation>
    </message>
    <message>
        <source>Launches</source>
        <translation>Starts</translation>
    </message>
    <message>
        <source>FLOP, estimated</source>
        <translation>FLOP, geschätzt</translation>
    </message>
    <message>
        <source>Code bytes</source>
        <translation>Bytes des Codes</translation>
    </message>
    <message>
        <source>Share of function</source>
        <translation>Anteil der Funktion</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::CallsPage</name>
    <message>
        <source>FLOP estimated for %1</source>
        <translation>FLOP geschätzt für %1</translation>
    </message>
    <message numerus="yes">
        <source>%n more row(s) not listed</source>
        <translation>
            <numerusform>%n weitere Zeile wird nicht aufgeführt</numerusform>
            <numerusform>%n weitere Zeilen werden nicht aufgeführt</numerusform>
        </translation>
    </message>
    <message>
        <source>Filter functions</source>
        <translation>Funktionen filtern</translation>
    </message>
    <message>
        <source>Copy all rows</source>
        <translation>Alle Zeilen kopieren</translation>
    </message>
    <message>
        <source>Expand all</source>
        <translation>Alle aufklappen</translation>
    </message>
    <message>
        <source>Collapse all</source>
        <translation>Alle zuklappen</translation>
    </message>
    <message>
        <source>Share of</source>
        <translation>Anteil an</translation>
    </message>
    <message>
        <source>estimated work</source>
        <translation>geschätzte Arbeit</translation>
    </message>
    <message>
        <source>calls</source>
        <translation>Aufrufe</translation>
    </message>
    <message>
        <source>launches</source>
        <translation>Starts</translation>
    </message>
    <message>
        <source>code</source>
        <translation>Code</translation>
    </message>
    <message>
        <source>Floating-point operations of matrix products and convolutions, from the shapes of their tensors; other functions count as one for each element of their output</source>
        <translation>Gleitkommaoperationen von Matrixprodukten und Faltungen, aus den Formen ihrer Tensoren; andere Funktionen zählen als eine je Element ihrer Ausgabe</translation>
    </message>
    <message>
        <source>Calls of packed functions</source>
        <translation>Aufrufe gepackter Funktionen</translation>
    </message>
    <message>
        <source>Launches of kernels</source>
        <translation>Starts von Kerneln</translation>
    </message>
    <message>
        <source>Bytes of kernel code</source>
        <translation>Bytes des Kernel-Codes</translation>
    </message>
    <message>
        <source>Calls</source>
        <translation>Aufrufe</translation>
    </message>
    <message>
        <source>Flame view</source>
        <translation>Flammenansicht</translation>
    </message>
    <message>
        <source>width: estimated work</source>
        <translation>Breite: geschätzte Arbeit</translation>
    </message>
    <message>
        <source>width: calls of packed functions</source>
        <translation>Breite: Aufrufe gepackter Funktionen</translation>
    </message>
    <message>
        <source>width: launches of kernels</source>
        <translation>Breite: Starts von Kerneln</translation>
    </message>
    <message>
        <source>width: bytes of code</source>
        <translation>Breite: Bytes des Codes</translation>
    </message>
    <message>
        <source>a double click goes in, Esc goes out</source>
        <translation>Doppelklick vergrößert, Esc verkleinert</translation>
    </message>
    <message>
        <source>%1, calls: %2</source>
        <translation>%1, Aufrufe: %2</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::ChangesModel</name>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::ChangesPanel</name>
    <message>
        <source>There are no changes. This panel lists your changes until you save them.</source>
        <translation>Es gibt keine Änderungen. Dieser Bereich zeigt Ihre Änderungen, bis Sie sie speichern.</translation>
    </message>
    <message>
        <source>Revert</source>
        <translation>Verwerfen</translation>
    </message>
    <message>
        <source>Reverts the selected change and keeps the later ones (Del)</source>
        <translation>Verwirft die ausgewählte Änderung und behält die späteren (Entf)</translation>
    </message>
    <message>
        <source>Repack…</source>
        <translation>Neu packen…</translation>
    </message>
    <message>
        <source>Opens the Repack dialog to preview and write a file with your changes</source>
        <translation>Öffnet den Dialog „Neu packen“, um eine Datei mit Ihren Änderungen zu planen und zu schreiben</translation>
    </message>
    <message>
        <source>Changes</source>
        <translation>Änderungen</translation>
    </message>
    <message numerus="yes">
        <source>%n unsaved change(s)</source>
        <translation>
            <numerusform>%n nicht gespeicherte Änderung</numerusform>
            <numerusform>%n nicht gespeicherte Änderungen</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>blobscope::ui::Checking</name>
    <message>
        <source>The check failed.</source>
        <translation>Die Prüfung ist fehlgeschlagen.</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>The check reported no findings.</source>
        <translation>Die Prüfung ergab keine Befunde.</translation>
    </message>
    <message numerus="yes">
        <source>The check reported %n finding(s).</source>
        <translation>
            <numerusform>Die Prüfung ergab %n Befund.</numerusform>
            <numerusform>Die Prüfung ergab %n Befunde.</numerusform>
        </translation>
    </message>
    <message>
        <source>There are no errors. See the Problems panel.</source>
        <translation>Es gibt keine Fehler. Siehe den Bereich „Probleme“.</translation>
    </message>
    <message numerus="yes">
        <source>There (is|are) %n error(s). The Problems panel lists errors first.</source>
        <translation>
            <numerusform>Es gibt %n Fehler. Der Bereich „Probleme“ zeigt Fehler zuerst.</numerusform>
            <numerusform>Es gibt %n Fehler. Der Bereich „Probleme“ zeigt Fehler zuerst.</numerusform>
        </translation>
    </message>
    <message>
        <source>Save findings</source>
        <translation>Befunde speichern</translation>
    </message>
    <message>
        <source>SARIF files (*.sarif *.json)</source>
        <translation>SARIF-Dateien (*.sarif *.json)</translation>
    </message>
    <message>
        <source>Saved %1.</source>
        <translation>%1 wurde gespeichert.</translation>
    </message>
    <message>
        <source>%1 was not saved.</source>
        <translation>%1 wurde nicht gespeichert.</translation>
    </message>
    <message>
        <source>Check C sources</source>
        <translation>C-Quellen prüfen</translation>
    </message>
    <message>
        <source>The C compiler and its flags, such as arm-none-eabi-gcc -mcpu=cortex-m7. It runs confined, and nothing that it compiles is executed.</source>
        <translation>Der C-Compiler mit seinen Optionen, zum Beispiel arm-none-eabi-gcc -mcpu=cortex-m7. Er läuft eingeschränkt, und nichts von dem, was er übersetzt, wird ausgeführt.</translation>
    </message>
    <message>
        <source>The C code was not compiled.</source>
        <translation>Der C-Code wurde nicht übersetzt.</translation>
    </message>
    <message>
        <source>The C code compiles.</source>
        <translation>Der C-Code lässt sich übersetzen.</translation>
    </message>
    <message>
        <source>The C code does not compile. See the Problems panel.</source>
        <translation>Der C-Code lässt sich nicht übersetzen. Siehe „Probleme“.</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::ChecklistPage</name>
    <message>
        <source>Release or path</source>
        <translation>Release oder Pfad</translation>
    </message>
    <message>
        <source>Runtime</source>
        <translation>Laufzeit</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Driver</source>
        <translation>Treiber</translation>
    </message>
    <message>
        <source>%1 met</source>
        <translation>%1 erfüllt</translation>
    </message>
    <message>
        <source>%1 missing</source>
        <translation>%1 fehlt</translation>
    </message>
    <message>
        <source>A release such as v0.27 or v0.27+cuda, or the path of a runtime</source>
        <translation>Ein Release wie v0.27 oder v0.27+cuda oder der Pfad einer Laufzeit</translation>
    </message>
    <message>
        <source>Hide what is met</source>
        <translation>Erfülltes ausblenden</translation>
    </message>
    <message>
        <source>File…</source>
        <translation>Datei…</translation>
    </message>
    <message>
        <source>Folder…</source>
        <translation>Ordner…</translation>
    </message>
    <message>
        <source>Compare with a runtime on disk: a library, an app</source>
        <translation>Mit einer Laufzeit auf der Festplatte vergleichen: Bibliothek oder App</translation>
    </message>
    <message>
        <source>Compare with a runtime on disk: a folder, a Python environment</source>
        <translation>Mit einer Laufzeit auf der Festplatte vergleichen: Ordner oder Python-Umgebung</translation>
    </message>
    <message>
        <source>Show only the steps where something is missing or not certain</source>
        <translation>Nur die Schritte zeigen, bei denen etwas fehlt oder nicht sicher ist</translation>
    </message>
    <message>
        <source>%1 not certain</source>
        <translation>%1 nicht sicher</translation>
    </message>
    <message>
        <source>Where the library is loaded: a system of the list, or one such as x86_64-linux-gnu2.28</source>
        <translation>Wo die Bibliothek geladen wird: ein System der Liste oder eines wie x86_64-linux-gnu2.28</translation>
    </message>
    <message>
        <source>System</source>
        <translation>System</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::ChecklistSteps</name>
    <message>
        <source>met</source>
        <translation>erfüllt</translation>
    </message>
    <message>
        <source>not needed</source>
        <translation>nicht nötig</translation>
    </message>
    <message>
        <source>missing</source>
        <translation>fehlt</translation>
    </message>
    <message>
        <source>Step %1, %2: %3. %4</source>
        <translation>Schritt %1, %2: %3. %4</translation>
    </message>
    <message>
        <source>What to do</source>
        <translation>Was hilft</translation>
    </message>
    <message>
        <source>not certain</source>
        <translation>nicht sicher</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::CodeBox</name>
    <message>
        <source>Copy this text</source>
        <translation>Diesen Text kopieren</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::CommandPalette</name>
    <message>
        <source>Find or go to</source>
        <translation>Suchen oder gehe zu</translation>
    </message>
    <message>
        <source>Find or go to…</source>
        <translation>Suchen oder gehe zu…</translation>
    </message>
    <message>
        <source>A name, an offset such as 0x1000, or a reference such as m2/kernel:NAME</source>
        <translation>Ein Name, ein Offset wie 0x1000 oder eine Referenz wie m2/kernel:NAME</translation>
    </message>
    <message>
        <source>There is no match for “%1”.</source>
        <translation>Es gibt keinen Treffer für „%1“.</translation>
    </message>
    <message>
        <source>The first %1 of %2 matches are shown.</source>
        <translation>Die ersten %1 von %2 Treffern werden angezeigt.</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::CompareView</name>
    <message>
        <source>Modules</source>
        <translation>Module</translation>
    </message>
    <message>
        <source>Kernels</source>
        <translation>Kernel</translation>
    </message>
    <message>
        <source>Functions</source>
        <translation>Funktionen</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>Tensoren</translation>
    </message>
    <message>
        <source>Sections</source>
        <translation>Abschnitte</translation>
    </message>
    <message>
        <source>Symbols</source>
        <translation>Symbole</translation>
    </message>
    <message>
        <source>Members</source>
        <translation>Einträge</translation>
    </message>
    <message>
        <source>Fields</source>
        <translation>Felder</translation>
    </message>
    <message>
        <source>The comparison was cancelled.</source>
        <translation>Der Vergleich wurde abgebrochen.</translation>
    </message>
    <message>
        <source>The tree shows the differences that were found until then.</source>
        <translation>Der Baum zeigt die Unterschiede, die bis dahin gefunden wurden.</translation>
    </message>
    <message>
        <source>Compare again</source>
        <translation>Erneut vergleichen</translation>
    </message>
    <message>
        <source>Comparing</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>Swap</source>
        <translation>Tauschen</translation>
    </message>
    <message>
        <source>Swaps A and B</source>
        <translation>Tauscht A und B</translation>
    </message>
    <message>
        <source>Comparing…</source>
        <translation>Es wird verglichen…</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>Filtern</translation>
    </message>
    <message>
        <source>Filter the tree</source>
        <translation>Baum filtern</translation>
    </message>
    <message>
        <source>Chooses which nodes the tree shows</source>
        <translation>Legt fest, welche Knoten der Baum zeigt</translation>
    </message>
    <message>
        <source>Differences</source>
        <translation>Unterschiede</translation>
    </message>
    <message>
        <source>Comparison of %1 and %2</source>
        <translation>Vergleich von %1 und %2</translation>
    </message>
    <message>
        <source>So far: %1</source>
        <translation>Bisher: %1</translation>
    </message>
    <message>
        <source>added</source>
        <translation>hinzugefügt</translation>
    </message>
    <message>
        <source>removed</source>
        <translation>entfernt</translation>
    </message>
    <message>
        <source>Changed only</source>
        <translation>Nur geänderte</translation>
    </message>
    <message>
        <source>All</source>
        <translation>Alle</translation>
    </message>
    <message>
        <source>All kinds</source>
        <translation>Alle Arten</translation>
    </message>
    <message>
        <source>Changed: %1</source>
        <translation>Geändert: %1</translation>
    </message>
    <message>
        <source>Shown: %1</source>
        <translation>Angezeigt: %1</translation>
    </message>
    <message>
        <source>Open A in a tab</source>
        <translation>A in einem Tab öffnen</translation>
    </message>
    <message>
        <source>Open B in a tab</source>
        <translation>B in einem Tab öffnen</translation>
    </message>
    <message>
        <source>There are no more changes in this direction.</source>
        <translation>In dieser Richtung gibt es keine weiteren Änderungen.</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::Comparing</name>
    <message>
        <source>Compare %1 with</source>
        <translation>%1 vergleichen mit</translation>
    </message>
    <message>
        <source>%1 (on disk now)</source>
        <translation>%1 (jetzt auf der Platte)</translation>
    </message>
    <message>
        <source>%1 changed on disk.</source>
        <translation>%1 wurde auf der Platte geändert.</translation>
    </message>
    <message>
        <source>Reload</source>
        <translation>Neu laden</translation>
    </message>
    <message>
        <source>Ignore</source>
        <translation>Ignorieren</translation>
    </message>
    <message>
        <source>The file was overwritten in place, so the window may show new bytes. Reload it before you save, export or run it.</source>
        <translation>Die Datei wurde an Ort und Stelle überschrieben, das Fenster zeigt daher möglicherweise neue Bytes. Laden Sie sie neu, bevor Sie sie speichern, exportieren oder ausführen.</translation>
    </message>
    <message>
        <source>The window still shows the file as it was opened. Reload it to see the new content.</source>
        <translation>Das Fenster zeigt die Datei noch, wie sie geöffnet wurde. Laden Sie sie neu, um den neuen Inhalt zu sehen.</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>%1 (as opened)</source>
        <translation>%1 (wie geöffnet)</translation>
    </message>
    <message>
        <source>%1 (changed)</source>
        <translation>%1 (geändert)</translation>
    </message>
    <message>
        <source>%1 cannot be opened.</source>
        <translation>%1 kann nicht geöffnet werden.</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Saved %1.</source>
        <translation>%1 wurde gespeichert.</translation>
    </message>
    <message>
        <source>Export the comparison</source>
        <translation>Vergleich exportieren</translation>
    </message>
    <message>
        <source>HTML (*.html);;Markdown (*.md)</source>
        <translation>HTML (*.html);;Markdown (*.md)</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::Comparison</name>
    <message>
        <source>Wait until the comparison is complete, then export it.</source>
        <translation>Warten Sie, bis der Vergleich vollständig ist, und exportieren Sie ihn dann.</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::CompileBar</name>
    <message>
        <source>Compile</source>
        <translation>Kompilieren</translation>
    </message>
    <message>
        <source>Architecture</source>
        <translation>Architektur</translation>
    </message>
    <message>
        <source>Flags</source>
        <translation>Optionen</translation>
    </message>
    <message>
        <source>Compiler</source>
        <translation>Compiler</translation>
    </message>
    <message>
        <source>Such as sm_90 for machine code, or compute_90 for PTX; several, separated by commas, make a fat binary</source>
        <translation>Zum Beispiel sm_90 für Maschinencode oder compute_90 für PTX; mehrere, durch Kommas getrennt, ergeben ein Fat Binary</translation>
    </message>
    <message>
        <source>Compile the text as it is now (Ctrl+B)</source>
        <translation>Den Text in seinem jetzigen Zustand kompilieren (Strg+B)</translation>
    </message>
    <message>
        <source>%1 was not found; it comes with %2.</source>
        <translation>%1 wurde nicht gefunden; es gehört zu: %2.</translation>
    </message>
    <message>
        <source>Blobscope knows no compiler for %1.</source>
        <translation>Blobscope kennt keinen Compiler für %1.</translation>
    </message>
    <message>
        <source>Run old and new</source>
        <translation>Alt und neu ausführen</translation>
    </message>
    <message>
        <source>Run the file as opened and with the changes on the same inputs (Ctrl+R)</source>
        <translation>Die Datei wie geöffnet und mit den Änderungen mit denselben Eingaben ausführen (Strg+R)</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::CompileStrip</name>
    <message>
        <source>All messages</source>
        <translation>Alle Meldungen</translation>
    </message>
    <message>
        <source>The text was not compiled.</source>
        <translation>Der Text wurde nicht kompiliert.</translation>
    </message>
    <message>
        <source>%1, %2 ms</source>
        <translation>%1, %2 ms</translation>
    </message>
    <message numerus="yes">
        <source>Does not compile: %n error(s)</source>
        <translation>
            <numerusform>Lässt sich nicht kompilieren: %n Fehler</numerusform>
            <numerusform>Lässt sich nicht kompilieren: %n Fehler</numerusform>
        </translation>
    </message>
    <message>
        <source>, line %1</source>
        <translation>, Zeile %1</translation>
    </message>
    <message>
        <source>Below: the last text that did, %1.</source>
        <translation>Unten: der letzte Text, der sich kompilieren ließ, %1.</translation>
    </message>
    <message>
        <source>Compiles, but does not fit the library.</source>
        <translation>Lässt sich kompilieren, passt aber nicht in die Bibliothek.</translation>
    </message>
    <message>
        <source>Compiles: no errors.</source>
        <translation>Lässt sich kompilieren: keine Fehler.</translation>
    </message>
    <message>
        <source>The library then contains the compiled code in place of this text. It can be undone.</source>
        <translation>Die Bibliothek enthält dann den übersetzten Code anstelle dieses Textes. Das lässt sich rückgängig machen.</translation>
    </message>
    <message>
        <source>Store as %1</source>
        <translation>Als %1 speichern</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::ContentsModel</name>
    <message>
        <source>%1
Shared: more than one module imports it</source>
        <translation>%1
Geteilt: Mehrere Module importieren es</translation>
    </message>
    <message>
        <source>%1 in %2</source>
        <translation>%1 in %2</translation>
    </message>
    <message>
        <source>, %1 is selected</source>
        <translation>, %1 ist ausgewählt</translation>
    </message>
    <message>
        <source>It has unsaved changes.</source>
        <translation>Dieser Teil hat ungespeicherte Änderungen.</translation>
    </message>
    <message>
        <source>changed</source>
        <translation>geändert</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::ContentsPanel</name>
    <message>
        <source>Filter by name or kind</source>
        <translation>Nach Name oder Art filtern</translation>
    </message>
    <message>
        <source>Filter contents by name or kind</source>
        <translation>Inhalt nach Name oder Art filtern</translation>
    </message>
    <message>
        <source>Contents</source>
        <translation>Inhalt</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::CoverageBar</name>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>Coverage: %1</source>
        <translation>Abdeckung: %1</translation>
    </message>
    <message numerus="yes">
        <source>%n more</source>
        <translation>
            <numerusform>%n weiterer</numerusform>
            <numerusform>%n weitere</numerusform>
        </translation>
    </message>
    <message>
        <source>%1: %2 at %3</source>
        <translation>%1: %2 bei %3</translation>
    </message>
    <message>
        <source>Entropy: at most %1 bits per byte. The page Entropy lists all blocks.</source>
        <translation>Entropie: höchstens %1 Bit je Byte. Die Seite Entropie führt alle Blöcke auf.</translation>
    </message>
    <message>
        <source>About %1 bits per byte: %2 at %3, of which a part was read</source>
        <translation>Etwa %1 Bit je Byte: %2 bei %3, davon wurde ein Teil gelesen</translation>
    </message>
    <message>
        <source>%1 bits per byte: %2 at %3</source>
        <translation>%1 Bit je Byte: %2 bei %3</translation>
    </message>
    <message>
        <source>bits per byte, 0 to 8</source>
        <translation>Bit je Byte, 0 bis 8</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::CoverageMeter</name>
    <message>
        <source>Coverage %1</source>
        <translation>Abdeckung %1</translation>
    </message>
    <message>
        <source>Share of the blob&apos;s bytes that decoded fields describe; the rest is shown as bytes</source>
        <translation>Anteil der Bytes des Blobs, die dekodierte Felder beschreiben; der Rest wird als Bytes angezeigt</translation>
    </message>
    <message>
        <source>Coverage</source>
        <translation>Abdeckung</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::DetailsPanel</name>
    <message>
        <source>Details</source>
        <translation>Details</translation>
    </message>
    <message>
        <source>Select something to see its details.</source>
        <translation>Wählen Sie etwas aus, um seine Details zu sehen.</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Open the help of this rule</source>
        <translation>Hilfe zu dieser Regel öffnen</translation>
    </message>
    <message>
        <source>%1 of %2: %3</source>
        <translation>%1 von %2: %3</translation>
    </message>
    <message>
        <source>A %1, B %2</source>
        <translation>A %1, B %2</translation>
    </message>
    <message>
        <source>Fix…</source>
        <translation>Beheben…</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::DevicesDialog</name>
    <message>
        <source>Looking for devices…</source>
        <translation>Geräte werden gesucht…</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>Devices of this machine</source>
        <translation>Geräte dieses Rechners</translation>
    </message>
    <message>
        <source>The devices could not be listed.</source>
        <translation>Die Geräte konnten nicht aufgelistet werden.</translation>
    </message>
    <message>
        <source>No device for test runs was found. Host functions run on the CPU.</source>
        <translation>Es wurde kein Gerät für Testläufe gefunden. Hostfunktionen laufen auf der CPU.</translation>
    </message>
    <message numerus="yes">
        <source>Test runs can use %n device(s).</source>
        <translation>
            <numerusform>Testläufe können %n Gerät verwenden.</numerusform>
            <numerusform>Testläufe können %n Geräte verwenden.</numerusform>
        </translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Driver</source>
        <translation>Treiber</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>This device runs on the CPU; its times do not represent a GPU.</source>
        <translation>Dieses Gerät läuft auf der CPU; seine Zeiten sagen nichts über eine GPU aus.</translation>
    </message>
    <message>
        <source>Missing: %1</source>
        <translation>Fehlt: %1</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>Grund</translation>
    </message>
    <message>
        <source>Needed for</source>
        <translation>Benötigt für</translation>
    </message>
    <message>
        <source>Confinement of test runs</source>
        <translation>Abschottung von Testläufen</translation>
    </message>
    <message>
        <source>not confined: %1</source>
        <translation>nicht abgeschottet: %1</translation>
    </message>
    <message>
        <source>A test run still executes code of the file. Run only files that you trust.</source>
        <translation>Auch ein Testlauf führt Code der Datei aus. Führen Sie nur Dateien aus, denen Sie vertrauen.</translation>
    </message>
    <message>
        <source>This system cannot fully confine a test run. A test run executes code of the file. Run only files that you trust.</source>
        <translation>Dieses System kann einen Testlauf nicht vollständig abschotten. Ein Testlauf führt Code der Datei aus. Führen Sie nur Dateien aus, denen Sie vertrauen.</translation>
    </message>
    <message>
        <source>Check devices</source>
        <translation>Geräte prüfen</translation>
    </message>
    <message>
        <source>Runs built-in kernels on each device and compares their results with those of the processor. No code of a file is executed.</source>
        <translation>Führt eingebaute Kernel auf jedem Gerät aus und vergleicht ihre Ergebnisse mit denen des Prozessors. Code einer Datei wird nicht ausgeführt.</translation>
    </message>
    <message>
        <source>Checking devices</source>
        <translation>Geräte werden geprüft</translation>
    </message>
    <message>
        <source>The devices could not be checked: %1</source>
        <translation>Die Geräte konnten nicht geprüft werden: %1</translation>
    </message>
    <message numerus="yes">
        <source>%n check(s) failed.</source>
        <translation>
            <numerusform>%n Prüfung ist fehlgeschlagen.</numerusform>
            <numerusform>%n Prüfungen sind fehlgeschlagen.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>No check failed; %n check(s) (was|were) skipped.</source>
        <translation>
            <numerusform>Keine Prüfung ist fehlgeschlagen; %n Prüfung wurde übersprungen.</numerusform>
            <numerusform>Keine Prüfung ist fehlgeschlagen; %n Prüfungen wurden übersprungen.</numerusform>
        </translation>
    </message>
    <message>
        <source>All checks passed.</source>
        <translation>Alle Prüfungen waren erfolgreich.</translation>
    </message>
    <message>
        <source>Check: %1</source>
        <translation>Prüfung: %1</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::DiffModel</name>
    <message numerus="yes">
        <source>%1%2 byte(s)</source>
        <translation>
            <numerusform>%1%2 Byte</numerusform>
            <numerusform>%1%2 Bytes</numerusform>
        </translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>same size</source>
        <translation>gleiche Größe</translation>
    </message>
    <message>
        <source>Remove from B</source>
        <translation>Aus B entfernen</translation>
    </message>
    <message>
        <source>Remove from A</source>
        <translation>Aus A entfernen</translation>
    </message>
    <message>
        <source>Copy to B</source>
        <translation>Nach B kopieren</translation>
    </message>
    <message>
        <source>Copy to A</source>
        <translation>Nach A kopieren</translation>
    </message>
    <message>
        <source>%1 equal %2</source>
        <translation>%1 %2 ohne Änderung</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1 and %2</source>
        <translation>%1 und %2</translation>
    </message>
    <message>
        <source>, %1 → %2</source>
        <translation>, %1 → %2</translation>
    </message>
    <message>
        <source>%1 in %2</source>
        <translation>%1 in %2</translation>
    </message>
    <message numerus="yes">
        <source>%1 and in %n other kernel(s)</source>
        <translation>
            <numerusform>%1 und in %n weiteren Kernel</numerusform>
            <numerusform>%1 und in %n weiteren Kernels</numerusform>
        </translation>
    </message>
    <message>
        <source>Occupancy</source>
        <translation>Auslastung</translation>
    </message>
    <message>
        <source>Registers</source>
        <translation>Register</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::DiffRowsModel</name>
    <message>
        <source>Field</source>
        <translation>Feld</translation>
    </message>
    <message>
        <source>Fact</source>
        <translation>Angabe</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::DifferenceChart</name>
    <message>
        <source>Differences by size</source>
        <translation>Differenzen nach Größe</translation>
    </message>
    <message>
        <source>%1 from %2 to %3</source>
        <translation>%1 von %2 bis %3</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::DifferenceMap</name>
    <message>
        <source>Differences as colours</source>
        <translation>Differenzen als Farben</translation>
    </message>
    <message>
        <source>Difference B − A; sampled: %1 of %2 values read</source>
        <translation>Differenz B − A; Stichprobe: %1 von %2 Werten gelesen</translation>
    </message>
    <message>
        <source>Difference B − A</source>
        <translation>Differenz B − A</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::DifferencePlot</name>
    <message>
        <source>Largest difference of each node&apos;s output</source>
        <translation>Größter Unterschied der Ausgabe jedes Knotens</translation>
    </message>
    <message>
        <source>same bits</source>
        <translation>gleiche Bits</translation>
    </message>
    <message>
        <source>within tolerance</source>
        <translation>innerhalb der Toleranz</translation>
    </message>
    <message>
        <source>differs</source>
        <translation>anderes Ergebnis</translation>
    </message>
    <message>
        <source>same</source>
        <translation>gleich</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::DockTitle</name>
    <message>
        <source>Close %1</source>
        <translation>%1 schließen</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::Document</name>
    <message>
        <source>Revert all changes</source>
        <translation>Alle Änderungen verwerfen</translation>
    </message>
    <message>
        <source>Revert: %1</source>
        <translation>Verwerfen: %1</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::EditBar</name>
    <message>
        <source>Apply</source>
        <translation>Anwenden</translation>
    </message>
    <message>
        <source>Adds the edited text to the unsaved changes of the file</source>
        <translation>Nimmt den bearbeiteten Text in die ungespeicherten Änderungen der Datei auf</translation>
    </message>
    <message>
        <source>Revert</source>
        <translation>Verwerfen</translation>
    </message>
    <message>
        <source>Discards what was typed since the last Apply</source>
        <translation>Verwirft, was seit dem letzten Anwenden eingegeben wurde</translation>
    </message>
    <message>
        <source>Diff</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>Shows the text beside that of the file as opened</source>
        <translation>Zeigt den Text neben dem der Datei, wie sie geöffnet wurde</translation>
    </message>
    <message>
        <source>Edited, not applied yet</source>
        <translation>Bearbeitet, noch nicht angewendet</translation>
    </message>
    <message>
        <source>Applying the change…</source>
        <translation>Die Änderung wird angewendet…</translation>
    </message>
    <message>
        <source>Changed, not saved to the file yet</source>
        <translation>Geändert, noch nicht in der Datei gespeichert</translation>
    </message>
    <message>
        <source>No changes</source>
        <translation>Keine Änderungen</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::EditView</name>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>Wiederherstellen</translation>
    </message>
    <message>
        <source>Cut</source>
        <translation>Ausschneiden</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Paste</source>
        <translation>Einfügen</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>Alles auswählen</translation>
    </message>
    <message>
        <source>The text would be larger than 64 MiB. Edit it in another program, and use Replace with file.</source>
        <translation>Der Text würde größer als 64 MiB. Bearbeiten Sie ihn in einem anderen Programm und verwenden Sie „Durch Datei ersetzen“.</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::Editing</name>
    <message>
        <source>The file has no blob.</source>
        <translation>Die Datei hat keinen Blob.</translation>
    </message>
    <message>
        <source>Select a module or a part of a module.</source>
        <translation>Wählen Sie ein Modul oder einen Teil eines Moduls aus.</translation>
    </message>
    <message>
        <source>The module _lib represents the library itself.</source>
        <translation>Das Modul _lib steht für die Bibliothek selbst.</translation>
    </message>
    <message>
        <source>A function of a module has no bytes that can be replaced separately.</source>
        <translation>Eine Funktion eines Moduls hat keine Bytes, die einzeln ersetzt werden können.</translation>
    </message>
    <message>
        <source>The selection has no text.</source>
        <translation>Die Auswahl hat keinen Text.</translation>
    </message>
    <message>
        <source>The module has no text.</source>
        <translation>Das Modul hat keinen Text.</translation>
    </message>
    <message>
        <source>Only modules, kernels and functions can be renamed.</source>
        <translation>Nur Module, Kernel und Funktionen können umbenannt werden.</translation>
    </message>
    <message>
        <source>Module 0 is the root module, which the loader returns.</source>
        <translation>Modul 0 ist das Wurzelmodul, das beim Laden zurückgegeben wird.</translation>
    </message>
    <message>
        <source>Only modules, kernels, functions and images can be removed.</source>
        <translation>Nur Module, Kernel, Funktionen und Images können entfernt werden.</translation>
    </message>
    <message>
        <source>Select a module.</source>
        <translation>Wählen Sie ein Modul aus.</translation>
    </message>
    <message>
        <source>The blob has no import tree. The library imports all its modules directly.</source>
        <translation>Der Blob hat keinen Importbaum. Die Bibliothek importiert alle ihre Module direkt.</translation>
    </message>
    <message>
        <source>The change was not made.</source>
        <translation>Die Änderung wurde nicht vorgenommen.</translation>
    </message>
    <message>
        <source>Your unsaved changes do not fit the file that is now on disk.</source>
        <translation>Ihre nicht gespeicherten Änderungen passen nicht zur Datei, die jetzt auf der Platte liegt.</translation>
    </message>
    <message>
        <source>Reload without them</source>
        <translation>Ohne sie neu laden</translation>
    </message>
    <message>
        <source>Keep them</source>
        <translation>Behalten</translation>
    </message>
    <message numerus="yes">
        <source>%n unsaved change(s) to this file (was|were) found.</source>
        <translation>
            <numerusform>%n nicht gespeicherte Änderung an dieser Datei wurde gefunden.</numerusform>
            <numerusform>%n nicht gespeicherte Änderungen an dieser Datei wurden gefunden.</numerusform>
        </translation>
    </message>
    <message>
        <source>Blobscope ended before they were saved. Restore or discard the changes.</source>
        <translation>Blobscope wurde beendet, bevor sie gespeichert wurden. Stellen Sie die Änderungen wieder her oder verwerfen Sie sie.</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Wiederherstellen</translation>
    </message>
    <message>
        <source>Restore changes</source>
        <translation>Änderungen wiederherstellen</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>Verwerfen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>%1, m%2</source>
        <translation>%1, m%2</translation>
    </message>
    <message>
        <source>No file is open.</source>
        <translation>Es ist keine Datei geöffnet.</translation>
    </message>
    <message>
        <source>There is nothing to undo.</source>
        <translation>Es gibt nichts rückgängig zu machen.</translation>
    </message>
    <message>
        <source>There is nothing to redo.</source>
        <translation>Es gibt nichts wiederherzustellen.</translation>
    </message>
    <message>
        <source>There are no changes.</source>
        <translation>Es gibt keine Änderungen.</translation>
    </message>
    <message>
        <source>Undo: %1</source>
        <translation>Rückgängig: %1</translation>
    </message>
    <message>
        <source>Redo: %1</source>
        <translation>Wiederherstellen: %1</translation>
    </message>
    <message>
        <source>Arrays and raw bytes (*.npy *.bin);;All files (*)</source>
        <translation>Arrays und rohe Bytes (*.npy *.bin);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Replace %1 with</source>
        <translation>%1 ersetzen durch</translation>
    </message>
    <message>
        <source>New name of %1 (changed everywhere in the module)</source>
        <translation>Neuer Name von %1 (wird im ganzen Modul geändert)</translation>
    </message>
    <message>
        <source>New type key of module %1</source>
        <translation>Neuer Typschlüssel von Modul %1</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message numerus="yes">
        <source>%n more call(s) will fail.</source>
        <translation>
            <numerusform>%n weiterer Aufruf wird fehlschlagen.</numerusform>
            <numerusform>%n weitere Aufrufe werden fehlschlagen.</numerusform>
        </translation>
    </message>
    <message>
        <source>Renaming does not change this code. It will still look up the old name.</source>
        <translation>Das Umbenennen ändert diesen Code nicht. Er sucht weiterhin nach dem alten Namen.</translation>
    </message>
    <message>
        <source>Other code of this file looks up the old name %1.</source>
        <translation>Anderer Code dieser Datei sucht nach dem alten Namen %1.</translation>
    </message>
    <message>
        <source>&amp;Keep the old name</source>
        <translation>&amp;Alten Namen behalten</translation>
    </message>
    <message>
        <source>&amp;Rename anyway</source>
        <translation>Trotzdem &amp;umbenennen</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Also remove the modules that only %1 imports?</source>
        <translation>Auch die Module entfernen, die nur von %1 importiert werden?</translation>
    </message>
    <message>
        <source>Modules: %1. If you keep them, its importers import them directly.</source>
        <translation>Module: %1. Wenn Sie sie behalten, werden sie direkt von den Modulen importiert, die das entfernte Modul importieren.</translation>
    </message>
    <message>
        <source>Remove all</source>
        <translation>Alle entfernen</translation>
    </message>
    <message>
        <source>the library</source>
        <translation>die Bibliothek</translation>
    </message>
    <message>
        <source>Save the changes to %1 before closing?</source>
        <translation>Möchten Sie die Änderungen an %1 vor dem Schließen speichern?</translation>
    </message>
    <message numerus="yes">
        <source>There (is|are) %n unsaved change(s).</source>
        <translation>
            <numerusform>Es gibt %n nicht gespeicherte Änderung.</numerusform>
            <numerusform>Es gibt %n nicht gespeicherte Änderungen.</numerusform>
        </translation>
    </message>
    <message>
        <source>A list of parts is selected. Select a part or a module.</source>
        <translation>Eine Liste von Teilen ist ausgewählt. Wählen Sie einen Teil oder ein Modul aus.</translation>
    </message>
    <message>
        <source>No CUDA module has a fat binary.</source>
        <translation>Kein CUDA-Modul hat ein Fat Binary.</translation>
    </message>
    <message>
        <source>There are no images to remove.</source>
        <translation>Es gibt keine Images zu entfernen.</translation>
    </message>
    <message numerus="yes">
        <source>Remove %n image(s)</source>
        <translation>
            <numerusform>%n Image entfernen</numerusform>
            <numerusform>%n Images entfernen</numerusform>
        </translation>
    </message>
    <message>
        <source>Typing</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>The text that you edited could not be applied.</source>
        <translation>Der bearbeitete Text konnte nicht angewendet werden.</translation>
    </message>
    <message>
        <source>It is lost if you close the file.</source>
        <translation>Er geht verloren, wenn Sie die Datei schließen.</translation>
    </message>
    <message>
        <source>Store compiled code</source>
        <translation>Übersetzten Code speichern</translation>
    </message>
    <message>
        <source>There is no PTX to compile.</source>
        <translation>Es gibt kein PTX zum Kompilieren.</translation>
    </message>
    <message>
        <source>The PTX was not compiled.</source>
        <translation>Das PTX wurde nicht kompiliert.</translation>
    </message>
    <message numerus="yes">
        <source>Add %n image(s)</source>
        <translation>
            <numerusform>%n Image hinzufügen</numerusform>
            <numerusform>%n Images hinzufügen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Set %n value(s)</source>
        <translation>
            <numerusform>%n Wert setzen</numerusform>
            <numerusform>%n Werte setzen</numerusform>
        </translation>
    </message>
    <message>
        <source>Overwrite bytes</source>
        <translation>Bytes überschreiben</translation>
    </message>
    <message>
        <source>Select a file of the archive. Folders and links have no content.</source>
        <translation>Wählen Sie eine Datei des Archivs. Ordner und Verknüpfungen haben keinen Inhalt.</translation>
    </message>
    <message>
        <source>In an archive of this kind, files can only be replaced.</source>
        <translation>In einem Archiv dieser Art können Dateien nur ersetzt werden.</translation>
    </message>
    <message>
        <source>The file is not a tar archive.</source>
        <translation>Die Datei ist kein Tar-Archiv.</translation>
    </message>
    <message>
        <source>The selection is not JSON.</source>
        <translation>Die Auswahl ist kein JSON.</translation>
    </message>
    <message>
        <source>New path of %1 in the archive</source>
        <translation>Neuer Pfad von %1 im Archiv</translation>
    </message>
    <message>
        <source>Add a file to the archive</source>
        <translation>Dem Archiv eine Datei hinzufügen</translation>
    </message>
    <message>
        <source>Add file</source>
        <translation>Datei hinzufügen</translation>
    </message>
    <message>
        <source>Path of the file in the archive</source>
        <translation>Pfad der Datei im Archiv</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::EditsModel</name>
    <message>
        <source>Change</source>
        <translation>Änderung</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>Vorher</translation>
    </message>
    <message>
        <source>After</source>
        <translation>Nachher</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>Wo</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::EnglishPlurals</name>
    <message numerus="yes">
        <source>%1 byte(s)</source>
        <translation>
            <numerusform>%1 Byte</numerusform>
            <numerusform>%1 Bytes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>blobscope::ui::FactsPage</name>
    <message>
        <source>Copy these facts</source>
        <translation>Diese Angaben kopieren</translation>
    </message>
    <message>
        <source>Overview</source>
        <translation>Überblick</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::FieldsModel</name>
    <message>
        <source>Field</source>
        <translation>Feld</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>Offset in data</source>
        <translation>Offset (Daten)</translation>
    </message>
    <message>
        <source>Offset in file</source>
        <translation>Offset (Datei)</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>This value has an unsaved change.</source>
        <translation>Dieser Wert hat eine ungespeicherte Änderung.</translation>
    </message>
    <message>
        <source>%1, changed</source>
        <translation>%1, geändert</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::FieldsPage</name>
    <message numerus="yes">
        <source>%n field(s)</source>
        <translation>
            <numerusform>%n Feld</numerusform>
            <numerusform>%n Felder</numerusform>
        </translation>
    </message>
    <message>
        <source>Copy the selected fields</source>
        <translation>Die ausgewählten Felder kopieren</translation>
    </message>
    <message>
        <source>Fields</source>
        <translation>Felder</translation>
    </message>
    <message>
        <source>%1: %2 at %3</source>
        <translation>%1: %2 bei %3</translation>
    </message>
    <message>
        <source>Edit fields on the Fields page of their module.</source>
        <translation>Bearbeiten Sie Felder auf der Seite „Felder“ ihres Moduls.</translation>
    </message>
    <message>
        <source>%1 is a group of fields. Edit the fields in it.</source>
        <translation>%1 ist eine Gruppe von Feldern. Bearbeiten Sie die Felder darin.</translation>
    </message>
    <message>
        <source>%1 is too long to edit here. Use Edit text or Replace with file.</source>
        <translation>%1 ist zu lang, um hier bearbeitet zu werden. Verwenden Sie „Text bearbeiten“ oder „Durch Datei ersetzen“.</translation>
    </message>
    <message>
        <source>Select at least one field.</source>
        <translation>Wählen Sie mindestens ein Feld aus.</translation>
    </message>
    <message>
        <source>%1 needs a value of its type, such as %2.</source>
        <translation>%1 braucht einen Wert desselben Typs, zum Beispiel %2.</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::FilesChecking</name>
    <message>
        <source>Check the libraries in a folder</source>
        <translation>Bibliotheken eines Ordners prüfen</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::FilesView</name>
    <message>
        <source>Cancelled. No file is listed.</source>
        <translation>Abgebrochen. Es ist keine Datei aufgeführt.</translation>
    </message>
    <message numerus="yes">
        <source>%n file(s)</source>
        <translation>
            <numerusform>%n Datei</numerusform>
            <numerusform>%n Dateien</numerusform>
        </translation>
    </message>
    <message>
        <source>%1: will they load?</source>
        <translation>%1: Lädt das?</translation>
    </message>
    <message>
        <source>Filter libraries</source>
        <translation>Bibliotheken filtern</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>All states</source>
        <translation>Alle Zustände</translation>
    </message>
    <message>
        <source>Targets…</source>
        <translation>Ziele…</translation>
    </message>
    <message>
        <source>CSV…</source>
        <translation>CSV…</translation>
    </message>
    <message>
        <source>SARIF…</source>
        <translation>SARIF…</translation>
    </message>
    <message>
        <source>Libraries and targets</source>
        <translation>Bibliotheken und Ziele</translation>
    </message>
    <message>
        <source>Reading the files…</source>
        <translation>Dateien werden gelesen…</translation>
    </message>
    <message>
        <source>The files could not be checked.</source>
        <translation>Die Dateien konnten nicht geprüft werden.</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>No file is listed.</source>
        <translation>Es ist keine Datei aufgeführt.</translation>
    </message>
    <message>
        <source>There are no libraries in this folder.</source>
        <translation>In diesem Ordner sind keine Bibliotheken.</translation>
    </message>
    <message numerus="yes">
        <source>%n target(s)</source>
        <translation>
            <numerusform>%n Ziel</numerusform>
            <numerusform>%n Ziele</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n other file(s)</source>
        <translation>
            <numerusform>%n andere Datei</numerusform>
            <numerusform>%n andere Dateien</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n file(s)</source>
        <translation>
            <numerusform>%1 von %n Datei</numerusform>
            <numerusform>%1 von %n Dateien</numerusform>
        </translation>
    </message>
    <message>
        <source>Export the table</source>
        <translation>Tabelle exportieren</translation>
    </message>
    <message>
        <source>SARIF files (*.sarif *.json)</source>
        <translation>SARIF-Dateien (*.sarif *.json)</translation>
    </message>
    <message>
        <source>CSV files (*.csv)</source>
        <translation>CSV-Dateien (*.csv)</translation>
    </message>
    <message>
        <source>Saved %1.</source>
        <translation>%1 wurde gespeichert.</translation>
    </message>
    <message>
        <source>%1 was not saved.</source>
        <translation>%1 wurde nicht gespeichert.</translation>
    </message>
    <message numerus="yes">
        <source>%n (library|libraries)</source>
        <translation>
            <numerusform>%n Bibliothek</numerusform>
            <numerusform>%n Bibliotheken</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 · %2 in libraries · nothing was executed</source>
        <translation>%1 · %2 in Bibliotheken · nichts wurde ausgeführt</translation>
    </message>
    <message>
        <source>What is shown of the folder</source>
        <translation>Was vom Ordner gezeigt wird</translation>
    </message>
    <message>
        <source>Will they load?</source>
        <translation>Werden sie geladen?</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Cancelled. Nothing was read.</source>
        <translation>Abgebrochen. Es wurde nichts gelesen.</translation>
    </message>
    <message>
        <source>There are no bytes in this folder.</source>
        <translation>In diesem Ordner sind keine Bytes.</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::FilterKeys</name>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::FindBar</name>
    <message>
        <source>Find</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Previous</source>
        <translation>Vorheriger</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>Nächster</translation>
    </message>
    <message>
        <source>Aa</source>
        <translation>Aa</translation>
    </message>
    <message>
        <source>Match case</source>
        <translation>Groß- und Kleinschreibung beachten</translation>
    </message>
    <message>
        <source>W</source>
        <translation>W</translation>
    </message>
    <message>
        <source>Whole word</source>
        <translation>Nur ganze Wörter</translation>
    </message>
    <message>
        <source>Regular expression</source>
        <translation>Regulärer Ausdruck</translation>
    </message>
    <message>
        <source>0x</source>
        <translation>0x</translation>
    </message>
    <message>
        <source>Bytes in hex</source>
        <translation>Bytes in Hex</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Blobscope ran out of memory. The search is incomplete.</source>
        <translation>Blobscope hat nicht mehr genug Arbeitsspeicher. Die Suche ist unvollständig.</translation>
    </message>
    <message>
        <source>Only the first %1 matches are shown. Use a longer pattern to find fewer.</source>
        <translation>Nur die ersten %1 Treffer werden angezeigt. Verwenden Sie ein längeres Muster, um weniger zu finden.</translation>
    </message>
    <message numerus="yes">
        <source>%n line(s) took too long with this pattern and (was|were) skipped.</source>
        <translation>
            <numerusform>%n Zeile dauerte mit diesem Muster zu lange und wurde übersprungen.</numerusform>
            <numerusform>%n Zeilen dauerten mit diesem Muster zu lange und wurden übersprungen.</numerusform>
        </translation>
    </message>
    <message>
        <source>No matches</source>
        <translation>Keine Treffer</translation>
    </message>
    <message numerus="yes">
        <source>%n (match|matches)</source>
        <translation>
            <numerusform>%n Treffer</numerusform>
            <numerusform>%n Treffer</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of the first %2</source>
        <translation>%1 der ersten %2</translation>
    </message>
    <message>
        <source>%1 of %2 so far</source>
        <translation>%1 von bisher %2</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Replace with</source>
        <translation>Ersetzen durch</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>Ersetzen</translation>
    </message>
    <message>
        <source>Replace this match and go to the next one</source>
        <translation>Diesen Treffer ersetzen und zum nächsten gehen</translation>
    </message>
    <message>
        <source>All</source>
        <translation>Alle</translation>
    </message>
    <message>
        <source>Replace all matches</source>
        <translation>Alle Treffer ersetzen</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::FitBars</name>
    <message>
        <source>Libraries that fit, by release</source>
        <translation>Passende Bibliotheken je Release</translation>
    </message>
    <message>
        <source>%1: %2 of %3</source>
        <translation>%1: %2 von %3</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::FitPanel</name>
    <message>
        <source>Memory and limits</source>
        <translation>Speicher und Grenzen</translation>
    </message>
    <message>
        <source>needed</source>
        <translation>benötigt</translation>
    </message>
    <message>
        <source>%1 of %2 left</source>
        <translation>%1 von %2 frei</translation>
    </message>
    <message>
        <source>%1 more than %2</source>
        <translation>%1 mehr als %2</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::FixDialog</name>
    <message>
        <source>Quick fix</source>
        <translation>Automatische Korrektur</translation>
    </message>
    <message>
        <source>What is changed</source>
        <translation>Was geändert wird</translation>
    </message>
    <message>
        <source>&amp;Apply</source>
        <translation>&amp;Anwenden</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>Anwenden</translation>
    </message>
    <message>
        <source>&amp;This finding</source>
        <translation>&amp;Dieser Befund</translation>
    </message>
    <message numerus="yes">
        <source>All %n finding(s) of the &amp;rule %1</source>
        <translation>
            <numerusform>&amp;Der eine Befund der Regel %1</numerusform>
            <numerusform>Alle %n Befunde der &amp;Regel %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>All %n finding(s) with a &amp;quick fix</source>
        <translation>
            <numerusform>Der eine Befund mit &amp;Korrektur</numerusform>
            <numerusform>Alle %n Befunde mit automatischer &amp;Korrektur</numerusform>
        </translation>
    </message>
    <message>
        <source>Computing the changes…</source>
        <translation>Änderungen werden berechnet…</translation>
    </message>
    <message numerus="yes">
        <source>%n finding(s) will be fixed</source>
        <translation>
            <numerusform>%n Befund wird behoben</numerusform>
            <numerusform>%n Befunde werden behoben</numerusform>
        </translation>
    </message>
    <message>
        <source>with the quick fixes</source>
        <translation>mit den Korrekturen</translation>
    </message>
    <message>
        <source>No findings remain.</source>
        <translation>Es bleiben keine Befunde.</translation>
    </message>
    <message numerus="yes">
        <source>%n finding(s) (remains|remain), but no errors.</source>
        <translation>
            <numerusform>%n Befund bleibt, aber kein Fehler.</numerusform>
            <numerusform>%n Befunde bleiben, aber keine Fehler.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n finding(s) (remains|remain), %1 of them errors.</source>
        <translation>
            <numerusform>%n Befund bleibt, davon %1 Fehler.</numerusform>
            <numerusform>%n Befunde bleiben, davon %1 Fehler.</numerusform>
        </translation>
    </message>
    <message>
        <source>Quick fixes</source>
        <translation>Automatische Korrekturen</translation>
    </message>
    <message>
        <source>Quick fix for %1</source>
        <translation>Automatische Korrektur für %1</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::Fixing</name>
    <message>
        <source>No finding has a quick fix.</source>
        <translation>Kein Befund hat eine automatische Korrektur.</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::FlameView</name>
    <message>
        <source>Flame view</source>
        <translation>Flammenansicht</translation>
    </message>
    <message numerus="yes">
        <source>%n narrow box(es)</source>
        <translation>
            <numerusform>%n schmaler Kasten</numerusform>
            <numerusform>%n schmale Kästen</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, calls: %2, launches: %3, share: %4</source>
        <translation>%1, Aufrufe: %2, Starts: %3, Anteil: %4</translation>
    </message>
    <message>
        <source>%1 FLOP</source>
        <translation>%1 FLOP</translation>
    </message>
    <message>
        <source>Nothing to show for this measure.</source>
        <translation>Zu diesem Maß gibt es nichts anzuzeigen.</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::GraphPage</name>
    <message>
        <source>Arranging…</source>
        <translation>Wird angeordnet …</translation>
    </message>
    <message>
        <source>Find a node</source>
        <translation>Knoten suchen</translation>
    </message>
    <message>
        <source>Fit</source>
        <translation>Einpassen</translation>
    </message>
    <message>
        <source>Shows the whole graph (Home). Z shows the selected node.</source>
        <translation>Zeigt den ganzen Graphen (Pos1). Z zeigt den ausgewählten Knoten.</translation>
    </message>
    <message>
        <source>Fold repeats</source>
        <translation>Wiederholungen falten</translation>
    </message>
    <message>
        <source>Draws equal blocks that follow each other as one box</source>
        <translation>Zeichnet gleiche Blöcke, die aufeinander folgen, als einen Kasten</translation>
    </message>
    <message>
        <source>Show parameters</source>
        <translation>Parameter zeigen</translation>
    </message>
    <message>
        <source>Draws parameters and constants, too</source>
        <translation>Zeichnet auch Parameter und Konstanten</translation>
    </message>
    <message>
        <source>Colour by</source>
        <translation>Farbe nach</translation>
    </message>
    <message>
        <source>operator</source>
        <translation>Operator</translation>
    </message>
    <message>
        <source>Colours show what a node does</source>
        <translation>Farben zeigen, was ein Knoten tut</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>Colours show the size of a node</source>
        <translation>Farben zeigen die Größe eines Knotens</translation>
    </message>
    <message>
        <source>device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Colours show where a node runs</source>
        <translation>Farben zeigen, wo ein Knoten ausgeführt wird</translation>
    </message>
    <message>
        <source>difference</source>
        <translation>Unterschied</translation>
    </message>
    <message>
        <source>Colours show what differs</source>
        <translation>Farben zeigen, was sich unterscheidet</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>Tabelle</translation>
    </message>
    <message>
        <source>Shows the nodes as a table (Ctrl+T)</source>
        <translation>Zeigt die Knoten als Tabelle (Strg+T)</translation>
    </message>
    <message>
        <source>Save the graph as a picture (SVG)</source>
        <translation>Graphen als Bild speichern (SVG)</translation>
    </message>
    <message>
        <source>This node is not a part of the file.</source>
        <translation>Dieser Knoten ist kein Teil der Datei.</translation>
    </message>
    <message>
        <source>%1 found</source>
        <translation>%1 gefunden</translation>
    </message>
    <message>
        <source>Save the graph</source>
        <translation>Graphen speichern</translation>
    </message>
    <message>
        <source>SVG files (*.svg)</source>
        <translation>SVG-Dateien (*.svg)</translation>
    </message>
    <message>
        <source>Saved as %1.</source>
        <translation>Als %1 gespeichert.</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::GraphPairPage</name>
    <message>
        <source>Nodes: %1</source>
        <translation>Knoten: %1</translation>
    </message>
    <message>
        <source>Lines: %1</source>
        <translation>Linien: %1</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::GraphView</name>
    <message>
        <source>Colour: bytes</source>
        <translation>Farbe: Bytes</translation>
    </message>
    <message>
        <source>Colour: device</source>
        <translation>Farbe: Gerät</translation>
    </message>
    <message>
        <source>Colour: difference</source>
        <translation>Farbe: Unterschied</translation>
    </message>
    <message>
        <source>Colour: operator</source>
        <translation>Farbe: Operator</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>Graph</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::GridControls</name>
    <message>
        <source>axis %1 (%2)</source>
        <translation>Achse %1 (%2)</translation>
    </message>
    <message>
        <source>axes %1 (%2)</source>
        <translation>Achsen %1 (%2)</translation>
    </message>
    <message>
        <source>Rows</source>
        <translation>Zeilen</translation>
    </message>
    <message>
        <source>Axis of the rows</source>
        <translation>Achse der Zeilen</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>Spalten</translation>
    </message>
    <message>
        <source>Axis of the columns</source>
        <translation>Achse der Spalten</translation>
    </message>
    <message>
        <source>Values per row</source>
        <translation>Werte pro Zeile</translation>
    </message>
    <message>
        <source>Colours</source>
        <translation>Farben</translation>
    </message>
    <message>
        <source>Signed colours</source>
        <translation>Farben mit Vorzeichen</translation>
    </message>
    <message>
        <source>Plain colours</source>
        <translation>Einfache Farben</translation>
    </message>
    <message>
        <source>Image</source>
        <translation>Bild</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>Verkleinern</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>Vergrößern</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>Alles anzeigen</translation>
    </message>
    <message>
        <source>%1 ×</source>
        <translation>%1 ×</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>At</source>
        <translation>Bei</translation>
    </message>
    <message>
        <source>axis %1: </source>
        <translation>Achse %1: </translation>
    </message>
    <message>
        <source>Index on axis %1</source>
        <translation>Index auf Achse %1</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::GridPage</name>
    <message>
        <source>Read all values</source>
        <translation>Alle Werte lesen</translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation>Statistik</translation>
    </message>
    <message>
        <source>Go to index</source>
        <translation>Gehe zu Index</translation>
    </message>
    <message>
        <source>An index for each axis, such as 5, 7, 1, or the number of a value</source>
        <translation>Ein Index für jede Achse, etwa 5, 7, 1, oder die Nummer eines Werts</translation>
    </message>
    <message>
        <source>Copy the selected values</source>
        <translation>Ausgewählte Werte kopieren</translation>
    </message>
    <message>
        <source>rows of %1</source>
        <translation>Zeilen zu %1</translation>
    </message>
    <message>
        <source>%1 × %2</source>
        <translation>%1 × %2</translation>
    </message>
    <message>
        <source>numbers of rows %1–%2, columns %3–%4</source>
        <translation>Zahlen der Zeilen %1–%2, Spalten %3–%4</translation>
    </message>
    <message>
        <source>sampled: %1 of %2 values read</source>
        <translation>Stichprobe: %1 von %2 Werten gelesen</translation>
    </message>
    <message>
        <source>%1 × %2 of %3 values</source>
        <translation>%1 × %2 von %3 Werten</translation>
    </message>
    <message>
        <source>Selected %1</source>
        <translation>Ausgewählt: %1</translation>
    </message>
    <message>
        <source>There is no value with this index; the shape is %1.</source>
        <translation>Es gibt keinen Wert mit diesem Index; die Form ist %1.</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::GrowDialog</name>
    <message>
        <source>Build for more GPUs</source>
        <translation>Für weitere GPUs bauen</translation>
    </message>
    <message>
        <source>Machine code to add to %1</source>
        <translation>Maschinencode, den %1 zusätzlich erhält</translation>
    </message>
    <message>
        <source>Architectures</source>
        <translation>Architekturen</translation>
    </message>
    <message>
        <source>Architecture</source>
        <translation>Architektur</translation>
    </message>
    <message>
        <source>For example</source>
        <translation>Zum Beispiel</translation>
    </message>
    <message>
        <source>Compile</source>
        <translation>Kompilieren</translation>
    </message>
    <message>
        <source>The stored PTX is compiled for each. The images are added as one change.</source>
        <translation>Das gespeicherte PTX wird für jede kompiliert. Die Images werden als eine Änderung hinzugefügt.</translation>
    </message>
    <message>
        <source>The library stores no PTX that can be compiled for further GPUs.</source>
        <translation>Die Bibliothek enthält kein PTX, das für weitere GPUs kompiliert werden kann.</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::HeatMapView</name>
    <message>
        <source>Heat map</source>
        <translation>Heatmap</translation>
    </message>
    <message>
        <source>not stored</source>
        <translation>nicht gespeichert</translation>
    </message>
    <message>
        <source>Colours from %1 to %2</source>
        <translation>Farben von %1 bis %2</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::HelpWindow</name>
    <message>
        <source>Help</source>
        <translation>Hilfe</translation>
    </message>
    <message>
        <source>Topics</source>
        <translation>Themen</translation>
    </message>
    <message>
        <source>Help page</source>
        <translation>Hilfeseite</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Back to the page before (%1)</source>
        <translation>Zurück zur vorigen Seite (%1)</translation>
    </message>
    <message>
        <source>Search the help</source>
        <translation>Hilfe durchsuchen</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::HexMarks</name>
    <message>
        <source>Bookmarks, notes and changes</source>
        <translation>Lesezeichen, Notizen und Änderungen</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>Notizen</translation>
    </message>
    <message>
        <source>Bookmarks</source>
        <translation>Lesezeichen</translation>
    </message>
    <message>
        <source>%1  %2</source>
        <translation>%1  %2</translation>
    </message>
    <message>
        <source>%1
%2, kept for this content of the file</source>
        <translation>%1
%2, gilt für diesen Inhalt der Datei</translation>
    </message>
    <message>
        <source>Unsaved changes</source>
        <translation>Ungespeicherte Änderungen</translation>
    </message>
    <message>
        <source>Go to the bytes</source>
        <translation>Zu den Bytes gehen</translation>
    </message>
    <message>
        <source>Edit…</source>
        <translation>Bearbeiten…</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Revert</source>
        <translation>Verwerfen</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::HexPage</name>
    <message>
        <source>Go to offset</source>
        <translation>Zu Offset gehen</translation>
    </message>
    <message>
        <source>Go to offset, decimal or 0x…</source>
        <translation>Zu Offset gehen, dezimal oder 0x…</translation>
    </message>
    <message>
        <source>An offset in the file, decimal or 0x… (Ctrl+G)</source>
        <translation>Ein Offset in der Datei, dezimal oder 0x… (Strg+G)</translation>
    </message>
    <message>
        <source>Find in these bytes (Ctrl+F)</source>
        <translation>In diesen Bytes suchen (Strg+F)</translation>
    </message>
    <message>
        <source>Copy the selected bytes as hex</source>
        <translation>Die ausgewählten Bytes als Hex kopieren</translation>
    </message>
    <message>
        <source>%1 selected at %2</source>
        <translation>%1 ausgewählt bei %2</translation>
    </message>
    <message>
        <source>Invalid offset %1. Enter an offset from %2 to %3.</source>
        <translation>Ungültiger Offset %1. Geben Sie einen Offset von %2 bis %3 ein.</translation>
    </message>
    <message>
        <source>Set or remove a bookmark at the cursor (Ctrl+Shift+1 to 9; Alt+1 to 9 goes there)</source>
        <translation>Lesezeichen am Cursor setzen oder entfernen (Strg+Umschalt+1 bis 9; Alt+1 bis 9 geht dorthin)</translation>
    </message>
    <message>
        <source>Write a note about the selected bytes</source>
        <translation>Notiz zu den ausgewählten Bytes schreiben</translation>
    </message>
    <message>
        <source>Bytes of the module %1 are overwritten on its own Hex page.</source>
        <translation>Bytes des Moduls %1 werden auf seiner eigenen Hex-Seite überschrieben.</translation>
    </message>
    <message>
        <source>Only bytes of modules can be overwritten. A repack keeps the other parts of the file as they are.</source>
        <translation>Nur Bytes von Modulen können überschrieben werden. Beim Neupacken bleiben die anderen Teile der Datei unverändert.</translation>
    </message>
    <message>
        <source>Bytes are overwritten on the Hex page of their module.</source>
        <translation>Bytes werden auf der Hex-Seite ihres Moduls überschrieben.</translation>
    </message>
    <message>
        <source>This byte is part of a length or a count, which decides where the fields after it are. Set or replace the field instead.</source>
        <translation>Dieses Byte gehört zu einer Länge oder Anzahl, von der abhängt, wo die folgenden Felder liegen. Setzen oder ersetzen Sie stattdessen das Feld.</translation>
    </message>
    <message>
        <source>The change is being applied.</source>
        <translation>Die Änderung wird angewendet.</translation>
    </message>
    <message>
        <source>Applying the change…</source>
        <translation>Die Änderung wird angewendet…</translation>
    </message>
    <message>
        <source>The change was refused. Type other bytes, or press Esc to discard them.</source>
        <translation>Die Änderung wurde abgelehnt. Geben Sie andere Bytes ein, oder verwerfen Sie sie mit Esc.</translation>
    </message>
    <message numerus="yes">
        <source>%n byte(s) typed, not applied yet</source>
        <translation>
            <numerusform>%n Byte eingegeben, noch nicht angewendet</numerusform>
            <numerusform>%n Bytes eingegeben, noch nicht angewendet</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 was %2 “%3”, not saved yet</source>
        <translation>%1 war %2 „%3“, noch nicht gespeichert</translation>
    </message>
    <message>
        <source>%1 was %2, not saved yet</source>
        <translation>%1 war %2, noch nicht gespeichert</translation>
    </message>
    <message>
        <source>These bytes are unpacked or edited. Only bytes of the file can have bookmarks and notes.</source>
        <translation>Diese Bytes sind entpackt oder geändert. Nur Bytes der Datei können Lesezeichen und Notizen haben.</translation>
    </message>
    <message>
        <source>A file can have at most %1 bookmarks and notes. Remove some first.</source>
        <translation>Eine Datei kann höchstens %1 Lesezeichen und Notizen haben. Entfernen Sie zuerst einige.</translation>
    </message>
    <message>
        <source>bookmark</source>
        <translation>Lesezeichen</translation>
    </message>
    <message>
        <source>There is no bookmark %1. Ctrl+Shift+%1 sets it.</source>
        <translation>Es gibt kein Lesezeichen %1. Strg+Umschalt+%1 setzt es.</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>Bookmark</source>
        <translation>Lesezeichen</translation>
    </message>
    <message>
        <source>Note about the %1 at %2. It is kept for this content of the file, not in it.</source>
        <translation>Notiz zu %1 bei %2. Sie wird für diesen Inhalt der Datei aufbewahrt, nicht in der Datei.</translation>
    </message>
    <message>
        <source>Name of the bookmark at %1</source>
        <translation>Name des Lesezeichens bei %1</translation>
    </message>
    <message>
        <source>Keep note</source>
        <translation>Notiz behalten</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::HexView</name>
    <message>
        <source>Bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>%1 selected at %2</source>
        <translation>%1 ausgewählt bei %2</translation>
    </message>
    <message>
        <source>offset</source>
        <translation>Offset</translation>
    </message>
    <message>
        <source>text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>length or count</source>
        <translation>Länge oder Anzahl</translation>
    </message>
    <message>
        <source>type key</source>
        <translation>Typschlüssel</translation>
    </message>
    <message>
        <source>number</source>
        <translation>Zahl</translation>
    </message>
    <message>
        <source>offset or reference</source>
        <translation>Offset oder Verweis</translation>
    </message>
    <message>
        <source>type code</source>
        <translation>Typcode</translation>
    </message>
    <message>
        <source>padding</source>
        <translation>Füllbytes</translation>
    </message>
    <message>
        <source>payload</source>
        <translation>Nutzdaten</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>structure</source>
        <translation>Struktur</translation>
    </message>
    <message>
        <source>no bytes</source>
        <translation>keine Bytes</translation>
    </message>
    <message>
        <source>, field %1, %2</source>
        <translation>, Feld %1, %2</translation>
    </message>
    <message>
        <source>, no field</source>
        <translation>, kein Feld</translation>
    </message>
    <message>
        <source>, damaged</source>
        <translation>, beschädigt</translation>
    </message>
    <message>
        <source>%1%2, %3 at %4</source>
        <translation>%1%2, %3 bei %4</translation>
    </message>
    <message>
        <source> = </source>
        <translation> = </translation>
    </message>
    <message>
        <source>Copy as hex</source>
        <translation>Als Hex kopieren</translation>
    </message>
    <message>
        <source>Copy as characters</source>
        <translation>Als Zeichen kopieren</translation>
    </message>
    <message>
        <source>Copy as C array</source>
        <translation>Als C-Array kopieren</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>Alles auswählen</translation>
    </message>
    <message>
        <source>The clipboard does not contain pairs of hexadecimal digits.</source>
        <translation>Die Zwischenablage enthält keine Paare hexadezimaler Ziffern.</translation>
    </message>
    <message>
        <source>The clipboard has %1. At most %2 can be pasted here.</source>
        <translation>Die Zwischenablage enthält %1. Hier können höchstens %2 eingefügt werden.</translation>
    </message>
    <message>
        <source>, changed, was %1</source>
        <translation>, geändert, war %1</translation>
    </message>
    <message>
        <source>, note: %1</source>
        <translation>, Notiz: %1</translation>
    </message>
    <message>
        <source>, bookmark %1</source>
        <translation>, Lesezeichen %1</translation>
    </message>
    <message>
        <source>Copy as Python bytes</source>
        <translation>Als Python-Bytes kopieren</translation>
    </message>
    <message>
        <source>Paste hex over the bytes</source>
        <translation>Hex über die Bytes einfügen</translation>
    </message>
    <message>
        <source>Only ASCII characters can be typed; other bytes as hexadecimal digits.</source>
        <translation>Nur ASCII-Zeichen können eingegeben werden, andere Bytes als Hexadezimalziffern.</translation>
    </message>
    <message>
        <source>Type characters</source>
        <translation>Zeichen eingeben</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::ImportsDialog</name>
    <message>
        <source>Imports</source>
        <translation>Importe</translation>
    </message>
    <message>
        <source>Modules that %1 imports, in this order</source>
        <translation>Module, die %1 importiert, in dieser Reihenfolge</translation>
    </message>
    <message>
        <source>Modules</source>
        <translation>Module</translation>
    </message>
    <message>
        <source>Move up</source>
        <translation>Nach oben</translation>
    </message>
    <message>
        <source>Move down</source>
        <translation>Nach unten</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>Anwenden</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::LaunchRow</name>
    <message>
        <source>%1: enter one to three numbers, such as 4,1,1.</source>
        <translation>%1: Geben Sie eine bis drei Zahlen ein, zum Beispiel 4,1,1.</translation>
    </message>
    <message>
        <source>One to three numbers: x,y,z. If empty, the value from a dry run of the host function is used.</source>
        <translation>Eine bis drei Zahlen: x,y,z. Leer: der Wert aus einem Probelauf der Hostfunktion.</translation>
    </message>
    <message>
        <source>Grid</source>
        <translation>Grid</translation>
    </message>
    <message>
        <source>Block</source>
        <translation>Block</translation>
    </message>
    <message>
        <source>Shared memory in bytes</source>
        <translation>Gemeinsamer Speicher in Bytes</translation>
    </message>
    <message>
        <source>Dynamic shared memory. If empty, the value from a dry run is used.</source>
        <translation>Dynamischer gemeinsamer Speicher. Leer: der Wert aus einem Probelauf.</translation>
    </message>
    <message>
        <source>from a dry run</source>
        <translation>aus einem Probelauf</translation>
    </message>
    <message>
        <source>%1: enter a number.</source>
        <translation>%1: Geben Sie eine Zahl ein.</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::LimitsRow</name>
    <message>
        <source> s per call</source>
        <translation> s je Aufruf</translation>
    </message>
    <message>
        <source> MiB of tensors per call</source>
        <translation> MiB Tensoren je Aufruf</translation>
    </message>
    <message>
        <source>Memory limit for the tensors of one call in MiB</source>
        <translation>Speichergrenze für die Tensoren eines Aufrufs in MiB</translation>
    </message>
    <message>
        <source>OpenCL devices &amp;without float16: compute in float32</source>
        <translation>OpenCL-Geräte &amp;ohne float16: in float32 rechnen</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::MainWindow</name>
    <message>
        <source>Open a library</source>
        <translation>Bibliothek öffnen</translation>
    </message>
    <message>
        <source>Libraries and archives (*.so *.so.* *.dll *.dylib *.wasm *.o *.obj *.a *.lib *.tar *.tar.gz *.tgz *.tar.zst *.zip *.c);;All files (*)</source>
        <translation>Bibliotheken und Archive (*.so *.so.* *.dll *.dylib *.wasm *.o *.obj *.a *.lib *.tar *.tar.gz *.tgz *.tar.zst *.zip *.c);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Open the folder of an unpacked archive</source>
        <translation>Ordner eines entpackten Archivs öffnen</translation>
    </message>
    <message>
        <source>Opening %1</source>
        <translation>%1 wird geöffnet</translation>
    </message>
    <message>
        <source>Applying the change</source>
        <translation>Die Änderung wird angewendet</translation>
    </message>
    <message>
        <source>Checking the file</source>
        <translation>Die Datei wird geprüft</translation>
    </message>
    <message>
        <source>Opening the other file</source>
        <translation>Die andere Datei wird geöffnet</translation>
    </message>
    <message>
        <source>Working</source>
        <translation>In Arbeit</translation>
    </message>
    <message>
        <source>Cancelled.</source>
        <translation>Abgebrochen.</translation>
    </message>
    <message>
        <source>The content of the window has not changed.</source>
        <translation>Der Inhalt des Fensters hat sich nicht geändert.</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>%1 cannot be opened.</source>
        <translation>%1 kann nicht geöffnet werden.</translation>
    </message>
    <message>
        <source>Open another…</source>
        <translation>Andere öffnen…</translation>
    </message>
    <message>
        <source>action</source>
        <translation>Aktion</translation>
    </message>
    <message>
        <source>%1[*] – Blobscope</source>
        <translation>%1[*] – Blobscope</translation>
    </message>
    <message>
        <source>in a new window</source>
        <translation>in einem neuen Fenster</translation>
    </message>
    <message>
        <source>Open %1</source>
        <translation>%1 öffnen</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>%1 with %2</source>
        <translation>%1 mit %2</translation>
    </message>
    <message>
        <source>Open both</source>
        <translation>Beide öffnen</translation>
    </message>
    <message>
        <source>each in a separate window</source>
        <translation>jede in einem eigenen Fenster</translation>
    </message>
    <message numerus="yes">
        <source>Open %n file(s)</source>
        <translation>
            <numerusform>%n Datei öffnen</numerusform>
            <numerusform>%n Dateien öffnen</numerusform>
        </translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>Öffnen…</translation>
    </message>
    <message>
        <source>Compare…</source>
        <translation>Vergleichen…</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>Prüfen</translation>
    </message>
    <message>
        <source>Run…</source>
        <translation>Ausführen…</translation>
    </message>
    <message>
        <source>Repack…</source>
        <translation>Neu packen…</translation>
    </message>
    <message>
        <source>Contents</source>
        <translation>Inhalt</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Details</translation>
    </message>
    <message>
        <source>Copy the details</source>
        <translation>Details kopieren</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>Probleme</translation>
    </message>
    <message>
        <source>Search results</source>
        <translation>Suchergebnisse</translation>
    </message>
    <message>
        <source>Changes</source>
        <translation>Änderungen</translation>
    </message>
    <message>
        <source>Problems and results</source>
        <translation>Probleme und Ergebnisse</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>Werkzeuge</translation>
    </message>
    <message>
        <source>Find or go to…</source>
        <translation>Suchen oder gehe zu…</translation>
    </message>
    <message>
        <source>About Blobscope</source>
        <translation>Über Blobscope</translation>
    </message>
    <message>
        <source>&lt;b&gt;Blobscope %1&lt;/b&gt;&lt;p&gt;Shows the content of libraries that Apache TVM exports, without executing them.&lt;p&gt;Licence: Apache-2.0</source>
        <translation>&lt;b&gt;Blobscope %1&lt;/b&gt;&lt;p&gt;Zeigt den Inhalt von Bibliotheken, die Apache TVM exportiert, ohne sie auszuführen.&lt;p&gt;Lizenz: Apache-2.0</translation>
    </message>
    <message>
        <source>%1 was not opened.</source>
        <translation>%1 wurde nicht geöffnet.</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message>
        <source>Writing the file to drag</source>
        <translation>Die Datei zum Ziehen wird geschrieben</translation>
    </message>
    <message>
        <source>Open a file first.</source>
        <translation>Öffnen Sie zuerst eine Datei.</translation>
    </message>
    <message>
        <source>Checking the target</source>
        <translation>Ziel wird geprüft</translation>
    </message>
    <message>
        <source>Checking the libraries</source>
        <translation>Bibliotheken werden geprüft</translation>
    </message>
    <message>
        <source>Check the libraries in it</source>
        <translation>Bibliotheken darin prüfen</translation>
    </message>
    <message>
        <source>which libraries in %1 load</source>
        <translation>welche Bibliotheken in %1 laden</translation>
    </message>
    <message>
        <source>which of them load</source>
        <translation>welche davon laden</translation>
    </message>
    <message>
        <source>Compiling</source>
        <translation>Kompilieren</translation>
    </message>
    <message>
        <source>Edge of Details</source>
        <translation>Rand von „Details“</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::MarkList</name>
    <message>
        <source>Messages</source>
        <translation>Meldungen</translation>
    </message>
    <message>
        <source>line %1</source>
        <translation>Zeile %1</translation>
    </message>
    <message>
        <source>%1, line %2</source>
        <translation>%1, Zeile %2</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::MemoryChart</name>
    <message>
        <source>Memory over the instructions</source>
        <translation>Speicher über die Anweisungen</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>nicht bekannt</translation>
    </message>
    <message>
        <source>Peak of %1: %2 at instruction %3</source>
        <translation>Spitze von %1: %2 bei Anweisung %3</translation>
    </message>
    <message>
        <source>Instruction %1: %2 reserved by storages, %3 in use</source>
        <translation>Anweisung %1: %2 durch Speicherplätze reserviert, %3 in Gebrauch</translation>
    </message>
    <message>
        <source>%1: %2, instructions %3 to %4</source>
        <translation>%1: %2, Anweisungen %3 bis %4</translation>
    </message>
    <message>
        <source>depends on %1</source>
        <translation>hängt von %1 ab</translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s)</source>
        <translation>
            <numerusform>%n Tensor</numerusform>
            <numerusform>%n Tensoren</numerusform>
        </translation>
    </message>
    <message>
        <source>instruction</source>
        <translation>Anweisung</translation>
    </message>
    <message>
        <source>%1, all the time</source>
        <translation>%1, die ganze Zeit</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>peak %1, %2 of it in storages</source>
        <translation>Spitze %1, davon %2 in Speicherplätzen</translation>
    </message>
    <message>
        <source>peak at least %1, %2 of it in storages</source>
        <translation>Spitze mindestens %1, davon %2 in Speicherplätzen</translation>
    </message>
    <message>
        <source>Storages, largest first</source>
        <translation>Speicherplätze, größte zuerst</translation>
    </message>
    <message>
        <source>This function makes no storages.</source>
        <translation>Diese Funktion legt keine Speicherplätze an.</translation>
    </message>
    <message>
        <source>Box: from its first to its last instruction; filled: how much of it is in use; below the name: the function that fills it most</source>
        <translation>Kasten: von der ersten bis zur letzten Anweisung; gefüllt: wie viel davon in Gebrauch ist; unter dem Namen: die Funktion, die ihn am meisten füllt</translation>
    </message>
    <message numerus="yes">
        <source>%n more storage(s) with %1 together</source>
        <translation>
            <numerusform>%n weiterer Speicherplatz mit %1</numerusform>
            <numerusform>%n weitere Speicherplätze mit zusammen %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>blobscope::ui::MemoryPlanPage</name>
    <message>
        <source>Memory plan</source>
        <translation>Speicherplan</translation>
    </message>
    <message>
        <source>Function</source>
        <translation>Funktion</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Anzeigen</translation>
    </message>
    <message>
        <source>all to scale</source>
        <translation>alles maßstäblich</translation>
    </message>
    <message>
        <source>what changes</source>
        <translation>was sich ändert</translation>
    </message>
    <message>
        <source>table</source>
        <translation>Tabelle</translation>
    </message>
    <message>
        <source>Weights, KV cache and storages on one scale</source>
        <translation>Gewichte, KV-Cache und Speicherplätze in einem Maßstab</translation>
    </message>
    <message>
        <source>The storages have the whole height; what stays is a strip below</source>
        <translation>Die Speicherplätze haben die ganze Höhe; was bleibt, ist ein Streifen darunter</translation>
    </message>
    <message>
        <source>Rows (Ctrl+T)</source>
        <translation>Zeilen (Strg+T)</translation>
    </message>
    <message>
        <source>Sizes</source>
        <translation>Größen</translation>
    </message>
    <message>
        <source>Peak of %1</source>
        <translation>Spitze von %1</translation>
    </message>
    <message>
        <source>Peak of %1, at least</source>
        <translation>Spitze von %1, mindestens</translation>
    </message>
    <message>
        <source>at instruction %1 of %2</source>
        <translation>bei Anweisung %1 von %2</translation>
    </message>
    <message numerus="yes">
        <source>%n storage(s)</source>
        <translation>
            <numerusform>%n Speicherplatz</numerusform>
            <numerusform>%n Speicherplätze</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s)</source>
        <translation>
            <numerusform>%n Tensor</numerusform>
            <numerusform>%n Tensoren</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 in all storages</source>
        <translation>%1 in allen Speicherplätzen</translation>
    </message>
    <message>
        <source>most in use %1, first at instruction %2</source>
        <translation>höchstens %1 in Gebrauch, zuerst bei Anweisung %2</translation>
    </message>
    <message>
        <source>nothing was run</source>
        <translation>nichts wurde ausgeführt</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::NodeMenu</name>
    <message>
        <source>Show in Hex</source>
        <translation>In Hex anzeigen</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Open in new tab</source>
        <translation>In neuem Tab öffnen</translation>
    </message>
    <message>
        <source>Copy name</source>
        <translation>Name kopieren</translation>
    </message>
    <message>
        <source>Copy value</source>
        <translation>Wert kopieren</translation>
    </message>
    <message>
        <source>Replace with source</source>
        <translation>Durch Quelltext ersetzen</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::NodeSide</name>
    <message>
        <source>Compare the code</source>
        <translation>Code vergleichen</translation>
    </message>
    <message>
        <source>Both outputs as tensors</source>
        <translation>Beide Ausgaben als Tensoren</translation>
    </message>
    <message>
        <source>Run this node alone…</source>
        <translation>Nur diesen Knoten ausführen…</translation>
    </message>
    <message>
        <source>Details of the node</source>
        <translation>Details des Knotens</translation>
    </message>
    <message>
        <source>Look closer</source>
        <translation>Genauer ansehen</translation>
    </message>
    <message>
        <source>The outputs of both builds are no longer on disk, or were not kept.</source>
        <translation>Die Ausgaben beider Builds sind nicht mehr auf der Festplatte oder wurden nicht behalten.</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::NodeTabs</name>
    <message>
        <source>Open tabs</source>
        <translation>Geöffnete Tabs</translation>
    </message>
    <message>
        <source>Lists all tabs</source>
        <translation>Listet alle Tabs auf</translation>
    </message>
    <message>
        <source>Close %1</source>
        <translation>%1 schließen</translation>
    </message>
    <message>
        <source>List of all tabs</source>
        <translation>Liste aller Tabs</translation>
    </message>
    <message>
        <source>&amp;Keep open</source>
        <translation>Offen &amp;halten</translation>
    </message>
    <message>
        <source>&amp;Close</source>
        <translation>S&amp;chließen</translation>
    </message>
    <message>
        <source>Close &amp;others</source>
        <translation>&amp;Andere schließen</translation>
    </message>
    <message>
        <source>%1 (edited, not applied yet)</source>
        <translation>%1 (bearbeitet, noch nicht angewendet)</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::NodeView</name>
    <message>
        <source>Cancelled. Select the page again to load it.</source>
        <translation>Abgebrochen. Wählen Sie die Seite noch einmal, um sie zu laden.</translation>
    </message>
    <message>
        <source>Loading the page “%1”…</source>
        <translation>Die Seite „%1“ wird geladen…</translation>
    </message>
    <message>
        <source>Show in Hex</source>
        <translation>In Hex anzeigen</translation>
    </message>
    <message>
        <source>Copy report</source>
        <translation>Bericht kopieren</translation>
    </message>
    <message>
        <source>This module is damaged.</source>
        <translation>Dieses Modul ist beschädigt.</translation>
    </message>
    <message>
        <source>This cannot be edited as text. Save its bytes, edit them in another program, and use Replace with file.</source>
        <translation>Dies kann nicht als Text bearbeitet werden. Speichern Sie die Bytes, bearbeiten Sie sie in einem anderen Programm und verwenden Sie „Durch Datei ersetzen“.</translation>
    </message>
    <message>
        <source>%1 → %2</source>
        <translation>%1 → %2</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::NodesModel</name>
    <message>
        <source>same bits</source>
        <translation>gleiche Bits</translation>
    </message>
    <message>
        <source>within tolerance</source>
        <translation>innerhalb der Toleranz</translation>
    </message>
    <message>
        <source>differs</source>
        <translation>anderes Ergebnis</translation>
    </message>
    <message>
        <source>first difference</source>
        <translation>erster Unterschied</translation>
    </message>
    <message>
        <source>only in B</source>
        <translation>nur in B</translation>
    </message>
    <message>
        <source>not compared</source>
        <translation>nicht verglichen</translation>
    </message>
    <message>
        <source>Node %1</source>
        <translation>Knoten %1</translation>
    </message>
    <message>
        <source>largest difference %1</source>
        <translation>größter Unterschied %1</translation>
    </message>
    <message>
        <source>%1 µs</source>
        <translation>%1 µs</translation>
    </message>
    <message>
        <source>%1 and %2 more</source>
        <translation>%1 und %2 weitere</translation>
    </message>
    <message>
        <source>Share of the output&apos;s values with other bits, in percent</source>
        <translation>Anteil der Werte der Ausgabe mit anderen Bits, in Prozent</translation>
    </message>
    <message>
        <source>Share of the time of all nodes, in percent</source>
        <translation>Anteil an der Zeit aller Knoten, in Prozent</translation>
    </message>
    <message>
        <source>Bytes of the outputs</source>
        <translation>Bytes der Ausgaben</translation>
    </message>
    <message>
        <source>Largest absolute difference between the outputs of A and B</source>
        <translation>Größter absoluter Unterschied zwischen den Ausgaben von A und B</translation>
    </message>
    <message>
        <source>#</source>
        <translation>#</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>Knoten</translation>
    </message>
    <message>
        <source>Function</source>
        <translation>Funktion</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>Status</translation>
    </message>
    <message>
        <source>Max difference</source>
        <translation>Größter Unterschied</translation>
    </message>
    <message>
        <source>Elements %</source>
        <translation>Elemente %</translation>
    </message>
    <message>
        <source>Min</source>
        <translation>Min</translation>
    </message>
    <message>
        <source>Max</source>
        <translation>Max</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>Mittel</translation>
    </message>
    <message>
        <source>A µs</source>
        <translation>A µs</translation>
    </message>
    <message>
        <source>B µs</source>
        <translation>B µs</translation>
    </message>
    <message>
        <source>Time µs</source>
        <translation>Zeit µs</translation>
    </message>
    <message>
        <source>Share %</source>
        <translation>Anteil %</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>Launches</source>
        <translation>Starts</translation>
    </message>
    <message>
        <source>Estimated operations of matrix products and convolutions, in 10^9 per second; they are found by the names of the functions and the shapes</source>
        <translation>Geschätzte Operationen von Matrixprodukten und Faltungen, in 10^9 pro Sekunde; sie werden aus den Namen der Funktionen und den Formen bestimmt</translation>
    </message>
    <message>
        <source>GFLOP/s</source>
        <translation>GFLOP/s</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::NodesView</name>
    <message>
        <source>%1 ↔ %2: nodes</source>
        <translation>%1 ↔ %2: Knoten</translation>
    </message>
    <message>
        <source>%1: nodes</source>
        <translation>%1: Knoten</translation>
    </message>
    <message>
        <source>No node was run.</source>
        <translation>Kein Knoten wurde ausgeführt.</translation>
    </message>
    <message numerus="yes">
        <source>%n node(s) (was|were) run.</source>
        <translation>
            <numerusform>%n Knoten wurde ausgeführt.</numerusform>
            <numerusform>%n Knoten wurden ausgeführt.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n node(s) took %1.</source>
        <translation>
            <numerusform>%n Knoten brauchte %1.</numerusform>
            <numerusform>%n Knoten brauchten %1.</numerusform>
        </translation>
    </message>
    <message>
        <source>No outputs of nodes were compared.</source>
        <translation>Es wurden keine Ausgaben von Knoten verglichen.</translation>
    </message>
    <message numerus="yes">
        <source>All %n node(s) agree within the tolerance.</source>
        <translation>
            <numerusform>%n Knoten stimmt innerhalb der Toleranz überein.</numerusform>
            <numerusform>Alle %n Knoten stimmen innerhalb der Toleranz überein.</numerusform>
        </translation>
    </message>
    <message>
        <source>All %1 compared nodes of %2 agree within the tolerance.</source>
        <translation>Alle %1 verglichenen von %2 Knoten stimmen innerhalb der Toleranz überein.</translation>
    </message>
    <message>
        <source>The builds differ only at node %1 %2; the largest difference is %3.</source>
        <translation>Die Builds unterscheiden sich nur bei Knoten %1 %2; der größte Unterschied ist %3.</translation>
    </message>
    <message>
        <source>The builds differ from node 0 %1 on; the largest difference is %2 at node %3.</source>
        <translation>Die Builds unterscheiden sich ab Knoten 0 %1; der größte Unterschied ist %2 bei Knoten %3.</translation>
    </message>
    <message>
        <source>Both builds agree up to node %1. From node %2 %3 on they differ; the largest difference is %4 at node %5.</source>
        <translation>Beide Builds stimmen bis Knoten %1 überein. Ab Knoten %2 %3 unterscheiden sie sich; der größte Unterschied ist %4 bei Knoten %5.</translation>
    </message>
    <message>
        <source>%1 (as opened)</source>
        <translation>%1 (wie geöffnet)</translation>
    </message>
    <message>
        <source>%1 (changed)</source>
        <translation>%1 (geändert)</translation>
    </message>
    <message>
        <source>%1 same bits</source>
        <translation>%1 gleiche Bits</translation>
    </message>
    <message>
        <source>%1 within tolerance</source>
        <translation>%1 innerhalb der Toleranz</translation>
    </message>
    <message numerus="yes">
        <source>%n (differs|differ)</source>
        <translation>
            <numerusform>%n anders</numerusform>
            <numerusform>%n anders</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 only in A</source>
        <translation>%1 nur in A</translation>
    </message>
    <message>
        <source>%1 only in B</source>
        <translation>%1 nur in B</translation>
    </message>
    <message>
        <source>%1 not compared</source>
        <translation>%1 nicht verglichen</translation>
    </message>
    <message>
        <source>Function</source>
        <translation>Funktion</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Startwert</translation>
    </message>
    <message>
        <source>Measured runs</source>
        <translation>Gemessene Läufe</translation>
    </message>
    <message>
        <source>Took</source>
        <translation>Dauer</translation>
    </message>
    <message>
        <source>Filter nodes</source>
        <translation>Knoten filtern</translation>
    </message>
    <message numerus="yes">
        <source>Filter %n node(s)</source>
        <translation>
            <numerusform>%n Knoten filtern</numerusform>
            <numerusform>%n Knoten filtern</numerusform>
        </translation>
    </message>
    <message>
        <source>Shown nodes</source>
        <translation>Angezeigte Knoten</translation>
    </message>
    <message>
        <source>All nodes</source>
        <translation>Alle Knoten</translation>
    </message>
    <message>
        <source>Nodes that differ</source>
        <translation>Knoten mit Unterschied</translation>
    </message>
    <message>
        <source>Previous difference (Shift+F7)</source>
        <translation>Voriger Unterschied (Umschalt+F7)</translation>
    </message>
    <message>
        <source>Next difference (F7)</source>
        <translation>Nächster Unterschied (F7)</translation>
    </message>
    <message>
        <source>Save as .npy…</source>
        <translation>Als .npy speichern…</translation>
    </message>
    <message>
        <source>Trace…</source>
        <translation>Zeitverlauf…</translation>
    </message>
    <message>
        <source>Saves the times of all nodes for chrome://tracing and Perfetto</source>
        <translation>Speichert die Zeiten aller Knoten für chrome://tracing und Perfetto</translation>
    </message>
    <message>
        <source>Nodes</source>
        <translation>Knoten</translation>
    </message>
    <message>
        <source>First difference: %1 %2, %3</source>
        <translation>Erster Unterschied: %1 %2, %3</translation>
    </message>
    <message>
        <source>tolerance %1</source>
        <translation>Toleranz %1</translation>
    </message>
    <message>
        <source>no difference</source>
        <translation>kein Unterschied</translation>
    </message>
    <message>
        <source>difference %1 of %2</source>
        <translation>Unterschied %1 von %2</translation>
    </message>
    <message numerus="yes">
        <source>%n difference(s)</source>
        <translation>
            <numerusform>%n Unterschied</numerusform>
            <numerusform>%n Unterschiede</numerusform>
        </translation>
    </message>
    <message>
        <source>The outputs of this node were not kept.</source>
        <translation>Die Ausgaben dieses Knotens wurden nicht aufgehoben.</translation>
    </message>
    <message>
        <source>The outputs of this run are no longer on disk. Run the model again.</source>
        <translation>Die Ausgaben dieses Laufs sind nicht mehr auf der Festplatte. Führen Sie das Modell noch einmal aus.</translation>
    </message>
    <message>
        <source>Saves the outputs of the selected node for NumPy</source>
        <translation>Speichert die Ausgaben des gewählten Knotens für NumPy</translation>
    </message>
    <message numerus="yes">
        <source>%n node(s)</source>
        <translation>
            <numerusform>%n Knoten</numerusform>
            <numerusform>%n Knoten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n node(s)</source>
        <translation>
            <numerusform>%1 von %n Knoten</numerusform>
            <numerusform>%1 von %n Knoten</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 in all nodes</source>
        <translation>%1 in allen Knoten</translation>
    </message>
    <message numerus="yes">
        <source>%n output(s) kept, %1</source>
        <translation>
            <numerusform>%n Ausgabe aufgehoben, %1</numerusform>
            <numerusform>%n Ausgaben aufgehoben, %1</numerusform>
        </translation>
    </message>
    <message>
        <source>no outputs kept</source>
        <translation>keine Ausgaben aufgehoben</translation>
    </message>
    <message>
        <source>the device runs on the CPU: its times do not represent a GPU</source>
        <translation>das Gerät läuft auf der CPU: seine Zeiten stehen nicht für eine GPU</translation>
    </message>
    <message>
        <source>%1 has no code in this library.</source>
        <translation>%1 hat in dieser Bibliothek keinen Code.</translation>
    </message>
    <message>
        <source>Saved %1.</source>
        <translation>%1 wurde gespeichert.</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>%1 was not saved.</source>
        <translation>%1 wurde nicht gespeichert.</translation>
    </message>
    <message>
        <source>Save the output of the node</source>
        <translation>Ausgabe des Knotens speichern</translation>
    </message>
    <message>
        <source>NumPy files (*.npy)</source>
        <translation>NumPy-Dateien (*.npy)</translation>
    </message>
    <message>
        <source>Save the trace</source>
        <translation>Zeitverlauf speichern</translation>
    </message>
    <message>
        <source>JSON files (*.json)</source>
        <translation>JSON-Dateien (*.json)</translation>
    </message>
    <message>
        <source>There are no more differences in this direction.</source>
        <translation>In dieser Richtung gibt es keine weiteren Unterschiede.</translation>
    </message>
    <message>
        <source>“%1” is not a tolerance: enter one or two numbers, such as 1e-3 or 1e-3, 1e-2.</source>
        <translation>„%1“ ist keine Toleranz: Geben Sie eine oder zwei Zahlen ein, etwa 1e-3 oder 1e-3, 1e-2.</translation>
    </message>
    <message>
        <source>The outputs were not compared again.</source>
        <translation>Die Ausgaben wurden nicht noch einmal verglichen.</translation>
    </message>
    <message>
        <source>Node %1: both outputs</source>
        <translation>Knoten %1: beide Ausgaben</translation>
    </message>
    <message>
        <source>The outputs were not compared.</source>
        <translation>Die Ausgaben wurden nicht verglichen.</translation>
    </message>
    <message>
        <source>The inputs of the node were not written.</source>
        <translation>Die Eingaben des Knotens wurden nicht geschrieben.</translation>
    </message>
    <message>
        <source>Order of the nodes</source>
        <translation>Reihenfolge der Knoten</translation>
    </message>
    <message>
        <source>Order: by a column</source>
        <translation>Reihenfolge: nach Spalte</translation>
    </message>
    <message>
        <source>Tolerance</source>
        <translation>Toleranz</translation>
    </message>
    <message>
        <source>by type</source>
        <translation>je nach Typ</translation>
    </message>
    <message>
        <source>Order: as run</source>
        <translation>Reihenfolge: Ablauf</translation>
    </message>
    <message>
        <source>Order: difference</source>
        <translation>Reihenfolge: Unterschied</translation>
    </message>
    <message>
        <source>Order: time</source>
        <translation>Reihenfolge: Zeit</translation>
    </message>
    <message>
        <source>Absolute difference up to which floats count as equal, such as 1e-3; with a second number after a comma, also relative to the value of A. Empty: that of the types.</source>
        <translation>Absoluter Unterschied, bis zu dem Gleitkommazahlen als gleich gelten, etwa 1e-3; mit einer zweiten Zahl nach einem Komma auch relativ zum Wert von A. Leer: die Toleranz der Typen.</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::OverviewPage</name>
    <message>
        <source>Overview</source>
        <translation>Überblick</translation>
    </message>
    <message>
        <source>Contents</source>
        <translation>Inhalt</translation>
    </message>
    <message>
        <source>Show the findings</source>
        <translation>Befunde anzeigen</translation>
    </message>
    <message>
        <source>Copy report</source>
        <translation>Bericht kopieren</translation>
    </message>
    <message>
        <source>%1 Nothing was executed.</source>
        <translation>%1 Es wurde nichts ausgeführt.</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Part</source>
        <translation>Teil</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>Share of file</source>
        <translation>Anteil an der Datei</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>Anteil</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>Befunde</translation>
    </message>
    <message numerus="yes">
        <source>Show all %n finding(s)</source>
        <translation>
            <numerusform>%n Befund anzeigen</numerusform>
            <numerusform>Alle %n Befunde anzeigen</numerusform>
        </translation>
    </message>
    <message>
        <source>There are no findings.</source>
        <translation>Es gibt keine Befunde.</translation>
    </message>
    <message>
        <source>Next steps</source>
        <translation>Nächste Schritte</translation>
    </message>
    <message>
        <source>Show the errors</source>
        <translation>Fehler anzeigen</translation>
    </message>
    <message>
        <source>offset, cause and size</source>
        <translation>Offset, Ursache und Größe</translation>
    </message>
    <message>
        <source>Read the VM bytecode</source>
        <translation>VM-Bytecode lesen</translation>
    </message>
    <message>
        <source>functions, constants, instructions</source>
        <translation>Funktionen, Konstanten, Befehle</translation>
    </message>
    <message numerus="yes">
        <source>Show the %n kernel(s) of %1</source>
        <translation>
            <numerusform>%n Kernel von %1 anzeigen</numerusform>
            <numerusform>%n Kernel von %1 anzeigen</numerusform>
        </translation>
    </message>
    <message>
        <source>arguments, launch parameters, code</source>
        <translation>Argumente, Startparameter, Code</translation>
    </message>
    <message>
        <source>Show the memory use</source>
        <translation>Speicherbedarf anzeigen</translation>
    </message>
    <message>
        <source>RAM and ROM compared with a budget</source>
        <translation>RAM und ROM im Vergleich mit einem Budget</translation>
    </message>
    <message>
        <source>Show the operators</source>
        <translation>Operatoren anzeigen</translation>
    </message>
    <message>
        <source>graph node, source, workspace</source>
        <translation>Graphknoten, Quelltext, Arbeitsspeicher</translation>
    </message>
    <message>
        <source>Read the metadata</source>
        <translation>Metadaten lesen</translation>
    </message>
    <message>
        <source>field by field</source>
        <translation>Feld für Feld</translation>
    </message>
    <message numerus="yes">
        <source>Show the %n host function(s)</source>
        <translation>
            <numerusform>%n Hostfunktion anzeigen</numerusform>
            <numerusform>%n Hostfunktionen anzeigen</numerusform>
        </translation>
    </message>
    <message>
        <source>functions that a runtime can call</source>
        <translation>Funktionen, die eine Laufzeit aufrufen kann</translation>
    </message>
    <message>
        <source>Show the blob field by field</source>
        <translation>Blob Feld für Feld anzeigen</translation>
    </message>
    <message>
        <source>offset, size and value of each field</source>
        <translation>Offset, Größe und Wert jedes Felds</translation>
    </message>
    <message>
        <source>checking …</source>
        <translation>wird geprüft …</translation>
    </message>
    <message>
        <source>TVM %1</source>
        <translation>TVM %1</translation>
    </message>
    <message>
        <source>Will it load?</source>
        <translation>Lädt es?</translation>
    </message>
    <message>
        <source>TVM releases, runtimes on disk, GPUs</source>
        <translation>Releases von TVM, installierte Laufzeiten, GPUs</translation>
    </message>
    <message>
        <source>This machine: %1</source>
        <translation>Dieser Rechner: %1</translation>
    </message>
    <message>
        <source>Will it fit?</source>
        <translation>Passt es?</translation>
    </message>
    <message>
        <source>RAM and flash of development boards</source>
        <translation>RAM und Flash von Entwicklungsboards</translation>
    </message>
    <message>
        <source>Show what is missing</source>
        <translation>Fehlendes zeigen</translation>
    </message>
    <message>
        <source>No known release of TVM loads this library with all its parts.</source>
        <translation>Keine bekannte Version von TVM lädt diese Bibliothek mit allen ihren Teilen.</translation>
    </message>
    <message>
        <source>no known release of TVM</source>
        <translation>keine bekannte Version von TVM</translation>
    </message>
    <message>
        <source>Loads in</source>
        <translation>Lädt in</translation>
    </message>
    <message>
        <source>TVM %1, not certain</source>
        <translation>TVM %1, nicht sicher</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::PageBar</name>
    <message>
        <source>More pages</source>
        <translation>Weitere Seiten</translation>
    </message>
    <message>
        <source>%1 (Ctrl+%2)</source>
        <translation>%1 (Strg+%2)</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::PageWidget</name>
    <message>
        <source>This page has nothing to search. Find everywhere (Ctrl+Shift+F) searches the whole file.</source>
        <translation>Auf dieser Seite gibt es nichts zu suchen. „Überall suchen“ (Strg+Umschalt+F) durchsucht die ganze Datei.</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::PairPage</name>
    <message>
        <source>Only A has this page.</source>
        <translation>Nur A hat diese Seite.</translation>
    </message>
    <message>
        <source>Only B has this page.</source>
        <translation>Nur B hat diese Seite.</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::PairView</name>
    <message>
        <source>Wrap</source>
        <translation>Umbrechen</translation>
    </message>
    <message>
        <source>Fold equal</source>
        <translation>Gleiches falten</translation>
    </message>
    <message>
        <source>Previous change (Shift+F7)</source>
        <translation>Vorherige Änderung (Umschalt+F7)</translation>
    </message>
    <message>
        <source>Next change (F7)</source>
        <translation>Nächste Änderung (F7)</translation>
    </message>
    <message>
        <source>Chooses which differences to ignore</source>
        <translation>Legt fest, welche Unterschiede ignoriert werden</translation>
    </message>
    <message>
        <source>Export the comparison as HTML or Markdown</source>
        <translation>Den Vergleich als HTML oder Markdown exportieren</translation>
    </message>
    <message>
        <source>Wraps long lines instead of scrolling sideways</source>
        <translation>Bricht lange Zeilen um, statt seitlich zu blättern</translation>
    </message>
    <message>
        <source>Folds equal lines that are not near a change</source>
        <translation>Faltet gleiche Zeilen, die nicht bei einer Änderung liegen</translation>
    </message>
    <message>
        <source>Cancelled. Select the page again to compare it.</source>
        <translation>Abgebrochen. Wählen Sie die Seite noch einmal, um sie zu vergleichen.</translation>
    </message>
    <message>
        <source>Comparing the pages</source>
        <translation>Die Seiten werden verglichen</translation>
    </message>
    <message>
        <source>renamed and changed</source>
        <translation>umbenannt und geändert</translation>
    </message>
    <message>
        <source>%1 → %2</source>
        <translation>%1 → %2</translation>
    </message>
    <message>
        <source>This node has no pages to compare.</source>
        <translation>Dieser Knoten hat keine Seiten zum Vergleichen.</translation>
    </message>
    <message numerus="yes">
        <source>%n change(s)</source>
        <translation>
            <numerusform>%n Änderung</numerusform>
            <numerusform>%n Änderungen</numerusform>
        </translation>
    </message>
    <message>
        <source>Change %1 of %2</source>
        <translation>Änderung %1 von %2</translation>
    </message>
    <message>
        <source>names</source>
        <translation>Namen</translation>
    </message>
    <message>
        <source>Different names of nodes that are otherwise equal</source>
        <translation>Verschiedene Namen von Knoten, die sonst gleich sind</translation>
    </message>
    <message>
        <source>order</source>
        <translation>Reihenfolge</translation>
    </message>
    <message>
        <source>A different order of nodes</source>
        <translation>Eine andere Reihenfolge der Knoten</translation>
    </message>
    <message>
        <source>Compare numbers of constants and registers</source>
        <translation>Nummern von Konstanten und Registern vergleichen</translation>
    </message>
    <message>
        <source>In VM bytecode, c[12] and c[13] count as different even if their values are equal</source>
        <translation>Im VM-Bytecode gelten c[12] und c[13] als verschieden, auch wenn ihre Werte gleich sind</translation>
    </message>
    <message>
        <source>Ignore: nothing</source>
        <translation>Ignorieren: nichts</translation>
    </message>
    <message>
        <source>Ignore: %1</source>
        <translation>Ignorieren: %1</translation>
    </message>
    <message numerus="yes">
        <source>Ignore: %n kind(s)</source>
        <translation>
            <numerusform>Ignorieren: %n Art</numerusform>
            <numerusform>Ignorieren: %n Arten</numerusform>
        </translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>nichts</translation>
    </message>
    <message>
        <source>Changes B to match A here; you can undo this</source>
        <translation>Ändert B hier so, dass es A entspricht; Sie können das rückgängig machen</translation>
    </message>
    <message>
        <source>Changes A to match B here; you can undo this</source>
        <translation>Ändert A hier so, dass es B entspricht; Sie können das rückgängig machen</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::PartFiles</name>
    <message>
        <source>The part cannot be dragged out of the window.</source>
        <translation>Der Teil kann nicht aus dem Fenster gezogen werden.</translation>
    </message>
    <message>
        <source>A folder for temporary files could not be created.</source>
        <translation>Ein Ordner für temporäre Dateien konnte nicht angelegt werden.</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>%1 was not written.</source>
        <translation>%1 wurde nicht geschrieben.</translation>
    </message>
    <message>
        <source>%1 is ready.</source>
        <translation>%1 ist bereit.</translation>
    </message>
    <message>
        <source>Drag the part again to copy the file.</source>
        <translation>Ziehen Sie den Teil noch einmal, um die Datei zu kopieren.</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::PathRow</name>
    <message>
        <source>Browse…</source>
        <translation>Durchsuchen…</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::PlanBar</name>
    <message>
        <source>The file before and after</source>
        <translation>Die Datei vorher und nachher</translation>
    </message>
    <message>
        <source>blob</source>
        <translation>Blob</translation>
    </message>
    <message>
        <source>old blob (kept, no longer used)</source>
        <translation>alter Blob (bleibt, wird nicht mehr verwendet)</translation>
    </message>
    <message>
        <source>new blob</source>
        <translation>neuer Blob</translation>
    </message>
    <message>
        <source>other parts of the file</source>
        <translation>andere Teile der Datei</translation>
    </message>
    <message>
        <source>%1, %2 from 0x%3</source>
        <translation>%1, %2 ab 0x%3</translation>
    </message>
    <message>
        <source>Before: %1. After: %2.</source>
        <translation>Vorher: %1. Nachher: %2.</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>Vorher</translation>
    </message>
    <message>
        <source>After</source>
        <translation>Nachher</translation>
    </message>
    <message>
        <source>%1: %2 from 0x%3</source>
        <translation>%1: %2 ab 0x%3</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::PlanSliders</name>
    <message>
        <source>Its sizes are fixed.</source>
        <translation>Ihre Größen sind fest.</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>nicht bekannt</translation>
    </message>
    <message>
        <source>1 to %1, planned for</source>
        <translation>1 bis %1, dafür geplant</translation>
    </message>
    <message>
        <source>1 to %1</source>
        <translation>1 bis %1</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::PlanSummary</name>
    <message>
        <source>Parts of the memory at the peak</source>
        <translation>Teile des Speichers bei der Spitze</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>nicht bekannt</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::PlotView</name>
    <message numerus="yes">
        <source>and %n more place(s) near it</source>
        <translation>
            <numerusform>und eine weitere Stelle in der Nähe</numerusform>
            <numerusform>und %n weitere Stellen in der Nähe</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>blobscope::ui::PreferencesDialog</name>
    <message>
        <source>Preferences</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>Darstellung</translation>
    </message>
    <message>
        <source>Colours of the system</source>
        <translation>Farben des Systems</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>&amp;Colours</source>
        <translation>&amp;Farben</translation>
    </message>
    <message>
        <source>Chosen by Blobscope</source>
        <translation>Von Blobscope gewählt</translation>
    </message>
    <message>
        <source>&amp;Font of code and bytes</source>
        <translation>Sch&amp;rift für Code und Bytes</translation>
    </message>
    <message>
        <source>size of the system</source>
        <translation>Größe des Systems</translation>
    </message>
    <message>
        <source> pt</source>
        <translation> pt</translation>
    </message>
    <message>
        <source>Text &amp;size of code, bytes and tables</source>
        <translation>Text&amp;größe für Code, Bytes und Tabellen</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>Dateien</translation>
    </message>
    <message>
        <source>&amp;Reopen the files of the last session at the next start</source>
        <translation>&amp;Dateien der letzten Sitzung beim nächsten Start wieder öffnen</translation>
    </message>
    <message>
        <source>Open files in the &amp;program that is already running</source>
        <translation>Dateien im bereits laufenden &amp;Programm öffnen</translation>
    </message>
    <message>
        <source>automatic, at most 2 GiB</source>
        <translation>automatisch, höchstens 2 GiB</translation>
    </message>
    <message>
        <source>&amp;Memory limit for unpacking</source>
        <translation>Speichergrenze für das &amp;Entpacken</translation>
    </message>
    <message>
        <source>For example 4 GiB. Applies to files that are opened from now on.</source>
        <translation>Zum Beispiel 4 GiB. Gilt für Dateien, die ab jetzt geöffnet werden.</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>Werkzeuge</translation>
    </message>
    <message>
        <source>found automatically</source>
        <translation>automatisch gesucht</translation>
    </message>
    <message>
        <source>Browse for the CUDA tools</source>
        <translation>Nach den CUDA-Werkzeugen suchen</translation>
    </message>
    <message>
        <source>C&amp;UDA tools</source>
        <translation>C&amp;UDA-Werkzeuge</translation>
    </message>
    <message>
        <source>This folder is searched first for nvdisasm and NVRTC. Takes effect at the next start.</source>
        <translation>In diesem Ordner wird zuerst nach nvdisasm und NVRTC gesucht. Gilt ab dem nächsten Start.</translation>
    </message>
    <message>
        <source>Select the folder of the CUDA tools</source>
        <translation>Ordner der CUDA-Werkzeuge auswählen</translation>
    </message>
    <message>
        <source>libtvm_runtime.so, its folder, or a Python environment with apache-tvm</source>
        <translation>libtvm_runtime.so, ihr Ordner oder eine Python-Umgebung mit apache-tvm</translation>
    </message>
    <message>
        <source>Browse for the TVM runtime</source>
        <translation>Nach der TVM-Laufzeit suchen</translation>
    </message>
    <message>
        <source>&amp;TVM runtime</source>
        <translation>&amp;TVM-Laufzeit</translation>
    </message>
    <message>
        <source>The Run dialog suggests this runtime for whole models.</source>
        <translation>Der Dialog „Ausführen“ schlägt diese Laufzeit für ganze Modelle vor.</translation>
    </message>
    <message>
        <source>Select an installed TVM runtime</source>
        <translation>Installierte TVM-Laufzeit auswählen</translation>
    </message>
    <message>
        <source>Language and privacy</source>
        <translation>Sprache und Datenschutz</translation>
    </message>
    <message>
        <source>Language of the system</source>
        <translation>Sprache des Systems</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>&amp;Sprache</translation>
    </message>
    <message>
        <source>Takes effect at the next start.</source>
        <translation>Gilt ab dem nächsten Start.</translation>
    </message>
    <message>
        <source>Blobscope makes no network connections: it collects no usage data and does not check for updates.</source>
        <translation>Blobscope stellt keine Netzwerkverbindungen her: Es sammelt keine Nutzungsdaten und sucht nicht nach Aktualisierungen.</translation>
    </message>
    <message>
        <source>Restore &amp;defaults</source>
        <translation>Standard&amp;werte</translation>
    </message>
    <message>
        <source>The memory limit is not a size of at least 64 KiB. Enter a number with a unit, for example 4 GiB.</source>
        <translation>Die Speichergrenze ist keine Größe von mindestens 64 KiB. Geben Sie eine Zahl mit Einheit ein, zum Beispiel 4 GiB.</translation>
    </message>
    <message>
        <source>%1 does not exist now.</source>
        <translation>%1 ist zurzeit nicht vorhanden.</translation>
    </message>
    <message>
        <source>KiB, MiB, GiB: multiples of 1,024 bytes</source>
        <translation>KiB, MiB, GiB: Vielfache von 1.024 Bytes</translation>
    </message>
    <message>
        <source>kB, MB, GB: multiples of 1,000 bytes</source>
        <translation>kB, MB, GB: Vielfache von 1.000 Bytes</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>U&amp;nits of sizes</source>
        <translation>E&amp;inheiten der Größen</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::PreflightModel</name>
    <message>
        <source>not readable</source>
        <translation>nicht lesbar</translation>
    </message>
    <message>
        <source>not a TVM library</source>
        <translation>keine TVM-Bibliothek</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1 on %2: %3</source>
        <translation>%1 mit %2: %3</translation>
    </message>
    <message>
        <source>Library</source>
        <translation>Bibliothek</translation>
    </message>
    <message>
        <source>Era</source>
        <translation>Ära</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>no device</source>
        <translation>kein Gerät</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::ProblemsModel</name>
    <message>
        <source>%1
What to do: %2</source>
        <translation>%1
Abhilfe: %2</translation>
    </message>
    <message>
        <source>%1 (follows from %2)</source>
        <translation>%1 (Folge von %2)</translation>
    </message>
    <message numerus="yes">
        <source>%1 · %n other finding(s) (follows|follow) from it</source>
        <translation>
            <numerusform>%1 · %n weiterer Befund folgt daraus</numerusform>
            <numerusform>%1 · %n weitere Befunde folgen daraus</numerusform>
        </translation>
    </message>
    <message>
        <source>file</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Finding</source>
        <translation>Befund</translation>
    </message>
    <message>
        <source>Rule</source>
        <translation>Regel</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>Wo</translation>
    </message>
    <message>
        <source>Offset</source>
        <translation>Offset</translation>
    </message>
    <message>
        <source>%1
Quick fix: %2</source>
        <translation>%1
Automatische Korrektur: %2</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::ProblemsPanel</name>
    <message>
        <source>Filter</source>
        <translation>Filtern</translation>
    </message>
    <message>
        <source>Filter findings</source>
        <translation>Befunde filtern</translation>
    </message>
    <message>
        <source>Copy the findings</source>
        <translation>Befunde kopieren</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>Probleme</translation>
    </message>
    <message numerus="yes">
        <source>%n error(s)</source>
        <translation>
            <numerusform>%n Fehler</numerusform>
            <numerusform>%n Fehler</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n warning(s)</source>
        <translation>
            <numerusform>%n Warnung</numerusform>
            <numerusform>%n Warnungen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n note(s)</source>
        <translation>
            <numerusform>%n Hinweis</numerusform>
            <numerusform>%n Hinweise</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n finding(s), errors first</source>
        <translation>
            <numerusform>%n Befund, Fehler zuerst</numerusform>
            <numerusform>%n Befunde, Fehler zuerst</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n finding(s)</source>
        <translation>
            <numerusform>%1 von %n Befund</numerusform>
            <numerusform>%1 von %n Befunden</numerusform>
        </translation>
    </message>
    <message>
        <source>There are no findings.</source>
        <translation>Es gibt keine Befunde.</translation>
    </message>
    <message>
        <source>No finding matches the filter.</source>
        <translation>Kein Befund passt zum Filter.</translation>
    </message>
    <message>
        <source>Fix…</source>
        <translation>Beheben…</translation>
    </message>
    <message>
        <source>Shows what quick fixes would change, and applies them</source>
        <translation>Zeigt, was automatische Korrekturen ändern würden, und wendet sie an</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::ProgressStrip</name>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Cancel (Esc)</source>
        <translation>Abbrechen (Esc)</translation>
    </message>
    <message>
        <source>%1, %2 of %3</source>
        <translation>%1, %2 von %3</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::RepackDialog</name>
    <message>
        <source>%1 → %2</source>
        <translation>%1 → %2</translation>
    </message>
    <message>
        <source>Repack</source>
        <translation>Neu packen</translation>
    </message>
    <message>
        <source>Planning…</source>
        <translation>Es wird geplant…</translation>
    </message>
    <message>
        <source>%1, %2 of %3</source>
        <translation>%1, %2 von %3</translation>
    </message>
    <message>
        <source>&amp;Save as</source>
        <translation>&amp;Speichern unter</translation>
    </message>
    <message>
        <source>Save as</source>
        <translation>Speichern unter</translation>
    </message>
    <message>
        <source>&amp;Browse…</source>
        <translation>&amp;Durchsuchen…</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>Durchsuchen…</translation>
    </message>
    <message>
        <source>Changes and plan</source>
        <translation>Änderungen und Plan</translation>
    </message>
    <message>
        <source>C&amp;hanges</source>
        <translation>Ä&amp;nderungen</translation>
    </message>
    <message>
        <source>Changes</source>
        <translation>Änderungen</translation>
    </message>
    <message>
        <source>There are no changes. The new file will be identical to the opened file.</source>
        <translation>Es gibt keine Änderungen. Die neue Datei wird mit der geöffneten identisch sein.</translation>
    </message>
    <message>
        <source>Scr&amp;ub the old blob</source>
        <translation>Alten Blob ü&amp;berschreiben</translation>
    </message>
    <message>
        <source>Scrub the old blob</source>
        <translation>Alten Blob überschreiben</translation>
    </message>
    <message>
        <source>Overwrites the old blob with zeros if the new blob is stored elsewhere in the file.</source>
        <translation>Überschreibt den alten Blob mit Nullen, wenn der neue an anderer Stelle der Datei gespeichert wird.</translation>
    </message>
    <message>
        <source>&amp;Keep a backup</source>
        <translation>Sicherungs&amp;kopie behalten</translation>
    </message>
    <message>
        <source>Keep a backup</source>
        <translation>Sicherungskopie behalten</translation>
    </message>
    <message>
        <source>Keeps the replaced file and adds “.bak” to its name.</source>
        <translation>Behält die ersetzte Datei und hängt „.bak“ an ihren Namen an.</translation>
    </message>
    <message>
        <source>&amp;Verify every byte</source>
        <translation>Jedes Byte &amp;prüfen</translation>
    </message>
    <message>
        <source>Verify every byte</source>
        <translation>Jedes Byte prüfen</translation>
    </message>
    <message>
        <source>Reads the whole new file back. Otherwise, long unchanged ranges are checked in samples.</source>
        <translation>Liest die ganze neue Datei zurück. Sonst werden lange unveränderte Bereiche in Stichproben geprüft.</translation>
    </message>
    <message>
        <source>Si&amp;gnature</source>
        <translation>Si&amp;gnatur</translation>
    </message>
    <message>
        <source>Signature</source>
        <translation>Signatur</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>Sign ad hoc</source>
        <translation>Ad hoc signieren</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>&amp;Repack</source>
        <translation>Neu p&amp;acken</translation>
    </message>
    <message>
        <source>Show in &amp;folder</source>
        <translation>Im &amp;Ordner anzeigen</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>Im Ordner anzeigen</translation>
    </message>
    <message>
        <source>&amp;Open the new file</source>
        <translation>Neue Datei ö&amp;ffnen</translation>
    </message>
    <message>
        <source>Open the new file</source>
        <translation>Neue Datei öffnen</translation>
    </message>
    <message>
        <source>&amp;Close</source>
        <translation>S&amp;chließen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Enter a file name.</source>
        <translation>Geben Sie einen Dateinamen ein.</translation>
    </message>
    <message>
        <source>“%1” is a folder. Enter the name of a file.</source>
        <translation>„%1“ ist ein Ordner. Geben Sie den Namen einer Datei ein.</translation>
    </message>
    <message>
        <source>The folder “%1” does not exist.</source>
        <translation>Der Ordner „%1“ existiert nicht.</translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n change(s) included</source>
        <translation>
            <numerusform>%1 von %n Änderung enthalten</numerusform>
            <numerusform>%1 von %n Änderungen enthalten</numerusform>
        </translation>
    </message>
    <message>
        <source>The file cannot be written with these changes.</source>
        <translation>Die Datei kann mit diesen Änderungen nicht geschrieben werden.</translation>
    </message>
    <message>
        <source>Ready to overwrite the opened file (%1).</source>
        <translation>Bereit, die geöffnete Datei zu überschreiben (%1).</translation>
    </message>
    <message>
        <source>Ready to replace the existing file (%1).</source>
        <translation>Bereit, die vorhandene Datei zu ersetzen (%1).</translation>
    </message>
    <message>
        <source>Ready to write a new file (%1).</source>
        <translation>Bereit, eine neue Datei zu schreiben (%1).</translation>
    </message>
    <message>
        <source>Writing…</source>
        <translation>Es wird geschrieben…</translation>
    </message>
    <message>
        <source>Cancelled. Nothing was written.</source>
        <translation>Abgebrochen. Es wurde nichts geschrieben.</translation>
    </message>
    <message>
        <source>The file was not replaced.</source>
        <translation>Die Datei wurde nicht ersetzt.</translation>
    </message>
    <message>
        <source>Nothing was written.</source>
        <translation>Es wurde nichts geschrieben.</translation>
    </message>
    <message>
        <source>Written and verified: %1.</source>
        <translation>Geschrieben und geprüft: %1.</translation>
    </message>
    <message>
        <source>Written: %1. Long unchanged ranges were verified in samples.</source>
        <translation>Geschrieben: %1. Lange unveränderte Bereiche wurden in Stichproben geprüft.</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>Wird angehalten…</translation>
    </message>
    <message>
        <source>Calls in the file will fail. Tick the box above to repack anyway, or leave out the change.</source>
        <translation>Aufrufe in der Datei werden fehlschlagen. Setzen Sie oben das Häkchen, um die Datei trotzdem neu zu packen, oder lassen Sie die Änderung weg.</translation>
    </message>
    <message>
        <source>The new file replaces no file, so there is nothing to keep.</source>
        <translation>Die neue Datei ersetzt keine Datei; es gibt also nichts zu behalten.</translation>
    </message>
    <message>
        <source>&amp;Archive version</source>
        <translation>&amp;Archivversion</translation>
    </message>
    <message>
        <source>Archive version</source>
        <translation>Archivversion</translation>
    </message>
    <message>
        <source>Converts metadata and names of files to another version of the format.</source>
        <translation>Wandelt Metadaten und Dateinamen in eine andere Version des Formats um.</translation>
    </message>
    <message>
        <source>Ca&amp;nonical form</source>
        <translation>Ka&amp;nonische Form</translation>
    </message>
    <message>
        <source>Canonical form</source>
        <translation>Kanonische Form</translation>
    </message>
    <message>
        <source>Sorts the members and resets their owners, times and modes, so that the same content always gives the same archive.</source>
        <translation>Sortiert die Dateien im Archiv und setzt Besitzer, Zeiten und Rechte zurück, sodass derselbe Inhalt immer dasselbe Archiv ergibt.</translation>
    </message>
    <message>
        <source>%1 (unchanged)</source>
        <translation>%1 (unverändert)</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::RepackPlan</name>
    <message>
        <source>&amp;Plan</source>
        <translation>P&amp;lan</translation>
    </message>
    <message>
        <source>Repack &amp;anyway</source>
        <translation>T&amp;rotzdem neu packen</translation>
    </message>
    <message>
        <source>Repack anyway</source>
        <translation>Trotzdem neu packen</translation>
    </message>
    <message>
        <source>Writes the file even though it may not work.</source>
        <translation>Schreibt die Datei, obwohl sie möglicherweise nicht funktioniert.</translation>
    </message>
    <message>
        <source>Steps of the plan</source>
        <translation>Schritte des Plans</translation>
    </message>
    <message>
        <source>Consequences</source>
        <translation>Folgen</translation>
    </message>
    <message>
        <source>Repack &amp;even though calls in this file will fail</source>
        <translation>N&amp;eu packen, obwohl Aufrufe in dieser Datei fehlschlagen werden</translation>
    </message>
    <message>
        <source>The file works only as long as nothing makes these calls.</source>
        <translation>Die Datei funktioniert nur, solange nichts diese Aufrufe macht.</translation>
    </message>
    <message>
        <source>Repack even though calls in this file will fail</source>
        <translation>Neu packen, obwohl Aufrufe in dieser Datei fehlschlagen werden</translation>
    </message>
    <message>
        <source>&amp;Keep the old names</source>
        <translation>Alte Na&amp;men behalten</translation>
    </message>
    <message>
        <source>Excludes the renames that break calls. They stay in the list of changes.</source>
        <translation>Schließt die Umbenennungen aus, durch die Aufrufe fehlschlagen. Sie bleiben in der Liste der Änderungen.</translation>
    </message>
    <message>
        <source>Keep the old names</source>
        <translation>Alte Namen behalten</translation>
    </message>
    <message>
        <source>Strategy: %1</source>
        <translation>Strategie: %1</translation>
    </message>
    <message>
        <source>The file cannot be repacked: %1</source>
        <translation>Die Datei kann nicht neu gepackt werden: %1</translation>
    </message>
    <message>
        <source>Repacking has no consequences besides the changes.</source>
        <translation>Das Neupacken hat außer den Änderungen keine Folgen.</translation>
    </message>
    <message numerus="yes">
        <source>%n more consequence(s)</source>
        <translation>
            <numerusform>%n weitere Folge</numerusform>
            <numerusform>%n weitere Folgen</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>blobscope::ui::ReportPage</name>
    <message>
        <source>as expected</source>
        <translation>wie erwartet</translation>
    </message>
    <message>
        <source>note</source>
        <translation>Hinweis</translation>
    </message>
    <message>
        <source>warning</source>
        <translation>Warnung</translation>
    </message>
    <message>
        <source>error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>Save report…</source>
        <translation>Bericht speichern…</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>It reaches</source>
        <translation>Erreicht</translation>
    </message>
    <message>
        <source>%1 (*.%2)</source>
        <translation>%1 (*.%2)</translation>
    </message>
    <message>
        <source>Save the report</source>
        <translation>Bericht speichern</translation>
    </message>
    <message>
        <source>The report is saved as %1.</source>
        <translation>Der Bericht ist als %1 gespeichert.</translation>
    </message>
    <message>
        <source>Compare with an accepted report…</source>
        <translation>Mit einem abgenommenen Bericht vergleichen…</translation>
    </message>
    <message>
        <source>Compare with an accepted report</source>
        <translation>Mit einem abgenommenen Bericht vergleichen</translation>
    </message>
    <message>
        <source>Reports in JSON (*.json)</source>
        <translation>Berichte in JSON (*.json)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Alle Dateien (*)</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::RowsPairPage</name>
    <message>
        <source>Rows of both sides</source>
        <translation>Zeilen beider Seiten</translation>
    </message>
    <message numerus="yes">
        <source>%n row(s) after them (was|were) not compared</source>
        <translation>
            <numerusform>%n Zeile danach wurde nicht verglichen</numerusform>
            <numerusform>%n Zeilen danach wurden nicht verglichen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more (is|are) not listed</source>
        <translation>
            <numerusform>%n weitere ist nicht aufgeführt</numerusform>
            <numerusform>%n weitere sind nicht aufgeführt</numerusform>
        </translation>
    </message>
    <message>
        <source>At most %1 rows can be copied at once. blobscope-cli diff writes all rows.</source>
        <translation>Es können höchstens %1 Zeilen auf einmal kopiert werden. blobscope-cli diff schreibt alle Zeilen.</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::RunConsent</name>
    <message>
        <source>%1 in %2</source>
        <translation>%1 in %2</translation>
    </message>
    <message>
        <source>%1, with your changes</source>
        <translation>%1, mit Ihren Änderungen</translation>
    </message>
    <message>
        <source>%1, as opened</source>
        <translation>%1, wie geöffnet</translation>
    </message>
    <message>
        <source>TVM runtime: %1</source>
        <translation>TVM-Laufzeit: %1</translation>
    </message>
    <message>
        <source>You have agreed to run exactly this content. Blobscope remembers this until you quit.</source>
        <translation>Sie haben der Ausführung genau dieses Inhalts zugestimmt. Blobscope merkt sich das, bis Sie es beenden.</translation>
    </message>
    <message>
        <source>The run executes the code of all these files in helper processes with your user rights.</source>
        <translation>Der Lauf führt den Code aller dieser Dateien in Hilfsprozessen mit Ihren Benutzerrechten aus.</translation>
    </message>
    <message>
        <source>The run executes code of %1 in a helper process with your user rights. A dry run executes host code too; it only skips the kernel launches.</source>
        <translation>Der Lauf führt Code von %1 in einem Hilfsprozess mit Ihren Benutzerrechten aus. Auch ein Probelauf führt Hostcode aus; nur die Kernel werden nicht gestartet.</translation>
    </message>
    <message>
        <source>Calculating the SHA-256…</source>
        <translation>SHA-256 wird berechnet…</translation>
    </message>
    <message>
        <source>SHA-256 %1</source>
        <translation>SHA-256 %1</translation>
    </message>
    <message>
        <source>I t&amp;rust all these files: run their code</source>
        <translation>I&amp;ch vertraue allen diesen Dateien: ihren Code ausführen</translation>
    </message>
    <message>
        <source>I t&amp;rust this file: run its code</source>
        <translation>I&amp;ch vertraue dieser Datei: ihren Code ausführen</translation>
    </message>
    <message>
        <source>The other library, which is not chosen yet</source>
        <translation>Die andere Bibliothek, die noch nicht gewählt ist</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::RunDialog</name>
    <message>
        <source>Run</source>
        <translation>Ausführen</translation>
    </message>
    <message>
        <source>Sizes</source>
        <translation>Größen</translation>
    </message>
    <message>
        <source>&amp;Launch</source>
        <translation>Sta&amp;rt</translation>
    </message>
    <message>
        <source>Grid</source>
        <translation>Grid</translation>
    </message>
    <message>
        <source>L&amp;imits</source>
        <translation>Grenz&amp;en</translation>
    </message>
    <message>
        <source>Time limit of one call in seconds</source>
        <translation>Zeitgrenze für einen Aufruf in Sekunden</translation>
    </message>
    <message>
        <source>&amp;Function</source>
        <translation>&amp;Funktion</translation>
    </message>
    <message>
        <source>Dry run: record the launches, use no device</source>
        <translation>Probelauf: Starts aufzeichnen, kein Gerät verwenden</translation>
    </message>
    <message>
        <source>On a device: run, show results, measure times</source>
        <translation>Auf einem Gerät: ausführen, Ergebnisse zeigen, Zeiten messen</translation>
    </message>
    <message>
        <source>Compare with the file as opened</source>
        <translation>Mit der Datei vergleichen, wie sie geöffnet wurde</translation>
    </message>
    <message>
        <source>Compare with another library…</source>
        <translation>Mit einer anderen Bibliothek vergleichen…</translation>
    </message>
    <message>
        <source>Mod&amp;e</source>
        <translation>&amp;Modus</translation>
    </message>
    <message>
        <source>A library with the same functions; its code runs too</source>
        <translation>Eine Bibliothek mit denselben Funktionen; auch ihr Code wird ausgeführt</translation>
    </message>
    <message>
        <source>Browse for the other library</source>
        <translation>Andere Bibliothek auswählen</translation>
    </message>
    <message>
        <source>&amp;Other library</source>
        <translation>&amp;Andere Bibliothek</translation>
    </message>
    <message>
        <source>The device that the library is built for</source>
        <translation>Das Gerät, für das die Bibliothek gebaut ist</translation>
    </message>
    <message>
        <source>&amp;Device</source>
        <translation>&amp;Gerät</translation>
    </message>
    <message>
        <source>Looking for devices…</source>
        <translation>Geräte werden gesucht…</translation>
    </message>
    <message>
        <source>not measured</source>
        <translation>nicht gemessen</translation>
    </message>
    <message>
        <source>&amp;Seed of random inputs</source>
        <translation>&amp;Startwert der Zufallseingaben</translation>
    </message>
    <message>
        <source>&amp;Measured runs</source>
        <translation>Gemessene Lä&amp;ufe</translation>
    </message>
    <message>
        <source>libtvm_runtime.so, its folder, or a Python environment with apache-tvm</source>
        <translation>libtvm_runtime.so, ihr Ordner oder eine Python-Umgebung mit apache-tvm</translation>
    </message>
    <message>
        <source>Browse for the TVM runtime</source>
        <translation>TVM-Laufzeit auswählen</translation>
    </message>
    <message>
        <source>&amp;TVM runtime</source>
        <translation>TVM-Lauf&amp;zeit</translation>
    </message>
    <message>
        <source>All functions (%1)</source>
        <translation>Alle Funktionen (%1)</translation>
    </message>
    <message>
        <source>%1 – whole model, with a TVM runtime</source>
        <translation>%1 – ganzes Modell, mit einer TVM-Laufzeit</translation>
    </message>
    <message>
        <source>%1 – single kernel (%2)</source>
        <translation>%1 – einzelner Kernel (%2)</translation>
    </message>
    <message>
        <source>CPU (host functions without kernels)</source>
        <translation>CPU (Hostfunktionen ohne Kernel)</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Missing: %1</source>
        <translation>Fehlt: %1</translation>
    </message>
    <message>
        <source>Missing on this machine: %1</source>
        <translation>Auf diesem Rechner fehlt: %1</translation>
    </message>
    <message>
        <source>Select the library to compare with</source>
        <translation>Bibliothek zum Vergleichen auswählen</translation>
    </message>
    <message>
        <source>Select an installed TVM runtime</source>
        <translation>Installierte TVM-Laufzeit auswählen</translation>
    </message>
    <message>
        <source>The file has no host function and no kernel that can be run.</source>
        <translation>Die Datei hat keine Hostfunktion und keinen Kernel, die ausgeführt werden können.</translation>
    </message>
    <message>
        <source>A single kernel needs a device. Dry runs are for host functions only.</source>
        <translation>Ein einzelner Kernel braucht ein Gerät. Probeläufe gibt es nur für Hostfunktionen.</translation>
    </message>
    <message>
        <source>A whole model cannot be run as a dry run.</source>
        <translation>Ein ganzes Modell kann nicht als Probelauf ausgeführt werden.</translation>
    </message>
    <message>
        <source>Choose the other library.</source>
        <translation>Wählen Sie die andere Bibliothek aus.</translation>
    </message>
    <message>
        <source>Choose an installed TVM runtime.</source>
        <translation>Wählen Sie eine installierte TVM-Laufzeit aus.</translation>
    </message>
    <message>
        <source>Run the code of %1 and %2</source>
        <translation>Code von %1 und %2 ausführen</translation>
    </message>
    <message>
        <source>Run the code of %1</source>
        <translation>Code von %1 ausführen</translation>
    </message>
    <message>
        <source>Only single kernels can be run here. %1</source>
        <translation>Hier können nur einzelne Kernel ausgeführt werden. %1</translation>
    </message>
    <message>
        <source>All drivers that the library needs are installed.</source>
        <translation>Alle Treiber, die die Bibliothek benötigt, sind installiert.</translation>
    </message>
    <message>
        <source>This file cannot be run here. %1</source>
        <translation>Diese Datei kann hier nicht ausgeführt werden. %1</translation>
    </message>
    <message>
        <source>The host functions can only be run as a dry run here. %1</source>
        <translation>Die Hostfunktionen können hier nur als Probelauf ausgeführt werden. %1</translation>
    </message>
    <message>
        <source>The graph of the model as a JSON file</source>
        <translation>Der Graph des Modells als JSON-Datei</translation>
    </message>
    <message>
        <source>The graph in the library, or another one as a JSON file</source>
        <translation>Der Graph in der Bibliothek oder ein anderer als JSON-Datei</translation>
    </message>
    <message>
        <source>Browse for the graph</source>
        <translation>Graph auswählen</translation>
    </message>
    <message>
        <source>Select the graph</source>
        <translation>Graph wählen</translation>
    </message>
    <message>
        <source>JSON files (*.json);;All files (*)</source>
        <translation>JSON-Dateien (*.json);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>&amp;Graph</source>
        <translation>&amp;Graph</translation>
    </message>
    <message>
        <source>A file of save_params or a folder of .npy files; optional</source>
        <translation>Eine Datei von save_params oder ein Ordner mit .npy-Dateien; optional</translation>
    </message>
    <message>
        <source>Browse for the parameters</source>
        <translation>Parameter auswählen</translation>
    </message>
    <message>
        <source>Select the parameters</source>
        <translation>Parameter wählen</translation>
    </message>
    <message>
        <source>Parameters (*.params *.bin);;All files (*)</source>
        <translation>Parameter (*.params *.bin);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>&amp;Parameters</source>
        <translation>&amp;Parameter</translation>
    </message>
    <message>
        <source>Shows statistics of each output and allows saving it. Outputs of more than 1 GiB in all are not kept.</source>
        <translation>Zeigt Statistiken jeder Ausgabe und erlaubt, sie zu speichern. Ausgaben von zusammen mehr als 1 GiB werden nicht aufgehoben.</translation>
    </message>
    <message>
        <source>%1 – whole model (%2)</source>
        <translation>%1 – ganzes Modell (%2)</translation>
    </message>
    <message>
        <source>Whole model</source>
        <translation>Ganzes Modell</translation>
    </message>
    <message>
        <source>Whole model – its graph is in a file</source>
        <translation>Ganzes Modell – sein Graph ist in einer Datei</translation>
    </message>
    <message>
        <source>A whole model cannot be run here. %1</source>
        <translation>Ein ganzes Modell kann hier nicht ausgeführt werden. %1</translation>
    </message>
    <message>
        <source>Reading the model…</source>
        <translation>Das Modell wird gelesen…</translation>
    </message>
    <message>
        <source>The library has no graph and no bytecode. Choose the graph of its model, a JSON file.</source>
        <translation>Die Bibliothek hat keinen Graphen und keinen Bytecode. Wählen Sie den Graphen ihres Modells, eine JSON-Datei.</translation>
    </message>
    <message>
        <source>The model has no such function.</source>
        <translation>Das Modell hat keine solche Funktion.</translation>
    </message>
    <message>
        <source>&amp;Keep the outputs of these nodes:</source>
        <translation>Ausgaben dieser &amp;Knoten behalten:</translation>
    </message>
    <message>
        <source>Nodes whose outputs are kept</source>
        <translation>Knoten, deren Ausgaben behalten werden</translation>
    </message>
    <message>
        <source>all; or names and numbers: add, 10-20</source>
        <translation>alle; oder Namen und Nummern: add, 10-20</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::RunHistoryModel</name>
    <message numerus="yes">
        <source>%n function(s)</source>
        <translation>
            <numerusform>%n Funktion</numerusform>
            <numerusform>%n Funktionen</numerusform>
        </translation>
    </message>
    <message>
        <source>all functions</source>
        <translation>alle Funktionen</translation>
    </message>
    <message>
        <source>dry run</source>
        <translation>Probelauf</translation>
    </message>
    <message>
        <source>changed file compared with the original</source>
        <translation>geänderte Datei im Vergleich mit dem Original</translation>
    </message>
    <message>
        <source>compared with %1</source>
        <translation>verglichen mit %1</translation>
    </message>
    <message>
        <source>with changes</source>
        <translation>mit Änderungen</translation>
    </message>
    <message>
        <source>whole model</source>
        <translation>ganzes Modell</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::RunInputsBox</name>
    <message>
        <source>Filled with: %1</source>
        <translation>Gefüllt mit: %1</translation>
    </message>
    <message>
        <source>scalar</source>
        <translation>Skalar</translation>
    </message>
    <message>
        <source>Fill from a file…</source>
        <translation>Aus einer Datei füllen…</translation>
    </message>
    <message>
        <source>&amp;Tensors</source>
        <translation>&amp;Tensoren</translation>
    </message>
    <message>
        <source>Fills the selected tensor from a NumPy file</source>
        <translation>Füllt den ausgewählten Tensor aus einer NumPy-Datei</translation>
    </message>
    <message>
        <source>Content of %1</source>
        <translation>Inhalt von %1</translation>
    </message>
    <message>
        <source>NumPy files (*.npy)</source>
        <translation>NumPy-Dateien (*.npy)</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::RunInputsModel</name>
    <message>
        <source>from a dry run</source>
        <translation>aus einem Probelauf</translation>
    </message>
    <message>
        <source>(output)</source>
        <translation>(Ausgabe)</translation>
    </message>
    <message>
        <source>Argument</source>
        <translation>Argument</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Typ</translation>
    </message>
    <message>
        <source>Type and shape, or value</source>
        <translation>Typ und Form oder Wert</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>Form</translation>
    </message>
    <message>
        <source>Filled with</source>
        <translation>Gefüllt mit</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::RunPanel</name>
    <message>
        <source>Results of the run</source>
        <translation>Ergebnisse des Laufs</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>Wird ausgeführt</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>Run again</source>
        <translation>Erneut ausführen</translation>
    </message>
    <message>
        <source>Repeats the last run with the current file</source>
        <translation>Wiederholt den letzten Lauf mit der aktuellen Datei</translation>
    </message>
    <message>
        <source>Options…</source>
        <translation>Optionen…</translation>
    </message>
    <message>
        <source>Opens the Run dialog with the options of this run</source>
        <translation>Öffnet den Dialog „Ausführen“ mit den Optionen dieses Laufs</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Exportieren…</translation>
    </message>
    <message>
        <source>Saves the results of this run as JSON</source>
        <translation>Speichert die Ergebnisse dieses Laufs als JSON</translation>
    </message>
    <message>
        <source>All functions</source>
        <translation>Alle Funktionen</translation>
    </message>
    <message>
        <source>Launches and functions</source>
        <translation>Starts und Funktionen</translation>
    </message>
    <message>
        <source>median</source>
        <translation>Median</translation>
    </message>
    <message>
        <source>edited</source>
        <translation>bearbeitet</translation>
    </message>
    <message>
        <source>this file</source>
        <translation>diese Datei</translation>
    </message>
    <message>
        <source>original</source>
        <translation>Original</translation>
    </message>
    <message>
        <source>reference</source>
        <translation>Referenz</translation>
    </message>
    <message>
        <source>A dry run measures no times. It records launches and uses no device.</source>
        <translation>Ein Probelauf misst keine Zeiten. Er zeichnet Starts auf und verwendet kein Gerät.</translation>
    </message>
    <message>
        <source>The times of this launch were not measured.</source>
        <translation>Die Zeiten dieses Starts wurden nicht gemessen.</translation>
    </message>
    <message>
        <source>No times were measured. Choose a number of measured runs in the options.</source>
        <translation>Es wurden keine Zeiten gemessen. Wählen Sie in den Optionen eine Anzahl gemessener Läufe.</translation>
    </message>
    <message>
        <source>The results of the run will appear here.</source>
        <translation>Die Ergebnisse des Laufs erscheinen hier.</translation>
    </message>
    <message>
        <source>There are no runs yet. Run… (F5) executes functions of the file in a helper process after you agree.</source>
        <translation>Es gibt noch keine Läufe. „Ausführen…“ (F5) führt nach Ihrer Zustimmung Funktionen der Datei in einem Hilfsprozess aus.</translation>
    </message>
    <message>
        <source>There are no runs. The file has no function that can be called.</source>
        <translation>Es gibt keine Läufe. Die Datei hat keine Funktion, die aufgerufen werden kann.</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Nodes</source>
        <translation>Knoten</translation>
    </message>
    <message>
        <source>Shows the nodes of the model in a tab</source>
        <translation>Zeigt die Knoten des Modells in einem Tab</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::RunResult</name>
    <message>
        <source>Times were not measured.</source>
        <translation>Zeiten wurden nicht gemessen.</translation>
    </message>
    <message>
        <source>No clear difference in time.</source>
        <translation>Kein deutlicher Unterschied in der Zeit.</translation>
    </message>
    <message>
        <source>New is %1 × faster.</source>
        <translation>Neu ist %1-mal so schnell.</translation>
    </message>
    <message>
        <source>New is %1 × slower.</source>
        <translation>Neu braucht %1-mal so lange.</translation>
    </message>
    <message>
        <source>There are no outputs to compare.</source>
        <translation>Es gibt keine Ausgaben zum Vergleichen.</translation>
    </message>
    <message>
        <source>The results are the same, bit for bit.</source>
        <translation>Die Ergebnisse sind Bit für Bit gleich.</translation>
    </message>
    <message>
        <source>The results are equal within %1.</source>
        <translation>Die Ergebnisse sind im Rahmen von %1 gleich.</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Typ</translation>
    </message>
    <message>
        <source>Max difference</source>
        <translation>Größter Unterschied</translation>
    </message>
    <message>
        <source>At</source>
        <translation>Stelle</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>Outputs of old and new</source>
        <translation>Ausgaben von alt und neu</translation>
    </message>
    <message>
        <source>Revert</source>
        <translation>Verwerfen</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>Old and new were not compared.</source>
        <translation>Alt und neu wurden nicht verglichen.</translation>
    </message>
    <message>
        <source>The results differ.</source>
        <translation>Die Ergebnisse unterscheiden sich.</translation>
    </message>
    <message>
        <source>old</source>
        <translation>alt</translation>
    </message>
    <message>
        <source>new</source>
        <translation>neu</translation>
    </message>
    <message>
        <source>Times of the kernel on %1, %2 runs each</source>
        <translation>Zeiten des Kernels auf %1, je %2 Läufe</translation>
    </message>
    <message>
        <source>Times of the whole call on %1, %2 runs each</source>
        <translation>Zeiten des ganzen Aufrufs auf %1, je %2 Läufe</translation>
    </message>
    <message>
        <source>Median %1 → %2 · quartiles %3 – %4 → %5 – %6</source>
        <translation>Median %1 → %2 · Quartile %3 – %4 → %5 – %6</translation>
    </message>
    <message>
        <source>same bits</source>
        <translation>gleiche Bits</translation>
    </message>
    <message>
        <source>equal</source>
        <translation>gleich</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::RunRowsModel</name>
    <message>
        <source>recorded</source>
        <translation>aufgezeichnet</translation>
    </message>
    <message>
        <source>run</source>
        <translation>ausgeführt</translation>
    </message>
    <message>
        <source>%1 (whole call)</source>
        <translation>%1 (ganzer Aufruf)</translation>
    </message>
    <message>
        <source>Median (µs)</source>
        <translation>Median (µs)</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>Kernel</source>
        <translation>Kernel</translation>
    </message>
    <message>
        <source>Grid</source>
        <translation>Grid</translation>
    </message>
    <message>
        <source>Block</source>
        <translation>Block</translation>
    </message>
    <message>
        <source>Shared (bytes)</source>
        <translation>Gemeinsam (Bytes)</translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>Argumente</translation>
    </message>
    <message>
        <source>Function</source>
        <translation>Funktion</translation>
    </message>
    <message>
        <source>Launches</source>
        <translation>Starts</translation>
    </message>
    <message>
        <source>Outputs</source>
        <translation>Ausgaben</translation>
    </message>
    <message>
        <source>Double-click the row to see its launches.</source>
        <translation>Ein Doppelklick auf die Zeile zeigt ihre Starts.</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::Running</name>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>The file cannot be run.</source>
        <translation>Die Datei kann nicht ausgeführt werden.</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Read signatures</source>
        <translation>Signaturen lesen</translation>
    </message>
    <message>
        <source>Each function of this library has code that returns its types. To read the signatures, this code runs in a helper process. The functions themselves are not called.</source>
        <translation>Jede Funktion dieser Bibliothek hat Code, der ihre Typen zurückgibt. Um die Signaturen zu lesen, wird dieser Code in einem Hilfsprozess ausgeführt. Die Funktionen selbst werden nicht aufgerufen.</translation>
    </message>
    <message>
        <source>The signatures could not be read.</source>
        <translation>Die Signaturen konnten nicht gelesen werden.</translation>
    </message>
    <message numerus="yes">
        <source>%n signature(s) (was|were) read.</source>
        <translation>
            <numerusform>%n Signatur wurde gelesen.</numerusform>
            <numerusform>%n Signaturen wurden gelesen.</numerusform>
        </translation>
    </message>
    <message>
        <source>The Functions page of the file shows them.</source>
        <translation>Die Seite „Funktionen“ der Datei zeigt sie.</translation>
    </message>
    <message>
        <source>%1 has no signature: %2</source>
        <translation>%1 hat keine Signatur: %2</translation>
    </message>
    <message>
        <source>%1 was not run.</source>
        <translation>%1 wurde nicht ausgeführt.</translation>
    </message>
    <message>
        <source>The file was overwritten after you agreed to run it. Reload it, look at the new content, and run it again.</source>
        <translation>Die Datei wurde nach Ihrer Zustimmung zur Ausführung überschrieben. Laden Sie sie neu, sehen Sie sich den neuen Inhalt an und führen Sie sie noch einmal aus.</translation>
    </message>
    <message>
        <source>Reload</source>
        <translation>Neu laden</translation>
    </message>
    <message>
        <source>Export the run</source>
        <translation>Lauf exportieren</translation>
    </message>
    <message>
        <source>JSON files (*.json)</source>
        <translation>JSON-Dateien (*.json)</translation>
    </message>
    <message>
        <source>Saved %1.</source>
        <translation>%1 wurde gespeichert.</translation>
    </message>
    <message>
        <source>%1 was not saved.</source>
        <translation>%1 wurde nicht gespeichert.</translation>
    </message>
    <message>
        <source>No file is open.</source>
        <translation>Es ist keine Datei geöffnet.</translation>
    </message>
    <message>
        <source>A run is in progress.</source>
        <translation>Ein Lauf ist im Gange.</translation>
    </message>
    <message>
        <source>An archive is not run itself. Choose Run, Build a library from the archive.</source>
        <translation>Ein Archiv wird nicht selbst ausgeführt. Wählen Sie „Ausführen“, „Bibliothek aus dem Archiv bauen“.</translation>
    </message>
    <message>
        <source>The file has no function and no kernel that can be run.</source>
        <translation>Die Datei hat keine Funktion und keinen Kernel, die ausgeführt werden können.</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::RuntimeDialog</name>
    <message>
        <source>Select the folder of a TVM runtime, or a Python environment</source>
        <translation>Ordner einer TVM-Laufzeit oder Python-Umgebung auswählen</translation>
    </message>
    <message>
        <source>Select a TVM runtime</source>
        <translation>TVM-Laufzeit auswählen</translation>
    </message>
    <message>
        <source>Runtimes (*.so *.so.* *.dll *.dylib *.wasm *.apk *.ipa *.whl);;All files (*)</source>
        <translation>Laufzeiten (*.so *.so.* *.dll *.dylib *.wasm *.apk *.ipa *.whl);;Alle Dateien (*)</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::SamplePlot</name>
    <message>
        <source>Measured times</source>
        <translation>Gemessene Zeiten</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s)</source>
        <translation>
            <numerusform>%n Lauf</numerusform>
            <numerusform>%n Läufe</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 median %2</source>
        <translation>%1 Median %2</translation>
    </message>
    <message>
        <source>Run %1: %2</source>
        <translation>Lauf %1: %2</translation>
    </message>
    <message>
        <source>run</source>
        <translation>Lauf</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::Saving</name>
    <message>
        <source>Save the bytes of %1</source>
        <translation>Bytes von %1 speichern</translation>
    </message>
    <message>
        <source>Save the tensor as a NumPy file</source>
        <translation>Tensor als NumPy-Datei speichern</translation>
    </message>
    <message>
        <source>NumPy files (*.npy)</source>
        <translation>NumPy-Dateien (*.npy)</translation>
    </message>
    <message>
        <source>Select where to create the export folder</source>
        <translation>Wählen Sie, wo der Exportordner angelegt wird</translation>
    </message>
    <message numerus="yes">
        <source>%n file(s), %1.</source>
        <translation>
            <numerusform>%n Datei, %1.</numerusform>
            <numerusform>%n Dateien, %1.</numerusform>
        </translation>
    </message>
    <message>
        <source>Saved %1.</source>
        <translation>%1 wurde gespeichert.</translation>
    </message>
    <message>
        <source>Open the folder</source>
        <translation>Ordner öffnen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>%1 was not saved.</source>
        <translation>%1 wurde nicht gespeichert.</translation>
    </message>
    <message>
        <source>Save the picture</source>
        <translation>Bild speichern</translation>
    </message>
    <message>
        <source>SVG files (*.svg)</source>
        <translation>SVG-Dateien (*.svg)</translation>
    </message>
    <message>
        <source>Select where to create the folder of the library</source>
        <translation>Ort für den Ordner der Bibliothek auswählen</translation>
    </message>
    <message>
        <source>The library opens in another window, where its model can be run.</source>
        <translation>Die Bibliothek wird in einem weiteren Fenster geöffnet; dort kann ihr Modell ausgeführt werden.</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::SearchModel</name>
    <message numerus="yes">
        <source>%n (match|matches)</source>
        <translation>
            <numerusform>%n Treffer</numerusform>
            <numerusform>%n Treffer</numerusform>
        </translation>
    </message>
    <message>
        <source>Where</source>
        <translation>Wo</translation>
    </message>
    <message>
        <source>Text around it</source>
        <translation>Umgebender Text</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::SearchPanel</name>
    <message>
        <source>%1 · %2 in %3</source>
        <translation>%1 · %2 in %3</translation>
    </message>
    <message>
        <source>file</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Find in the whole file</source>
        <translation>In der ganzen Datei suchen</translation>
    </message>
    <message>
        <source>Aa</source>
        <translation>Aa</translation>
    </message>
    <message>
        <source>Match case</source>
        <translation>Groß- und Kleinschreibung beachten</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Bytes in hex</source>
        <translation>Bytes in Hex</translation>
    </message>
    <message>
        <source>Regular expression</source>
        <translation>Regulärer Ausdruck</translation>
    </message>
    <message>
        <source>Kind of pattern</source>
        <translation>Art des Musters</translation>
    </message>
    <message>
        <source>Whole file</source>
        <translation>Ganze Datei</translation>
    </message>
    <message>
        <source>Where to search</source>
        <translation>Suchbereich</translation>
    </message>
    <message>
        <source>Search results</source>
        <translation>Suchergebnisse</translation>
    </message>
    <message>
        <source>Press Enter to search</source>
        <translation>Drücken Sie die Eingabetaste, um zu suchen</translation>
    </message>
    <message>
        <source>In %1</source>
        <translation>In %1</translation>
    </message>
    <message numerus="yes">
        <source>Cancelled after %n (match|matches)</source>
        <translation>
            <numerusform>Nach %n Treffer abgebrochen</numerusform>
            <numerusform>Nach %n Treffern abgebrochen</numerusform>
        </translation>
    </message>
    <message>
        <source>Searching</source>
        <translation>Es wird gesucht</translation>
    </message>
    <message numerus="yes">
        <source>The first %n matches are shown. blobscope-cli find lists all of them.</source>
        <translation>
            <numerusform>Der erste Treffer (%n) wird angezeigt. blobscope-cli find listet alle auf.</numerusform>
            <numerusform>Die ersten %n Treffer werden angezeigt. blobscope-cli find listet alle auf.</numerusform>
        </translation>
    </message>
    <message>
        <source>No matches</source>
        <translation>Keine Treffer</translation>
    </message>
    <message numerus="yes">
        <source>%n (match|matches)</source>
        <translation>
            <numerusform>%n Treffer</numerusform>
            <numerusform>%n Treffer</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>blobscope::ui::SessionKeeper</name>
    <message>
        <source>Blobscope ended while it opened the files of the last session.</source>
        <translation>Blobscope wurde beendet, während es die Dateien der letzten Sitzung öffnete.</translation>
    </message>
    <message>
        <source>Open them</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) of the last session (was|were) not found.</source>
        <translation>
            <numerusform>%n Datei der letzten Sitzung wurde nicht gefunden.</numerusform>
            <numerusform>%n Dateien der letzten Sitzung wurden nicht gefunden.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>blobscope::ui::SideEdge</name>
    <message>
        <source>Open %1</source>
        <translation>%1 öffnen</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::SizeBar</name>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>Sizes: %1</source>
        <translation>Größen: %1</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::SizeChangesModel</name>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>In</source>
        <translation>In</translation>
    </message>
    <message>
        <source>Bytes in A</source>
        <translation>Bytes in A</translation>
    </message>
    <message>
        <source>Bytes in B</source>
        <translation>Bytes in B</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>Unterschied</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::SizePage</name>
    <message>
        <source>How sizes are shown</source>
        <translation>Wie Größen gezeigt werden</translation>
    </message>
    <message>
        <source>Treemap</source>
        <translation>Flächen</translation>
    </message>
    <message>
        <source>Bars</source>
        <translation>Balken</translation>
    </message>
    <message>
        <source>Nested rectangles (Ctrl+T)</source>
        <translation>Verschachtelte Rechtecke (Strg+T)</translation>
    </message>
    <message>
        <source>A table (Ctrl+T)</source>
        <translation>Eine Tabelle (Strg+T)</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>Filtern</translation>
    </message>
    <message>
        <source>Filter items</source>
        <translation>Teile filtern</translation>
    </message>
    <message>
        <source>Save the picture (SVG, PNG) or the rows (CSV)</source>
        <translation>Das Bild (SVG, PNG) oder die Zeilen (CSV) speichern</translation>
    </message>
    <message>
        <source>Biggest items</source>
        <translation>Größte Teile</translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n item(s), %2 % of %3</source>
        <translation>
            <numerusform>%1 von %n Teil, %2 % von %3</numerusform>
            <numerusform>%1 von %n Teilen, %2 % von %3</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n item(s), %1</source>
        <translation>
            <numerusform>%n Teil, %1</numerusform>
            <numerusform>%n Teile, %1</numerusform>
        </translation>
    </message>
    <message>
        <source>Save the sizes</source>
        <translation>Größen speichern</translation>
    </message>
    <message>
        <source>Picture (*.svg)</source>
        <translation>Bild (*.svg)</translation>
    </message>
    <message>
        <source>Picture (*.png)</source>
        <translation>Bild (*.png)</translation>
    </message>
    <message>
        <source>Rows (*.csv)</source>
        <translation>Zeilen (*.csv)</translation>
    </message>
    <message>
        <source>Saved as %1.</source>
        <translation>Als %1 gespeichert.</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::SizePairPage</name>
    <message>
        <source>Sizes that differ</source>
        <translation>Größen, die sich unterscheiden</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::SizesRow</name>
    <message>
        <source>Size %1</source>
        <translation>Größe %1</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::StartPage</name>
    <message>
        <source>A small model for CUDA</source>
        <translation>Ein kleines Modell für CUDA</translation>
    </message>
    <message>
        <source>Relax VM, four kernels as PTX</source>
        <translation>Relax-VM, vier Kernel als PTX</translation>
    </message>
    <message>
        <source>The same model, rebuilt</source>
        <translation>Dasselbe Modell, neu gebaut</translation>
    </message>
    <message>
        <source>One kernel and one weight differ</source>
        <translation>Ein Kernel und ein Gewicht unterscheiden sich</translation>
    </message>
    <message>
        <source>The same model for OpenCL</source>
        <translation>Dasselbe Modell für OpenCL</translation>
    </message>
    <message>
        <source>Kernels as source</source>
        <translation>Kernel als Quelltext</translation>
    </message>
    <message>
        <source>The same model for the CPU</source>
        <translation>Dasselbe Modell für die CPU</translation>
    </message>
    <message>
        <source>Host functions only</source>
        <translation>Nur Hostfunktionen</translation>
    </message>
    <message>
        <source>A model for a microcontroller</source>
        <translation>Ein Modell für einen Mikrocontroller</translation>
    </message>
    <message>
        <source>Model Library Format archive with C sources</source>
        <translation>Archiv im Model Library Format mit C-Quelltexten</translation>
    </message>
    <message>
        <source>A damaged library</source>
        <translation>Eine beschädigte Bibliothek</translation>
    </message>
    <message>
        <source>Shows how damaged bytes are reported</source>
        <translation>Zeigt, wie beschädigte Bytes gemeldet werden</translation>
    </message>
    <message>
        <source>Start page</source>
        <translation>Startseite</translation>
    </message>
    <message>
        <source>Inspect the libraries that Apache TVM exports. Opening a file never executes it.</source>
        <translation>Untersuchen Sie Bibliotheken, die Apache TVM exportiert. Beim Öffnen wird eine Datei nie ausgeführt.</translation>
    </message>
    <message>
        <source>Drop a file here</source>
        <translation>Datei hier ablegen</translation>
    </message>
    <message>
        <source>.so  .dll  .dylib  .wasm  .o  .a  .tar  or a blob</source>
        <translation>.so  .dll  .dylib  .wasm  .o  .a  .tar  oder ein Blob</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>Öffnen…</translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>Zuletzt geöffnet</translation>
    </message>
    <message>
        <source>Clear list</source>
        <translation>Liste leeren</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>Beispiele</translation>
    </message>
    <message>
        <source>The samples are not installed.</source>
        <translation>Die Beispiele sind nicht installiert.</translation>
    </message>
    <message>
        <source>not found</source>
        <translation>nicht gefunden</translation>
    </message>
    <message>
        <source>Files that you open are listed here.</source>
        <translation>Dateien, die Sie öffnen, erscheinen hier.</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::StateText</name>
    <message>
        <source>loads</source>
        <translation>lädt</translation>
    </message>
    <message>
        <source>loads without modules</source>
        <translation>lädt ohne Module</translation>
    </message>
    <message>
        <source>loads, fails later at step %1</source>
        <translation>lädt, scheitert später bei Schritt %1</translation>
    </message>
    <message>
        <source>loads, fails later at step N</source>
        <translation>lädt, scheitert später bei Schritt N</translation>
    </message>
    <message>
        <source>fails at step %1</source>
        <translation>scheitert bei Schritt %1</translation>
    </message>
    <message>
        <source>fails at step N</source>
        <translation>scheitert bei Schritt N</translation>
    </message>
    <message>
        <source>crashes at step %1</source>
        <translation>stürzt bei Schritt %1 ab</translation>
    </message>
    <message>
        <source>crashes</source>
        <translation>stürzt ab</translation>
    </message>
    <message>
        <source>not needed</source>
        <translation>nicht nötig</translation>
    </message>
    <message>
        <source>not certain</source>
        <translation>nicht sicher</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::StatusLine</name>
    <message>
        <source>No file open</source>
        <translation>Keine Datei geöffnet</translation>
    </message>
    <message>
        <source>F1 Help  ·  Ctrl+O Open  ·  Ctrl+K Find or go to</source>
        <translation>F1 Hilfe  ·  Strg+O Öffnen  ·  Strg+K Suchen oder gehe zu</translation>
    </message>
    <message>
        <source>Host machine</source>
        <translation>Hostmaschine</translation>
    </message>
    <message>
        <source>Era</source>
        <translation>Ära</translation>
    </message>
    <message>
        <source>Host ABI</source>
        <translation>Host-ABI</translation>
    </message>
    <message>
        <source>Blob</source>
        <translation>Blob</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::StepsModel</name>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Offset</source>
        <translation>Offset</translation>
    </message>
    <message>
        <source>Size (bytes)</source>
        <translation>Größe (Bytes)</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>Grund</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::TableHead</name>
    <message>
        <source>Group by</source>
        <translation>Gruppieren nach</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>nichts</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::TableModel</name>
    <message>
        <source>Others</source>
        <translation>Andere</translation>
    </message>
    <message numerus="yes">
        <source>%n kernel(s)</source>
        <translation>
            <numerusform>%n Kernel</numerusform>
            <numerusform>%n Kernel</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n row(s)</source>
        <translation>
            <numerusform>%n Zeile</numerusform>
            <numerusform>%n Zeilen</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>blobscope::ui::TablePage</name>
    <message numerus="yes">
        <source>Filter %n row(s)</source>
        <translation>
            <numerusform>%n Zeile filtern</numerusform>
            <numerusform>%n Zeilen filtern</numerusform>
        </translation>
    </message>
    <message>
        <source>Filter rows</source>
        <translation>Zeilen filtern</translation>
    </message>
    <message>
        <source>Copy the selected rows, or all of them</source>
        <translation>Die ausgewählten Zeilen oder alle kopieren</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>Tabelle</translation>
    </message>
    <message numerus="yes">
        <source>%n row(s)</source>
        <translation>
            <numerusform>%n Zeile</numerusform>
            <numerusform>%n Zeilen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n row(s)</source>
        <translation>
            <numerusform>%1 von %n Zeile</numerusform>
            <numerusform>%1 von %n Zeilen</numerusform>
        </translation>
    </message>
    <message>
        <source>  ·  in stored order</source>
        <translation>  ·  in gespeicherter Reihenfolge</translation>
    </message>
    <message>
        <source>  ·  sorted by %1, largest first</source>
        <translation>  ·  sortiert nach %1, größte zuerst</translation>
    </message>
    <message>
        <source>  ·  sorted by %1, smallest first</source>
        <translation>  ·  sortiert nach %1, kleinste zuerst</translation>
    </message>
    <message>
        <source>  ·  sorted by %1, Z to A</source>
        <translation>  ·  sortiert nach %1, Z bis A</translation>
    </message>
    <message>
        <source>  ·  sorted by %1, A to Z</source>
        <translation>  ·  sortiert nach %1, A bis Z</translation>
    </message>
    <message>
        <source>  ·  hidden columns: %1</source>
        <translation>  ·  ausgeblendete Spalten: %1</translation>
    </message>
    <message>
        <source>At most %1 rows can be copied at once. blobscope-cli show writes all rows to a file.</source>
        <translation>Es können höchstens %1 Zeilen auf einmal kopiert werden. blobscope-cli show schreibt alle Zeilen in eine Datei.</translation>
    </message>
    <message>
        <source>Save the rows that are shown as CSV</source>
        <translation>Angezeigte Zeilen als CSV speichern</translation>
    </message>
    <message>
        <source>Height of the table</source>
        <translation>Höhe der Tabelle</translation>
    </message>
    <message>
        <source>Save the table</source>
        <translation>Tabelle speichern</translation>
    </message>
    <message>
        <source>CSV files (*.csv)</source>
        <translation>CSV-Dateien (*.csv)</translation>
    </message>
    <message>
        <source>Saved %1.</source>
        <translation>%1 wurde gespeichert.</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::TablePlots</name>
    <message>
        <source>Select a kernel to see its occupancy.</source>
        <translation>Wählen Sie einen Kernel aus, um seine Auslastung zu sehen.</translation>
    </message>
    <message>
        <source>Occupancy by</source>
        <translation>Auslastung nach</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::TargetLine</name>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::TargetStrip</name>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1: %2. %3</source>
        <translation>%1: %2. %3</translation>
    </message>
    <message>
        <source>%1 (chosen)</source>
        <translation>%1 (ausgewählt)</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::TargetsDialog</name>
    <message>
        <source>Targets</source>
        <translation>Ziele</translation>
    </message>
    <message>
        <source>Releases of TVM, newest first</source>
        <translation>Releases von TVM, neueste zuerst</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>Runtimes on disk</source>
        <translation>Installierte Laufzeiten</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Compare the libraries with</source>
        <translation>Die Bibliotheken vergleichen mit</translation>
    </message>
    <message>
        <source>No device</source>
        <translation>Kein Gerät</translation>
    </message>
    <message>
        <source>A device such as sm_90, sm_90,driver=580 or vulkan:1.3. If empty, devices are not compared.</source>
        <translation>Ein Gerät wie sm_90, sm_90,driver=580 oder vulkan:1.3. Ohne Angabe werden Geräte nicht verglichen.</translation>
    </message>
    <message>
        <source>Add file…</source>
        <translation>Datei hinzufügen…</translation>
    </message>
    <message>
        <source>Add folder…</source>
        <translation>Ordner hinzufügen…</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::TensorPairPage</name>
    <message>
        <source>[%1]: %2 → %3</source>
        <translation>[%1]: %2 → %3</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Hinweis</translation>
    </message>
    <message>
        <source>Not compared</source>
        <translation>Nicht verglichen</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>Werte</translation>
    </message>
    <message>
        <source>Values that differ</source>
        <translation>Abweichende Werte</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>%1 (%2 %)</source>
        <translation>%1 (%2 %)</translation>
    </message>
    <message>
        <source>Bytes that differ</source>
        <translation>Abweichende Bytes</translation>
    </message>
    <message>
        <source>Largest difference</source>
        <translation>Größte Differenz</translation>
    </message>
    <message>
        <source>%1 at %2</source>
        <translation>%1 bei %2</translation>
    </message>
    <message>
        <source>Largest relative difference</source>
        <translation>Größte relative Differenz</translation>
    </message>
    <message>
        <source>Mean difference</source>
        <translation>Mittlere Differenz</translation>
    </message>
    <message>
        <source>Root mean square</source>
        <translation>Quadratisches Mittel</translation>
    </message>
    <message>
        <source>First difference</source>
        <translation>Erste Abweichung</translation>
    </message>
    <message>
        <source>Values without a numeric difference</source>
        <translation>Werte ohne numerische Differenz</translation>
    </message>
    <message>
        <source>NaN</source>
        <translation>NaN</translation>
    </message>
    <message>
        <source>%1 in A, %2 in B</source>
        <translation>%1 in A, %2 in B</translation>
    </message>
    <message>
        <source>Infinities</source>
        <translation>Unendlich</translation>
    </message>
    <message>
        <source>Numbers of both tensors</source>
        <translation>Zahlen beider Tensoren</translation>
    </message>
    <message>
        <source>Differences by size</source>
        <translation>Differenzen nach Größe</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::TextPage</name>
    <message>
        <source>Line %1, column %2</source>
        <translation>Zeile %1, Spalte %2</translation>
    </message>
    <message>
        <source>Outline</source>
        <translation>Gliederung</translation>
    </message>
    <message>
        <source>Copy the selected text, or all of it</source>
        <translation>Den ausgewählten Text oder alles kopieren</translation>
    </message>
    <message>
        <source>Find in this text (Ctrl+F)</source>
        <translation>In diesem Text suchen (Strg+F)</translation>
    </message>
    <message>
        <source>%1, line %2</source>
        <translation>%1, Zeile %2</translation>
    </message>
    <message numerus="yes">
        <source>%1 · %n line(s) · %2</source>
        <translation>
            <numerusform>%1 · %n Zeile · %2</numerusform>
            <numerusform>%1 · %n Zeilen · %2</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Line</source>
        <translation>Zeile</translation>
    </message>
    <message>
        <source>Offset</source>
        <translation>Offset</translation>
    </message>
    <message>
        <source>Go to line</source>
        <translation>Zu Zeile gehen</translation>
    </message>
    <message>
        <source>Line, 1 to %1</source>
        <translation>Zeile, 1 bis %1</translation>
    </message>
    <message>
        <source>Wrap long lines (Alt+Z)</source>
        <translation>Lange Zeilen umbrechen (Alt+Z)</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::TextPairPage</name>
    <message>
        <source>Line %1 of %2</source>
        <translation>Zeile %1 von %2</translation>
    </message>
    <message>
        <source>Searches A</source>
        <translation>Durchsucht A</translation>
    </message>
    <message>
        <source>Searches B</source>
        <translation>Durchsucht B</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::TextPairView</name>
    <message>
        <source>no changes</source>
        <translation>keine Änderungen</translation>
    </message>
    <message numerus="yes">
        <source>%n change(s)</source>
        <translation>
            <numerusform>%n Änderung</numerusform>
            <numerusform>%n Änderungen</numerusform>
        </translation>
    </message>
    <message>
        <source>change %1 of %2</source>
        <translation>Änderung %1 von %2</translation>
    </message>
    <message numerus="yes">
        <source>%n equal line(s)</source>
        <translation>
            <numerusform>%n gleiche Zeile</numerusform>
            <numerusform>%n gleiche Zeilen</numerusform>
        </translation>
    </message>
    <message>
        <source>… %1 more characters in this line</source>
        <translation>… %1 weitere Zeichen in dieser Zeile</translation>
    </message>
    <message>
        <source>Both texts</source>
        <translation>Beide Texte</translation>
    </message>
    <message numerus="yes">
        <source>%n equal line(s), unfolded</source>
        <translation>
            <numerusform>%n gleiche Zeile, aufgeklappt</numerusform>
            <numerusform>%n gleiche Zeilen, aufgeklappt</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n equal line(s), folded</source>
        <translation>
            <numerusform>%n gleiche Zeile, gefaltet</numerusform>
            <numerusform>%n gleiche Zeilen, gefaltet</numerusform>
        </translation>
    </message>
    <message>
        <source>line %1: %2</source>
        <translation>Zeile %1: %2</translation>
    </message>
    <message>
        <source>line %1 only in A: %2</source>
        <translation>Zeile %1 nur in A: %2</translation>
    </message>
    <message>
        <source>line %1 only in B: %2</source>
        <translation>Zeile %1 nur in B: %2</translation>
    </message>
    <message>
        <source>line %1 changed, A: %2; line %3 of B: %4</source>
        <translation>Zeile %1 geändert, A: %2; Zeile %3 von B: %4</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy line</source>
        <translation>Zeile kopieren</translation>
    </message>
    <message>
        <source>Select all of A</source>
        <translation>Alles aus A auswählen</translation>
    </message>
    <message>
        <source>Select all of B</source>
        <translation>Alles aus B auswählen</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::TextView</name>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>line %1 of %2, column %3</source>
        <translation>Zeile %1 von %2, Spalte %3</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>Alles auswählen</translation>
    </message>
    <message numerus="yes">
        <source>%1, %n line(s) hidden below</source>
        <translation>
            <numerusform>%1, %n Zeile darunter eingeklappt</numerusform>
            <numerusform>%1, %n Zeilen darunter eingeklappt</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, in %2</source>
        <translation>%1, in %2</translation>
    </message>
    <message>
        <source>Go to definition</source>
        <translation>Zur Definition gehen</translation>
    </message>
    <message>
        <source>Go back</source>
        <translation>Zurückgehen</translation>
    </message>
    <message>
        <source>Fold</source>
        <translation>Einklappen</translation>
    </message>
    <message>
        <source>Unfold</source>
        <translation>Ausklappen</translation>
    </message>
    <message>
        <source>Fold all functions</source>
        <translation>Alle Funktionen einklappen</translation>
    </message>
    <message>
        <source>Unfold all</source>
        <translation>Alles ausklappen</translation>
    </message>
    <message>
        <source>Wrap long lines</source>
        <translation>Lange Zeilen umbrechen</translation>
    </message>
    <message numerus="yes">
        <source>… %n line(s)</source>
        <translation>
            <numerusform>… %n Zeile</numerusform>
            <numerusform>… %n Zeilen</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>blobscope::ui::ThinDialog</name>
    <message>
        <source>Thin</source>
        <translation>Reduzieren</translation>
    </message>
    <message>
        <source>Images that %1 keeps</source>
        <translation>Images, die %1 behält</translation>
    </message>
    <message>
        <source>Images</source>
        <translation>Images</translation>
    </message>
    <message>
        <source>Image</source>
        <translation>Image</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Place</source>
        <translation>Ort</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Remove images</source>
        <translation>Images entfernen</translation>
    </message>
    <message numerus="yes">
        <source>%n image(s)</source>
        <translation>
            <numerusform>%n Image</numerusform>
            <numerusform>%n Images</numerusform>
        </translation>
    </message>
    <message>
        <source>All images are kept.</source>
        <translation>Alle Images bleiben.</translation>
    </message>
    <message numerus="yes">
        <source>%n image(s) (is|are) removed; that saves %1 of %2.</source>
        <translation>
            <numerusform>%n Image wird entfernt; das spart %1 von %2.</numerusform>
            <numerusform>%n Images werden entfernt; das spart %1 von %2.</numerusform>
        </translation>
    </message>
    <message>
        <source>No longer runs on: %1</source>
        <translation>Läuft nicht mehr auf: %1</translation>
    </message>
    <message>
        <source>It still runs on the same GPUs.</source>
        <translation>Läuft weiterhin auf denselben GPUs.</translation>
    </message>
    <message>
        <source>From now on, the driver compiles PTX on: %1</source>
        <translation>Künftig übersetzt der Treiber PTX auf: %1</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::TimeHistogram</name>
    <message>
        <source>Times of old and new</source>
        <translation>Zeiten von alt und neu</translation>
    </message>
    <message numerus="yes">
        <source>%1: median %2, %n run(s)</source>
        <translation>
            <numerusform>%1: Median %2, %n Lauf</numerusform>
            <numerusform>%1: Median %2, %n Läufe</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>blobscope::ui::TreemapView</name>
    <message>
        <source>Treemap</source>
        <translation>Flächen</translation>
    </message>
    <message>
        <source>%1 more, %2</source>
        <translation>%1 weitere, %2</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Enter goes in, Backspace goes out</source>
        <translation>Eingabe geht hinein, Rücktaste hinaus</translation>
    </message>
    <message>
        <source>%1 more</source>
        <translation>%1 weitere</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::ValueGrid</name>
    <message>
        <source>Values</source>
        <translation>Werte</translation>
    </message>
    <message>
        <source>, before %1</source>
        <translation>, vorher %1</translation>
    </message>
    <message>
        <source>The selection has %1 values, but at most %2 can be copied at once.</source>
        <translation>Die Auswahl hat %1 Werte, aber höchstens %2 können auf einmal kopiert werden.</translation>
    </message>
    <message>
        <source>The copied values do not fit here.</source>
        <translation>Die kopierten Werte passen hier nicht.</translation>
    </message>
    <message>
        <source>At most %1 values can be pasted at once. Replace the tensor with a file instead.</source>
        <translation>Höchstens %1 Werte können auf einmal eingefügt werden. Ersetzen Sie den Tensor stattdessen durch eine Datei.</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>stored as %1</source>
        <translation>gespeichert als %1</translation>
    </message>
</context>
<context>
    <name>blobscope::ui::ValueHistogram</name>
    <message>
        <source>Histogram of the output</source>
        <translation>Histogramm der Ausgabe</translation>
    </message>
    <message>
        <source>From %1 to %2</source>
        <translation>Von %1 bis %2</translation>
    </message>
    <message>
        <source>line: A · bars: B</source>
        <translation>Linie: A · Balken: B</translation>
    </message>
</context>
<context>
    <name>core</name>
    <message>
        <source>About</source>
        <translation>Über</translation>
    </message>
    <message>
        <source>Bytecode</source>
        <translation>Bytecode</translation>
    </message>
    <message>
        <source>Calls</source>
        <translation>Aufrufe</translation>
    </message>
    <message>
        <source>Code object</source>
        <translation>Codeobjekt</translation>
    </message>
    <message>
        <source>Damage</source>
        <translation>Schäden</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>Disassembly</source>
        <translation>Disassemblierung</translation>
    </message>
    <message>
        <source>Documentation</source>
        <translation>Dokumentation</translation>
    </message>
    <message>
        <source>ELF</source>
        <translation>ELF</translation>
    </message>
    <message>
        <source>Embedded images</source>
        <translation>Eingebettete Images</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>Engine</translation>
    </message>
    <message>
        <source>entries</source>
        <translation>Entry-Funktionen</translation>
    </message>
    <message>
        <source>Entry points</source>
        <translation>Einsprungpunkte</translation>
    </message>
    <message>
        <source>Factory</source>
        <translation>Fabrik</translation>
    </message>
    <message>
        <source>Hex</source>
        <translation>Hex</translation>
    </message>
    <message>
        <source>Histogram</source>
        <translation>Histogramm</translation>
    </message>
    <message>
        <source>Imports</source>
        <translation>Importe</translation>
    </message>
    <message>
        <source>LLVM bitcode</source>
        <translation>LLVM-Bitcode</translation>
    </message>
    <message>
        <source>Library functions</source>
        <translation>Funktionen der Bibliothek</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Metal library</source>
        <translation>Metal-Bibliothek</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Numbers</source>
        <translation>Zahlen</translation>
    </message>
    <message>
        <source>Operators</source>
        <translation>Operatoren</translation>
    </message>
    <message>
        <source>Overview</source>
        <translation>Überblick</translation>
    </message>
    <message>
        <source>PTX</source>
        <translation>PTX</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>Probleme</translation>
    </message>
    <message>
        <source>Registered names</source>
        <translation>Registrierte Namen</translation>
    </message>
    <message>
        <source>SASS</source>
        <translation>SASS</translation>
    </message>
    <message>
        <source>SPIR-V</source>
        <translation>SPIR-V</translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation>Statistik</translation>
    </message>
    <message>
        <source>Subgraph</source>
        <translation>Teilgraph</translation>
    </message>
    <message>
        <source>Validation</source>
        <translation>Validierung</translation>
    </message>
    <message>
        <source>.const</source>
        <translation>.const</translation>
    </message>
    <message>
        <source>.global</source>
        <translation>.global</translation>
    </message>
    <message>
        <source>.shared</source>
        <translation>.shared</translation>
    </message>
    <message>
        <source>ABI</source>
        <translation>ABI</translation>
    </message>
    <message>
        <source>ABI version</source>
        <translation>ABI-Version</translation>
    </message>
    <message>
        <source>AGPRs</source>
        <translation>AGPRs</translation>
    </message>
    <message>
        <source>CPU type</source>
        <translation>CPU-Typ</translation>
    </message>
    <message>
        <source>CUDA API version</source>
        <translation>CUDA-API-Version</translation>
    </message>
    <message>
        <source>DSP version</source>
        <translation>DSP-Version</translation>
    </message>
    <message>
        <source>LDS bytes</source>
        <translation>LDS-Bytes</translation>
    </message>
    <message>
        <source>SGPRs</source>
        <translation>SGPRs</translation>
    </message>
    <message>
        <source>SHA-256</source>
        <translation>SHA-256</translation>
    </message>
    <message>
        <source>SRAM ECC</source>
        <translation>SRAM-ECC</translation>
    </message>
    <message>
        <source>VGPRs</source>
        <translation>VGPRs</translation>
    </message>
    <message>
        <source>XNACK</source>
        <translation>XNACK</translation>
    </message>
    <message>
        <source>access</source>
        <translation>Zugriff</translation>
    </message>
    <message>
        <source>address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>address size</source>
        <translation>Adressgröße</translation>
    </message>
    <message>
        <source>address space</source>
        <translation>Adressraum</translation>
    </message>
    <message>
        <source>addressing model</source>
        <translation>Adressierungsmodell</translation>
    </message>
    <message>
        <source>architecture</source>
        <translation>Architektur</translation>
    </message>
    <message>
        <source>argument</source>
        <translation>Argument</translation>
    </message>
    <message>
        <source>argument %1</source>
        <translation>Argument %1</translation>
    </message>
    <message>
        <source>argument bytes</source>
        <translation>Bytes der Argumente</translation>
    </message>
    <message>
        <source>attributes</source>
        <translation>Attribute</translation>
    </message>
    <message>
        <source>barriers</source>
        <translation>Barrieren</translation>
    </message>
    <message>
        <source>batch size</source>
        <translation>Batchgröße</translation>
    </message>
    <message>
        <source>binary</source>
        <translation>Binärdatei</translation>
    </message>
    <message>
        <source>binding</source>
        <translation>Bindung</translation>
    </message>
    <message>
        <source>bitcode at</source>
        <translation>Bitcode bei</translation>
    </message>
    <message>
        <source>bitcode bytes</source>
        <translation>Bytes des Bitcodes</translation>
    </message>
    <message>
        <source>bitcode size</source>
        <translation>Bitcodegröße</translation>
    </message>
    <message>
        <source>bits</source>
        <translation>Bits</translation>
    </message>
    <message>
        <source>blob</source>
        <translation>Blob</translation>
    </message>
    <message>
        <source>blob at</source>
        <translation>Blob bei</translation>
    </message>
    <message>
        <source>block</source>
        <translation>Block</translation>
    </message>
    <message>
        <source>blocks per multiprocessor</source>
        <translation>Blöcke je Multiprozessor</translation>
    </message>
    <message>
        <source>body bytes</source>
        <translation>Bytes des Rumpfs</translation>
    </message>
    <message>
        <source>bound later by name</source>
        <translation>später gebunden, über den Namen</translation>
    </message>
    <message>
        <source>id bound</source>
        <translation>ID-Obergrenze</translation>
    </message>
    <message>
        <source>build</source>
        <translation>Build</translation>
    </message>
    <message>
        <source>byte</source>
        <translation>Byte</translation>
    </message>
    <message>
        <source>byte order</source>
        <translation>Bytereihenfolge</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>called by</source>
        <translation>aufgerufen von</translation>
    </message>
    <message>
        <source>caller</source>
        <translation>Aufrufer</translation>
    </message>
    <message>
        <source>calls</source>
        <translation>ruft auf</translation>
    </message>
    <message>
        <source>capabilities</source>
        <translation>Capabilities</translation>
    </message>
    <message>
        <source>carrier</source>
        <translation>Carrier</translation>
    </message>
    <message>
        <source>class</source>
        <translation>Klasse</translation>
    </message>
    <message>
        <source>cluster</source>
        <translation>Cluster</translation>
    </message>
    <message>
        <source>code</source>
        <translation>Code</translation>
    </message>
    <message>
        <source>code at</source>
        <translation>Code bei</translation>
    </message>
    <message>
        <source>code bytes</source>
        <translation>Bytes des Codes</translation>
    </message>
    <message>
        <source>code object version</source>
        <translation>Codeobjektversion</translation>
    </message>
    <message>
        <source>command line</source>
        <translation>Befehlszeile</translation>
    </message>
    <message>
        <source>compiled as</source>
        <translation>kompiliert als</translation>
    </message>
    <message>
        <source>compiler</source>
        <translation>Compiler</translation>
    </message>
    <message>
        <source>compression</source>
        <translation>Komprimierung</translation>
    </message>
    <message>
        <source>container</source>
        <translation>Container</translation>
    </message>
    <message>
        <source>content</source>
        <translation>Inhalt</translation>
    </message>
    <message>
        <source>count</source>
        <translation>Anzahl</translation>
    </message>
    <message>
        <source>data layout</source>
        <translation>Datenlayout</translation>
    </message>
    <message>
        <source>declared format</source>
        <translation>Codeformat</translation>
    </message>
    <message>
        <source>defined in</source>
        <translation>definiert in</translation>
    </message>
    <message>
        <source>descriptor bindings</source>
        <translation>Deskriptorbindungen</translation>
    </message>
    <message>
        <source>descriptor sets</source>
        <translation>Deskriptorsätze</translation>
    </message>
    <message>
        <source>details</source>
        <translation>Einzelheiten</translation>
    </message>
    <message>
        <source>device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>device id</source>
        <translation>Geräte-ID</translation>
    </message>
    <message>
        <source>device type</source>
        <translation>Gerätetyp</translation>
    </message>
    <message>
        <source>difference %1</source>
        <translation>Differenz %1</translation>
    </message>
    <message>
        <source>difference below %1e-%2</source>
        <translation>Differenz unter %1e-%2</translation>
    </message>
    <message>
        <source>difference %1e-%2 to %3e-%4</source>
        <translation>Differenz %1e-%2 bis %3e-%4</translation>
    </message>
    <message>
        <source>difference %1e-%2 to %3</source>
        <translation>Differenz %1e-%2 bis %3</translation>
    </message>
    <message>
        <source>difference %1 to %2</source>
        <translation>Differenz %1 bis %2</translation>
    </message>
    <message>
        <source>difference %1 and more</source>
        <translation>Differenz ab %1</translation>
    </message>
    <message>
        <source>directives</source>
        <translation>Direktiven</translation>
    </message>
    <message>
        <source>dtype</source>
        <translation>Datentyp</translation>
    </message>
    <message>
        <source>dynamic shared</source>
        <translation>dynamisch gemeinsam</translation>
    </message>
    <message>
        <source>element %1</source>
        <translation>Element %1</translation>
    </message>
    <message>
        <source>elements</source>
        <translation>Elemente</translation>
    </message>
    <message>
        <source>entry point</source>
        <translation>Einsprungpunkt</translation>
    </message>
    <message>
        <source>epoch</source>
        <translation>Epoche</translation>
    </message>
    <message>
        <source>era</source>
        <translation>Ära</translation>
    </message>
    <message>
        <source>error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>executable</source>
        <translation>ausführbares Programm</translation>
    </message>
    <message>
        <source>execution model</source>
        <translation>Ausführungsmodell</translation>
    </message>
    <message>
        <source>executor</source>
        <translation>Executor</translation>
    </message>
    <message>
        <source>export path</source>
        <translation>Exportpfad</translation>
    </message>
    <message>
        <source>exported at</source>
        <translation>exportiert am</translation>
    </message>
    <message>
        <source>exported by</source>
        <translation>exportiert von</translation>
    </message>
    <message>
        <source>extensions</source>
        <translation>Erweiterungen</translation>
    </message>
    <message>
        <source>fact</source>
        <translation>Angabe</translation>
    </message>
    <message>
        <source>field</source>
        <translation>Feld</translation>
    </message>
    <message>
        <source>file</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>file size</source>
        <translation>Dateigröße</translation>
    </message>
    <message>
        <source>files</source>
        <translation>Dateien</translation>
    </message>
    <message>
        <source>finding</source>
        <translation>Befund</translation>
    </message>
    <message>
        <source>findings</source>
        <translation>Befunde</translation>
    </message>
    <message>
        <source>flags</source>
        <translation>Flags</translation>
    </message>
    <message>
        <source>folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>follows from</source>
        <translation>Folge von</translation>
    </message>
    <message>
        <source>form</source>
        <translation>Form</translation>
    </message>
    <message>
        <source>format</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>found instead</source>
        <translation>stattdessen gefunden</translation>
    </message>
    <message>
        <source>from</source>
        <translation>von</translation>
    </message>
    <message>
        <source>function</source>
        <translation>Funktion</translation>
    </message>
    <message>
        <source>function list</source>
        <translation>Funktionsliste</translation>
    </message>
    <message>
        <source>functions</source>
        <translation>Funktionen</translation>
    </message>
    <message>
        <source>generator</source>
        <translation>Generator</translation>
    </message>
    <message>
        <source>generic version</source>
        <translation>generische Version</translation>
    </message>
    <message>
        <source>globals</source>
        <translation>globale Namen</translation>
    </message>
    <message>
        <source>graph</source>
        <translation>Graph</translation>
    </message>
    <message>
        <source>graph node</source>
        <translation>Graphknoten</translation>
    </message>
    <message>
        <source>grid</source>
        <translation>Grid</translation>
    </message>
    <message>
        <source>group</source>
        <translation>Gruppe</translation>
    </message>
    <message>
        <source>host ABI</source>
        <translation>Host-ABI</translation>
    </message>
    <message>
        <source>host code</source>
        <translation>Hostcode</translation>
    </message>
    <message>
        <source>host functions</source>
        <translation>Hostfunktionen</translation>
    </message>
    <message>
        <source>host machine</source>
        <translation>Hostmaschine</translation>
    </message>
    <message>
        <source>id</source>
        <translation>Kennung</translation>
    </message>
    <message>
        <source>identifier</source>
        <translation>Bezeichner</translation>
    </message>
    <message>
        <source>import tree</source>
        <translation>Importbaum</translation>
    </message>
    <message>
        <source>imported by</source>
        <translation>importiert von</translation>
    </message>
    <message>
        <source>imported through</source>
        <translation>importiert über</translation>
    </message>
    <message>
        <source>imports</source>
        <translation>importiert</translation>
    </message>
    <message>
        <source>index</source>
        <translation>Index</translation>
    </message>
    <message>
        <source>infinite</source>
        <translation>unendlich</translation>
    </message>
    <message>
        <source>infinities</source>
        <translation>Unendlich</translation>
    </message>
    <message>
        <source>info</source>
        <translation>Info</translation>
    </message>
    <message>
        <source>input bytes</source>
        <translation>Bytes der Eingaben</translation>
    </message>
    <message>
        <source>inputs</source>
        <translation>Eingaben</translation>
    </message>
    <message>
        <source>instruction sets</source>
        <translation>Befehlssätze</translation>
    </message>
    <message>
        <source>instructions</source>
        <translation>Befehle</translation>
    </message>
    <message>
        <source>interface variables</source>
        <translation>Schnittstellenvariablen</translation>
    </message>
    <message>
        <source>JSON pointer</source>
        <translation>JSON-Zeiger</translation>
    </message>
    <message>
        <source>kernel</source>
        <translation>Kernel</translation>
    </message>
    <message>
        <source>kernels</source>
        <translation>Kernel</translation>
    </message>
    <message>
        <source>kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>known</source>
        <translation>bekannt</translation>
    </message>
    <message>
        <source>lanes</source>
        <translation>Lanes</translation>
    </message>
    <message>
        <source>largest</source>
        <translation>größter Wert</translation>
    </message>
    <message>
        <source>largest block</source>
        <translation>größter Block</translation>
    </message>
    <message>
        <source>largest cluster</source>
        <translation>größter Cluster</translation>
    </message>
    <message>
        <source>largest workgroup</source>
        <translation>größte Arbeitsgruppe</translation>
    </message>
    <message>
        <source>launch</source>
        <translation>Start</translation>
    </message>
    <message>
        <source>launch constants</source>
        <translation>Startkonstanten</translation>
    </message>
    <message>
        <source>launch parameters</source>
        <translation>Startparameter</translation>
    </message>
    <message>
        <source>launched by</source>
        <translation>gestartet von</translation>
    </message>
    <message>
        <source>launches</source>
        <translation>startet</translation>
    </message>
    <message>
        <source>layout</source>
        <translation>Layout</translation>
    </message>
    <message>
        <source>length</source>
        <translation>Länge</translation>
    </message>
    <message>
        <source>line</source>
        <translation>Zeile</translation>
    </message>
    <message>
        <source>link</source>
        <translation>Verweis</translation>
    </message>
    <message>
        <source>linkage</source>
        <translation>Linken</translation>
    </message>
    <message>
        <source>local size</source>
        <translation>lokale Größe</translation>
    </message>
    <message>
        <source>machine</source>
        <translation>Maschine</translation>
    </message>
    <message>
        <source>max abs error</source>
        <translation>max. abs. Fehler</translation>
    </message>
    <message>
        <source>max block</source>
        <translation>größter Block</translation>
    </message>
    <message>
        <source>max block threads</source>
        <translation>Threads im größten Block</translation>
    </message>
    <message>
        <source>max rel error</source>
        <translation>max. rel. Fehler</translation>
    </message>
    <message>
        <source>max ULP</source>
        <translation>max. ULP</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>Mittelwert</translation>
    </message>
    <message>
        <source>meaning</source>
        <translation>Bedeutung</translation>
    </message>
    <message>
        <source>member</source>
        <translation>Eintrag</translation>
    </message>
    <message>
        <source>members</source>
        <translation>Einträge</translation>
    </message>
    <message>
        <source>memory model</source>
        <translation>Speichermodell</translation>
    </message>
    <message>
        <source>memory scope</source>
        <translation>Speicherbereich</translation>
    </message>
    <message>
        <source>message</source>
        <translation>Meldung</translation>
    </message>
    <message>
        <source>metadata</source>
        <translation>Metadaten</translation>
    </message>
    <message>
        <source>metadata version</source>
        <translation>Metadatenversion</translation>
    </message>
    <message>
        <source>min, max</source>
        <translation>Minimum, Maximum</translation>
    </message>
    <message>
        <source>module</source>
        <translation>Modul</translation>
    </message>
    <message>
        <source>module name</source>
        <translation>Modulname</translation>
    </message>
    <message>
        <source>module version</source>
        <translation>Modulversion</translation>
    </message>
    <message>
        <source>modules</source>
        <translation>Module</translation>
    </message>
    <message>
        <source>NaN</source>
        <translation>NaN</translation>
    </message>
    <message>
        <source>name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>names of constants</source>
        <translation>Namen der Konstanten</translation>
    </message>
    <message>
        <source>needed library</source>
        <translation>benötigte Bibliothek</translation>
    </message>
    <message>
        <source>needs</source>
        <translation>benötigt</translation>
    </message>
    <message>
        <source>network</source>
        <translation>Netz</translation>
    </message>
    <message>
        <source>networks</source>
        <translation>Netze</translation>
    </message>
    <message>
        <source>nodes</source>
        <translation>Knoten</translation>
    </message>
    <message>
        <source>not written</source>
        <translation>nicht geschrieben</translation>
    </message>
    <message>
        <source>note</source>
        <translation>Hinweis</translation>
    </message>
    <message>
        <source>number</source>
        <translation>Nummer</translation>
    </message>
    <message>
        <source>objects for</source>
        <translation>Objekte für</translation>
    </message>
    <message>
        <source>offset</source>
        <translation>Offset</translation>
    </message>
    <message>
        <source>offset in blob</source>
        <translation>Offset (Blob)</translation>
    </message>
    <message>
        <source>offset in data</source>
        <translation>Offset (Daten)</translation>
    </message>
    <message>
        <source>offset in file</source>
        <translation>Offset (Datei)</translation>
    </message>
    <message>
        <source>op</source>
        <translation>Op</translation>
    </message>
    <message>
        <source>operator functions</source>
        <translation>Operatorfunktionen</translation>
    </message>
    <message>
        <source>options</source>
        <translation>Optionen</translation>
    </message>
    <message>
        <source>output bytes</source>
        <translation>Bytes der Ausgaben</translation>
    </message>
    <message>
        <source>outputs</source>
        <translation>Ausgaben</translation>
    </message>
    <message>
        <source>parameter</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>parameter %1</source>
        <translation>Parameter %1</translation>
    </message>
    <message>
        <source>parameter bytes</source>
        <translation>Bytes der Parameter</translation>
    </message>
    <message>
        <source>parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>part of</source>
        <translation>Teil von</translation>
    </message>
    <message>
        <source>part&apos;s place</source>
        <translation>Ort des Teils</translation>
    </message>
    <message>
        <source>path</source>
        <translation>Pfad</translation>
    </message>
    <message>
        <source>payload</source>
        <translation>Nutzdaten</translation>
    </message>
    <message>
        <source>payload bytes</source>
        <translation>Bytes der Nutzdaten</translation>
    </message>
    <message>
        <source>place</source>
        <translation>Ort</translation>
    </message>
    <message>
        <source>platform</source>
        <translation>Plattform</translation>
    </message>
    <message>
        <source>primitives</source>
        <translation>Primitive</translation>
    </message>
    <message>
        <source>printed text</source>
        <translation>ausgegebener Text</translation>
    </message>
    <message>
        <source>private metadata</source>
        <translation>private Metadaten</translation>
    </message>
    <message>
        <source>privileges</source>
        <translation>Rechte</translation>
    </message>
    <message>
        <source>processes</source>
        <translation>Prozesse</translation>
    </message>
    <message>
        <source>processor</source>
        <translation>Prozessor</translation>
    </message>
    <message>
        <source>producer</source>
        <translation>Erzeuger</translation>
    </message>
    <message>
        <source>public metadata</source>
        <translation>öffentliche Metadaten</translation>
    </message>
    <message>
        <source>quantization</source>
        <translation>Quantisierung</translation>
    </message>
    <message>
        <source>RAM</source>
        <translation>RAM</translation>
    </message>
    <message>
        <source>ROM</source>
        <translation>ROM</translation>
    </message>
    <message>
        <source>actual access</source>
        <translation>tatsächlicher Zugriff</translation>
    </message>
    <message>
        <source>register cap</source>
        <translation>Registergrenze</translation>
    </message>
    <message>
        <source>registers</source>
        <translation>Register</translation>
    </message>
    <message>
        <source>registers per thread</source>
        <translation>Register je Thread</translation>
    </message>
    <message>
        <source>relation</source>
        <translation>Beziehung</translation>
    </message>
    <message>
        <source>required block</source>
        <translation>verlangter Block</translation>
    </message>
    <message>
        <source>required workgroup</source>
        <translation>verlangte Arbeitsgruppe</translation>
    </message>
    <message>
        <source>reserved</source>
        <translation>reserviert</translation>
    </message>
    <message>
        <source>resources</source>
        <translation>Ressourcen</translation>
    </message>
    <message>
        <source>result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>role</source>
        <translation>Rolle</translation>
    </message>
    <message>
        <source>rule</source>
        <translation>Regel</translation>
    </message>
    <message>
        <source>rules</source>
        <translation>Regeln</translation>
    </message>
    <message>
        <source>run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>runs on</source>
        <translation>läuft auf</translation>
    </message>
    <message>
        <source>runtime</source>
        <translation>Laufzeit</translation>
    </message>
    <message>
        <source>runtimes</source>
        <translation>Laufzeiten</translation>
    </message>
    <message>
        <source>scratch bytes</source>
        <translation>Scratch-Bytes</translation>
    </message>
    <message>
        <source>section</source>
        <translation>Abschnitt</translation>
    </message>
    <message>
        <source>sections</source>
        <translation>Abschnitte</translation>
    </message>
    <message>
        <source>seed</source>
        <translation>Startwert</translation>
    </message>
    <message>
        <source>severity</source>
        <translation>Schweregrad</translation>
    </message>
    <message>
        <source>shape</source>
        <translation>Form</translation>
    </message>
    <message>
        <source>shared</source>
        <translation>gemeinsam</translation>
    </message>
    <message>
        <source>shared bytes</source>
        <translation>gemeinsame Bytes</translation>
    </message>
    <message>
        <source>shared memory</source>
        <translation>gemeinsamer Speicher</translation>
    </message>
    <message>
        <source>signature</source>
        <translation>Signatur</translation>
    </message>
    <message>
        <source>size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>sizes</source>
        <translation>Größen</translation>
    </message>
    <message>
        <source>smallest</source>
        <translation>kleinster Wert</translation>
    </message>
    <message>
        <source>soname</source>
        <translation>soname</translation>
    </message>
    <message>
        <source>source</source>
        <translation>Quelltext</translation>
    </message>
    <message>
        <source>source file</source>
        <translation>Quelldatei</translation>
    </message>
    <message>
        <source>source language</source>
        <translation>Quellsprache</translation>
    </message>
    <message>
        <source>spilled SGPRs</source>
        <translation>ausgelagerte SGPRs</translation>
    </message>
    <message>
        <source>spilled VGPRs</source>
        <translation>ausgelagerte VGPRs</translation>
    </message>
    <message>
        <source>stack</source>
        <translation>Stapel</translation>
    </message>
    <message>
        <source>stack bytes</source>
        <translation>Bytes des Stapels</translation>
    </message>
    <message>
        <source>stack per thread</source>
        <translation>Stapel je Thread</translation>
    </message>
    <message>
        <source>standard deviation</source>
        <translation>Standardabweichung</translation>
    </message>
    <message>
        <source>state</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>static shared memory per block</source>
        <translation>statischer gemeinsamer Speicher je Block</translation>
    </message>
    <message>
        <source>storage</source>
        <translation>Speicherplatz</translation>
    </message>
    <message>
        <source>stored bytes</source>
        <translation>gespeicherte Bytes</translation>
    </message>
    <message>
        <source>stream</source>
        <translation>Strom</translation>
    </message>
    <message>
        <source>sum</source>
        <translation>Summe</translation>
    </message>
    <message>
        <source>symbol</source>
        <translation>Symbol</translation>
    </message>
    <message>
        <source>symbols</source>
        <translation>Symbole</translation>
    </message>
    <message>
        <source>system</source>
        <translation>System</translation>
    </message>
    <message>
        <source>table</source>
        <translation>Tabelle</translation>
    </message>
    <message>
        <source>tag</source>
        <translation>Tag</translation>
    </message>
    <message>
        <source>tag content</source>
        <translation>Inhalt des Tags</translation>
    </message>
    <message>
        <source>target</source>
        <translation>Ziel</translation>
    </message>
    <message>
        <source>target triple</source>
        <translation>Zieltripel</translation>
    </message>
    <message>
        <source>targets</source>
        <translation>Ziele</translation>
    </message>
    <message>
        <source>tensors</source>
        <translation>Tensoren</translation>
    </message>
    <message>
        <source>text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>times compared</source>
        <translation>Zeiten im Vergleich</translation>
    </message>
    <message>
        <source>to</source>
        <translation>bis</translation>
    </message>
    <message>
        <source>tolerance</source>
        <translation>Toleranz</translation>
    </message>
    <message>
        <source>took</source>
        <translation>Dauer</translation>
    </message>
    <message>
        <source>toolkit</source>
        <translation>Toolkit</translation>
    </message>
    <message>
        <source>tools</source>
        <translation>Werkzeuge</translation>
    </message>
    <message>
        <source>type</source>
        <translation>Typ</translation>
    </message>
    <message>
        <source>unpacked bytes</source>
        <translation>entpackte Bytes</translation>
    </message>
    <message>
        <source>uses</source>
        <translation>verwendet</translation>
    </message>
    <message>
        <source>value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>values</source>
        <translation>Werte</translation>
    </message>
    <message>
        <source>variables</source>
        <translation>Variablen</translation>
    </message>
    <message>
        <source>verdict</source>
        <translation>Urteil</translation>
    </message>
    <message>
        <source>version</source>
        <translation>Version</translation>
    </message>
    <message>
        <source>wavefront</source>
        <translation>Wavefront</translation>
    </message>
    <message>
        <source>weight types</source>
        <translation>Datentypen der Gewichte</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>weights in memory</source>
        <translation>Gewichte im Speicher</translation>
    </message>
    <message>
        <source>what</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>what to do</source>
        <translation>Abhilfe</translation>
    </message>
    <message>
        <source>word</source>
        <translation>Wort</translation>
    </message>
    <message>
        <source>workspace</source>
        <translation>Arbeitsspeicher</translation>
    </message>
    <message>
        <source>zeros</source>
        <translation>Nullen</translation>
    </message>
    <message>
        <source>Members, %1</source>
        <translation>Einträge, %1</translation>
    </message>
    <message>
        <source>Arguments, %1</source>
        <translation>Argumente, %1</translation>
    </message>
    <message>
        <source>Launch parameters, %1</source>
        <translation>Startparameter, %1</translation>
    </message>
    <message>
        <source>Calls, %1</source>
        <translation>Aufrufe, %1</translation>
    </message>
    <message>
        <source>Called by, %1</source>
        <translation>Aufgerufen von, %1</translation>
    </message>
    <message>
        <source>Launches, %1</source>
        <translation>Startet, %1</translation>
    </message>
    <message>
        <source>Launched by, %1</source>
        <translation>Gestartet von, %1</translation>
    </message>
    <message>
        <source>Bytes as</source>
        <translation>Bytes als</translation>
    </message>
    <message>
        <source>image</source>
        <translation>Image</translation>
    </message>
    <message>
        <source>constant</source>
        <translation>Konstante</translation>
    </message>
    <message>
        <source>warning</source>
        <translation>Warnung</translation>
    </message>
    <message>
        <source>%1 more in Contents.</source>
        <translation>%1 weitere unter „Inhalt“.</translation>
    </message>
    <message>
        <source>%1 more in Fields.</source>
        <translation>%1 weitere unter „Felder“.</translation>
    </message>
    <message>
        <source>%1 more in Calls.</source>
        <translation>%1 weitere unter „Aufrufe“.</translation>
    </message>
    <message>
        <source>%1 more in Signature.</source>
        <translation>%1 weitere unter „Signatur“.</translation>
    </message>
    <message>
        <source>%1 more in the table</source>
        <translation>%1 weitere in der Tabelle</translation>
    </message>
    <message>
        <source>%1 more on the page Functions</source>
        <translation>%1 weitere auf der Seite „Funktionen“</translation>
    </message>
    <message>
        <source>%1 more on the page Calls</source>
        <translation>%1 weitere auf der Seite „Aufrufe“</translation>
    </message>
    <message>
        <source>No launch parameter.</source>
        <translation>Keine Startparameter.</translation>
    </message>
    <message>
        <source>No argument.</source>
        <translation>Keine Argumente.</translation>
    </message>
    <message>
        <source>No arguments.</source>
        <translation>Keine Argumente.</translation>
    </message>
    <message>
        <source>No message in the file states the signature.</source>
        <translation>Keine Meldung in der Datei nennt die Signatur.</translation>
    </message>
    <message>
        <source>This device runs on the CPU: its times do not represent a GPU.</source>
        <translation>Dieses Gerät läuft auf der CPU: Seine Zeiten sagen nichts über eine GPU aus.</translation>
    </message>
    <message>
        <source>Clocks are not controlled.</source>
        <translation>Die Taktfrequenzen sind nicht festgelegt.</translation>
    </message>
    <message>
        <source>Bytes outside the tensor were changed.</source>
        <translation>Bytes außerhalb des Tensors wurden geändert.</translation>
    </message>
    <message>
        <source>The reference is not deterministic: two runs of it gave different results.</source>
        <translation>Die Referenz ist nicht deterministisch: Zwei Läufe lieferten verschiedene Ergebnisse.</translation>
    </message>
    <message>
        <source>One byte, unsigned.</source>
        <translation>Ein Byte, ohne Vorzeichen.</translation>
    </message>
    <message>
        <source>Two bytes, unsigned, little-endian.</source>
        <translation>Zwei Bytes, ohne Vorzeichen, Little Endian.</translation>
    </message>
    <message>
        <source>Four bytes, unsigned, little-endian.</source>
        <translation>Vier Bytes, ohne Vorzeichen, Little Endian.</translation>
    </message>
    <message>
        <source>Eight bytes, unsigned, little-endian.</source>
        <translation>Acht Bytes, ohne Vorzeichen, Little Endian.</translation>
    </message>
    <message>
        <source>Four bytes, two&apos;s complement, little-endian.</source>
        <translation>Vier Bytes, Zweierkomplement, Little Endian.</translation>
    </message>
    <message>
        <source>Eight bytes, two&apos;s complement, little-endian.</source>
        <translation>Acht Bytes, Zweierkomplement, Little Endian.</translation>
    </message>
    <message>
        <source>Eight bytes, IEEE 754 double, little-endian.</source>
        <translation>Acht Bytes, IEEE 754 double, Little Endian.</translation>
    </message>
    <message>
        <source>A string as TVM stores it: its length in 8 bytes, little-endian, then its bytes without an end mark.</source>
        <translation>Eine Zeichenkette, wie TVM sie speichert: die Länge in 8 Bytes, Little Endian, dann die Bytes ohne Endezeichen.</translation>
    </message>
    <message>
        <source>Bytes in a separate format, with or without their length in 8 bytes before them.</source>
        <translation>Bytes in einem eigenen Format; davor kann ihre Länge in 8 Bytes stehen.</translation>
    </message>
    <message>
        <source>The number of words in 8 bytes, then four bytes each, little-endian.</source>
        <translation>Die Anzahl der Wörter in 8 Bytes, dann je vier Bytes, Little Endian.</translation>
    </message>
    <message>
        <source>The number of words in 8 bytes, then eight bytes each, little-endian.</source>
        <translation>Die Anzahl der Wörter in 8 Bytes, dann je acht Bytes, Little Endian.</translation>
    </message>
    <message>
        <source>A data type as TVM stores it: u8 code, u8 bits, u16 lanes, little-endian.</source>
        <translation>Ein Datentyp, wie TVM ihn speichert: u8 code, u8 bits, u16 lanes, Little Endian.</translation>
    </message>
    <message>
        <source>The number of items in 8 bytes, then the items one after the other.</source>
        <translation>Die Anzahl der Elemente in 8 Bytes, dann die Elemente nacheinander.</translation>
    </message>
    <message>
        <source>Items one after the other; another field has their number.</source>
        <translation>Elemente nacheinander; ein anderes Feld enthält ihre Anzahl.</translation>
    </message>
    <message>
        <source>Its fields one after the other, without padding.</source>
        <translation>Die Felder nacheinander, ohne Füllbytes.</translation>
    </message>
    <message>
        <source>Its length in 8 bytes, then its fields.</source>
        <translation>Die Länge in 8 Bytes, dann die Felder.</translation>
    </message>
    <message>
        <source>No known layout describes these bytes; they are kept unchanged.</source>
        <translation>Kein bekanntes Layout beschreibt diese Bytes; sie bleiben unverändert.</translation>
    </message>
    <message>
        <source>The text of the value, unchanged.</source>
        <translation>Der Text des Werts, unverändert.</translation>
    </message>
    <message>
        <source>It takes no arguments.</source>
        <translation>Sie hat keine Argumente.</translation>
    </message>
    <message>
        <source>Nothing in this file is known to call it, and it is not known to call anything.</source>
        <translation>In dieser Datei ist kein Aufruf dieser Funktion bekannt und kein Aufruf, den sie macht.</translation>
    </message>
    <message>
        <source>The file has no host functions: all of its code is in its modules.</source>
        <translation>Die Datei hat keine Hostfunktionen: Ihr gesamter Code liegt in ihren Modulen.</translation>
    </message>
    <message>
        <source>The file stores nothing else about it.</source>
        <translation>Die Datei enthält sonst nichts darüber.</translation>
    </message>
    <message>
        <source>There are no finite values.</source>
        <translation>Es gibt keine endlichen Werte.</translation>
    </message>
    <message>
        <source>this program has no disassembler for SASS</source>
        <translation>dieses Programm hat keinen Disassembler für SASS</translation>
    </message>
    <message>
        <source>this program was built without SPIRV-Tools, which disassembles SPIR-V</source>
        <translation>dieses Programm wurde ohne SPIRV-Tools gebaut, das SPIR-V disassembliert</translation>
    </message>
    <message>
        <source>this program was built without SPIRV-Tools, which validates SPIR-V</source>
        <translation>dieses Programm wurde ohne SPIRV-Tools gebaut, das SPIR-V validiert</translation>
    </message>
    <message>
        <source>this build has no disassembler; the bytes of the function are on the page &apos;Hex&apos;</source>
        <translation>dieses Programm wurde ohne Disassembler gebaut; die Bytes der Funktion stehen auf der Seite „Hex“</translation>
    </message>
    <message>
        <source>the file contains no code for this symbol</source>
        <translation>die Datei enthält keinen Code für dieses Symbol</translation>
    </message>
    <message>
        <source>Nothing is damaged.</source>
        <translation>Nichts ist beschädigt.</translation>
    </message>
    <message>
        <source>Something is damaged.</source>
        <translation>Etwas ist beschädigt.</translation>
    </message>
    <message>
        <source>%1 things are damaged.</source>
        <translation>%1 Dinge sind beschädigt.</translation>
    </message>
    <message>
        <source>This file does not seem to come from TVM.</source>
        <translation>Diese Datei stammt anscheinend nicht von TVM.</translation>
    </message>
    <message>
        <source>No symbol or member shows that the file comes from TVM; it is shown as a container.</source>
        <translation>Kein Symbol und kein Eintrag zeigt, dass die Datei von TVM stammt; sie wird als Container angezeigt.</translation>
    </message>
    <message>
        <source>There is no blob to decode.</source>
        <translation>Es gibt keinen Blob zum Dekodieren.</translation>
    </message>
    <message>
        <source>All %1 bytes of the blob are decoded.</source>
        <translation>Alle %1 Bytes des Blobs sind dekodiert.</translation>
    </message>
    <message>
        <source>%1 of %2 bytes of the blob are decoded; the rest is shown as bytes.</source>
        <translation>%1 von %2 Bytes des Blobs sind dekodiert; der Rest wird als Bytes angezeigt.</translation>
    </message>
    <message>
        <source>No rule of the format is broken.</source>
        <translation>Keine Regel des Formats ist verletzt.</translation>
    </message>
    <message>
        <source>All rules were checked.</source>
        <translation>Alle Regeln wurden geprüft.</translation>
    </message>
    <message>
        <source>%1 rule violation.</source>
        <translation>%1 Regelverletzung.</translation>
    </message>
    <message>
        <source>%1 rule violations.</source>
        <translation>%1 Regelverletzungen.</translation>
    </message>
    <message>
        <source>%1 rule violation and %2 warning.</source>
        <translation>%1 Regelverletzung und %2 Warnung.</translation>
    </message>
    <message>
        <source>%1 rule violation and %2 warnings.</source>
        <translation>%1 Regelverletzung und %2 Warnungen.</translation>
    </message>
    <message>
        <source>%1 rule violations and %2 warning.</source>
        <translation>%1 Regelverletzungen und %2 Warnung.</translation>
    </message>
    <message>
        <source>%1 rule violations and %2 warnings.</source>
        <translation>%1 Regelverletzungen und %2 Warnungen.</translation>
    </message>
    <message>
        <source>%1 warning.</source>
        <translation>%1 Warnung.</translation>
    </message>
    <message>
        <source>%1 warnings.</source>
        <translation>%1 Warnungen.</translation>
    </message>
    <message>
        <source>%1 more members</source>
        <translation>%1 weitere Einträge</translation>
    </message>
    <message>
        <source>%1 host functions</source>
        <translation>%1 Hostfunktionen</translation>
    </message>
    <message>
        <source>%1 file</source>
        <translation>%1 Datei</translation>
    </message>
    <message>
        <source>%1 files</source>
        <translation>%1 Dateien</translation>
    </message>
    <message>
        <source>Blob header and tree</source>
        <translation>Blobkopf und Importbaum</translation>
    </message>
    <message>
        <source>Debug information</source>
        <translation>Debuginformationen</translation>
    </message>
    <message>
        <source>Read-only and initialised data</source>
        <translation>Konstante und initialisierte Daten</translation>
    </message>
    <message>
        <source>Symbols, tables, padding</source>
        <translation>Symbole, Tabellen, Füllbytes</translation>
    </message>
    <message>
        <source>keys, lengths, import tree</source>
        <translation>Schlüssel, Längen, Importbaum</translation>
    </message>
    <message>
        <source>loader tables, headers</source>
        <translation>Tabellen für das Laden, Header</translation>
    </message>
    <message>
        <source>messages, tables</source>
        <translation>Meldungen, Tabellen</translation>
    </message>
    <message>
        <source>device code in the host object</source>
        <translation>Gerätecode im Hostobjekt</translation>
    </message>
    <message>
        <source>.debug sections</source>
        <translation>.debug-Abschnitte</translation>
    </message>
    <message>
        <source>no decoder for this kind</source>
        <translation>kein Decoder für diese Art</translation>
    </message>
    <message>
        <source>damaged</source>
        <translation>beschädigt</translation>
    </message>
    <message>
        <source>the library itself</source>
        <translation>die Bibliothek selbst</translation>
    </message>
    <message>
        <source>C runtime</source>
        <translation>C-Laufzeit</translation>
    </message>
    <message>
        <source>Generated C sources</source>
        <translation>Erzeugte C-Quelltexte</translation>
    </message>
    <message>
        <source>Header of the C interface</source>
        <translation>Header der C-Schnittstelle</translation>
    </message>
    <message>
        <source>Objects</source>
        <translation>Objekte</translation>
    </message>
    <message>
        <source>Other files</source>
        <translation>Andere Dateien</translation>
    </message>
    <message>
        <source>Relay text</source>
        <translation>Relay-Text</translation>
    </message>
    <message>
        <source>TIR text</source>
        <translation>TIR-Text</translation>
    </message>
    <message>
        <source>Buffers of functions</source>
        <translation>Puffer der Funktionen</translation>
    </message>
    <message>
        <source>Workspace of operator functions</source>
        <translation>Arbeitsspeicher der Operatorfunktionen</translation>
    </message>
    <message>
        <source>The workspace of main includes the largest workspace of its operator functions.</source>
        <translation>Der Arbeitsspeicher von main enthält den größten Arbeitsspeicher seiner Operatorfunktionen.</translation>
    </message>
    <message>
        <source>The size of C sources as code is not known before they are compiled.</source>
        <translation>Wie groß der Code der C-Quelltexte ist, ist erst nach dem Kompilieren bekannt.</translation>
    </message>
    <message>
        <source>C sources are not counted: their size as code is not known before they are compiled.</source>
        <translation>C-Quelltexte sind nicht mitgezählt: Wie groß ihr Code ist, ist erst nach dem Kompilieren bekannt.</translation>
    </message>
    <message>
        <source>%1 function needs nothing.</source>
        <translation>%1 Funktion benötigt nichts.</translation>
    </message>
    <message>
        <source>%1 functions need nothing.</source>
        <translation>%1 Funktionen benötigen nichts.</translation>
    </message>
    <message>
        <source>%1 function needs less or nothing.</source>
        <translation>%1 Funktion benötigt weniger oder nichts.</translation>
    </message>
    <message>
        <source>%1 functions need less or nothing.</source>
        <translation>%1 Funktionen benötigen weniger oder nichts.</translation>
    </message>
    <message>
        <source>code of objects</source>
        <translation>Code von Objekten</translation>
    </message>
    <message>
        <source>constants</source>
        <translation>Konstanten</translation>
    </message>
    <message>
        <source>data of objects</source>
        <translation>Daten von Objekten</translation>
    </message>
    <message>
        <source>headers, tables, padding</source>
        <translation>Header, Tabellen, Füllbytes</translation>
    </message>
    <message>
        <source>inputs and outputs</source>
        <translation>Ein- und Ausgaben</translation>
    </message>
    <message>
        <source>not explained</source>
        <translation>nicht erklärt</translation>
    </message>
    <message>
        <source>other fields</source>
        <translation>andere Felder</translation>
    </message>
    <message>
        <source>added</source>
        <translation>hinzugefügt</translation>
    </message>
    <message>
        <source>changed</source>
        <translation>geändert</translation>
    </message>
    <message>
        <source>fields</source>
        <translation>Felder</translation>
    </message>
    <message>
        <source>graph nodes</source>
        <translation>Graphknoten</translation>
    </message>
    <message>
        <source>host function</source>
        <translation>Hostfunktion</translation>
    </message>
    <message>
        <source>images</source>
        <translation>Images</translation>
    </message>
    <message>
        <source>moved</source>
        <translation>verschoben</translation>
    </message>
    <message>
        <source>only in A</source>
        <translation>nur in A</translation>
    </message>
    <message>
        <source>only in B</source>
        <translation>nur in B</translation>
    </message>
    <message>
        <source>removed</source>
        <translation>entfernt</translation>
    </message>
    <message>
        <source>renamed</source>
        <translation>umbenannt</translation>
    </message>
    <message>
        <source>same</source>
        <translation>gleich</translation>
    </message>
    <message>
        <source>tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>VM function</source>
        <translation>VM-Funktion</translation>
    </message>
    <message>
        <source>VM functions</source>
        <translation>VM-Funktionen</translation>
    </message>
    <message>
        <source>The files are identical, byte for byte.</source>
        <translation>Die Dateien sind Byte für Byte identisch.</translation>
    </message>
    <message>
        <source>There are no differences in the compared parts.</source>
        <translation>In den verglichenen Teilen gibt es keine Unterschiede.</translation>
    </message>
    <message>
        <source>%1 crashed</source>
        <translation>%1 abgestürzt</translation>
    </message>
    <message>
        <source>%1 differs</source>
        <translation>%1 mit anderem Ergebnis</translation>
    </message>
    <message>
        <source>%1 failed</source>
        <translation>%1 fehlgeschlagen</translation>
    </message>
    <message>
        <source>%1 launch</source>
        <translation>%1 Start</translation>
    </message>
    <message>
        <source>%1 launches</source>
        <translation>%1 Starts</translation>
    </message>
    <message>
        <source>%1 not compared</source>
        <translation>%1 nicht verglichen</translation>
    </message>
    <message>
        <source>%1 not run</source>
        <translation>%1 nicht ausgeführt</translation>
    </message>
    <message>
        <source>%1 of %2 functions ok</source>
        <translation>%1 von %2 Funktionen in Ordnung</translation>
    </message>
    <message>
        <source>%1 of them shown</source>
        <translation>davon %1 angezeigt</translation>
    </message>
    <message>
        <source>%1 timed out</source>
        <translation>%1 mit Zeitüberschreitung</translation>
    </message>
    <message>
        <source>crashed</source>
        <translation>abgestürzt</translation>
    </message>
    <message>
        <source>differs</source>
        <translation>anderes Ergebnis</translation>
    </message>
    <message>
        <source>equal</source>
        <translation>gleich</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>fehlgeschlagen</translation>
    </message>
    <message>
        <source>not compared</source>
        <translation>nicht verglichen</translation>
    </message>
    <message>
        <source>not run</source>
        <translation>nicht ausgeführt</translation>
    </message>
    <message>
        <source>nothing to compare</source>
        <translation>nichts zu vergleichen</translation>
    </message>
    <message>
        <source>ok</source>
        <translation>in Ordnung</translation>
    </message>
    <message>
        <source>timed out</source>
        <translation>Zeitüberschreitung</translation>
    </message>
    <message>
        <source>within tolerance</source>
        <translation>innerhalb der Toleranz</translation>
    </message>
    <message>
        <source>NVIDIA driver</source>
        <translation>NVIDIA-Treiber</translation>
    </message>
    <message>
        <source>OpenCL driver</source>
        <translation>OpenCL-Treiber</translation>
    </message>
    <message>
        <source>Vulkan driver</source>
        <translation>Vulkan-Treiber</translation>
    </message>
    <message>
        <source>running CUDA kernels on an NVIDIA GPU</source>
        <translation>CUDA-Kernel auf einer NVIDIA-GPU ausführen</translation>
    </message>
    <message>
        <source>running Vulkan kernels; Mesa&apos;s lavapipe runs them on the CPU</source>
        <translation>Vulkan-Kernel ausführen; lavapipe von Mesa führt sie auf der CPU aus</translation>
    </message>
    <message>
        <source>running OpenCL kernels; PoCL runs them on the CPU</source>
        <translation>OpenCL-Kernel ausführen; PoCL führt sie auf der CPU aus</translation>
    </message>
    <message>
        <source>no sockets; runs on CUDA can open local ones, which the driver needs</source>
        <translation>keine Sockets; Läufe mit CUDA können lokale öffnen, die der Treiber braucht</translation>
    </message>
    <message>
        <source>writable only in the run&apos;s own folder, in the drivers&apos; cache for test runs, in shared memory and on devices; reading is not restricted</source>
        <translation>schreibbar nur im Ordner des Laufs, im Cache der Treiber für Testläufe, im gemeinsamen Speicher und auf Geräten; Lesen ist nicht eingeschränkt</translation>
    </message>
    <message>
        <source>no tracing of other processes, no mounts, no access to the kernel&apos;s internals</source>
        <translation>kein Verfolgen anderer Prozesse, kein Einhängen, kein Zugriff auf das Innere des Betriebssystemkerns</translation>
    </message>
    <message>
        <source>no new privileges</source>
        <translation>keine neuen Rechte</translation>
    </message>
    <message>
        <source>limits on memory, CPU time, open files and the size of a file</source>
        <translation>Grenzen für Speicher, CPU-Zeit, offene Dateien und die Größe einer Datei</translation>
    </message>
    <message>
        <source>in place</source>
        <translation>am alten Ort</translation>
    </message>
    <message>
        <source>nothing changes</source>
        <translation>nichts ändert sich</translation>
    </message>
    <message>
        <source>resize; the bytes after it move</source>
        <translation>Größe ändern; die Bytes danach werden verschoben</translation>
    </message>
    <message>
        <source>append, using an empty program header</source>
        <translation>anhängen, mit einem leeren Programmheader</translation>
    </message>
    <message>
        <source>append, program headers grow into free bytes</source>
        <translation>anhängen, Programmheader wachsen in freie Bytes</translation>
    </message>
    <message>
        <source>append, reusing the program header of the build id</source>
        <translation>anhängen, mit dem Programmheader der Build-ID</translation>
    </message>
    <message>
        <source>append, program headers move to the end</source>
        <translation>anhängen, Programmheader werden ans Ende verschoben</translation>
    </message>
    <message>
        <source>append, in a new section</source>
        <translation>anhängen, in einem neuen Abschnitt</translation>
    </message>
    <message>
        <source>append, in a new segment</source>
        <translation>anhängen, in einem neuen Segment</translation>
    </message>
    <message>
        <source>append after the used memory</source>
        <translation>nach dem belegten Speicher anhängen</translation>
    </message>
    <message>
        <source>Add a load command</source>
        <translation>Load-Command hinzufügen</translation>
    </message>
    <message>
        <source>Add a program header</source>
        <translation>Programmheader hinzufügen</translation>
    </message>
    <message>
        <source>Add a section header</source>
        <translation>Abschnittsheader hinzufügen</translation>
    </message>
    <message>
        <source>Change relocations</source>
        <translation>Relokationen ändern</translation>
    </message>
    <message>
        <source>Change section headers</source>
        <translation>Abschnittsheader ändern</translation>
    </message>
    <message>
        <source>Change the address in the code</source>
        <translation>Adresse im Code ändern</translation>
    </message>
    <message>
        <source>Change the export</source>
        <translation>Export ändern</translation>
    </message>
    <message>
        <source>Change the global</source>
        <translation>Globale Variable ändern</translation>
    </message>
    <message>
        <source>Change the load commands</source>
        <translation>Load-Commands ändern</translation>
    </message>
    <message>
        <source>Change the symbol</source>
        <translation>Symbol ändern</translation>
    </message>
    <message>
        <source>Recompress</source>
        <translation>Wieder komprimieren</translation>
    </message>
    <message>
        <source>Copy relocations and tables</source>
        <translation>Relokationen und Tabellen kopieren</translation>
    </message>
    <message>
        <source>Copy the file</source>
        <translation>Datei kopieren</translation>
    </message>
    <message>
        <source>Copy the file up to its tables</source>
        <translation>Datei bis zu ihren Tabellen kopieren</translation>
    </message>
    <message>
        <source>Copy the file up to the blob</source>
        <translation>Datei bis zum Blob kopieren</translation>
    </message>
    <message>
        <source>Copy the rest of the file</source>
        <translation>Rest der Datei kopieren</translation>
    </message>
    <message>
        <source>Copy the tables</source>
        <translation>Tabellen kopieren</translation>
    </message>
    <message>
        <source>Copy the text</source>
        <translation>Text kopieren</translation>
    </message>
    <message>
        <source>Copy the whole file</source>
        <translation>Ganze Datei kopieren</translation>
    </message>
    <message>
        <source>Enlarge the headers</source>
        <translation>Header vergrößern</translation>
    </message>
    <message>
        <source>Enlarge the program header table</source>
        <translation>Tabelle der Programmheader vergrößern</translation>
    </message>
    <message>
        <source>Fill the old place with zeros</source>
        <translation>Alten Ort mit Nullen füllen</translation>
    </message>
    <message>
        <source>Fill the rest with zeros</source>
        <translation>Rest mit Nullen füllen</translation>
    </message>
    <message>
        <source>Move slice</source>
        <translation>Slice verschieben</translation>
    </message>
    <message>
        <source>Move symbols</source>
        <translation>Symbole verschieben</translation>
    </message>
    <message>
        <source>Move the program header table</source>
        <translation>Tabelle der Programmheader verschieben</translation>
    </message>
    <message>
        <source>Move the symbol table</source>
        <translation>Symboltabelle verschieben</translation>
    </message>
    <message>
        <source>Read back, compare, rename</source>
        <translation>Zurücklesen, vergleichen, umbenennen</translation>
    </message>
    <message>
        <source>Remove the certificate table</source>
        <translation>Zertifikattabelle entfernen</translation>
    </message>
    <message>
        <source>Replace the program header of the build id</source>
        <translation>Programmheader der Build-ID ersetzen</translation>
    </message>
    <message>
        <source>Set: array size</source>
        <translation>Setzen: Größe des Arrays</translation>
    </message>
    <message>
        <source>Set: size of memory</source>
        <translation>Setzen: Größe des Speichers</translation>
    </message>
    <message>
        <source>Set: start of free memory</source>
        <translation>Setzen: Beginn des freien Speichers</translation>
    </message>
    <message>
        <source>Set: symbol size</source>
        <translation>Setzen: Größe des Symbols</translation>
    </message>
    <message>
        <source>Use an empty program header</source>
        <translation>Leeren Programmheader verwenden</translation>
    </message>
    <message>
        <source>Write section headers</source>
        <translation>Abschnittsheader schreiben</translation>
    </message>
    <message>
        <source>Write the code signature</source>
        <translation>Codesignatur schreiben</translation>
    </message>
    <message>
        <source>Write the new blob</source>
        <translation>Neuen Blob schreiben</translation>
    </message>
    <message>
        <source>as items of the array, written as before</source>
        <translation>als Elemente des Arrays, geschrieben wie bisher</translation>
    </message>
    <message>
        <source>except for the changes below</source>
        <translation>bis auf die folgenden Änderungen</translation>
    </message>
    <message>
        <source>byte for byte, except for sizes</source>
        <translation>Byte für Byte, bis auf Größen</translation>
    </message>
    <message>
        <source>debuggers find the new blob by it</source>
        <translation>Debugger finden damit den neuen Blob</translation>
    </message>
    <message>
        <source>does not fit in the old place</source>
        <translation>passt nicht an den alten Ort</translation>
    </message>
    <message>
        <source>follows from the member&apos;s new bytes</source>
        <translation>folgt aus den neuen Bytes des Eintrags</translation>
    </message>
    <message>
        <source>follows from the new blob</source>
        <translation>folgt aus dem neuen Blob</translation>
    </message>
    <message>
        <source>follows from the new segments</source>
        <translation>folgt aus den neuen Segmenten</translation>
    </message>
    <message>
        <source>hashes of all pages</source>
        <translation>Hashwerte aller Seiten</translation>
    </message>
    <message>
        <source>hosts find the new blob by it</source>
        <translation>Hosts finden damit den neuen Blob</translation>
    </message>
    <message>
        <source>it follows the end of the blob</source>
        <translation>folgt auf das Ende des Blobs</translation>
    </message>
    <message>
        <source>it states the size</source>
        <translation>es gibt die Größe an</translation>
    </message>
    <message>
        <source>it was compressed</source>
        <translation>war komprimiert</translation>
    </message>
    <message>
        <source>its section can have any size</source>
        <translation>sein Abschnitt kann beliebig groß sein</translation>
    </message>
    <message>
        <source>its section is the last one</source>
        <translation>sein Abschnitt ist der letzte</translation>
    </message>
    <message>
        <source>linkers find the new blob by it</source>
        <translation>Linker finden damit den neuen Blob</translation>
    </message>
    <message>
        <source>loaders find the new blob by it</source>
        <translation>Lader finden damit den neuen Blob</translation>
    </message>
    <message>
        <source>no loaded bytes are after it</source>
        <translation>danach kommen keine geladenen Bytes</translation>
    </message>
    <message>
        <source>one new section; everything after it moves</source>
        <translation>ein neuer Abschnitt; alles danach wird verschoben</translation>
    </message>
    <message>
        <source>one new segment</source>
        <translation>ein neues Segment</translation>
    </message>
    <message>
        <source>one new segment; there are free bytes after the table</source>
        <translation>ein neues Segment; nach der Tabelle sind Bytes frei</translation>
    </message>
    <message>
        <source>requested</source>
        <translation>gewünscht</translation>
    </message>
    <message>
        <source>the file is the blob</source>
        <translation>die Datei ist der Blob</translation>
    </message>
    <message>
        <source>the new blob is smaller</source>
        <translation>der neue Blob ist kleiner</translation>
    </message>
    <message>
        <source>they follow the sections</source>
        <translation>sie folgen auf die Abschnitte</translation>
    </message>
    <message>
        <source>they must be the end of the file</source>
        <translation>sie müssen das Ende der Datei sein</translation>
    </message>
    <message>
        <source>until then the target is untouched</source>
        <translation>bis dahin bleibt das Ziel unverändert</translation>
    </message>
    <message>
        <source>applying edits</source>
        <translation>Änderungen werden angewendet</translation>
    </message>
    <message>
        <source>assembling the file</source>
        <translation>Datei wird zusammengesetzt</translation>
    </message>
    <message>
        <source>checking the archive</source>
        <translation>Archiv wird geprüft</translation>
    </message>
    <message>
        <source>comparing bytes</source>
        <translation>Bytes werden verglichen</translation>
    </message>
    <message>
        <source>comparing fields</source>
        <translation>Felder werden verglichen</translation>
    </message>
    <message>
        <source>comparing modules</source>
        <translation>Module werden verglichen</translation>
    </message>
    <message>
        <source>comparing rows</source>
        <translation>Zeilen werden verglichen</translation>
    </message>
    <message>
        <source>comparing symbols</source>
        <translation>Symbole werden verglichen</translation>
    </message>
    <message>
        <source>comparing the written file</source>
        <translation>Geschriebene Datei wird verglichen</translation>
    </message>
    <message>
        <source>comparing values</source>
        <translation>Werte werden verglichen</translation>
    </message>
    <message>
        <source>comparing with the folder</source>
        <translation>Vergleich mit dem Ordner</translation>
    </message>
    <message>
        <source>compressing</source>
        <translation>Komprimieren</translation>
    </message>
    <message>
        <source>computing the checksum</source>
        <translation>Prüfsumme wird berechnet</translation>
    </message>
    <message>
        <source>computing the digest</source>
        <translation>Prüfsumme SHA-256 wird berechnet</translation>
    </message>
    <message>
        <source>counting lines</source>
        <translation>Zeilen werden gezählt</translation>
    </message>
    <message>
        <source>decoding modules</source>
        <translation>Module werden dekodiert</translation>
    </message>
    <message>
        <source>disassembling</source>
        <translation>Disassemblieren</translation>
    </message>
    <message>
        <source>dry run</source>
        <translation>Probelauf</translation>
    </message>
    <message>
        <source>exporting modules</source>
        <translation>Module werden exportiert</translation>
    </message>
    <message>
        <source>filtering rows</source>
        <translation>Zeilen werden gefiltert</translation>
    </message>
    <message>
        <source>generating inputs</source>
        <translation>Eingaben werden erzeugt</translation>
    </message>
    <message>
        <source>hashing pages</source>
        <translation>Hashwerte der Seiten werden berechnet</translation>
    </message>
    <message>
        <source>listing functions</source>
        <translation>Funktionen werden aufgelistet</translation>
    </message>
    <message>
        <source>listing the folder</source>
        <translation>Ordner wird gelesen</translation>
    </message>
    <message>
        <source>looking for blobs</source>
        <translation>Blobs werden gesucht</translation>
    </message>
    <message>
        <source>looking for carriers</source>
        <translation>Carrier werden gesucht</translation>
    </message>
    <message>
        <source>looking for device images</source>
        <translation>Geräte-Images werden gesucht</translation>
    </message>
    <message>
        <source>looking for records</source>
        <translation>Datensätze werden gesucht</translation>
    </message>
    <message>
        <source>looking for references to the blob</source>
        <translation>Verweise auf den Blob werden gesucht</translation>
    </message>
    <message>
        <source>looking for the import tree</source>
        <translation>Importbaum wird gesucht</translation>
    </message>
    <message>
        <source>opening members</source>
        <translation>Einträge werden geöffnet</translation>
    </message>
    <message>
        <source>opening the file</source>
        <translation>Datei wird geöffnet</translation>
    </message>
    <message>
        <source>preparing functions</source>
        <translation>Funktionen werden vorbereitet</translation>
    </message>
    <message>
        <source>probing the arguments of functions</source>
        <translation>Argumente der Funktionen werden untersucht</translation>
    </message>
    <message>
        <source>querying drivers</source>
        <translation>Treiber werden abgefragt</translation>
    </message>
    <message>
        <source>reading calls</source>
        <translation>Aufrufe werden gelesen</translation>
    </message>
    <message>
        <source>reading documentation</source>
        <translation>Dokumentation wird gelesen</translation>
    </message>
    <message>
        <source>reading exports</source>
        <translation>Exporte werden gelesen</translation>
    </message>
    <message>
        <source>reading host code</source>
        <translation>Hostcode wird gelesen</translation>
    </message>
    <message>
        <source>reading lines</source>
        <translation>Zeilen werden gelesen</translation>
    </message>
    <message>
        <source>reading metadata</source>
        <translation>Metadaten werden gelesen</translation>
    </message>
    <message>
        <source>reading rows</source>
        <translation>Zeilen werden gelesen</translation>
    </message>
    <message>
        <source>reading signatures</source>
        <translation>Signaturen werden gelesen</translation>
    </message>
    <message>
        <source>reading symbols</source>
        <translation>Symbole werden gelesen</translation>
    </message>
    <message>
        <source>reading texts</source>
        <translation>Texte werden gelesen</translation>
    </message>
    <message>
        <source>reading the archive</source>
        <translation>Archiv wird gelesen</translation>
    </message>
    <message>
        <source>reading the array</source>
        <translation>Array wird gelesen</translation>
    </message>
    <message>
        <source>reading the folder</source>
        <translation>Ordner wird gelesen</translation>
    </message>
    <message>
        <source>reading the outline</source>
        <translation>Gliederung wird gelesen</translation>
    </message>
    <message>
        <source>reading the outputs</source>
        <translation>Ausgaben werden gelesen</translation>
    </message>
    <message>
        <source>running</source>
        <translation>Ausführen</translation>
    </message>
    <message>
        <source>searching</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>sorting symbols</source>
        <translation>Symbole werden sortiert</translation>
    </message>
    <message>
        <source>splitting the blob</source>
        <translation>Blob wird aufgeteilt</translation>
    </message>
    <message>
        <source>unpacking</source>
        <translation>Entpacken</translation>
    </message>
    <message>
        <source>writing</source>
        <translation>Schreiben</translation>
    </message>
    <message>
        <source>writing bytes</source>
        <translation>Bytes werden geschrieben</translation>
    </message>
    <message>
        <source>writing the array</source>
        <translation>Array wird geschrieben</translation>
    </message>
    <message>
        <source>AIR</source>
        <translation>AIR</translation>
    </message>
    <message>
        <source>archive</source>
        <translation>Archiv</translation>
    </message>
    <message>
        <source>arguments</source>
        <translation>Argumente</translation>
    </message>
    <message>
        <source>bitcode</source>
        <translation>Bitcode</translation>
    </message>
    <message>
        <source>compiled for</source>
        <translation>kompiliert für</translation>
    </message>
    <message>
        <source>compiler options</source>
        <translation>Compileroptionen</translation>
    </message>
    <message>
        <source>graph JSON</source>
        <translation>Graph-JSON</translation>
    </message>
    <message>
        <source>header</source>
        <translation>Header</translation>
    </message>
    <message>
        <source>library</source>
        <translation>Bibliothek</translation>
    </message>
    <message>
        <source>Metal</source>
        <translation>Metal</translation>
    </message>
    <message>
        <source>model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>nodes JSON</source>
        <translation>Knoten-JSON</translation>
    </message>
    <message>
        <source>object</source>
        <translation>Objekt</translation>
    </message>
    <message>
        <source>other</source>
        <translation>Sonstiges</translation>
    </message>
    <message>
        <source>packed .mlmodelc folder</source>
        <translation>gepackter .mlmodelc-Ordner</translation>
    </message>
    <message>
        <source>params</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>relay</source>
        <translation>Relay</translation>
    </message>
    <message>
        <source>slice</source>
        <translation>Slice</translation>
    </message>
    <message>
        <source>storage id</source>
        <translation>Speicher-ID</translation>
    </message>
    <message>
        <source>tir</source>
        <translation>TIR</translation>
    </message>
    <message>
        <source>TorchScript archive</source>
        <translation>TorchScript-Archiv</translation>
    </message>
    <message>
        <source>used by</source>
        <translation>verwendet von</translation>
    </message>
    <message>
        <source>in a separate data segment: other data is after its old place</source>
        <translation>in einem eigenen Datensegment: nach dem alten Ort stehen andere Daten</translation>
    </message>
    <message>
        <source>in a separate section: it does not fit in the old place</source>
        <translation>in einem eigenen Abschnitt: er passt nicht an den alten Ort</translation>
    </message>
    <message>
        <source>it fits in the old place</source>
        <translation>er passt an den alten Ort</translation>
    </message>
    <message>
        <source>it follows the sections</source>
        <translation>folgt auf die Abschnitte</translation>
    </message>
    <message>
        <source>it has the size of the old one</source>
        <translation>er hat die Größe des alten</translation>
    </message>
    <message>
        <source>nothing is after it in its data segment</source>
        <translation>in seinem Datensegment kommt nichts danach</translation>
    </message>
    <message>
        <source>nothing is after it in its section</source>
        <translation>in seinem Abschnitt kommt nichts danach</translation>
    </message>
    <message>
        <source>one new segment, and no room for a new entry</source>
        <translation>ein neues Segment und kein Platz für einen neuen Eintrag</translation>
    </message>
    <message>
        <source>one new segment, one spare entry</source>
        <translation>ein neues Segment, ein Eintrag in Reserve</translation>
    </message>
    <message>
        <source>sizes and offsets of the blob and of what follows it</source>
        <translation>Größen und Offsets des Blobs und des Folgenden</translation>
    </message>
    <message>
        <source>sizes and places of the blob&apos;s segment and of the tables</source>
        <translation>Größen und Orte des Segments mit dem Blob und der Tabellen</translation>
    </message>
    <message>
        <source>the allocator begins after the blob</source>
        <translation>die Speicherverwaltung beginnt nach dem Blob</translation>
    </message>
    <message>
        <source>the library is registered with it</source>
        <translation>damit wird die Bibliothek registriert</translation>
    </message>
    <message>
        <source>the one before it has another size</source>
        <translation>das davor hat eine andere Größe</translation>
    </message>
    <message>
        <source>the signature covers the old bytes</source>
        <translation>die Signatur gilt für die alten Bytes</translation>
    </message>
    <message>
        <source>there is no room for another section header</source>
        <translation>für einen weiteren Abschnittsheader ist kein Platz</translation>
    </message>
    <message>
        <source>they point to data after the blob in its section</source>
        <translation>sie zeigen auf Daten nach dem Blob in seinem Abschnitt</translation>
    </message>
    <message>
        <source>16-bit number</source>
        <translation>16-Bit-Zahl</translation>
    </message>
    <message>
        <source>32-bit number</source>
        <translation>32-Bit-Zahl</translation>
    </message>
    <message>
        <source>32-bit number with sign</source>
        <translation>32-Bit-Zahl mit Vorzeichen</translation>
    </message>
    <message>
        <source>32-bit words</source>
        <translation>32-Bit-Wörter</translation>
    </message>
    <message>
        <source>64-bit number</source>
        <translation>64-Bit-Zahl</translation>
    </message>
    <message>
        <source>64-bit number with sign</source>
        <translation>64-Bit-Zahl mit Vorzeichen</translation>
    </message>
    <message>
        <source>64-bit words</source>
        <translation>64-Bit-Wörter</translation>
    </message>
    <message>
        <source>8-bit number</source>
        <translation>8-Bit-Zahl</translation>
    </message>
    <message>
        <source>data that the module itself stored</source>
        <translation>Daten, die das Modul selbst gespeichert hat</translation>
    </message>
    <message>
        <source>data type</source>
        <translation>Datentyp</translation>
    </message>
    <message>
        <source>floating-point number</source>
        <translation>Gleitkommazahl</translation>
    </message>
    <message>
        <source>format of the code, as the module declares it</source>
        <translation>Format des Codes, wie das Modul es angibt</translation>
    </message>
    <message>
        <source>how an argument is passed: 0 unchanged, 1 as a tensor map</source>
        <translation>wie ein Argument übergeben wird: 0 unverändert, 1 als Tensor-Map</translation>
    </message>
    <message>
        <source>items</source>
        <translation>Elemente</translation>
    </message>
    <message>
        <source>launch sizes that the host passes, in order</source>
        <translation>Startgrößen, die der Host übergibt, der Reihe nach</translation>
    </message>
    <message>
        <source>list</source>
        <translation>Liste</translation>
    </message>
    <message>
        <source>name by which the record or function is looked up</source>
        <translation>Name, über den der Datensatz oder die Funktion gesucht wird</translation>
    </message>
    <message>
        <source>number of records that follow</source>
        <translation>Anzahl der folgenden Datensätze</translation>
    </message>
    <message>
        <source>numbers of the imported modules</source>
        <translation>Nummern der importierten Module</translation>
    </message>
    <message>
        <source>size of the payload after this number</source>
        <translation>Größe der Nutzdaten nach dieser Zahl</translation>
    </message>
    <message>
        <source>size of the stream after this number</source>
        <translation>Größe des Stroms nach dieser Zahl</translation>
    </message>
    <message>
        <source>sized structure</source>
        <translation>Struktur mit Länge</translation>
    </message>
    <message>
        <source>source text of the code</source>
        <translation>Quelltext des Codes</translation>
    </message>
    <message>
        <source>structure</source>
        <translation>Struktur</translation>
    </message>
    <message>
        <source>the code</source>
        <translation>der Code</translation>
    </message>
    <message>
        <source>the function&apos;s own name; empty: the key is the name</source>
        <translation>der eigene Name der Funktion; leer: der Schlüssel ist der Name</translation>
    </message>
    <message>
        <source>the functions of the module and how to call them</source>
        <translation>die Funktionen des Moduls und wie sie aufgerufen werden</translation>
    </message>
    <message>
        <source>the modules as they are stored, and the import tree</source>
        <translation>die Module, wie sie gespeichert sind, und der Importbaum</translation>
    </message>
    <message>
        <source>types of the kernel&apos;s arguments, in call order</source>
        <translation>Typen der Argumente des Kernels, in der Reihenfolge des Aufrufs</translation>
    </message>
    <message>
        <source>unknown bytes</source>
        <translation>unbekannte Bytes</translation>
    </message>
    <message>
        <source>what host code must know to launch the function</source>
        <translation>was Hostcode wissen muss, um die Funktion zu starten</translation>
    </message>
    <message>
        <source>where each module&apos;s imports begin in the list below</source>
        <translation>wo die Importe jedes Moduls in der folgenden Liste beginnen</translation>
    </message>
    <message>
        <source>%1 pages before, %2 now</source>
        <translation>vorher %1 Seiten, jetzt %2</translation>
    </message>
    <message>
        <source>Copy the file up to its section headers</source>
        <translation>Datei bis zu ihren Abschnittsheadern kopieren</translation>
    </message>
    <message>
        <source>it stays where it is</source>
        <translation>es bleibt, wo es ist</translation>
    </message>
    <message>
        <source>it was after the table</source>
        <translation>stand nach der Tabelle</translation>
    </message>
    <message>
        <source>it would be recognised as a second blob</source>
        <translation>es würde als zweiter Blob erkannt</translation>
    </message>
    <message>
        <source>one new section, and moved sections</source>
        <translation>ein neuer Abschnitt und verschobene Abschnitte</translation>
    </message>
    <message>
        <source>one new segment with a section</source>
        <translation>ein neues Segment mit einem Abschnitt</translation>
    </message>
    <message>
        <source>one new segment; there is no room for a section</source>
        <translation>ein neues Segment; für einen Abschnitt ist kein Platz</translation>
    </message>
    <message>
        <source>only tables are after it</source>
        <translation>danach kommen nur Tabellen</translation>
    </message>
    <message>
        <source>sizes and offsets of the blob&apos;s section and of what follows it</source>
        <translation>Größen und Offsets des Abschnitts mit dem Blob und des Folgenden</translation>
    </message>
    <message>
        <source>the blob&apos;s segment is new</source>
        <translation>das Segment des Blobs ist neu</translation>
    </message>
    <message>
        <source>they were after the table</source>
        <translation>standen nach der Tabelle</translation>
    </message>
    <message>
        <source>this makes room; the loader does not need it</source>
        <translation>schafft Platz; der Lader braucht es nicht</translation>
    </message>
    <message>
        <source>Data segments</source>
        <translation>Datensegmente</translation>
    </message>
    <message>
        <source>functions without names</source>
        <translation>Funktionen ohne Namen</translation>
    </message>
    <message>
        <source>No errors or warnings; %1 note.</source>
        <translation>Keine Fehler oder Warnungen; %1 Hinweis.</translation>
    </message>
    <message>
        <source>No errors or warnings; %1 notes.</source>
        <translation>Keine Fehler oder Warnungen; %1 Hinweise.</translation>
    </message>
    <message>
        <source>none found</source>
        <translation>keine gefunden</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>nicht bekannt</translation>
    </message>
    <message>
        <source>not known, because the file is damaged</source>
        <translation>nicht bekannt, weil die Datei beschädigt ist</translation>
    </message>
    <message>
        <source>not known, because this WebAssembly file does not export its host functions</source>
        <translation>nicht bekannt, weil diese WebAssembly-Datei ihre Hostfunktionen nicht exportiert</translation>
    </message>
    <message>
        <source>the blob without runs of zeros, and data of the host code</source>
        <translation>der Blob ohne Folgen von Nullen und Daten des Hostcodes</translation>
    </message>
    <message>
        <source>The blob is rebuilt from the data segments of the file. They do not store runs of zeros, so the blob can be larger than the file.</source>
        <translation>Der Blob wird aus den Datensegmenten der Datei rekonstruiert. Sie speichern keine Folgen von Nullen, daher kann der Blob größer als die Datei sein.</translation>
    </message>
    <message>
        <source>append; the sections after the program headers move to make room for one more header</source>
        <translation>anhängen; die Sections nach den Programmheadern rücken, damit ein weiterer Header Platz hat</translation>
    </message>
    <message>
        <source>name of the VM function</source>
        <translation>Name der VM-Funktion</translation>
    </message>
    <message>
        <source>Requirements</source>
        <translation>Anforderungen</translation>
    </message>
    <message>
        <source>Will it load?</source>
        <translation>Lädt es?</translation>
    </message>
    <message>
        <source>%1 checked, by reading only</source>
        <translation>%1 geprüft, nur durch Lesen</translation>
    </message>
    <message>
        <source>affected</source>
        <translation>betroffen</translation>
    </message>
    <message>
        <source>All releases</source>
        <translation>Alle Releases</translation>
    </message>
    <message>
        <source>detail</source>
        <translation>Einzelheit</translation>
    </message>
    <message>
        <source>Driver %1</source>
        <translation>Treiber %1</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPUs</translation>
    </message>
    <message>
        <source>loaders</source>
        <translation>Lader</translation>
    </message>
    <message>
        <source>newest driver</source>
        <translation>neuester Treiber</translation>
    </message>
    <message>
        <source>no device</source>
        <translation>kein Gerät</translation>
    </message>
    <message>
        <source>Release v%1.%2</source>
        <translation>Release v%1.%2</translation>
    </message>
    <message>
        <source>requirement</source>
        <translation>Anforderung</translation>
    </message>
    <message>
        <source>runs</source>
        <translation>läuft</translation>
    </message>
    <message>
        <source>selected cell</source>
        <translation>ausgewählte Zelle</translation>
    </message>
    <message>
        <source>slots</source>
        <translation>Slots</translation>
    </message>
    <message>
        <source>step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>There are more; the page of the library lists all.</source>
        <translation>Es gibt weitere; die Seite der Bibliothek zeigt alle.</translation>
    </message>
    <message>
        <source>undefined symbols</source>
        <translation>undefinierte Symbole</translation>
    </message>
    <message>
        <source>VM and its functions</source>
        <translation>VM und ihre Funktionen</translation>
    </message>
    <message>
        <source>What is missing</source>
        <translation>Was fehlt</translation>
    </message>
    <message>
        <source>What is not known</source>
        <translation>Was nicht bekannt ist</translation>
    </message>
    <message>
        <source>listing files</source>
        <translation>Dateien werden aufgelistet</translation>
    </message>
    <message>
        <source>reading functions</source>
        <translation>Funktionen werden gelesen</translation>
    </message>
    <message>
        <source>reading imports</source>
        <translation>Importe werden gelesen</translation>
    </message>
    <message>
        <source>reading kernels</source>
        <translation>Kernel werden gelesen</translation>
    </message>
    <message>
        <source>reading modules</source>
        <translation>Module werden gelesen</translation>
    </message>
    <message>
        <source>reading needed symbols</source>
        <translation>benötigte Symbole werden gelesen</translation>
    </message>
    <message>
        <source>reading relocations</source>
        <translation>Relokationen werden gelesen</translation>
    </message>
    <message>
        <source>counting arguments</source>
        <translation>Argumente werden gezählt</translation>
    </message>
    <message>
        <source>reading the runtime</source>
        <translation>Die Laufzeit wird gelesen</translation>
    </message>
    <message>
        <source>family</source>
        <translation>Familie</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>yes, from PTX</source>
        <translation>ja, aus PTX</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>From PTX: the driver compiles the code at the first call, which can take some seconds.</source>
        <translation>Aus PTX: Der Treiber übersetzt den Code beim ersten Aufruf; das kann einige Sekunden dauern.</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>Meldung</translation>
    </message>
    <message>
        <source>What the library needs</source>
        <translation>Was die Bibliothek braucht</translation>
    </message>
    <message>
        <source>this machine</source>
        <translation>dieser Rechner</translation>
    </message>
    <message>
        <source>drivers</source>
        <translation>Treiber</translation>
    </message>
    <message>
        <source>Code, bytes</source>
        <translation>Code, Bytes</translation>
    </message>
    <message>
        <source>Occupancy</source>
        <translation>Auslastung</translation>
    </message>
    <message>
        <source>Registers</source>
        <translation>Register</translation>
    </message>
    <message>
        <source>Shared memory, bytes</source>
        <translation>Gemeinsamer Speicher, Bytes</translation>
    </message>
    <message>
        <source>Stack, bytes</source>
        <translation>Stack, Bytes</translation>
    </message>
    <message>
        <source>compiling</source>
        <translation>kompiliert</translation>
    </message>
    <message>
        <source>New source</source>
        <translation>Neuer Quelltext</translation>
    </message>
    <message>
        <source>called in</source>
        <translation>aufgerufen in</translation>
    </message>
    <message>
        <source>deviation</source>
        <translation>Abweichung</translation>
    </message>
    <message>
        <source>max</source>
        <translation>max</translation>
    </message>
    <message>
        <source>median time</source>
        <translation>Median der Zeit</translation>
    </message>
    <message>
        <source>min</source>
        <translation>min</translation>
    </message>
    <message>
        <source>node of A</source>
        <translation>Knoten von A</translation>
    </message>
    <message>
        <source>reads</source>
        <translation>liest</translation>
    </message>
    <message>
        <source>writes</source>
        <translation>schreibt</translation>
    </message>
    <message>
        <source>This is the first difference: all outputs compared before it agree, so the cause is in the code of this node, in its weights, or in a node that was not compared.</source>
        <translation>Das ist der erste Unterschied: Alle davor verglichenen Ausgaben stimmen überein. Die Ursache liegt also im Code dieses Knotens, in seinen Gewichten oder in einem Knoten, der nicht verglichen wurde.</translation>
    </message>
    <message>
        <source>This output was not kept.</source>
        <translation>Diese Ausgabe wurde nicht aufgehoben.</translation>
    </message>
    <message>
        <source>comparing nodes</source>
        <translation>Knoten vergleichen</translation>
    </message>
    <message>
        <source>reading parameters</source>
        <translation>Parameter lesen</translation>
    </message>
    <message>
        <source>reading the model</source>
        <translation>Modell lesen</translation>
    </message>
    <message>
        <source>translating bytecode</source>
        <translation>Bytecode übersetzen</translation>
    </message>
    <message>
        <source>compared with</source>
        <translation>verglichen mit</translation>
    </message>
    <message>
        <source>FLOP</source>
        <translation>FLOP</translation>
    </message>
    <message>
        <source>GFLOP/s</source>
        <translation>GFLOP/s</translation>
    </message>
    <message>
        <source>output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>pattern</source>
        <translation>Muster</translation>
    </message>
    <message>
        <source>Node %1</source>
        <translation>Knoten %1</translation>
    </message>
    <message>
        <source>Worst elements</source>
        <translation>Schlechteste Elemente</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>Unterschied</translation>
    </message>
    <message>
        <source>Difference of output.%1</source>
        <translation>Unterschied von output.%1</translation>
    </message>
    <message>
        <source>Output in both builds</source>
        <translation>Ausgabe in beiden Builds</translation>
    </message>
    <message>
        <source>%1 of %2 same bits</source>
        <translation>%1 von %2 gleiche Bits</translation>
    </message>
    <message>
        <source>%1 of %2 same bits, %3 not compared</source>
        <translation>%1 von %2 gleiche Bits, %3 nicht verglichen</translation>
    </message>
    <message>
        <source>Its inputs are equal, so the cause is in the code of this node.</source>
        <translation>Seine Eingaben sind gleich, also liegt die Ursache im Code dieses Knotens.</translation>
    </message>
    <message>
        <source>Its inputs are equal, so the cause is in the code of this node. Its weights are equal.</source>
        <translation>Seine Eingaben sind gleich, also liegt die Ursache im Code dieses Knotens. Seine Gewichte sind gleich.</translation>
    </message>
    <message>
        <source>Its inputs are equal, but its weights differ, so the cause is in the weights or in the code of this node.</source>
        <translation>Seine Eingaben sind gleich, aber seine Gewichte unterscheiden sich, also liegt die Ursache in den Gewichten oder im Code dieses Knotens.</translation>
    </message>
    <message>
        <source>Its weights differ, so the cause is in the weights or in the code of this node.</source>
        <translation>Seine Gewichte unterscheiden sich, also liegt die Ursache in den Gewichten oder im Code dieses Knotens.</translation>
    </message>
    <message>
        <source>Its inputs and its weights differ.</source>
        <translation>Seine Eingaben und seine Gewichte unterscheiden sich.</translation>
    </message>
    <message>
        <source>Its inputs differ, but within the tolerance. The cause is in the code of this node, or in earlier nodes whose small differences grow here.</source>
        <translation>Seine Eingaben unterscheiden sich, aber innerhalb der Toleranz. Die Ursache liegt im Code dieses Knotens oder in früheren Knoten, deren kleine Unterschiede hier wachsen.</translation>
    </message>
    <message>
        <source>Its inputs differ, so the cause can be in an earlier node.</source>
        <translation>Seine Eingaben unterscheiden sich, also kann die Ursache in einem früheren Knoten liegen.</translation>
    </message>
    <message>
        <source>The builds fused operators differently here; this node was compared with the one of A that writes the same values.</source>
        <translation>Die Builds haben hier Operatoren unterschiedlich zusammengefasst; dieser Knoten wurde mit dem von A verglichen, der dieselben Werte schreibt.</translation>
    </message>
    <message>
        <source>The builds fused operators differently before this node, so that some nodes before it have no partner. The cause is in one of them, or in this node.</source>
        <translation>Die Builds haben vor diesem Knoten Operatoren unterschiedlich zusammengefasst, sodass dort Knoten ohne Gegenstück sind. Die Ursache liegt in einem von ihnen oder in diesem Knoten.</translation>
    </message>
    <message>
        <source>Profile</source>
        <translation>Profil</translation>
    </message>
    <message>
        <source>Instruction mix</source>
        <translation>Befehlsmix</translation>
    </message>
    <message>
        <source>Memory plan</source>
        <translation>Speicherplan</translation>
    </message>
    <message>
        <source>Activations in use</source>
        <translation>Aktivierungen in Gebrauch</translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>Argumente</translation>
    </message>
    <message>
        <source>Constants</source>
        <translation>Konstanten</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV-Cache</translation>
    </message>
    <message>
        <source>Reserved beyond that</source>
        <translation>Darüber hinaus reserviert</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>cache</source>
        <translation>Cache</translation>
    </message>
    <message>
        <source>filled most by</source>
        <translation>am meisten gefüllt von</translation>
    </message>
    <message>
        <source>first instruction</source>
        <translation>erste Anweisung</translation>
    </message>
    <message>
        <source>functions of the runtime</source>
        <translation>Funktionen der Laufzeit</translation>
    </message>
    <message>
        <source>packed function</source>
        <translation>gepackte Funktion</translation>
    </message>
    <message>
        <source>share</source>
        <translation>Anteil</translation>
    </message>
    <message>
        <source>floating point</source>
        <translation>Gleitkomma</translation>
    </message>
    <message>
        <source>integer and logic</source>
        <translation>Ganzzahlen und Logik</translation>
    </message>
    <message>
        <source>special functions</source>
        <translation>Spezialfunktionen</translation>
    </message>
    <message>
        <source>matrix</source>
        <translation>Matrizen</translation>
    </message>
    <message>
        <source>conversions</source>
        <translation>Umwandlungen</translation>
    </message>
    <message>
        <source>moves</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>global memory</source>
        <translation>globaler Speicher</translation>
    </message>
    <message>
        <source>local memory</source>
        <translation>lokaler Speicher</translation>
    </message>
    <message>
        <source>textures</source>
        <translation>Texturen</translation>
    </message>
    <message>
        <source>control flow</source>
        <translation>Kontrollfluss</translation>
    </message>
    <message>
        <source>exchange</source>
        <translation>Synchronisation und Austausch</translation>
    </message>
    <message>
        <source>read from</source>
        <translation>gelesen aus</translation>
    </message>
    <message>
        <source>call count</source>
        <translation>Anzahl der Aufrufe</translation>
    </message>
    <message>
        <source>launch count</source>
        <translation>Anzahl der Starts</translation>
    </message>
    <message>
        <source>Call graph</source>
        <translation>Aufrufgraph</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>Graph</translation>
    </message>
    <message>
        <source>Add, multiply, other elementwise</source>
        <translation>Addition, Multiplikation, andere elementweise</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Attention</translation>
    </message>
    <message>
        <source>Called or imported by</source>
        <translation>Aufgerufen oder importiert von</translation>
    </message>
    <message>
        <source>Calls or imports</source>
        <translation>Ruft auf oder importiert</translation>
    </message>
    <message>
        <source>Convolution</source>
        <translation>Faltung</translation>
    </message>
    <message>
        <source>Depthwise convolution</source>
        <translation>Kanalweise Faltung</translation>
    </message>
    <message>
        <source>Device modules</source>
        <translation>Gerätemodule</translation>
    </message>
    <message>
        <source>Graphs</source>
        <translation>Graphen</translation>
    </message>
    <message>
        <source>Input, output</source>
        <translation>Eingabe, Ausgabe</translation>
    </message>
    <message>
        <source>Inputs and parameters</source>
        <translation>Eingaben und Parameter</translation>
    </message>
    <message>
        <source>Layout, resize, reshape</source>
        <translation>Layout, Größe, Form</translation>
    </message>
    <message>
        <source>Matrix product</source>
        <translation>Matrixprodukt</translation>
    </message>
    <message>
        <source>node</source>
        <translation>Knoten</translation>
    </message>
    <message>
        <source>Other modules</source>
        <translation>Andere Module</translation>
    </message>
    <message>
        <source>Other operators</source>
        <translation>Andere Operatoren</translation>
    </message>
    <message>
        <source>Pooling, sum, softmax</source>
        <translation>Pooling, Summe, Softmax</translation>
    </message>
    <message>
        <source>Read by</source>
        <translation>Gelesen von</translation>
    </message>
    <message>
        <source>the same in both</source>
        <translation>in beiden gleich</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>Titel</translation>
    </message>
    <message>
        <source>arranging boxes</source>
        <translation>Kästen anordnen</translation>
    </message>
    <message>
        <source>looking for repeated blocks</source>
        <translation>wiederholte Blöcke suchen</translation>
    </message>
    <message>
        <source>reading instructions</source>
        <translation>Anweisungen lesen</translation>
    </message>
    <message>
        <source>reading nodes</source>
        <translation>Knoten lesen</translation>
    </message>
    <message>
        <source>Safety</source>
        <translation>Sicherheit</translation>
    </message>
    <message>
        <source>Addresses</source>
        <translation>Adressen</translation>
    </message>
    <message>
        <source>Beside it</source>
        <translation>Daneben</translation>
    </message>
    <message>
        <source>Blob</source>
        <translation>Blob</translation>
    </message>
    <message>
        <source>Build id</source>
        <translation>Build-ID</translation>
    </message>
    <message>
        <source>Build paths</source>
        <translation>Build-Pfade</translation>
    </message>
    <message>
        <source>C and C++ libraries</source>
        <translation>C- und C++-Bibliotheken</translation>
    </message>
    <message>
        <source>Called by name</source>
        <translation>Per Name aufgerufen</translation>
    </message>
    <message>
        <source>Checked</source>
        <translation>Geprüft</translation>
    </message>
    <message>
        <source>Code only</source>
        <translation>Nur Code</translation>
    </message>
    <message>
        <source>Compiler</source>
        <translation>Compiler</translation>
    </message>
    <message>
        <source>Content</source>
        <translation>Inhalt</translation>
    </message>
    <message>
        <source>Content stays the same when only order, padding, build paths or times change.</source>
        <translation>Der Inhalt bleibt gleich, wenn sich nur Reihenfolge, Füllbytes, Build-Pfade oder Zeiten ändern.</translation>
    </message>
    <message>
        <source>Could do</source>
        <translation>Könnte tun</translation>
    </message>
    <message>
        <source>Covers</source>
        <translation>Umfasst</translation>
    </message>
    <message>
        <source>CycloneDX file</source>
        <translation>CycloneDX-Datei</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>Daten</translation>
    </message>
    <message>
        <source>Digest</source>
        <translation>Prüfsumme</translation>
    </message>
    <message>
        <source>Dynamic code</source>
        <translation>Dynamischer Code</translation>
    </message>
    <message>
        <source>Every byte has an owner.</source>
        <translation>Jedes Byte ist zugeordnet.</translation>
    </message>
    <message>
        <source>Executable stack</source>
        <translation>Ausführbarer Stack</translation>
    </message>
    <message>
        <source>expected</source>
        <translation>erwartet</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>Dateien</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>Befunde</translation>
    </message>
    <message>
        <source>Host code</source>
        <translation>Host-Code</translation>
    </message>
    <message>
        <source>HTML file</source>
        <translation>HTML-Datei</translation>
    </message>
    <message>
        <source>Identity</source>
        <translation>Identität</translation>
    </message>
    <message>
        <source>In the file</source>
        <translation>In der Datei</translation>
    </message>
    <message>
        <source>JSON file</source>
        <translation>JSON-Datei</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Schlüssel</translation>
    </message>
    <message>
        <source>Left inside</source>
        <translation>Zurückgelassen</translation>
    </message>
    <message>
        <source>Memory protection</source>
        <translation>Speicherschutz</translation>
    </message>
    <message>
        <source>Needs</source>
        <translation>Benötigt</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Netzwerk</translation>
    </message>
    <message>
        <source>not expected in a TVM export</source>
        <translation>in einem TVM-Export nicht erwartet</translation>
    </message>
    <message>
        <source>Nothing</source>
        <translation>Nichts</translation>
    </message>
    <message>
        <source>Other libraries</source>
        <translation>Andere Bibliotheken</translation>
    </message>
    <message>
        <source>Owned by nothing</source>
        <translation>Nicht zugeordnet</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>Problem</translation>
    </message>
    <message>
        <source>Process</source>
        <translation>Prozess</translation>
    </message>
    <message>
        <source>Producer</source>
        <translation>Erzeuger</translation>
    </message>
    <message>
        <source>Protection</source>
        <translation>Schutz</translation>
    </message>
    <message>
        <source>Read, not executed. This page says what is in the file. It does not say that its maker can be trusted.</source>
        <translation>Gelesen, nicht ausgeführt. Diese Seite sagt, was in der Datei steht. Sie sagt nicht, dass man dem Hersteller vertrauen kann.</translation>
    </message>
    <message>
        <source>RELRO</source>
        <translation>RELRO</translation>
    </message>
    <message>
        <source>Runs when loaded</source>
        <translation>Läuft beim Laden</translation>
    </message>
    <message>
        <source>Search path</source>
        <translation>Suchpfad</translation>
    </message>
    <message>
        <source>Show the caller</source>
        <translation>Aufrufer anzeigen</translation>
    </message>
    <message>
        <source>Signature</source>
        <translation>Signatur</translation>
    </message>
    <message>
        <source>States</source>
        <translation>Gibt an</translation>
    </message>
    <message>
        <source>Tables</source>
        <translation>Tabellen</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>Threads</translation>
    </message>
    <message>
        <source>Times</source>
        <translation>Zeiten</translation>
    </message>
    <message>
        <source>TVM</source>
        <translation>TVM</translation>
    </message>
    <message>
        <source>User names</source>
        <translation>Benutzernamen</translation>
    </message>
    <message>
        <source>when unloaded</source>
        <translation>beim Entladen</translation>
    </message>
    <message>
        <source>Writable code</source>
        <translation>Beschreibbarer Code</translation>
    </message>
    <message>
        <source>computing digests</source>
        <translation>Prüfsummen werden berechnet</translation>
    </message>
    <message>
        <source>following code that runs when the file is loaded</source>
        <translation>Code, der beim Laden läuft, wird verfolgt</translation>
    </message>
    <message>
        <source>searching texts</source>
        <translation>Texte werden gesucht</translation>
    </message>
    <message>
        <source>searching bytes that nothing owns</source>
        <translation>nicht zugeordnete Bytes werden gesucht</translation>
    </message>
    <message>
        <source>searching system calls</source>
        <translation>Systemaufrufe werden gesucht</translation>
    </message>
    <message>
        <source>1st percentile</source>
        <translation>1. Perzentil</translation>
    </message>
    <message>
        <source>99th percentile</source>
        <translation>99. Perzentil</translation>
    </message>
    <message>
        <source>different values</source>
        <translation>verschiedene Werte</translation>
    </message>
    <message>
        <source>median</source>
        <translation>Median</translation>
    </message>
    <message>
        <source>norm</source>
        <translation>Norm</translation>
    </message>
    <message>
        <source>read</source>
        <translation>gelesen</translation>
    </message>
    <message>
        <source>subnormal</source>
        <translation>subnormal</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>Vorher</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>Jetzt</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>reading values</source>
        <translation>Werte lesen</translation>
    </message>
    <message>
        <source>Entropy</source>
        <translation>Entropie</translation>
    </message>
    <message>
        <source>Strings</source>
        <translation>Zeichenketten</translation>
    </message>
    <message>
        <source>around it</source>
        <translation>Umgebung</translation>
    </message>
    <message>
        <source>bits per byte</source>
        <translation>Bit je Byte</translation>
    </message>
    <message>
        <source>big-endian</source>
        <translation>Big-Endian</translation>
    </message>
    <message>
        <source>characters</source>
        <translation>Zeichen</translation>
    </message>
    <message>
        <source>little-endian</source>
        <translation>Little-Endian</translation>
    </message>
    <message>
        <source>now, before</source>
        <translation>jetzt, vorher</translation>
    </message>
    <message>
        <source>part</source>
        <translation>Teil</translation>
    </message>
    <message>
        <source>blocks</source>
        <translation>Blöcke</translation>
    </message>
    <message>
        <source>callers</source>
        <translation>Aufrufer</translation>
    </message>
    <message>
        <source>clusters</source>
        <translation>Cluster</translation>
    </message>
    <message>
        <source>Image kernels</source>
        <translation>Kernel der Images</translation>
    </message>
    <message>
        <source>Kernels</source>
        <translation>Kernel</translation>
    </message>
    <message>
        <source>limited by</source>
        <translation>begrenzt durch</translation>
    </message>
    <message>
        <source>local bytes</source>
        <translation>Bytes des lokalen Speichers</translation>
    </message>
    <message>
        <source>occupancy</source>
        <translation>Auslastung</translation>
    </message>
    <message>
        <source>Occupancy by block size</source>
        <translation>Auslastung nach Blockgröße</translation>
    </message>
    <message>
        <source>Occupancy by registers</source>
        <translation>Auslastung nach Registern</translation>
    </message>
    <message>
        <source>Occupancy by shared memory</source>
        <translation>Auslastung nach gemeinsamem Speicher</translation>
    </message>
    <message>
        <source>occupancy %</source>
        <translation>Auslastung in %</translation>
    </message>
    <message>
        <source>plot</source>
        <translation>Diagramm</translation>
    </message>
    <message>
        <source>prefix</source>
        <translation>Präfix</translation>
    </message>
    <message>
        <source>Registers and block size</source>
        <translation>Register und Blockgröße</translation>
    </message>
    <message>
        <source>series</source>
        <translation>Reihe</translation>
    </message>
    <message>
        <source>shared memory per block</source>
        <translation>gemeinsamer Speicher je Block</translation>
    </message>
    <message>
        <source>shuffles</source>
        <translation>Shuffles</translation>
    </message>
    <message>
        <source>tensor cores</source>
        <translation>Tensorkerne</translation>
    </message>
    <message>
        <source>threads</source>
        <translation>Threads</translation>
    </message>
    <message>
        <source>threads per block</source>
        <translation>Threads je Block</translation>
    </message>
    <message>
        <source>computing the entropy</source>
        <translation>Entropie wird berechnet</translation>
    </message>
    <message>
        <source>reading strings</source>
        <translation>Zeichenketten werden gelesen</translation>
    </message>
    <message>
        <source>accepted</source>
        <translation>abgenommen</translation>
    </message>
    <message>
        <source>new</source>
        <translation>neu</translation>
    </message>
    <message>
        <source>Not in the accepted report</source>
        <translation>Nicht im abgenommenen Bericht</translation>
    </message>
    <message>
        <source>The accepted report has all findings.</source>
        <translation>Der abgenommene Bericht enthält alle Befunde.</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Constants, data</source>
        <translation>Konstanten, Daten</translation>
    </message>
    <message>
        <source>Containers</source>
        <translation>Container</translation>
    </message>
    <message>
        <source>No name</source>
        <translation>Ohne Namen</translation>
    </message>
    <message>
        <source>Sections, tables</source>
        <translation>Abschnitte, Tabellen</translation>
    </message>
    <message>
        <source>VM, graph</source>
        <translation>VM, Graph</translation>
    </message>
    <message>
        <source>in</source>
        <translation>in</translation>
    </message>
    <message>
        <source>share in %</source>
        <translation>Anteil in %</translation>
    </message>
    <message>
        <source>Will it fit?</source>
        <translation>Passt es?</translation>
    </message>
    <message>
        <source>A board, or RAM and flash such as 256 KiB, 1 MiB; align 8 after a comma sets the alignment</source>
        <translation>Ein Board, oder RAM und Flash wie 256 KiB, 1 MiB; align 8 nach einem Komma legt die Ausrichtung fest</translation>
    </message>
    <message>
        <source>first values of data</source>
        <translation>Anfangswerte von Daten</translation>
    </message>
    <message>
        <source>code and constants of objects</source>
        <translation>Code und Konstanten von Objekten</translation>
    </message>
    <message>
        <source>buffers of the largest operator</source>
        <translation>Puffer des größten Operators</translation>
    </message>
    <message>
        <source>alignment of workspaces</source>
        <translation>Ausrichtung der Arbeitsspeicher</translation>
    </message>
    <message>
        <source>all boards</source>
        <translation>alle Boards</translation>
    </message>
    <message>
        <source>chip</source>
        <translation>Chip</translation>
    </message>
    <message>
        <source>flash</source>
        <translation>Flash</translation>
    </message>
    <message>
        <source>flash left</source>
        <translation>Flash frei</translation>
    </message>
    <message>
        <source>RAM left</source>
        <translation>RAM frei</translation>
    </message>
    <message>
        <source>board</source>
        <translation>Board</translation>
    </message>
    <message>
        <source>with its headers</source>
        <translation>mit ihren Kopfdaten</translation>
    </message>
    <message>
        <source>with headers and in order, byte for byte</source>
        <translation>mit Kopfdaten und in ihrer Reihenfolge, Byte für Byte</translation>
    </message>
    <message>
        <source>types and shapes stay, so nothing moves</source>
        <translation>Typen und Formen bleiben, also verschiebt sich nichts</translation>
    </message>
    <message>
        <source>two blocks of zeros, filled up to a multiple of 10 KiB</source>
        <translation>zwei Blöcke aus Nullen, aufgefüllt auf ein Vielfaches von 10 KiB</translation>
    </message>
    <message>
        <source>by name within each folder, as TVM writes them</source>
        <translation>nach Namen in jedem Ordner, wie TVM sie schreibt</translation>
    </message>
    <message>
        <source>all others stay</source>
        <translation>alle anderen bleiben</translation>
    </message>
    <message>
        <source>Write the end marker</source>
        <translation>Endmarke schreiben</translation>
    </message>
    <message>
        <source>Write new values of tensors</source>
        <translation>Neue Werte von Tensoren schreiben</translation>
    </message>
    <message>
        <source>Sort the members</source>
        <translation>Dateien sortieren</translation>
    </message>
    <message>
        <source>planning the members</source>
        <translation>Dateien planen</translation>
    </message>
    <message>
        <source>Generated by</source>
        <translation>Erzeugt von</translation>
    </message>
    <message>
        <source>any that fits</source>
        <translation>jedes passende</translation>
    </message>
    <message>
        <source>Bundle</source>
        <translation>Bündel</translation>
    </message>
    <message>
        <source>reading start-up code</source>
        <translation>Start-Code wird gelesen</translation>
    </message>
    <message>
        <source>looking for the users of device images</source>
        <translation>Nutzer von Geräte-Images werden gesucht</translation>
    </message>
    <message>
        <source>checking files</source>
        <translation>Dateien werden geprüft</translation>
    </message>
</context>
<context>
    <name>menus</name>
    <message>
        <source>%1 in %2</source>
        <translation>%1 in %2</translation>
    </message>
    <message>
        <source>%1 (not found)</source>
        <translation>%1 (nicht gefunden)</translation>
    </message>
    <message>
        <source>No files were opened yet</source>
        <translation>Es wurden noch keine Dateien geöffnet</translation>
    </message>
    <message>
        <source>&amp;Clear list</source>
        <translation>Liste &amp;leeren</translation>
    </message>
    <message>
        <source>Start page</source>
        <translation>Startseite</translation>
    </message>
</context>
</TS>
