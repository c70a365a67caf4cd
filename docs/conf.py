"""Settings of the documentation."""

import jurity_reco

project = "jurity_reco"
author = copyright = "The jurity_reco developers"
version = release = jurity_reco.__version__

extensions = [
    "matplotlib.sphinxext.plot_directive",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx-mathjax-offline",
]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"jurity_reco {release}"

# Pages show the first format; LaTeX, which has no SVG, takes the other.
plot_formats = ["svg", ("png", 150)]
plot_html_show_formats = False
plot_html_show_source_link = False

autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_class_signature = "mixed"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_preprocess_types = False
nitpick_ignore_regex = [("py:class", r"numpy\..*")]
# Inherited from Python, or from libraries that this build does not link to.
nitpick_ignore = [
    ("py:class", "collections.abc.Callable"),
    ("py:class", "collections.abc.Mapping"),
    ("py:class", "jurity_reco.metrics.features.ItemFeatures"),
    ("py:class", "pandas.DataFrame"),
    ("py:class", "typing.Protocol"),
]
