#include <map>
#include <vector>

std::map<int, int> channel_histogram(const std::vector<int>& channel) {
    std::map<int, int> histogram;
    for (int value : channel) {
        histogram[value / 16] += 1;
    }
    return histogram;
}
