import platform
import subprocess
import sys

import pytest

SMALL_BLOCKS = """
import ctypes
from regard.freed_memory import release_memory

def resident():
    return int(open("/proc/self/statm").read().split()[1])

library = ctypes.CDLL(None)
library.malloc.restype, library.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
blocks = [library.malloc(ctypes.c_size_t(1 << 16)) for _ in range(1000)]
for block in blocks:
    ctypes.memset(block, 1, 1 << 16)
for block in blocks[:-1]:  # the last one stands above the others, which the heap so cannot give back by itself
    library.free(block)
held = resident()
release_memory()
print((held - resident()) / held)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only the C library of GNU keeps what was freed")
def test_what_was_freed_goes_back_to_the_system():
    ran = subprocess.run([sys.executable, "-c", SMALL_BLOCKS], capture_output=True, text=True, check=True)
    assert float(ran.stdout) > 0.3


LARGE_BLOCKS = """
import ctypes
from regard.freed_memory import LARGE, map_large_blocks

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096

library = ctypes.CDLL(None)
library.malloc.restype, library.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
map_large_blocks()
library.free(library.malloc(ctypes.c_size_t(LARGE + 4096)))  # such blocks would come from the heap from now on
before = resident()
blocks = [library.malloc(ctypes.c_size_t(size)) for size in (LARGE, 1 << 16)]
ctypes.memset(blocks[0], 1, LARGE)
library.free(blocks[0])
print((resident() - before) / LARGE)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only the C library of GNU keeps what was freed")
def test_a_large_block_goes_back_when_it_is_freed():
    ran = subprocess.run([sys.executable, "-c", LARGE_BLOCKS], capture_output=True, text=True, check=True)
    assert float(ran.stdout) < 0.1
