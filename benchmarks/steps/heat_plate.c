/* heat in a plate, by explicit steps; the rim stays fixed */
void heat_plate(int rows, int cols, float u[rows][cols], float next[rows][cols], int steps, float rx, float ry) {
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < rows - 1; i++) {
            for (int j = 1; j < cols - 1; j++) {
                next[i][j] = u[i][j] + ry * (u[i - 1][j] - 2 * u[i][j] + u[i + 1][j])
                           + rx * (u[i][j - 1] - 2 * u[i][j] + u[i][j + 1]);
            }
        }
        for (int i = 1; i < rows - 1; i++)
            for (int j = 1; j < cols - 1; j++)
                u[i][j] = next[i][j];
    }
}
