/* C data: structs, rows of pointers, local arrays, tables. Each function is a kernel of the tests. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct matrix {
    int rows, cols;
    float **vals;
} matrix;

typedef struct {
    int w, h, c;
    float *data;
} image;

typedef struct {
    int dimensions[2];
    float *vals;
} tensor;

struct shape {
    int rows;
    int cols;
};

struct layer {
    struct shape shape;
    double bias;
    float weights[8];
    const float *input;
};

struct network {
    int count;
    struct layer *layer;
    struct {
        float *scratch;
    } state;
};

typedef struct {
    float x, y;
} point;

typedef struct {
    double re, im;
} complex_number;

typedef struct {
    uint8_t r, g, b;
} rgb;

typedef struct {
    int n;
    float *values;
    _Bool centred;
    int64_t step;
    unsigned char kind;
} series;

typedef struct {
    int dim;
    int hidden_dim;
    int n_heads;
} Config;

typedef struct {
    Config config;
    float *x;
    float *xb;
} RunState;

typedef struct {
    float *wq;
    float *wk;
    int rows;
} Weights;

/* darknet */
void matrix_add_in_place(matrix from, matrix to) {
    int i, j;
    for (i = 0; i < from.rows; ++i) {
        for (j = 0; j < from.cols; ++j) {
            to.vals[i][j] += from.vals[i][j];
        }
    }
}

float matrix_trace(const matrix *m) {
    float sum = 0;
    for (int i = 0; i < m->rows; i++)
        sum += m->vals[i][i];
    return sum;
}

void matrix_row_scale(matrix *m, const float *by) {
    for (int i = 0; i < m->rows; i++) {
        float *row = m->vals[i];
        for (int j = 0; j < m->cols; j++)
            *row++ *= by[i];
    }
}

static float get_pixel(image m, int x, int y, int c) {
    return m.data[c * m.h * m.w + y * m.w + x];
}

static void set_pixel(image m, int x, int y, int c, float val) {
    if (x < 0 || y < 0 || c < 0 || x >= m.w || y >= m.h || c >= m.c)
        return;
    m.data[c * m.h * m.w + y * m.w + x] = val;
}

void grayscale(image im, image gray) {
    float scale[] = {0.25f, 0.5f, 0.125f};
    for (int k = 0; k < 3; ++k)
        for (int j = 0; j < im.h; ++j)
            for (int i = 0; i < im.w; ++i)
                gray.data[i + im.w * j] += scale[k] * get_pixel(im, i, j, k);
}

void flip(image im, image out) {
    for (int c = 0; c < im.c; c++)
        for (int y = 0; y < im.h; y++)
            for (int x = 0; x < im.w; x++)
                set_pixel(out, im.w - 1 - x, y, c, get_pixel(im, x, y, c));
}

void tensor_matvec(const tensor *A, const float *x, float *y) {
    for (int i = 0; i < A->dimensions[0]; i++) {
        y[i] = 0.0f;
        for (int j = 0; j < A->dimensions[1]; j++)
            y[i] += A->vals[i * A->dimensions[1] + j] * x[j];
    }
}

int tensor_volume(const tensor *t) {
    int volume = 1;
    for (int k = 0; k < 2; k++)
        volume *= t->dimensions[k];
    return volume;
}

void reshape(tensor *t, int rows) {
    t->dimensions[1] = t->dimensions[0] * t->dimensions[1] / rows;
    t->dimensions[0] = rows;
}

double layer_forward(const struct layer *l, int k) {
    double sum = l->bias;
    for (int i = 0; i < l->shape.cols && i < 8; i++)
        sum += l->weights[i] * l->input[l->shape.rows * k + i];
    return sum;
}

void train(struct layer *l, float rate) {
    for (int i = 0; i < 8; i++)
        l->weights[i] -= rate * l->input[i];
    l->bias -= rate;
}

float through_network(struct network *net, int i) {
    net->state.scratch[i] = net->layer->weights[2] + net->layer->input[i];
    net->count++;
    return net->state.scratch[i] * net->layer->shape.rows;
}

float distance(point a, point b) {
    float dx = a.x - b.x, dy = a.y - b.y;
    return sqrtf(dx * dx + dy * dy);
}

point midpoint(point a, point b) {
    point m = {(a.x + b.x) / 2, (a.y + b.y) / 2};
    return m;
}

complex_number multiply(complex_number a, complex_number b) {
    complex_number c;
    c.re = a.re * b.re - a.im * b.im;
    c.im = a.re * b.im + a.im * b.re;
    return c;
}

complex_number cube(complex_number a) {
    return multiply(multiply(a, a), a);
}

int luma(rgb c) {
    return (c.r * 77 + c.g * 150 + c.b * 29) >> 8;
}

float series_mean(series s) {
    float total = 0;
    for (int64_t i = 0; i < s.n; i += s.step)
        total += s.values[i] - (s.centred ? 1.0f : 0.0f);
    s.n += s.kind;
    return total / s.n;
}

void count_positive(series *s) {
    s->n = 0;
    for (int i = 0; i < 10; i++)
        if (s->values[i] > 0)
            s->n++;
}

void same_struct(const point *a, point *b, float *out) {
    b->x = a->y;
    out[0] = a->x + b->x;
}

/* llama2.c */
void state_scale(RunState *s, const Weights *w) {
    Config *p = &s->config;
    int dim = p->dim;
    for (int i = 0; i < dim; i++)
        s->xb[i] = s->x[i] * w->wq[i * w->rows] + w->wk[i];
}

void gemm_ijk(float **a, float **b, float **c, int n, int m, int p) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < p; j++) {
            float sum = 0;
            for (int k = 0; k < m; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
}

void gemm_ikj(const float *const *a, float **b, float **c, int n, int m, int p) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < m; k++) {
            const float aik = a[i][k];
            float *row = c[i];
            const float *from = b[k];
            for (int j = 0; j < p; j++)
                row[j] += aik * from[j];
        }
}

int sum_rows(int *a[], int n, int m) {
    int s = 0;
    for (int **row = a; row < a + n; row++)
        for (int *p = *row; p != *row + m; ++p)
            s += *p;
    return s;
}

void transposed(int **a, int **t, int rows, int cols) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            *(*(t + j) + i) = *(*(a + i) + j);
}

float volume(float ***a, int n, int m, int k) {
    float s = 0;
    for (int x = 0; x < n; x++)
        for (int y = 0; y < m; y++)
            for (int z = 0; z < k; z++)
                s += a[x][y][z];
    return s;
}

void fill_rows(uint8_t **a, int n, int m) {
    for (int i = 0; i < n; i++)
        memset(a[i], 7, m);
}

float fixed_matrix(const float a[4][5], const float (*b)[5], int i) {
    float s = 0;
    for (int j = 0; j < 5; j++)
        s += a[i][j] * b[j & 3][i];
    return s;
}

float at_least(const float a[static 8], float *restrict out) {
    for (int i = 0; i < 8; i++)
        out[i] = a[7 - i];
    return a[3];
}

void histogram(const uint8_t *p, int *out, int n) {
    int h[16] = {0};
    for (int i = 0; i < n; i++)
        h[p[i] >> 4]++;
    for (int i = 0; i < 16; i++)
        out[i] = h[i];
}

void reverse(float *x, int n) {
    float t[n];
    memcpy(t, x, n * sizeof(float));
    for (int i = 0; i < n; i++)
        x[i] = t[n - 1 - i];
}

void blur(const float *x, float *y, int n) {
    float *t = malloc(n * sizeof *t);
    if (t == NULL)
        return;
    for (int i = 0; i < n; i++)
        t[i] = x[i] / 3;
    for (int i = 1; i + 1 < n; i++)
        y[i] = t[i - 1] + t[i] + t[i + 1];
    free(t);
}

void prefix(const int *x, int *y, int n) {
    int *sums = (int *)calloc(n + 1, sizeof(int));
    for (int i = 0; i < n; i++)
        sums[i + 1] = sums[i] + x[i];
    for (int i = 0; i < n; i++)
        y[i] = sums[i + 1];
    free(sums);
}

static const float taps[5] = {1, 2, 4, 2, 1};
void fir(const float *x, float *y, int n) {
    for (int i = 0; i < n; i++) {
        float s = 0;
        for (int j = 0; j < 5; j++)
            s += x[i + j] * taps[j];
        y[i] = s;
    }
}

static const int sharpen[3][3] = {{0, -1, 0}, {-1, 5, -1}, {0, -1, 0}};
void convolve(const int *x, int *y, int h, int w) {
    for (int i = 1; i < h - 1; i++)
        for (int j = 1; j < w - 1; j++) {
            int s = 0;
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                    s += x[(i + a - 1) * w + j + b - 1] * sharpen[a][b];
            y[i * w + j] = s;
        }
}

static unsigned char lut[32] = {0,  1,  1,  2,  4,  6,  9,  12, 16,  20,  25,  30,  36,  42,  49,  56,
                                64, 72, 81, 90, 99, 99, 99, 99, 128, 140, 150, 160, 170, 180, 190, 255};
int look_up(const uint8_t *x, uint8_t *y, int n) {
    for (int i = 0; i < n; i++)
        y[i] = lut[x[i] & 31];
    return lut[n & 31];
}

float local_taps(const float *x) {
    const double c[3] = {0.5, 0.25, 0.125};
    float w[4] = {1, 2, 3, 4};
    float s = 0;
    for (int i = 0; i < 3; i++)
        s += x[i] * c[i];
    for (int i = 0; i < 4; i++)
        w[i] *= s;
    return w[0] + w[3];
}

void tile(const float *x, float *y) {
    float t[4][4];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            t[j][i] = x[i * 4 + j];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            y[i * 4 + j] = t[i][j];
}

void by_rows(const int *x, int *y, int n, int m) {
    for (int i = 0; i < n; i++) {
        int t[n][m];
        for (int j = 0; j < m; j++)
            t[i][j] = x[i * m + j];
        for (int j = 0; j < m; j++)
            y[i * m + j] = t[i][m - 1 - j];
    }
}

float unrolled(const float *x) {
    float acc[4] = {0};
    acc[0] += x[0];
    acc[1] += x[1];
    acc[2] += x[2] * acc[0];
    return acc[0] + acc[1] + acc[2] + acc[3];
}

static void scale_copy(struct layer l, struct layer *out, float by) {
    l.bias *= by;
    out->bias = l.bias + l.weights[1];
}
double copies(struct layer *l, float by) {
    struct layer before = *l;
    scale_copy(before, l, by);
    return before.bias;
}

void ignored(int n, float a, const float *restrict x, float *restrict y) {
#pragma omp parallel for simd
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}

float largest(const float *x, int n) {
    float m = -INFINITY;
    for (int i = 0; i <= n; i++)
        if (x[i] > m)
            m = x[i];
    return m;
}

void clear_pixels(image *im, uint8_t *mask, int *sizes) {
    for (int i = 0; i < im->w; i++)
        mask[i] = 0;
    sizes[0] = im->h;
}

typedef struct { float x, y, z; } vector3;
vector3 cross_product(vector3 a, vector3 b) {
    vector3 product = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return product;
}
float along(vector3 direction, const float *v, int n) {
    float sum = 0;
    for (int i = 0; i < n; i++) sum += direction.x * v[3 * i] + direction.y * v[3 * i + 1] + direction.z * v[3 * i + 2];
    return sum;
}
