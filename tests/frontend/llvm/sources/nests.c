#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    float *q, *x;
    float scale;
    int dim;
} State;
typedef struct {
    State state;
} Model;

static int total;
static double grid[8][8];

static void matmul(float *out, const float *x, const float *w, int n, int d) {
    for (int i = 0; i < d; i++) {
        float val = 0.0f;
        for (int j = 0; j < n; j++)
            val += w[i * n + j] * x[j];
        out[i] = val;
    }
}

int long_one(Model *m, float *w, uint8_t *bytes, unsigned count, int l) {
    State *s = &m->state;
    printf("begin\n");
    for (int i = 0; i < s->dim; i++) // members
        s->x[i] = s->scale * s->q[i];
    matmul(s->q, s->x, w + l * s->dim, s->dim, s->dim);
    unsigned sum = 0;
    int at = -1;
    for (unsigned i = 0; i < count; i++) { // a break, two results
        if (bytes[i] == 7) {
            at = (int)i;
            break;
        }
        sum += bytes[i];
    }
    printf("%u %d\n", sum, at);
    uint8_t *p = bytes;
    while (*p != 0) // a pointer is left behind
        p++;
    printf("%d\n", (int)(p - bytes));
    for (unsigned i = 0; i < count; i++) // left to two places
        if (bytes[i] == 9)
            return -1;
    int table[4];
    for (int i = 0; i < 4; i++) // a local array
        table[i] = i * l;
    printf("%d %d\n", table[0], table[3]);
    for (int i = 0; i < 8; i++) { // globals, and an array that lives inside
        double row[8];
        for (int j = 0; j < 8; j++)
            row[j] = grid[i][j] * total;
        for (int j = 0; j < 8; j++)
            grid[i][j] = row[7 - j];
    }
    uint8_t *end = bytes + count;
    for (uint8_t *q = bytes; q < end; q++) // two pointers into one array
        *q = 255 - *q;
    for (;;) { // never left
        printf("%d", getchar());
    }
}

float *rows_of(float *a, int n, int k) {
    float *first = a + k, *second = a + k + n;
    float *third = second;
    printf("%p\n", (void *)third);
    for (int i = 0; i < n; i++) // overlapping parts of one array
        first[i] = second[i];
    return a;
}

int undefined_start(const int *a, int n, int which) {
    int x;
    if (which)
        x = 1;
    printf("%d\n", n);
    for (int i = 0; i < n; i++) // from a variable that may not be set
        x += a[i];
    return x;
}

void by_goto(int *a, int n) {
    int i = 0;
    puts("");
again:
    a[i] = i;
    if (++i < n)
        goto again;
}

float leave_early(const float *x, int n, float most, int *at) {
    float total = 0;
    for (int i = 0; i < n; i++) {  // a break past variables of the body
        float value = x[i], twice;
        if (value > most) break;
        twice = value + value;
        total += twice;
    }
    for (int i = 0; i < n; i++) {  // and another one
        float value = x[i];
        if (value < most) break;
        at[i] = 1;
    }
    return total;
}

typedef struct { float x, y, w, h; } Box;
static Box box_at(const float *v) {
    Box made = {v[0], v[1], v[2], v[3]};
    return made;
}
float two_sums(const float *v, int n) {
    float widths = 0, heights = 0;
    for (int i = 0; i < n; i++) { // boxes
        Box box = box_at(v + 4 * i);
        widths += box.w;
        heights += box.h;
    }
    return widths * heights;
}

struct picture { int rows, columns, depth; float *data; };
struct table { int rows, columns; float **cells; };
int outside(void);
float by_value(struct picture p, struct table t) {
    float total = outside();
    for (int i = 0; i < p.rows; i++) total += p.data[i]; // in memory
    for (int i = 0; i < t.rows; i++) total += t.cells[i][0]; // in registers
    return total;
}

static struct picture made(int rows, int columns) {
    struct picture made = {rows, columns, 1, calloc(rows * columns, sizeof(float))};
    return made;
}
static float cell(struct picture p, int at) { return p.data[at]; }
struct picture inverted(struct picture p) {
    struct picture result = made(p.rows, p.columns);
    for (int i = 0; i < p.rows * p.columns; i++) result.data[i] = 1 - cell(p, i); // into a result
    return result;
}
struct picture counted(struct picture p, int most) {
    struct picture result = p;
    for (int i = 0; i < most; i++) result.depth += outside() > i; // a member of a result
    for (int i = 0; i < most; i++) result.rows += i; // another member of a result
    return result;
}
static float product(Box a, Box b) { return a.x * b.x + a.h * b.h; }
float by_boxes(const float *v, int n, Box other) {
    float total = outside();
    for (int i = 0; i < n; i++) total += product(box_at(v + 4 * i), other); // boxes in registers
    return total;
}
typedef struct { short low, high; int both; } Halves;
static Halves stepped(Halves h) {
    Halves next = {h.high, h.low, h.both + h.low};
    return next;
}
int by_halves(int n, Halves h) {
    h.both += outside();
    for (int i = 0; i < n; i++) h = stepped(h); // members in one register
    return h.both;
}
struct large { int first[40]; int width, height; float *cells, rest[300]; };
static float large_cell(struct large l, int at) { return l.cells[at] * l.width; }
float by_copies(struct large l, int n) {
    float total = outside();
    for (int i = 0; i < n; i++) total += large_cell(l, i); // a copy of which little is used
    return total;
}
typedef struct { float x, y, z; } Vector;
static Vector crossed(Vector a, Vector b) {
    Vector made = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return made;
}
float by_vectors(const Vector *p, int n) {
    float sum = outside();
    for (int i = 0; i + 1 < n; i++) { // in a vector register and a float
        Vector c = crossed(p[i], p[i + 1]);
        sum += c.x + c.z;
    }
    return sum;
}
