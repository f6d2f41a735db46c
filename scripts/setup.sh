#!/usr/bin/env bash
# Makes .venv from requirements.lock: finds a Python that really runs, installs uv (hashed), syncs, installs `lode`.
set -euo pipefail
cd "$(dirname "$0")/.."

stamp=.venv/.lode-setup
want=$(cat requirements.lock requirements-build.lock pyproject.toml scripts/setup.sh | cksum)
if [ -x .venv/bin/lode ] && [ "$(cat "$stamp" 2>/dev/null)" = "$want" ]; then
  exit 0
fi
began=$(date +%s)

runs() { # a shim on the path may not run: ask it
  "$1" -c 'import sys, venv, ensurepip; raise SystemExit(not ((3, 12) <= sys.version_info[:2] <= (3, 13)))' >/dev/null 2>&1
}

python=
shopt -s nullglob
for candidate in ${PYTHON:+"$PYTHON"} python3.12 python3.13 python3 python \
  "$HOME"/.pyenv/versions/3.1[23]*/bin/python "$HOME"/.local/share/uv/python/cpython-3.1[23]*/bin/python3 \
  /opt/*/bin/python3.1[23] /usr/local/bin/python3.1[23] /opt/homebrew/bin/python3.1[23]; do
  if runs "$candidate"; then python=$candidate; break; fi
done
if [ -z "$python" ]; then
  echo "error: no Python 3.12 or 3.13 that runs was found" >&2
  echo "  looked at: PYTHON, python3.12, python3.13, python3, python on PATH; ~/.pyenv, ~/.local/share/uv, /opt, /usr/local" >&2
  echo "  to mend it: install one (pyenv install 3.12, or your system's package), or set PYTHON=/path/to/python3.12" >&2
  exit 1
fi
echo "setup: $("$python" --version) at $python"

if ! [ -x .venv/bin/python ] || ! runs .venv/bin/python; then
  rm -rf .venv
  "$python" -m venv .venv
fi
rm -f "$stamp"
echo "setup: installing build tools"
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements-build.lock
echo "setup: installing $(grep -c '==' requirements.lock) locked packages (Java included)"
VIRTUAL_ENV=$PWD/.venv .venv/bin/uv pip install --quiet --no-deps --require-hashes --no-build-isolation -r requirements.lock
echo "setup: installing lode"
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
printf '%s' "$want" >"$stamp"
echo "setup: done in $(($(date +%s) - began)) s"
