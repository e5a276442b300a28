#include <vector>

/* rounds of k-means: points and centres are rows of `dim` numbers; a centre without points stays where it is */
void k_means(const std::vector<float> &points, std::vector<float> &centres, std::vector<int> &label, int n, int k,
             int dim, int rounds) {
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < n; i++) {
            int best = 0;
            float least = 0.0f;
            for (int c = 0; c < k; c++) {
                float distance = 0.0f;
                for (int d = 0; d < dim; d++) {
                    float diff = points[i * dim + d] - centres[c * dim + d];
                    distance += diff * diff;
                }
                if (c == 0 || distance < least) {
                    least = distance;
                    best = c;
                }
            }
            label[i] = best;
        }
        std::vector<float> sums(k * dim, 0.0f);
        std::vector<int> members(k, 0);
        for (int i = 0; i < n; i++) {
            members[label[i]]++;
            for (int d = 0; d < dim; d++) {
                sums[label[i] * dim + d] += points[i * dim + d];
            }
        }
        for (int c = 0; c < k; c++) {
            if (members[c] > 0) {
                for (int d = 0; d < dim; d++) {
                    centres[c * dim + d] = sums[c * dim + d] / members[c];
                }
            }
        }
    }
}
