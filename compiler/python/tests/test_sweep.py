"""Sweeps from Python."""

import airfoil
import pytest


@pytest.fixture
def files(shaders):
    return [shaders / "lit.frag.spv", str(shaders / "sea.frag")]


def test_rows(files):
    rows = airfoil.sweep(files, {"first": "vars_to_ssa", "all": "O2"}, repetitions=2)
    assert [(row["file"], row["pipeline"]) for row in rows] == [
        (str(file), name) for file in files for name in ("first", "all")
    ]
    shader = airfoil.read(files[0])
    shader.run("O2")
    assert all(rows[1][name] == size for name, size in shader.statistics().items())
    assert all(row["us"] > 0 and row["check"] == "same" for row in rows)
    named = airfoil.sweep(files[:1], ["O2"])
    assert named[0]["pipeline"] == "O2" and "us" not in named[0]


def test_what_is_refused_is_in_the_rows(files):
    rows = airfoil.sweep(files[:1], ["lower_conversions", "dce"])
    assert [row["check"] for row in rows] == ["refused", "same"] and "instrs" not in rows[0]
    with pytest.raises(airfoil.Error):
        airfoil.sweep(files, ["ccse"])
    with pytest.raises(FileNotFoundError):
        airfoil.sweep(["absent.frag"], ["dce"])


def test_dask(files):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            assert airfoil.sweep(files, ["O2"], client=client) == airfoil.sweep(files, ["O2"])
