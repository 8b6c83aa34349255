"""Token text as it can be shown: nothing invisible, nothing wider than its place."""

from unicodedata import category

from rich.cells import cell_len, set_cell_size

JOINER = "\u200d"  # holds the parts of one emoji together


def visible(text: str) -> str:
    """The text on one line, with a sign for every character that would hide, break or turn it around."""
    return "".join(map(_sign, text))


def _sign(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)  # ␀ … ␟: Unicode has a picture of each
    if code == 0x7F:
        return "␡"
    if character != JOINER and category(character) in ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"):
        return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    return character


def fit(text: str, width: int) -> str:
    """The visible text in exactly `width` terminal cells: filled with spaces, or cut and ended with …"""
    shown = visible(text)
    if cell_len(shown) > width:
        return set_cell_size(shown, width - 1) + "…"
    return set_cell_size(shown, width)
