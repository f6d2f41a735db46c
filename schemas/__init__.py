"""What the data is: fields, tables, ids, time, config models, audits. Imports nothing of ours."""
