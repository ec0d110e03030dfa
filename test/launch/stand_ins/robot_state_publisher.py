# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""As robot_state_publisher: what it is given as the parameter robot_description is kept on the topic of that name."""

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String


def main():
    try:
        rclpy.init()
        node = rclpy.create_node(
            "robot_state_publisher", automatically_declare_parameters_from_overrides=True
        )
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        publisher = node.create_publisher(String, "robot_description", latched)
        publisher.publish(String(data=node.get_parameter("robot_description").value))
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
