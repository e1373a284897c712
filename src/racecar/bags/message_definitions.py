# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Definition texts of message types, for bags that explain themselves: in and out."""

from __future__ import annotations

from functools import lru_cache
import os
from pathlib import Path
import re

from rosbags.interfaces import MessageDefinition, MessageDefinitionFormat
from rosbags.typesys import get_types_from_idl, get_types_from_msg, get_typestore, Stores
from rosbags.typesys.store import Typestore

from racecar.bags.limits import check_definition, check_types


def distribution() -> str:
    """Name of the ROS 2 distribution in use."""
    return os.environ.get('ROS_DISTRO') or 'jazzy'


class MessageDefinitions:
    """Looks types up in rosbags' store of the distribution, others in the ament share folders."""

    def __init__(self) -> None:
        """Start with the standard types of the distribution."""
        self._store: Typestore = get_typestore(_standard_types(distribution()))

    def text(self, type_name: str) -> tuple[str, str]:
        """Definition text and RIHS01 hash of a type; both empty where it is not found."""
        try:
            self._register(type_name)
            definition, _ = self._store.generate_msgdef(type_name, ros_version=2)
            return definition, self._store.hash_rihs01(type_name)
        except (KeyError, FileNotFoundError):
            return '', ''

    def service_texts(self, type_name: str) -> tuple[str, str] | None:
        """Definition texts of request and response of a service, as std_srvs/srv/Empty.

        None where the service, or a type that it uses, is not found.
        """
        try:
            package, kind, name = type_name.split('/')
            halves = _find(package, kind, name).read_text(encoding='utf-8')
            request, _, response = re.split(r'^(---)[^\S\n]*$', halves, flags=re.MULTILINE)
            return (self._part_text(f'{package}/msg/{name}_Request', request),
                    self._part_text(f'{package}/msg/{name}_Response', response))
        except (KeyError, FileNotFoundError, ValueError):
            return None

    def _part_text(self, type_name: str, text: str) -> str:
        # rosbags has no services; what uses a name of this form is not among the messages.
        if type_name not in self._store.fielddefs:
            self._add(type_name, text)
        return self._store.generate_msgdef(type_name, ros_version=2)[0]

    def _register(self, type_name: str) -> None:
        if type_name in self._store.fielddefs:
            return
        self._add(type_name, _find(*type_name.split('/')).read_text(encoding='utf-8'))

    def _add(self, type_name: str, text: str) -> None:
        types = get_types_from_msg(text, type_name)
        for _, fields in types.values():
            for _, (_, *detail) in fields:
                for nested in _names_in(detail):
                    self._register(nested)
        self._store.register({key: value for key, value in types.items()
                              if key not in self._store.fielddefs})


@lru_cache(maxsize=64)
def defined_types(type_name: str, definition: MessageDefinition) -> Typestore:
    """Types that a definition text in a bag declares, without one those of Jazzy.

    Raises whatever rosbags does for a text that is no definition, and TooLargeError.
    """
    if definition.format is MessageDefinitionFormat.NONE or not definition.data:
        return _jazzy_typestore()
    check_definition(definition.data)
    if definition.format is MessageDefinitionFormat.MSG:
        types = get_types_from_msg(definition.data, type_name)
    else:
        types = {}
        for text in re.split(r'^={80}\nIDL: .*\n', definition.data, flags=re.MULTILINE):
            if text.strip():
                types.update(get_types_from_idl(text))
    check_types(types)
    store = get_typestore(Stores.EMPTY)
    store.register(types)
    return store


@lru_cache(maxsize=1)
def _jazzy_typestore() -> Typestore:
    return get_typestore(Stores.ROS2_JAZZY)


def _standard_types(distro: str) -> Stores:
    try:
        return Stores(f'ros2_{distro}')
    except ValueError:  # rolling, or newer than rosbags
        return Stores.LATEST


def _names_in(detail: object) -> list[str]:
    if isinstance(detail, str):
        return [detail] if detail.count('/') == 2 else []
    if isinstance(detail, list | tuple):
        return [name for item in detail for name in _names_in(item)]
    return []


def _find(package: str, kind: str, name: str) -> Path:
    for prefix in os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep):
        path = Path(prefix) / 'share' / package / kind / f'{name}.{kind}'
        if path.is_file():
            return path
    raise FileNotFoundError(f'{package}/{kind}/{name}.{kind}')
