"""Execution of shaders on numpy arrays, by the interpreter of the IR."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Union

from . import _native
from ._native import Shader

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

#: A resource: the name of a variable or block (``"lights"``, ``"lights[2]"``), a binding, or a set and a binding.
Key = Union[str, int, tuple[int, int]]


@dataclass(frozen=True)
class Texture:
    """A two-dimensional texture with one level.

    ``data`` has the shape ``(height, width)`` or ``(height, width, components)``; the first row is at coordinate 0. Floats
    are textures of floats, ``uint8`` is normalized, ``int32`` and ``uint32`` are textures of integers.
    """

    data: ArrayLike
    filter: str = "nearest"
    wrap: str = "repeat"


@dataclass(frozen=True)
class _Native:
    """A texture as the native module takes it."""

    size: tuple[int, int]
    format: str
    texels: bytes
    filter: str
    wrap: str


@dataclass(frozen=True)
class _Given:
    """Resources as the native module takes them."""

    buffers: list[tuple[Key, bytes]]
    uniforms: list[tuple[str, list[Any]]]
    textures: list[tuple[Key, _Native]]
    push_constants: bytes


@dataclass(frozen=True)
class _View:
    """A draw as the native module takes it."""

    width: int
    height: int
    topology: str
    attributes: list[tuple[str, int, list[float]]]
    vertices: int | None
    clear: list[float]
    output: int


def _texture(texture: Texture | ArrayLike) -> _Native:
    import numpy as np

    if not isinstance(texture, Texture):
        texture = Texture(texture)
    data = np.asarray(texture.data)
    if data.ndim == 2:
        data = data[:, :, np.newaxis]
    if data.ndim != 3 or not 1 <= data.shape[2] <= 4:
        raise ValueError(f"expected a texture of the shape (height, width, 1 to 4), found {data.shape}")
    formats = {"u1": "rgba8", "i4": "rgba32i", "u4": "rgba32ui"}
    kind = f"{data.dtype.kind}{data.dtype.itemsize}"
    if data.dtype.kind == "f":
        data, name = data.astype("<f4"), "rgba32f"
    elif kind in formats:
        name = formats[kind]
    else:
        raise ValueError(f"expected a texture of floats, uint8, int32 or uint32, found {data.dtype}")
    height, width, comps = data.shape
    # Components that a texture does not have are 0, and 1 for alpha.
    full = np.zeros((height, width, 4), data.dtype.newbyteorder("<"))
    full[:, :, 3] = 255 if kind == "u1" else 1
    full[:, :, :comps] = data
    return _Native((width, height), name, full.tobytes(), texture.filter, texture.wrap)


def _bytes(data: ArrayLike) -> bytes:
    import numpy as np

    if isinstance(data, (bytes, bytearray)):
        return bytes(data)
    array = np.asarray(data)
    if array.dtype.kind not in "fiu":
        raise ValueError(f"expected a buffer of floats or integers, found {array.dtype}")
    return array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()


def _given(
    buffers: Mapping[Key, ArrayLike] | None,
    uniforms: Mapping[str, ArrayLike] | None,
    textures: Mapping[Key, Texture | ArrayLike] | None,
    push_constants: ArrayLike,
) -> _Given:
    import numpy as np

    return _Given(
        [(key, _bytes(data)) for key, data in (buffers or {}).items()],
        [(path, np.asarray(value).ravel().tolist()) for path, value in (uniforms or {}).items()],
        [(key, _texture(texture)) for key, texture in (textures or {}).items()],
        _bytes(push_constants),
    )


def dispatch(
    shader: Shader,
    groups: int | Sequence[int],
    buffers: Mapping[Key, ArrayLike] | None = None,
    *,
    uniforms: Mapping[str, ArrayLike] | None = None,
    textures: Mapping[Key, Texture | ArrayLike] | None = None,
    push_constants: ArrayLike = b"",
    max_steps: int | None = None,
) -> dict[Key, NDArray[Any]]:
    """Executes workgroups of a compute shader. Returns the buffers afterwards, in the shapes and types of the given ones.

    The given arrays do not change. ``uniforms`` has uniforms and members of uniform blocks by path (``lights[2].color``),
    matrices as lists of columns. ``max_steps`` limits the instructions of a workgroup.

    >>> import airfoil, numpy
    >>> shader = airfoil.read_glsl('''#version 430
    ... layout(local_size_x = 4) in;
    ... layout(std430, binding = 0) buffer Data { float x[]; };
    ... void main() { x[gl_GlobalInvocationID.x] *= 2.0; }''', "compute")
    >>> airfoil.dispatch(shader, 2, {"Data": numpy.arange(8, dtype="float32")})["Data"].tolist()
    [0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0]
    """
    import numpy as np

    counts = [groups] if isinstance(groups, int) else list(groups)
    if not 1 <= len(counts) <= 3:
        raise ValueError(f"expected 1 to 3 counts of workgroups, found {len(counts)}")
    counts += [1] * (3 - len(counts))
    given = _given(buffers, uniforms, textures, push_constants)
    after = _native._dispatch(shader, counts, given, max_steps)
    results: dict[Key, NDArray[Any]] = {}
    for (key, data), now in zip((buffers or {}).items(), after):
        if isinstance(data, (bytes, bytearray)):
            results[key] = np.frombuffer(now, "uint8").copy()
        else:
            before = np.asarray(data)
            array = np.frombuffer(now, before.dtype.newbyteorder("<")).reshape(before.shape)
            results[key] = array.astype(before.dtype)
    return results


def render(
    shaders: Shader | Sequence[Shader],
    size: tuple[int, int],
    *,
    attributes: Mapping[str, ArrayLike] | None = None,
    vertices: int | None = None,
    topology: str = "triangles",
    buffers: Mapping[Key, ArrayLike] | None = None,
    uniforms: Mapping[str, ArrayLike] | None = None,
    textures: Mapping[Key, Texture | ArrayLike] | None = None,
    push_constants: ArrayLike = b"",
    clear: Sequence[float] = (0.0, 0.0, 0.0, 1.0),
    output: int = 0,
    max_steps: int | None = None,
) -> NDArray[Any]:
    """Draws an image of ``size = (width, height)``. Returns an array of the shape ``(height, width, 4)``, the top row first.

    A fragment shader alone covers the whole image; its inputs are the coordinates from 0 to 1 unless ``attributes`` has
    values for the four corners. A program with a vertex shader is drawn with ``attributes``: an array per input, with a row
    for each vertex. ``output`` is the color attachment.

    >>> import airfoil
    >>> shader = airfoil.read_glsl("varying vec2 uv; void main() { gl_FragColor = vec4(uv, 0.0, 1.0); }", "fragment")
    >>> airfoil.render(shader, (2, 2))[:, :, :2].tolist()
    [[[0.25, 0.75], [0.75, 0.75]], [[0.25, 0.25], [0.75, 0.25]]]
    """
    import numpy as np

    width, height = size
    rows = []
    for name, data in (attributes or {}).items():
        array = np.atleast_1d(np.asarray(data, dtype="float64"))
        flat = array.reshape(array.shape[0], -1)
        rows.append((name, flat.shape[1], flat.ravel().tolist()))
    color = [float(x) for x in clear]
    if len(color) != 4:
        raise ValueError(f"expected a clear color of 4 numbers, found {len(color)}")
    view = _View(width, height, topology, rows, vertices, color, output)
    given = _given(buffers, uniforms, textures, push_constants)
    kind, texels = _native._render(shaders, view, given, max_steps)
    return np.frombuffer(texels, np.dtype(kind).newbyteorder("<")).reshape(height, width, 4).astype(kind)
