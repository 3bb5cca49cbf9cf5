"""`ambidex serve`: build if need be, check everything, and serve the agent until told to stop."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ambidex.cli.options import common_options
from ambidex.cli.output import Exit, leave, note, plural, say_json, shown
from ambidex.cli.serve_steps import Steps
from ambidex.config import Config, keys
from ambidex.errors import ArtifactError, BuildError, MissingExtra

if TYPE_CHECKING:
    import socket

    from ambidex.registry.registry import Registry

_NEEDED = ("starlette", "uvicorn")


@click.command(short_help="Serve the agent over HTTP, with a page.")
@click.option("--host", help="The address to listen on (default: configured, else 127.0.0.1).")
@click.option("--port", type=click.IntRange(0, 65535), help="The port; 0 takes any that is free.")
@click.option("--provider", help="The model's provider (default: configured; without any key, offline).")
@click.option("--workers", type=click.IntRange(min=1), help="Processes that serve the port, on one store.")
@click.option("--dev", is_flag=True, help="Development, whatever is configured; every request is logged.")
@common_options
def command(
    host: str | None,
    port: int | None,
    provider: str | None,
    workers: int | None,
    dev: bool,
    config_path: Path | None,
    as_json: bool,
) -> None:
    """Serve the agent over HTTP, with a page.

    In development the tools are built first when they have changed; in production an artifact that is stale or was
    altered is refused. Ctrl+C ends it: what runs is finished, within the grace time. With --json one document is
    printed when it serves: {"ok", "url", "registryVersion", "tools", "provider", "workers", "store"}.
    """
    _needs_the_extra()
    given = {"server.host": host, "server.port": port, "server.workers": workers}
    overrides: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if dev:
        overrides["environment"] = "development"
    config = Config.load(config_path, overrides=overrides)
    steps = Steps(quiet=as_json)
    registry = _prepared(config, steps)
    model = _checked(config, registry, provider, steps)
    listening, url = _listening(config)
    # Workers read the configuration again, so the port that was found is part of it.
    overrides["server.port"] = listening.getsockname()[1]
    began = time.perf_counter()

    def announce() -> None:
        steps.tell("server", f"{plural(config[keys.SERVER_WORKERS], 'worker')}, everything loaded", began)
        _announce(config, registry, model, url, as_json=as_json)

    from ambidex.server.run import serve

    ran = serve(
        config, listening, path=_path(config), overrides=overrides, provider=provider, verbose=dev, on_ready=announce
    )
    note("\nstopped" if ran else "it did not start")
    leave(Exit.OK if ran else Exit.PROBLEMS)


def _needs_the_extra() -> None:
    from importlib.util import find_spec

    if any(find_spec(name) is None for name in _NEEDED):
        raise MissingExtra("`ambidex serve`", "server")


def _prepared(config: Config, steps: Steps) -> Registry:
    """The registry, from an artifact that says what the tools say."""
    from ambidex.registry.load import load

    with steps.step("tools") as tell:
        tell(_fresh(config) if config[keys.ENVIRONMENT] == "production" else _built(config))
    with steps.step("registry") as tell:
        registry = load(config[keys.ARTIFACT], eager=True)
        tell(f"{registry.version}, {plural(len(registry), 'tool')} loaded and checked")
    return registry


def _built(config: Config) -> str:
    from ambidex.cli.problems import print_problems
    from ambidex.compiler.compile import build

    try:
        report = build(
            config[keys.TOOLS],
            config[keys.ARTIFACT],
            strict=config[keys.BUILD_STRICT],
            targets=config[keys.TARGETS],
        )
    except BuildError as error:
        print_problems(error.problems, config[keys.TOOLS].parent, err=True)
        note("next: mend the errors and serve again; `ambidex lint --explain CODE` says why a rule exists")
        leave(Exit.PROBLEMS)
    return f"{shown(config[keys.TOOLS])} {'built' if report.changed else 'unchanged'}"


def _fresh(config: Config) -> str:
    """In production nothing is built: what was deployed is what was tested."""
    from ambidex.compiler.compile import check

    found = check(
        config[keys.TOOLS], config[keys.ARTIFACT], strict=config[keys.BUILD_STRICT], targets=config[keys.TARGETS]
    )
    if not found.fresh:
        raise ArtifactError(f"{shown(config[keys.ARTIFACT])} {found.reason}")
    return f"{shown(config[keys.ARTIFACT])} is what the tools say"


def _checked(config: Config, registry: Registry, provider: str | None, steps: Steps) -> str:
    """What a worker would stumble over is told here, once, and in words. Gives the provider that will speak."""
    from ambidex.agents.prompts import compose
    from ambidex.agents.providers import open_provider
    from ambidex.cli.serve_kb import prepare_knowledge
    from ambidex.server.auth import authentication_of
    from ambidex.server.hosts import doors_of

    authentication_of(config, registry)
    doors_of(config)
    with steps.step("model") as tell:
        model = open_provider(config, registry, provider)
        compose(registry, "text", directory=config[keys.PROMPTS_DIRECTORY])
        tell(f"{model.facts.name} {model.model}" if model.facts.name != model.model else model.model)
    prepare_knowledge(config, steps)
    return model.facts.name


def _listening(config: Config) -> tuple[socket.socket, str]:
    from ambidex.server.run import bound_socket

    host, port = config[keys.SERVER_HOST], config[keys.SERVER_PORT]
    try:
        listening = bound_socket(host, port)
    except OSError as error:
        raise click.ClickException(
            f"cannot listen on {host}:{port}: {error.strerror}; is another one running? `--port 0` takes a free port"
        ) from None
    name = f"[{host}]" if ":" in host else host
    return listening, f"http://{name}:{listening.getsockname()[1]}/"


def _announce(config: Config, registry: Registry, provider: str, url: str, *, as_json: bool) -> None:
    if as_json:
        facts = {"url": url, "registryVersion": registry.version, "tools": list(registry.tool_ids())}
        more = {"provider": provider, "workers": config[keys.SERVER_WORKERS], "store": config[keys.STORE]}
        say_json({"ok": True, **facts, **more})
        return
    click.echo(f"\nOpen {url}", err=True)
    note("Ctrl+C ends it.\n")


def _path(config: Config) -> str | None:
    return str(config.path) if config.path else None
