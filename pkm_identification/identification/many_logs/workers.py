# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Jobs on Dask workers: each result handed over once, whatever workers die meanwhile."""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pkm_identification.errors import PkmError, SettingsError, one_line
from pkm_identification.interruption import remove_unfinished
from pkm_identification.optional import library

from .one_log import Job, identify_job

HOST = "127.0.0.1"
CONNECT = 10.0  # s
ENCRYPTED = ("tls", "wss")  # kinds of addresses
AHEAD = 2  # jobs handed out for each thread of a worker: one in work, one waiting

Received = Callable[[Job, dict[str, Any]], None]


def run_here(jobs: Iterable[Job], received: Received) -> None:
    """Identify one log after the other in this process."""
    for job in jobs:
        received(job, identify_job(job))


def run_on_workers(
    jobs: Iterable[Job], received: Received, workers: int, scheduler: str = "", connect: float = CONNECT
) -> None:
    """Identify logs on Dask workers.

    Few jobs are handed out at a time and each result is released when `received` has it, so that memory does not grow
    with their number, and a worker that dies takes along only what it had in work: that is done again elsewhere. The
    first job is waited for: it leaves compiled kernels on the disk for the others.

    Parameters
    ----------
    jobs : iterable of Job
    received : callable (job, record)
        Called once for every job, here.
    workers : int
        Processes of this computer, where there is no scheduler.
    scheduler : str
        Address of one that runs already, as `tcp://127.0.0.1:8786`.
    connect : float
        s, in which it must answer.

    Raises
    ------
    SettingsError
        If the scheduler does not answer, or workers have another version of this package.
    PkmError
        If the scheduler is lost. What was received stays.
    """
    distributed = library("distributed", "fleet")
    with _start_client(distributed, workers, scheduler, connect) as client:
        waiting = iter(jobs)
        running: dict[str, Job] = {}
        finished = distributed.as_completed(loop=client.loop)
        window = 1
        while True:
            while len(running) < window and (job := next(waiting, None)) is not None:
                future = client.submit(identify_job, job, key=f"pkm-history-{job.key}")
                running[future.key] = job
                finished.add(future)
                del future
            if not running:
                return
            future = next(finished)
            job = running.pop(future.key)
            record = _read_outcome(distributed, future, job)
            future.release()
            received(job, record)
            window = AHEAD * max(1, sum(client.nthreads().values()))


def _read_outcome(distributed: Any, future: Any, job: Job) -> dict[str, Any]:
    try:
        return future.result()
    except PkmError:
        raise
    except distributed.KilledWorker:
        line = f"{job.url}: the worker died each time it had this log (want of memory?)"
    except (distributed.CancelledError, OSError) as error:
        raise PkmError(
            f"the scheduler is lost ({type(error).__name__}); results so far are kept, run it again"
        ) from None
    except Exception as error:
        # whatever a worker's own libraries raise is that log's failure
        line = one_line(f"{job.url}: {type(error).__name__}: {error}")
    return {"key": job.key, "failure": line, "kept": False}


def _check_address(distributed: Any, scheduler: str) -> None:
    """Raise ValueError for an address of no kind that Dask can call: its client would close itself for 20 s first."""
    scheme, _ = distributed.comm.parse_address(scheduler)
    distributed.comm.registry.get_backend(scheme)
    loaded = library("dask", "fleet").config.get("distributed.client.security-loader", None)
    context = distributed.Security().get_connection_args("client").get("ssl_context")
    if scheme in ENCRYPTED and loaded is None and context is None:
        raise ValueError(f"{scheme} needs a certificate (distributed.comm.tls in Dask's configuration)")


@contextmanager
def _start_client(distributed: Any, workers: int, scheduler: str, connect: float) -> Iterator[Any]:
    # what a dying worker makes Dask say is not for the user of a command
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    if scheduler:
        try:
            _check_address(distributed, scheduler)
            client = distributed.Client(scheduler, timeout=connect, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            raise SettingsError(f"--scheduler {scheduler}: no response: {reason}") from None
        with client:
            yield client
        return
    # before workers are started, which take it over: threads of the linear algebra only get in each other's way
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with (
        tempfile.TemporaryDirectory() as folder,
        remove_unfinished(Path(folder)),
        distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            host=HOST,
            dashboard_address=f"{HOST}:0",
            local_directory=folder,
            silence_logs=logging.CRITICAL,
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client
