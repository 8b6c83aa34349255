"""How steeply ALiBi's penalty on distance falls in each head."""

import math


def alibi_slopes(heads: int) -> list[float]:
    """A geometric series from 2^(-8/n) to 2^-8 for n heads; slopes of the next power of two fill the gaps."""
    power = 2 ** math.floor(math.log2(heads))
    series = [2 ** (-8 * (number + 1) / power) for number in range(power)]
    return series if power == heads else series + alibi_slopes(2 * power)[0::2][: heads - power]
