# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, freethreading_compatible=True
"""The join of two frames, compiled; `compiled.py` decides who does what.

Everything here runs without the global interpreter lock, on arrays that the caller has checked:
all are contiguous, columns of one frame have the same length, user codes are from 0 to below the
number of users, and there are fewer than 2**30 rows. The columns can be the memory of a frame,
which another thread may change meanwhile, against all advice. So what is read from them is compared
with the bounds once more where it decides what is written, and never read twice. Nothing is written
but into arrays that the caller made for it and into memory of this file's own.

Why Cython: people who know Python can read it; buffers, arguments and exceptions are its business;
and setuptools builds it without further ado. Why pointers: a list is handled by several small
functions, and a memoryview is 200 bytes to pass.
"""

from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

cdef struct Row:
    int64_t key     # of a recommendation: ascends where the score descends; of a log: relevant or not
    int64_t item
    uint32_t user
    uint32_t row

ROW_BYTES = sizeof(Row)

ctypedef fused UserCode:
    int32_t
    int64_t

ctypedef fused ItemCode:
    int32_t
    int64_t

ctypedef fused Number:
    double      # scores
    int64_t     # keys that ascend where the scores descend
    uint8_t     # flags


cdef inline int64_t key_of(Number number) noexcept nogil:
    cdef double negated
    cdef int64_t bits
    if Number is double:
        # The same as `order.descending_key`: -0.0 becomes 0.0, and bits of negative floats, which
        # ascend the wrong way round, are inverted but for the sign.
        negated = 0.0 - number
        memcpy(&bits, &negated, sizeof(double))
        return bits ^ ((bits >> 63) & INT64_MAX)
    else:
        return <int64_t> number


# ---------------------------------------------------------------------------------------------
# Rows of users into parts, each small enough for the cache
# ---------------------------------------------------------------------------------------------

def ascends(const UserCode[::1] user):
    """Whether no code is lower than the one before it."""
    cdef Py_ssize_t i
    cdef bint does = True
    with nogil:
        for i in range(1, user.shape[0]):
            if user[i] < user[i - 1]:
                does = False
                break
    return does


def count_parts(const UserCode[::1] user, int64_t n_users, int shift, int64_t[::1] counts):
    """Count the rows of each part, which is a user's code without its low bits.

    There is a count for the part of every user below ``n_users``. Returns whether all are.
    """
    cdef Py_ssize_t i
    cdef int64_t code
    with nogil:
        for i in range(user.shape[0]):
            code = user[i]
            if not 0 <= code < n_users:
                break
            counts[code >> shift] += 1
        else:
            i = user.shape[0]
    return i == user.shape[0]


def scatter(
    const UserCode[::1] user,
    const ItemCode[::1] item,
    const Number[::1] number,
    Py_ssize_t first_row,
    int64_t n_users,
    int shift,
    int64_t[::1] place,
    const int64_t[::1] end,
    uint8_t[::1] rows,
):
    """Write rows to their parts in the order in which they come.

    ``place`` says where the next row of each part goes, and moves on until the ``end`` of what was
    set aside for the part and this thread. Returns whether all rows found their place, which they
    do unless users have changed since they were counted.
    """
    cdef Row *out = <Row *> &rows[0]
    cdef Row *target
    cdef Py_ssize_t i
    cdef int64_t code, part
    with nogil:
        for i in range(user.shape[0]):
            code = user[i]
            if not 0 <= code < n_users:
                break
            part = code >> shift
            if place[part] == end[part]:
                break
            target = &out[place[part]]
            place[part] += 1
            target.key = key_of(number[i])
            target.item = item[i]
            target.user = <uint32_t> code
            target.row = <uint32_t> (first_row + i)
        else:
            i = user.shape[0]
    return i == user.shape[0]


# ---------------------------------------------------------------------------------------------
# The lists of some users, joined with their log
# ---------------------------------------------------------------------------------------------

cdef struct Slot:
    int64_t item
    uint32_t stamp   # which user wrote the slot; others find it empty
    int32_t place    # in the list, or one of the two below

cdef enum:
    LOGGED = -1      # not in the list, and none of its rows so far is relevant
    RELEVANT = -2    # not in the list, and relevant

cdef enum:
    IS_LOGGED = 1
    IS_HIT = 2

cdef enum:
    TIES_BY_INPUT = 0
    TIES_BY_ITEM = 1
    TIES_BY_ITEM_DESCENDING = 2

cdef struct Ranked:
    int64_t key
    int64_t second    # decides between equal keys
    uint32_t place    # in the list as it came
    uint32_t count    # of the places between this one and the one before it


cdef struct Group:
    # The rows of some users, one user after the other, each in the order of input.
    Row *rows
    int64_t *start    # where the rows of each user begin; one more entry than users
    Row *own          # memory for rows that have to be brought together


cdef struct Scratch:
    Slot *slots
    uint32_t stamp
    uint8_t *state        # of each place of a list: IS_LOGGED, IS_HIT
    int32_t *first_log    # of each place: the first row of the log about it, or -1
    int32_t *next_log     # of each row of the log: the next one about the same place, or -1
    Ranked *ranked
    Ranked *spare


cdef inline Slot *find(Scratch *scratch, int shift, uint64_t mask, int64_t item) noexcept nogil:
    """The slot of an item, or the empty one where it belongs.

    At least half of the slots up to ``mask`` are empty, so the search ends.
    """
    cdef uint64_t number = <uint64_t> item
    number = ((number ^ (number >> 32)) * <uint64_t> 0x9E3779B97F4A7C15) >> shift
    while (
        scratch.slots[number].stamp == scratch.stamp and scratch.slots[number].item != item
    ):
        number = (number + 1) & mask
    return &scratch.slots[number]


cdef inline int64_t second_of(const Row *row, int64_t place, int ties) noexcept nogil:
    """What decides between rows with equal keys: the lower one goes before."""
    if ties == TIES_BY_INPUT:
        return place
    return row.item if ties == TIES_BY_ITEM else ~row.item


cdef inline bint is_before(
    int64_t key, int64_t second, const Ranked *other
) noexcept nogil:
    # Without a branch, because nobody can predict which way it goes.
    return (key < other.key) | ((key == other.key) & (second < other.second))


cdef void merge(
    const Ranked *left, Py_ssize_t n_left, const Ranked *right, Py_ssize_t n_right, Ranked *out
) noexcept nogil:
    cdef Py_ssize_t i = 0, j = 0
    while i < n_left and j < n_right:
        if is_before(right[j].key, right[j].second, &left[i]):
            out[i + j] = right[j]
            j += 1
        else:
            out[i + j] = left[i]
            i += 1
    memcpy(&out[i + j], &left[i], (n_left - i) * sizeof(Ranked))
    memcpy(&out[n_left + j], &right[j], (n_right - j) * sizeof(Ranked))


cdef enum:
    SHORT_RUN = 16

cdef void sort_ranked(Scratch *scratch, Py_ssize_t length) noexcept nogil:
    """Sort the first entries of ``ranked``, the best first; those that are in order stay so."""
    cdef Ranked *ranked = scratch.ranked
    cdef Ranked *spare = scratch.spare
    cdef Ranked moving
    cdef Py_ssize_t i, j, begin, end, middle, width
    cdef bint in_order = True
    for i in range(1, length):
        in_order &= not is_before(ranked[i].key, ranked[i].second, &ranked[i - 1])
    if in_order:
        return
    begin = 0
    while begin < length:
        end = min(begin + SHORT_RUN, length)
        for i in range(begin + 1, end):
            moving = ranked[i]
            j = i
            while j > begin and is_before(moving.key, moving.second, &ranked[j - 1]):
                ranked[j] = ranked[j - 1]
                j -= 1
            ranked[j] = moving
        begin = end
    width = SHORT_RUN
    while width < length:
        begin = 0
        while begin < length:
            middle = min(begin + width, length)
            end = min(middle + width, length)
            merge(
                &ranked[begin], middle - begin, &ranked[middle], end - middle, &spare[begin]
            )
            begin = end
        ranked, spare = spare, ranked
        width *= 2
    scratch.ranked, scratch.spare = ranked, spare


cdef void sort_list(
    Scratch *scratch, const Row *rows, Py_ssize_t length, int ties
) noexcept nogil:
    """Fill ``ranked`` with the places of a list, the best first."""
    cdef Py_ssize_t i
    for i in range(length):
        scratch.ranked[i].key = rows[i].key
        scratch.ranked[i].second = second_of(&rows[i], i, ties)
        scratch.ranked[i].place = <uint32_t> i
    sort_ranked(scratch, length)


cdef inline bint is_lower(int64_t one, int64_t other, bint or_equal) noexcept nogil:
    return one <= other if or_equal else one < other


cdef inline Py_ssize_t n_lower(
    const int64_t *values, Py_ssize_t n_values, int64_t value, bint or_equal
) noexcept nogil:
    """How many of at least one ascending values are lower than a value, or equal to it.

    By halves: what is looked for is among ``rest`` values from ``begin`` on, or behind them. So
    begin + half - 1 stays below n_values. Without a branch, because nobody can predict it.
    """
    cdef Py_ssize_t begin = 0, rest = n_values, half
    while rest > 1:
        half = rest >> 1
        begin += half & -<Py_ssize_t> is_lower(values[begin + half - 1], value, or_equal)
        rest -= half
    return begin + is_lower(values[begin], value, or_equal)


cdef void count_before(
    Scratch *scratch, Py_ssize_t n_ranked, const Row *rows, Py_ssize_t length, int ties
) noexcept nogil:
    """Count the rows of a list between those that are ranked, the best first.

    Added up from the first one on, the counts are the rows before each.
    """
    cdef Ranked *ranked = scratch.ranked
    # There is room for three numbers in each of at least n_ranked entries.
    cdef int64_t *keys = <int64_t *> scratch.spare
    cdef int64_t *seconds = keys + n_ranked
    cdef Py_ssize_t i, place, same
    for i in range(n_ranked):
        ranked[i].count = 0
        keys[i] = ranked[i].key
        seconds[i] = ranked[i].second
    for i in range(length):
        place = n_lower(keys, n_ranked, rows[i].key, False)
        if place < n_ranked and keys[place] == rows[i].key:
            # Among ranked rows with the same key, the first one that this row is before; itself
            # not included.
            same = n_lower(&keys[place], n_ranked - place, rows[i].key, True)
            place += n_lower(&seconds[place], same, second_of(&rows[i], i, ties), True)
        if place < n_ranked:
            ranked[place].count += 1


cdef Py_ssize_t enter_list(
    Scratch *scratch, const Row *rows, Py_ssize_t length, int shift, uint64_t mask
) noexcept nogil:
    """Put a list into the table, and count the rows whose item is there already."""
    cdef Py_ssize_t i, n_repeated = 0
    cdef Slot *slot
    # At most three times for each user with rows, so that 32 bits are enough.
    scratch.stamp += 1
    for i in range(length):
        slot = find(scratch, shift, mask, rows[i].item)
        if slot.stamp == scratch.stamp:
            n_repeated += 1
        else:
            slot.stamp = scratch.stamp
            slot.item = rows[i].item
            slot.place = <int32_t> i
    return n_repeated


cdef Py_ssize_t drop_repeated(
    Scratch *scratch, Row *rows, Py_ssize_t length, int ties, int shift, uint64_t mask
) noexcept nogil:
    """Leave the best-ranked row of each item, in the order of input; returns how many."""
    cdef Py_ssize_t i, kept = 0
    cdef uint32_t place
    cdef Slot *slot
    sort_list(scratch, rows, length, ties)
    memset(scratch.state, 0, length)
    scratch.stamp += 1
    for i in range(length):
        place = scratch.ranked[i].place
        slot = find(scratch, shift, mask, rows[place].item)
        if slot.stamp != scratch.stamp:
            slot.stamp = scratch.stamp
            slot.item = rows[place].item
            scratch.state[place] = 1
    for i in range(length):
        if scratch.state[i]:
            rows[kept] = rows[i]
            kept += 1
    enter_list(scratch, rows, kept, shift, mask)
    return kept


cdef struct Out:
    int64_t *n_recommended
    int64_t *n_relevant
    uint8_t *judged
    int64_t *hit_user
    int64_t *hit_rank
    int64_t *tie_first      # of each hit: the first rank with its score; NULL if not wanted
    int64_t *tie_size       # and how many there are
    int64_t *match_user     # of each row of the log about a listed item; NULL if not wanted
    int64_t *match_rank
    int64_t *match_log_row
    int64_t *match_list_row
    int64_t *list_row       # of each place: the row; NULL if not wanted
    int64_t n_hits
    int64_t n_matches
    int64_t n_listed
    int64_t n_repeated
    int64_t n_logged_again


cdef inline void emit(
    Out *out, Scratch *scratch, int64_t user, uint32_t place, int64_t rank,
    int64_t first, int64_t size, const Row *list_row, const Row *log,
) noexcept nogil:
    """Write a place of a list that the log is about.

    Every hit and every match stands for another row of the log, and the arrays have room for as
    many as there are rows of the log in the part.
    """
    cdef int32_t logged
    if scratch.state[place] & IS_HIT:
        out.hit_user[out.n_hits] = user
        out.hit_rank[out.n_hits] = rank
        if out.tie_first != NULL:
            out.tie_first[out.n_hits] = first
            out.tie_size[out.n_hits] = size
        out.n_hits += 1
    if out.match_user != NULL:
        logged = scratch.first_log[place]
        while logged >= 0:
            out.match_user[out.n_matches] = user
            out.match_rank[out.n_matches] = rank
            out.match_log_row[out.n_matches] = log[logged].row
            out.match_list_row[out.n_matches] = list_row.row
            out.n_matches += 1
            logged = scratch.next_log[logged]


cdef void join_user(
    Scratch *scratch, Out *out, int64_t user, int ties,
    Row *rows, Py_ssize_t length, const Row *log, Py_ssize_t n_log,
) noexcept nogil:
    """Rank the list of one user, and say what of the log is in it."""
    cdef bint every_row = out.match_user != NULL
    cdef bint want_ties = out.tie_first != NULL
    cdef uint64_t mask = 1
    cdef Py_ssize_t i, j, n_repeated, n_wanted = 0
    cdef int shift = 64
    cdef int64_t n_relevant = 0, rank = 1, first = 1, size = 0
    cdef uint32_t place
    cdef bint relevant
    cdef Slot *slot
    cdef Ranked *ranked

    out.n_recommended[user] = 0
    out.n_relevant[user] = 0
    out.judged[user] = n_log > 0
    if not length + n_log:
        return  # a code that nobody has

    # At least two slots for each row of both.
    while mask < <uint64_t> (2 * (length + n_log)):
        mask *= 2
        shift -= 1
    mask -= 1
    n_repeated = enter_list(scratch, rows, length, shift, mask)
    if n_repeated:
        out.n_repeated += n_repeated
        length = drop_repeated(scratch, rows, length, ties, shift, mask)
    out.n_recommended[user] = length
    memset(scratch.state, 0, length)

    # Back to front, so that the rows about one place are chained in the order of input.
    for j in range(n_log - 1, -1, -1):
        relevant = log[j].key != 0
        if not (relevant or every_row):
            continue
        slot = find(scratch, shift, mask, log[j].item)
        if slot.stamp != scratch.stamp:
            slot.stamp = scratch.stamp
            slot.item = log[j].item
            slot.place = RELEVANT if relevant else LOGGED
            n_relevant += relevant
        elif slot.place < 0:
            out.n_logged_again += 1
            if relevant and slot.place == LOGGED:
                slot.place = RELEVANT
                n_relevant += 1
        else:
            place = <uint32_t> slot.place
            if scratch.state[place]:
                out.n_logged_again += 1
            else:
                scratch.ranked[n_wanted].key = rows[place].key
                scratch.ranked[n_wanted].second = second_of(&rows[place], place, ties)
                scratch.ranked[n_wanted].place = place
                n_wanted += 1
                scratch.first_log[place] = -1
            if relevant and not scratch.state[place] & IS_HIT:
                n_relevant += 1
                scratch.state[place] |= IS_HIT
            scratch.state[place] |= IS_LOGGED
            if every_row:
                scratch.next_log[j] = scratch.first_log[place]
                scratch.first_log[place] = <int32_t> j
    out.n_relevant[user] = n_relevant

    if not (want_ties or out.list_row != NULL):
        # Only the places that somebody asks about are sorted, and the others counted.
        if not n_wanted:
            return
        sort_ranked(scratch, n_wanted)
        ranked = scratch.ranked
        count_before(scratch, n_wanted, rows, length, ties)
        for i in range(n_wanted):
            place = ranked[i].place
            rank += ranked[i].count
            emit(out, scratch, user, place, rank, 0, 0, &rows[place], log)
        return

    sort_list(scratch, rows, length, ties)
    ranked = scratch.ranked
    for i in range(length):
        place = ranked[i].place
        if want_ties and i + 1 == first + size:
            first = i + 1
            size = 1
            while i + size < length and ranked[i + size].key == ranked[i].key:
                size += 1
        if scratch.state[place]:
            emit(out, scratch, user, place, i + 1, first, size, &rows[place], log)
        if out.list_row != NULL:
            out.list_row[out.n_listed] = rows[place].row
            out.n_listed += 1


cdef void group_by_user(
    Row *rows, Py_ssize_t n_rows, uint32_t first_user, Py_ssize_t n_users, Group *group
) noexcept nogil:
    """Bring the rows of a part into the order of users, those of each user as they came.

    All of them are of the users of the part, from ``first_user`` on, as `scatter` made sure. There
    are two more entries of ``start`` than users.
    """
    cdef Py_ssize_t i
    cdef int64_t place
    cdef uint32_t user, begun = 0
    for i in range(n_rows):
        user = rows[i].user - first_user
        if user + 1 < begun:
            break
        while begun <= user:
            group.start[begun] = i
            begun += 1
    else:
        # They are in order already: users without rows behind the last one begin at the end.
        while begun <= n_users:
            group.start[begun] = n_rows
            begun += 1
        group.rows = rows
        return

    group.rows = group.own
    memset(group.start, 0, (n_users + 2) * sizeof(int64_t))
    # Two entries further on than the user: after the sums, one further on is where the user begins,
    # and when all rows are there, it has moved to where the user ends.
    for i in range(n_rows):
        group.start[rows[i].user - first_user + 2] += 1
    for i in range(2, n_users + 2):
        group.start[i] += group.start[i - 1]
    for i in range(n_rows):
        user = rows[i].user - first_user
        place = group.start[user + 1]
        group.start[user + 1] += 1
        group.own[place] = rows[i]


cdef Group new_group(Py_ssize_t n_rows, Py_ssize_t n_users) noexcept nogil:
    cdef Group group
    group.own = <Row *> malloc((n_rows + 1) * sizeof(Row))
    group.start = <int64_t *> malloc((n_users + 2) * sizeof(int64_t))
    group.rows = group.own
    return group


cdef void free_group(Group *group) noexcept nogil:
    free(group.own)
    free(group.start)


cdef Scratch new_scratch(Py_ssize_t most_listed, Py_ssize_t most_logged) noexcept nogil:
    cdef Scratch scratch
    cdef Py_ssize_t n_slots = 2
    # As many slots as `join_user` may ask for, if all rows of a part are of one user. Memory that
    # is never touched costs nothing.
    while n_slots < 2 * (most_listed + most_logged):
        n_slots *= 2
    scratch.stamp = 0
    scratch.slots = <Slot *> calloc(n_slots, sizeof(Slot))
    scratch.state = <uint8_t *> malloc(most_listed + 1)
    scratch.first_log = <int32_t *> malloc((most_listed + 1) * sizeof(int32_t))
    scratch.next_log = <int32_t *> malloc((most_logged + 1) * sizeof(int32_t))
    scratch.ranked = <Ranked *> malloc((most_listed + 1) * sizeof(Ranked))
    scratch.spare = <Ranked *> malloc((most_listed + 1) * sizeof(Ranked))
    return scratch


cdef bint is_complete(const Group *lists, const Group *log, const Scratch *scratch) noexcept nogil:
    return (
        lists.own != NULL and lists.start != NULL and log.own != NULL and log.start != NULL
        and scratch.slots != NULL and scratch.state != NULL and scratch.first_log != NULL
        and scratch.next_log != NULL and scratch.ranked != NULL and scratch.spare != NULL
    )


cdef void free_scratch(Scratch *scratch) noexcept nogil:
    free(scratch.slots)
    free(scratch.state)
    free(scratch.first_log)
    free(scratch.next_log)
    free(scratch.ranked)
    free(scratch.spare)


cdef int64_t *pointer(int64_t[::1] values) noexcept:
    return &values[0] if values is not None and values.shape[0] else NULL


def join_parts(
    uint8_t[::1] list_rows,
    const int64_t[::1] list_start,
    uint8_t[::1] log_rows,
    const int64_t[::1] log_start,
    Py_ssize_t first_part,
    Py_ssize_t end_part,
    int shift,
    int ties,
    int64_t[::1] n_recommended,
    int64_t[::1] n_relevant,
    uint8_t[::1] judged,
    int64_t[::1] hit_user,
    int64_t[::1] hit_rank,
    int64_t[::1] tie_first,
    int64_t[::1] tie_size,
    int64_t[::1] match_user,
    int64_t[::1] match_rank,
    int64_t[::1] match_log_row,
    int64_t[::1] match_list_row,
    int64_t[::1] list_row,
):
    """Join the users of some parts, one after the other.

    The arrays of hits and of matches have as many places as the parts have rows of the log, and
    one more; ``list_row`` as many as they have rows of lists, and one more. What is not wanted is
    None. Rows that are repeated are lost from ``list_rows``. Returns how many places were used of
    each, and how many rows were repeated in lists and in the log.
    """
    cdef Row *lists_of_parts = <Row *> &list_rows[0]
    cdef Row *log_of_parts = <Row *> &log_rows[0]
    cdef Py_ssize_t most_users = (<Py_ssize_t> 1) << shift
    cdef Py_ssize_t most_listed = 0, most_logged = 0, part, u, n_users, first_user
    cdef Group lists, log
    cdef Scratch scratch
    cdef Out out
    cdef bint complete
    for part in range(first_part, end_part):
        most_listed = max(most_listed, list_start[part + 1] - list_start[part])
        most_logged = max(most_logged, log_start[part + 1] - log_start[part])
    out.n_recommended = pointer(n_recommended)
    out.n_relevant = pointer(n_relevant)
    out.judged = &judged[0]
    out.hit_user = pointer(hit_user)
    out.hit_rank = pointer(hit_rank)
    out.tie_first = pointer(tie_first)
    out.tie_size = pointer(tie_size)
    out.match_user = pointer(match_user)
    out.match_rank = pointer(match_rank)
    out.match_log_row = pointer(match_log_row)
    out.match_list_row = pointer(match_list_row)
    out.list_row = pointer(list_row)
    out.n_hits = out.n_matches = out.n_listed = out.n_repeated = out.n_logged_again = 0
    with nogil:
        lists = new_group(most_listed, most_users)
        log = new_group(most_logged, most_users)
        scratch = new_scratch(most_listed, most_logged)
        complete = is_complete(&lists, &log, &scratch)
        if complete:
            for part in range(first_part, end_part):
                first_user = part << shift
                n_users = min(most_users, n_recommended.shape[0] - first_user)
                group_by_user(
                    &lists_of_parts[list_start[part]], list_start[part + 1] - list_start[part],
                    <uint32_t> first_user, n_users, &lists,
                )
                group_by_user(
                    &log_of_parts[log_start[part]], log_start[part + 1] - log_start[part],
                    <uint32_t> first_user, n_users, &log,
                )
                for u in range(n_users):
                    join_user(
                        &scratch, &out, first_user + u, ties,
                        &lists.rows[lists.start[u]], lists.start[u + 1] - lists.start[u],
                        &log.rows[log.start[u]], log.start[u + 1] - log.start[u],
                    )
        free_group(&lists)
        free_group(&log)
        free_scratch(&scratch)
    if not complete:
        raise MemoryError
    return out.n_hits, out.n_matches, out.n_listed, out.n_repeated, out.n_logged_again
