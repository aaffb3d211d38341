"""Reading files by their endings."""

from __future__ import annotations

import os
from pathlib import Path

from ._native import Shader, parse, read_glsl, read_spirv

#: Stages of the endings of GLSL files, those of glslang.
STAGES = {
    ".vert": "vertex",
    ".tesc": "tess_control",
    ".tese": "tess_eval",
    ".geom": "geometry",
    ".frag": "fragment",
    ".comp": "compute",
    ".task": "task",
    ".mesh": "mesh",
}


def read(path: str | os.PathLike[str], *, vulkan: bool = False) -> Shader:
    """Reads a shader from a file: GLSL by the ending of its stage, SPIR-V (``.spv``), the text form (``.foil``).

    ``vulkan`` is for GLSL: the dialect for Vulkan instead of the one for OpenGL.
    """
    path = Path(path)
    if path.suffix == ".spv":
        return read_spirv(path.read_bytes())
    if path.suffix == ".foil":
        return parse(path.read_text(encoding="utf-8"))
    stage = STAGES.get(path.suffix)
    if stage is None:
        endings = ", ".join([".foil", ".spv", *STAGES])
        raise ValueError(f"expected a file that ends with one of {endings}, found `{path.name}`")
    # GLSL is ASCII with bytes of any encoding in comments.
    text = path.read_bytes().decode("utf-8", errors="replace")
    return read_glsl(text, stage, name=str(path), vulkan=vulkan)
