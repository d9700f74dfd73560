"""Settings of the whole suite: how long Hypothesis searches, and which package is under test."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

import llm_projections

# A busy machine is slow without being wrong, so neither a deadline nor a slow strategy is a fault.
_PATIENT = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}

settings.register_profile("default", max_examples=50, **_PATIENT)
settings.register_profile("ci", max_examples=50, derandomize=True, print_blob=True, **_PATIENT)
# That a mutant fails is all that is asked: no time goes into a smaller example of how.
settings.register_profile(
    "mutants",
    max_examples=50,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
    **_PATIENT,
)
settings.register_profile("patience", max_examples=2000, **_PATIENT)
settings.load_profile(
    os.environ.get("LLM_PROJECTIONS_PROFILE", "ci" if "CI" in os.environ else "default")
)


def pytest_sessionstart(session: pytest.Session) -> None:
    """With LLM_PROJECTIONS_INSTALLED=1 only an installed package is tested."""
    folder = Path(next(iter(llm_projections.__path__)))
    if os.environ.get("LLM_PROJECTIONS_INSTALLED") == "1" and folder.parent.name != "site-packages":
        raise pytest.UsageError(f"the package under test is not an installed one: {folder}")
