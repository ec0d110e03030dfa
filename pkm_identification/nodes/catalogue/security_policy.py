# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""SROS 2 policy of all nodes: `python -m pkm_identification.nodes.catalogue.security_policy [NAMESPACE]`.

`ros2 security create_permission KEYSTORE ENCLAVE POLICY` makes signed permissions of it. The file for the root
namespace is config/security/policy.xml.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from xml.sax.saxutils import escape

from pkm_identification.errors import SettingsError
from pkm_identification.ros.interfaces.declarations import COMMON, NODE_INTERFACES
from pkm_identification.ros.interfaces.interface import Interface

from . import NODES

# Several nodes in one process share its enclave.
TOGETHER = {"bringup": ("strut_filter", "kinematics", "estimator", "controller")}
HEAD = """\
<?xml version="1.0" encoding="UTF-8"?>
<!-- What each node may publish, take and offer; written by
     `python -m pkm_identification.nodes.catalogue.security_policy [NAMESPACE]`: docs/security.md. -->
<policy version="0.2.0">
  <enclaves>
"""
TAIL = """\
  </enclaves>
</policy>
"""


def security_policy(namespace: str = "") -> str:
    """Text of the policy: an enclave for each node below the namespace, and one for `bringup`.

    Parameters
    ----------
    namespace : str
        Such as /cell, of nodes and enclaves alike; empty: the root.

    Raises
    ------
    SettingsError
        If it is no namespace.
    """
    if not re.fullmatch(r"(/[A-Za-z_]\w*)*", namespace, re.ASCII):
        raise SettingsError(f"namespace '{namespace}': must be such as /cell, or nothing for the root")
    enclaves = {name: (name,) for name in NODES} | TOGETHER
    return HEAD + "".join(_write_enclave(name, nodes, namespace) for name, nodes in enclaves.items()) + TAIL


def _write_enclave(name: str, nodes: Sequence[str], namespace: str) -> str:
    profiles = "".join(_write_profile(node, namespace or "/") for node in nodes)
    return (
        f'    <enclave path="{namespace}/{name}">\n      <profiles>\n{profiles}'
        "      </profiles>\n    </enclave>\n"
    )


def _write_profile(node: str, namespace: str) -> str:
    own = NODE_INTERFACES[node]
    rules = (
        _write_rule("topic", "publish", (*own.publishes, *COMMON.publishes)),
        _write_rule("topic", "subscribe", (*own.subscribes, *COMMON.subscribes)),
        _write_rule("service", "reply", (*own.services, *COMMON.services)),
        _write_rule("action", "execute", own.actions),
    )
    return f'        <profile ns="{namespace}" node="{node}">\n{"".join(rules)}        </profile>\n'


def _write_rule(kind: str, verb: str, interfaces: Sequence[Interface]) -> str:
    if not interfaces:
        return ""
    names = "".join(f"            <{kind}>{escape(one.name)}</{kind}>\n" for one in interfaces)
    return f'          <{kind}s {verb}="ALLOW">\n{names}          </{kind}s>\n'


def main(namespace: str = "") -> int:
    """Print the policy."""
    try:
        print(security_policy(namespace), end="")
    except SettingsError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
