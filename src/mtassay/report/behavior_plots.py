"""Draws pass rates with their intervals, and what other thresholds would have made of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any

from mtassay.core import Result, Score
from mtassay.methods.behavior.tables import PASS_RATE, capabilities_in, ranked_systems
from mtassay.report.plots import drawing

__all__ = ["plot_pass_rates", "plot_thresholds"]

_INKS = ["#1a1a1a", "#2b6cb0", "#c05621", "#4f7a68", "#7c5bc7"]
_MARKERS = ["o", "s", "^", "D", "v", "P", "X"]
_MUTED, _FAINT = "#666666", "#e4e4e4"
_LIGHT, _DARK, _MIDDLE = 0.98, 0.25, 0.45  # greys of the best and the worst rate; below the last, white text
_COLUMNS = 3  # panels side by side
_LINE = 0.13  # inches for one system
_LETTER = 0.06  # inches for one letter of the note


def plot_pass_rates(path: Path, result: Result, *, title: str = "") -> None:
    """A row for each capability and in it a mark for each system, with its 95 % interval; the best first."""
    systems, groups = ranked_systems(result), capabilities_in(result)
    scores = {(s.group, s.system): s for s in result.scores if s.name == PASS_RATE}
    row = max(0.3, _LINE * (len(systems) + 1))
    with drawing(path, 6.4, 1.3 + row * len(groups) + 0.2 * math.ceil(len(systems) / 4)) as figure:
        axes = figure.subplots()
        for number, system in enumerate(systems):
            shift = (number - (len(systems) - 1) / 2) * _LINE / row
            known = [(y + shift, scores[group, system]) for y, group in enumerate(groups)]
            _draw_rates(axes, known, number, system)
        for y in range(1, len(groups)):
            axes.axhline(y - 0.5, color=_FAINT, linewidth=0.8)
        sizes = [max(scores[group, system].n for system in systems) for group in groups]
        names = [f"{group}  ({n:,})" for group, n in zip(groups, sizes, strict=True)]
        axes.set_yticks(range(len(groups)), names)
        axes.set_ylim(len(groups) - 0.5, -0.5)
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x", color=_FAINT, linewidth=0.6)
        axes.set_axisbelow(True)
        axes.set_xlabel("pass rate (%), with 95 % intervals; in parentheses: cases", fontsize=8)
        axes.set_title(title, loc="left")
        if len(systems) > 1:
            figure.legend(loc="outside lower center", ncols=min(len(systems), 4), frameon=False, fontsize=8)


def plot_thresholds(path: Path, scores: Sequence[Score], *, chosen: str = "", title: str = "") -> None:
    """A heat map for each system: its pass rate by alpha (rows) and beta (columns), the darker the lower.

    `scores` are those of `sweep`, whose groups read `alpha=0.8|beta=0.05`; `chosen` is the group to frame.
    """
    systems = list(dict.fromkeys(score.system for score in scores))
    cells = {(score.system, *_thresholds(score.group)): score.value for score in scores}
    alphas = sorted({alpha for _, alpha, _ in cells}, reverse=True)
    betas = sorted({beta for _, _, beta in cells})
    known = [value for value in cells.values() if value is not None]
    low = min(int(min(known, default=0.0) // 10 * 10), 90)
    columns = min(len(systems), _COLUMNS)
    rows = math.ceil(len(systems) / columns)
    width, height = 0.6 + 0.42 * len(betas), 0.75 + 0.24 * len(alphas)
    framed = _thresholds(chosen) if chosen else None
    is_framed = framed is not None and framed[0] in alphas and framed[1] in betas
    notes = [f"Pass rate (%): the darker, the lower; white is 100, the darkest {low}."]
    notes += ["Framed: the thresholds of the run."] if is_framed else []
    inches = max(columns * width, 4.6)
    lines = [line for note in notes for line in wrap(note, int(inches / _LETTER))]
    with drawing(path, inches, rows * height + 0.55 + 0.15 * len(lines)) as figure:
        panels = figure.subplots(rows, columns, squeeze=False).ravel()
        for panel in panels[len(systems) :]:
            panel.set_visible(False)
        for panel, system in zip(panels, systems, strict=False):
            values = [[cells.get((system, alpha, beta)) for beta in betas] for alpha in alphas]
            _draw_map(panel, values, low)
            panel.set_xticks(range(len(betas)), [f"{beta:g}" for beta in betas])
            panel.set_yticks(range(len(alphas)), [f"{alpha:g}" for alpha in alphas])
            panel.set_title(system, loc="left")
            panel.set_xlabel("β")
            panel.set_ylabel("α", rotation=0)
            if framed and is_framed:
                _frame(panel, betas.index(framed[1]), alphas.index(framed[0]))
        figure.suptitle(title, x=0.01, ha="left", fontsize=9)
        figure.supxlabel("\n".join(lines), x=0.01, ha="left", fontsize=7, color=_MUTED)


def _draw_rates(axes: Any, known: Sequence[tuple[float, Score]], number: int, label: str) -> None:
    shown = [(y, s.value, *_reach(s.value, s)) for y, s in known if s.value is not None]
    color = _INKS[number % len(_INKS)]
    axes.errorbar(
        *([value for _, value, _, _ in shown], [y for y, *_ in shown]),
        xerr=[[below for _, _, below, _ in shown], [above for _, _, _, above in shown]],
        **{"fmt": _MARKERS[number % len(_MARKERS)], "color": color, "markersize": 4.5, "label": label},
        **{"elinewidth": 0.8, "markerfacecolor": "white" if number % 2 else color},
    )


def _reach(value: float, score: Score) -> tuple[float, float]:
    """How far the interval reaches to the left and to the right; nowhere where there is none."""
    low = value if score.low is None else score.low
    high = value if score.high is None else score.high
    return max(value - low, 0.0), max(high - value, 0.0)


def _draw_map(axes: Any, values: Sequence[Sequence[float | None]], low: int) -> None:
    shades = [[1.0 if v is None else _shade(v, low) for v in row] for row in values]
    axes.imshow(shades, cmap="gray", vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    for y, row in enumerate(values):
        for x, value in enumerate(row):
            text = "–" if value is None else f"{value:.1f}"
            color = "white" if shades[y][x] < _MIDDLE else "black"
            axes.text(x, y, text, ha="center", va="center", fontsize=6.5, color=color)
    axes.tick_params(length=0, labelsize=7)
    axes.spines[:].set_visible(False)


def _frame(axes: Any, x: int, y: int) -> None:
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((x - 0.48, y - 0.46), 0.96, 0.92, fill=False, edgecolor=_INKS[2], linewidth=1.4))


def _thresholds(group: str) -> tuple[float, float]:
    """Alpha and beta.

    >>> _thresholds("alpha=0.8|beta=0.05")
    (0.8, 0.05)
    """
    alpha, beta = (float(part.partition("=")[2]) for part in group.split("|"))
    return alpha, beta


def _shade(value: float, low: int) -> float:
    """A grey between 0, black, and 1, white."""
    return _DARK + (_LIGHT - _DARK) * (value - low) / (100 - low)
