import platform
import subprocess
import sys

import pytest

SMALL_BLOCKS = """
import ctypes
from regard.viewer.freed_memory import release_memory

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
