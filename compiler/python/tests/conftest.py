"""Paths and shaders that several tests use."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

FADE = """\
#version 450
layout(location = 0) in vec4 tint;
layout(location = 0) out vec4 color;
void main() {
    float a = tint.a;
    color = tint * a * 1.0;
}
"""


@pytest.fixture
def shaders():
    """The folder of examples."""
    return ROOT / "examples" / "shaders"


@pytest.fixture
def fade():
    """Text of a fragment shader."""
    return FADE
