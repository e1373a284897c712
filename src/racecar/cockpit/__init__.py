# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The cockpit: a server of a page that shows and drives robots; knows nothing of ROS."""

BRIDGE_OPTION = '--bridge'
"""Option of `racecar up` and `racecar cockpit` by which a server names its socket."""
