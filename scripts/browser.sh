#!/usr/bin/env bash
# Puts a Chromium and fonts on a Debian machine for the tests of the report in a real browser. Does nothing where there is one.
set -euo pipefail

for name in chromium chromium-browser google-chrome; do
  if found=$(command -v "$name"); then
    echo "browser: $found"
    exit 0
  fi
done

if ! command -v apt-get >/dev/null; then
  echo "browser: no Chromium, and no apt-get to install it with; install Chromium by hand for tests/flows/test_report_browser.py" >&2
  exit 1
fi
root=()
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo >/dev/null || ! sudo -n true 2>/dev/null; then
    echo "browser: no Chromium, and not root; run: apt-get install chromium fonts-dejavu-core" >&2
    exit 1
  fi
  root=(sudo -n)
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() {
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends chromium fonts-dejavu-core >"$log" 2>&1
}
# The lists of a fresh machine are empty or old: read them only where the first try fails.
if ! install && ! { "${root[@]}" apt-get update -q >"$log" 2>&1 && install; }; then
  tail -n 5 "$log" >&2
  echo "browser: apt-get could not install chromium; the browser tests fail where CI is set and are skipped elsewhere" >&2
  exit 1
fi
echo "browser: installed $(command -v chromium)"
