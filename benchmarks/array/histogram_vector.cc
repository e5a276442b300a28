#include <cstdint>
#include <vector>

/* how often each byte occurs */
std::vector<int> histogram(const std::vector<uint8_t> &image) {
    std::vector<int> counts(256, 0);
    for (int i = 0; i < (int)image.size(); i++) {
        counts[image[i]]++;
    }
    return counts;
}
