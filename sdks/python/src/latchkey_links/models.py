"""The types of all answers."""

from ._generated.models import *  # noqa: F403
