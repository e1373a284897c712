# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A program of the RACECAR Neo course, as its library speaks: written from the protocol alone."""

import socket
import struct

import numpy as np

CONNECT, START, UPDATE, EXIT, FINISHED, SEND_NEXT, PROGRAM_EXIT = 1, 2, 3, 4, 5, 6, 7


class EndedError(Exception):
    """The simulator says so; its argument is the datagram."""


class Program:
    """One UDP socket that talks to both ports."""

    def __init__(self, ports, timeout=60.0):
        self.sync, self.asynchronous = (('127.0.0.1', port) for port in ports)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(('127.0.0.1', 0))
        self.socket.settimeout(timeout)

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send(self, *data, to=None):
        self.socket.sendto(bytes(data), to or self.sync)

    def receive(self):
        data = self.socket.recv(65535)
        if len(data) == 2 and data[0] == 0:
            raise EndedError(data)
        return data

    def ask(self, *data):
        self.send(*data)
        return self.receive()

    def connect(self, version=1):
        self.send(CONNECT, version, to=self.asynchronous)
        return self.socket.recv(8)

    def serve(self, start, update):
        """Do what the library does from the connection on; returns the frames computed."""
        frames = 0
        while True:
            data = self.receive()
            if data[0] == EXIT:
                return frames
            if data[0] == START:
                start(self)
            else:
                assert data[0] == UPDATE, data[:4]
                if update(self) is False:
                    self.send(PROGRAM_EXIT)
                    return frames
                frames += 1
            self.send(FINISHED)

    # What programs call

    def drive(self, speed, angle):
        # As C lays it out: three bytes stay empty.
        self.socket.sendto(struct.pack('=B3xff', 22, speed, angle), self.sync)

    def set_max_speed(self, fraction):
        self.socket.sendto(struct.pack('=B3xf', 24, fraction), self.sync)

    def delta(self):
        return struct.unpack('=f', self.ask(10))[0]

    def lidar(self):
        return np.frombuffer(self.ask(26), np.float32)

    def picture(self, to=None):
        """Red, green, blue (480, 640, 3)."""
        self.send(12, to=to)
        parts = []
        for _ in range(32):
            parts.append(self.receive())
            assert len(parts[-1]) == 38400
            self.send(SEND_NEXT, to=to)
        return np.frombuffer(b''.join(parts), np.uint8).reshape(480, 640, 4)[..., :3]

    def depths(self):
        return np.frombuffer(self.ask(13), np.float32).reshape(60, 80)

    def vector(self, opcode):
        return struct.unpack('=fff', self.ask(opcode))
