"""The state of a metric as something to keep: in a file, in a database, on the way to a sum.

Bytes are: four letters, the version of the format, the length of the header, the header as JSON,
the arrays one after the other in little-endian order, and a checksum of all that. There is no
pickle, so reading them runs no code.
"""

from __future__ import annotations

import dataclasses
import json
import struct
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from jurity_reco.columns import Columns
from jurity_reco.errors import InvalidStateError
from jurity_reco.hashing import HASH_VERSION
from jurity_reco.ledger import Ledger
from jurity_reco.states import STATES, State

__all__ = ["MetricState"]

FORMAT_VERSION = 1
_MAGIC = b"JRST"
_PREFIX = struct.Struct("<4sHI")
_CHECKSUM = struct.Struct("<I")


@dataclass(frozen=True, eq=False)
class MetricState:
    """What is left of the data once a metric has looked at it: sums, but no ids.

    Parameters
    ----------
    metric
        The canonical name of the metric.
    label
        The name that people see.
    key
        Key of the score in extended results.
    columns
        The columns that the metric reads.
    sums
        The sums behind the score.
    ledger
        Where every user went.
    n_windows
        How many states were pooled into this one. With more than one, the same user may be in it
        several times, and users are user-windows.
    """

    metric: str
    label: str
    key: str
    columns: Columns
    sums: State
    ledger: Ledger
    n_windows: int = 1

    @property
    def score(self) -> float | None:
        """The aggregate; None when nobody could be averaged."""
        return self.sums.value

    @property
    def support(self) -> int:
        """Users, or rows, that the score rests on."""
        return self.sums.support

    def shown(self, extended: bool) -> Any:
        """What ``get_score`` returns."""
        if not extended:
            return self.score
        return {
            self.key: self.score,
            "support": self.support,
            **self.sums.details(),
            "ledger": self.ledger.to_dict(),
        }

    def __repr__(self) -> str:
        score = "None" if self.score is None else f"{self.score:.6g}"
        windows = "" if self.n_windows == 1 else f" of {self.n_windows} windows"
        return f"<state of {self.label}{windows}: {score}, support {self.support}>"

    def with_users(self, other: MetricState) -> MetricState:
        """The state of these users and of others, who are not the same."""
        return self._added(other, self.n_windows)

    def pooled_with(self, other: MetricState) -> MetricState:
        """The state of both windows, in which a user may be twice."""
        return self._added(other, self.n_windows + other.n_windows)

    def _added(self, other: MetricState, n_windows: int) -> MetricState:
        if (self.metric, self.columns) != (other.metric, other.columns):
            raise InvalidStateError.of_another_metric(
                *(f"{state.metric} of {state.columns}" for state in (self, other))
            )
        return dataclasses.replace(
            self,
            sums=self.sums + other.sums,
            ledger=self.ledger + other.ledger,
            n_windows=n_windows,
        )

    def to_bytes(self) -> bytes:
        """The state as bytes that any later version can read."""
        arrays = {name: _little_endian(array) for name, array in self.sums.to_arrays().items()}
        header = {
            "metric": self.metric,
            "label": self.label,
            "key": self.key,
            "columns": dataclasses.asdict(self.columns),
            "ledger": self.ledger.to_dict(),
            "n_windows": self.n_windows,
            "hash_version": HASH_VERSION,
            "kind": self.sums.kind,
            "arrays": [[name, array.dtype.str, len(array)] for name, array in arrays.items()],
        }
        text = json.dumps(header, separators=(",", ":")).encode()
        body = b"".join(
            [_PREFIX.pack(_MAGIC, FORMAT_VERSION, len(text)), text]
            + [array.tobytes() for array in arrays.values()]
        )
        return body + _CHECKSUM.pack(zlib.crc32(body))

    @classmethod
    def from_bytes(cls, data: bytes) -> MetricState:
        """The state that was stored as these bytes."""
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise InvalidStateError.not_bytes(data)
        data = bytes(data)
        if len(data) < _PREFIX.size or not data.startswith(_MAGIC):
            raise InvalidStateError.not_a_state(len(data))
        _, version, header_length = _PREFIX.unpack_from(data)
        if version != FORMAT_VERSION:
            raise InvalidStateError.of_another_version(version, FORMAT_VERSION)
        body, checksum = data[: -_CHECKSUM.size], data[-_CHECKSUM.size :]
        if checksum != _CHECKSUM.pack(zlib.crc32(body)):
            raise InvalidStateError.damaged(len(data))
        try:
            return cls._from_body(body, _PREFIX.size + header_length)
        except InvalidStateError:
            raise
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise InvalidStateError.unreadable(error) from None

    @classmethod
    def _from_body(cls, body: bytes, start: int) -> MetricState:
        header = json.loads(body[_PREFIX.size : start])
        if header["hash_version"] != HASH_VERSION:
            raise InvalidStateError.of_another_hash(header["hash_version"], HASH_VERSION)
        arrays = {}
        for name, dtype, length in header["arrays"]:
            if np.dtype(dtype).kind not in "biuf":
                raise ValueError(f"{name} is of type {dtype}")
            array = np.frombuffer(body, dtype=dtype, count=length, offset=start)
            arrays[name] = array.astype(array.dtype.newbyteorder("="))
            start += array.nbytes
        counts = [*header["ledger"].values(), header["n_windows"]]
        if start != len(body) or not all(type(count) is int and count >= 0 for count in counts):
            raise ValueError("its parts do not fit together")
        return cls(
            metric=header["metric"],
            label=header["label"],
            key=header["key"],
            columns=Columns(**header["columns"]),
            sums=STATES[header["kind"]].from_arrays(arrays),
            ledger=Ledger(**header["ledger"]),
            n_windows=header["n_windows"],
        )


def _little_endian(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"), copy=False))
