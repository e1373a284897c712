# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The cockpit records topics by the recorder in a process of its own."""

import asyncio
import concurrent.futures
import os

from nav_msgs.msg import Odometry
import pytest

from racecar.bags.reader import BagReader
from racecar.base.errors import RunError
from racecar.cockpit.recorders import BagRecorder
from racecar.ros import qos

pytestmark = pytest.mark.ros


def test_it_records_what_is_published_until_it_is_stopped(bench, tmp_path):
    publisher = bench.probe.create_publisher(Odometry, '/vesc/odom', qos.STATE)
    folder = tmp_path / 'a "quoted" name'
    recorder = BagRecorder(lambda: False)
    sent = 0

    def publish(until):
        nonlocal sent
        publisher.publish(Odometry())
        sent += 1
        return until()

    async def record():
        await recorder.start(folder)
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, recorded.result)
        await recorder.stop()

    recorded: concurrent.futures.Future[None] = concurrent.futures.Future()
    with concurrent.futures.ThreadPoolExecutor(1) as threads:
        running = threads.submit(asyncio.run, record())
        bench.until(lambda: publish(lambda: publisher.get_subscription_count()), 'the recorder')
        before = sent
        bench.until(lambda: publish(lambda: sent >= before + 50), 'some messages')
        recorded.set_result(None)
        running.result(60)
    with BagReader(folder) as bag:
        topic, = (row for row in bag.summary.topics if row.name == '/vesc/odom')
    assert 40 <= topic.message_count <= sent


def test_a_recorder_that_cannot_start_says_why(bench, tmp_path):
    folder = tmp_path / 'file' / 'bag'
    folder.parent.write_text('in the way')
    with pytest.raises(RunError, match=r'nothing is recorded: .*bag folder'):
        asyncio.run(BagRecorder(lambda: False).start(folder))
    assert os.listdir(tmp_path) == ['file']
