// The same in C++.
#include <cstdint>

struct pixel {
    uint8_t r, g, b;
};

struct image {
    int width, height;
    struct pixel *data;
};

typedef struct {
    float re, im;
} complex_number;

typedef struct {
    double position[3], velocity[3];
    int id;
    float mass;
} body;

void to_gray(int n, const struct pixel *p, uint8_t *gray)
{
    for (int i = 0; i < n; i++)
        gray[i] = (p[i].r * 77 + p[i].g * 150 + p[i].b * 29) >> 8;
}

void swap_red_and_blue(struct image *im)
{
    for (int y = 0; y < im->height; y++)
        for (int x = 0; x < im->width; x++) {
            struct pixel p = im->data[y * im->width + x];
            uint8_t red = p.r;
            p.r = p.b;
            p.b = red;
            im->data[y * im->width + x] = p;
        }
}

void multiply_add(int n, complex_number a, const complex_number *x, complex_number *y)
{
    for (int i = 0; i < n; i++) {
        y[i].re += a.re * x[i].re - a.im * x[i].im;
        y[i].im += a.re * x[i].im + a.im * x[i].re;
    }
}

void drift(int n, body *bodies, double dt)
{
    for (body *b = bodies; b < bodies + n; b++)
        for (int k = 0; k < 3; k++)
            b->position[k] += dt * b->velocity[k];
}

double center_of_mass(int n, const body *bodies)
{
    double sum = 0, mass = 0;
    for (int i = 0; i < n; i++) {
        const body *b = &bodies[i];
        sum += b->position[0] * b->mass;
        mass += b->mass;
    }
    return sum / mass;
}

void reversed(int n, const complex_number *x, complex_number *y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[n - 1 - i];
}
