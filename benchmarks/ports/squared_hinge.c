double squared_hinge(const double *score, const double *label, int n)
{
    double loss = 0;
    for (int i = 0; i < n; i++) {
        double margin = 1.0 - label[i] * score[i];
        if (margin > 0)
            loss += margin * margin;
    }
    return loss / n;
}
