void mirror(const unsigned char *src, unsigned char *dst, int w, int h)
{
    int x, y;
    for (y = 0; y < h; y++)
        for (x = 0; x < w; x++)
            dst[y * w + x] = src[y * w + (w - 1 - x)];
}
