"""`mtassay plan`: what is in a plan, before it is run."""

from __future__ import annotations

from pathlib import Path

import typer

from mtassay.api.plans import check_plan
from mtassay.cli.common import echo, plural, print_json
from mtassay.cli.run import PlanArgument
from mtassay.plans.plan import DEFAULT
from mtassay.plans.schema import json_schema


def register(parent: typer.Typer) -> None:
    """Add the commands to the command line."""
    app = typer.Typer(help="Look for mistakes in a plan; describe plans to editors.", no_args_is_help=True)
    app.command("check", short_help="Look for mistakes in a plan; nothing is run.")(check)
    app.command("schema", short_help="Print the JSON Schema of plans, for editors.")(schema)
    parent.add_typer(app, name="plan")


def check(plan: PlanArgument = Path(DEFAULT)) -> None:
    """Look for mistakes in a plan: keys, names, files, languages, parameters, outputs. Nothing is run.

    The first mistake is told in a line, with the place and the nearest right word, and the exit code is 2.
    """
    read = check_plan(plan)
    counts = [
        plural(len(read.steps), "step"),
        plural(len(read.systems), "system"),
        plural(len(read.test_sets), "test set"),
        plural(len(read.suites), "suite"),
        plural(len(read.gates), "gate"),
    ]
    echo(f"{read.path}: {', '.join(count for count in counts if not count.startswith('0 '))}; no mistakes.")


def schema() -> None:
    """Print the JSON Schema of plans, made from the methods that are installed, for editors."""
    print_json(json_schema())
