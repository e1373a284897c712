# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How sure estimates of a soft L1 fit are: a jackknife over blocks of residuals.

Residuals of one stretch of a drive are alike, so the covariance is that of a jackknife over blocks
of 5 s, each left out in one step of Newton: with psi = r/sqrt(1 + r^2) and
psi' = (1 + r^2)^(-3/2), J the Jacobian, A = sum psi' J J', and A_b and s_b = sum psi J of block b,

    d_b = (A - A_b)^-1 s_b    P = (B - 1)/B sum d_b d_b'

over B blocks. Intervals are those of Student's t. Blocks that tell more of an unknown than others
make its degrees of freedom fewer than B less the unknowns: those of a sum of squares whose terms
have the covariance G that independent residuals would give to d_b of unknown k (Satterthwaite),

    nu = (tr G)^2/tr(G G)    G_bc = delta_bc f_b' A_b f_b - f_b' A_b A^-1 A_c f_c
    f_b = (A - A_b)^-1 e_k

Source: Bell, McCaffrey, "Bias reduction in standard errors for linear regression with multi-stage
samples", 2002 (the estimator CR3 and its degrees of freedom), with the weights of the robust loss.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from racecar.identification.drive import Array


def jackknife(
    r: Array, j: Array, blocks: NDArray[np.int64],
) -> tuple[Array, Array, Array]:
    """Return curvature A, covariance P and degrees of freedom (unknowns,); see the module.

    r (n,): residuals; j (n, unknowns): their Jacobian; blocks (n,): numbers from 0, without gaps.
    """
    z = 1.0 + r * r
    weights = z**-1.5
    curvature = j.T @ (j * weights[:, None])
    # Where most residuals are large the soft L1 is flat; the weights of Gauss and Newton are not.
    if np.linalg.eigvalsh(curvature)[0] <= 0.0:
        curvature = j.T @ (j * (z**-0.5)[:, None])
        weights = z**-0.5
    count = int(blocks.max()) + 1
    shares, changes, reaches = [], [], []
    for block in range(count):
        own = blocks == block
        share = j[own].T @ (j[own] * weights[own][:, None])
        reach = np.linalg.pinv(curvature - share)
        shares.append(share)
        reaches.append(reach)
        changes.append(reach @ (j[own].T @ (r[own] / np.sqrt(z[own]))))
    change = np.array(changes)
    covariance = change.T @ change * (count - 1) / count
    return curvature, covariance, degrees_of_freedom(
        curvature, np.array(shares), np.array(reaches))


def degrees_of_freedom(curvature: Array, shares: Array, reaches: Array) -> Array:
    """Return the degrees of freedom (unknowns,) of the variances; see the module.

    shares (B, p, p): A_b; reaches (B, p, p): (A - A_b)^-1.
    """
    moved = shares @ reaches
    inverse = np.linalg.pinv(curvature)
    found = []
    for column in range(len(curvature)):
        own = moved[:, :, column]
        spread = -own @ inverse @ own.T
        np.fill_diagonal(spread, spread.diagonal() + np.einsum(
            'bp,bp->b', reaches[:, :, column], own))
        found.append(np.trace(spread)**2 / max(float(np.sum(spread * spread)), 1e-300))
    return np.array([max(degrees, 1.0) for degrees in found])
