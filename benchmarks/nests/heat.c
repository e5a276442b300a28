/* Conjugate gradients for one implicit step of the heat equation on a grid, with its log on the standard output. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N 64

static double u[N][N], b[N][N], r[N][N], p[N][N], q[N][N];
static double coeff[N];

/* Reads the boundary from a file, solves, and returns the number of iterations, or -1. */
int heat_step(const char *name, double dt, double k, double tol, int max_iter, double *history) {
    FILE *file = fopen(name, "r");
    if (!file) {
        perror(name);
        return -1;
    }
    for (int i = 0; i < N; i++) {
        if (fscanf(file, "%lf", &coeff[i]) != 1) {
            fclose(file);
            return -1;
        }
    }
    fclose(file);

    double lambda = k * dt * (N - 1) * (N - 1);

    /* the right side: the old temperature, and the boundary */
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            b[i][j] = u[i][j] + dt * coeff[i] * coeff[j];
    for (int j = 0; j < N; j++) {
        b[0][j] = coeff[j];
        b[N - 1][j] = -coeff[j];
    }

    /* residual of the old temperature as a first guess */
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
            q[i][j] = (1 + 4 * lambda) * u[i][j] - lambda * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
    double rho = 0.0;
    for (int i = 1; i < N - 1; i++) {
        for (int j = 1; j < N - 1; j++) {
            r[i][j] = b[i][j] - q[i][j];
            p[i][j] = r[i][j];
            rho += r[i][j] * r[i][j];
        }
    }

    int it;
    for (it = 0; it < max_iter && sqrt(rho) > tol; it++) {
        /* q = A p */
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                q[i][j] = (1 + 4 * lambda) * p[i][j] - lambda * (p[i - 1][j] + p[i + 1][j] + p[i][j - 1] + p[i][j + 1]);
        double pq = 0.0;
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                pq += p[i][j] * q[i][j];
        double alpha = rho / pq;

        double next = 0.0;
        for (int i = 1; i < N - 1; i++) {
            for (int j = 1; j < N - 1; j++) {
                u[i][j] += alpha * p[i][j];
                r[i][j] -= alpha * q[i][j];
            }
        }
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                next += r[i][j] * r[i][j];

        double beta = next / rho;
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                p[i][j] = r[i][j] + beta * p[i][j];
        rho = next;
        history[it] = sqrt(rho);
        printf("%d %g\n", it, history[it]);
    }

    /* the largest temperature, and the heat in every row */
    double hottest = u[0][0];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            if (u[i][j] > hottest)
                hottest = u[i][j];
    double rows[N];
    for (int i = 0; i < N; i++) {
        rows[i] = 0.0;
        for (int j = 0; j < N; j++)
            rows[i] += u[i][j];
    }
    double total = 0.0;
    for (int i = 0; i < N; i++)
        total += rows[i];
    printf("hottest %g total %g\n", hottest, total);
    return it;
}
