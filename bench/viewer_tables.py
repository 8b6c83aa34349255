"""What viewer.py --browser tells: the first moments of the page, and a long text from its reading to its tiles."""

import json
import os
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import quote

import viewer
from viewer import GOALS, LENGTHS, attention_seconds, folder_of, serving, text_of, timed_tiles

ARRIVAL = {"picture": 1500.0, "head": 40.0, "page": 150.0}


def browsed(length: int, seconds: float, per_level: int, pictures: Path | None, say: Any) -> list[Any]:
    """The table of a text that is read for the page, and of a gesture on its map."""
    from measure import MIB, Spread
    from report import Row
    from viewer_browser import cores, gesture, open_map

    kept = 2 * viewer.LAYERS * length * viewer.WIDTH * 4
    browser_core, server_core = cores()
    with tempfile.TemporaryDirectory(prefix="regard-viewer-") as scratch:
        folder = folder_of(length, Path(scratch) / "decoder")
        with serving(folder, server_core) as server:
            server.run("decoder", text_of(64))
            before = server.memory()
            server.forget_peak()
            with open_map(f"http://{server.netloc}/", "decoder", text_of(length), browser_core) as shown:
                began = dict(reversed(shown.states))
                say(f"{length} tokens: {began['done'] - shown.states[0][1]:.0f} s to read and pool")
                beyond, peak = server.memory() - before, server.memory("VmHWM") - before
                if pictures is not None:
                    shown.page.screenshot(path=pictures / f"map-{length}.png")
                moved = gesture(shown, seconds)
                layer = json.loads(server.get(f"/api/runs/{shown.run}"))["layers"][-1]
                tiles = list(timed_tiles(server, shown.run, layer, per_level))
    say(f"{len(moved.frames)} frames in {sum(moved.frames) / 1e3:.1f} s, {moved.refused} answers that were refused")
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, server_core)  # attention as the server had it
    attention = viewer.LAYERS * attention_seconds(
        length, repeat=1 if length > LENGTHS[0] else 2, threads=len(server_core)
    )
    os.sched_setaffinity(0, allowed)
    frames = sorted(moved.frames)
    rows = [
        Row("a frame", Spread.of(frames), "ms"),
        Row("a frame, 99 of 100", Spread.of([frames[int(0.99 * (len(frames) - 1))]]), "ms"),
        Row("longest task of the page", Spread.of([moved.longest_task]), "ms", GOALS["task"]),
        Row("the same in processor time, of any task", Spread.of([moved.longest_work]), "ms", GOALS["task"]),
        Row("tiles asked for", Spread.of([moved.tiles]), ""),
        Row("bytes of tiles", Spread.of([moved.tile_bytes / 1e6]), "MB"),
        Row("first paint", Spread.of([shown.first_paint]), "ms", GOALS["paint"]),
        Row("queries and keys kept", Spread.of([kept / MIB]), "MiB"),
        Row("memory beyond the model, after the run", Spread.of([beyond / kept]), "x kept", GOALS["memory"]),
        Row("memory beyond the model, at its peak", Spread.of([peak / kept]), "x kept", GOALS["memory"]),
        Row("forward pass and reading", Spread.of([began["pooling"] - began["reading"]]), "s"),
        Row("attention of the forward pass", Spread.of([attention]), "s"),
        Row("overview beside it", Spread.of([(began["done"] - began["pooling"]) / attention]), "x", GOALS["overview"]),
    ]
    for level in range(layer["levels"]):
        times = [1e3 * tile.seconds for tile in tiles if tile.head["level"] == level]
        rows.append(Row(f"tile of level {level}", Spread.of(times), "ms", GOALS["tile"]))
    return rows


def arriving() -> list[Any]:
    """The table of the first moments, of the built-in translator."""
    import gzip
    from importlib.resources import files

    from measure import Spread
    from report import Row
    from viewer_browser import arrival, cores

    import regard

    browser_core, server_core = cores()
    with serving(Path(regard.load("en-de").checkpoint.folder), server_core) as server:
        server.run("en-de", "Where is the station?")
        state = f"model=en-de&text={quote('The old man gave his daughter a red bicycle.')}"
        times = arrival(f"http://{server.netloc}/", state, browser_core)
    static = files("regard.viewer") / "static"
    page = sum(len(gzip.compress(file.read_bytes())) for file in static.iterdir())
    return [
        Row("first paint", Spread.of(times.paint), "ms", GOALS["paint"]),
        Row("first picture: all heads of a sentence", Spread.of(times.picture), "ms", ARRIVAL["picture"]),
        Row("the next head, by its key", Spread.of(times.next_head), "ms", ARRIVAL["head"]),
        Row("the page, compressed", Spread.of([page / 1e3]), "kB", ARRIVAL["page"]),
    ]
