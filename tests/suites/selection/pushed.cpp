#include <cstddef>
#include <vector>

std::vector<float> positives(const std::vector<float> &x) {
  std::vector<float> r;
  for (float v : x)
    if (v > 0) r.push_back(v);
  return r;
}

std::vector<int> doubled(const std::vector<int> &x, int low) {
  std::vector<int> r;
  for (std::size_t i = 0; i < x.size(); i++) {
    if (x[i] < low || x[i] > 100) continue;
    r.push_back(2 * x[i]);
  }
  return r;
}

std::vector<int> histogram(const std::vector<int> &b, int m) {
  std::vector<int> h(m, 0);
  for (int i : b) h[i]++;
  return h;
}
