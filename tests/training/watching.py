"""Reports for tests: what was said, and a signal at the right moment."""

import os
import signal


class Quiet:
    """Remembers what was said."""

    def __init__(self):
        self.lines, self.steps = [], []

    def say(self, line):
        self.lines.append(line)

    def step(self, step, values):
        self.steps.append(step)

    def scores(self, step, values):
        pass

    def close(self):
        pass


class Interrupting(Quiet):
    """Sends its own process a signal after some step."""

    def __init__(self, at, number=signal.SIGTERM):
        super().__init__()
        self.at, self.number = at, number

    def step(self, step, values):
        super().step(step, values)
        if step == self.at:
            os.kill(os.getpid(), self.number)
