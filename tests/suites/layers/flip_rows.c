void vflip(const float *x, float *y, int h, int w)
{
    for (int i = 0; i < h; i++)
        for (int j = 0; j < w; j++)
            y[(h - 1 - i)*w + j] = x[i*w + j];
}
