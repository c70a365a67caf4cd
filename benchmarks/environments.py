"""Environments of the libraries that this package is compared with, each with its own packages."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

#: Jurity needs older versions of everything, and RecTools a NumPy that newer Arrows refuse. Some
#: libraries do without pandas and pyarrow, but the frames of the benchmark do not.
PACKAGES = {
    "jurity": ("jurity==2.1.0", "pandas<2.2", "numpy<2", "pyarrow<18"),
    "rectools": ("rectools==0.19.0", "pyarrow<18"),
    "replay": ("replay-rec==0.22.0",),
    "ranx": ("ranx==0.3.21", "pyarrow"),
    "pytrec_eval": ("pytrec-eval-terrier==0.5.11", "pandas", "pyarrow"),
    "lenskit": ("lenskit==2025.8.1",),
    "ms_recommenders": ("recommenders==1.2.1",),
}


def python(library: str, environments: Path | None = None) -> Path:
    """The interpreter of a library's environment, in which everything missing is installed.

    Parameters
    ----------
    library
        Its name. What is not in the table shares the environment of this package.
    environments
        A folder with an environment of each library; by default they are temporary folders.
    """
    if library not in PACKAGES:
        return Path(sys.executable)
    if environments is None:
        folder = Path(tempfile.gettempdir(), f"jurity_reco_benchmark_{library}")
    else:
        folder = environments / library
    interpreter = folder / "bin" / "python"
    if not interpreter.exists():
        print(f"Installing {', '.join(PACKAGES[library])} ...", file=sys.stderr)
        venv.create(folder, with_pip=True)
    # Also where it was there already, and maybe half: pip is quick where nothing is missing.
    install = [interpreter, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, *PACKAGES[library]], check=True)
    return interpreter


def run(interpreter: Path, code: str, *arguments: str) -> str:
    """Run code there and return what it prints."""
    done = subprocess.run(
        [interpreter, "-c", code, *arguments], check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout
