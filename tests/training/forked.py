"""Children of the test's own process: nobody waits for torch to be imported again."""

import faulthandler
import os
import signal
import sys

from regard.text import threads


def fork(work, seconds=40, **told):
    """Have a child do some work, with these environment variables; its number. It ends with what the work gives."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        # The threads of the tokenizers package, if it had any, are not in the child: it must not wait for them.
        threads.CHOSEN, os.environ["TOKENIZERS_PARALLELISM"] = True, "false"
        os.environ.update({name: str(value) for name, value in told.items()})
        faulthandler.dump_traceback_later(seconds - 5, file=sys.__stderr__)
        signal.alarm(seconds)
        code = work()
    finally:
        os._exit(code)
