from typing import Any

import numpy as np
import numpy.typing as npt

_Numbers = npt.NDArray[np.int32]

class IntegerNumbers:
    def __len__(self) -> int: ...
    def add(self, values: npt.NDArray[np.int64], numbers: _Numbers) -> None: ...

class TextNumbers:
    def __len__(self) -> int: ...
    def add_arrow(
        self, offsets: npt.NDArray[Any], data: npt.NDArray[np.uint8], numbers: _Numbers
    ) -> None: ...
    def add_objects(self, address: int, numbers: _Numbers) -> None: ...
