#include <cmath>
#include <vector>

/* rotary embedding of one head: each pair is turned by an angle of its own */
void rotary(std::vector<float> &vec, const std::vector<float> &angles) {
    for (int i = 0; i < (int)angles.size(); i++) {
        float c = std::cos(angles[i]);
        float s = std::sin(angles[i]);
        float v0 = vec[2 * i];
        float v1 = vec[2 * i + 1];
        vec[2 * i] = v0 * c - v1 * s;
        vec[2 * i + 1] = v0 * s + v1 * c;
    }
}
