# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The parameters that clients elsewhere, such as web pages, may set.

Numbers, switches and texts of a list of choices. Another text may name a file of this computer,
of which a message about it would tell.
"""

from __future__ import annotations

import re

from rcl_interfaces.msg import ParameterDescriptor, ParameterType

from racecar.base.errors import excerpt, ParameterError
from racecar.base.parameters import USE_SIM_TIME

# The range of a number as racecar.base.parameters.Parameter.range has it, then the unit; a short
# word alone is a unit.
_RANGE = r'[\[(][^,\[\]]*, [^,\[\]]*?[\])](?: without 0)?(?: or [-+.\de]+)*'
_RANGE_AND_UNIT = re.compile(rf'{_RANGE}(?: (?P<unit>\S.{{,24}}))?|(?P<alone>\S{{1,6}})')

_TEXTS = (ParameterType.PARAMETER_STRING, ParameterType.PARAMETER_STRING_ARRAY)


def choices(descriptor: ParameterDescriptor, value: object) -> list[str]:
    """Values of a text that its descriptor lists, as nodes of this suite do; else none.

    value: which the parameter has now.
    """
    if descriptor.type != ParameterType.PARAMETER_STRING:
        return []
    listed: list[str] = descriptor.additional_constraints.split(', ')
    return listed if value and value in listed else []


def unit_of(descriptor: ParameterDescriptor) -> str:
    """Unit of a number with a range, as nodes of this suite describe it; else empty."""
    match = _RANGE_AND_UNIT.fullmatch(descriptor.additional_constraints)
    return match['unit'] or match['alone'] or '' \
        if match and descriptor.type not in _TEXTS else ''


def is_showable(descriptor: ParameterDescriptor, value: object) -> bool:
    """Whether clients may know this value of a parameter: no text but one of a list."""
    return descriptor.name != USE_SIM_TIME and value is not None and (
        descriptor.type not in _TEXTS or choices(descriptor, value) != [])


def is_settable(descriptor: ParameterDescriptor, value: object) -> bool:
    """Whether clients may set a parameter that has this value now."""
    return not descriptor.read_only and is_showable(descriptor, value)


def check_settable(descriptor: ParameterDescriptor, value: object, wanted: object) -> None:
    """Raise ParameterError if clients may not set a parameter, or not to what is wanted.

    value: which it has now.
    """
    if not is_settable(descriptor, value):
        raise ParameterError(
            f'parameter {descriptor.name!r} is none that a client may set: neither a number, a'
            ' switch nor a choice, or read-only; on this computer `racecar param set` may')
    listed = choices(descriptor, value)
    if listed and wanted not in listed:
        raise ParameterError(f'parameter {descriptor.name!r} is {excerpt(wanted)}, expected one'
                             f" of {', '.join(listed)}")
