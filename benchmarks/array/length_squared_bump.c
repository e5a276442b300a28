/* the squared length of a vector */
float length_squared(const float *v, unsigned int n) {
    float power = 0.0f;
    float in;
    while (n > 0u) {
        in = *v++;
        power += in * in;
        n--;
    }
    return power;
}
