"""Identification of the dynamics of parallel kinematic machines from strut lengths and forces."""

import pkgutil

# The generated ROS messages (pkm_identification.msg) may be installed elsewhere on the path than this
# source folder, for example when tests run from the repository root.
__path__ = pkgutil.extend_path(__path__, __name__)

__version__ = "0.1.0"
