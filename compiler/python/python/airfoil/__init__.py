"""Airfoil, an optimising shader compiler: GLSL and SPIR-V to Apple AIR and SPIR-V, through an SSA IR.

>>> import airfoil
>>> shader = airfoil.read_glsl("void main() { gl_FragColor = vec4(0.5 + 0.5); }", "fragment")
>>> shader.stage, shader.form
('fragment', 'variables')
>>> shader.run("O2")
True
>>> airfoil.compile(shader, "macos14").functions[0].name
'fragment_main'

``docs/python.md`` in the sources of Airfoil is the guide.
"""

from ._execute import Texture, dispatch, render
from ._files import read
from ._native import (
    Block,
    Builder,
    Code,
    Diagnostic,
    DiagnosticWarning,
    Error,
    Fault,
    Function,
    Instruction,
    InternalError,
    Library,
    Shader,
    ShaderFunction,
    bisect,
    check,
    compile,
    expand,
    link_glsl,
    parse,
    passes,
    presets,
    profile,
    read_glsl,
    read_spirv,
    run,
    to_spirv,
)
from ._passes import register_pass
from ._sweep import sweep

__all__ = [
    "Block",
    "Builder",
    "Code",
    "Diagnostic",
    "DiagnosticWarning",
    "Error",
    "Fault",
    "Function",
    "Instruction",
    "InternalError",
    "Library",
    "Shader",
    "ShaderFunction",
    "Texture",
    "bisect",
    "check",
    "compile",
    "dispatch",
    "expand",
    "link_glsl",
    "parse",
    "passes",
    "presets",
    "profile",
    "read",
    "read_glsl",
    "read_spirv",
    "register_pass",
    "render",
    "run",
    "sweep",
    "to_spirv",
]
