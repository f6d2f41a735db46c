# `make setup`, `make run`, `make test` work on a machine that has Python 3.12 or 3.13 somewhere and nothing else.
SHELL := /bin/bash
.DEFAULT_GOAL := help
WAREHOUSE ?= data/warehouse
LODE := .venv/bin/lode
PYTEST := .venv/bin/python -m pytest -q -p no:cacheprovider

.PHONY: help setup run test test-slow lint check site lock clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: ## Make .venv from the hashed lock (a second call is instant)
	@bash scripts/setup.sh

run: setup ## Build the sample corpus, publish it, ask it questions
	@bash scripts/run.sh "$(WAREHOUSE)"

test: setup ## Run the tests
	@$(PYTEST) -n 2 --dist loadfile -m "not slow" tests

test-slow: setup ## Run the slow proofs: kills, scale, real dumps
	@$(PYTEST) -n 2 --dist loadfile -m slow tests

lint: setup ## Check style
	@.venv/bin/ruff check . && echo "lint: clean"

check: setup ## Check style, types, generated pages, links and the site
	@bash scripts/check.sh

site: setup ## Build the documents as a site into site/
	@.venv/bin/mkdocs build --strict && echo "site: site/index.html"

lock: setup ## Refresh requirements.lock from pyproject.toml
	@bash scripts/lock.sh

clean: ## Remove the sample warehouse
	rm -rf "$(WAREHOUSE)"
