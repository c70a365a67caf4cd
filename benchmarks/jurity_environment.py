"""An environment with the last Jurity, which needs older versions of everything."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

PACKAGES = ("jurity==2.1.0", "pandas<2.2", "numpy<2", "pyarrow<18")


def python(environment: Path | None = None) -> Path:
    """The interpreter of the environment, which is made unless it is there."""
    folder = environment or Path(tempfile.gettempdir(), "jurity_reco_benchmark_jurity")
    interpreter = folder / "bin" / "python"
    if not interpreter.exists():
        print(f"Installing {', '.join(PACKAGES)} ...", file=sys.stderr)
        venv.create(folder, with_pip=True)
        subprocess.run([interpreter, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    return interpreter


def run(interpreter: Path, code: str, *arguments: str) -> str:
    """Run code there and return what it prints."""
    done = subprocess.run(
        [interpreter, "-c", code, *arguments], check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout
