#include <stdbool.h>

// number_1 = fold(int(n), 0, acc, i: acc + (1 if counts[i] else 0))
// low_1 = fold(int(n), (False, 0.0:f64), acc, i: (acc[0] or counts[i], (min(x[i], acc[1]) if acc[0] else x[i]) if counts[i] else acc[1]))[1]
// return low_1 / f64(number_1)
// accesses x[0 .. int(n) - 1]
// accesses counts[0 .. int(n) - 1]
double lowest(int n, const double *x, const bool *counts) {
    double low = 0;
    int number = 0;
    for (int i = 0; i < n; i++) {
        if (counts[i]) {
            if (number == 0 || x[i] < low) low = x[i];
            number++;
        }
    }
    return low / number;
}

// found_1 = fold(int(n), False, acc, i: acc or start <= x[i])
// best_1 = fold(int(n), start, acc, i: max(acc, x[i])) if found_1 else 0
// any_1 = update(any, [0] = found_1)
// any := any_1
// return best_1
// accesses x[0 .. int(n) - 1]
// accesses any[0 .. 1 - 1]
int best_from(int n, const int *x, int start, bool *any) {
    int best = 0;
    bool found = false;
    for (int i = 0; i < n; i++) {
        int so_far = found ? best : start;
        if (x[i] >= so_far) {
            best = x[i];
            found = true;
        }
    }
    *any = found;
    return best;
}

// found_1 = -1:i32 < fold(int(n), -1, acc, i: max(acc, x[i]))
// return (fold(int(n), -1:i32, acc, i: max(acc, x[i])) if -1:i32 < fold(int(n), -1, acc, i: max(acc, x[i])) else 0) if found_1 else 7
// accesses x[0 .. int(n) - 1]
int best_above(int n, const int *x) {
    int best = 0;
    bool found = false;
    for (int i = 0; i < n; i++) {
        if (x[i] > (found ? best : -1)) {
            best = x[i];
            found = true;
        }
    }
    return found ? best : 7;
}

// best_1 = fold(int(n), 0, acc, i: max(acc, x[i]) if 0 < y[i] else acc)
// return best_1
// accesses x[0 .. int(n) - 1]
// accesses y[0 .. int(n) - 1]
int conditional(int n, const int *x, const int *y) {
    int best = 0;
    for (int i = 0; i < n; i++)
        if (y[i] > 0 && x[i] > best) best = x[i];
    return best;
}

// there_1 = fold(int(n), False, acc, i: keys[i] == key or acc)
// return fold(int(n), (False, 0:i32, 0:i32), acc, i: (keys[i] == key or acc[0], (max(acc[1], x[i]) if acc[0] else x[i]) if keys[i] == key else acc[1], ((x[i] * 2 if acc[1] < x[i] else acc[2]) if acc[0] else x[i] * 2) if keys[i] == key else acc[2]))[2] if there_1 else -1
// accesses keys[0 .. int(n) - 1]
// accesses x[0 .. int(n) - 1]
int filled_together(int n, const int *keys, const int *x, int key) {
    bool there = false, other = false;
    int best = 0, twice = 0;
    for (int i = 0; i < n; i++) {
        if (keys[i] == key) {
            if (!there || x[i] > best) {
                best = x[i];
                twice = x[i] * 2;
                other = true;
            }
            there = true;
        }
    }
    return other ? twice : -1;
}

// best_1 = fold(int(n), (False, 0:i32), acc, i: ((acc[1] if acc[0] else y[i]) < x[i] or acc[0], x[i] if (acc[1] if acc[0] else y[i]) < x[i] else acc[1]))[1]
// return best_1
// accesses x[0 .. int(n) - 1]
// accesses y[0 .. int(n) - 1]
int not_the_start(int n, const int *x, const int *y) {
    int best = 0;
    bool found = false;
    for (int i = 0; i < n; i++) {
        if (x[i] > (found ? best : y[i])) {
            best = x[i];
            found = true;
        }
    }
    return best;
}
