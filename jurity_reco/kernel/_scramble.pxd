# cython: language_level=3
"""The hash of an integer, for tables whose size is a power of 2."""

from libc.stdint cimport uint64_t


cdef inline uint64_t scrambled(uint64_t value) noexcept nogil:
    value *= <uint64_t> 0x9E3779B97F4A7C15
    value ^= value >> 32
    value *= <uint64_t> 0xD6E8FEB86659FD93
    return value ^ (value >> 32)
