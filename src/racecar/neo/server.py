# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Serves one program at a time over UDP; the simulation waits for each of its frames."""

from __future__ import annotations

from collections import deque, OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
import selectors
import socket
import time
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import ConfigurationError, MessageError, RacecarError
from racecar.neo.controller import Controller
from racecar.neo.protocol import (
    ASYNC_PORT,
    Button,
    colour_fragments,
    depth_datagram,
    error_datagram,
    Fault,
    floats,
    IMAGE_HEIGHT,
    IMAGE_WIDTH,
    integer,
    lidar_datagram,
    LIDAR_SAMPLES,
    LONGEST,
    Opcode,
    read_request,
    Request,
    Side,
    SYNC_PORT,
    VERSION,
)

HOST = '127.0.0.1'
"""The only address that is listened to: the protocol knows no password."""

LONGEST_ANSWER = 5.0
"""A program that says nothing for so long is given up [s], as by the simulator of the course."""

# Notebooks that get a picture at a time; the oldest has gone, if there are more.
_MOST_TRANSFERS = 8
# Lines about senders that nobody knows; a flood of datagrams must not be one of lines.
_MOST_COMPLAINTS = 20

Address = tuple[str, int]
Log = Callable[[str, str], object]
"""Takes level (info or warn) and text."""


class Car(Protocol):
    """What programs drive and see; see NeoCar. All that reads sensors may raise RacecarError."""

    def drive(self, speed: float, angle: float) -> None:
        """Take speed and angle, from -1 to 1 each."""

    def limit(self, fraction: float) -> None:
        """Take the share of the full speed that speed 1 means."""

    def pixels(self) -> NDArray[np.uint8]:
        """Picture of the camera."""

    def depths(self) -> tuple[NDArray[np.float32], float]:
        """Depths [m] and focal length [pixels]."""

    def ranges(self) -> NDArray[np.float32]:
        """Ranges clockwise from straight ahead [m]."""

    def acceleration(self) -> tuple[float, float, float]:
        """To the right, up and ahead [m/s^2]."""

    def angular_velocity(self) -> tuple[float, float, float]:
        """About the axes to the right, up and ahead [rad/s]."""


class _GoneError(Exception):
    """The program does not go on; what is to be said of it, and to it."""

    def __init__(self, text: str, *, level: str = 'warn', fault: Fault | None = None) -> None:
        super().__init__(text)
        self.level = level
        self.fault = fault


class NeoServer:
    """Two sockets and the program that is connected; a context manager.

    address: of the program, None while there is none.
    """

    def __init__(
        self, car: Car, controller: Controller, log: Log, *,
        ports: tuple[int, int] = (SYNC_PORT, ASYNC_PORT), longest_answer: float = LONGEST_ANSWER,
    ) -> None:
        """ports: synchronous and asynchronous one, 0 for any that is free.

        Raises ConfigurationError if another program has one of them.
        """
        self.address: Address | None = None
        self._car = car
        self._controller = controller
        self._log = log
        self._longest_answer = longest_answer
        self._started = False
        self._complaints = 0
        self._delta = 0.0
        self._transfers: OrderedDict[Address, deque[bytes]] = OrderedDict()
        self._selector = selectors.DefaultSelector()
        self._sockets: list[socket.socket] = []
        try:
            self._sync, self._async = (self._bound(port) for port in ports)
        except ConfigurationError:
            self.close()
            raise
        self._answers: dict[Opcode, Callable[[Request], bytes]] = {
            Opcode.GET_DELTA_TIME: lambda _: floats(self._delta),
            Opcode.GET_WIDTH: lambda _: integer(IMAGE_WIDTH),
            Opcode.GET_HEIGHT: lambda _: integer(IMAGE_HEIGHT),
            Opcode.GET_LIDAR_SIZE: lambda _: integer(LIDAR_SAMPLES),
            Opcode.GET_LIDAR: lambda _: lidar_datagram(car.ranges()),
            Opcode.GET_DEPTH_IMAGE: lambda _: depth_datagram(*car.depths()),
            Opcode.GET_ACCELERATION: lambda _: floats(*car.acceleration()),
            Opcode.GET_ANGULAR_VELOCITY: lambda _: floats(*car.angular_velocity()),
            Opcode.IS_DOWN: partial(_pressed, controller.is_down),
            Opcode.WAS_PRESSED: partial(_pressed, controller.was_pressed),
            Opcode.WAS_RELEASED: partial(_pressed, controller.was_released),
            Opcode.GET_TRIGGER: lambda request: floats(controller.trigger(Side(request.code))),
            Opcode.GET_JOYSTICK: lambda request: floats(
                *controller.joystick(Side(request.code)))}
        self._acts: dict[Opcode, Callable[[Request], object]] = {
            Opcode.SET_SPEED_ANGLE: lambda request: car.drive(*request.numbers),
            Opcode.SET_MAX_SPEED: lambda request: car.limit(*request.numbers),
            Opcode.STOP: lambda _: car.drive(0.0, 0.0)}

    @property
    def ports(self) -> tuple[int, int]:
        """Synchronous and asynchronous port."""
        return self._sync.getsockname()[1], self._async.getsockname()[1]

    def close(self) -> None:
        """Tell the program to end, and close the sockets; closing twice is allowed."""
        if self._sockets:
            self.end_program('the simulator ends')
        self._selector.close()
        for found in self._sockets:
            found.close()
        self._sockets.clear()

    def __enter__(self) -> NeoServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def listen(self, seconds: float) -> None:
        """Answer what comes without being called for: programs that connect, and notebooks.

        Returns once something was answered, or after some time [s].
        """
        for key, _ in self._selector.select(seconds):
            data, sender = self._received(key.fileobj)
            if sender is None:
                continue
            if key.fileobj is self._async:
                self._answer_async(data, sender)
            elif sender != self.address:
                self._complain(sender, 'which is not connected')

    def frame(self, delta: float) -> bool:
        """Let the program compute a frame; whether it is still there then.

        delta: simulated time since the frame before [s].
        """
        if self.address is None:
            return False
        self._delta = delta
        opcode = Opcode.UPDATE if self._started else Opcode.START
        self._started = True
        self._send(self._sync, bytes((opcode,)), self.address)
        try:
            while self._serve(self._next_request(self.address), self.address):
                pass
        except _GoneError as gone:
            if gone.fault is not None and self.address is not None:
                self._send(self._sync, error_datagram(gone.fault), self.address)
            self._release(str(gone), gone.level)
        return self.address is not None

    def end_program(self, text: str) -> None:
        """Tell the program to end, if there is one; text: for people."""
        if self.address is not None:
            self._send(self._sync, bytes((Opcode.EXIT,)), self.address)
            self._release(text, 'info')

    # The program that is called

    def _serve(self, request: Request, address: Address) -> bool:
        """Do what a program asks within its frame; False once that is finished."""
        opcode = request.opcode
        if opcode is Opcode.FINISHED:
            return False
        if opcode is Opcode.PROGRAM_EXIT:
            raise _GoneError('the program has ended', level='info')
        if opcode is Opcode.ERROR:
            reason = 'an exception in it' if request.code == Fault.EXCEPTION \
                else f'error {request.code}'
            raise _GoneError(f'the program ended with {reason}')
        try:
            if opcode is Opcode.GET_COLOUR_IMAGE:
                self._send_picture(colour_fragments(self._car.pixels()), address)
            elif opcode in self._acts:
                self._acts[opcode](request)
            elif opcode in self._answers:
                self._send(self._sync, self._answers[opcode](request), address)
            else:
                raise _GoneError(
                    f'the program sent {opcode.name}, which no program sends in a frame',
                    fault=Fault.GENERIC)
        except RacecarError as error:
            raise _GoneError(f'{opcode.name} failed: {error}', fault=Fault.GENERIC) from error
        return True

    def _send_picture(self, fragments: Sequence[bytes], address: Address) -> None:
        for fragment in fragments:
            self._send(self._sync, fragment, address)
            request = self._next_request(address)
            if request.opcode is Opcode.PROGRAM_EXIT:
                raise _GoneError('the program has ended', level='info')
            if request.opcode is not Opcode.SEND_NEXT:
                raise _GoneError(
                    f'the program sent {request.opcode.name} within a picture, expected'
                    f' {Opcode.SEND_NEXT.name}', fault=Fault.FRAGMENT_MISMATCH)

    def _next_request(self, address: Address) -> Request:
        """Wait for what the program says next; others are answered meanwhile."""
        until = time.monotonic() + self._longest_answer
        while (left := until - time.monotonic()) > 0.0:
            for key, _ in self._selector.select(left):
                data, sender = self._received(key.fileobj)
                if sender is None:
                    continue
                if key.fileobj is self._async:
                    self._answer_async(data, sender)
                    if self.address != address:
                        raise _GoneError('the program has ended', level='info')
                elif sender != address:
                    self._complain(sender, 'which is not connected')
                else:
                    try:
                        return read_request(data)
                    except MessageError as error:
                        raise _GoneError(
                            f'the program sent {error}', fault=Fault.GENERIC) from error
        raise _GoneError(
            f'the program said nothing for {self._longest_answer:g} s: it must not wait, and has'
            ' perhaps been killed', fault=Fault.TIMEOUT)

    def _release(self, text: str, level: str) -> None:
        """Let go of the program; the car stops."""
        self.address = None
        self._started = False
        self._car.drive(0.0, 0.0)
        self._log(level, text)

    # Who is not called

    def _answer_async(self, data: bytes, sender: Address) -> None:
        try:
            request = read_request(data)
        except MessageError as error:
            self._complain(sender, str(error))
            self._send(self._async, error_datagram(Fault.GENERIC), sender)
            return
        opcode = request.opcode
        if opcode is Opcode.CONNECT:
            self._connect(request.code, sender)
        elif opcode is Opcode.PROGRAM_EXIT:
            if sender == self.address:
                self._release('the program has ended', 'info')
        elif opcode is Opcode.SEND_NEXT:
            self._send_next(sender)
        # An answer to an error could be answered by an error for ever.
        elif opcode is not Opcode.ERROR:
            self._answer_notebook(opcode, request, sender)

    def _answer_notebook(self, opcode: Opcode, request: Request, sender: Address) -> None:
        try:
            if opcode is Opcode.GET_COLOUR_IMAGE:
                self._transfers.pop(sender, None)
                self._transfers[sender] = deque(colour_fragments(self._car.pixels()))
                if len(self._transfers) > _MOST_TRANSFERS:
                    self._transfers.popitem(last=False)
                self._send_next(sender)
                return
            if opcode in (Opcode.GET_DEPTH_IMAGE, Opcode.GET_LIDAR):
                self._send(self._async, self._answers[opcode](request), sender)
                return
            self._complain(sender, f'{opcode.name}, which programs send in their frames')
        except RacecarError as error:
            self._log('warn', f'{opcode.name} failed: {error}')
        self._send(self._async, error_datagram(Fault.GENERIC), sender)

    def _send_next(self, sender: Address) -> None:
        fragments = self._transfers.get(sender)
        if fragments is None:
            return
        if fragments:
            self._send(self._async, fragments.popleft(), sender)
        else:
            del self._transfers[sender]

    def _connect(self, version: int, sender: Address) -> None:
        if sender == self.address:
            # It asks several times while nobody answers, and has its answer by now.
            return
        fault = None
        if version != VERSION:
            fault = Fault.PROGRAM_OUTDATED if version < VERSION else Fault.SIMULATOR_OUTDATED
            self._log('warn', f'a program speaks version {version} of the protocol, expected'
                              f' {VERSION}: take the newest library of the course')
        elif self.address is not None:
            fault = Fault.NO_FREE_CAR
            self._log('warn', 'a second program asks for the car, which has one already: end that'
                              ' first')
        if fault is not None:
            self._send(self._async, error_datagram(fault), sender)
            return
        self.address = sender
        self._started = False
        self._send(self._async, bytes((Opcode.CONNECT, 0)), sender)
        self._log('info', 'a program is connected')

    # Sockets

    def _bound(self, port: int) -> socket.socket:
        found = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._sockets.append(found)
        try:
            found.bind((HOST, port))
        except OSError as error:
            raise ConfigurationError(
                f'UDP port {port} of {HOST} is not to be had ({error.strerror}): end the other'
                ' simulator, as programs know this port only') from error
        found.setblocking(False)
        self._selector.register(found, selectors.EVENT_READ)
        return found

    def _received(self, source: object) -> tuple[bytes, Address | None]:
        """A datagram and its sender; None for the sender if there is none after all."""
        assert isinstance(source, socket.socket)
        try:
            data, sender = source.recvfrom(LONGEST)
        except OSError:
            # Such as the refusal of what was sent to a program that has gone.
            return b'', None
        return data, (str(sender[0]), int(sender[1]))

    def _send(self, source: socket.socket, data: bytes, address: Address) -> None:
        try:
            source.sendto(data, address)
        except OSError as error:
            self._complain(address, f'where nothing can be sent to: {error.strerror}')

    def _complain(self, sender: Address, what: str) -> None:
        self._complaints += 1
        if self._complaints <= _MOST_COMPLAINTS:
            self._log('warn', f'a datagram from {sender[0]}:{sender[1]}, {what}, is ignored')
        if self._complaints == _MOST_COMPLAINTS:
            self._log('warn', 'further datagrams of this kind are ignored without a word')


def _pressed(asked: Callable[[Button], bool], request: Request) -> bytes:
    return bytes((asked(Button(request.code)),))
