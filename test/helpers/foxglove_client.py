# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A small client of the protocol foxglove.sdk.v1, which keeps all that a server says."""

import contextlib
import json
import struct
import threading

from rosbags.typesys import get_types_from_msg, get_typestore, Stores
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Subprotocol


class FoxgloveClient:
    """Connected from the start; a context manager that hangs up."""

    def __init__(self, url):
        self._stack = contextlib.ExitStack()
        self._socket = self._stack.enter_context(
            connect(url, subprotocols=[Subprotocol('foxglove.sdk.v1')], max_size=None))
        self.said = []
        self.messages = []
        self.times = []
        self.answers = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._stack.close()

    def _listen(self):
        try:
            for message in self._socket:
                self._take(message)
        except ConnectionClosed:
            pass

    def _take(self, message):
        if isinstance(message, str):
            self.said.append(json.loads(message))
        elif message[0] == 1:
            number, time_ns = struct.unpack_from('<IQ', message, 1)
            self.messages.append((number, time_ns, message[13:]))
        elif message[0] == 2:
            self.times.append(*struct.unpack_from('<Q', message, 1))
        elif message[0] == 3:
            _, call, length = struct.unpack_from('<III', message, 1)
            self.answers[call] = message[13 + length:]
        elif message[0] == 4:
            number, status, length = struct.unpack_from('<IBI', message, 1)
            self.answers[f'asset {number}'] = status, message[10 + length:]

    def send(self, message):
        """Send what is given as it is, or an operation as JSON."""
        self._socket.send(json.dumps(message) if isinstance(message, dict) else message)

    def heard(self, operation):
        """Return all that the server has said of an operation, the newest last."""
        return [message for message in self.said if message['op'] == operation]

    def find(self, operation, rows, name, key):
        """Return what is advertised by a name, None if it is not."""
        found = [row for message in self.heard(operation) for row in message[rows]
                 if row[key] == name]
        return found[-1] if found else None

    def channel(self, topic):
        return self.find('advertise', 'channels', topic, 'topic')

    def service(self, name):
        return self.find('advertiseServices', 'services', name, 'name')

    def subscribe(self, topic, number):
        self.send({'op': 'subscribe', 'subscriptions': [
            {'id': number, 'channelId': self.channel(topic)['id']}]})

    def call(self, service, call, payload, encoding=b'cdr'):
        self.send(b'\x02' + struct.pack('<III', service['id'], call, len(encoding)) + encoding
                  + payload)

    def parameters(self, request):
        """Return the answer to a request as {name: value}; None if there is none yet."""
        for message in self.heard('parameterValues'):
            if message.get('id') == request:
                return {row['name']: row['value'] for row in message['parameters']}
        return None


def decoded(channel, data):
    """Return the message that a channel's own schema, and nothing else, makes of the bytes."""
    store = get_typestore(Stores.EMPTY)
    store.register(get_types_from_msg(channel['schema'], channel['schemaName']))
    return store.deserialize_cdr(data, channel['schemaName'])
