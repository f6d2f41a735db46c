#!/usr/bin/env bash
# Builds the sample corpus into a warehouse, publishes it and asks it questions.
set -euo pipefail
cd "$(dirname "$0")/.."
warehouse=${1:-data/warehouse}
lode=.venv/bin/lode
began=$(date +%s)

echo "run: building the sample corpus into $warehouse"
"$lode" build --config configs/sample.toml --warehouse "$warehouse"

ask() { echo; echo "\$ lode query ${*@Q}"; "$lode" query "$@" --warehouse "$warehouse" -k 3; }
ask "Who was chief executive officer of IBM?" --at 2015-06-30
ask "Who was chief executive officer of IBM?" --at 2021-01-15
ask "How tall is Blackpool Tower?" --view full
ask "Who is the chief executive officer of Lodestar Minerals?"
ask "Who is the chief executive officer of Lodestar Minerals?" --as board

echo; echo "facts by what they were read from, with one of each:"
"$lode" sql "select case m.extractor when 'spacy' then 'text' else m.extractor end as read_from, count(*) as facts,
  arg_max(n.subject || ' · ' || n.predicate || ' · ' || n.object, (-n.source_count, c.confidence, n.nugget_id)) as example
  from nuggets n, unnest(n.claim_ids) as u(claim_id) join claims c using (claim_id) join mentions m using (mention_id)
  where n.kind <> 'statement' and n.start_min is not null group by 1 order by 1" --warehouse "$warehouse"

echo
"$lode" status --warehouse "$warehouse"
release=$("$lode" status --warehouse "$warehouse" --json | .venv/bin/python -c 'import json, sys; print(json.load(sys.stdin)["release"])')
echo "reconciliation report: $warehouse/reports/$release/report.html"
echo "run: done in $(($(date +%s) - began)) s (set-up not counted)"
