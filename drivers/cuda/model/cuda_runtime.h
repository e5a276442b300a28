/* What texts need of CUDA, for a C compiler: kernels are functions, and run on the CPU. */

#ifndef CUDA_RUNTIME_H
#define CUDA_RUNTIME_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#define __global__ static
#define __device__
#define __shared__ static __attribute__((section("cuda_shared")))
#define __syncthreads() cuda_model_wait(__LINE__)
#define dim3(x, y) ((struct cuda_dim){(x), (y)})

struct cuda_dim { unsigned x, y; };
extern struct cuda_dim blockIdx, threadIdx;

typedef enum { cudaSuccess, cudaErrorMemoryAllocation } cudaError_t;
enum cudaMemcpyKind { cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
cudaError_t cudaMalloc(void **place, size_t bytes);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaFree(void *place);
cudaError_t cudaGetLastError(void);
cudaError_t cudaDeviceSynchronize(void);
const char *cudaGetErrorString(cudaError_t error);

void cuda_model_wait(int line);
void cuda_model_launch(unsigned blocks, struct cuda_dim threads, void (*thread)(void), int waits);

static inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
static inline double rsqrt(double x) { return 1.0 / sqrt(x); }

#endif
