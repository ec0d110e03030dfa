"""The stream guard: lets no sample through that would harm the filters behind it.

It keeps the accepted samples on the drive's regular clock: a short hole (a dropped sample) is filled by a straight
line, a long one starts a new segment. The same compiled step serves the online stream and whole logs.
"""

from .samples import GuardedLog, GuardedSample
from .settings import GuardSettings
from .stream import StreamGuard

__all__ = ["GuardSettings", "GuardedLog", "GuardedSample", "StreamGuard"]
