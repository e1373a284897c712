# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Runs a command within limits: `python confine.py SETTINGS COMMAND ...`.

A program of its own, of the standard library alone, for any Python that students' code needs. The
settings are JSON: folder to start in, folders and files that may be written, MB of memory, MB of
a file, seconds of processor time. Files elsewhere are kept by Landlock (Linux 5.13 or newer), see
https://docs.kernel.org/userspace-api/landlock.html; without it a line on stderr says so.
"""

from __future__ import annotations

from collections.abc import Sequence
import ctypes
import json
import os
import resource
import signal
import struct
import sys

UNCONFINED = 'confine: this kernel has no Landlock: files elsewhere can be written'

_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS = 1, 38
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_PATH_BENEATH = 1
# Rights by the version of the interface that brought them; bits of <linux/landlock.h>.
_WRITE_FILE, _TRUNCATE = 1 << 1, 1 << 14
_WRITES = {1: _WRITE_FILE | sum(1 << bit for bit in range(4, 13)), 2: 1 << 13, 3: _TRUNCATE}
_OF_FILES = _WRITE_FILE | _TRUNCATE
_SCOPE_SIGNAL = 1 << 1
_SCOPES_SINCE = 6

# For shared memory of the middleware, and what every program may write to.
_ALWAYS = ('/dev/shm', '/dev/null', '/dev/zero', '/dev/full', '/dev/tty',  # noqa: S108
           '/dev/urandom', '/dev/random')


def keep_files(writable: Sequence[str]) -> bool:
    """Let this process, and what it starts, write nowhere but there; whether that is possible."""
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    if version < 1:
        return False
    handled = sum(bits for since, bits in _WRITES.items() if since <= version)
    scopes = _SCOPE_SIGNAL if version >= _SCOPES_SINCE else 0
    # Older kernels know fewer fields.
    attributes = struct.pack('=QQQ', handled, 0, scopes)[:24 if version >= _SCOPES_SINCE else 8]
    ruleset = libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    if ruleset < 0:
        return False
    for path in (*writable, *_ALWAYS):
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        rights = handled if os.path.isdir(path) else handled & _OF_FILES
        added = libc.syscall(
            _ADD_RULE, ruleset, _PATH_BENEATH, struct.pack('=Qi', rights, place), 0)
        os.close(place)
        if added:
            return False
    kept = not libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) and \
        not libc.syscall(_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)
    return kept


def limit(kind: int, amount: int) -> None:
    """Set a limit, as far as the one that is there allows."""
    hard = resource.getrlimit(kind)[1]
    most = amount if hard == resource.RLIM_INFINITY else min(amount, hard)
    resource.setrlimit(kind, (most, most))


def main() -> None:
    """Set the limits and become the command."""
    settings, command = json.loads(sys.argv[1]), sys.argv[2:]
    # Nothing of a student's goes on when the grader is killed.
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    os.chdir(settings['folder'])
    megabyte = 1_000_000
    limit(resource.RLIMIT_AS, int(settings['memory'] * megabyte))
    limit(resource.RLIMIT_FSIZE, int(settings['file_size'] * megabyte))
    limit(resource.RLIMIT_CPU, int(settings['processor_time']))
    limit(resource.RLIMIT_CORE, 0)
    if not keep_files(settings['writable']):
        print(UNCONFINED, file=sys.stderr, flush=True)
    # What the simulation needs comes first on a busy computer.
    os.nice(5)
    try:
        os.execvp(command[0], command)  # noqa: S606
    except OSError as error:
        sys.exit(f'confine: {command[0]} cannot be started: {error.strerror}')


if __name__ == '__main__':
    main()
