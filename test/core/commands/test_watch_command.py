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
        (["--token", "short"], "--token: must be 8 or more letters and digits"),
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
    ("missing", "said"), [("websockets", "pkm_identification[watch]"), ("rclpy", "'.[ros]'")]
)
def test_a_missing_library_is_named_with_how_to_get_it(missing, said):
    """None in sys.modules is how Python itself marks a module that is not to be imported."""
    if missing == "rclpy":
        pytest.importorskip("websockets.asyncio.server", reason="websockets is asked for first")
    without = f"import sys; sys.modules[{missing!r}] = None"
    code = f"{without}; from pkm_identification.cli import main; sys.exit(main(['watch']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
