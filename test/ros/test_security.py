# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""SROS 2: the policy says what the nodes have, and no node runs unprotected by mistake."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from pkm_identification.errors import SettingsError
from pkm_identification.nodes.catalogue import NODES
from pkm_identification.nodes.catalogue.security_policy import TOGETHER, security_policy

ROOT = Path(__file__).resolve().parents[2]
POLICY = ROOT / "config" / "security" / "policy.xml"
# what an enclave must hold for Fast DDS to look at it
KEYS = (
    "identity_ca.cert.pem",
    "permissions_ca.cert.pem",
    "cert.pem",
    "key.pem",
    "governance.p7s",
    "permissions.p7s",
)


def test_the_policy_is_up_to_date():
    remedy = "write it again: python -m pkm_identification.nodes.catalogue.security_policy > config/security/policy.xml"
    assert POLICY.read_text(encoding="utf-8") == security_policy(), remedy


def test_every_node_has_an_enclave_below_its_namespace():
    policy = ElementTree.fromstring(security_policy("/cell"))
    profiles = {
        enclave.get("path"): [(profile.get("ns"), profile.get("node")) for profile in enclave.iter("profile")]
        for enclave in policy.iter("enclave")
    }
    alone = {f"/cell/{name}": [("/cell", name)] for name in NODES}
    together = {f"/cell/{name}": [("/cell", node) for node in nodes] for name, nodes in TOGETHER.items()}
    assert profiles == alone | together


@pytest.mark.parametrize("namespace", ["cell", "/", "/cell/", "/a b", '/"><x'])
def test_what_is_no_namespace_is_refused(namespace):
    with pytest.raises(SettingsError, match="must be such as /cell"):
        security_policy(namespace)


def wheels_without_security() -> bool:
    try:
        return bool(importlib.metadata.version("ros-fastdds"))
    except importlib.metadata.PackageNotFoundError:
        return False


@pytest.mark.parametrize("enclave", ["/strut_filter", "/unknown"])
def test_a_node_that_cannot_be_protected_does_not_start_and_says_why_in_one_line(tmp_path, enclave):
    keys = tmp_path / "enclaves" / "strut_filter"
    keys.mkdir(parents=True)
    for name in KEYS:
        (keys / name).write_text("no key", encoding="utf-8")
    secured = {
        "ROS_SECURITY_ENABLE": "true",
        "ROS_SECURITY_STRATEGY": "Enforce",
        "ROS_SECURITY_KEYSTORE": str(tmp_path),
        # the messages may be found by it alone
        "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])),
    }
    done = subprocess.run(
        [sys.executable, "-m", "pkm_identification.nodes.strut_filter", "--ros-args", "--enclave", enclave],
        env=os.environ | secured,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 2
    # rcl's own log lines apart
    (line,) = [line for line in done.stderr.splitlines() if not line.startswith("[")]
    assert line.startswith("strut_filter: ")
    if enclave == "/unknown":
        assert "enclaves/unknown" in line
    elif wheels_without_security():
        assert "this Fast DDS was built without security" in line
