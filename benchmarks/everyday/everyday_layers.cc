// Kernels as they stand in inference and training code: one function each, raw pointers, no library but the standard one.
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace everyday {

void layer_norm(float *out, const float *x, const float *weight, const float *bias, int rows, int width) {
    const float epsilon = 1e-5f;
    for (int r = 0; r < rows; r++) {
        const float *row = x + r * width;
        float *result = out + r * width;
        float mean = 0.0f;
        for (int i = 0; i < width; i++) {
            mean += row[i];
        }
        mean /= width;
        float variance = 0.0f;
        for (int i = 0; i < width; i++) {
            float centred = row[i] - mean;
            variance += centred * centred;
        }
        variance /= width;
        float scale = 1.0f / std::sqrt(variance + epsilon);
        for (int i = 0; i < width; i++) {
            float normal = scale * (row[i] - mean);
            result[i] = normal * weight[i] + bias[i];
        }
    }
}

void gelu(float *out, const float *x, const float *bias, const float *residual, int rows, int width) {
    const float scale = 0.7978845608f;
    const float cubic = 0.044715f;
    for (int r = 0; r < rows; r++) {
        for (int i = 0; i < width; i++) {
            float value = x[r * width + i] + bias[i];
            float inner = scale * (value + cubic * value * value * value);
            float activated = 0.5f * value * (1.0f + std::tanh(inner));
            out[r * width + i] = activated + residual[r * width + i];
        }
    }
}

void attention_head(float *out, const float *query, const float *key, const float *value, float *scores, int length, int size) {
    const float scale = 1.0f / std::sqrt((float)size);
    float highest = -INFINITY;
    for (int t = 0; t < length; t++) {
        float score = 0.0f;
        for (int i = 0; i < size; i++) {
            score += query[i] * key[t * size + i];
        }
        scores[t] = score * scale;
        highest = std::max(highest, scores[t]);
    }
    float total = 0.0f;
    for (int t = 0; t < length; t++) {
        scores[t] = std::exp(scores[t] - highest);
        total += scores[t];
    }
    for (int t = 0; t < length; t++) {
        scores[t] /= total;
    }
    for (int i = 0; i < size; i++) {
        float sum = 0.0f;
        for (int t = 0; t < length; t++) {
            sum += scores[t] * value[t * size + i];
        }
        out[i] = sum;
    }
}

void top_k(float *values, int *indices, const float *x, int n, int k) {
    for (int j = 0; j < k; j++) {
        values[j] = -INFINITY;
        indices[j] = -1;
    }
    for (int i = 0; i < n; i++) {
        if (x[i] <= values[k - 1]) {
            continue;
        }
        int place = k - 1;
        while (place > 0 && values[place - 1] < x[i]) {
            values[place] = values[place - 1];
            indices[place] = indices[place - 1];
            place--;
        }
        values[place] = x[i];
        indices[place] = i;
    }
}

void im2col(float *columns, const float *image, int channels, int height, int width, int kernel) {
    int out_height = height - kernel + 1;
    int out_width = width - kernel + 1;
    int area = out_height * out_width;
    for (int c = 0; c < channels; c++) {
        for (int ky = 0; ky < kernel; ky++) {
            for (int kx = 0; kx < kernel; kx++) {
                float *column = columns + ((c * kernel + ky) * kernel + kx) * area;
                for (int y = 0; y < out_height; y++) {
                    for (int x = 0; x < out_width; x++) {
                        column[y * out_width + x] = image[(c * height + y + ky) * width + x + kx];
                    }
                }
            }
        }
    }
}

void batch_norm(float *out, float *mean, float *variance, const float *x, const float *gamma, const float *beta, int batch,
                int features, float epsilon) {
    for (int f = 0; f < features; f++) {
        float sum = 0.0f;
        for (int b = 0; b < batch; b++) {
            sum += x[b * features + f];
        }
        mean[f] = sum / batch;
        float squares = 0.0f;
        for (int b = 0; b < batch; b++) {
            float centred = x[b * features + f] - mean[f];
            squares += centred * centred;
        }
        variance[f] = squares / batch;
    }
    for (int b = 0; b < batch; b++) {
        for (int f = 0; f < features; f++) {
            float normal = (x[b * features + f] - mean[f]) / std::sqrt(variance[f] + epsilon);
            out[b * features + f] = gamma[f] * normal + beta[f];
        }
    }
}

void quantize_rows(int8_t *out, float *scales, const float *x, int rows, int width) {
    for (int r = 0; r < rows; r++) {
        float largest = 0.0f;
        for (int i = 0; i < width; i++) {
            float magnitude = std::fabs(x[r * width + i]);
            if (magnitude > largest) {
                largest = magnitude;
            }
        }
        float scale = largest / 127.0f;
        scales[r] = scale;
        for (int i = 0; i < width; i++) {
            float scaled = x[r * width + i] / scale;
            scaled = std::round(scaled);
            scaled = std::min(std::max(scaled, -127.0f), 127.0f);
            out[r * width + i] = (int8_t)scaled;
        }
    }
}

void int8_linear(float *out, const int8_t *weight, const int8_t *x, const float *weight_scales, float x_scale, const float *bias,
                 int rows, int width) {
    for (int r = 0; r < rows; r++) {
        int32_t sum = 0;
        for (int i = 0; i < width; i++) {
            int32_t product = (int32_t)weight[r * width + i] * (int32_t)x[i];
            sum += product;
        }
        float value = (float)sum * (weight_scales[r] * x_scale);
        value += bias[r];
        if (value < 0.0f) {
            value = 0.0f;
        }
        out[r] = value;
    }
}

void embedding(float *out, const float *table, const float *positions, const int *tokens, int length, int width) {
    const float scale = std::sqrt((float)width);
    for (int t = 0; t < length; t++) {
        const float *row = table + tokens[t] * width;
        const float *position = positions + t * width;
        float *result = out + t * width;
        for (int i = 0; i < width; i++) {
            result[i] = row[i] * scale;
        }
        for (int i = 0; i < width; i++) {
            result[i] += position[i];
        }
    }
}

void rotary(float *query, float *key, const float *cosines, const float *sines, int heads, int half) {
    for (int h = 0; h < heads; h++) {
        float *q = query + h * 2 * half;
        float *k = key + h * 2 * half;
        for (int i = 0; i < half; i++) {
            float c = cosines[i];
            float s = sines[i];
            float q0 = q[i];
            float q1 = q[i + half];
            q[i] = q0 * c - q1 * s;
            q[i + half] = q0 * s + q1 * c;
            float k0 = k[i];
            float k1 = k[i + half];
            k[i] = k0 * c - k1 * s;
            k[i + half] = k0 * s + k1 * c;
        }
    }
}

void masked_softmax(float *x, const uint8_t *mask, int rows, int width) {
    for (int r = 0; r < rows; r++) {
        float *row = x + r * width;
        const uint8_t *allowed = mask + r * width;
        float highest = -1e30f;
        for (int i = 0; i < width; i++) {
            if (allowed[i] && row[i] > highest) {
                highest = row[i];
            }
        }
        float total = 0.0f;
        for (int i = 0; i < width; i++) {
            row[i] = allowed[i] ? std::exp(row[i] - highest) : 0.0f;
            total += row[i];
        }
        for (int i = 0; i < width; i++) {
            row[i] = total > 0.0f ? row[i] / total : 0.0f;
        }
    }
}

float cross_entropy(const float *logits, const int *labels, int batch, int classes) {
    float loss = 0.0f;
    for (int b = 0; b < batch; b++) {
        const float *row = logits + b * classes;
        float highest = row[0];
        for (int c = 1; c < classes; c++) {
            if (row[c] > highest) {
                highest = row[c];
            }
        }
        float total = 0.0f;
        for (int c = 0; c < classes; c++) {
            total += std::exp(row[c] - highest);
        }
        float probability = std::log(total) + highest - row[labels[b]];
        loss += probability;
    }
    return loss / batch;
}

void adamw(float *weights, float *first, float *second, const float *gradient, int n, float rate, float beta1, float beta2,
           float epsilon, float decay, float correction1, float correction2) {
    for (int i = 0; i < n; i++) {
        float slope = gradient[i];
        float weight = weights[i];
        weight -= rate * decay * weight;
        float moment = beta1 * first[i] + (1.0f - beta1) * slope;
        float square = beta2 * second[i] + (1.0f - beta2) * slope * slope;
        first[i] = moment;
        second[i] = square;
        float unbiased = moment / correction1;
        float spread = std::sqrt(square / correction2) + epsilon;
        weights[i] = weight - rate * unbiased / spread;
    }
}

void swiglu(float *out, const float *x, const float *gate, const float *up, int rows, int width) {
    for (int r = 0; r < rows; r++) {
        float gated = 0.0f;
        float raised = 0.0f;
        for (int i = 0; i < width; i++) {
            gated += gate[r * width + i] * x[i];
            raised += up[r * width + i] * x[i];
        }
        float sigmoid = 1.0f / (1.0f + std::exp(-gated));
        out[r] = gated * sigmoid * raised;
    }
}

void max_pool(float *out, const float *image, int channels, int height, int width) {
    int out_height = height / 2;
    int out_width = width / 2;
    for (int c = 0; c < channels; c++) {
        for (int y = 0; y < out_height; y++) {
            for (int x = 0; x < out_width; x++) {
                float highest = -INFINITY;
                for (int dy = 0; dy < 2; dy++) {
                    for (int dx = 0; dx < 2; dx++) {
                        float value = image[(c * height + 2 * y + dy) * width + 2 * x + dx];
                        highest = std::max(highest, value);
                    }
                }
                out[(c * out_height + y) * out_width + x] = highest;
            }
        }
    }
}

void causal_conv(float *out, const float *x, const float *weight, const float *bias, int length, int channels, int taps) {
    for (int t = 0; t < length; t++) {
        for (int c = 0; c < channels; c++) {
            float sum = bias[c];
            for (int k = 0; k < taps; k++) {
                int source = t - k;
                if (source >= 0) {
                    sum += weight[c * taps + k] * x[source * channels + c];
                }
            }
            out[t * channels + c] = sum;
        }
    }
}

float clip_gradients(float *gradient, int n, float limit) {
    float squares = 0.0f;
    for (int i = 0; i < n; i++) {
        squares += gradient[i] * gradient[i];
    }
    float norm = std::sqrt(squares);
    if (norm > limit) {
        float scale = limit / (norm + 1e-6f);
        for (int i = 0; i < n; i++) {
            gradient[i] *= scale;
        }
    }
    return norm;
}

void cosine_similarity(float *out, const float *a, const float *b, int rows, int width) {
    const float smallest = 1e-8f;
    for (int r = 0; r < rows; r++) {
        float dot = 0.0f;
        float squares_a = 0.0f;
        float squares_b = 0.0f;
        for (int i = 0; i < width; i++) {
            float left = a[r * width + i];
            float right = b[r * width + i];
            dot += left * right;
            squares_a += left * left;
            squares_b += right * right;
        }
        float norms = std::sqrt(squares_a) * std::sqrt(squares_b);
        out[r] = dot / std::max(norms, smallest);
    }
}

int confusion(int *counts, const int *predicted, const int *labels, const uint8_t *ignored, int n, int classes) {
    int correct = 0;
    for (int i = 0; i < classes * classes; i++) {
        counts[i] = 0;
    }
    for (int i = 0; i < n; i++) {
        if (ignored[i]) {
            continue;
        }
        counts[labels[i] * classes + predicted[i]]++;
        if (labels[i] == predicted[i]) {
            correct++;
        }
    }
    return correct;
}

}  // namespace everyday
