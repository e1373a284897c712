# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""One exception class per area; messages name the value, the expectation and the remedy."""

from __future__ import annotations

import reprlib

_excerpt = reprlib.Repr()
_excerpt.maxlevel = 4
_excerpt.maxlist = _excerpt.maxtuple = _excerpt.maxdict = 10
_excerpt.maxstring = _excerpt.maxother = _excerpt.maxlong = 300


def excerpt(value: object) -> str:
    """Text of repr() for a message: in one line, its middle left out where it is long."""
    return _excerpt.repr(value)


class RacecarError(Exception):
    """Base of all errors that this package raises on purpose."""


class ParameterError(RacecarError):
    """A parameter is unknown, missing, of the wrong type or out of its range."""


class MissingParameterError(ParameterError):
    """A parameter without a default has no value; name: that of the parameter."""

    def __init__(self, message: str, name: str) -> None:
        """Bind the two."""
        super().__init__(message)
        self.name = name


class ConfigurationError(RacecarError):
    """A file or a combination of settings cannot be used."""


class DivergenceError(RacecarError):
    """The integration left the finite numbers; the message carries the last good state."""


class FaultError(DivergenceError):
    """A robot cannot go on as it is, such as one that lies on its roof."""


class ControlModeError(RacecarError):
    """Something was asked for that does not exist in the present mode of control."""


class RunError(RacecarError):
    """A run lacks samples, or has some that cannot be compared."""


class RenderingError(RacecarError):
    """A picture cannot be drawn."""


class BagError(RacecarError):
    """A bag cannot be read or lacks what was asked for."""


class MessageError(RacecarError):
    """A serialised message is cut short, corrupt, or has a stamp that is no time."""
