# What the scripts of this folder share; they read it with "source".
set -euo pipefail
findings=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# install PACKAGE==VERSION ...: makes a virtual environment with these packages in the temporary folder.
install() {
    python3 -m venv "$folder/venv"
    "$folder/venv/bin/pip" install -q --no-compile "$@"
    site=$(echo "$folder"/venv/lib/python3*/site-packages)
}

# need TOOL ...: ends the script if a tool of the system is missing.
need() {
    local tool
    for tool in "$@"; do
        command -v "$tool" >/dev/null || { echo "this script needs $tool"; exit 1; }
    done
}

# python: runs the Python program of the standard input with the installed packages, in the temporary folder.
python() {
    cat >"$folder/try.py"
    (cd "$folder" && PYTHONPATH="$findings" PYTHONDONTWRITEBYTECODE=1 "$folder/venv/bin/python" try.py)
}

# expect WHAT SEEN DESCRIBED: prints what was seen, and ends the script if the header describes something else.
expect() {
    printf '%s: %s\n' "$1" "$2"
    [ "$2" = "$3" ] || { printf 'the behaviour has changed; described: %s\n' "$3"; exit 1; }
}
