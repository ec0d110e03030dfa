"""The bridge to ROS 2: the only package, with `nodes`, that imports rclpy and messages."""
