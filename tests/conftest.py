"""Settings of the test suite."""

import pytest
from hypothesis import settings

from tests.metrics import METRICS_OF_ACTUAL

# No deadline: a shared machine is slow now and then, and that is no bug.
settings.register_profile("default", deadline=None)
settings.load_profile("default")


@pytest.fixture(params=METRICS_OF_ACTUAL, ids=lambda metric: metric.key)
def metric_class(request):
    """Each metric class in turn."""
    return request.param
