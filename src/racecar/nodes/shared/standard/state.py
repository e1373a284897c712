# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""State and time of the simulation: play, pause, stop, reset, and steps."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.task import Future
from simulation_interfaces.action import SimulateSteps
from simulation_interfaces.msg import Result, SimulationState
from simulation_interfaces.srv import (
    GetSimulationState,
    ResetSimulation,
    SetSimulationState,
    StepSimulation,
)

from racecar.entities.refusals import RefusedError
from racecar.entities.world_entities import Entities
from racecar.nodes.shared.standard.offer import answer_later, Offer
from racecar.ros.simulator_node import SimulatorNode

_STATES = {
    SimulationState.STATE_STOPPED: 'stopped', SimulationState.STATE_PLAYING: 'playing',
    SimulationState.STATE_PAUSED: 'paused', SimulationState.STATE_QUITTING: 'quitting',
    SimulationState.STATE_NO_WORLD: 'no world', SimulationState.STATE_LOADING_WORLD: 'loading'}

# Times are 64-bit integers [ns].
_LONGEST_TIME_NS = 2**63 - 1


class StateServices:
    """Binds them to the time of a simulator node."""

    def __init__(self, node: SimulatorNode, entities: Entities, offer: Offer) -> None:
        """Offer them."""
        self._node = node
        self._entities = entities
        self._is_stopped = self._is_stepping = False
        offer.serve(GetSimulationState, self._simulation_state)
        offer.serve(ResetSimulation, self._reset)
        offer.serve(SetSimulationState, self._set_simulation_state)
        answer_later(node.create_service(  # A future answers.
            StepSimulation, offer.name(StepSimulation), self._on_steps))
        self._action = ActionServer(
            node, SimulateSteps, offer.name(SimulateSteps), self._on_goal,
            cancel_callback=lambda _: CancelResponse.ACCEPT)
        node.closing.callback(self._action.destroy)

    @property
    def _present(self) -> int:
        if self._entities.world is None:
            return int(SimulationState.STATE_NO_WORLD)
        if not self._node.is_paused:
            return int(SimulationState.STATE_PLAYING)
        return int(SimulationState.STATE_STOPPED if self._is_stopped
                   else SimulationState.STATE_PAUSED)

    def _simulation_state(
        self, _: GetSimulationState.Request, response: GetSimulationState.Response,
    ) -> None:
        response.state.state = self._present

    def _set_simulation_state(
        self, request: SetSimulationState.Request, response: SetSimulationState.Response,
    ) -> None:
        self.check_idle()
        wanted, present = request.state.state, self._present
        if wanted == SimulationState.STATE_QUITTING:
            self.stop(state=True)
            # After the response.
            self._node.run_soon(self._node.done.set_result, None)
            return
        if wanted not in (SimulationState.STATE_STOPPED, SimulationState.STATE_PLAYING,
                          SimulationState.STATE_PAUSED):
            raise RefusedError(
                'INCORRECT_TRANSITION', f'state is {wanted} ({_STATES.get(wanted, "unknown")}),'
                ' expected 0 (stopped), 1 (playing), 2 (paused) or 3 (quitting); worlds are'
                ' loaded by load_world')
        if present == SimulationState.STATE_NO_WORLD:
            raise RefusedError(
                'INCORRECT_TRANSITION', 'no world is loaded; call load_world first')
        if wanted == present:
            raise RefusedError(
                'ALREADY_IN_TARGET_STATE', f'the simulation is {_STATES[present]} already')
        if wanted == SimulationState.STATE_STOPPED:
            self.stop(state=True)
        else:
            self._is_stopped = False
            self._node.set_paused(wanted == SimulationState.STATE_PAUSED)

    def stop(self, *, state: bool) -> None:
        """Pause at time 0; state: with all where it was at first."""
        self._node.set_paused(True)
        if state and self._entities.world is not None:
            self._go_back(state=True, spawned=True)
        self._node.restart()
        self._is_stopped = True

    def _go_back(self, *, state: bool, spawned: bool) -> None:
        if state:
            self._node.return_to_start()
        self._entities.reset(state=state, spawned=spawned)

    def _reset(self, request: ResetSimulation.Request, _: ResetSimulation.Response) -> None:
        self.check_idle()
        self._check_world()
        every = ResetSimulation.Request.SCOPE_ALL
        scope = request.scope or every
        known = [bit for bit in (
            ResetSimulation.Request.SCOPE_TIME, ResetSimulation.Request.SCOPE_STATE,
            ResetSimulation.Request.SCOPE_SPAWNED) if scope & bit]
        if scope != every and sum(known) != scope:
            raise RefusedError(
                'FEATURE_UNSUPPORTED', f'scope is {scope}, expected 0, 255 or a sum of 1 (time),'
                ' 2 (state) and 4 (spawned)')
        state, spawned = (
            bool(scope & ResetSimulation.Request.SCOPE_STATE),
            bool(scope & ResetSimulation.Request.SCOPE_SPAWNED))
        if state or spawned:
            self._go_back(state=state, spawned=spawned)
        if scope & ResetSimulation.Request.SCOPE_TIME:
            self._node.restart()

    def _on_steps(
        self, request: StepSimulation.Request, response: StepSimulation.Response,
    ) -> Future:
        return self._node.run_soon(self._done_steps, request, response)

    async def _done_steps(
        self, request: StepSimulation.Request, response: StepSimulation.Response,
    ) -> StepSimulation.Response:
        await self._step(request.steps, response.result, lambda _: None, lambda: False)
        return response

    async def _on_goal(self, goal: ServerGoalHandle) -> SimulateSteps.Result:
        steps, feedback = goal.request.steps, SimulateSteps.Feedback()
        outcome = SimulateSteps.Result()

        def note(done: int) -> None:
            feedback.completed_steps, feedback.remaining_steps = done, steps - done
            goal.publish_feedback(feedback)

        await self._step(steps, outcome.result, note, lambda: goal.is_cancel_requested)
        if goal.is_cancel_requested:
            goal.canceled()
        elif outcome.result.result == Result.RESULT_OK:
            goal.succeed()
        else:
            goal.abort()
        return outcome

    async def _step(
        self, steps: int, result: Result, note: Callable[[int], None],
        is_cancelled: Callable[[], bool],
    ) -> None:
        plant = self._node.plant
        problem = ''
        if self._is_stepping:
            problem = 'steps are being done already; wait for their end'
        elif self._present != SimulationState.STATE_PAUSED:
            problem = (f'the simulation is {_STATES[self._present]}, expected paused; call'
                       ' set_simulation_state with 2 first')
        elif plant.time_ns + steps * plant.step_ns > _LONGEST_TIME_NS:
            problem = f'steps is {steps}, expected so few that the time fits 64 bits'
        if not problem:
            self._is_stepping = True
            try:
                problem = await self._node.do_steps(steps, note, is_cancelled)
            finally:
                self._is_stepping = False
        result.result = Result.RESULT_OPERATION_FAILED if problem else Result.RESULT_OK
        result.error_message = problem

    def check_idle(self) -> None:
        """Raise RefusedError while steps are being done."""
        if self._is_stepping:
            raise RefusedError(
                'INCORRECT_STATE', 'steps are being done; wait for their end, cancel the action,'
                ' or call ~/pause with data: false, which ends them')

    def _check_world(self) -> None:
        if self._entities.world is None:
            raise RefusedError('INCORRECT_STATE', 'no world is loaded; call load_world first')
