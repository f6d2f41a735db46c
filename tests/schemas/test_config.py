"""Config: defaults, refusal with a suggestion, resolution of named files."""

import json

import pytest

from schemas.config import Config, load_config, parse_config, resolve
from schemas.errors import ConfigError


def test_an_empty_file_is_a_config(tmp_path):
    path = tmp_path / "lode.toml"
    path.write_text("")
    config, base = load_config(path)
    assert config == Config() and base == tmp_path
    json.dumps(resolve(config, base))


@pytest.mark.parametrize(("data", "key", "hint"), [
    ({"chunk": {"max_token": 3}}, "chunk.max_token", "`max_tokens`"),
    ({"chnuk": {}}, "chnuk", "`chunk`"),
    ({"sources": {"a": {"path": "x", "defaultacl": ["public"]}}}, "sources.a.defaultacl", "`default_acl`"),
])
def test_an_unknown_key_is_refused_with_a_suggestion(data, key, hint):
    with pytest.raises(ConfigError) as caught:
        parse_config(data, "lode.toml")
    assert key in caught.value.found and hint in caught.value.expected


def test_a_bad_value_names_the_key():
    with pytest.raises(ConfigError, match=r"chunk\.max_tokens"):
        parse_config({"chunk": {"max_tokens": -1}}, "lode.toml")


def test_bad_toml_and_missing_files(tmp_path):
    path = tmp_path / "lode.toml"
    path.write_text("[chunk")
    with pytest.raises(ConfigError, match="not valid TOML"):
        load_config(path)
    with pytest.raises(ConfigError, match="no config file"):
        load_config(tmp_path / "absent.toml")
    path.write_text('[predicates]\nfile = "absent.toml"')
    with pytest.raises(ConfigError, match="absent.toml"):
        resolve(*load_config(path))


def test_another_predicate_file_is_taken_from_beside_the_config(tmp_path):
    (tmp_path / "p.toml").write_text('[predicates.habitat]\ndescription = "Where a species lives."\nobject = "string"\n')
    (tmp_path / "lode.toml").write_text('[predicates]\nfile = "p.toml"')
    assert list(resolve(*load_config(tmp_path / "lode.toml"))["predicates"]) == ["habitat"]
