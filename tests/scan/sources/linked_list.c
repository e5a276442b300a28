#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

struct node *push(struct node *list, int value) {
    struct node *n = malloc(sizeof *n);
    n->value = value;
    n->next = list;
    return n;
}

int total(const struct node *list) {
    int sum = 0;
    for (; list; list = list->next) sum += list->value;
    return sum;
}

struct node *reverse(struct node *list) {
    struct node *done = NULL;
    while (list) {
        struct node *next = list->next;
        list->next = done;
        done = list;
        list = next;
    }
    return done;
}

struct node *insert_sorted(struct node *list, struct node *new) {
    struct node **at = &list;
    while (*at && (*at)->value < new->value) at = &(*at)->next;
    new->next = *at;
    *at = new;
    return list;
}

void drop(struct node *list) {
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
}
