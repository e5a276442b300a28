/* heat in a rod, in place: what a cell was before is kept until its right neighbour is done; the ends stay fixed */
void heat_rod(double *u, int n, int steps, double r) {
    for (int t = 0; t < steps; t++) {
        double left = u[0];
        for (int i = 1; i < n - 1; i++) {
            double here = u[i];
            u[i] = here + r * (left - 2.0 * here + u[i + 1]);
            left = here;
        }
    }
}
