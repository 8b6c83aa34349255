"""Starting and stopping the server. Nothing here waits for torch."""

import socket
import threading
import webbrowser
from collections import Counter
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

import uvicorn

from regard.errors import RegardError, UnknownName
from regard.freed_memory import map_large_blocks
from regard.viewer.guard import ServerAddress
from regard.viewer.limits import LIMITS, Limits
from regard.viewer.model_store import ModelStore
from regard.viewer.server import create_app
from regard.viewer.state_file import PageState

CONFIG = "config.json"
PORT = 4747  # where a page that was bookmarked finds the server again
BUILT_IN = ("en-de", "shakespeare")  # what is looked at where nobody says
PATIENCE = 3  # seconds that open connections have when the server stops


def serve(
    text: str = "",
    models: tuple[str, ...] = (),
    *,
    view: str = "",
    state: PageState | None = None,
    host: str = "127.0.0.1",
    port: int | None = None,
    token: str | None = None,
    device: str | None = None,
    limits: Limits = LIMITS,
    on_start: Callable[[str, str | None], None] = lambda url, model: None,
    open_browser: bool = False,
) -> bool:
    """Serve until Ctrl-C; whether all runs had ended. `on_start` is called with the address and the first model.

    `view` is where the page begins, as its addresses have it behind the #: "learn?topic=heads"; `state`, a file's.
    """
    if state is not None and not models and state.model:
        models = (state.model,)
    map_large_blocks()
    check_models(models, device)
    names = folder_names([name for name in models if Path(name).is_dir()])
    folders = {short_name: Path(name) for name, short_name in names.items()}
    first = next((names.get(name, name) for name in models), None) or builtin_model()
    ServerAddress(host, port or PORT, token)  # refuses before anything is opened
    listener = open_socket(host, port)
    address = ServerAddress(host, listener.getsockname()[1], token)
    app = create_app(
        ModelStore(folders, device, limits.loaded_models),
        address,
        first=first,
        text=text,
        page_address="" if state is None else state.address_for(first or ""),
        limits=limits,
    )
    server = uvicorn.Server(
        uvicorn.Config(
            app, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=PATIENCE
        )
    )
    url = page_url(address) + (f"#{view}" if view else "")
    on_start(url, first)
    if open_browser:
        threading.Timer(0.3, webbrowser.open, [url]).start()
    try:
        server.run(sockets=[listener])
    except KeyboardInterrupt:  # uvicorn has stopped the server, and passes the signal on
        pass
    finally:
        listener.close()
    return app.state.runs.is_idle


def check_models(models: Sequence[str], device: str | None) -> None:
    """Refuse a model or a device that is not here. torch is waited for only where something odd was asked for."""
    built_in = files("regard") / "builtin"
    for name in models:
        folder = Path(name) if Path(name).is_dir() else built_in / name if name else None
        if folder is not None and (folder / CONFIG).is_file():
            continue
        from regard.tasks.find import cached_models, suggestions

        if Path(name).is_dir():
            raise RegardError(f"{name}: no model in it, that is no {CONFIG}")
        if name not in cached_models():
            raise UnknownName(f"no model {name!r} here; {suggestions(name)}")
    if device is not None:
        from regard.checkpoints.device import check_device

        check_device(device)


def folder_names(folders: Sequence[str]) -> dict[str, str]:
    """What a page calls each folder; by its whole path where two would be called alike."""
    names = {folder: folder_name(folder) for folder in folders}
    count = Counter(names.values())
    return {folder: name if count[name] == 1 else str(Path(folder).resolve()) for folder, name in names.items()}


def folder_name(folder: str) -> str:
    """What a page calls a folder: by its name, and its parent's where that says more (runs/sst2/model)."""
    path = Path(folder).resolve()
    return path.parent.name if path.name == "model" and path.parent.name else path.name or str(path)


def builtin_model() -> str | None:
    """A model that came with the install."""
    folder = files("regard") / "builtin"
    names = [name for name in BUILT_IN if (folder / name / CONFIG).is_file()]
    return names[0] if names else None


def open_socket(host: str, port: int | None) -> socket.socket:
    """A socket at the port, or at any free one where none was asked for and the usual one is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    problem: OSError | None = None
    for choice in (PORT, 0) if port is None else (port,):
        listener = socket.socket(family, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, choice))
            listener.listen(128)  # whoever is told the address now is heard, a moment later
            return listener
        except (OSError, OverflowError) as error:
            listener.close()
            problem = error if isinstance(error, OSError) else OSError(str(error))
    reason = getattr(problem, "strerror", None) or problem
    raise RegardError(f"{host}:{port or PORT} cannot be listened on: {reason}")


def page_url(address: ServerAddress) -> str:
    """What to open."""
    name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(address.host, address.host)
    name = f"[{name}]" if ":" in name else name
    token = "" if address.token is None else f"?token={quote(address.token)}"
    return f"http://{name}:{address.port}/{token}"
