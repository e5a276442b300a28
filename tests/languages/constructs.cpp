// One function for each row of docs/languages.md that C++ has.
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <list>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

using std::vector;

void count_up(const vector<float> &x, vector<float> &y) { for (size_t i = 0; i < x.size(); i++) y[i] = 2.0f * x[i]; }

int count_down(const vector<int> &x) { int s = 0; for (int i = (int)x.size() - 1; i >= 0; i--) s += x[i]; return s; }

void strided(const vector<float> &x, vector<float> &y) { for (size_t i = 0; i < x.size(); i += 2) y[i / 2] = x[i]; }

int while_loop(const vector<int> &x) { int s = 0; size_t i = 0; while (i < x.size()) { s += x[i]; ++i; } return s; }

int do_while(const vector<int> &x) { int s = 0; size_t i = 0; if (x.empty()) return 0; do { s += x[i]; i++; } while (i < x.size()); return s; }

vector<float> nested(int rows, int cols, const vector<float> &a)
{
    vector<float> sums(rows);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++) sums[r] += a[r * cols + c];
    return sums;
}

vector<float> triangular(const vector<float> &x)
{
    vector<float> sums(x.size());
    for (size_t i = 0; i < x.size(); i++)
        for (size_t j = 0; j <= i; j++) sums[i] += x[j];
    return sums;
}

int early_return(const vector<int> &x, int wanted)
{
    for (int i = 0; i < (int)x.size(); i++) if (x[i] == wanted) return i;
    return -1;
}

bool early_break(const vector<int> &x)
{
    bool found = false;
    for (int v : x) if (v < 0) { found = true; break; }
    return found;
}

int skipped(const vector<int> &x) { int s = 0; for (int v : x) { if (v < 0) continue; s += v; } return s; }

void two_counters(const vector<int> &x, vector<int> &y) { int n = x.size(); for (int i = 0, j = n - 1; i < n; i++, j--) y[j] = x[i]; }

int until_zero(const char *text) { int n = 0; while (text[n]) n++; return n; }

float each_element(const vector<float> &x) { float s = 0; for (float v : x) s += v; return s; }

int over_index_and_value(const vector<int> &x) { int s = 0, i = 0; for (int v : x) s += i++ * v; return s; }

float over_two(const vector<float> &x, const vector<float> &y) { return std::inner_product(x.begin(), x.end(), y.begin(), 0.0f); }

double recurrence(const vector<double> &x, vector<double> &y, double a)
{
    double s = 0;
    for (size_t i = 0; i < x.size(); i++) { s = a * s + x[i]; y[i] = s; }
    return s;
}

void buffers(int n, int steps, double *x, double *y)
{ for (int t = 0; t < steps; t++) { for (int i = 1; i < n - 1; i++) y[i] = x[i - 1] + x[i + 1]; std::swap(x, y); } }

void sweeps(int steps, vector<double> &x, vector<double> &y)
{
    int n = x.size();
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3;
        for (int i = 1; i < n - 1; i++) x[i] = y[i];
    }
}

int unbounded(int x) { int n = 0; while (x != 1) { x = x % 2 ? 3 * x + 1 : x / 2; n++; } return n; }

static int sum_from(const vector<int> &x, size_t i) { return i == x.size() ? 0 : x[i] + sum_from(x, i + 1); }
int recursive(const vector<int> &x) { return sum_from(x, 0); }

void narrow(const vector<uint8_t> &a, const vector<uint8_t> &b, vector<uint8_t> &y) { for (size_t i = 0; i < a.size(); i++) y[i] = (a[i] + b[i]) / 2; }

uint32_t wrapping(const vector<uint32_t> &x) { uint32_t h = 0; for (uint32_t v : x) h += v * 31u; return h; }

int64_t wide(const vector<int> &x) { int64_t s = 0; for (int v : x) s += (int64_t)v * v; return s; }

void bits(const vector<uint32_t> &x, vector<uint32_t> &y) { for (size_t i = 0; i < x.size(); i++) y[i] = (x[i] >> 3 & 7u) | (x[i] << 4); }

void divided(const vector<int> &x, vector<int> &y) { for (size_t i = 0; i < x.size(); i++) y[i] = x[i] / 7 + x[i] % 7; }

void saturated(const vector<int16_t> &a, const vector<int16_t> &b, vector<int16_t> &y)
{
    for (size_t i = 0; i < a.size(); i++) y[i] = static_cast<int16_t>(std::clamp(a[i] + b[i], -32768, 32767));
}

void converted(const vector<float> &x, vector<int> &y) { for (size_t i = 0; i < x.size(); i++) y[i] = static_cast<int>(x[i] * 4.0f); }

void mathematics(const vector<double> &x, vector<double> &y) { for (size_t i = 0; i < x.size(); i++) y[i] = std::exp(-x[i] * x[i]) + std::sqrt(std::abs(x[i])); }

void conditional(const vector<float> &x, vector<float> &y) { for (size_t i = 0; i < x.size(); i++) y[i] = x[i] > 0 ? x[i] : 0.1f * x[i]; }

double infinite_start(const vector<double> &x) { double m = -std::numeric_limits<double>::infinity(); for (double v : x) m = std::max(m, v); return m; }

double questions(const vector<double> &x) { double s = 0; for (double v : x) if (std::isfinite(v)) s += v; return s; }

int truth(int n, const bool *a, const bool *b) { int k = 0; for (int i = 0; i < n; i++) k += a[i] && !b[i]; return k; }

std::string respelled(const std::string &s) { std::string t; for (char c : s) t += c == 'a' ? 'b' : c; return t; }

int characters(const std::string &s) { int k = 0; for (char c : s) if (c >= '0' && c <= '9') k++; return k; }

void cases(const vector<int> &kind, const vector<int> &x, vector<int> &y)
{
    for (size_t i = 0; i < x.size(); i++)
        switch (kind[i]) {
        case 0: y[i] = x[i]; break;
        case 1: y[i] = -x[i]; break;
        default: y[i] = 0;
        }
}

constexpr int OFFSET = 5;
void named_constants(const vector<int> &x, vector<int> &y) { for (size_t i = 0; i < x.size(); i++) y[i] = x[i] + OFFSET; }

static const std::array<float, 4> WEIGHTS = {0.1f, 0.4f, 0.4f, 0.1f};
void constant_table(const vector<float> &x, vector<float> &y)
{
    for (size_t i = 0; i + 3 < x.size(); i++) {
        y[i] = 0;
        for (int k = 0; k < 4; k++) y[i] += WEIGHTS[k] * x[i + k];
    }
}

double complex_parts(const vector<std::complex<double>> &z) { double s = 0; for (const auto &v : z) s += v.real() * v.real() + v.imag() * v.imag(); return s; }

void in_place(vector<float> &x, float a) { for (float &v : x) v *= a; }

void part_written(vector<int> &x) { for (size_t i = 1; i < x.size(); i += 2) x[i] = 0; }

void written_where(vector<float> &x) { for (float &v : x) if (v < 0) v = 0; }

void grid(const vector<vector<float>> &a, vector<vector<float>> &b)
{
    for (size_t i = 0; i < a.size(); i++)
        for (size_t j = 0; j < a[i].size(); j++) b[i][j] = 2 * a[i][j];
}

float local_array(const vector<float> &x)
{
    std::array<float, 2> best = {0, 0};
    for (float v : x) { best[0] += v; best[1] += v * v; }
    return best[1] - best[0] * best[0] / x.size();
}

int allocated(const vector<int> &x)
{
    vector<int> squares(x.size());
    for (size_t i = 0; i < x.size(); i++) squares[i] = x[i] * x[i];
    return std::accumulate(squares.begin(), squares.end(), 0);
}

vector<float> allocated_result(const vector<float> &x)
{
    vector<float> doubled(x.size());
    for (size_t i = 0; i < x.size(); i++) doubled[i] = 2 * x[i];
    return doubled;
}

struct Point { float x, y; };
float records(const vector<Point> &points) { float s = 0; for (const Point &p : points) s += p.x * p.y; return s; }

Point record_result(const vector<float> &x, const vector<float> &y)
{
    Point s = {0, 0};
    for (size_t i = 0; i < x.size(); i++) { s.x += x[i]; s.y += y[i]; }
    return s;
}

struct Image { int width, height; float *data; };
void record_with_array(Image im, float a) { for (int i = 0; i < im.width * im.height; i++) im.data[i] *= a; }
Image record_made(const Image &im, float a)
{
    Image made{im.width, im.height, new float[im.width * im.height]};
    for (int i = 0; i < im.width * im.height; i++) made.data[i] = a * im.data[i];
    return made;
}

static int calls;
int global_scalar(const vector<int> &x) { int s = 0; for (int v : x) s += v; calls += 1; return s; }

int table[256];
void global_array(const vector<uint8_t> &x, vector<int> &y) { for (size_t i = 0; i < x.size(); i++) y[i] = table[x[i]]; }

void gathered(const vector<int> &at, const vector<float> &x, vector<float> &y) { for (size_t i = 0; i < at.size(); i++) y[i] = x[at[i]]; }

void counted_by_index(const vector<uint8_t> &x, vector<int> &counts) { for (uint8_t v : x) counts[v]++; }

std::pair<int, int> several_results(const vector<int> &x)
{
    int low = x[0], high = x[0];
    for (int v : x) { low = std::min(low, v); high = std::max(high, v); }
    return {low, high};
}

int place_of_best(const vector<float> &x) { return std::max_element(x.begin(), x.end()) - x.begin(); }

double reduced_selection(const vector<double> &x) { vector<double> y; for (double v : x) if (v > 0) y.push_back(v); if (y.empty()) return 0; double s = 0; for (double v : y) s += v; return s / y.size(); }
int first_match(const vector<int> &x, int k) { for (int v : x) if (v > k) return v; return -1; }
vector<int> selected(const vector<int> &x) { vector<int> y; for (int v : x) if (v > 0) y.push_back(v); return y; }

void windowed(const vector<float> &x, vector<float> &y) { for (size_t i = 1; i + 1 < x.size(); i++) y[i] = x[i - 1] + x[i] + x[i + 1]; }

void clamped_border(const vector<float> &x, vector<float> &y)
{
    for (int i = 0; i < (int)x.size(); i++) y[i] = x[i] - x[std::max(i - 1, 0)];
}

void copied(const vector<float> &x, vector<float> &y) { std::copy(x.begin(), x.end(), y.begin()); }

void sorted_copy(vector<int> &x) { std::sort(x.begin(), x.end()); }

bool matching(const std::string &a, const std::string &b) { return a == b; }

static float square(float x) { return x * x; }
float helper(const vector<float> &x) { float s = 0; for (float v : x) s += square(v); return s; }

float by_pointer(const vector<float> &x, const std::function<float(float)> &f) { float s = 0; for (float v : x) s += f(v); return s; }

int with_lambda(const vector<int> &x, int k) { auto above = [k](int v) { return v > k; }; int n = 0; for (int v : x) if (above(v)) n++; return n; }

template <class T> static T total(const vector<T> &x) { T s = 0; for (T v : x) s += v; return s; }
double generic(const vector<double> &x) { return total(x); }

class Scaler {
    float factor;
public:
    explicit Scaler(float f) : factor(f) {}
    void method(vector<float> &x) const { for (float &v : x) v *= factor; }
};

void with_class(vector<float> &x, float f) { Scaler s(f); s.method(x); }

int with_algorithm(const vector<int> &x) { return std::count_if(x.begin(), x.end(), [](int v) { return v % 2 == 0; }); }

int printing(const vector<int> &x) { int s = 0; for (int v : x) { s += v; std::cout << s << '\n'; } return s; }

int asserted(const vector<int> &x) { assert(!x.empty()); int m = x[0]; for (int v : x) m = std::max(m, v); return m; }

std::optional<int> absent(const vector<int> &x) { for (int v : x) if (v < 0) return v; return std::nullopt; }

int failing(const vector<int> &x) { int s = 0; for (int v : x) { if (v < 0) throw std::invalid_argument("negative"); s += v; } return s; }

std::unordered_map<int, int> counted_by_key(const vector<int> &x) { std::unordered_map<int, int> n; for (int v : x) n[v]++; return n; }

std::map<int, vector<int>> grouped(const vector<int> &key, const vector<int> &x) { std::map<int, vector<int>> g; for (size_t i = 0; i < x.size(); i++) g[key[i]].push_back(x[i]); return g; }

std::map<int, double> averaged(const vector<int> &key, const vector<double> &x)
{
    std::map<int, double> sums;
    std::map<int, int> counts;
    for (size_t i = 0; i < x.size(); i++) { sums[key[i]] += x[i]; counts[key[i]]++; }
    for (auto &[k, s] : sums) s /= counts[k];
    return sums;
}

std::set<int> distinct(const vector<int> &x) { return std::set<int>(x.begin(), x.end()); }

int members(const vector<int> &x, const std::unordered_set<int> &known) { int k = 0; for (int v : x) if (known.count(v)) k++; return k; }

int looked_up(const vector<int> &x, const std::unordered_map<int, int> &price) { int s = 0; for (int v : x) { auto it = price.find(v); if (it != price.end()) s += it->second; } return s; }

int reading_files(const std::string &name) { std::ifstream f(name); char c; int n = 0; while (f.get(c)) n++; return n; }

extern int sensor();
int outside_calls(int n) { int s = 0; for (int i = 0; i < n; i++) s += sensor(); return s; }

int watched(int n, const volatile int *x) { int s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }

int linked(const std::list<int> &x) { int s = 0; for (int v : x) s += v; return s; }
