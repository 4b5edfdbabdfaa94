"""Everything that is answered."""

from ._generated.models import *  # noqa: F403
