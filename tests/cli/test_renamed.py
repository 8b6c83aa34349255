"""Options that were renamed stop with one line that names the new one."""

import pytest
from click.testing import CliRunner

from regard.cli.main import regard


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["translate", "--nbest", "2", "a"], "--nbest is called --num-hypotheses now"),
        (["generate", "--max-length", "2", "a"], "--max-length is called --max-new-tokens now"),
        (["generate", "--min-length", "2", "a"], "--min-length is called --min-new-tokens now"),
        (["lens", "--place", "2", "a"], "--place is called --position now"),
        (["memories", "--place", "decoder.0", "a", "b"], "--place is called --layer now"),
        (["align", "--look", "decoder.0.cross", "-m", "a", "b", "c"], "--look is called --heads now"),
    ],
)
def test_an_old_option_names_the_new_one_in_one_line(arguments, message):
    ran = CliRunner().invoke(regard, arguments)
    assert ran.exit_code == 2
    assert ran.output == f"Error: {message}\n"
    assert arguments[1] not in CliRunner().invoke(regard, [arguments[0], "--help"]).output
