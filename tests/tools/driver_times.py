#!/usr/bin/env python3
"""Compares the times of a driver's steps with those before `airfoil-gl`, in one run, as a Markdown table.

Usage: tests/tools/driver_times.py [CORPUS]. It makes a worktree of commit bfd6926c in the target folder, builds it and this tree in the
profile `conformance`, and runs both on the ten programs.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

BEFORE = "bfd6926c"
ROOT = pathlib.Path(__file__).resolve().parents[2]
GL = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "../shared/corpus").resolve() / "real-glsl/gl"
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()

# Name, and the path of the files without their endings.
PROGRAMS = [
    ("sea", ROOT / "examples/shaders/sea", ("vert", "frag")),
    ("skybox", GL / "raylib/examples__models__resources__shaders__glsl330__skybox", ("vert", "frag")),
    ("cel", GL / "raylib/examples__shaders__resources__shaders__glsl120__cel", ("vert", "frag")),
    ("phong depth peel", GL / "mcnopper-opengl/Example35__phong_depth_peel", ("vert", "frag")),
    ("nedi-jinc", GL / "libretro-glsl/nedi__shaders__nedi-jinc", ("vert", "frag")),
    ("scalefx pass 3", GL / "libretro-glsl/scalefx__shaders__scalefx-pass3", ("vert", "frag")),
    ("omniscale", GL / "libretro-glsl/omniscale__shaders__omniscale-legacy", ("vert", "frag")),
    ("water", GL / "arm-gles-sdk/samples__advanced_samples__FFTOceanWater__assets__water", ("vert", "frag")),
    ("double", GL / "ogl-samples/gl-400__double", ("vert", "frag")),
    ("path tracer", GL / "glsl-pathtracer/tile_full", ("frag",)),
]


def run(*command, **options):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, **options).stdout


def build(folder, package, example, target):
    environment = dict(os.environ, CARGO_TARGET_DIR=str(target))
    run("cargo", "build", "--quiet", "--profile", "conformance", "-p", package, "--example", example, cwd=folder, env=environment)
    return target / "conformance/examples" / example


def before():
    """The executable of the older commit."""
    tree = TARGET / "driver-times-before"
    if tree.exists():
        run("git", "worktree", "remove", "--force", str(tree), cwd=ROOT)
    run("git", "worktree", "add", "--quiet", "--detach", str(tree), BEFORE, cwd=ROOT)
    example = tree / "compiler/driver/examples/driver_times_before"
    example.mkdir(parents=True)
    source = (ROOT / "tests/tools/driver_times_before.rs").read_text()
    (example / "main.rs").write_text(re.sub(r"#\[path = .*\]\n", "", source))
    shutil.copy(ROOT / "compiler/gl/examples/times/measure.rs", example)
    built = build(tree, "airfoil", "driver_times_before", TARGET / "before")
    run("git", "worktree", "remove", "--force", str(tree), cwd=ROOT)
    return built


def main():
    old, new = before(), build(ROOT, "airfoil-gl", "times", TARGET)
    print("| program | cold objects to library, us | memory of a program, KiB | variant, us: vertex | fragment | link by the cache, us |")
    print("|---|---|---|---|---|---|")
    for name, path, endings in PROGRAMS:
        files = [f"{path}.{ending}" for ending in endings]
        then = dict(line.split() for line in run(old, *files).splitlines())
        text = run(new, *files)
        now = lambda pattern: float(re.search(pattern, text)[1])
        pair = lambda before, after: f"{float(before):,.0f} → {after:,.0f} ({after / float(before):.2f})"
        variants = [
            pair(then[stage], now(rf"{stage} for flip_y, half_z, flip_window: ([\d.]+)")) if stage in then else ""
            for stage in ("vertex", "fragment")
        ]
        memory = pair(then["memory"], now(r"memory of a program: ([\d.]+)"))
        cells = [name, pair(then["total"], now(r"cold objects to library: ([\d.]+)")), memory, *variants, f"{now(r'link by the cache: ([0-9.]+)'):.1f}"]
        print("| " + " | ".join(cells) + " |", flush=True)


main()
