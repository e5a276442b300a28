#include <unordered_map>
#include <vector>

std::unordered_map<int, int> word_count(const std::vector<int>& words) {
    std::unordered_map<int, int> counts;
    for (int word : words) {
        counts[word]++;
    }
    return counts;
}
