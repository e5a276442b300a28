#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum kind { NUL, BOOL, NUMBER, STRING, ARRAY };

struct value {
    enum kind kind;
    double number;
    char *text;
    struct value *first;
    struct value *next;
};

struct input {
    const char *at;
    const char *error;
};

static struct value *parse_value(struct input *in);

static void skip_blanks(struct input *in) {
    while (isspace((unsigned char)*in->at)) in->at++;
}

static struct value *make(enum kind kind) {
    struct value *v = calloc(1, sizeof *v);
    if (v) v->kind = kind;
    return v;
}

static struct value *parse_string(struct input *in) {
    const char *start = ++in->at;
    while (*in->at && *in->at != '"') in->at++;
    if (!*in->at) {
        in->error = "string without an end";
        return NULL;
    }
    size_t length = in->at - start;
    struct value *v = make(STRING);
    if (!v) return NULL;
    v->text = malloc(length + 1);
    memcpy(v->text, start, length);
    v->text[length] = '\0';
    in->at++;
    return v;
}

static struct value *parse_array(struct input *in) {
    struct value *array = make(ARRAY);
    struct value **end = &array->first;
    in->at++;
    skip_blanks(in);
    while (*in->at && *in->at != ']') {
        struct value *item = parse_value(in);
        if (!item) return NULL;
        *end = item;
        end = &item->next;
        skip_blanks(in);
        if (*in->at == ',') in->at++;
    }
    in->at++;
    return array;
}

static struct value *parse_value(struct input *in) {
    skip_blanks(in);
    switch (*in->at) {
    case '"':
        return parse_string(in);
    case '[':
        return parse_array(in);
    case 't':
        in->at += 4;
        return make(BOOL);
    default: {
        char *end;
        struct value *v = make(NUMBER);
        v->number = strtod(in->at, &end);
        in->at = end;
        return v;
    }
    }
}

struct value *parse(const char *text) {
    struct input in = {text, NULL};
    return parse_value(&in);
}
