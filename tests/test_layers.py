"""The layers of the package: a module imports only from those above it."""

import ast
import subprocess
import sys
from pathlib import Path

import jurity_reco

PACKAGE = Path(jurity_reco.__file__).parent
# From top to bottom. Within a folder, modules may import each other.
LAYERS = [
    "errors",
    "columns",
    "arrays",
    "threads",
    "order",
    "kernel",
    "hashing",
    "states",
    "hits",
    "tables",
    "ledger",
    "stored",
    "frames",
    "match",
    "results",
    "report",
    "accumulation",
    "dialects",
    "metrics",
    "evaluation",
    "comparison",
    "listed",
    "functional",
    "evaluator",
    "predictions",
    "split",
    "versions",
    "__init__",
]


def layer(module: str) -> str:
    return module.split(".")[1] if "." in module else "__init__"


def modules() -> dict[str, Path]:
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = [PACKAGE.name, *path.relative_to(PACKAGE).with_suffix("").parts]
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports_of(path: Path) -> set[str]:
    imported = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            imported.add(node.module)
    return imported


def test_every_module_has_a_layer():
    assert {layer(module) for module in modules()} == set(LAYERS)


def test_modules_import_from_layers_above_only():
    for module, path in modules().items():
        for imported in imports_of(path):
            if imported.split(".")[0] == PACKAGE.name and layer(imported) != layer(module):
                assert LAYERS.index(layer(imported)) < LAYERS.index(layer(module)), (
                    f"{module} imports {imported}, which is below it"
                )


def test_importing_the_package_imports_numpy_and_pandas_only():
    code = (
        "import sys, numpy, pandas; before = set(sys.modules); import jurity_reco; "
        "print(*{name.partition('.')[0] for name in set(sys.modules) - before})"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    imported = set(done.stdout.split()) - {"jurity_reco", "numpy", "pandas"}
    assert imported <= set(sys.stdlib_module_names)
