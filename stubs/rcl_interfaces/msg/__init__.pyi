# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
# Made by tools/make_message_stubs.py.

from array import array
from collections.abc import Iterable, Sequence
from typing import ClassVar

import builtin_interfaces.msg

class FloatingPointRange:
    def __init__(
        self,
        *,
        from_value: float = ...,
        to_value: float = ...,
        step: float = ...,
    ) -> None: ...
    from_value: float
    to_value: float
    step: float
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class IntegerRange:
    def __init__(
        self,
        *,
        from_value: int = ...,
        to_value: int = ...,
        step: int = ...,
    ) -> None: ...
    from_value: int
    to_value: int
    step: int
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class ListParametersResult:
    def __init__(
        self,
        *,
        names: Sequence[str] = ...,
        prefixes: Sequence[str] = ...,
    ) -> None: ...
    @property
    def names(self) -> list[str]: ...
    @names.setter
    def names(self, value: Sequence[str]) -> None: ...
    @property
    def prefixes(self) -> list[str]: ...
    @prefixes.setter
    def prefixes(self, value: Sequence[str]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class Log:
    DEBUG: ClassVar[int]
    INFO: ClassVar[int]
    WARN: ClassVar[int]
    ERROR: ClassVar[int]
    FATAL: ClassVar[int]
    def __init__(
        self,
        *,
        stamp: builtin_interfaces.msg.Time = ...,
        level: int = ...,
        name: str = ...,
        msg: str = ...,
        file: str = ...,
        function: str = ...,
        line: int = ...,
    ) -> None: ...
    stamp: builtin_interfaces.msg.Time
    level: int
    name: str
    msg: str
    file: str
    function: str
    line: int
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class Parameter:
    def __init__(
        self,
        *,
        name: str = ...,
        value: ParameterValue = ...,
    ) -> None: ...
    name: str
    value: ParameterValue
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class ParameterDescriptor:
    READ_ONLY__DEFAULT: ClassVar[bool]
    DYNAMIC_TYPING__DEFAULT: ClassVar[bool]
    def __init__(
        self,
        *,
        name: str = ...,
        type: int = ...,
        description: str = ...,
        additional_constraints: str = ...,
        read_only: bool = ...,
        dynamic_typing: bool = ...,
        floating_point_range: Sequence[FloatingPointRange] = ...,
        integer_range: Sequence[IntegerRange] = ...,
    ) -> None: ...
    name: str
    type: int
    description: str
    additional_constraints: str
    read_only: bool
    dynamic_typing: bool
    @property
    def floating_point_range(self) -> list[FloatingPointRange]: ...
    @floating_point_range.setter
    def floating_point_range(self, value: Sequence[FloatingPointRange]) -> None: ...
    @property
    def integer_range(self) -> list[IntegerRange]: ...
    @integer_range.setter
    def integer_range(self, value: Sequence[IntegerRange]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class ParameterEvent:
    def __init__(
        self,
        *,
        stamp: builtin_interfaces.msg.Time = ...,
        node: str = ...,
        new_parameters: Sequence[Parameter] = ...,
        changed_parameters: Sequence[Parameter] = ...,
        deleted_parameters: Sequence[Parameter] = ...,
    ) -> None: ...
    stamp: builtin_interfaces.msg.Time
    node: str
    @property
    def new_parameters(self) -> list[Parameter]: ...
    @new_parameters.setter
    def new_parameters(self, value: Sequence[Parameter]) -> None: ...
    @property
    def changed_parameters(self) -> list[Parameter]: ...
    @changed_parameters.setter
    def changed_parameters(self, value: Sequence[Parameter]) -> None: ...
    @property
    def deleted_parameters(self) -> list[Parameter]: ...
    @deleted_parameters.setter
    def deleted_parameters(self, value: Sequence[Parameter]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class ParameterType:
    PARAMETER_NOT_SET: ClassVar[int]
    PARAMETER_BOOL: ClassVar[int]
    PARAMETER_INTEGER: ClassVar[int]
    PARAMETER_DOUBLE: ClassVar[int]
    PARAMETER_STRING: ClassVar[int]
    PARAMETER_BYTE_ARRAY: ClassVar[int]
    PARAMETER_BOOL_ARRAY: ClassVar[int]
    PARAMETER_INTEGER_ARRAY: ClassVar[int]
    PARAMETER_DOUBLE_ARRAY: ClassVar[int]
    PARAMETER_STRING_ARRAY: ClassVar[int]
    def __init__(
        self,
    ) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class ParameterValue:
    def __init__(
        self,
        *,
        type: int = ...,
        bool_value: bool = ...,
        integer_value: int = ...,
        double_value: float = ...,
        string_value: str = ...,
        byte_array_value: Sequence[bytes] = ...,
        bool_array_value: Sequence[bool] = ...,
        integer_array_value: Iterable[int] = ...,
        double_array_value: Iterable[float] = ...,
        string_array_value: Sequence[str] = ...,
    ) -> None: ...
    type: int
    bool_value: bool
    integer_value: int
    double_value: float
    string_value: str
    @property
    def byte_array_value(self) -> list[bytes]: ...
    @byte_array_value.setter
    def byte_array_value(self, value: Sequence[bytes]) -> None: ...
    @property
    def bool_array_value(self) -> list[bool]: ...
    @bool_array_value.setter
    def bool_array_value(self, value: Sequence[bool]) -> None: ...
    @property
    def integer_array_value(self) -> array[int]: ...
    @integer_array_value.setter
    def integer_array_value(self, value: Iterable[int]) -> None: ...
    @property
    def double_array_value(self) -> array[float]: ...
    @double_array_value.setter
    def double_array_value(self, value: Iterable[float]) -> None: ...
    @property
    def string_array_value(self) -> list[str]: ...
    @string_array_value.setter
    def string_array_value(self, value: Sequence[str]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SetParametersResult:
    def __init__(
        self,
        *,
        successful: bool = ...,
        reason: str = ...,
    ) -> None: ...
    successful: bool
    reason: str
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...
