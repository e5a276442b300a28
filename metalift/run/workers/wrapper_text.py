"""C and C++ text that is the same in every wrapper; see `metalift.run.workers.wrapper`."""

from __future__ import annotations

RUNTIME_C = '#define METALIFT_EXPORT __attribute__((visibility("default")))'
RUNTIME_CPP = '#define METALIFT_EXPORT extern "C" __attribute__((visibility("default")))'

# A buffer and a member of all objects of an array, which are `stride` bytes long: copied to the objects, or back from them.
SPREAD = """\
static void metalift_spread(char *objects, __SIZE_TYPE__ stride, __SIZE_TYPE__ offset, __SIZE_TYPE__ member,
                            char *buffer, __SIZE_TYPE__ bytes, int back)
{
    for (__SIZE_TYPE__ k = 0; k * member < bytes; k++) {
        char *inside = objects + k * stride + offset, *outside = buffer + k * member;
        __SIZE_TYPE__ size = bytes - k * member < member ? bytes - k * member : member;
        __builtin_memcpy(back ? outside : inside, back ? inside : outside, size);
    }
}
static __SIZE_TYPE__ metalift_longer(__SIZE_TYPE__ count, __SIZE_TYPE__ bytes, __SIZE_TYPE__ member)
{ return (bytes + member - 1) / member > count ? (bytes + member - 1) / member : count; }"""

# Around the call of the source's function alone, without what the wrapper makes of arguments and results.
TIMED = """\
#include <time.h>
METALIFT_EXPORT __INT64_TYPE__ metalift_nanoseconds;
__INT64_TYPE__ metalift_nanoseconds;
static __INT64_TYPE__ metalift_clock(void)
{ struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * (__INT64_TYPE__)1000000000 + t.tv_nsec; }"""
TIMED_C = """\
#define METALIFT_TIMED_VOID(call) \\
    ({ metalift_nanoseconds = -metalift_clock(); call; metalift_nanoseconds += metalift_clock(); })
#define METALIFT_TIMED(call) \\
    ({ metalift_nanoseconds = -metalift_clock(); __auto_type metalift_result = call; \\
       metalift_nanoseconds += metalift_clock(); metalift_result; })"""
TIMED_CPP = """\
struct metalift_timing {
    metalift_timing() { metalift_nanoseconds = -metalift_clock(); }
    ~metalift_timing() { metalift_nanoseconds += metalift_clock(); }
};
#define METALIFT_TIMED(...) ([&]() -> decltype(auto) { metalift_timing timing; return __VA_ARGS__; })()"""

# How many bytes the source asked for, of what it returns: the linker leads its calls of malloc and the like here.
ALLOCATED = """\
#define METALIFT_ASKED 65536
static struct { void *place; __SIZE_TYPE__ bytes; } metalift_asked[METALIFT_ASKED];
static unsigned metalift_count;
static void *metalift_note(void *place, __SIZE_TYPE__ bytes)
{
    metalift_asked[metalift_count % METALIFT_ASKED].place = place;
    metalift_asked[metalift_count++ % METALIFT_ASKED].bytes = bytes;
    return place;
}
#ifdef __cplusplus
extern "C" {
#endif
void *__real_malloc(__SIZE_TYPE__ bytes);
void *__real_calloc(__SIZE_TYPE__ count, __SIZE_TYPE__ size);
void *__real_aligned_alloc(__SIZE_TYPE__ alignment, __SIZE_TYPE__ bytes);
__attribute__((used)) void *__wrap_malloc(__SIZE_TYPE__ bytes) { return metalift_note(__real_malloc(bytes), bytes); }
__attribute__((used)) void *__wrap_calloc(__SIZE_TYPE__ count, __SIZE_TYPE__ size)
{ return metalift_note(__real_calloc(count, size), count * size); }
__attribute__((used)) void *__wrap_aligned_alloc(__SIZE_TYPE__ alignment, __SIZE_TYPE__ bytes)
{ return metalift_note(__real_aligned_alloc(alignment, bytes), bytes); }
#ifdef __cplusplus
void *__real__Znam(__SIZE_TYPE__ bytes);
__attribute__((used)) void *__wrap__Znam(__SIZE_TYPE__ bytes) { return metalift_note(__real__Znam(bytes), bytes); }
}
#endif
static __INT64_TYPE__ metalift_allocated(void *place)
{
    for (unsigned back = 1; back <= METALIFT_ASKED && back <= metalift_count; back++)
        if (metalift_asked[(metalift_count - back) % METALIFT_ASKED].place == place)
            return metalift_asked[(metalift_count - back) % METALIFT_ASKED].bytes;
    return 0;
}"""

ALLOCATED_CPP = """\
namespace metalift_wrapper {
template <class T> struct result<T *> {
    static void put(T *value, void **data, size *shape) {
        *data = value;
        shape[0] = metalift_allocated(value) / sizeof(T);
    }
};
}"""

# A handler leaves the source's function at once: what it would compute after undefined behaviour means nothing.
HANDLERS_BEGIN = """\
static void *metalift_jump[5];
METALIFT_EXPORT const char *metalift_problem;
const char *metalift_problem;
#define METALIFT_PLAIN __attribute__((noinline, no_sanitize("undefined")))
#define METALIFT_HANDLER(name) \\
    METALIFT_EXPORT METALIFT_PLAIN void __ubsan_handle_##name##_minimal(void) \\
    { metalift_problem = #name; __builtin_longjmp(metalift_jump, 1); } \\
    METALIFT_EXPORT METALIFT_PLAIN void __ubsan_handle_##name##_minimal_abort(void) \\
    { metalift_problem = #name; __builtin_longjmp(metalift_jump, 1); }"""

# A precondition of the standard library that does not hold, such as an index outside a vector.
HANDLER_LIBRARY = """\
#if defined(_GLIBCXX_RELEASE) && _GLIBCXX_RELEASE >= 12
namespace std {
METALIFT_PLAIN void __glibcxx_assert_fail(const char *, int, const char *, const char *) noexcept
{ metalift_problem = "library_precondition"; __builtin_longjmp(metalift_jump, 1); }
}
#elif defined(_LIBCPP_BEGIN_NAMESPACE_STD)
_LIBCPP_BEGIN_NAMESPACE_STD
METALIFT_PLAIN void __libcpp_verbose_abort(const char *, ...) _NOEXCEPT
{ metalift_problem = "library_precondition"; __builtin_longjmp(metalift_jump, 1); }
_LIBCPP_END_NAMESPACE_STD
#endif"""

ENTRY = """\
METALIFT_EXPORT int metalift_call(void **data, __INT64_TYPE__ *lengths)
{ metalift_invoke(data, lengths); return 0; }"""

ENTRY_CHECKED = """\
METALIFT_EXPORT METALIFT_PLAIN int metalift_call(void **data, __INT64_TYPE__ *lengths)
{ if (__builtin_setjmp(metalift_jump)) return 1; metalift_invoke(data, lengths); return 0; }"""

# Fields are copied as bytes, so `const` is in nobody's way: a pointer as it is, an array and a scalar by their contents.
FIELDS_C = """\
#define METALIFT_LEAST(a, b) ((__INT64_TYPE__)(a) < (__INT64_TYPE__)(b) ? (a) : (b))
#define METALIFT_DECAYS(f) (!__builtin_types_compatible_p(__typeof__(f), __typeof__(((void)0, (f)))))
#define METALIFT_POINTS(f) (!METALIFT_DECAYS(f) && __builtin_classify_type(f) == 5)
#define METALIFT_SET(f, at, bytes) \\
    __builtin_memcpy((void *)&(f), METALIFT_POINTS(f) ? (void *)&data[at] : data[at], \\
                     METALIFT_POINTS(f) ? sizeof(f) : METALIFT_LEAST(sizeof(f), bytes))
#define METALIFT_ROOM(f, memory) \\
    do { void *room = memory; __builtin_memcpy((void *)&(f), &room, METALIFT_POINTS(f) ? sizeof room : 0); } while (0)
#define METALIFT_BACK(f, at, bytes) \\
    do if (!METALIFT_POINTS(f)) __builtin_memcpy(data[at], (void *)&(f), METALIFT_LEAST(sizeof(f), bytes)); while (0)"""

# `slot` reads an argument of the parameter's own type, which is taken from the function: no type has to be spelled.
# Values of several axes are `nested`; the sources' own includes say which containers there are.
SLOTS_CPP = """\
namespace metalift_wrapper {
typedef __INT64_TYPE__ size;
template <class T> struct plain { typedef T type; };
template <class T> struct plain<T &> { typedef T type; };
template <class T> struct plain<T &&> { typedef T type; };
template <class T> struct plain<const T> { typedef T type; };
template <class T> struct plain<const T &> { typedef T type; };
template <class T> struct object { typedef typename plain<T>::type type; };
template <class T> struct object<T *> { typedef typename plain<T>::type type; };
template <class T> struct object<T *const> { typedef typename plain<T>::type type; };
template <class T> struct nested { enum { rank = 0 }; typedef T cell; };
template <class T> struct stored {
    typedef T type;
    static const T &give(const T &value) { return value; }
};
template <class V, int R> struct rows {
    typedef typename stored<typename nested<V>::cell>::type cell;
    typedef typename V::value_type row;
    static void fill(V &to, const cell *&from, const size *shape) {
        reserve(to, shape[0], 0);
        for (size i = 0; i < shape[0]; i++) rows<row, R - 1>::fill(to[i], from, shape + 1);
    }
    template <class X> static auto reserve(X &to, size n, int) -> decltype(to.resize(n)) { return to.resize(n); }
    static void reserve(V &, size, long) {}
    static void measure(const V &v, size *shape) {
        shape[0] = static_cast<size>(v.size());
        for (int axis = 1; axis < R; axis++) shape[axis] = 0;
        if (shape[0] > 0) rows<row, R - 1>::measure(v[0], shape + 1);
    }
    static bool flat(const V &v, cell *&to, const size *shape) {
        bool regular = static_cast<size>(v.size()) == shape[0];
        for (size i = 0; regular && i < shape[0]; i++) regular = rows<row, R - 1>::flat(v[i], to, shape + 1);
        return regular;
    }
};
template <class V> struct rows<V, 1> {
    typedef typename stored<typename nested<V>::cell>::type cell;
    static void fill(V &to, const cell *&from, const size *shape) {
        rows<V, 2>::reserve(to, shape[0], 0);
        for (size i = 0; i < static_cast<size>(to.size()) && i < shape[0]; i++) to[i] = from[i];
        from += shape[0];
    }
    static void measure(const V &v, size *shape) { shape[0] = static_cast<size>(v.size()); }
    static bool flat(const V &v, cell *&to, const size *shape) {
        bool regular = static_cast<size>(v.size()) == shape[0];
        for (size i = 0; regular && i < shape[0]; i++) *to++ = stored<typename nested<V>::cell>::give(v[i]);
        return regular;
    }
};
template <class V, int R> struct container {
    typedef typename stored<typename nested<V>::cell>::type cell;
    static void read(V &to, void *data, const size *shape) {
        const cell *from = static_cast<const cell *>(data);
        rows<V, R>::fill(to, from, shape);
    }
    static void put(const V &value, void **data, size *shape) {
        rows<V, R>::measure(value, shape);
        size cells = 1;
        for (int axis = 0; axis < R; axis++) cells *= shape[axis];
        cell *to = static_cast<cell *>(__builtin_malloc(cells * sizeof(cell) + 1));
        *data = to;
        if (!rows<V, R>::flat(value, to, shape)) shape[0] = -1;
    }
};
template <class T> struct scalar {
    static void put(const T &value, void **data, size *) { *static_cast<T *>(*data) = value; }
};
template <class T, int R> struct results : container<T, R> {};
template <class T> struct results<T, 0> : scalar<T> {};
template <class T, int R> struct slot_of {
    T value;
    slot_of(void *data, size *shape) : value() { container<T, R>::read(value, data, shape); }
    T &get() { return value; }
    void back(void **data, size *shape) { container<T, R>::put(value, data, shape); }
    void store(void *, size *) {}
};
template <class T> struct slot_of<T, 0> {
    T *value;
    slot_of(void *data, size *) : value(static_cast<T *>(data)) {}
    T &get() { return *value; }
    void back(void **, size *) {}
    void store(void *, size *) {}
};
template <class T> struct slot_of<T *, 0> {
    T *value;
    slot_of(void *data, size *) : value((T *)data) {}
    T *get() { return value; }
    void back(void **, size *) {}
    void store(void *, size *) {}
};
template <class T> struct slot : slot_of<T, nested<T>::rank> {
    slot(void *data, size *shape) : slot_of<T, nested<T>::rank>(data, shape) {}
};
template <class T> struct result : results<T, nested<T>::rank> { enum { slots = 1 }; };
struct laid {
    const size *places;
    int count;
    template <class T> void put(const T *value, char *to) const {
        const char *from = reinterpret_cast<const char *>(value);
        for (int k = 0; k < count; k++) part(from + places[2 * k], to + places[2 * k], places[2 * k + 1]);
    }
    template <class T> void take(T *value, const char *from) const {
        char *to = reinterpret_cast<char *>(value);
        for (int k = 0; k < count; k++) whole(to + places[2 * k], from + places[2 * k], places[2 * k + 1]);
    }
    static void part(const char *from, char *to, size bytes);
    static void whole(char *to, const char *from, size bytes);
};
template <class V> struct laid_slot {
    V value;
    laid_slot(void *data, size *shape, const laid &parts) : value() {
        rows<V, 2>::reserve(value, shape[0], 0);
        const char *from = static_cast<const char *>(data);
        for (size i = 0; i < shape[0]; i++) parts.take(&value[i], from + i * sizeof(value[i]));
    }
    V &get() { return value; }
};
template <class T, size N> struct several {
    static void put(const T &value, void **data, size *, const size *layout, int count) {
        static_assert(sizeof(T) == N, "only scalars");
        for (int k = 0; k < count; k++)
            __builtin_memcpy(data[k], reinterpret_cast<const char *>(&value) + layout[2 * k], layout[2 * k + 1]);
    }
};
template <class V, size N> struct entries {
    template <class T> static void fill(void **data, size *shape, size at, size count, const T &value) {
        typedef typename stored<T>::type cell;
        if (at == 0) *data = __builtin_malloc(count * sizeof(cell) + 1);
        static_cast<cell *>(*data)[at] = stored<T>::give(value);
        *shape = at + 1;
    }
    template <class T> static void key(void **data, size *shape, size at, size count, const T &value, const laid &parts) {
        if (parts.count == 0) return fill(data, shape, at, count, value);
        if (at == 0) *data = __builtin_malloc(count * sizeof(T) + 1);
        parts.put(&value, static_cast<char *>(*data) + at * sizeof(T));
        *shape = at + 1;
    }
    template <class T> static void held(void **data, size *shape, size at, const T &value, const laid &numbers) {
        void **to = static_cast<void **>(__builtin_alloca(numbers.count * sizeof(void *)));
        for (int k = 0; k < numbers.count; k++) {
            to[k] = static_cast<char *>(data[k]) + at * numbers.places[2 * k + 1];
            shape[METALIFT_RANK * k] = at + 1;
        }
        several<T, N>::put(value, to, shape, numbers.places, numbers.count);
    }
    template <class X> static auto each(const X &value, void **data, size *shape, const laid &parts, const laid &numbers, int)
        -> decltype((void)sizeof(typename X::mapped_type)) {
        size at = 0;
        for (int k = 1; k <= numbers.count; k++) {
            data[k] = __builtin_malloc(value.size() * numbers.places[2 * k - 1] + 1);
            shape[METALIFT_RANK * k] = 0;
        }
        for (const auto &entry : value) {
            key(data, shape, at, value.size(), entry.first, parts);
            held(data + 1, shape + METALIFT_RANK, at++, entry.second, numbers);
        }
    }
    template <class X> static void each(const X &value, void **data, size *shape, const laid &parts, const laid &, long) {
        size at = 0;
        for (const auto &each : value) key(data, shape, at++, value.size(), each, parts);
    }
    static void put(const V &value, void **data, size *shape, const laid &parts, const laid &numbers) {
        data[0] = 0;
        shape[0] = 0;
        each(value, data, shape, parts, numbers, 0);
    }
};
inline void copy(void *to, const void *from, size most, size bytes) { __builtin_memcpy(to, from, most < bytes ? most : bytes); }
template <class T, int R> struct field_of {
    static void set(T &f, void **data, size *shape, size) { container<T, R>::read(f, *data, shape); }
    static void back(const T &f, void **data, size *shape, size, bool changed) {
        if (changed) container<T, R>::put(f, data, shape);
    }
};
template <class T> struct field_of<T, 0> {
    static void set(T &f, void **data, size *, size bytes) { copy(&f, *data, sizeof(T), bytes); }
    static void back(const T &f, void **data, size *, size bytes, bool) { copy(*data, &f, sizeof(T), bytes); }
};
template <class T> struct field_of<T *, 0> {
    static void set(T *&f, void **data, size *, size) { f = (T *)*data; }
    static void back(T *const &, void **, size *, size, bool) {}
};
template <class T> void room(T *const &f, void *memory) { const_cast<T *&>(f) = (T *)memory; }
template <class T> void room(const T &, void *) {}
template <class T> void set_field(const T &f, void **data, size *shape, size bytes) {
    field_of<T, nested<T>::rank>::set(const_cast<T &>(f), data, shape, bytes);
}
template <class T> void field_back(const T &f, void **data, size *shape, size bytes, bool changed) {
    field_of<T, nested<T>::rank>::back(f, data, shape, bytes, changed);
}
#if defined(_GLIBCXX_VECTOR) || defined(_LIBCPP_VECTOR)
template <class E, class A> struct nested<std::vector<E, A> > {
    enum { rank = nested<E>::rank + 1 };
    typedef typename nested<E>::cell cell;
};
#endif
#if defined(_GLIBCXX_ARRAY) || defined(_LIBCPP_ARRAY)
template <class E, decltype(sizeof(0)) N> struct nested<std::array<E, N> > {
    enum { rank = nested<E>::rank + 1 };
    typedef typename nested<E>::cell cell;
};
template <class E, decltype(sizeof(0)) N, int R> struct slot_of<std::array<E, N>, R> {
    typedef typename nested<E>::cell cell;
    std::array<E, N> value;
    slot_of(void *data, size *shape) : value() { copy(&value, data, sizeof value, shape[0] * sizeof(cell)); }
    std::array<E, N> &get() { return value; }
    void back(void **data, size *shape) { container<std::array<E, N>, R>::put(value, data, shape); }
    void store(void *data, size *shape) { copy(data, &value, sizeof value, shape[0] * sizeof(cell)); }
};
#endif
#if defined(_GLIBCXX_STRING) || defined(_LIBCPP_STRING)
template <> struct stored<std::string> {
    typedef const char *type;
    static const char *give(const std::string &value) {
        char *to = static_cast<char *>(__builtin_malloc(value.size() + 1));
        __builtin_memcpy(to, value.c_str(), value.size() + 1);
        return to;
    }
};
template <> struct slot_of<std::string, 0> {
    std::string value;
    slot_of(void *data, size *) : value(*static_cast<const char **>(data)) {}
    std::string &get() { return value; }
    void back(void **, size *) {}
    void store(void *, size *) {}
};
template <> struct result<std::string> {
    enum { slots = 1 };
    static void put(const std::string &value, void **data, size *shape) {
        shape[0] = static_cast<size>(value.size());
        *data = __builtin_malloc(value.size() + 1);
        __builtin_memcpy(*data, value.data(), value.size());
    }
};
template <> struct slot_of<std::string, 1> {
    std::string value;
    slot_of(void *data, size *shape) : value(static_cast<const char *>(data), shape[0]) {}
    std::string &get() { return value; }
    void back(void **data, size *shape) { result<std::string>::put(value, data, shape); }
    void store(void *, size *) {}
};
template <> struct field_of<std::string, 0> {
    static void set(std::string &f, void **data, size *, size) {
        new (static_cast<void *>(&f)) std::string(*static_cast<const char **>(*data));
    }
    static void back(const std::string &, void **, size *, size, bool) {}
};
inline void laid::part(const char *from, char *to, size bytes) {
    if (bytes) return copy(to, from, bytes, bytes);
    const char *text = stored<std::string>::give(*reinterpret_cast<const std::string *>(from));
    __builtin_memcpy(to, &text, sizeof text);
}
inline void laid::whole(char *to, const char *from, size bytes) {
    if (bytes) return copy(to, from, bytes, bytes);
    const char *text;
    __builtin_memcpy(&text, from, sizeof text);
    *reinterpret_cast<std::string *>(to) = text;
}
#else
inline void laid::part(const char *from, char *to, size bytes) { copy(to, from, bytes, bytes); }
inline void laid::whole(char *to, const char *from, size bytes) { copy(to, from, bytes, bytes); }
#endif
#if defined(_STL_PAIR_H) || defined(_LIBCPP_UTILITY)
template <class A, class B> struct result<std::pair<A, B> > {
    typedef result<typename plain<A>::type> first;
    typedef result<typename plain<B>::type> second;
    enum { slots = first::slots + second::slots };
    static void put(const std::pair<A, B> &value, void **data, size *shape) {
        first::put(value.first, data, shape);
        second::put(value.second, data + first::slots, shape + METALIFT_RANK * first::slots);
    }
};
template <class A, class B, size N> struct several<std::pair<A, B>, N> {
    static void put(const std::pair<A, B> &value, void **data, size *shape, const size *, int) {
        result<std::pair<A, B> >::put(value, data, shape);
    }
};
#endif
#if defined(_GLIBCXX_TUPLE) || defined(_LIBCPP_TUPLE)
template <int K, class V, class... T> struct items {
    enum { slots = 0 };
    static void put(const V &, void **, size *) {}
};
template <int K, class V, class T, class... U> struct items<K, V, T, U...> {
    typedef result<typename plain<T>::type> first;
    typedef items<K + 1, V, U...> others;
    enum { slots = first::slots + others::slots };
    static void put(const V &value, void **data, size *shape) {
        first::put(std::get<K>(value), data, shape);
        others::put(value, data + first::slots, shape + METALIFT_RANK * first::slots);
    }
};
template <class... T> struct result<std::tuple<T...> > : items<0, std::tuple<T...>, T...> {};
template <class... T, size N> struct several<std::tuple<T...>, N> {
    static void put(const std::tuple<T...> &value, void **data, size *shape, const size *, int) {
        result<std::tuple<T...> >::put(value, data, shape);
    }
};
#endif
}"""
