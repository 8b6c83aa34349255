"""Where PyTorch takes the steps because there is no engine, a command says so, once, in one line on standard error."""

import logging

import click

MARK = "is_slow_path"  # of a record: engine/serving.py


class SlowPathHandler(logging.Handler):
    """Shows what is marked, and every warning."""

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno >= logging.WARNING or getattr(record, MARK, False)

    def emit(self, record: logging.LogRecord) -> None:
        click.echo(f"regard: {record.getMessage()}", err=True)


def tell_slow_path() -> logging.Handler:
    """Show it from now on; the handler, for whoever wants to take it away again."""
    logger, handler = logging.getLogger("regard"), SlowPathHandler()
    for earlier in [other for other in logger.handlers if isinstance(other, SlowPathHandler)]:
        logger.removeHandler(earlier)  # of another command of this process
    logger.addHandler(handler)
    if logger.level == logging.NOTSET:
        logger.setLevel(logging.INFO)
    return handler
