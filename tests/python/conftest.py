"""What the tests of the Python package share."""

import numpy as np
import pytest


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def pytest_configure(config):
    np.seterr(all="ignore")
