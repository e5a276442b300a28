#include <cstddef>
#include <vector>

/* runs of equal values: what each holds, and how long it is */
void run_lengths(const std::vector<int> &data, std::vector<int> &values, std::vector<int> &lengths) {
    values.clear();
    lengths.clear();
    for (std::size_t i = 0; i < data.size(); i++) {
        if (i > 0 && data[i] == data[i - 1]) {
            lengths.back()++;
        } else {
            values.push_back(data[i]);
            lengths.push_back(1);
        }
    }
}
