"""Children of the test's own process: nobody waits for torch to be imported again."""

import faulthandler
import os
import signal
import sys
import time
import traceback
from functools import partial

from torch.distributed import TCPStore

from regard.text import threads

LONG = 600
"""Seconds that no child needs, however busy the machine is: one that is still there then waits for ever."""


def fork(work, **told):
    """Have a child do some work, with these environment variables; its number. It ends with what the work gives."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        # The threads of the tokenizers package, if it had any, are not in the child: it must not wait for them.
        threads.CHOSEN, os.environ["TOKENIZERS_PARALLELISM"] = True, "false"
        os.environ.update({name: str(value) for name, value in told.items()})
        faulthandler.dump_traceback_later(LONG - 10, file=sys.__stderr__)
        signal.alarm(LONG)
        code = work()
    except BaseException:
        traceback.print_exc(file=sys.__stderr__)
    finally:
        sys.__stderr__.flush()
        os._exit(code)


def ended(child):
    """How a child ended: its exit code, or minus the number of the signal."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def send_after(child, seconds, number, others=()):
    """Send a signal, to a child or to others, once the child has computed for so long; nothing if it ended before.

    A process's own clock does not mind how busy the machine is.
    """
    clock = ~child << 3 | 2  # clock_getcpuclockid(3)
    while time.clock_gettime(clock) < seconds:
        if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            return
        time.sleep(0.001)
    for other in others or [child]:
        os.kill(other, number)


def end_others(children, seconds=10):
    """Once one of some children has ended, the others have so long to end, too; then they are killed, as by torchrun.

    A child that waits for one that never came to the meeting would wait for half an hour.
    """

    def has_ended(child):
        return os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT)

    while not any(map(has_ended, children)):
        time.sleep(0.01)
    until = time.monotonic() + seconds
    while not all(map(has_ended, children)) and time.monotonic() < until:
        time.sleep(0.01)
    for child in children:
        os.kill(child, signal.SIGKILL)  # which one that has ended does not hear


def together(work, world=2, meanwhile=lambda children: None):
    """Have several processes do some work, told their rank and joined as torchrun joins them; how they ended.

    As with torchrun, the store that they meet at is their parent's: no port has to be guessed. `meanwhile` is told
    their numbers.
    """
    store = TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    told = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": store.port, "TORCHELASTIC_USE_AGENT_STORE": True}
    ranks = [fork(partial(work, rank), WORLD_SIZE=world, RANK=rank, LOCAL_RANK=rank, **told) for rank in range(world)]
    meanwhile(ranks)
    return [ended(child) for child in ranks]
