void add_bias(float *output, float *biases, int batch, int n, int size)
{
    int i,j,b;
    for(b = 0; b < batch; ++b)
        for(i = 0; i < n; ++i)
            for(j = 0; j < size; ++j)
                output[(b*n + i)*size + j] += biases[i];
}
