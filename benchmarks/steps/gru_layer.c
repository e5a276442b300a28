#include <math.h>

static double logistic(double x) { return 1.0 / (1.0 + exp(-x)); }

/* a GRU cell over a sequence; h is the state; reset, update and fresh are work space */
void gru_layer(int len, int in, int hid, const double x[len][in], const double Wr[hid][in], const double Ur[hid][hid],
               const double Wz[hid][in], const double Uz[hid][hid], const double Wn[hid][in], const double Un[hid][hid],
               double h[hid], double reset[hid], double update[hid], double fresh[hid]) {
    for (int t = 0; t < len; t++) {
        for (int i = 0; i < hid; i++) {
            double r = 0.0, z = 0.0;
            for (int j = 0; j < in; j++) {
                r += Wr[i][j] * x[t][j];
                z += Wz[i][j] * x[t][j];
            }
            for (int j = 0; j < hid; j++) {
                r += Ur[i][j] * h[j];
                z += Uz[i][j] * h[j];
            }
            reset[i] = logistic(r);
            update[i] = logistic(z);
        }
        for (int i = 0; i < hid; i++) {
            double a = 0.0;
            for (int j = 0; j < in; j++) a += Wn[i][j] * x[t][j];
            for (int j = 0; j < hid; j++) a += Un[i][j] * (reset[j] * h[j]);
            fresh[i] = tanh(a);
        }
        for (int i = 0; i < hid; i++) h[i] = (1.0 - update[i]) * fresh[i] + update[i] * h[i];
    }
}
