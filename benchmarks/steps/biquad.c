/* second-order section in place, transposed direct form II; c = b0 b1 b2 a1 a2, z = the two delays */
void biquad(double *x, int n, const double c[5], double z[2]) {
    double z1 = z[0], z2 = z[1];
    int i;

    for (i = 0; i < n; i++) {
        double in = x[i];
        double out = c[0] * in + z1;
        z1 = c[1] * in - c[3] * out + z2;
        z2 = c[2] * in - c[4] * out;
        x[i] = out;
    }
    z[0] = z1;
    z[1] = z2;
}
