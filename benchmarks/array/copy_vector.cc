#include <cstddef>
#include <vector>

/* a copy of src in dst */
void copy(std::vector<float> &dst, const std::vector<float> &src) {
    for (std::size_t i = 0; i < src.size(); i++) {
        dst[i] = src[i];
    }
}
