"""What is installed and in use, for reports of problems."""

from __future__ import annotations

import importlib.metadata
import platform

from jurity_reco.kernel import kernel_in_use
from jurity_reco.threads import get_n_threads

__all__ = ["show_versions"]

_PACKAGES = ("jurity-reco", "numpy", "pandas", "pyarrow")


def show_versions() -> None:
    """Print the versions of this package and of what it uses, and which kernel is in use.

    Examples
    --------
    >>> import jurity_reco
    >>> jurity_reco.show_versions()      # doctest: +SKIP
    jurity-reco  0.1.0
    numpy        2.4.6
    pandas       3.1.1
    pyarrow      26.0.1
    python       3.11.7
    platform     Linux x86_64
    kernel       compiled
    threads      2
    """
    lines = {package: _version(package) for package in _PACKAGES}
    lines["python"] = platform.python_version()
    lines["platform"] = f"{platform.system()} {platform.machine()}"
    lines["kernel"] = kernel_in_use()
    lines["threads"] = str(get_n_threads())
    for name, value in lines.items():
        print(f"{name:12} {value}")


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"
