int conv_activation(int bias, int weight, int input) {
    int conv = bias + weight * input;
    if (conv < 0) {
        conv = 0;
    }
    return conv;
}
