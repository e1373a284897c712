# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The double track as docs/models writes it, with arctangents and in no hurry: what tests trust.

Nothing of the model's own kernels is used; the vehicle's numbers and the constants alone are.
"""

import math

LOAD_PASSES, STICK_RATE, FORCE_RATE, HOLD_SPEED, OVERSPEED = 3, 500.0, 500.0, 1.0, 5.0
LIMIT = 1.4


def sign(value):
    return (value > 0.0) - (value < 0.0)


def linear(alpha, stiffness, mu, load, shape, curvature):
    return -stiffness * alpha


def fiala(alpha, stiffness, mu, load, shape, curvature):
    full = math.atan(3.0 * mu * load / stiffness)
    if abs(alpha) >= full:
        return -mu * load * sign(alpha)
    z, z_sl = math.tan(alpha), 3.0 * mu * load / stiffness
    return stiffness * z * (-1.0 + abs(z) / z_sl - z * z / (3.0 * z_sl * z_sl))


def fiala_unsaturated(alpha, stiffness, mu, load, shape, curvature):
    z, z_sl = math.tan(min(max(alpha, -LIMIT), LIMIT)), 3.0 * mu * load / stiffness
    if abs(z) <= 2.0 * z_sl:
        return stiffness * z * (-1.0 + abs(z) / z_sl - z * z / (3.0 * z_sl * z_sl))
    return -sign(z) * (2.0 * mu * load + stiffness * (abs(z) - 2.0 * z_sl))


def pacejka(alpha, stiffness, mu, load, shape, curvature):
    peak = mu * load
    scaled = stiffness / (shape * peak) * alpha
    return -peak * math.sin(
        shape * math.atan(scaled - curvature * (scaled - math.atan(scaled))))


CURVES = {'linear': linear, 'fiala': fiala, 'fiala_unsaturated': fiala_unsaturated,
          'pacejka': pacejka}


def along(name, slip, *rest):
    """The longitudinal curve: slip itself, or for the brush the angle whose tangent it is."""
    return CURVES[name](math.atan(slip) if name.startswith('fiala') else slip, *rest)


def tyre(name, slip, tangent, load, static, x, y):
    """Return Fx, Fy of a wheel by the similarity method; x, y: directions of both wheels."""
    if load < 1e-9:
        return 0.0, 0.0
    share = 0.5 * (load / static if name == 'pacejka' else 1.0)
    stiff_x, stiff_y = share * x.stiffness, share * y.stiffness
    n_x = stiff_x * slip / (x.friction * load)
    n_y = stiff_y * tangent / (y.friction * load)
    n = math.hypot(n_x, n_y)
    if n < 1e-12:
        return -stiff_x * slip, -stiff_y * tangent
    return (
        n_x / n * along(name, n * x.friction * load / stiff_x, stiff_x, x.friction, load, x.shape,
                        x.curvature),
        n_y / n * CURVES[name](math.atan(n * y.friction * load / stiff_y), stiff_y, y.friction,
                               load, y.shape, y.curvature))


def turned(model, inputs):
    if inputs[2] != 0.0:
        return inputs[3], inputs[4]
    k = 0.5 * model.vehicle.track_widths[0] / model.vehicle.wheelbase
    sine, cosine = math.sin(inputs[1]), math.cos(inputs[1])
    return math.atan2(sine, cosine - k * sine), math.atan2(sine, cosine + k * sine)


def wheel_rate(model, i, speed, reaction, inputs, mean):
    """Return the angular acceleration of a wheel; mean: rolling speed of the driven wheels."""
    vehicle = model.vehicle
    inertia = vehicle.wheel_inertia
    if inputs[2] == 0.0:
        front = vehicle.front_drive_share
        # Packed, as the time constant is raised for light wheels.
        force = vehicle.mass * (inputs[0] - mean) / model.car.planar.time_constant
        limit = vehicle.drive_force_limit
        force = min(max(force, -limit), limit)
        share = front if i < 2 else 1.0 - front
        return (0.5 * share * force * vehicle.wheel_radii[i > 1] - reaction) / inertia
    drive, brake, damping, viscous, forced = (inputs[5 + 4 * k + i] for k in range(5))
    if forced:
        return FORCE_RATE * (drive - speed)
    fastest = OVERSPEED * max(vehicle.speed_max, -vehicle.speed_min) / max(vehicle.wheel_radii)
    if abs(speed) > fastest and drive * speed > 0.0:
        drive = 0.0
    torque = drive - damping * speed - reaction
    capacity = brake + viscous * max(abs(speed), HOLD_SPEED)
    needed = torque + inertia * STICK_RATE * speed
    held = min(max(needed, 0.0 if speed > 0.0 else -capacity), 0.0 if speed < 0.0 else capacity)
    return (torque - held) / inertia


def derivative(model, state, inputs):
    """Return the time derivative of the state of a DoubleTrack, as tuple."""
    vehicle, tyres, name = model.vehicle, model.tyres, model.tyres.model.name
    vx, vy, r, _, _, yaw = state[:6]
    spins = state[6:]
    a, b = vehicle.cog_to_front_axle, vehicle.cog_to_rear_axle
    halves = [0.5 * width for width in vehicle.track_widths]
    places = [(a, halves[0]), (a, -halves[0]), (-b, halves[1]), (-b, -halves[1])]
    angles = (*turned(model, inputs), 0.0, 0.0)
    slow = (model.low_speed_threshold, model.car.low_speed_lateral)
    slips = []
    for i, ((x, y), angle) in enumerate(zip(places, angles, strict=True)):
        forward, left = vx - r * y, vy + r * x
        u = forward * math.cos(angle) + left * math.sin(angle)
        v = left * math.cos(angle) - forward * math.sin(angle)
        rolling = vehicle.wheel_radii[i > 1] * spins[i]
        fastest = max(abs(u), abs(rolling))
        slip = (u - rolling) / max(fastest, slow[0])
        if tyres.selection in ('given', 'computed'):
            slip = min(max(slip, -1.0), 1.0)
        slips.append((slip, v / max(fastest, slow[1])))
    weight = vehicle.mass * 9.81
    statics = [0.5 * vehicle.front_axle_load] * 2 + [0.5 * vehicle.rear_axle_load] * 2
    loads, ax, ay = list(statics), 0.0, 0.0
    for count in range(LOAD_PASSES):
        if count:
            height = vehicle.cog_height
            front = vehicle.front_axle_load - vehicle.mass * ax * height / vehicle.wheelbase
            front = min(max(front, 0.0), weight)
            for axle, first in ((front, 0), (weight - front, 2)):
                transfer = axle / 9.81 * ay * height / (2.0 * halves[first // 2])
                transfer = min(max(transfer, -0.5 * axle), 0.5 * axle)
                loads[first:first + 2] = [0.5 * axle - transfer, 0.5 * axle + transfer]
        forces = [tyre(name, *slips[i], loads[i], statics[i],
                       *((tyres.front_x, tyres.front_y) if i < 2
                         else (tyres.rear_x, tyres.rear_y))) for i in range(4)]
        body = [complex(*force) * complex(math.cos(angle), math.sin(angle))
                for force, angle in zip(forces, angles, strict=True)]
        total = sum(body)
        ax, ay = total.real / vehicle.mass, total.imag / vehicle.mass
    moment = sum(x * force.imag - y * force.real
                 for (x, y), force in zip(places, body, strict=True))
    share = vehicle.front_drive_share
    front, rear = vehicle.wheel_radii
    mean = 0.5 * (share * front * (spins[0] + spins[1])
                  + (1.0 - share) * rear * (spins[2] + spins[3]))
    return (
        ax + vy * r, ay - vx * r, moment / vehicle.yaw_inertia,
        vx * math.cos(yaw) - vy * math.sin(yaw), vx * math.sin(yaw) + vy * math.cos(yaw), r,
        *(wheel_rate(model, i, spins[i], vehicle.wheel_radii[i > 1] * forces[i][0], inputs, mean)
          for i in range(4)))


def runge_kutta(model, state, inputs, dt, steps):
    """Return the state after steps of Runge-Kutta 4."""
    def moved(state, h, k):
        return [s + h * rate for s, rate in zip(state, k, strict=True)]

    for _ in range(steps):
        k1 = derivative(model, state, inputs)
        k2 = derivative(model, moved(state, 0.5 * dt, k1), inputs)
        k3 = derivative(model, moved(state, 0.5 * dt, k2), inputs)
        k4 = derivative(model, moved(state, dt, k3), inputs)
        state = [s + dt / 6.0 * (a + 2.0 * b + 2.0 * c + d)
                 for s, a, b, c, d in zip(state, k1, k2, k3, k4, strict=True)]
    return state
