// Each function holds one construct that is not modelled; the comment on its line has a part of the message.
#include <algorithm>
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
vector<vector<int>> nested(const vector<vector<int>> &a) {
    return a; // elements that are not numbers
}
int nested_read(const vector<vector<int>> &a) {
    return a[0][0]; // elements that are not numbers
}
vector<int> listed() {
    return {1, 2, 3}; // constructor
}
void erased(vector<int> &a) {
    a.erase(a.begin()); // std::vector::erase
}
int kept(const vector<int> &a, int x) {
    int y = x;
    const int &m = std::max(y, x); // std::max
    y = a[0];
    return m;
}
int mapped(const std::map<int, int> &m) {
    return m.begin()->first; // struct map
}
int thrown(int x) {
    if (x < 0)
        throw x; // exception
    return x;
}
int caught(const vector<int> &a) {
    try {
        if (a.empty())
            throw 1; // exception
        return a[0];
    } catch (int) {
        return -1;
    }
}
bool bits(const vector<bool> &a) {
    return a[0]; // elements that are not numbers
}
int *fresh() {
    return new int(3); // dynamic memory
}
int lengths(const std::string &s) {
    return (int)s.size(); // const string &
}
