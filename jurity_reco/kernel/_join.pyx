# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, freethreading_compatible=True
"""The join of two frames, compiled; `compiled.py` decides who does what.

Everything here runs without the global interpreter lock, on arrays that the caller has checked:
all are contiguous, columns of one frame have the same length, user codes are from 0 to below the
number of users, and there are fewer than 2**32 rows and users. Nothing is written but into arrays
that the caller made for it and into memory of this file's own.

Why Cython: its readers know Python, the arguments are checked by it, and one environment variable
less is needed than with a hand-written binding. Why pointers: a list is handled by several small
functions, and a memoryview is 200 bytes to pass.
"""

from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from jurity_reco.kernel._scramble cimport scrambled

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

def count_parts(const UserCode[::1] user, int shift, int64_t[::1] counts):
    """Count the rows of each part, which is a user's code without its low bits."""
    cdef Py_ssize_t i
    with nogil:
        for i in range(user.shape[0]):
            # A user is below n_users, so the part is below the number of counts.
            counts[user[i] >> shift] += 1


def scatter(
    const UserCode[::1] user,
    const ItemCode[::1] item,
    const Number[::1] number,
    Py_ssize_t first_row,
    int shift,
    int64_t[::1] place,
    uint8_t[::1] rows,
):
    """Write rows to their parts in the order in which they come.

    ``place`` says where the next row of each part goes, and moves on. The caller counted the rows,
    so each place stays within what was set aside for the part and this thread.
    """
    cdef Row *out = <Row *> &rows[0]
    cdef Row *target
    cdef Py_ssize_t i
    cdef int64_t part
    with nogil:
        for i in range(user.shape[0]):
            part = user[i] >> shift
            target = &out[place[part]]
            place[part] += 1
            target.key = key_of(number[i])
            target.item = item[i]
            target.user = <uint32_t> user[i]
            target.row = <uint32_t> (first_row + i)


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
    uint32_t place
    uint32_t rank


cdef struct Group:
    # The rows of some users, one user after the other, each in the order of input.
    int64_t *key
    int64_t *item
    uint32_t *row
    int64_t *start   # where the rows of each user begin; one more entry than users


cdef struct Scratch:
    Slot *slots
    uint32_t stamp
    uint8_t *state        # of each place of a list: IS_LOGGED, IS_HIT
    int32_t *first_log    # of each place: the first row of the log about it, or -1
    int32_t *next_log     # of each row of the log: the next one about the same place, or -1
    Ranked *ranked
    Ranked *spare


cdef inline Slot *find(Scratch *scratch, uint64_t mask, int64_t item) noexcept nogil:
    """The slot of an item, or the empty one where it belongs.

    More than half of the slots up to ``mask`` are empty, so the search ends.
    """
    cdef uint64_t number = scrambled(<uint64_t> item) & mask
    while (
        scratch.slots[number].stamp == scratch.stamp and scratch.slots[number].item != item
    ):
        number = (number + 1) & mask
    return &scratch.slots[number]


cdef inline bint goes_before(
    const Ranked *one, const Ranked *other, const int64_t *item, int ties
) noexcept nogil:
    if one.key != other.key:
        return one.key < other.key
    if ties == TIES_BY_INPUT or item[one.place] == item[other.place]:
        return one.place < other.place
    if ties == TIES_BY_ITEM:
        return item[one.place] < item[other.place]
    return item[one.place] > item[other.place]


cdef void merge(
    const Ranked *left, Py_ssize_t n_left, const Ranked *right, Py_ssize_t n_right, Ranked *out,
    const int64_t *item, int ties,
) noexcept nogil:
    cdef Py_ssize_t i = 0, j = 0
    while i < n_left and j < n_right:
        if goes_before(&right[j], &left[i], item, ties):
            out[i + j] = right[j]
            j += 1
        else:
            out[i + j] = left[i]
            i += 1
    memcpy(&out[i + j], &left[i], (n_left - i) * sizeof(Ranked))
    memcpy(&out[n_left + j], &right[j], (n_right - j) * sizeof(Ranked))


cdef enum:
    SHORT_RUN = 16

cdef void sort_list(
    Scratch *scratch, const int64_t *key, const int64_t *item, Py_ssize_t length, int ties
) noexcept nogil:
    """Fill ``ranked`` with the places of a list, best first."""
    cdef Ranked *ranked = scratch.ranked
    cdef Ranked *spare = scratch.spare
    cdef Ranked moving
    cdef Py_ssize_t i, j, begin, end, middle, width
    cdef bint in_order = True
    for i in range(length):
        ranked[i].key = key[i]
        ranked[i].place = <uint32_t> i
        if i and goes_before(&ranked[i], &ranked[i - 1], item, ties):
            in_order = False
    if in_order:
        return
    begin = 0
    while begin < length:
        end = min(begin + SHORT_RUN, length)
        for i in range(begin + 1, end):
            moving = ranked[i]
            j = i
            while j > begin and goes_before(&moving, &ranked[j - 1], item, ties):
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
                &ranked[begin], middle - begin, &ranked[middle], end - middle, &spare[begin],
                item, ties,
            )
            begin = end
        ranked, spare = spare, ranked
        width *= 2
    scratch.ranked, scratch.spare = ranked, spare


cdef Py_ssize_t enter_list(
    Scratch *scratch, const int64_t *item, Py_ssize_t length, uint64_t mask
) noexcept nogil:
    """Put a list into the table, and count the rows whose item is there already."""
    cdef Py_ssize_t i, n_repeated = 0
    cdef Slot *slot
    scratch.stamp += 1
    for i in range(length):
        slot = find(scratch, mask, item[i])
        if slot.stamp == scratch.stamp:
            n_repeated += 1
        else:
            slot.stamp = scratch.stamp
            slot.item = item[i]
            slot.place = <int32_t> i
    return n_repeated


cdef Py_ssize_t drop_repeated(
    Scratch *scratch, int64_t *key, int64_t *item, uint32_t *row, Py_ssize_t length,
    int ties, uint64_t mask,
) noexcept nogil:
    """Leave the best-ranked row of each item, in the order of their ranks; returns how many."""
    cdef Py_ssize_t i, kept = 0
    cdef uint32_t place
    cdef Slot *slot
    sort_list(scratch, key, item, length, ties)
    scratch.stamp += 1
    for i in range(length):
        place = scratch.ranked[i].place
        slot = find(scratch, mask, item[place])
        if slot.stamp != scratch.stamp:
            slot.stamp = scratch.stamp
            slot.item = item[place]
            slot.place = <int32_t> kept
            scratch.spare[kept].key = item[place]
            scratch.spare[kept].place = row[place]
            # Keys are in `ranked` too, so that nothing is lost here.
            key[kept] = scratch.ranked[i].key
            kept += 1
    for i in range(kept):
        item[i] = scratch.spare[i].key
        row[i] = scratch.spare[i].place
    return kept


cdef inline uint32_t rank_of(
    const int64_t *key, const int64_t *item, Py_ssize_t length, Py_ssize_t place, int ties
) noexcept nogil:
    """Count the rows that go before one."""
    cdef Py_ssize_t i
    cdef int64_t own = key[place]
    cdef uint32_t before = 0
    if ties == TIES_BY_INPUT:
        for i in range(place):
            before += key[i] <= own
        for i in range(place + 1, length):
            before += key[i] < own
    elif ties == TIES_BY_ITEM:
        for i in range(length):
            before += (key[i] < own) | ((key[i] == own) & (item[i] < item[place]))
    else:
        for i in range(length):
            before += (key[i] < own) | ((key[i] == own) & (item[i] > item[place]))
    return before + 1


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
    int64_t first, int64_t size, const uint32_t *list_row, const uint32_t *log_row,
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
            out.match_log_row[out.n_matches] = log_row[logged]
            out.match_list_row[out.n_matches] = list_row[place]
            out.n_matches += 1
            logged = scratch.next_log[logged]


cdef void join_user(
    Scratch *scratch, Out *out, int64_t user, int ties,
    int64_t *key, int64_t *item, uint32_t *row, Py_ssize_t length,
    const int64_t *log_relevant, const int64_t *log_item, const uint32_t *log_row,
    Py_ssize_t n_log,
) noexcept nogil:
    """Rank the list of one user, and say what of the log is in it."""
    cdef bint every_row = out.match_user != NULL
    cdef bint want_ties = out.tie_first != NULL
    cdef uint64_t mask = 1
    cdef Py_ssize_t i, j, n_repeated, n_wanted = 0, bits = 0
    cdef int64_t n_relevant = 0, first = 1, size = 0
    cdef uint32_t place
    cdef bint relevant
    cdef Slot *slot
    cdef Ranked *ranked
    cdef Ranked moving

    while mask < <uint64_t> (2 * (length + n_log)):
        mask *= 2
        bits += 1
    mask -= 1
    n_repeated = enter_list(scratch, item, length, mask)
    if n_repeated:
        out.n_repeated += n_repeated
        length = drop_repeated(scratch, key, item, row, length, ties, mask)
    out.n_recommended[user] = length
    out.judged[user] = n_log > 0
    memset(scratch.state, 0, length)

    # Back to front, so that the rows about one place are chained in the order of input.
    for j in range(n_log - 1, -1, -1):
        relevant = log_relevant[j] != 0
        if not (relevant or every_row):
            continue
        slot = find(scratch, mask, log_item[j])
        if slot.stamp != scratch.stamp:
            slot.stamp = scratch.stamp
            slot.item = log_item[j]
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

    # To count what is better than each of a few is quicker than to sort all.
    if out.list_row == NULL and n_wanted <= 8 * bits:
        ranked = scratch.ranked
        for i in range(n_wanted):
            moving = ranked[i]
            moving.rank = rank_of(key, item, length, moving.place, ties)
            j = i
            while j > 0 and ranked[j - 1].rank > moving.rank:
                ranked[j] = ranked[j - 1]
                j -= 1
            ranked[j] = moving
        for i in range(n_wanted):
            place = ranked[i].place
            if want_ties:
                first, size = 1, 0
                for j in range(length):
                    first += key[j] < key[place]
                    size += key[j] == key[place]
            emit(out, scratch, user, place, ranked[i].rank, first, size, row, log_row)
        return

    sort_list(scratch, key, item, length, ties)
    ranked = scratch.ranked
    for i in range(length):
        place = ranked[i].place
        if want_ties and i + 1 == first + size:
            first = i + 1
            size = 1
            while i + size < length and ranked[i + size].key == ranked[i].key:
                size += 1
        if scratch.state[place]:
            emit(out, scratch, user, place, i + 1, first, size, row, log_row)
        if out.list_row != NULL:
            out.list_row[out.n_listed] = row[place]
            out.n_listed += 1


cdef void group_by_user(
    const Row *rows, Py_ssize_t n_rows, uint32_t first_user, Py_ssize_t n_users, Group *group
) noexcept nogil:
    """Bring the rows of a part into the order of users, those of each user as they came."""
    cdef Py_ssize_t i
    cdef int64_t place
    memset(group.start, 0, (n_users + 2) * sizeof(int64_t))
    # Two places further on than the user: after the sums, one further on is where the user begins,
    # and it has moved to where the user ends when all rows are there.
    for i in range(n_rows):
        group.start[rows[i].user - first_user + 2] += 1
    for i in range(2, n_users + 2):
        group.start[i] += group.start[i - 1]
    for i in range(n_rows):
        place = group.start[rows[i].user - first_user + 1]
        group.start[rows[i].user - first_user + 1] += 1
        group.key[place] = rows[i].key
        group.item[place] = rows[i].item
        group.row[place] = rows[i].row


cdef Group new_group(Py_ssize_t n_rows, Py_ssize_t n_users) noexcept nogil:
    cdef Group group
    group.key = <int64_t *> malloc((n_rows + 1) * sizeof(int64_t))
    group.item = <int64_t *> malloc((n_rows + 1) * sizeof(int64_t))
    group.row = <uint32_t *> malloc((n_rows + 1) * sizeof(uint32_t))
    group.start = <int64_t *> malloc((n_users + 2) * sizeof(int64_t))
    return group


cdef void free_group(Group *group) noexcept nogil:
    free(group.key)
    free(group.item)
    free(group.row)
    free(group.start)


cdef Scratch new_scratch(Py_ssize_t most_listed, Py_ssize_t most_logged) noexcept nogil:
    cdef Scratch scratch
    cdef Py_ssize_t n_slots = 1
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
        lists.key != NULL and lists.item != NULL and lists.row != NULL and lists.start != NULL
        and log.key != NULL and log.item != NULL and log.row != NULL and log.start != NULL
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
    const uint8_t[::1] list_rows,
    const int64_t[::1] list_start,
    const uint8_t[::1] log_rows,
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
    None. Returns how many places were used of each, and how many rows were repeated in lists and
    in the log.
    """
    cdef const Row *lists_of_parts = <const Row *> &list_rows[0]
    cdef const Row *log_of_parts = <const Row *> &log_rows[0]
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
                        &lists.key[lists.start[u]], &lists.item[lists.start[u]],
                        &lists.row[lists.start[u]], lists.start[u + 1] - lists.start[u],
                        &log.key[log.start[u]], &log.item[log.start[u]],
                        &log.row[log.start[u]], log.start[u + 1] - log.start[u],
                    )
        free_group(&lists)
        free_group(&log)
        free_scratch(&scratch)
    if not complete:
        raise MemoryError
    return out.n_hits, out.n_matches, out.n_listed, out.n_repeated, out.n_logged_again
