// Strings whose characters are read, written and made, see test_characters.py.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

using std::string;
using std::vector;

int counted(const string &s, char c) { int n = 0; for (char v : s) if (v == c) n++; return n; }

bool is_sorted(const string &s) { for (size_t i = 1; i < s.size(); i++) if (s[i - 1] > s[i]) return false; return true; }

void caesar(string &s, int k) {
    for (size_t i = 0; i < s.size(); i++)
        if (s[i] >= 'a' && s[i] <= 'z')
            s[i] = (char)('a' + (s[i] - 'a' + k % 26 + 26) % 26);
}

int hamming(const string &a, const string &b) {
    int d = 0;
    for (size_t i = 0; i < a.length() && i < b.length(); i++)
        d += a[i] != b[i];
    return d;
}

int digits(const string &s) {
    int n = 0;
    for (auto it = s.begin(); it != s.end(); ++it)
        if (*it >= '0' && *it <= '9')
            n += *it - '0';
    return n;
}

vector<int> letters(const string &s) {
    vector<int> h(256, 0);
    for (unsigned char c : s) h[c]++;
    return h;
}

int longest_run(const string &s) {
    int best = 0, run = 0;
    for (size_t i = 0; i < s.size(); i++) {
        run = i > 0 && s[i] == s[i - 1] ? run + 1 : 1;
        best = std::max(best, run);
    }
    return best;
}

int vowels(string s) {
    int n = 0;
    for (char c : s) n += c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u';
    return n;
}

vector<char> reversed(const string &s) {
    vector<char> r(s.size());
    for (size_t i = 0; i < s.size(); i++) r[i] = s[s.size() - 1 - i];
    return r;
}

int to_int(const string &s) { unsigned v = 0; for (char c : s) v = 10 * v + (c - '0'); return (int)v; }

bool palindrome(const string &s) {
    for (int i = 0, n = (int)s.size(); i < n / 2; i++)
        if (s[i] != s[n - 1 - i])
            return false;
    return true;
}

int ends(const string &s) { return s.empty() ? 0 : s.front() + s.back() + s.at(s.length() / 2); }

int zeros(const string &s) { int n = 0; for (char c : s) n += c == 0; return n; }

int first_null(const string &s) { int n = 0; while (s[n] != 0) n++; return n; }

int picked(const string &s, const vector<int> &k) { int n = 0; for (int i : k) n += s[i]; return n; }

string raised(const string &s) {
    string r;
    for (char c : s)
        if (c >= 'a' && c <= 'z') r.push_back((char)(c - 32)); else r += c;
    return r;
}

string next(string s) { for (auto &c : s) c = c == 'z' ? 'a' : (char)(c ^ 1); return s; }

string starred(const string &s) {
    string r(s.size(), '*');
    for (size_t i = 0; i < s.size(); i++) if (s[i] == ' ') r[i] = ' ';
    return r;
}

string turned(const string &s) { string r = s; std::reverse(r.begin(), r.end()); return r; }

string backwards(const string &s) { return string(s.rbegin(), s.rend()); }

string moved(string s) { string t = std::move(s); if (!t.empty()) t.pop_back(); t.resize(t.size() + 2, '!'); return t; }

static int each(string s, char c) { int n = 0; for (char v : s) n += v == c; return n; }
int both(const string &a, const string &b) { return each(a, 'e') - each(b, 'e'); }

int mixed(const vector<string> &w, const string &k, const string &s) {
    int n = 0;
    for (auto &v : w) n += v == k;
    for (char c : s) n += c == 'a';
    return n;
}

void mirrored(string &s, const string &t) { for (size_t i = 0; i < s.size() && i < t.size(); i++) s[i] = t[t.size() - 1 - i]; }
