# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Initialise rclpy, or say in one line why not."""

from __future__ import annotations

import os
import re
import sys
import tempfile

import rclpy
from rclpy.context import Context
from rclpy.signals import SignalHandlerOptions

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.parameter_file import read_parameter_file


def init(args: list[str] | None = None, context: Context | None = None) -> None:
    """Initialise rclpy without its handlers of signals; args: words of the command line.

    Raises ConfigurationError for a parameter file that is none, arguments that ROS does not know
    and a log folder that cannot be written.
    """
    _prepare_log_folder()
    try:
        rclpy.init(args=args, context=context, signal_handler_options=SignalHandlerOptions.NO)
    # Its base class is that of every error of rcl.
    except RuntimeError as error:
        words = sys.argv if args is None else args
        for option, path in zip(words, words[1:], strict=False):
            if option == '--params-file':
                # Raises the error that names the place.
                read_parameter_file(path)
        # Where in the sources of rcl it was found helps nobody.
        text = re.sub(r', at \S+:\d+', '', ' '.join(str(error).split()))
        raise ConfigurationError(f'ROS 2 cannot be initialised: {text}') from error


def _prepare_log_folder() -> None:
    """Give the log another place where its own cannot be written."""
    given = os.environ.get('ROS_LOG_DIR')
    # rcl knows no home but HOME.
    home = os.environ.get('ROS_HOME') or ('~/.ros' if os.environ.get('HOME') else '')
    folder = os.path.expanduser(given or (home and os.path.join(home, 'log')))
    try:
        os.makedirs(folder, exist_ok=True)
        # Refused where os.access() grants, as on a disk that is full or read-only.
        with tempfile.TemporaryFile(dir=folder):
            return
    except OSError as error:
        problem = error.strerror
    if given:
        raise ConfigurationError(
            f'ROS_LOG_DIR {excerpt(given)} cannot be written: {problem}; name another folder, or'
            ' unset it')
    try:
        other = tempfile.mkdtemp(prefix='racecar-log-')
    except OSError as error:
        raise ConfigurationError(
            f'log folder {excerpt(folder)} cannot be written: {problem}; name another one in'
            ' ROS_LOG_DIR') from error
    os.environ['ROS_LOG_DIR'] = other
    print(f'racecar: log folder {excerpt(folder)} cannot be written ({problem}), logging to'
          f' {other}', file=sys.stderr)
