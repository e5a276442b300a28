// Each function holds one construct that is not modelled; the comment on its line has a part of the message.
#include <algorithm>
#include <functional>
#include <list>
#include <map>
#include <numeric>
#include <string>
#include <vector>

using std::vector;

struct scaler {
    int factor;
    int apply(int x) const {
        return x * factor; // struct scaler
    }
};

void grow(vector<int> &a) {
    a.push_back(1); // length of the parameter a
}
int named(const vector<std::vector<bool>> &a) {
    return (int)a.size(); // whose elements are neither numbers nor strings, nor structs, pairs or tuples
}
void grow_row(vector<vector<int>> a, vector<vector<int>> &b) {
    a.swap(b); // length of the parameter b
}
int taken(vector<vector<int>> &a) {
    vector<int> row = std::move(a[0]); // std::move of a parameter's elements
    return row[0];
}
vector<int> put(const vector<int> &a) {
    vector<int> b(a);
    b.erase(b.begin(), b.end()); // std::vector::erase
    return b;
}
int chosen(const vector<int> &a, const vector<int> &b, int x) {
    const vector<int> &c = x > 0 ? a : b; // near: std::vector
    return c[0];
}
void erased(vector<int> &a) {
    a.erase(a.begin()); // std::vector::erase
}
int kept_within(const vector<int> &a, int x) {
    int y = x;
    const int &m = std::max(std::min(y, x), a[0]); // std::max
    y = a[0];
    return m;
}

int kept(const vector<int> &a, int x) {
    int y = x;
    const int &m = std::max(y, x); // std::max
    y = a[0];
    return m;
}
int mapped(const std::map<int, int> &m) {
    return m.begin()->first; // const std::map<int, int> &
}
int thrown(int x) {
    throw x; // exception
}
int caught(const vector<int> &a) {
    try {
        if (a.empty())
            throw 1;
        return a[0];
    } catch (int) { // handler of exceptions
        return -1;
    }
}
bool bits(const vector<bool> &a) {
    return a[0]; // std::vector<bool>, whose elements are neither numbers nor strings, nor structs, pairs or tuples
}
int *fresh() {
    return new int(3); // dynamic memory
}
int lengths(const std::string &s) {
    return (int)s.size(); // std::string::size
}
struct shape {
    virtual float area() const = 0;
};
float dispatched(const shape &s) {
    return s.area(); // virtual function
}
float applied(const std::function<float(float)> &f, float x) {
    return f(x); // std::function
}
int chained(const std::list<int> &x) {
    return x.front(); // std::list<int>
}
void ordered(vector<std::string> &x) {
    std::sort(x.begin(), x.end()); // std::sort, which is recursive
}
int factorial(int n) {
    return n <= 1 ? 1 : n * factorial(n - 1); // recursion: factorial
}
int entered(int n) {
    int s = 0;
    if (n > 3)
        goto inside;
    while (n > 0) { // irreducible
        s += n;
    inside:
        n--;
        s++;
    }
    return s;
}
int assembled(int x) {
    int y;
    asm("mov %1, %0" : "=r"(y) : "r"(x)); // inline assembly
    return y;
}
union word {
    float f;
    unsigned u;
};
unsigned read_as(const word &w) {
    return w.u; // union word
}
int per_thread(int x) {
    static thread_local int last;
    last = x; // thread_local
    return last;
}
int swapped(vector<int> a, vector<int> b) {
    int *p = a.data();
    a.swap(b); // a pointer into a that is used after its elements are moved
    p[0] = 77;
    return a[0];
}
int swapped_rows(vector<vector<int>> &a) {
    int &first = a[0][0];
    std::swap(a[0], a[1]); // near: a pointer into a that is used after its elements are moved
    first = 77;
    return a[0][0];
}
int moved_row(int n) {
    vector<vector<int>> rows;
    vector<int> row(3);
    int *p = row.data();
    rows.push_back(std::move(row)); // a pointer into row that is used after its elements are moved
    p[0] = n;
    return rows[0][0];
}

int moved_to_itself(const std::vector<int> &v) {
    std::vector<int> w(v);
    std::vector<int> &same = w;
    w = std::move(same); // std::vector::operator= as it is used here
    return (int)w.size();
}
