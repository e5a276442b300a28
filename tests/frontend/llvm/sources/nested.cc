#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

using std::size_t;
using std::vector;
typedef vector<vector<int>> Matrix;
using Image = std::vector<std::vector<uint8_t>>;

vector<vector<int>> blend_add(const vector<vector<int>>& base, const vector<vector<int>>& active, int opacity) {
  vector<vector<int>> out;
  int m = base.size();
  int n = base[0].size();
  for (int row = 0; row < m; row++) {
    vector<int> row_vec;
    for (int col = 0; col < n; col++) {
      int pixel = opacity * active[row][col] + (1 - opacity) * base[row][col];
      row_vec.push_back(pixel);
    }
    out.push_back(row_vec);
  }
  return out;
}

Image screen_8(Image base, Image active) {
  Image out;
  for (size_t i = 0; i < base.size(); ++i) {
    vector<uint8_t> row;
    row.reserve(base[i].size());
    for (size_t j = 0; j < base[i].size(); ++j)
      row.emplace_back(base[i][j] + active[i][j] - (base[i][j] * active[i][j]) / 255);
    out.emplace_back(std::move(row));
  }
  return out;
}

Matrix matmul_ijk(const Matrix& a, const Matrix& b) {
  size_t m = a.size(), k = b.size(), n = b[0].size();
  Matrix c(m, vector<int>(n, 0));
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++)
      for (size_t l = 0; l < k; l++) c[i][j] += a[i][l] * b[l][j];
  return c;
}

Matrix matmul_ikj(const Matrix& a, const Matrix& b) {
  int m = (int)a.size(), k = (int)b.size(), n = (int)b[0].size();
  Matrix c(m, vector<int>(n));
  for (int i = 0; i < m; i++)
    for (int l = 0; l < k; l++) {
      int x = a[i][l];
      for (int j = 0; j < n; j++) c[i][j] += x * b[l][j];
    }
  return c;
}

vector<vector<double>> matmul_rows(const vector<vector<double>>& a, const vector<vector<double>>& b) {
  vector<vector<double>> result;
  for (const auto& row : a) {
    vector<double> line(b[0].size(), 0.0);
    for (size_t j = 0; j < line.size(); j++) {
      double sum = 0;
      for (size_t l = 0; l < row.size(); l++) sum += row[l] * b[l][j];
      line[j] = sum;
    }
    result.push_back(line);
  }
  return result;
}

Matrix transpose_sized(const Matrix& a) {
  Matrix t(a[0].size(), vector<int>(a.size()));
  for (size_t i = 0; i < a.size(); i++)
    for (size_t j = 0; j < a[0].size(); j++) t[j][i] = a[i][j];
  return t;
}

Matrix transpose_pushed(const Matrix& a) {
  Matrix t(a[0].size());
  for (const vector<int>& row : a)
    for (size_t j = 0; j < row.size(); j++) t[j].push_back(row[j]);
  return t;
}

Matrix outer(const vector<int>& x, const vector<int>& y) {
  Matrix out;
  out.resize(x.size());
  for (size_t i = 0; i < x.size(); i++) {
    out[i].resize(y.size());
    for (size_t j = 0; j < y.size(); j++) out[i][j] = x[i] * y[j];
  }
  return out;
}

vector<int> row_sums(const Matrix& a) {
  vector<int> sums;
  for (const auto& row : a) {
    int s = 0;
    for (int x : row) s += x;
    sums.push_back(s);
  }
  return sums;
}

vector<int> column_sums(const Matrix& a) {
  vector<int> sums(a.front().size(), 0);
  for (auto row = a.begin(); row != a.end(); ++row)
    for (size_t j = 0; j < row->size(); j++) sums[j] += (*row)[j];
  return sums;
}

int total(const Matrix& a) {
  int s = 0;
  for (auto it = a.cbegin(); it < a.cend(); it++)
    for (auto x = it->begin(); x != it->end(); x++) s += *x;
  return s;
}

int trace(const Matrix& a) {
  int s = 0;
  for (size_t i = 0; i < a.size(); i++) s += a.at(i).at(i);
  return s;
}

void double_all(Matrix& a) {
  for (auto& row : a)
    for (auto& x : row) x *= 2;
}

void add_to(Matrix& a, const Matrix& b) {
  for (size_t i = 0; i < a.size(); i++) {
    vector<int>& row = a[i];
    const vector<int>& other = b[i];
    for (size_t j = 0; j < row.size(); j++) row[j] += other[j];
  }
}

vector<vector<double>> softmax_rows(const vector<vector<double>>& a) {
  vector<vector<double>> out(a.size());
  for (size_t i = 0; i < a.size(); i++) {
    double most = a[i][0];
    for (size_t j = 1; j < a[i].size(); j++) most = std::max(most, a[i][j]);
    vector<double> e;
    double sum = 0;
    for (double x : a[i]) {
      e.push_back(std::exp(x - most));
      sum += e.back();
    }
    for (auto& x : e) x /= sum;
    out[i] = e;
  }
  return out;
}

vector<vector<float>> normalise_rows(vector<vector<float>> a) {
  for (auto& row : a) {
    float sum = 0;
    for (float x : row) sum += x * x;
    float scale = 1.0f / std::sqrt(sum + 1.0f);
    for (float& x : row) x = x * scale;
  }
  return a;
}

Matrix stencil(const Matrix& in) {
  int h = in.size(), w = in[0].size();
  Matrix out(h, vector<int>(w, 0));
  for (int y = 1; y < h - 1; y++)
    for (int x = 1; x < w - 1; x++) out[y][x] = in[y - 1][x] + in[y + 1][x] + in[y][x - 1] + in[y][x + 1] - 4 * in[y][x];
  return out;
}

Matrix max_pool(const Matrix& in) {
  Matrix out(in.size() / 2, vector<int>(in[0].size() / 2));
  for (size_t i = 0; i < out.size(); i++)
    for (size_t j = 0; j < out[i].size(); j++) {
      int m = in[2 * i][2 * j];
      m = std::max(m, in[2 * i + 1][2 * j]);
      m = std::max(m, in[2 * i][2 * j + 1]);
      out[i][j] = std::max(m, in[2 * i + 1][2 * j + 1]);
    }
  return out;
}

vector<vector<uint8_t>> gray(const vector<vector<vector<uint8_t>>>& image) {
  vector<vector<uint8_t>> out(image.size(), vector<uint8_t>(image[0].size()));
  for (size_t i = 0; i < image.size(); i++)
    for (size_t j = 0; j < image[i].size(); j++)
      out[i][j] = (uint8_t)((image[i][j][0] * 77 + image[i][j][1] * 150 + image[i][j][2] * 29) >> 8);
  return out;
}

vector<vector<vector<int>>> batch_add(const vector<vector<vector<int>>>& a, const vector<vector<vector<int>>>& b) {
  vector<vector<vector<int>>> out;
  for (size_t i = 0; i < a.size(); i++) {
    Matrix plane;
    for (size_t j = 0; j < a[i].size(); j++) {
      vector<int> row;
      for (size_t k = 0; k < a[i][j].size(); k++) row.push_back(a[i][j][k] + b[i][j][k]);
      plane.push_back(row);
    }
    out.push_back(plane);
  }
  return out;
}

vector<vector<vector<int>>> cube(int n, int x) { return vector<vector<vector<int>>>(n, Matrix(n, vector<int>(2, x))); }

static int dot(const vector<int>& x, const vector<int>& y) {
  int s = 0;
  for (size_t i = 0; i < x.size(); i++) s += x[i] * y[i];
  return s;
}

vector<int> matvec(const Matrix& a, const vector<int>& x) {
  vector<int> y;
  for (size_t i = 0; i < a.size(); i++) y.push_back(dot(a[i], x));
  return y;
}

static vector<int> scaled_row(const vector<int>& row, int f) {
  vector<int> r;
  for (int x : row) r.push_back(x * f);
  return r;
}

Matrix scale_rows(const Matrix& a, const vector<int>& f) {
  Matrix out;
  for (size_t i = 0; i < a.size(); i++) out.push_back(scaled_row(a[i], f[i]));
  return out;
}

Matrix copied(const Matrix& a) {
  Matrix b = a;
  for (size_t i = 0; i < b.size(); i++) b[i][0] = -b[i][0];
  return b;
}

Matrix assigned(const Matrix& a, int n) {
  Matrix b;
  if (n > 0)
    b = a;
  else
    b.assign(2, vector<int>(3, n));
  return b;
}

Matrix reused(const Matrix& a) {
  Matrix out;
  vector<int> row;
  for (size_t i = 0; i < a.size(); i++) {
    row.clear();
    for (size_t j = 0; j < a[i].size(); j++) row.push_back(a[i][j] + 1);
    out.push_back(row);
  }
  return out;
}

Matrix flipped(const Matrix& a) {
  Matrix out(a.size());
  for (size_t i = 0; i < a.size(); i++) out[i] = a[a.size() - 1 - i];
  return out;
}

Matrix mirrored(const Matrix& a) {
  Matrix out;
  for (const auto& row : a) out.push_back(vector<int>(row.rbegin(), row.rend()));
  return out;
}

Matrix padded(const Matrix& a) {
  Matrix out(a.size() + 2, vector<int>(a[0].size() + 2));
  for (size_t i = 0; i < a.size(); i++)
    for (size_t j = 0; j < a[0].size(); j++) out[i + 1][j + 1] = a[i][j];
  return out;
}

Matrix cropped(const Matrix& a, int top, int left, int height, int width) {
  Matrix out;
  for (int i = 0; i < height; i++) {
    out.emplace_back();
    for (int j = 0; j < width; j++) out.back().push_back(a[top + i][left + j]);
  }
  return out;
}

void swap_rows(Matrix& a, int i, int j) { std::swap(a[i], a[j]); }

Matrix identity(int n) {
  Matrix out(n, vector<int>(n, 0));
  for (int i = 0; i < n; i++) out[i][i] = 1;
  return out;
}

vector<int> flattened(const Matrix& a) {
  vector<int> flat;
  for (const auto& row : a)
    for (const auto& x : row) flat.push_back(x);
  return flat;
}

Matrix reshaped(const vector<int>& v, int rows, int cols) {
  Matrix out(rows, vector<int>(cols));
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) out[i][j] = v[i * cols + j];
  return out;
}

int lookups(const Matrix& a, const vector<int>& index) {
  int s = 0;
  for (int i : index) {
    auto row = a[i];
    row[0] += 5;
    s += row[0] + row.size() + (a.empty() ? 1 : a.back().back());
  }
  return s;
}

Matrix emplaced(const Matrix& a) {
  Matrix out;
  for (size_t i = 0; i < a.size(); i++) {
    out.emplace_back(a[i].size(), 3);
    out[i][0] = a[i][0];
  }
  return out;
}

vector<int> listed(const vector<int>& a) {
  vector<int> w = {1, 2, 1};
  vector<int> out;
  for (size_t i = 0; i + 2 < a.size(); i++) out.push_back(w[0] * a[i] + w[1] * a[i + 1] + w[2] * a[i + 2]);
  return out;
}

vector<int> ping_pong(const vector<int>& a, int steps) {
  vector<int> now(a), next(a.size());
  for (int s = 0; s < steps; s++) {
    for (size_t i = 0; i < now.size(); i++) next[i] = now[i] + (int)i;
    now.swap(next);
  }
  return now;
}

int backwards(const vector<int>& a) {
  int s = 0;
  for (auto it = a.rbegin(); it != a.rend(); ++it) s = s * 3 % 1000 + *it;
  return s;
}

vector<int> part(const vector<int>& a) {
  vector<int> middle(a.begin() + 1, a.end() - 1);
  for (vector<int>::iterator it = middle.begin(); it != middle.end(); it += 1) *it += 1;
  return middle;
}

Matrix ragged(const Matrix& a) {
  Matrix out;
  for (size_t i = 0; i < a.size(); i++) {
    vector<int> row;
    for (size_t j = 0; j <= i && j < a[i].size(); j++) row.push_back(a[i][j]);
    out.push_back(row);
  }
  return out;
}

vector<vector<int>> tabled(int x) { return {{1, 2}, {3, x}}; }

int filtered(const vector<vector<int>>& a) {
  vector<vector<int>> k = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};
  int s = 0;
  for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) s += k[i][j] * a[i][j];
  return s;
}

vector<int> sorted_by_sign(const vector<int>& a) {
  vector<int> b[2];
  for (int x : a) b[x > 0 ? 1 : 0].push_back(x);
  vector<int> out = b[1];
  for (int x : b[0]) out.push_back(x);
  return out;
}

vector<vector<int>> paired(const vector<int>& a) {
  vector<vector<int>> out;
  for (int x : a) out.push_back({x, x * 2});
  return out;
}

vector<vector<float>> blur(const vector<vector<float>>& in) {
  const vector<vector<float>> k{{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};
  vector<vector<float>> out(in.size(), vector<float>(in[0].size(), 0.0f));
  for (size_t y = 1; y + 1 < in.size(); y++)
    for (size_t x = 1; x + 1 < in[0].size(); x++) {
      float sum = 0;
      for (size_t i = 0; i < k.size(); i++)
        for (size_t j = 0; j < k[i].size(); j++) sum += k[i][j] * in[y + i - 1][x + j - 1];
      out[y][x] = sum / 16;
    }
  return out;
}

vector<int> joined(const vector<vector<int>>& a, int x) {
  vector<int> out;
  for (const auto& row : a) out.insert(out.end(), row.begin(), row.end());
  out.insert(out.end(), 2, x);
  out.insert(out.end(), x + 1);
  return out;
}

vector<vector<int>> stacked(vector<vector<int>> a, const vector<vector<int>>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

vector<int> doubled(const vector<int>& a) {
  vector<int> out(a);
  out.insert(out.end(), a.rbegin(), a.rend());
  return out;
}
