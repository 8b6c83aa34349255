"""One service for all tests that only ask it."""

import pytest
from serving.small import client


@pytest.fixture(scope="session")
def server():
    with client() as result:
        yield result
