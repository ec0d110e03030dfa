# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""As controller_manager's ros2_control_node from Jazzy on (ros2_control 4.46, 5.16, 6.8; controller_manager.cpp).

A controller has the parameters of the files that its spawner names (`CONTROLLER.params_file`) and, as since 6.5, no
others; a forward_command_controller without joints and interface_name is not configured.

The robot description comes from the topic robot_description, transient local, and from nowhere else. Before it is
there, there are no services, so spawners wait. Joints of <ros2_control> must be in the URDF. Mock hardware stands where
`initial_value` says; joint_state_broadcaster publishes it, effort_controller and position_controller take commands.
"""

from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import rclpy
import yaml
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String
from std_srvs.srv import Trigger

RATE = 100.0  # Hz
FORWARD = "forward_command_controller/ForwardCommandController"
TYPES = {
    "joint_state_broadcaster": "joint_state_broadcaster/JointStateBroadcaster",
    "effort_controller": FORWARD,
    "position_controller": FORWARD,
}


class ControllerManager(Node):
    def __init__(self):
        super().__init__(
            "controller_manager",
            automatically_declare_parameters_from_overrides=True,
            allow_undeclared_parameters=True,
        )
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.create_subscription(String, "robot_description", self.take_description, latched)
        self.waiting = self.create_timer(1.0, self.complain)
        self.commanded = set()

    def complain(self):
        print("Waiting for data on 'robot_description' topic to finish initialization", flush=True)

    def take_description(self, message):
        self.destroy_timer(self.waiting)
        robot = ElementTree.fromstring(message.data)
        system = robot.find("ros2_control")
        joints = {joint.get("name") for joint in robot.iterfind("joint")}
        driven = {joint.get("name"): joint for joint in system.iterfind("joint")}
        missing = [name for name in driven if name not in joints]
        print(f"description of {robot.get('name')}, {system.findtext('hardware/plugin')}", flush=True)
        print(f"joints missing in the URDF: {missing}", flush=True)
        print(f"update rate {self.get_parameter('update_rate').value}", flush=True)
        self.state = {
            interface: [
                float(
                    joint.findtext(
                        f"state_interface[@name='{interface}']/param[@name='initial_value']", "nan"
                    )
                )
                for joint in driven.values()
            ]
            for interface in ("position", "velocity", "effort")
        }
        self.names = list(driven)
        self.create_service(Trigger, "~/spawn", self.spawn)

    def spawn(self, _, response):
        types = {name: self.get_parameter_or(f"{name}.type").value for name in TYPES}
        response.success, response.message = types == TYPES, str(types)
        for name, kind in TYPES.items():
            file = self.get_parameter_or(f"{name}.params_file").value
            if file is not None and kind == FORWARD:
                given = yaml.safe_load(Path(file).read_text(encoding="utf-8"))
                own = given[f"/**/{name}"]["ros__parameters"]
                print(f"{name} commands {own['interface_name']} of {len(own['joints'])} joints", flush=True)
        self.states = self.create_publisher(JointState, "joint_states", 10)
        self.create_timer(1.0 / RATE, self.publish)
        for kind in ("effort", "position"):
            self.create_subscription(
                Float64MultiArray, f"{kind}_controller/commands", partial(self.take_command, kind), 10
            )
        return response

    def publish(self):
        message = JointState(name=self.names, **self.state)
        message.header.stamp = self.get_clock().now().to_msg()
        self.states.publish(message)

    def take_command(self, kind, message):
        if kind not in self.commanded:
            print(f"commanded {len(message.data)} {kind}s", flush=True)
        self.commanded.add(kind)


def main():
    try:
        rclpy.init()
        rclpy.spin(ControllerManager())
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
