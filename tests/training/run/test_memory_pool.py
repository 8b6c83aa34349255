import platform
import subprocess
import sys

import pytest

FREED = """
import ctypes, sys
from regard.training.run.memory_pool import keep_freed_memory

def resident():
    return int(open("/proc/self/statm").read().split()[1])

if sys.argv[1] == "keep":
    keep_freed_memory()
library = ctypes.CDLL(None)
library.malloc.restype, library.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
address = library.malloc(ctypes.c_size_t(1 << 26))
ctypes.memset(address, 1, 1 << 26)
held = resident()
library.free(address)
print((held - resident()) / held)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only the C library of GNU can be told")
def test_freed_memory_stays_with_the_process():
    shares = [
        float(subprocess.run([sys.executable, "-c", FREED, how], capture_output=True, text=True, check=True).stdout)
        for how in ("keep", "give back")
    ]
    assert shares[0] < 0.1 < shares[1]
