"""Where the kernel was not compiled, its module is not looked through for examples."""

import importlib.util

IS_COMPILED = importlib.util.find_spec("jurity_reco.kernel._join") is not None

collect_ignore = [] if IS_COMPILED else ["jurity_reco/kernel/compiled.py"]
