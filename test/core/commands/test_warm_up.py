"""pkm warm-up: after it nothing is compiled."""

import pytest

from pkm_identification.cli import main


@pytest.mark.slow
def test_what_was_compiled_is_not_compiled_again(capsys):
    for _ in range(2):
        assert main(["warm-up", "--machine", "four-bar", "--jobs", "1"]) == 0
        said = capsys.readouterr().out
    assert said.splitlines() == ["simulation compiled already", "Nothing was left to compile."]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--machine", "nix"], "pkm warm-up: machine 'nix': not a built-in machine"),
        (["--jobs", "0"], "pkm warm-up: --jobs 0: must be at least 1"),
    ],
)
def test_bad_input_is_one_line(capsys, options, problem):
    assert main(["warm-up", *options]) == 2
    assert capsys.readouterr().err.startswith(problem)
