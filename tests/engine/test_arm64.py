r"""The ARM64 library under qemu writes the tokens that the one of this processor writes, in float32, with numpy alone.

Both open the same packed files. A Python for ARM64 is a folder that REGARD_ARM64 names; on Debian 12, as root:

    mkdir -p arm/lists/partial arm/cache/archives/partial && touch arm/status && cd arm
    cat > apt.conf <<END
    APT::Architecture "arm64"; APT::Architectures { "arm64"; };
    Dir::State::Lists "$PWD/lists"; Dir::State::status "$PWD/status"; Dir::Cache "$PWD/cache";
    END
    export APT_CONFIG=$PWD/apt.conf && apt-get update
    apt-get download libc6 libgcc-s1 libstdc++6 libgfortran5 libblas3 liblapack3 libexpat1 libffi8 libssl3 libbz2-1.0 \
        liblzma5 zlib1g libpython3.11-minimal libpython3.11-stdlib python3.11-minimal python3.11 python3-numpy
    for package in *.deb; do dpkg -x "$package" .; done
"""

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from needs_engine import needs_engine
from shapes_of_engine import MODELS, made

import regard
from regard.engine import build
from regard.engine.folder_model import FolderModel
from regard.engine.library import library
from regard.engine.module_parts import module_parts
from regard.engine.packed_file import packed_file
from regard.engine.packer import pack_parts
from regard.tasks.find import builtin

PROGRAM = Path(__file__).with_name("arm64_program.py")
SOURCE = Path(regard.__file__).parents[1]
ROOT = os.environ.get("REGARD_ARM64", "")
ZIG = (sys.executable, "-m", "ziglang", "c++", "-target", "aarch64-linux-gnu.2.17")
pytestmark = [
    needs_engine,
    pytest.mark.proof,
    pytest.mark.skipif(
        not ROOT or not shutil.which("qemu-aarch64") or find_spec("ziglang") is None,
        reason="it takes qemu-aarch64 (qemu-user), ziglang (PyPI), and a Python for ARM64 in REGARD_ARM64",
    ),
]


def under_qemu(*arguments):
    """Python for ARM64, its numpy and our source."""
    root = Path(ROOT).resolve()
    settings = {
        "PYTHONHOME": root / "usr",
        "PYTHONPATH": f"{root / 'usr/lib/python3/dist-packages'}:{SOURCE}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "LD_LIBRARY_PATH": ":".join(str(root / f"usr/lib/aarch64-linux-gnu/{name}") for name in ("blas", "lapack")),
        "OMP_NUM_THREADS": "1",
    }
    told = [part for name, value in settings.items() for part in ("-E", f"{name}={value}")]
    command = ["qemu-aarch64", "-cpu", "max", "-L", str(root), *told, str(root / "usr/bin/python3.11"), *arguments]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A model of each of the engine's kinds, and the translator, packed in float32."""
    folder = tmp_path_factory.mktemp("packed")
    packed = {name: pack_parts(library(), module_parts(made(name, spread=0.6)), "float32") for name in MODELS}
    if "en-de" in builtin():
        packed["en-de"] = FolderModel.open(builtin()["en-de"]).packed()
    for name, model in packed.items():
        (folder / name).write_bytes(packed_file(model, {}).tobytes())
    return sorted(map(str, folder.iterdir()))


@pytest.mark.parametrize("level", build.LEVELS["aarch64"])
def test_arm64_writes_the_same_tokens(files, tmp_path, level):
    target = tmp_path / "engine.so"
    flags = (*build.PLAIN, *build.POSIX, *build.LEVELS["aarch64"][level][0])
    build.compile_library(target, ZIG, flags)
    here = [sys.executable, str(PROGRAM), str(library().path), *files]
    own = json.loads(subprocess.run(here, check=True, stdout=subprocess.PIPE, text=True).stdout)
    theirs = under_qemu(str(PROGRAM), str(target), *files)
    assert not own["torch"]
    assert not theirs["torch"]
    assert theirs["answers"].keys() == own["answers"].keys() == {Path(file).name for file in files}
    for name, answer in own["answers"].items():
        assert theirs["answers"][name]["tokens"] == answer["tokens"], name
