/* Arrays of structs with pointers in them, and with fields of other kinds that nothing uses. */

typedef struct {
    int classes;
    float *scores;
    float weight;
    float (*activate)(float);
    unsigned used : 1;
    float *mask;
} detection;

void below(detection *found, int n, int classes, float least)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < classes; j++)
            if (found[i].scores[j] < least)
                found[i].scores[j] = 0;
}

void weighted(detection *found, int n, int classes)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < classes; j++)
            found[i].scores[j] = found[i].weight * found[i].scores[j] + found[i].mask[j];
}

float all_weights(const detection *found, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += found[i].weight;
    return sum;
}

typedef struct {
    detection *all;
    int n;
} detections;

float masked(const detections *d, int classes)
{
    float sum = 0;
    for (const detection *at = d->all; at < d->all + d->n; at++) {
        const float *row = at->scores;
        for (int k = 0; k < classes; k++)
            sum += row[k] * at->mask[k];
    }
    return sum;
}
