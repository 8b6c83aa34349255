"""A few hundred lines of many scripts and of none, the same each time."""

import random

WRITTEN = [
    "", " ", "  two  spaces  ", "\ttab\tand\nnew line\r\n", "Hello, world!", "It's John's; they don't, we've, I'm.",
    "naïve café Ångström Straße ŒUVRE İstanbul ﬁne ﬀ", "e\u0301 combining a\u0300\u0323", "1,234.56 € £5 ½ ² 10⁻³ №",
    "你好，世界。中文和English混排", "こんにちは世界 カタカナ ﾊﾝｶｸ", 
    "안녕하세요 세계 ㅎㅏㄴ", "שלום עולם",
    "مرحبا بالعالم ١٢٣", "\u202eright to left\u202c \u200fמ\u200e", "नमस्ते दुनिया क्षि",
    "สวัสดีชาวโลก", "Привет, мир! Ёлка", "Γειά σου Κόσμε ς",
    "😀👍🏽👩‍👩‍👧‍👦🇩🇪🏳️‍🌈", "a😀b",
    "\u0000null\u0001one\u007fdel\u0085nel\u009fapc",
    "zero\u200bwidth\u200djoin\ufeffbom\u00adsoft",
    "\u00a0no-break\u2003em\u3000ideographic\u2028line\u2029paragraph", "\ufffd replacement \ufffe \uffff",
    "\U0001f9ff\U0010ffff\ue000",
    "𝕬𝖙𝖙𝖊𝖓𝖙𝖎𝖔𝖓 ⓐⓣⓣ ＡＴＴ", "http://example.org/a?b=c&d=%20#e user@host.example", "def f(x):\n    return x ** 2  # x²",
    "a" * 300, "antidisestablishmentarianism " * 20, "...!?!?---___***", "ABC abc AbC", "under_score-hyphen–en—em‑nb",
    "``quotes'' “curly” ‘single’ «guillemets» „low“", "\\n \\t \\u00e9 &amp; <b>bold</b>", "[ MASK ] [mask] < s > <S>",
]  # fmt: skip
SCRIPTS = [
    (0x20, 0x7E), (0xA0, 0x24F), (0x300, 0x36F), (0x370, 0x3FF), (0x400, 0x4FF), (0x590, 0x5FF), (0x600, 0x6FF),
    (0x900, 0x97F), (0xE00, 0xE7F), (0x1F00, 0x1FFF), (0x2000, 0x206F), (0x20A0, 0x214F), (0x2190, 0x22FF),
    (0x3000, 0x30FF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xF900, 0xFAFF), (0xFF00, 0xFFEF), (0x0, 0x1F), (0x7F, 0x9F),
    (0x1D400, 0x1D7FF), (0x1F300, 0x1F6FF), (0x1F900, 0x1F9FF), (0x20000, 0x2A6DF), (0xE000, 0xE0FF),
]  # fmt: skip


def lines(count: int = 400) -> list[str]:
    """Lines written by hand, then random ones of one to four scripts each."""
    numbers = random.Random(5)
    found = list(WRITTEN)
    while len(found) < count:
        scripts = numbers.sample(SCRIPTS, numbers.randint(1, 4))
        letters = [chr(numbers.randint(*numbers.choice(scripts))) for _ in range(numbers.randint(1, 60))]
        found.append("".join(" " if numbers.random() < 0.15 else letter for letter in letters))
    return found


LINES = lines()
