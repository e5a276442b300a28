#include <cmath>
#include <vector>

float distance(const std::vector<float>& a, const std::vector<float>& b)
{
    float s = 0;
    for (unsigned i = 0; i < a.size(); i++)
        s += std::pow(a[i] - b[i], 2);
    return std::sqrt(s);
}

float distance_product(const std::vector<float>& a, const std::vector<float>& b)
{
    float s = 0;
    const auto n = a.size();
    for (std::size_t i = 0; i < n; ++i) {
        const float d = a[i] - b[i];
        s += d * d;
    }
    return std::sqrt(s);
}

float distance_expanded(const std::vector<float>& a, const std::vector<float>& b)
{
    float aa = 0, ab = 0, bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        aa += a[i] * a[i];
        ab += a[i] * b[i];
        bb += b[i] * b[i];
    }
    return std::sqrt(aa - ab + bb);
}
