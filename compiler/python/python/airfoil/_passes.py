"""Passes that are functions of Python."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from . import _native
from ._native import Code

Function = TypeVar("Function", bound=Callable[[Code], Any])

#: All forms of a shader.
FORMS = ("variables", "slots", "target")


def register_pass(
    name: str, *, summary: str | None = None, forms: Sequence[str] = FORMS, rounds: bool = False
) -> Callable[[Function], Function]:
    """Registers a function as a pass, under whose name pipelines find it.

    The function takes the :class:`Code` of a shader and edits it. ``forms`` are those that it takes; ``rounds`` declares that
    results that are not exact may be rounded differently. ``summary`` is the first line of the documentation of the function by default. A
    function that was registered under the same name is replaced.

    >>> import airfoil
    >>> @airfoil.register_pass("double_to_add")
    ... def double_to_add(code):
    ...     '''x * 2 is x + x.'''
    ...     for function in code.functions:
    ...         for instruction in function.instructions:
    ...             if instruction.op == "fmul":
    ...                 x, two = instruction.operands
    ...                 if two.constant == [0x40000000] and instruction.components == 1:
    ...                     instruction.replace_uses(instruction.builder().alu("fadd", x, x))
    >>> shader = airfoil.read_glsl("varying float x; void main() { gl_FragColor = vec4(x * 2.0); }", "fragment")
    >>> shader.run("double_to_add, dce")
    True
    >>> "fmul" in str(shader), "fadd" in str(shader)
    (False, True)
    """

    def register(function: Function) -> Function:
        doc = inspect.getdoc(function) or ""
        first = summary if summary is not None else doc.split("\n", 1)[0]
        lines = "\n".join(f"//! {line}" for line in doc.splitlines())
        _native._register_pass(name, first, lines, list(forms), rounds, function)
        return function

    return register
