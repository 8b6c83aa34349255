"""Large numbers in few letters."""


def short_count(number: int) -> str:
    """Three digits and what they stand for: 63,082,496 is 63.1M."""
    for unit, letter in ((10**9, "B"), (10**6, "M"), (10**3, "K")):
        if number >= unit * 0.9995:
            share = number / unit
            return f"{share:.{2 if share < 9.995 else 1 if share < 99.95 else 0}f}{letter}"
    return str(number)


def share_of(part: int, total: int) -> str:
    """A share in whole per cent; what is there is never 0 %."""
    percent = 100 * part / total
    return "< 1 %" if 0 < percent < 1 else f"{percent:.0f} %"
