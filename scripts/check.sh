#!/usr/bin/env bash
# Everything that can be checked without building a corpus: a line for each, all of them even where one fails.
set -uo pipefail
cd "$(dirname "$0")/.."
bin=.venv/bin
failed=0

check() { # name, command...
  local name=$1 began=$SECONDS said
  shift
  if said=$("$@" 2>&1); then
    echo "check: $name: fine ($((SECONDS - began)) s)"
  else
    echo "check: $name: FAILED"
    echo "$said" | sed 's/^/  /'
    failed=1
  fi
}

check "style (ruff)" "$bin/ruff" check .
check "types (mypy)" "$bin/mypy"
check "pages, links, commands in the text (pytest)" "$bin/python" -m pytest -q -p no:cacheprovider -m "not slow" tests/test_docs.py
check "site (mkdocs build --strict)" "$bin/mkdocs" build --strict  # --quiet would hide the warnings that it counts
exit "$failed"
