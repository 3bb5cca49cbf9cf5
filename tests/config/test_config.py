"""The effective configuration: who wins, where it came from, what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ambidex.config import Config, keys
from ambidex.contracts.spec import PROVIDERS
from ambidex.dialect.conditions import FIELDS
from ambidex.errors import ConfigError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def load(folder: Path) -> Callable[..., Config]:
    """Load a file of this text, in an environment of these variables."""

    def loaded(text: str = "", *, environ: dict[str, str] | None = None, **overrides: Any) -> Config:
        (folder / "ambidex.toml").write_text(text)
        return Config.load(environ=environ or {}, overrides=overrides)

    return loaded


def test_without_a_file_every_key_has_its_default(folder: Path) -> None:
    config = Config.load(environ={})
    assert config.path is None
    assert {setting.origin for setting in config.settings.values()} == {"default"}
    assert config[keys.TOOLS] == folder / "tools"
    assert config[keys.TARGETS] == PROVIDERS
    assert config[keys.PROMPTS_FULL_DOCS_UP_TO] == 6
    assert config[keys.BUILD_STRICT] is False


def test_file_beats_default_variable_beats_file_argument_beats_variable(load: Callable[..., Config]) -> None:
    text = 'timezone = "Europe/Paris"\nregion = "FR"\nlocale = "fr"\n'
    config = load(text, environ={"AMBIDEX_REGION": "DE", "AMBIDEX_LOCALE": "de"}, locale="it")
    assert config[keys.TIMEZONE] == "Europe/Paris"
    assert config.origin(keys.TIMEZONE) == str(config.path)
    assert (config[keys.REGION], config.origin(keys.REGION)) == ("DE", "AMBIDEX_REGION")
    assert (config[keys.LOCALE], config.origin(keys.LOCALE)) == ("it", "argument")


def test_a_path_in_a_file_is_relative_to_that_file(folder: Path) -> None:
    (folder / "deep").mkdir()
    file = folder / "deep" / "other.toml"
    file.write_text('tools = "../mine"\n')
    config = Config.load(file, environ={})
    assert config[keys.TOOLS] == folder / "mine"
    assert config[keys.ARTIFACT] == folder / "deep" / "tool_registry.json", "defaults belong to the project's folder"


def test_a_path_in_a_variable_is_relative_to_the_current_folder(folder: Path) -> None:
    (folder / "deep").mkdir()
    (folder / "deep" / "ambidex.toml").write_text("")
    config = Config.load(folder / "deep" / "ambidex.toml", environ={"AMBIDEX_TOOLS": "here"})
    assert config[keys.TOOLS] == folder / "here"


@pytest.mark.parametrize(
    ("variable", "text", "key", "value"),
    [
        ("AMBIDEX_PROMPTS_FULL_DOCS_UP_TO", "0", keys.PROMPTS_FULL_DOCS_UP_TO, 0),
        ("AMBIDEX_BUILD_STRICT", "true", keys.BUILD_STRICT, True),
        ("AMBIDEX_BUILD_STRICT", "0", keys.BUILD_STRICT, False),
        ("AMBIDEX_TARGETS", "mcp, openai", keys.TARGETS, ("openai", "mcp")),
        ("AMBIDEX_VALUES", '{"a": [1, "x"]}', keys.VALUES, {"a": (1, "x")}),
        ("AMBIDEX_ENVIRONMENT", "production", keys.ENVIRONMENT, "production"),
    ],
)
def test_variables_are_read_by_the_kind_of_their_key(
    load: Callable[..., Config], variable: str, text: str, key: keys.Key[Any], value: Any
) -> None:
    assert load(environ={variable: text})[key] == value


def test_an_empty_variable_counts_as_unset(load: Callable[..., Config]) -> None:
    assert load(environ={"AMBIDEX_REGION": ""}).origin(keys.REGION) == "default"


def test_gemini_as_a_target_means_both_of_its_forms(load: Callable[..., Config]) -> None:
    assert load('targets = ["gemini", "openai"]')[keys.TARGETS] == ("openai", "geminiNative", "geminiJsonSchema")


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("\ntimzone = 'UTC'\n", 2, "did you mean 'timezone'?"),
        ("[prompts]\n\nfull_docs = 3\n", 3, "did you mean 'prompts.full_docs_up_to'?"),
        ("region = 'US'\n[prompts]\nfull_docs_up_to = '3'\n", 3, "prompts.full_docs_up_to must be a whole number"),
        ("prompts.full_docs_up_to = -1\n", 1, "at least 0, not -1"),
        ("build = { strict = 1 }\n", 1, "build.strict must be true or false, not 1"),
        ("environment = 'prod'\n", 1, "did you mean 'production'?"),
        ("timezone = 'Europe/Pariss'\n", 1, "did you mean 'Europe/Paris'?"),
        ("timezone = 3\n", 1, "must be an IANA time zone"),
        ("timezone = '../../etc/passwd'\n", 1, "must be an IANA time zone"),
        ("region = 'usa'\n", 1, "like 'US'"),
        ("locale = 'English'\n", 1, "like 'en-GB'"),
        ("targets = []\n", 1, "at least one provider"),
        ("targets = ['anthropics']\n", 1, "did you mean 'anthropic'?"),
        ("tools = ''\n", 1, "must be a path"),
        ("prompts = 'here'\n", 1, "must be a table"),
        ("values = 3\n", 1, "must be a table"),
        ("[values]\nwhen = 2026-01-01\n", 1, "write it as text"),
        ("[values]\nlimit = inf\n", 1, "not inf"),
    ],
)
def test_a_mistake_in_the_file_is_told_with_its_line(
    load: Callable[..., Config], folder: Path, text: str, line: int, words: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        load(text)
    assert str(caught.value).startswith(f"{folder / 'ambidex.toml'}:{line}: ")
    assert words in str(caught.value)


def test_a_mistake_in_a_variable_is_told_with_its_name(load: Callable[..., Config]) -> None:
    with pytest.raises(ConfigError, match=r"^AMBIDEX_BUILD_STRICT: build.strict must be true or false, not 'maybe'"):
        load(environ={"AMBIDEX_BUILD_STRICT": "maybe"})


def test_a_mistake_in_an_argument_is_told_as_such(load: Callable[..., Config]) -> None:
    with pytest.raises(ConfigError, match="argument: there is no key 'regoin'; did you mean 'region'"):
        load(regoin="US")


def test_a_wrong_value_is_told_even_where_a_variable_overrides_it(load: Callable[..., Config]) -> None:
    with pytest.raises(ConfigError, match="region must be"):
        load("region = 1", environ={"AMBIDEX_REGION": "US"})


def test_text_that_is_not_toml_is_told_with_its_line(load: Callable[..., Config]) -> None:
    with pytest.raises(ConfigError, match=r"is not TOML: .*line 2"):
        load("region = 'US'\n= 3\n")


def test_a_file_that_was_named_must_be_there(folder: Path) -> None:
    with pytest.raises(ConfigError, match=r"there is no file .*missing\.toml"):
        Config.load(folder / "missing.toml", environ={})


def test_a_file_that_is_not_text_is_told(folder: Path) -> None:
    (folder / "ambidex.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="UTF-8"):
        Config.load(environ={})


def test_variables_that_name_no_key_are_remembered_and_harmless(load: Callable[..., Config]) -> None:
    config = load(environ={"AMBIDEX_TOOL": "x", "AMBIDEX_DEBUG": "1", "PATH": "y", "AMBIDEX_TOOLS": "t"})
    assert config.unknown_variables == ("AMBIDEX_TOOL",)


def test_conditions_and_handlers_see_the_public_part_only(load: Callable[..., Config]) -> None:
    public = load("[values]\ndeep = { list = [1, { a = true }] }\n").public()
    assert tuple(sorted(public)) == FIELDS["config"], "the names that conditions are checked against"
    assert public["values"]["deep"]["list"][1]["a"] is True


def test_what_they_see_cannot_be_changed(load: Callable[..., Config]) -> None:
    config = load("[values]\ndeep = { list = [1] }\n")
    public: Any = config.public()
    settings: Any = config.settings
    for change in (
        lambda: public.update(region="X"),
        lambda: public["values"].__setitem__("x", 1),
        lambda: public["values"]["deep"].__setitem__("x", 1),
        lambda: public["values"]["deep"]["list"].append(2),
        lambda: setattr(config, "path", None),
        lambda: settings.update(region=None),
    ):
        with pytest.raises((TypeError, AttributeError)):
            change()


def test_overrides_may_be_shaped_like_the_file(folder: Path) -> None:
    config = Config.load(environ={}, overrides={"prompts": {"full_docs_up_to": 2}, "build.strict": True})
    assert config[keys.PROMPTS_FULL_DOCS_UP_TO] == 2
    assert config[keys.BUILD_STRICT] is True
