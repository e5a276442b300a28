#include <string>
#include <unordered_map>
#include <vector>

std::unordered_map<std::string, int> word_tally(const std::vector<std::string> &words) {
    std::unordered_map<std::string, int> counts;
    for (const std::string &word : words) {
        if (counts.find(word) == counts.end())
            counts[word] = 1;
        else
            ++counts[word];
    }
    return counts;
}
