# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What `pkm watch` refuses before anything is started: one line, code 2."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pkm_identification.cli import main


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--host", "0.0.0.0"], "--host 0.0.0.0: others can reach it"),
        (["--port", "70000"], "--port 70000: must be from 0 to 65535"),
        (["--port", "many"], "many"),
        (["--domain", "300"], "--domain 300: must be from 0 to 232"),
        (["--token", "short"], "--token or PKM_WATCH_TOKEN: must be 8 or more letters and digits"),
        (["--machine", "nosuch"], "machine 'nosuch'"),
        (["--namespace", "a b"], "--namespace 'a b'"),
    ],
)
def test_bad_options_are_one_line_and_code_2(capsys, options, said):
    try:
        code = main(["watch", "--no-browser", *options])
    except SystemExit as ended:  # argparse's own
        code = ended.code
    complaint = capsys.readouterr().err
    assert code == 2
    assert said in complaint
    assert len(complaint.splitlines()) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("missing", "said"),
    [("websockets", "needs websockets: pip install 'pkm_identification[watch]'"), ("rclpy", "'.[ros]'")],
)
def test_a_missing_library_is_named_with_how_to_get_it(missing, said):
    """None in sys.modules is how Python itself marks a module that is not to be imported."""
    if missing == "rclpy":
        pytest.importorskip("websockets.asyncio.server", reason="websockets is asked for first")
    without = f"import sys; sys.modules[{missing!r}] = None"
    code = f"{without}; from pkm_identification.cli import main; sys.exit(main(['watch']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_a_token_of_the_environment_counts_and_an_option_goes_before_it(monkeypatch, capsys, host):
    monkeypatch.setenv("PKM_WATCH_TOKEN", "short")
    assert main(["watch", "--no-browser", "--host", host]) == 2
    assert "PKM_WATCH_TOKEN: must be 8" in capsys.readouterr().err
    # the next complaint is another one: the token is taken
    for options in (["--token", "longEnough1"], []):
        if not options:
            monkeypatch.setenv("PKM_WATCH_TOKEN", "longEnough2")
        assert main(["watch", "--no-browser", "--host", host, "--machine", "nosuch", *options]) == 2
        assert "machine 'nosuch'" in capsys.readouterr().err
