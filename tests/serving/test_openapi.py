"""Whatever is asked, within the schema or outside, the service does not fall over: schemathesis over the OpenAPI."""

import hypothesis
import pytest
import schemathesis
from schemathesis.checks import not_a_server_error
from serving.small import ADDRESS, NAMES, served

from regard.serving.app import create_app
from regard.serving.limits import ServiceLimits
from regard.serving.service import Service

LIMITS = ServiceLimits(letters=200, texts=8, max_new_tokens=4, choices=2)
app = create_app(Service({}, limits=LIMITS), ADDRESS)
schema = schemathesis.openapi.from_asgi("/openapi.json", app, headers={"host": "127.0.0.1"})


@pytest.fixture(scope="module")
def models():
    """Models that answer, in the service that the schema was read from."""
    service = next(layer.kwargs["service"] for layer in app.user_middleware if "service" in layer.kwargs)
    service.models.update(served(*NAMES, limits=LIMITS))
    stop, service.stop = service.stop, lambda: None  # each call that is made begins and ends the application
    yield service
    stop()


def asked(case):
    """Most of what is asked is of models and languages that there are: else nothing but 404 would be met."""
    if isinstance(case.body, dict):
        for name, value in (("model", "shakespeare"), ("source", "en"), ("target", "de"), ("target_lang", "DE")):
            if isinstance(case.body.get(name), str):
                case.body[name] = value
        if "messages" in case.body:
            case.body["model"] = "en-de"
    case.call_and_validate(headers={"host": "127.0.0.1"}, checks=(not_a_server_error,))


@schema.parametrize()
@hypothesis.settings(max_examples=4, deadline=None, suppress_health_check=list(hypothesis.HealthCheck))
def test_nothing_that_is_asked_breaks_the_service(case, models):
    asked(case)


@pytest.mark.proof
@schema.parametrize()
@hypothesis.settings(max_examples=200, deadline=None, suppress_health_check=list(hypothesis.HealthCheck))
def test_nothing_at_all_breaks_the_service(case, models):
    asked(case)
