"""Settings of the test suite."""

import pytest
from hypothesis import settings

from jurity_reco.kernel import kernel_in_use
from tests.metrics import METRICS_OF_ACTUAL

# No deadline: a shared machine is slow now and then, and that is no bug.
settings.register_profile("default", deadline=None)
settings.load_profile("default")


def pytest_report_header():
    """Say which kernel is tested."""
    return f"kernel: {kernel_in_use()}"


@pytest.fixture(params=METRICS_OF_ACTUAL, ids=lambda metric: metric.key)
def metric_class(request):
    """Each metric class in turn."""
    return request.param
