"""A process that works for another goes with it."""

import multiprocessing
import os
import signal
import threading


def end_with_parent() -> None:
    """From now on this process is told to stop when the one that started it is gone, however that ended: otherwise it
    would wait for work for ever, with a model in memory."""
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="regard-parent", daemon=True).start()
