# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Race control: the referee over topics, for several cars in one simulator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Unpack

from ackermann_msgs.msg import AckermannDriveStamped
from geometry_msgs.msg import Pose, PoseWithCovariance, PoseWithCovarianceStamped
from nav_msgs.msg import Odometry as OdometryMessage
from std_msgs.msg import String, UInt32
from std_srvs.srv import Trigger

from racecar.base.errors import MessageError
from racecar.base.fields import Fields
from racecar.base.frames import BASE_LINK, MAP
from racecar.base.share import find_race, find_track
from racecar.base.types import heading_of, NANOSECONDS, Odometry, Pose2, yaw_to_quaternion
from racecar.base.yaml_file import load_yaml
from racecar.catalogue import node_names
from racecar.catalogue.tables.race import RACE_CONTROL
from racecar.control.trajectories.waypoint_file import read_way_points
from racecar.metrics.laps import Course
from racecar.race.events import CarLook, Order, parking_of
from racecar.race.observer import Observer
from racecar.race.off_course import start_warning
from racecar.race.referee import COUNTDOWN, GRID, Referee, RUNNING
from racecar.race.rules import read_rules
from racecar.ros import qos, topics
from racecar.ros.codecs.ackermann_command import command_template, read_command
from racecar.ros.codecs.codec import Place
from racecar.ros.codecs.odometry import read_finite_odometry
from racecar.ros.conversions import stamp_ns_of
from racecar.ros.interfaces import (
    NamedCar,
    RaceEvent,
    RaceLook,
    RaceLooks,
    RaceOrder,
    RaceOrders,
    RaceStanding,
    RaceState,
)
from racecar.ros.node import NodeOptions, TableNode
from racecar.ros.raw_subscription import Complaints, subscribe_raw
from racecar.scene.world_choice import scene_of
from racecar.simulation.fleet_file import vehicles_of_cars

# States are told so often [s]; a car that is so much later than another one is not waited for [s].
_TOLD, _LATE = 0.1, 0.05


class _Car:
    """A car of the race: what was seen of it, and how it is told something.

    retired: why its simulator lets it take no part any more, '' if it does.
    """

    def __init__(self, name: str, number: int) -> None:
        # Events name one that has no name, too.
        self.name, self.number = name or 'car', number
        self.odometry: Odometry | None = None
        self.stops = 0
        self.retired = ''

    def silence(self, time_ns: int) -> float:
        """How long nobody has commanded it at a time [ns], in seconds."""
        raise NotImplementedError

    def hold(self, time_ns: int) -> None:
        """Let it stand at a time [ns], over what its own stack commands."""
        raise NotImplementedError

    def move(self, pose: Pose2) -> None:
        """Put it at rest at a pose."""
        raise NotImplementedError

    def put(self, pose: Pose2 | None) -> None:
        """Put it at rest at a pose; None: off the track."""
        self.move(parking_of(self.number) if pose is None else pose)
        # The simulator counts anew.
        self.stops = 0

    def look(self, time_ns: int, depth: float) -> CarLook:
        """What a referee sees of it at a time [ns]."""
        odometry = self.odometry
        assert odometry is not None
        return CarLook(odometry.x, odometry.y, odometry.yaw, odometry.vx, odometry.vy, depth,
                       self.stops, self.silence(time_ns))


class _HeardCar(_Car):
    """A car whose topics are heard as they come.

    heard_topics: full names of those on which the simulator alone speaks.
    """

    def __init__(self, node: RaceControlNode, name: str, number: int) -> None:
        super().__init__(name, number)
        place = Place(name, f"{node.values['frame_prefix']}{name and f'{name}/'}")
        # When it was commanded last [ns].
        self._heard_ns: int | None = None
        self._command = command_template(place.frame(BASE_LINK))
        self._pose_publisher = node.create_publisher(
            PoseWithCovarianceStamped, place.topic(topics.INITIAL_POSE), qos.COMMAND)
        self._hold_publisher = node.create_publisher(
            AckermannDriveStamped, place.topic(topics.RACE_COMMAND), qos.COMMAND)
        self.odometry_topic = subscribe_raw(
            node, OdometryMessage, place.topic(topics.ODOMETRY), read_finite_odometry,
            partial(node.hear, self), qos.ODOMETRY_SUM_SUBSCRIPTION).topic_name
        self.heard_topics = (
            self.odometry_topic,
            node.create_subscription(UInt32, place.topic(topics.COLLISIONS), self._on_collisions,
                                     qos.LATCHED).topic_name,
            node.create_subscription(String, place.topic(topics.RETIRED), self._on_retired,
                                     qos.LATCHED).topic_name)
        subscribe_raw(
            node, AckermannDriveStamped, place.topic(topics.NAVIGATION_COMMAND), read_command,
            self._on_command, qos.COMMAND)

    def _on_collisions(self, message: UInt32) -> None:
        self.stops = message.data

    def _on_retired(self, message: String) -> None:
        self.retired = message.data

    def _on_command(self, command: object) -> None:
        del command
        self._heard_ns = None if self.odometry is None else self.odometry.time_ns

    def silence(self, time_ns: int) -> float:
        """See the base class."""
        return 0.0 if self._heard_ns is None else (time_ns - self._heard_ns) / NANOSECONDS

    def hold(self, time_ns: int) -> None:
        """See the base class."""
        self._hold_publisher.publish(self._command.fill(*divmod(time_ns, NANOSECONDS), 0.0, 0.0))

    def move(self, pose: Pose2) -> None:
        """See the base class."""
        message = PoseWithCovarianceStamped(pose=PoseWithCovariance(pose=_pose_message(pose)))
        message.header.frame_id = MAP
        self._pose_publisher.publish(message)
        self._heard_ns = None


class _AwaitedCar(_Car):
    """A car of a simulator in lockstep, which shows it and waits for what becomes of it."""

    def __init__(self, name: str, number: int) -> None:
        super().__init__(name, number)
        # As its simulator calls it.
        self.entity = name
        self._silence = 0.0
        self._is_held = False
        self._pose: list[Pose] = []

    def take(self, odometry: Odometry, look: RaceLook) -> None:
        """Take over what the simulator shows of it."""
        self.odometry = odometry
        self.stops, self.retired, self._silence = look.contacts, look.retired, look.silence

    def silence(self, time_ns: int) -> float:
        """See the base class."""
        del time_ns
        return self._silence

    def hold(self, time_ns: int) -> None:
        """See the base class."""
        del time_ns
        self._is_held = True

    def move(self, pose: Pose2) -> None:
        """See the base class."""
        self._pose = [_pose_message(pose)]

    def order(self) -> RaceOrder:
        """What becomes of it now; nothing is left of that."""
        found = RaceOrder(name=self.entity, is_held=self._is_held, pose=self._pose)
        self._is_held, self._pose = False, []
        return found


def _pose_message(pose: Pose2) -> Pose:
    message = Pose()
    message.position.x, message.position.y = pose.x, pose.y
    message.orientation.z, message.orientation.w = yaw_to_quaternion(pose.yaw)
    return message


class _Answers:
    """Looks of a simulator in lockstep in, and one answer to each out."""

    def __init__(self, node: RaceControlNode, cars: Sequence[_AwaitedCar],
                 judge: Callable[[int], object]) -> None:
        """judge: called with the time [ns] of looks once all cars have taken them over."""
        self._node, self._cars, self._judge = node, cars, judge
        self._answered_ns: int | None = None
        self._orders = RaceOrders()
        self._publisher = node.create_publisher(RaceOrders, topics.RACE_ORDERS, qos.LATCHED)
        self.topic_name = node.create_subscription(
            RaceLooks, topics.RACE_LOOKS, self._on_looks, qos.LATCHED).topic_name
        self._complaints = Complaints(node, topics.RACE_LOOKS)

    def _on_looks(self, message: RaceLooks) -> None:
        stamp_ns = stamp_ns_of(message.header.stamp)
        self._node.take_stamp(stamp_ns)
        # Looks that are shown again are not judged again.
        if stamp_ns != self._answered_ns:
            try:
                seen = self._seen(stamp_ns, message)
            except MessageError as error:
                self._complaints.dropped(error)
                return
            for car, (odometry, look) in zip(self._cars, seen, strict=True):
                car.take(odometry, look)
            self._judge(stamp_ns)
            self._answered_ns = stamp_ns
            self._orders = RaceOrders(
                header=message.header, cars=[car.order() for car in self._cars])
        self._publisher.publish(self._orders)

    def _seen(self, stamp_ns: int, message: RaceLooks) -> list[tuple[Odometry, RaceLook]]:
        """What is seen of each car. Raises MessageError for other cars, or none that can be."""
        looks = {look.name: look for look in message.cars}
        names = [car.entity for car in self._cars]
        if sorted(looks) != sorted(names):
            raise MessageError(
                f"it shows {', '.join(looks) or 'nobody'}, expected {', '.join(names)}: give"
                ' race_control the cars of the simulator')
        found = []
        for name in names:
            place, turn = looks[name].pose.position, looks[name].pose.orientation
            way, rates = looks[name].twist.linear, looks[name].twist.angular
            odometry = Odometry(
                stamp_ns, place.x, place.y, *heading_of(turn.x, turn.y, turn.z, turn.w),
                way.x, way.y, rates.z)
            if not odometry.is_finite:
                raise MessageError(f'{name}: {odometry}, expected finite numbers')
            found.append((odometry, looks[name]))
        return found


class RaceControlNode(TableNode):
    """Starts a race of several cars, judges it, and puts cars back on the track.

    Subscribes, of each car below its name: vesc/odom (nav_msgs/Odometry, in map), collisions
    (std_msgs/UInt32), retired (std_msgs/String: why its simulator lets it take no part any more,
    which ends its race) and vesc/ackermann_cmd_mux/input/navigation
    (ackermann_msgs/AckermannDriveStamped), whose silence ends its race.
    Publishes: race/state (racecar_interfaces/RaceState), race/events
    (racecar_interfaces/RaceEvent); of each car initialpose
    (geometry_msgs/PoseWithCovarianceStamped), which puts it elsewhere, and
    vesc/ackermann_cmd_mux/input/race (ackermann_msgs/AckermannDriveStamped), which holds it before
    the start. In lockstep it hears race/looks (racecar_interfaces/RaceLooks) in the place of all
    this, and publishes race/orders (racecar_interfaces/RaceOrders) in the place of the last two:
    the simulator waits for them, so that they act at the time of the looks.
    Services: ~/start and ~/stop (std_srvs/Trigger), ~/restart_car and ~/retire_car
    (racecar_interfaces/NamedCar).
    Parameters: racecar.catalogue.tables.race.RACE_CONTROL.
    """

    def __init__(self, **options: Unpack[NodeOptions]) -> None:
        """Raise ParameterError or ConfigurationError for what cannot be a race."""
        super().__init__(node_names.RACE_CONTROL, RACE_CONTROL, **options)
        file = find_race(self.values['race_file'])
        content = load_yaml('race file', file)
        fields = Fields.of(f"race file '{file}'", content)
        self._rules = read_rules(fields)
        world = self.values['world'] or fields.text('world', 'racetrack')
        self._course = _course(fields.text('line', world))
        vehicles = vehicles_of_cars(self.values)
        self._observer = Observer(scene_of({'world': world}), [
            vehicle.footprint for vehicle in vehicles.values()])
        self._referee: Referee | None = None
        self._begun_ns = self._looked_ns = self._told_ns = 0
        self._told_events = 0
        self._starts: bool = self.values['auto_start']
        self._state_publisher = self.create_publisher(RaceState, topics.RACE_STATE, qos.LATCHED)
        self._event_publisher = self.create_publisher(RaceEvent, topics.RACE_EVENTS, qos.LOG)
        self._cars: Sequence[_Car]
        if self.values['lockstep']:
            self.follows_stamps = True
            awaited = [_AwaitedCar(name, number) for number, name in enumerate(vehicles)]
            self._cars = awaited
            self._heard = dict.fromkeys(awaited, _Answers(self, awaited, self._judge).topic_name)
            single = [*self._heard.values()]
        else:
            heard = [_HeardCar(self, name, number) for number, name in enumerate(vehicles)]
            self._cars = heard
            self._heard = {car: car.odometry_topic for car in heard}
            single = [topic for car in heard for topic in car.heard_topics]
        self.create_service(Trigger, '~/start', self._on_start)
        self.create_service(Trigger, '~/stop', self._on_stop)
        self.create_service(NamedCar, '~/restart_car', self._on_restart_car)
        self.create_service(NamedCar, '~/retire_car', self._on_retire_car)
        self.watch_publishers(dict.fromkeys(single))

    def waits_for(self) -> str:
        """Topic that is silent."""
        silent = dict.fromkeys(
            topic for car, topic in self._heard.items() if car.odometry is None)
        return f"waiting for the odometry on {', '.join(silent)}" if silent else ''

    # Odometry in, judgement out.

    def hear(self, car: _HeardCar, odometry: Odometry) -> None:
        """Take the odometry of a car, and judge once those of all are there."""
        car.odometry = odometry
        heard = [one.odometry.time_ns for one in self._cars if one.odometry is not None]
        if len(heard) == len(self._cars):
            newest = max(heard)
            if newest > self._looked_ns and (
                    min(heard) == newest or newest - self._looked_ns > _LATE * NANOSECONDS):
                self._look(newest)
            elif newest < self._looked_ns:
                self._forget(newest)
        self._hold(car, odometry.time_ns)

    def _judge(self, now_ns: int) -> None:
        """In lockstep judge what all cars do at a time."""
        if now_ns < self._looked_ns:
            self._forget(now_ns)
        self._look(now_ns)
        for car in self._cars:
            self._hold(car, now_ns)

    def _forget(self, now_ns: int) -> None:
        """The time began anew, and with it all that was judged."""
        self._looked_ns, self._referee = now_ns, None

    def _hold(self, car: _Car, time_ns: int) -> None:
        """Let a car stand that may not drive."""
        referee = self._referee
        if not self._rules.hold if referee is None else referee.may_drive(car.number):
            return
        car.hold(time_ns)

    def _look(self, now_ns: int) -> None:
        self._looked_ns = now_ns
        if self._starts:
            self._starts = False
            self._begin()
        referee = self._referee
        if referee is not None:
            self._retire(referee)
            places = [car.odometry for car in self._cars if car.odometry is not None]
            looks = [car.look(now_ns, self._observer.depth(car.number, place))
                     for car, place in zip(self._cars, places, strict=True)]
            before = referee.state
            self._obey(referee.look(
                now_ns - self._begun_ns, looks, self._observer.meetings(places)))
            if referee.state != before:
                self._told_ns = 0
            self._tell_events(referee)
        if now_ns - self._told_ns >= _TOLD * NANOSECONDS or now_ns < self._told_ns:
            self._told_ns = now_ns
            self._tell_state(referee)

    def _retire(self, referee: Referee) -> None:
        """Take cars out of the race that take no part any more, as they have diverged."""
        for car in self._cars:
            if car.retired and referee.state == RUNNING and referee.is_racing(car.number):
                self._obey(referee.retire(car.number, car.retired))

    def _obey(self, orders: list[Order]) -> None:
        for order in orders:
            self._cars[order.car].put(order.pose)

    def _tell_events(self, referee: Referee) -> None:
        for event in referee.events[self._told_events:]:
            message = RaceEvent(
                time=event.time, car=event.car, kind=event.kind, text=event.text,
                value=event.value, x=event.x, y=event.y)
            self._stamp(message)
            self._event_publisher.publish(message)
            who = f'{event.car}: ' if event.car else ''
            self.get_logger().info(f'{event.time:.2f} s: {who}{event.text}')
        self._told_events = len(referee.events)

    def _tell_state(self, referee: Referee | None) -> None:
        message = RaceState(format=self._rules.format)
        if referee is None:
            message.state = GRID
        else:
            message.state, message.time = referee.state, referee.time
            message.standings = [RaceStanding(
                place=row.place, name=row.name, status=row.status, laps=row.laps,
                distance=row.distance, gap=row.gap, last_lap=row.last, best_lap=row.best,
                touches=row.touches, crashes=row.crashes, warnings=row.warnings,
            ) for row in referee.standings()]
        self._stamp(message)
        self._state_publisher.publish(message)

    def _stamp(self, message: RaceState | RaceEvent) -> None:
        message.header.frame_id = MAP
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(
            self._looked_ns, NANOSECONDS)

    # Services.

    def _on_start(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        waiting = self.waits_for()
        if waiting:
            response.success, response.message = False, waiting
            return response
        if self._referee is not None and not self._referee.is_over:
            response.success = False
            response.message = 'a heat is under way, expected none: stop it first'
            return response
        self._begin()
        response.success = True
        response.message = f'the countdown of {self._rules.countdown:g} s has begun'
        return response

    def _begin(self) -> None:
        """Begin a countdown, where the cars are."""
        grid = [Pose2(car.odometry.x, car.odometry.y, car.odometry.yaw)
                for car in self._cars if car.odometry is not None]
        self._referee = Referee([car.name for car in self._cars], self._course, self._rules, grid,
                                self._has_room)
        self._begun_ns, self._told_events = self._looked_ns, 0
        for car, start in zip(self._cars, grid, strict=True):
            warning = start_warning(car.name, self._course, start.x, start.y)
            if warning:
                self.get_logger().warning(warning)

    def _has_room(self, car: int, pose: Pose2) -> bool:
        referee = self._referee
        return referee is not None and self._observer.has_room(car, pose, [
            (other.number, other.odometry) for other in self._cars
            if other.number != car and other.odometry is not None
            and referee.is_on_track(other.number)])

    def _on_stop(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        referee = self._referee
        response.success = referee is not None and not referee.is_over
        response.message = 'the heat has ended' if response.success else (
            'no heat is under way, expected one: start it first')
        if referee is not None:
            referee.stop()
            self._tell_events(referee)
            self._tell_state(referee)
        return response

    def _on_restart_car(
        self, request: NamedCar.Request, response: NamedCar.Response,
    ) -> NamedCar.Response:
        return self._with_car(request, response, restart=True)

    def _on_retire_car(
        self, request: NamedCar.Request, response: NamedCar.Response,
    ) -> NamedCar.Response:
        return self._with_car(request, response, restart=False)

    def _with_car(
        self, request: NamedCar.Request, response: NamedCar.Response, *, restart: bool,
    ) -> NamedCar.Response:
        referee = self._referee
        known = {car.name: car.number for car in self._cars}
        response.success = False
        if request.name not in known:
            response.message = (
                f'name is {request.name!r}, expected one of {", ".join(known)}')
        elif referee is None or referee.is_over or referee.state == COUNTDOWN:
            response.message = 'no heat is under way, expected one: start it first'
        elif not (referee.is_on_track if restart else referee.is_racing)(known[request.name]):
            response.message = f'{request.name} has left the track, expected a car that is there'
        else:
            act = referee.restart if restart else referee.retire
            self._obey(act(known[request.name], 'by race control'))
            self._tell_events(referee)
            response.success = True
            response.message = f'{request.name} is taken off the track'
        return response


def _course(line: str) -> Course:
    """Course of a centre line. Raises ConfigurationError for one that is open or not there."""
    points, _, _, widths = read_way_points(find_track(line))
    return Course.along(points, widths)
