"""Ray, where it is installed: the cluster that commands with --ray run on."""

from typing import Any

from regard.errors import RegardError
from regard.untrusted import first_line


def import_ray() -> Any:
    """Ray, if it is installed."""
    try:
        import ray  # type: ignore[import-not-found]
    except ModuleNotFoundError:
        raise RegardError("--ray needs Ray: pip install 'regard[ray]'") from None
    return ray


def connect_ray(**options: Any) -> Any:
    """Ray with a cluster: the one that RAY_ADDRESS names, one that runs on this machine, or one that is started for as
    long as the command runs."""
    ray = import_ray()
    if not ray.is_initialized():
        try:
            ray.init(include_dashboard=False, log_to_driver=False, logging_level="error", **options)
        except Exception as problem:  # Ray raises plain ones where a cluster does not start or answer
            raise RegardError(f"Ray does not start: {first_line(problem)}") from None
    return ray
