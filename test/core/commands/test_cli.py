# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The command line's contracts: output, exit codes, and one clear line for every mistake."""

import gzip
import json

import numpy as np
import pytest
import yaml

from pkm_identification.cli import main
from pkm_identification.errors import LogError
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine, builtin_machines
from pkm_identification.motion import PlatformMotion
from pkm_identification.numerics.rotation import matrix_from_vector
from pkm_identification.records.motion_csv import read_motion_csv, write_motion_csv

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """Twelve seconds of a simulated machine that differs from its file."""
    path = tmp_path_factory.mktemp("log") / "rich.csv.gz"
    assert main(["simulate", "--machine", "uf", "--trajectory", "rich", "--duration", "12", "--perturb", "0.1",
                 "--seed", "3", "--out", str(path)]) == 0  # fmt: skip
    return path


def refused(capsys, *arguments, mentions=()):
    """Exit code 2, one line on stderr that names what is wrong, nothing on stdout."""
    capsys.readouterr()
    assert main([str(a) for a in arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.strip().splitlines()) == 1, err
    assert "Traceback" not in err
    for text in mentions:
        assert text in err, err
    return err


def test_the_report_is_a_page_of_where_the_estimate_comes_from_and_a_folder(log, tmp_path):
    page, out = tmp_path / "page.html", tmp_path / "result"
    command = ["identify", str(log), "--machine", "uf", "--validate", str(log), "--estimator", "ls"]
    assert main([*command, "--report", str(page), "--out", str(out)]) == 0
    text = page.read_text(encoding="utf-8")
    for part in (
        "What next?",
        f"log {log}",
        "SHA-256",
        "Motions that would determine more",
        "The machine along the log",
    ):
        assert part in text
    assert {path.name for path in tmp_path.iterdir()} == {"page.html", "result"}
    assert (out / "estimate.json").is_file()
    assert (out / "report.html").stat().st_size > 10_000
    assert list(out.glob("*.png"))


def test_a_place_where_no_report_can_go_is_refused_before_anything_is_read(tmp_path, capsys):
    common = ("identify", "nowhere.csv", "--machine", "uf")
    refused(capsys, *common, "--report", tmp_path / "page.txt", mentions=("page.txt", "must end in .html"))
    refused(
        capsys,
        *common,
        "--report",
        tmp_path / "no" / "page.html",
        mentions=("--report", "there is no folder"),
    )
    (tmp_path / "forces.png").write_text("mine")
    refused(capsys, *common, "--out", tmp_path, mentions=("forces.png", "choose another folder"))


def test_identify_writes_json_of_the_contract(log, tmp_path, capsys):
    out = tmp_path / "estimate.json"
    code = main(
        [
            "identify",
            str(log),
            "--machine",
            "uf",
            "--estimator",
            "ls",
            "--validate",
            str(log),
            "--json",
            str(out),
        ]
    )
    assert code == 0
    assert "m_p" in capsys.readouterr().out
    document = json.loads(out.read_text())
    assert list(document) == [
        "schema", "machine", "estimator", "model", "consistent", "converged", "samples", "equations", "dropped",
        "parameters", "validation", "fit", "provenance",
        "machine_hash", "state", "parameter_set", "stated", "near_zero", "drives", "base",
        "warnings", "contradiction", "answer", "state_sha256",
    ]  # fmt: skip
    assert (document["schema"], document["machine"], document["estimator"], document["model"]) == (
        1,
        "uf",
        "ls",
        "force",
    )
    names = [entry["name"] for entry in document["parameters"]]
    assert names[:8] == ["m_p", "m_b", "m_e", "Ixx_p", "Iyy_p", "Izz_p", "It_b+It_e", "Ia_b+Ia_e"]
    assert names[8:20] == [f"{kind}_{i}" for kind in ("viscous", "coulomb") for i in range(1, 7)]
    for entry in document["parameters"]:
        weights = {"weights"} if entry["name"] not in names[:20] else set()  # of combinations
        assert set(entry) == {"name", "value", "std", "unit", "status", "nominal", *weights}
        assert (entry["value"] is not None) == (
            entry["status"] == "identifiable" or entry["name"] not in names[:20]
        )
    assert document["validation"]["rms_percent"]["total"] < 1.0
    origin = document["provenance"]
    assert origin["validation"] == origin["logs"]  # the same file, with its digest


def test_identified_twice_the_json_is_identical(log, tmp_path):
    first, second = tmp_path / "a.json", tmp_path / "b.json"
    for path in (first, second):
        assert main(["identify", str(log), "--machine", "uf", "--json", str(path)]) == 0
    documents = [json.loads(path.read_text()) for path in (first, second)]
    for document in documents:
        # when, and by which command
        assert document.pop("provenance")["logs"]
    assert documents[0] == documents[1]


def test_energy_model_is_reachable_and_stdout_is_nothing_but_json(log, capsys):
    assert (
        main(
            ["identify", str(log), "--machine", "uf", "--model", "energy", "--estimator", "ls", "--json", "-"]
        )
        == 0
    )
    assert json.loads(capsys.readouterr().out)["model"] == "energy"


def test_check_names_every_kind_of_fault_with_its_count(log, tmp_path, capsys):
    lines = gzip.decompress(log.read_bytes()).decode().splitlines()
    header, rows = lines[0], lines[1:]
    spike = rows[5000].split(",")
    spike[3] = str(int(float(spike[3])) + 3000)
    rows[5000] = ",".join(spike)
    rows[6000] = rows[6000].split(",")[0] + ",nan" * 12
    rows[7000], rows[7001] = rows[7001], rows[7000]
    rows[8000] = rows[8000] + "\n" + rows[8000]
    damaged = [*rows[:3000], *rows[3001:9000], *rows[9200:]]
    path = tmp_path / "damaged.csv"
    path.write_text("\n".join([header, *damaged]) + "\n")
    assert main(["check", str(path), "--machine", "uf", "--json", "-"]) == 0
    faults = json.loads(capsys.readouterr().out)["faults"]
    assert faults == {"missing": 1, "not_finite": 1, "duplicate": 1, "late": 1, "spike": 1, "gap": 1}


def test_check_names_a_log_once(log, monkeypatch, capsys):
    def refuse(*_):
        raise LogError(f"{log}: nothing is left of it")

    monkeypatch.setattr("pkm_identification.identification.log_check.identify", refuse)
    assert main(["check", str(log), "--machine", "uf"]) == 1
    assert (
        capsys.readouterr().err.splitlines()[-1]
        == f"pkm check: {log}: not usable for identification: nothing is left of it"
    )


def test_check_says_when_a_log_cannot_be_used(tmp_path, capsys):
    path = tmp_path / "free.csv"
    assert main(["simulate", "--machine", "uf", "--trajectory", "free", "--out", str(path)]) == 0
    # of a fall with the drives off nothing can be known but ratios of masses
    assert main(["check", str(path), "--machine", "uf"]) == 2
    assert "0 throughout" in capsys.readouterr().err


def test_inverse_forward_and_forces_agree_with_the_functions(tmp_path, capsys):
    machine = Machine.load("uf")
    rng = np.random.default_rng(5)
    count = 20
    motion = PlatformMotion(
        np.arange(count) * 0.1,
        machine.home_position + rng.uniform(-0.02, 0.02, (count, 3)),
        matrix_from_vector(rng.uniform(-0.1, 0.1, (count, 3))),
        rng.normal(size=(count, 6)) * 0.1,
        rng.normal(size=(count, 6)),
    )
    source, lengths, poses, forces = (tmp_path / f"{n}.csv" for n in ("motion", "lengths", "poses", "forces"))
    write_motion_csv(source, motion)
    assert main(["inverse", "--machine", "uf", "--in", str(source), "--out", str(lengths)]) == 0
    assert main(["forward", "--machine", "uf", "--in", str(lengths), "--out", str(poses)]) == 0
    assert main(["forces", "--machine", "uf", "--in", str(source), "--out", str(forces)]) == 0
    read = np.genfromtxt(lengths, delimiter=",", names=True)
    expected = strut_lengths(machine, motion.position, motion.rotation)
    np.testing.assert_allclose([read[f"length_{i}"] for i in range(1, 7)], expected.T, atol=1e-12)
    found = np.genfromtxt(poses, delimiter=",", names=True, dtype=None, encoding="utf-8")
    assert set(found["status"]) == {"ok"}
    # twelve digits of the lengths, a condition of a few
    np.testing.assert_allclose(
        np.array([found["px"], found["py"], found["pz"]]).T, motion.position, atol=1e-10
    )
    read = np.genfromtxt(forces, delimiter=",", names=True)
    np.testing.assert_allclose(
        [read[f"force_{i}"] for i in range(1, 7)], strut_forces(machine, read_motion_csv(source)).T, rtol=1e-9
    )


def test_forward_marks_lengths_no_pose_can_have(tmp_path, capsys):
    source, out = tmp_path / "lengths.csv", tmp_path / "poses.csv"
    good = strut_lengths(Machine.load("uf"), np.array([[0, 0, -0.35]]), np.eye(3)[None])[0]
    rows = [good, [0.1, 5.0, 0.1, 5.0, 0.1, 5.0]]
    source.write_text(
        "\n".join([",".join(f"length_{i}" for i in range(1, 7)), *(",".join(map(str, r)) for r in rows)])
    )
    assert main(["forward", "--machine", "uf", "--in", str(source), "--out", str(out)]) == 1
    status = [line.split(",")[-1] for line in out.read_text().splitlines()]
    assert status == ["status", "ok", "failed"]


HEADER = "t,enc_1,enc_2,enc_3,enc_4,enc_5,enc_6,cur_1,cur_2,cur_3,cur_4,cur_5,cur_6"


@pytest.mark.parametrize(
    ("content", "mentions"),
    [
        (b"", ["bad.csv"]),
        (b"\x00\x01\x02\xff" * 500, ["bad.csv"]),
        (b"hello\nworld\n", ["line 1", "enc_1"]),
        ((HEADER.replace(",enc_6", "") + "\n0" + ",1" * 11 + "\n").encode(), ["enc_6"]),
        ((HEADER + "\n" + "0" + ",1" * 12 + "\n0.001,1,2\n").encode(), ["line 3"]),
        ((HEADER + "\n" + "0" + ",1" * 11 + ",abc\n").encode(), ["line 2", "abc"]),
        ((HEADER + "\n" + "".join(f"0.00{k}" + ",1" * 12 + "\n" for k in range(3))).encode(), ["3 samples"]),
    ],
    ids=["empty", "binary", "no header", "five struts", "ragged", "not a number", "three samples"],
)
def test_bad_logs_get_one_line_and_leave_nothing(content, mentions, tmp_path, capsys):
    path, out, document = tmp_path / "bad.csv", tmp_path / "out", tmp_path / "estimate.json"
    path.write_bytes(content)
    for command in (("identify", "--out", out, "--json", document), ("check", "--json", document)):
        name, *rest = command
        refused(capsys, name, path, "--machine", "uf", *rest, mentions=mentions)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bad.csv"]


def test_missing_files_are_named(tmp_path, capsys, log):
    missing = tmp_path / "missing.csv"
    refused(capsys, "identify", missing, "--machine", "uf", mentions=["missing.csv", "No such file"])
    refused(capsys, "identify", log, "--machine", "uf", "--validate", missing, mentions=["missing.csv"])
    refused(
        capsys, "identify", log, "--machine", tmp_path / "none.yaml", mentions=["none.yaml", "No such file"]
    )
    refused(capsys, "identify", log, "--machine", "atlas", mentions=["atlas", "uf"])
    refused(capsys, "identify", tmp_path, "--machine", "uf", mentions=["metadata.yaml"])


@pytest.mark.parametrize(
    ("change", "mentions"),
    [
        (lambda d: d.update(colour="red"), ["colour", "allowed"]),
        (lambda d: d["platform"].update(mass=-1.0), ["platform.mass", "-1", "greater than zero"]),
        (lambda d: d["geometry"].pop("home"), ["geometry.home", "missing"]),
    ],
    ids=["unknown key", "negative mass", "missing key"],
)
def test_bad_machines_are_refused_by_key_and_value(change, mentions, tmp_path, capsys, log):
    document = yaml.safe_load(builtin_machines()["uf"].read_text())
    change(document)
    path = tmp_path / "machine.yaml"
    path.write_text(yaml.safe_dump(document))
    refused(capsys, "identify", log, "--machine", path, mentions=["machine.yaml", *mentions])


def test_impossible_settings_are_refused(log, capsys, tmp_path):
    refused(capsys, "identify", log, "--machine", "uf", "--cutoff", "600", mentions=["600", "Nyquist"])
    refused(capsys, "identify", log, "--machine", "uf", "--band", "-1", mentions=["-1"])
    simulate = ("simulate", "--machine", "uf", "--trajectory", "rest")
    refused(capsys, *simulate, "--duration", "-3", "--out", tmp_path / "a.csv", mentions=["--duration", "-3"])
    refused(capsys, *simulate, "--duration", "1", "--out", tmp_path / "no" / "a.csv", mentions=["a.csv"])
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(SystemExit) as stop:
        main(["identify", str(log)])
    assert stop.value.code == 2


def test_a_log_at_the_wrong_rate_is_refused(tmp_path, capsys, log):
    lines = gzip.decompress(log.read_bytes()).decode().splitlines()
    path = tmp_path / "half.csv"
    path.write_text("\n".join([lines[0], *lines[1::2]]) + "\n")
    refused(capsys, "identify", path, "--machine", "uf", mentions=["500 Hz", "1000 Hz"])
