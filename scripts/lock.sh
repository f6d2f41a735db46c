#!/usr/bin/env bash
# Writes requirements.lock: hashed, for every supported Python, without index addresses. uv.lock records addresses: not kept.
set -euo pipefail
cd "$(dirname "$0")/.."
.venv/bin/uv lock --quiet
.venv/bin/uv export --quiet --frozen --all-groups --no-emit-project --no-header --no-annotate -o requirements.lock
rm -f uv.lock
echo "requirements.lock: $(grep -c '==' requirements.lock) packages"
