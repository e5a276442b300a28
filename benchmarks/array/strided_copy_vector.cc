#include <cstddef>
#include <vector>

/* every step-th element of src */
void strided_copy(std::vector<double> &dst, const std::vector<double> &src, std::size_t step) {
    for (std::size_t i = 0; i < dst.size(); i++) {
        dst[i] = src[i * step];
    }
}
