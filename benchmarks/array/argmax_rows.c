/* the class of each row of scores: the first place of the greatest one */
void argmax_rows(const float *scores, int rows, int classes, int *label) {
    for (int r = 0; r < rows; r++) {
        int at = 0;
        float best = scores[r * classes];
        for (int c = 0; c < classes; c++) {
            if (scores[r * classes + c] > best) {
                best = scores[r * classes + c];
                at = c;
            }
        }
        label[r] = at;
    }
}
