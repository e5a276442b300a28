#include <string>
#include <utility>
#include <vector>

std::pair<bool, bool> string_match(const std::vector<std::string> &words, const std::string &first, const std::string &second) {
    bool found_first = false;
    bool found_second = false;
    for (const std::string &word : words) {
        if (word == first)
            found_first = true;
        if (word == second)
            found_second = true;
    }
    return {found_first, found_second};
}
