"""rosbag2 recordings: read, written, and recovered where one was cut off."""

ROS_1 = ".bag"  # a recording of ROS 1: read, not written
