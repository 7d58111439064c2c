"""Settings of all tests."""

from hypothesis import HealthCheck, settings

# Compiling a game may take a second at its first example; every run tries the same examples.
settings.register_profile(
    "meeple",
    deadline=None,
    max_examples=60,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("meeple")
