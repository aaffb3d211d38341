"""The package as a whole: types, documentation."""

import doctest
import inspect
import subprocess
import sys

import airfoil


def test_stubs_match_the_module():
    done = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "airfoil", "--concise"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_everything_is_documented():
    for name in airfoil.__all__:
        value = getattr(airfoil, name)
        assert inspect.getdoc(value), name
        if inspect.isclass(value) and not issubclass(value, BaseException):
            for attribute, member in vars(value).items():
                assert attribute.startswith("_") or inspect.getdoc(member), f"{name}.{attribute}"


def test_examples_are_executed():
    for module, examples in ((airfoil, 5), (airfoil._execute, 6), (airfoil._passes, 5), (airfoil._sweep, 4)):
        result = doctest.testmod(module)
        assert (result.attempted, result.failed) == (examples, 0)
