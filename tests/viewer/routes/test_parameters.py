import pytest
from pydantic import TypeAdapter, ValidationError

from regard.viewer.routes.parameters import Number, WholeNumber


@pytest.mark.parametrize("text", ["0", "7", "0012", str(2**31 - 1)])
def test_plain_digits_are_a_number(text):
    assert TypeAdapter(Number).validate_python(text) == int(text)


@pytest.mark.parametrize("text", ["", " 1", "1_0", "1.0", "+1", "-1", "٣", "1e3"])
def test_all_else_that_python_would_read_is_refused(text):
    with pytest.raises(ValidationError, match="a whole number of 0 or more expected"):
        TypeAdapter(WholeNumber).validate_python(text)


def test_a_default_is_a_number_already():
    assert TypeAdapter(WholeNumber).validate_python(3) == 3
