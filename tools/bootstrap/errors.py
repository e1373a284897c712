# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How preparing ends early."""


class SetupError(Exception):
    """Something is missing or failed; the text tells the user what to do."""


class UnknownCommandError(SetupError):
    """What was asked for exists nowhere."""


class Stopped(BaseException):
    """A signal asked this script to stop."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number
