"""rosbag2 recordings: read, written, and recovered where one was cut off."""
