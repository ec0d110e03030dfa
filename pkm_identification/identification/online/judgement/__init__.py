"""Whether what is learned from a stream can be believed: does the model fit, is the machine possible?"""
