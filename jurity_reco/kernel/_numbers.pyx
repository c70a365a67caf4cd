# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Ids as numbers in the order of their first appearance, compiled; see `compiled.py`.

Most of the time goes into waiting for memory: a table of a million ids is larger than the cache. So
ids are looked up by the dozen, and what each of them needs is asked for before it is looked at.
"""

from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_AsUTF8AndSize
from libc.stdint cimport UINT32_MAX, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcmp, memcpy

from jurity_reco.kernel._scramble cimport scrambled

cdef extern from *:
    """
    #if defined(__GNUC__)
    #define PREFETCH(address) __builtin_prefetch(address)
    #else
    #define PREFETCH(address) ((void)0)
    #endif

    #include <stdlib.h>
    #include <string.h>
    #if defined(__linux__)
    #include <sys/mman.h>
    #endif

    /* Memory of zeros for a table. Tables are looked up at random: where pages are small, finding
       the page takes longer than reading it. Free it with free(). */
    static void *new_table(size_t size)
    {
    #if defined(__linux__) && defined(MADV_HUGEPAGE)
        const size_t page = (size_t)1 << 21;
        if (size >= 2 * page) {
            void *table = NULL;
            if (posix_memalign(&table, page, size) != 0)
                return NULL;
            madvise(table, size, MADV_HUGEPAGE);
            return memset(table, 0, size);
        }
    #endif
        return calloc(size, 1);
    }
    """
    void PREFETCH(const void *address) noexcept nogil
    void *new_table(size_t size) noexcept nogil


cdef enum:
    AHEAD = 32           # so many ids are looked at ahead, while memory brings what they need
    FIRST_SLOTS = 4096


TOO_LONG = "an id has 4 billion bytes or more, or offsets of an Arrow array are not within its data"


cdef struct IntegerSlot:
    int64_t value
    int64_t number       # one more than the number of the value; 0 in an empty slot


cdef class IntegerNumbers:
    """Numbers for 64-bit integers.

    A table of its own, although integers could be texts of 8 bytes to the other one: its slots are
    half as large, which made it twice as fast for half a million different ids.
    """

    cdef IntegerSlot *slots
    cdef uint64_t mask
    cdef int64_t n_numbers

    def __cinit__(self):
        self.slots = <IntegerSlot *> new_table(FIRST_SLOTS * sizeof(IntegerSlot))
        self.mask = FIRST_SLOTS - 1
        self.n_numbers = 0
        if self.slots == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.slots)

    def __len__(self):
        return self.n_numbers

    cdef bint make_room(self) noexcept nogil:
        """Keep more than half of the slots empty, AHEAD more values included."""
        cdef uint64_t old_mask = self.mask, new_mask = self.mask, i, place
        cdef IntegerSlot *old = self.slots
        cdef IntegerSlot *slots
        if 2 * <uint64_t> (self.n_numbers + AHEAD) <= old_mask:
            return True
        new_mask = 4 * (old_mask + 1) - 1
        slots = <IntegerSlot *> new_table((new_mask + 1) * sizeof(IntegerSlot))
        if slots == NULL:
            return False
        for i in range(old_mask + 1):
            if old[i].number:
                place = scrambled(<uint64_t> old[i].value) & new_mask
                while slots[place].number:
                    place = (place + 1) & new_mask
                slots[place] = old[i]
        free(old)
        self.slots = slots
        self.mask = new_mask
        return True

    def add(self, const int64_t[::1] values, int32_t[::1] numbers):
        """Write the numbers of values, which are new ones for new values."""
        cdef Py_ssize_t begin = 0, end, i
        cdef uint64_t places[AHEAD]
        cdef uint64_t place
        cdef bint complete = True
        assert numbers.shape[0] == values.shape[0]
        with nogil:
            while begin < values.shape[0]:
                end = min(begin + AHEAD, values.shape[0])
                complete = self.make_room()
                if not complete:
                    break
                for i in range(begin, end):
                    place = scrambled(<uint64_t> values[i]) & self.mask
                    places[i - begin] = place
                    PREFETCH(&self.slots[place])
                for i in range(begin, end):
                    place = places[i - begin]
                    while self.slots[place].number and self.slots[place].value != values[i]:
                        place = (place + 1) & self.mask
                    if not self.slots[place].number:
                        self.n_numbers += 1
                        self.slots[place].value = values[i]
                        self.slots[place].number = self.n_numbers
                    numbers[i] = <int32_t> (self.slots[place].number - 1)
                begin = end
        if not complete:
            raise MemoryError


cdef struct Text:
    const uint8_t *data
    uint64_t first       # the first 8 bytes and the last 8, which for up to 16 bytes are all of them
    uint64_t last
    uint32_t length      # which callers make sure that 32 bits can hold


cdef struct TextSlot:
    const uint8_t *data  # where the text came first, which the caller keeps alive
    uint64_t first
    uint64_t last
    uint32_t length
    uint32_t number      # one more than the number of the text; 0 in an empty slot


ctypedef fused Offset:
    int32_t
    int64_t


cdef inline uint64_t word(const uint8_t *data) noexcept nogil:
    cdef uint64_t value
    memcpy(&value, data, sizeof(uint64_t))
    return value


cdef inline uint64_t half_word(const uint8_t *data) noexcept nogil:
    cdef uint32_t value
    memcpy(&value, data, sizeof(uint32_t))
    return value


cdef inline void set_text(Text *text, const uint8_t *data, uint32_t length) noexcept nogil:
    """Read the first bytes of a text and its last ones, and none beyond them."""
    text.data = data
    text.length = length
    if length >= 8:
        text.first = word(data)
        text.last = word(data + length - 8)
        return
    text.last = 0
    if length >= 4:
        text.first = half_word(data) | (half_word(data + length - 4) << 32)
    elif length:
        text.first = (
            data[0] | (<uint64_t> data[length >> 1] << 8) | (<uint64_t> data[length - 1] << 16)
        )
    else:
        text.first = 0


cdef inline uint64_t hash_of(const Text *text) noexcept nogil:
    cdef uint64_t hashed = scrambled(text.first ^ text.length)
    cdef uint32_t i
    if text.length > 16:
        for i in range(8, text.length - 8, 8):
            hashed = scrambled(hashed ^ word(text.data + i))
    return scrambled(hashed ^ text.last)


cdef inline bint is_other(const TextSlot *slot, const Text *text) noexcept nogil:
    """Whether a slot has another text."""
    if slot.first != text.first or slot.last != text.last or slot.length != text.length:
        return True
    return text.length > 16 and memcmp(slot.data, text.data, text.length) != 0


cdef class TextNumbers:
    """Numbers for texts, which are equal where all their bytes are.

    The bytes are not copied. Who adds Arrow data keeps it as it is until the last text has been
    added; Python strings are kept here.
    """

    cdef TextSlot *slots
    cdef uint64_t mask
    cdef int64_t n_numbers
    cdef list kept

    def __cinit__(self):
        self.slots = <TextSlot *> new_table(FIRST_SLOTS * sizeof(TextSlot))
        self.mask = FIRST_SLOTS - 1
        self.n_numbers = 0
        self.kept = []
        if self.slots == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.slots)

    def __len__(self):
        return self.n_numbers

    cdef bint make_room(self) noexcept nogil:
        """Keep more than half of the slots empty, AHEAD more texts included."""
        cdef uint64_t old_mask = self.mask, new_mask, i, place
        cdef TextSlot *old = self.slots
        cdef TextSlot *slots
        cdef Text text
        if 2 * <uint64_t> (self.n_numbers + AHEAD) <= old_mask:
            return True
        new_mask = 4 * (old_mask + 1) - 1
        slots = <TextSlot *> new_table((new_mask + 1) * sizeof(TextSlot))
        if slots == NULL:
            return False
        for i in range(old_mask + 1):
            if old[i].number:
                text.data, text.length = old[i].data, old[i].length
                text.first, text.last = old[i].first, old[i].last
                place = hash_of(&text) & new_mask
                while slots[place].number:
                    place = (place + 1) & new_mask
                slots[place] = old[i]
        free(old)
        self.slots = slots
        self.mask = new_mask
        return True

    cdef bint add_ahead(self, const Text *texts, Py_ssize_t n, int32_t *numbers) noexcept nogil:
        """Add at most AHEAD texts; False if there is no memory."""
        cdef uint64_t places[AHEAD]
        cdef uint64_t place
        cdef Py_ssize_t i
        cdef TextSlot *slot
        if not self.make_room():
            return False
        for i in range(n):
            places[i] = hash_of(&texts[i]) & self.mask
            PREFETCH(&self.slots[places[i]])
        for i in range(n):
            if texts[i].length > 16:
                PREFETCH(self.slots[places[i]].data)
        for i in range(n):
            place = places[i]
            slot = &self.slots[place]
            while slot.number and is_other(slot, &texts[i]):
                place = (place + 1) & self.mask
                slot = &self.slots[place]
            if not slot.number:
                self.n_numbers += 1
                slot.data, slot.length = texts[i].data, texts[i].length
                slot.first, slot.last = texts[i].first, texts[i].last
                slot.number = <uint32_t> self.n_numbers
            numbers[i] = <int32_t> (slot.number - 1)
        return True

    def add_arrow(self, const Offset[::1] offsets, const uint8_t[::1] data, int32_t[::1] numbers):
        """Write the numbers of texts, of which each begins at an offset and ends at the next.

        Offsets are those of an Arrow array, which ascend and stay within the data. They are
        compared with the data all the same, because an array can come from anywhere.
        """
        cdef Py_ssize_t n_texts = numbers.shape[0], begin = 0, n, i
        cdef int64_t size = data.shape[0], start, end
        cdef const uint8_t *first = &data[0]
        cdef Text texts[AHEAD]
        cdef bint complete = True, within = True
        assert offsets.shape[0] == n_texts + 1
        with nogil:
            while begin < n_texts:
                n = min(n_texts - begin, <Py_ssize_t> AHEAD)
                for i in range(begin, begin + n):
                    start, end = offsets[i], offsets[i + 1]
                    if not (0 <= start <= end <= size and end - start <= UINT32_MAX):
                        within = False
                        break
                    set_text(&texts[i - begin], first + start, <uint32_t> (end - start))
                if not within:
                    break
                complete = self.add_ahead(texts, n, &numbers[begin])
                if not complete:
                    break
                begin += n
        if not within:
            raise ValueError(TOO_LONG)
        if not complete:
            raise MemoryError

    def add_objects(self, size_t address, int32_t[::1] numbers):
        """Write the numbers of as many Python strings, from the address of the first reference on.

        Other threads wait meanwhile, because they could replace entries of the array. They can do
        so before the next call, which is why strings that the table refers to are kept. Raises a
        TypeError at what is no string.
        """
        cdef PyObject **objects = <PyObject **> address
        cdef Py_ssize_t begin = 0, n, i, length = 0
        cdef int64_t known
        cdef const uint8_t *data
        cdef Text texts[AHEAD]
        while begin < numbers.shape[0]:
            n = min(numbers.shape[0] - begin, <Py_ssize_t> AHEAD)
            for i in range(n):
                data = <const uint8_t *> PyUnicode_AsUTF8AndSize(
                    <object> objects[begin + i], &length
                )
                if length > <Py_ssize_t> UINT32_MAX:
                    raise ValueError(TOO_LONG)
                set_text(&texts[i], data, <uint32_t> length)
            known = self.n_numbers
            if not self.add_ahead(texts, n, &numbers[begin]):
                raise MemoryError
            for i in range(n):
                if numbers[begin + i] == known:
                    self.kept.append(<object> objects[begin + i])
                    known += 1
            begin += n
