# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""As controller_manager's spawner: waits for the services of the controller manager of its own namespace."""

import argparse
import sys

import rclpy
from rcl_interfaces.srv import SetParameters
from rclpy.executors import ExternalShutdownException
from rclpy.parameter import Parameter
from rclpy.utilities import remove_ros_args
from std_srvs.srv import Trigger


def main():
    try:
        rclpy.init()
        options = argparse.ArgumentParser()
        options.add_argument("names", nargs="+")
        options.add_argument("--param-file")
        options = options.parse_args(remove_ros_args(sys.argv)[1:])
        names = options.names
        node = rclpy.create_node(f"spawner_{names[0]}")
        client = node.create_client(Trigger, "controller_manager/spawn")
        while rclpy.ok() and not client.wait_for_service(0.5):
            pass
        request = SetParameters.Request()
        for name in names:
            file = Parameter(f"{name}.params_file", value=options.param_file)
            request.parameters.append(file.to_parameter_msg())
        setting = node.create_client(SetParameters, "controller_manager/set_parameters")
        setting.wait_for_service(10.0)
        rclpy.spin_until_future_complete(node, setting.call_async(request))
        future = client.call_async(Trigger.Request())
        rclpy.spin_until_future_complete(node, future)
        answer = future.result()
        print(
            f"spawned {' '.join(names)} in {node.get_namespace()}: {answer.success} {answer.message}",
            flush=True,
        )
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
