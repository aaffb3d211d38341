#!/usr/bin/env python3
"""Machine instructions of GLSL to SPIR-V beside glslangValidator: glslang_time.py AIRFOIL FOLDER [EVERY]

Counts with callgrind on every EVERY-th shader of a folder that both compilers accept, less those of a shader of the same stage and
version with an empty `main`: the start of the program and, for glslang, its tables of built-in functions.
"""

import os
import re
import subprocess
import sys
import tempfile

STAGES = ("vert", "frag", "comp", "geom", "tesc", "tese")
EMPTY = {
    "comp": "layout(local_size_x = 1) in;",
    "geom": "layout(points) in; layout(points, max_vertices = 1) out;",
    "tesc": "layout(vertices = 1) out;",
    "tese": "layout(isolines) in;",
}


def commands(airfoil, source, out):
    return {
        "glslangValidator -V": ["glslangValidator", "-V", source, "-o", out],
        "airfoil compile -O0": [airfoil, "compile", "--vulkan", "-O0", "-q", source, "-o", out],
        "airfoil compile -O2": [airfoil, "compile", "--vulkan", "-O2", "-q", source, "-o", out],
    }


def instructions(command, out):
    """The machine instructions of a command, or None if it fails."""
    counts = os.path.join(out, "callgrind")
    result = subprocess.run(
        ["valgrind", "--tool=callgrind", f"--callgrind-out-file={counts}", *command], capture_output=True, text=True
    )
    found = re.search(r"Collected : (\d+)", result.stderr)
    return int(found[1]) if result.returncode == 0 and found else None


def main():
    airfoil, folder, *every = sys.argv[1:]
    files = sorted(
        os.path.join(at, name) for at, _, names in os.walk(folder) for name in names if name.endswith(STAGES)
    )
    totals, starts, counted = {}, {}, 0
    with tempfile.TemporaryDirectory() as out:
        module = os.path.join(out, "a.spv")

        def start(stage, version):
            if (stage, version) not in starts:
                source = os.path.join(out, f"empty.{stage}")
                with open(source, "w") as file:
                    file.write(f"{version}\n{EMPTY.get(stage, '')}\nvoid main() {{}}\n")
                starts[stage, version] = {
                    name: instructions(command, out) for name, command in commands(airfoil, source, module).items()
                }
            return starts[stage, version]

        for path in files[:: int(every[0]) if every else 1]:
            with open(path, errors="replace") as file:
                version = re.search(r"^\s*#version.*", file.read(), re.M)
            before = start(path.rsplit(".", 1)[1], version[0].strip() if version else "#version 450")
            counts = {name: instructions(command, out) for name, command in commands(airfoil, path, module).items()}
            if None in counts.values() or None in before.values():
                print(f"left out: {os.path.relpath(path, folder)}")
                continue
            counted += 1
            for name, count in counts.items():
                net, whole = totals.get(name, (0, 0))
                totals[name] = net + count - before[name], whole + before[name]
    if not counted:
        sys.exit(f"{folder}: no shader that both compilers accept")
    print(f"{counted} shaders; millions of machine instructions per shader")
    for name, (net, whole) in totals.items():
        print(f"{name}: {net / counted / 1e6:.2f}, start {whole / counted / 1e6:.2f}")


main()
