"""Launch arguments as parameters; launch is not needed to read them."""

import pytest

from pkm_identification.ros.processes.launch_arguments import read_argument


@pytest.mark.parametrize(
    ("read", "text", "value"), [(float, "5", 5.0), (float, "1e-3", 1e-3), (int, "7", 7), (str, "x", "x")]
)
def test_text_becomes_the_kind_of_value_that_is_asked_for(read, text, value):
    found = read_argument("duration", read, text)
    assert (found, type(found)) == (value, read)


@pytest.mark.parametrize(
    ("read", "text", "kind"), [(float, "long", "a number"), (int, "1.5", "a whole number")]
)
def test_what_does_not_fit_is_said_with_the_name_of_the_argument(read, text, kind):
    with pytest.raises(ValueError, match=f"'duration' must be {kind}, not '{text}'"):
        read_argument("duration", read, text)
