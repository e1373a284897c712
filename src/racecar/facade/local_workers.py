# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A program with a scheduler and workers on this machine, which live until its input ends.

Workers of the calling process would import the user's program anew, and outlive it where it is
killed.
"""

from __future__ import annotations

from collections.abc import Iterator
import contextlib
import logging
import multiprocessing
import subprocess
import sys

from racecar.base.errors import RunError

# Each worker would import anew what it imports.
_PRELOADED = f'{__package__}.preloaded'


@contextlib.contextmanager
def local_scheduler(workers: int) -> Iterator[str]:
    """Start so many worker processes; gives the address of their scheduler.

    Raises RunError if they do not start.
    """
    with subprocess.Popen(
            [sys.executable, '-m', __name__, str(workers)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            # Ctrl-C is for this process, which ends them.
            start_new_session=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            address = process.stdout.readline().strip()
            if not address:
                raise RunError(
                    f'{workers} workers do not start on this machine; try fewer with --jobs, or'
                    ' leave the scheduler out')
            yield address
        finally:
            process.stdin.close()


def main() -> None:
    """Serve until standard input ends."""
    import dask
    import distributed
    from distributed.utils import get_mp_context

    if 'forkserver' in multiprocessing.get_all_start_methods():
        dask.config.set({'distributed.worker.multiprocessing-method': 'forkserver'})
        # The first call names what a server imports before it forks, which is not enough.
        get_mp_context()
        multiprocessing.set_forkserver_preload([_PRELOADED])
    with distributed.LocalCluster(
            n_workers=int(sys.argv[1]), threads_per_worker=1, dashboard_address='127.0.0.1:0',
            silence_logs=logging.CRITICAL) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()


if __name__ == '__main__':
    main()
