"""The extensions of the compiled kernel; everything else about the package is in setup.cfg.

``JURITY_RECO_BUILD`` says what happens to it: ``optional`` (the default: without a compiler the
package installs all the same, and uses its NumPy twin), ``required`` (no package without it) or
``none``. ``JURITY_RECO_CFLAGS`` are more options for the compiler, and the linker.
"""

import os
import sys
import tempfile

from setuptools import Extension, setup

CHOICES = ("optional", "required", "none")
choice = os.environ.get("JURITY_RECO_BUILD", "optional")
if choice not in CHOICES:
    sys.exit(f"JURITY_RECO_BUILD must be one of {', '.join(CHOICES)}, got {choice!r}.")
more = os.environ.get("JURITY_RECO_CFLAGS", "").split()
extensions = [
    Extension(
        f"jurity_reco.kernel.{name}",
        [f"jurity_reco/kernel/{name}.pyx"],
        depends=["jurity_reco/kernel/_scramble.pxd"],
        # -O3, because Python may have been built with less.
        extra_compile_args=[*([] if sys.platform == "win32" else ["-O3"]), *more],
        extra_link_args=more,
        optional=choice == "optional",
    )
    for name in ("_join", "_numbers")
]
# A fresh folder, because one that is left over brings an old extension into a new package.
with tempfile.TemporaryDirectory() as folder:
    setup(
        ext_modules=[] if choice == "none" else extensions,
        options={"build": {"build_base": folder}},
    )
