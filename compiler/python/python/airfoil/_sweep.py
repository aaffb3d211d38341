"""Sweeps: many shaders under many pipelines."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from ._files import read
from ._native import Error, check, expand


def sweep(
    paths: Iterable[str | os.PathLike[str]],
    pipelines: Mapping[str, str] | Sequence[str],
    *,
    repetitions: int = 0,
    seeds: int = 5,
    client: Any = None,
) -> list[dict[str, Any]]:
    """Runs each shader under each pipeline. Returns a row for each of them, as ``airfoil sweep`` writes.

    A row has ``file``, ``pipeline``, the sizes of :meth:`Shader.statistics`, ``us`` (the least time of the passes in
    ``repetitions``) and ``check``: the result of :func:`check`, or ``"refused"`` if a pass did not take the shader. The rows of all files
    are in the order of ``paths``; a file that cannot be read or a pipeline that is not one raises an exception before
    anything is run.

    ``client`` is a client of Dask, whose workers run the files; passes in Python must be registered there.

    >>> import airfoil, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "half.frag"
    >>> _ = path.write_text("void main() { gl_FragColor = vec4(gl_FragCoord.x * 0.5 + 0.0); }")
    >>> [(row["pipeline"], row["check"]) for row in airfoil.sweep([path], {"none": "", "all": "O2"})]
    [('none', 'same'), ('all', 'same')]
    """
    named = dict(pipelines) if isinstance(pipelines, Mapping) else {text: text for text in pipelines}
    for pipeline in named.values():
        expand(pipeline)
    files = [(os.fspath(path), read(path)) for path in paths]
    work = partial(_rows, named, repetitions, seeds)
    lists = client.gather(client.map(work, files)) if client is not None else map(work, files)
    return [row for rows in lists for row in rows]


def _rows(pipelines: Mapping[str, str], repetitions: int, seeds: int, file: tuple[str, Any]) -> list[dict[str, Any]]:
    """The rows of a file."""
    path, shader = file
    rows = []
    for name, pipeline in pipelines.items():
        row: dict[str, Any] = {"file": path, "pipeline": name}
        try:
            copy = shader.copy()
            copy.run(pipeline)
            row |= copy.statistics()
            if repetitions:
                times = (sum(p["seconds"] for p in shader.copy().profile(pipeline)) for _ in range(repetitions))
                row["us"] = min(times) * 1e6
            row["check"] = check(shader, pipeline, seeds=seeds)
        except Error:
            row["check"] = "refused"
        rows.append(row)
    return rows
