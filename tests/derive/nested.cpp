// Vectors of vectors and rows of pointers: local ones are filled by push_back, by index and row by row.
#include <cmath>
#include <cstddef>
#include <vector>

using Row = std::vector<float>;
using Matrix = std::vector<Row>;

// return [a[r.2, c.1] * s for r.2 < len(a), c.1 < len(a, 1)]
// accesses a[0 .. len(a) - 1, 0 .. len(a, 1) - 1]
Matrix pushed_rows(const Matrix &a, float s) {
    Matrix out;
    for (std::size_t i = 0; i < a.size(); i++) {
        Row row;
        for (std::size_t j = 0; j < a[i].size(); j++) row.push_back(a[i][j] * s);
        out.push_back(row);
    }
    return out;
}

// return [2 * a[r.2, c.1] for r.2 < len(a), c.1 < len(a, 1)]
// accesses a[0 .. len(a) - 1, 0 .. len(a, 1) - 1]
Matrix by_index(const Matrix &a) {
    Matrix out(a.size(), Row(a[0].size()));
    for (std::size_t i = 0; i < a.size(); i++)
        for (std::size_t j = 0; j < a[0].size(); j++) out[i][j] = 2 * a[i][j];
    return out;
}

// return [2 * a[r.2, c.1] for r.2 < len(a), c.1 < len(a, 1)]
// accesses a[0 .. len(a) - 1, 0 .. len(a, 1) - 1]
Matrix pushed_into_rows(const Matrix &a) {
    Matrix out(a.size());
    for (std::size_t i = 0; i < a.size(); i++)
        for (std::size_t j = 0; j < a[i].size(); j++) out[i].push_back(2 * a[i][j]);
    return out;
}

// return [a[r.2, c.1] + 1 for r.2 < len(a), c.1 < len(a, 1)]
// accesses a[0 .. len(a) - 1, 0 .. len(a, 1) - 1]
Matrix columns_of_no_rows(const Matrix &a) {
    const std::size_t rows = a.size(), cols = a.empty() ? 0 : a[0].size();
    Matrix out(rows, Row(cols));
    for (std::size_t i = 0; i < rows; i++)
        for (std::size_t j = 0; j < cols; j++) out[i][j] = a[i][j] + 1;
    return out;
}

// return [a[c.1, r.2] for r.2 < len(a, 1), c.1 < len(a)]
// accesses a[0 .. len(a) - 1, 0 .. len(a, 1) - 1]
Matrix transposed(const Matrix &a) {
    Matrix t(a[0].size(), Row(a.size()));
    for (std::size_t i = 0; i < a.size(); i++)
        for (std::size_t j = 0; j < a[i].size(); j++) t[j][i] = a[i][j];
    return t;
}

// return [fold(len(b), 0.0:f32, acc_1, k: acc_1 + a[r.2, k] * b[k, c.1]) for r.2 < len(a), c.1 < len(b, 1)]
// accesses a[0 .. len(a) - 1, 0 .. len(b) - 1]
// accesses b[0 .. len(b) - 1, 0 .. len(b, 1) - 1]
Matrix product(const Matrix &a, const Matrix &b) {
    Matrix c(a.size(), Row(b[0].size()));
    for (std::size_t i = 0; i < a.size(); i++)
        for (std::size_t k = 0; k < b.size(); k++)
            for (std::size_t j = 0; j < b[0].size(); j++) c[i][j] += a[i][k] * b[k][j];
    return c;
}

// return [fold(len(a, 1), 0.0:f32, acc, begin2: acc + a[k.1, begin2]) for k.1 < len(a)]
// accesses a[0 .. len(a) - 1, 0 .. len(a, 1) - 1]
Row row_sums(const Matrix &a) {
    Row out;
    for (const auto &row : a) {
        float s = 0;
        for (float v : row) s += v;
        out.push_back(s);
    }
    return out;
}

// return [exp(a[r.2, c.1] - fold(len(a, 1) - 1, a[r.2, 0], acc, j: max(acc, a[r.2, j + 1]))) / fold(len(a, 1), 0, acc, j: acc + exp(a[r.2, j] - fold(len(a, 1) - 1, a[r.2, 0], acc, j: max(acc, a[r.2, j + 1])))) for r.2 < len(a), c.1 < len(a, 1)]
// accesses a[0 .. len(a) - 1, 0 .. max(1, len(a, 1)) - 1]
Matrix softmax(const Matrix &a) {
    Matrix out;
    for (const auto &row : a) {
        float m = row[0];
        for (std::size_t j = 1; j < row.size(); j++)
            if (row[j] > m) m = row[j];
        Row e(row.size());
        float s = 0;
        for (std::size_t j = 0; j < row.size(); j++) {
            e[j] = std::exp(row[j] - m);
            s += e[j];
        }
        for (std::size_t j = 0; j < row.size(); j++) e[j] /= s;
        out.push_back(e);
    }
    return out;
}

// return a[int(n) - 1] if 0 < int(n) else 0
// accesses a[0 .. int(n) - 1]
float a_row_of_another_length_each_time(int n, const float *a) {
    float last = 0;
    for (int i = 0; i < n; i++) {
        Row row;
        for (int j = 0; j <= i; j++) row.push_back(a[j]);
        last = row[i];
    }
    return last;
}

// out_1 = update(out, [i, j] = a[-i + int(rows) - 1, int(cols) - j - 1] for i < int(rows), j < int(cols))
// out := out_1
// accesses a[0 .. int(rows) - 1, 0 .. int(cols) - 1]
// accesses out[0 .. int(rows) - 1, 0 .. int(cols) - 1]
void reversed_rows(float **a, float **out, int rows, int cols) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) out[rows - 1 - i][j] = a[i][cols - 1 - j];
}

// a_1 = update(a, [i + 1, j] = fold(i + 1, a[0, j], acc_1, i_1: acc_1 + a[i_1 + 1, j]) for i < int(rows) - 1, j < int(cols))
// a := a_1
// accesses a[0 .. int(rows) - 1, 0 .. int(cols) - 1]
void running_sums(float **a, int rows, int cols) {
    for (int i = 1; i < rows; i++)
        for (int j = 0; j < cols; j++) a[i][j] += a[i - 1][j];
}

// a_1 = update(a, [i, i] = v for i < int(n))
// a := a_1
// accesses a[0 .. int(n) - 1, 0 .. int(n) - 1]
void diagonal(float **a, int n, float v) {
    for (int i = 0; i < n; i++) a[i][i] = v;
}

// a_1 = update(a, [2 * i, 3 * j + 1] = 0 for i < int(n), j < int(m))
// a := a_1
// accesses a[0 .. 2 * int(n) - 1 - 1, 0 .. 3 * int(m) - 1 - 1]
void every_other(float **a, int n, int m) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) a[2 * i][3 * j + 1] = 0;
}

// return a[int(n) - 1] if 0 < int(n) else -1
// accesses a[0 .. int(n) - 1]
float last(int n, const float *a) {
    float found = -1;
    for (int i = 0; i < n; i++) found = a[i];
    return found;
}

// out_1 = update(out, [i] = a[i] - (a[i - 1] if 0 < i else 0) for i < int(n))
// out := out_1
// accesses a[0 .. int(n) - 1]
// accesses out[0 .. int(n) - 1]
void differences(int n, const float *a, float *out) {
    float before = 0;
    for (int i = 0; i < n; i++) {
        out[i] = a[i] - before;
        before = a[i];
    }
}
