"""Whatever is asked, within the schema or outside, the server does not fall over: schemathesis over the OpenAPI."""

import hypothesis
import pytest
import schemathesis
from schemathesis.checks import not_a_server_error
from viewer.small import run

from regard.viewer.guard import ServerAddress
from regard.viewer.limits import Limits
from regard.viewer.model_store import ModelStore
from regard.viewer.server import create_app

app = create_app(ModelStore(), ServerAddress(port=80), limits=Limits(letters=200, max_new_tokens=3, beam=2))
schema = schemathesis.openapi.from_asgi("/openapi.json", app, headers={"host": "127.0.0.1"})


@pytest.fixture(scope="module")
def finished():
    """A run that can be asked about."""
    from starlette.testclient import TestClient

    with TestClient(app, base_url="http://127.0.0.1") as server:
        yield run(server, text="To be", max_new_tokens=1)["id"]


def asked(case, finished):
    """Most of what is asked is about a run that there is: else nothing but 404 would be met."""
    if "name" in case.path_parameters and case.method != "DELETE":
        case.path_parameters["name"] = finished
    if "layer" in (case.query or {}):
        case.query["layer"] = "decoder.0.self"
    case.call_and_validate(headers={"host": "127.0.0.1"}, checks=(not_a_server_error,))


@schema.parametrize()
@hypothesis.settings(max_examples=4, deadline=None, suppress_health_check=list(hypothesis.HealthCheck))
def test_nothing_that_is_asked_breaks_the_server(case, finished):
    asked(case, finished)


@pytest.mark.proof
@schema.parametrize()
@hypothesis.settings(max_examples=200, deadline=None, suppress_health_check=list(hypothesis.HealthCheck))
def test_nothing_at_all_breaks_the_server(case, finished):
    asked(case, finished)
