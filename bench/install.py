"""What an install takes on the disk: our own wheel, what it brings along, and the byte code that pip makes of both.

    python wheels.py linux-x86_64
    python bench/install.py dist/regard_light-*.whl

makes a virtual environment that is gone afterwards, installs the wheels into it with the versions of constraints.txt
and counts; without a wheel it counts what is installed beside this Python.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
COUNT = """
import json
from importlib.metadata import distributions
sizes = {}
for one in distributions():
    own = sizes.setdefault(one.metadata["Name"], [0, 0])
    for path in map(one.locate_file, one.files or ()):
        if path.is_file():
            own[path.suffix == ".pyc"] += path.stat().st_size
print(json.dumps(sizes))
"""
NOT_OURS = ("pip", "setuptools", "wheel")


def installed_sizes(python: str) -> dict[str, list[int]]:
    """Bytes of files, and of byte code, of every distribution."""
    told = subprocess.run([python, "-I", "-c", COUNT], capture_output=True, text=True, check=True).stdout
    return {name: sizes for name, sizes in json.loads(told).items() if name not in NOT_OURS}


def report(sizes: dict[str, list[int]]) -> None:
    for name, (files, code) in sorted(sizes.items(), key=lambda item: -item[1][0])[:8]:
        print(f"{name:18} {files / 1e6:7.1f} MB {code / 1e6:7.1f} MB of byte code")
    others = [both for name, both in sizes.items() if name not in ("regard-light", "regard")]
    files, code = (sum(column) / 1e6 for column in zip(*others, strict=True))
    print(f"besides our own: {len(others)} distributions, {files:.1f} MB of files, {code:.1f} MB of byte code")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheels", nargs="*", type=Path)
    wheels = parser.parse_args().wheels
    if not wheels:
        return report(installed_sizes(sys.executable))
    for wheel in wheels:
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")
    with TemporaryDirectory(prefix="regard-install-") as folder:
        python = f"{folder}/{'Scripts' if sys.platform == 'win32' else 'bin'}/python"
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        command = [python, "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"]
        subprocess.run([*command, "-c", str(ROOT / "constraints.txt"), *map(str, wheels)], check=True)
        report(installed_sizes(python))


if __name__ == "__main__":
    main()
