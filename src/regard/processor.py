"""What the processor cannot do although it says so.

Some virtual machines announce Intel's matrix tiles (AMX) and hide the table of their sizes (CPUID 0x1D). oneDNN, which
torch multiplies bfloat16 with, then sets tiles of no size, and the process ends with "Illegal instruction". It asks the
environment which instructions it may use, once, at its first product.
"""

import ctypes
import mmap
import os
import platform
from pathlib import Path

LIMIT, BEFORE_TILES = "ONEDNN_MAX_CPU_ISA", "AVX512_CORE_FP16"
READ_SIZES = bytes.fromhex(
    "53 b81d000000 31c9 0fa2 5b c3"
)  # push rbx; mov eax, 0x1d; xor ecx, ecx; cpuid; pop rbx; ret


def keep_off_broken_tiles() -> None:
    """Where tiles are announced without their sizes, torch leaves them alone; what the user has set stays."""
    if LIMIT not in os.environ and announces_tiles() and tile_palettes() == 0:
        os.environ[LIMIT] = BEFORE_TILES


def announces_tiles(cpuinfo: Path = Path("/proc/cpuinfo")) -> bool:
    """Only Linux says it in a file; other systems hand out tiles whole or not at all."""
    if platform.machine() != "x86_64":
        return False
    try:
        with cpuinfo.open(encoding="utf-8", errors="replace") as lines:
            return next((" amx_tile" in line for line in lines if line.startswith("flags")), False)
    except OSError:
        return False


def tile_palettes() -> int | None:
    """How many kinds of tiles CPUID knows sizes of; None where nobody may ask."""
    try:
        with mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC) as page:
            page.write(READ_SIZES)
            held = ctypes.c_char.from_buffer(page)
            count = ctypes.CFUNCTYPE(ctypes.c_uint32)(ctypes.addressof(held))()
            del held
            return count
    except (OSError, ValueError):
        return None
