#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    char *key;
    int value;
    struct entry *next;
};

struct table {
    struct entry **buckets;
    size_t size;
    size_t used;
};

static uint64_t hash(const char *key) {
    uint64_t h = 14695981039346656037ull;
    for (const char *p = key; *p; p++) {
        h ^= (unsigned char)*p;
        h *= 1099511628211ull;
    }
    return h;
}

struct table *table_new(size_t size) {
    struct table *t = malloc(sizeof *t);
    t->buckets = calloc(size, sizeof *t->buckets);
    t->size = size;
    t->used = 0;
    return t;
}

int *table_find(struct table *t, const char *key) {
    for (struct entry *e = t->buckets[hash(key) % t->size]; e; e = e->next) {
        if (strcmp(e->key, key) == 0) return &e->value;
    }
    return NULL;
}

static void grow(struct table *t) {
    size_t size = 2 * t->size;
    struct entry **buckets = calloc(size, sizeof *buckets);
    for (size_t i = 0; i < t->size; i++) {
        struct entry *e = t->buckets[i];
        while (e) {
            struct entry *next = e->next;
            size_t at = hash(e->key) % size;
            e->next = buckets[at];
            buckets[at] = e;
            e = next;
        }
    }
    free(t->buckets);
    t->buckets = buckets;
    t->size = size;
}

void table_put(struct table *t, const char *key, int value) {
    int *found = table_find(t, key);
    if (found) {
        *found = value;
        return;
    }
    if (t->used > t->size) grow(t);
    size_t at = hash(key) % t->size;
    struct entry *e = malloc(sizeof *e);
    e->key = strdup(key);
    e->value = value;
    e->next = t->buckets[at];
    t->buckets[at] = e;
    t->used++;
}

void table_free(struct table *t) {
    for (size_t i = 0; i < t->size; i++) {
        for (struct entry *e = t->buckets[i], *next; e; e = next) {
            next = e->next;
            free(e->key);
            free(e);
        }
    }
    free(t->buckets);
    free(t);
}
