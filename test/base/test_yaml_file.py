# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A file that cannot be used is named in one line, whatever is wrong with it."""

import pytest

from racecar.base.errors import ConfigurationError
from racecar.base.yaml_file import load_yaml


def test_content_is_returned(tmp_path):
    (tmp_path / 'a.yaml').write_text('a: [1, 2.5]')
    assert load_yaml('some file', tmp_path / 'a.yaml') == {'a': [1, 2.5]}


def test_absent_file_is_named_with_the_remedy(tmp_path):
    path = tmp_path / 'absent.yaml'
    with pytest.raises(ConfigurationError) as raised:
        load_yaml('some file', path, 'look again')
    assert str(raised.value) == (
        f"some file '{path}' cannot be read: No such file or directory; look again")


@pytest.mark.parametrize('content', [b'a: [1', b'\xff\xfe\x00\x01'])
def test_what_is_not_yaml_is_said_to_be_none(content, tmp_path):
    path = tmp_path / 'b.yaml'
    path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"some file '.*b\.yaml' is not YAML"):
        load_yaml('some file', path)
