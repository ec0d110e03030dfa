# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""An action server that takes its goals alongside the control loop.

rclpy takes a request in the thread that spins and holds Python's lock while the middleware unpacks it: 2 ms of
processor time and more for ten thousand waypoints (`python -m benchmarks.large_goals`), two periods at 1 kHz in which
no command goes out, where one is allowed. `GoalServer` has the same functions of rcl do so in a thread of its own,
which leaves Python alone until the waypoints are there. Where an rclpy does not show what that needs, its own way is
taken.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cache
from typing import Any

from action_msgs.msg import GoalInfo
from rclpy.action import ActionServer, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.executors import Executor
from rclpy.task import Future

from pkm_identification.control.paths.background_call import BackgroundCall

HEADER = 64  # bytes kept for rmw_request_id_t, 24 in the releases known
# what `GoalServer` uses of rclpy's class, and what that class's `is_ready` leaves behind
HELD = ("_goal_handles", "_result_futures", "_goal_callback", "_handle_accepted_callback", "_node")
LEFT = ("_is_goal_request_ready", "_is_cancel_request_ready", "_is_result_request_ready", "_is_goal_expired")


class _Response(ctypes.Structure):
    """What rosidl_generator_c makes of the response to a goal of any action."""

    _fields_ = (("accepted", ctypes.c_bool), ("sec", ctypes.c_int32), ("nanosec", ctypes.c_uint32))


@dataclass(frozen=True)
class _Header:
    """Who asked: an rmw_request_id_t."""

    content: Any


@cache
def _find_library() -> Any:
    """Return the library of action servers that rclpy has loaded; its functions run without Python's lock."""
    return ctypes.CDLL("librcl_action.so")


def _load_function(capsule: Any, result: Any, *arguments: Any) -> Any:
    """Return a C function that a message class keeps in a capsule, called without Python's lock."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    return ctypes.CFUNCTYPE(result, *arguments)(pointer(capsule, None))


def _has_expected_members(server: ActionServer) -> bool:
    """Return whether rclpy's class has all that is used of it where the releases known have it."""
    left = ActionServer.is_ready.__code__.co_names
    return all(hasattr(server, name) for name in HELD) and all(name in left for name in LEFT)


class GoalServer(ActionServer):
    """An action server whose goals are taken beside, once `take_in_background` has said how they are read."""

    _request: Any = None
    _taking: BackgroundCall[None] | None = None
    _over = False
    _is_goal_request_ready: bool

    def take_in_background(self, request: Any) -> None:
        """Have goals taken in a thread, if this rclpy shows what that needs.

        Parameters
        ----------
        request : type
            A class of `goal_request.read_by`.
        """
        try:
            if not _has_expected_members(self):
                return
            library = _find_library()
            self._taken = library.rcl_action_take_goal_request
            self._send_response = library.rcl_action_send_goal_response
            self._forget_error = library.rcutils_reset_error  # found in what the library is linked with
            self._forget_error.restype = None
            self._server = ctypes.c_void_p(self._handle.pointer)
            self._create = _load_function(request._CREATE_ROS_MESSAGE, ctypes.c_void_p)
            self._destroy = _load_function(request._DESTROY_ROS_MESSAGE, None, ctypes.c_void_p)
        except (OSError, AttributeError, ValueError):
            return
        self._request = request

    @property
    def takes_in_background(self) -> bool:
        """Whether goals are taken in a thread."""
        return self._request is not None

    @property
    def _busy(self) -> bool:
        return self._taking is not None and not self._taking.done

    def is_ready(self, wait_set: Any) -> bool:
        ready: bool = super().is_ready(wait_set)
        if self._busy and self._is_goal_request_ready:
            self._is_goal_request_ready = False  # that is the one being taken, or one after it
            ready = self._is_cancel_request_ready or self._is_result_request_ready or self._is_goal_expired
        return ready

    def take_data(self) -> Any:
        executor = self._node.executor
        # an events executor would not come again for a goal that arrives meanwhile
        if self.takes_in_background and self._is_goal_request_ready and isinstance(executor, Executor):
            self._is_goal_request_ready = False
            self._taking = BackgroundCall(True, self._take, executor)
        return super().take_data()

    def _take(self, executor: Any) -> None:
        try:
            taken = self._take_request()
            if taken is not None:
                executor.create_task(self._execute_goal_request, taken)
        except Exception as error:  # nobody asks this thread for an answer
            if self._node.context.ok():  # otherwise the executor may have gone
                self._node.get_logger().error(f"a goal was not taken: {error}")

    def _take_request(self) -> tuple[_Header, Any] | None:
        """Return the next request and who sent it; None where there is none."""
        header, request = ctypes.create_string_buffer(HEADER), ctypes.c_void_p(self._create())
        try:
            if self._taken(self._server, header, request) != 0:
                return None  # somebody who asked has gone; rcl keeps errors by thread, and this one ends
            return _Header(header), self._request._READ(request)
        finally:
            self._destroy(request)

    async def _execute_goal_request(self, request_header_and_message: Any) -> None:
        """Accept a goal or not, as rclpy does."""
        header, request = request_header_and_message
        if not isinstance(header, _Header):
            await super()._execute_goal_request(request_header_and_message)
            return
        if self._over:
            return
        info = GoalInfo(goal_id=request.goal_id)
        known = self._handle.goal_exists(info)
        accepted = not known and self._goal_callback(request.goal) == GoalResponse.ACCEPT
        if accepted:
            info.stamp = self._node.get_clock().now().to_msg()
            try:
                handle = ServerGoalHandle(self, info, request.goal)
            except RuntimeError as error:  # e.g. of a context that has been shut down
                self._node.get_logger().error(f"a goal was not accepted: {error}")
                accepted = False
            else:
                future: Future = Future()
                identity = bytes(request.goal_id.uuid)
                self._goal_handles[identity], self._result_futures[identity] = handle, future
                self.add_future(future)
        response = _Response(accepted, info.stamp.sec, info.stamp.nanosec)
        if self._send_response(self._server, header.content, ctypes.byref(response)) != 0:
            self._forget_error()
            self._node.get_logger().warning("a goal was not answered: who sent it may have gone")
            return
        if accepted:
            self._handle.publish_status()
            self._handle_accepted_callback(handle)

    def destroy(self) -> None:
        self._over = True
        if self._taking is not None:
            self._taking.wait()
        super().destroy()
