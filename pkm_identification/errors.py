"""The package's errors: one root, one class per kind of trouble a user can act on."""


class PkmError(Exception):
    """Root of every error this package raises on purpose."""


class MachineError(PkmError):
    """A machine description that cannot be used: names the key, the value and what is allowed."""


class LogError(PkmError):
    """A log that cannot be read or used: names the file, the place and what was expected."""


class NotConverged(PkmError):
    """An iteration ended without reaching its tolerance."""


class Unidentifiable(PkmError):
    """The data cannot show what was asked for."""


class MotionRefused(PkmError):
    """A motion the machine must not begin: says which limit or which number, where and when."""
