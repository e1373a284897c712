# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Base class of the nodes: parameters from a table, checked at start and at run time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
import contextlib
import types
from typing import Any, cast, Protocol, TypedDict, Unpack

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from rcl_interfaces.msg import (
    Parameter as ParameterMessage,
)
from rcl_interfaces.srv import SetParameters, SetParametersAtomically
from rclpy.callback_groups import CallbackGroup
from rclpy.clock import Clock, ClockType, JumpThreshold
from rclpy.context import Context
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.parameter import Parameter as RosParameter
from rclpy.qos import qos_profile_services_default, QoSProfile
from rclpy.service import Service
from rclpy.subscription import Subscription
from rclpy.task import Future
from rclpy.timer import Timer
from rosgraph_msgs.msg import Clock as ClockMessage

from racecar.base.errors import excerpt, MessageError, ParameterError, RacecarError
from racecar.base.frames import BASE_LINK
from racecar.base.parameters import (
    DIAGNOSTICS_RATE,
    Parameter,
    ParameterTable,
    USE_SIM_TIME,
)
from racecar.base.types import NANOSECONDS
from racecar.ros import qos, topics
from racecar.ros.diagnostics import Diagnostics, Report
from racecar.ros.idle_notice import IdleNotice
from racecar.ros.observed_publisher import ObservedPublisher, Observer
from racecar.ros.publisher_watch import (
    conflict_watch,
    doubled_watch,
    outsider_watch,
    PublisherWatch,
)
from racecar.ros.raw_subscription import Complaints
from racecar.ros.wire import check_stamp

# Parameters that rclpy itself declares from the overrides.
_RCLPY_PARAMETERS = ('use_sim_time', 'start_type_description_service')

_GRAPH_PERIOD = 0.5  # [s]

_TYPES = tuple(type_.value for type_ in RosParameter.Type)


class NodeTime(Protocol):
    """Where nodes take the simulated time from, if not each from a subscription of its own."""

    time_ns: int

    def take_stamp(self, stamp_ns: int) -> None:
        """Set the time [ns] to a message's, where messages carry it."""


class TimeWatch:
    """Calls back about every period of a node's time.

    With simulated time rclpy keeps a thread for each timer, which every /clock message wakes: in
    lockstep a tenth of a tick. So where nodes share a clock, that calls instead.
    """

    def __init__(self, node: Node, period: float, callback: Callable[[], None]) -> None:
        """period: [s]."""
        self._node = node
        self._callback = callback
        self._period_ns = round(period * NANOSECONDS)
        self._due_ns = 0
        self._timer: Timer | None = node.create_timer(period, callback)

    def set_period(self, period: float) -> None:
        """Begin a period of another length [s] now."""
        self._period_ns = round(period * NANOSECONDS)
        self._due_ns = 0
        if self._timer is not None:
            self._timer.timer_period_ns = self._period_ns
            self._timer.reset()

    def follow_shared_clock(self) -> None:
        """Be called by on_time() only; not for a node that is in an executor."""
        if self._timer is not None:
            self._node.destroy_timer(self._timer)
            self._timer = None

    def follow_timer(self) -> None:
        """Ignore on_time() from now on."""
        if self._timer is None:
            self._timer = self._node.create_timer(
                self._period_ns / NANOSECONDS, self._callback)

    def on_time(self, now_ns: int) -> None:
        """Call back if a period is over, or the time went back."""
        if self._timer is None and not self._due_ns - self._period_ns <= now_ns < self._due_ns:
            self._due_ns = now_ns + self._period_ns
            self._callback()


class _Completed(type):
    """Destroys a node whose constructor ends early.

    rclpy leaves that to Python, and reference cycles then keep the node, with its services, in the
    graph for an unknown time: who calls a service of a later node of that name reaches for both.
    """

    def __call__(cls, *args: object, **kwargs: object) -> Any:
        """Construct an object of the class."""
        node: Any = object.__new__(cast('type[Any]', cls))
        try:
            node.__init__(*args, **kwargs)
        except BaseException:
            # The reason is what the user has to know. Where rclpy itself raised it, what
            # destroy_node() needs is not there yet, but neither is a cycle.
            with contextlib.suppress(Exception):
                node.destroy_node()
            raise
        return node


class NodeOptions(TypedDict, total=False):
    """What rclpy.node.Node takes that nodes pass on; node_name: other than the usual one."""

    node_name: str
    namespace: str
    context: Context
    cli_args: list[str] | None
    parameter_overrides: list[RosParameter]


class TableNode(Node, metaclass=_Completed):
    """A node whose parameters come from a ParameterTable.

    Unknown keys and values out of range raise ParameterError at construction and are refused with
    the same message at run time. `values` always holds the current values by name. A node that
    runs as a process ends when it gives `done` a result, or an exception by fail().

    follows_stamps: in lockstep what the node answers carries the time, by take_stamp(); alone in a
    process it needs no /clock then. best_effort: ends of topics on which it publishes without
    sending again what is lost, whatever their profile.
    """

    follows_stamps = False
    best_effort: tuple[str, ...] = ()

    def __init__(
        self, name: str, table: ParameterTable, **options: Unpack[NodeOptions],
    ) -> None:
        """Declare the table; name: the usual one."""
        # What destroy_node() has to close. From Kilted on, rclpy also destroys nodes whose
        # constructor ended early.
        self.closing = contextlib.ExitStack()
        self._observers: dict[str, list[Observer]] = {}
        self.values: dict[str, Any] = {}
        self.diagnostics = Diagnostics(self)
        options.setdefault('node_name', name)
        super().__init__(**options)
        self.steady_clock = Clock(clock_type=ClockType.STEADY_TIME)
        self.done: Future = Future()
        self.shared_clock: NodeTime | None = None
        self.time_watches: list[TimeWatch] = []
        self._conflict_watches: list[PublisherWatch] = []
        self._harmless_watches: list[PublisherWatch] = []
        self._graph_watches: list[Callable[[], object]] = []
        overrides = {
            # An empty list is what rcl finds no type for.
            key: [] if parameter.type_ == RosParameter.Type.NOT_SET else parameter.value
            for key, parameter in self._parameter_overrides.items()
            if key not in _RCLPY_PARAMETERS and not key.startswith('qos_overrides.')
        }
        self._table = table = table.expanded(overrides)
        self.values.update(table.resolve(overrides))
        self.check_values(self.values)
        for row in table:
            self.declare_parameter(
                row.name, self.values[row.name], _descriptor(row), ignore_override=True)
        self.add_post_set_parameters_callback(self._apply)
        # A simulator that is started anew begins at time 0 again.
        time_jump_handle = self.get_clock().create_jump_callback(
            JumpThreshold(min_forward=None, min_backward=Duration(nanoseconds=-1),
                          on_clock_change=False),
            post_callback=lambda _: self.on_time_went_back())
        self.idle_notice = IdleNotice(
            self, self.steady_clock, self.waits_for, self._may_work)
        self.diagnostics.begin(self.values.get(DIAGNOSTICS_RATE.name, 0.0))
        # It would keep the node alive.
        self.closing.callback(time_jump_handle.unregister)

    @property
    def base_link(self) -> str:
        """Name of the frame base_link of the node's car; for tables with a frame_prefix."""
        return f"{self.values['frame_prefix']}{BASE_LINK}"

    def now_ns(self) -> int:
        """Node's time [ns]."""
        if self.shared_clock is not None:
            return self.shared_clock.time_ns
        now_ns: int = self.get_clock().now().nanoseconds
        return now_ns

    def take_stamp(self, stamp_ns: int) -> None:
        """Take over the time [ns] of a message that lockstep waits for, if nothing else gives it.

        Time that goes back is noticed as with /clock.
        """
        if self.shared_clock is not None:
            self.shared_clock.take_stamp(stamp_ns)

    def watch_time(self, period: float, callback: Callable[[], None]) -> TimeWatch:
        """Call back about every period [s] of the node's time."""
        watch = TimeWatch(self, period, callback)
        self.time_watches.append(watch)
        return watch

    def watch_publishers(
        self, topics: Iterable[str], remedy: str = '', outside: Iterable[str] = (),
        doubled: Mapping[str, str] = types.MappingProxyType({}),
    ) -> None:
        """Complain from now on about each of these topics while it has several publishers.

        topics: full names, in place of the former ones. remedy: as for conflict_watch().
        outside: topics on which any publisher is one that a simulator in lockstep does not wait
        for. doubled: remedies by topic, where several publishers say one thing.
        """
        self.watch_graph(self.look_for_conflicts)
        self._conflict_watches = [conflict_watch(self, topic, remedy) for topic in topics]
        self._harmless_watches = [
            *(outsider_watch(self, topic) for topic in outside),
            *(doubled_watch(self, topic, remedy) for topic, remedy in doubled.items())]

    def watch_graph(self, look: Callable[[], object]) -> None:
        """Call a function every 0.5 s of wall time from now on, for what changes in the graph.

        One timer serves all: the EventsExecutor goes through the timers of a clock one by one, and
        prints a warning on stdout from nine on.
        """
        if not self._graph_watches:
            self.create_timer(_GRAPH_PERIOD, self._on_graph_timer, clock=self.steady_clock)
        if look not in self._graph_watches:
            self._graph_watches.append(look)

    def unwatch_graph(self, look: Callable[[], object]) -> None:
        """Call a function of watch_graph() no more."""
        self._graph_watches = [other for other in self._graph_watches if other != look]

    def _on_graph_timer(self) -> None:
        for look in self._graph_watches:
            look()

    def look_for_conflicts(self) -> None:
        """Look now."""
        for watch in (*self._conflict_watches, *self._harmless_watches):
            watch.look()

    @property
    def conflicts(self) -> list[str]:
        """Say who the publishers of each watched topic are that ever had several."""
        return [watch.complaint for watch in self._conflict_watches if watch.complaint]

    def check_values(self, values: Mapping[str, object]) -> None:
        """Raise ParameterError if values contradict each other; subclasses override it."""

    def on_values_changed(self, changed: set[str]) -> None:
        """React to the parameters that really changed; subclasses override it."""

    def waits_for(self) -> str:
        """Sentence on what the node waits for, empty if it is at work; for overriding."""
        return ''

    def diagnose(self, report: Report) -> None:
        """Add to what is told on /diagnostics what the node alone knows; for overriding."""

    def _may_work(self) -> bool:
        """Whether the time runs, or nobody is there who tells why it does not."""
        return not self.get_parameter(USE_SIM_TIME).value or self.now_ns() > 0 \
            or not self.count_publishers(topics.CLOCK)

    def on_time_went_back(self) -> None:
        """Forget what was noted with stamps that now lie ahead; subclasses override it."""

    def discard(self) -> None:
        """Keep no result, as the run never began; for nodes that write files."""

    def close(self) -> None:
        """Finish what outlives the node, once it is not spun any more; a second time does nothing.

        Runs the callbacks of `closing`; raises what they raise, RacecarError for a file that
        cannot be completed.
        """
        self.closing.close()

    def run_soon(self, callback: Callable[..., Any], *args: object) -> Future:
        """Let the executor call a function, or run a coroutine, in its next turn."""
        assert self.executor is not None, 'a node that nobody spins'
        future: Future = self.executor.create_task(callback, *args)
        return future

    def fail(self, error: RacecarError) -> None:
        """End the process, or the stack, with this error; a callback must not raise it."""
        if not self.done.done():
            self.done.set_exception(error)

    def destroy_node(self) -> None:
        """Close what the constructor got to open."""
        try:
            self.close()
        finally:
            super().destroy_node()

    def set_parameters(self, parameter_list: list[RosParameter]) -> list[SetParametersResult]:
        """Set one after the other; see set_parameters_atomically()."""
        return [self.set_parameters_atomically([parameter]) for parameter in parameter_list]

    def set_parameters_atomically(
            self, parameter_list: list[RosParameter]) -> SetParametersResult:
        """Set all or none, as the table has it.

        What it refuses does not get as far as rclpy, which would take over the type of the value
        before its callbacks are asked, and say less about the range.
        """
        values = dict(self.values)
        converted = []
        try:
            for parameter in parameter_list:
                if parameter.name in self._table or not self.has_parameter(parameter.name):
                    # `ros2 param set NODE Kp 5` sends an integer where a number is meant.
                    value = self._table[parameter.name].validate(parameter.value)
                    values[parameter.name] = value
                    parameter = RosParameter(parameter.name, value=value)
                converted.append(parameter)
            self.check_values(values)
        except ParameterError as error:
            return SetParametersResult(successful=False, reason=str(error))
        result: SetParametersResult = super().set_parameters_atomically(converted)
        return result

    def create_service(
        self, srv_type: type, srv_name: str, callback: Callable[..., Any], *,
        qos_profile: QoSProfile = qos_profile_services_default,
        callback_group: CallbackGroup | None = None,
    ) -> Service:
        """Create it as rclpy does; a parameter of a type that is none is refused.

        rclpy's own services raise for it, which would end the node and all others of its process.
        """
        if srv_type is SetParameters:
            callback = _with_checked_types(callback)
        elif srv_type is SetParametersAtomically:
            callback = _with_checked_types_of_all(callback)
        return super().create_service(
            srv_type, srv_name, callback, qos_profile=qos_profile, callback_group=callback_group)

    def create_publisher(
        self, msg_type: type, topic: str, qos_profile: QoSProfile | int, **kwargs: Any,
    ) -> ObservedPublisher:
        """Create it as rclpy does, so that observe() finds it."""
        if isinstance(qos_profile, QoSProfile) and any(
                f'/{topic}'.endswith(f'/{end}') for end in self.best_effort):
            qos_profile = qos.best_effort(qos_profile)
        publisher = super().create_publisher(
            msg_type, topic, qos_profile, publisher_class=ObservedPublisher, **kwargs)
        assert isinstance(publisher, ObservedPublisher)
        publisher.observers = self._observers.setdefault(publisher.topic_name, [])
        return publisher

    def observe(self, topic: str, observer: Observer) -> bool:
        """Let an observer have what the node publishes on a topic of this full name from now on.

        Returns False, and does nothing, if the node does not publish there.
        """
        is_found = any(publisher.topic_name == topic for publisher in self.publishers)
        if is_found:
            self._observers[topic].append(observer)
        return is_found

    def create_subscription(
        self, msg_type: type, topic: str, callback: Callable[..., None],
        qos_profile: QoSProfile | int, **kwargs: Any,
    ) -> Subscription:
        """Create it as rclpy does; a time that is none does not reach a callback for /clock.

        rclpy's own raises for it where a node has no SharedClock, and the node would end.
        """
        if msg_type is ClockMessage and not kwargs.get('raw'):
            callback = self._with_checked_time(topic, callback)
        callback = self.diagnostics.counted(
            self.resolve_topic_name(topic), callback,
            is_timed=bool(kwargs.get('raw')) and hasattr(msg_type, 'header'))
        return super().create_subscription(msg_type, topic, callback, qos_profile, **kwargs)

    def _with_checked_time(
            self, topic: str, callback: Callable[..., None]) -> Callable[[ClockMessage], None]:
        complaints = Complaints(self, topic)

        def on_clock(message: ClockMessage) -> None:
            try:
                check_stamp(message.clock.sec, message.clock.nanosec)
            except MessageError as error:
                complaints.dropped(error)
                return
            callback(message)

        return on_clock

    def _apply(self, parameters: list[RosParameter]) -> None:
        if any(p.name == 'use_sim_time' for p in parameters):
            # From now on the node has a clock of its own.
            self.shared_clock = None
            for watch in self.time_watches:
                watch.follow_timer()
        changed = {p.name for p in parameters
                   if p.name in self._table and p.value != self.values[p.name]}
        self.values.update({p.name: p.value for p in parameters if p.name in changed})
        if changed:
            self.on_values_changed(changed)


def _untyped(parameters: Iterable[ParameterMessage]) -> SetParametersResult | None:
    """Refusal of the first parameter of a type that is none; None if there is none."""
    return next((SetParametersResult(successful=False, reason=(
        f'parameter {excerpt(row.name)} has the type {row.value.type}, expected one of'
        f' rcl_interfaces/ParameterType, {_TYPES[0]} to {_TYPES[-1]}'))
        for row in parameters if row.value.type not in _TYPES), None)


def _with_checked_types(
    callback: Callable[[SetParameters.Request, SetParameters.Response], object],
) -> Callable[[SetParameters.Request, SetParameters.Response], SetParameters.Response]:
    def set_each(
        request: SetParameters.Request, response: SetParameters.Response,
    ) -> SetParameters.Response:
        for row in request.parameters:
            refusal = _untyped([row])
            if refusal is None:
                callback(SetParameters.Request(parameters=[row]), response)
            else:
                response.results.append(refusal)
        return response

    return set_each


def _with_checked_types_of_all(
    callback: Callable[[SetParametersAtomically.Request, SetParametersAtomically.Response],
                       SetParametersAtomically.Response],
) -> Callable[[SetParametersAtomically.Request, SetParametersAtomically.Response],
              SetParametersAtomically.Response]:
    def set_all(
        request: SetParametersAtomically.Request, response: SetParametersAtomically.Response,
    ) -> SetParametersAtomically.Response:
        refusal = _untyped(request.parameters)
        if refusal is None:
            return callback(request, response)
        response.result = refusal
        return response

    return set_all


def _descriptor(row: Parameter) -> ParameterDescriptor:
    """Describe a row to tools; a range with two ends lets them offer a slider."""
    descriptor = ParameterDescriptor(
        description=row.description, read_only=row.read_only,
        additional_constraints=f'{row.range} {row.unit}'.strip())
    # The open end of a range is closed here: the table itself refuses the value at it, and what
    # lies between the range and other values that it allows.
    lower = row.minimum if row.above is None else row.above
    if lower is None or row.maximum is None:
        return descriptor
    lower = min((lower, *row.also))
    if row.type is int:
        descriptor.integer_range = [
            IntegerRange(from_value=int(lower), to_value=int(row.maximum), step=1)]
    elif row.type is float:
        descriptor.floating_point_range = [
            FloatingPointRange(from_value=float(lower), to_value=float(row.maximum))]
    return descriptor
