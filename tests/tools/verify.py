#!/usr/bin/env python3
"""Parses and verifies many bitcode files with an old LLVM in one process, a fork each.

  verify.py --oldread OLDREAD.PY [-v 5] LIST

LIST names one file a line. Prints `ok` or `bad FILE: reason` a file; exit status 1 if one is bad.
"""
import importlib.util
import os
import sys


def load(path):
    spec = importlib.util.spec_from_file_location("oldread", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def verify(oldread, version, path):
    """Runs one file in a fork, because an old LLVM aborts on what it does not know."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        os.dup2(write, 1)
        os.dup2(write, 2)
        try:
            code = oldread.child(version, path, None, None, True)
        except Exception as error:  # the reason goes to the parent
            print(error)
            code = 4
        sys.stdout.flush()
        os._exit(code)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        text = pipe.read().decode(errors="replace").strip()
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), text


def main(args):
    oldread = load(args[args.index("--oldread") + 1])
    version = int(args[args.index("-v") + 1]) if "-v" in args else 5
    oldread.lib(version)
    bad = 0
    with open(args[-1], encoding="utf-8") as names:
        for name in names.read().splitlines():
            code, text = verify(oldread, version, name)
            if code == 0:
                print("ok")
            else:
                bad += 1
                print("bad %s: %s" % (name, text.replace("\n", " ")[-300:]))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
