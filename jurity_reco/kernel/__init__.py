"""Joining and encoding, compiled and in NumPy: two kernels with the same results.

The compiled one is used where the extension was built; ``JURITY_RECO_KERNEL`` chooses otherwise.
A kernel is a module with four functions, which its NumPy twin documents.
"""

from __future__ import annotations

import os
from types import ModuleType

from jurity_reco.errors import InvalidOptionError, MissingPackageError
from jurity_reco.kernel import twin
from jurity_reco.kernel.joined import Coded, Joined, JoinedHits, JoinedRows, Numbered, Order

__all__ = [
    "Coded",
    "Joined",
    "JoinedHits",
    "JoinedRows",
    "Numbered",
    "Order",
    "kernel_for",
    "kernel_in_use",
]

#: The environment variable that chooses the kernel.
VARIABLE = "JURITY_RECO_KERNEL"


def _chosen() -> tuple[ModuleType, str]:
    """The kernel, and in words which one and why."""
    wanted = os.environ.get(VARIABLE, "").strip() or "any"
    if wanted not in ("any", "compiled", "numpy"):
        raise InvalidOptionError.not_a_choice(VARIABLE, ("compiled", "numpy"), wanted)
    if wanted == "numpy":
        return twin, f"numpy ({VARIABLE} asks for it)"
    try:
        from jurity_reco.kernel import compiled
    except ImportError as error:
        if wanted == "compiled":
            raise MissingPackageError.no_compiled_kernel(VARIABLE, str(error)) from None
        return twin, f"numpy (the compiled one cannot be loaded: {error})"
    return compiled, "compiled"


_kernel, _description = _chosen()


def kernel_in_use() -> str:
    """Which kernel is in use: ``"compiled"``, or ``"numpy"`` and why."""
    return _description


def kernel_for(n_rows: int) -> ModuleType:
    """The kernel for so many rows of both frames: the compiled one numbers them by 32 bits."""
    return _kernel if n_rows <= getattr(_kernel, "MOST_ROWS", n_rows) else twin
