/* Threads of a GPU, one after the other on the CPU; each runs to the next barrier. Memory of the device ends where arrays end. */

#define _GNU_SOURCE
#include "cuda_runtime.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { THREADS = 1024, SHARED = 48 << 10, ARRAYS = 64, PAGE = 4096, GUARD = 1 << 20, STACK = 64 << 10 };

struct cuda_dim blockIdx, threadIdx;
extern char __start_cuda_shared[] __attribute__((weak, visibility("hidden")));
extern char __stop_cuda_shared[] __attribute__((weak, visibility("hidden")));
static struct { char *pages, *stop; size_t bytes; } arrays[ARRAYS];
static int array_count;
static ucontext_t scheduler, contexts[THREADS];
static char *stacks;
static int order[THREADS], waiting[THREADS], running; /* the line that a thread waits at; 0: it may run; -1: it has ended */
static void (*kernel)(void); /* NULL where none runs */
static long long launches, blocks_run, threads_run, barriers;
static void (*refused)(const char *);

void cuda_model_refusal(void (*handler)(const char *)) {
    refused = handler;
}

void cuda_model_refuse(const char *why) {
    kernel = NULL;
    if (refused)
        refused(why); /* does not return */
    abort();
}

/* Reads and writes of what lies behind an array, and those of kernels where nothing lies. */
static void fault(int signal_number, siginfo_t *told, void *context) {
    (void)context;
    for (int each = 0; each < array_count; each++)
        if ((char *)told->si_addr >= arrays[each].stop && (char *)told->si_addr < arrays[each].stop + GUARD)
            cuda_model_refuse("a kernel reads or writes behind the end of an array");
    if (kernel)
        cuda_model_refuse("a kernel reads or writes where no array is");
    signal(signal_number, SIG_DFL);
}

void *cuda_model_array(size_t bytes) {
    size_t room = (bytes + PAGE) / PAGE * PAGE;
    if (array_count == ARRAYS)
        return NULL;
    char *pages = mmap(NULL, room + GUARD, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        abort();
    memset(pages, 0xff, room);
    mprotect(pages + room, GUARD, PROT_NONE);
    arrays[array_count].pages = pages;
    arrays[array_count].stop = pages + room;
    arrays[array_count++].bytes = bytes;
    return pages + room - bytes;
}

void cuda_model_forget(void) {
    while (array_count) {
        array_count--;
        munmap(arrays[array_count].pages, (size_t)(arrays[array_count].stop - arrays[array_count].pages) + GUARD);
    }
}

void cuda_model_regions_end(void) {
    struct sigaction action = {.sa_sigaction = fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGSEGV, &action, NULL);
    launches = blocks_run = threads_run = barriers = 0;
}

void cuda_model_region(const void *start, size_t bytes, bool writable) {
    (void)start, (void)bytes, (void)writable;
}

const char *cuda_model_costs(void) {
    static char text[200];
    snprintf(text, sizeof text, "{\"launches\": %lld, \"blocks\": %lld, \"threads\": %lld, \"barriers of blocks\": %lld}", launches,
        blocks_run, threads_run, barriers);
    return text;
}

cudaError_t cudaMalloc(void **place, size_t bytes) {
    *place = cuda_model_array(bytes);
    return *place ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    (void)kind;
    memcpy(to, from, bytes);
    return cudaSuccess;
}

cudaError_t cudaFree(void *place) {
    (void)place; /* until the next call */
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void) {
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void) {
    return cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t error) {
    return error == cudaSuccess ? "no error" : "no memory";
}

void cuda_model_wait(int line) {
    waiting[running] = line;
    swapcontext(&contexts[running], &scheduler);
}

static void coroutine(void) {
    kernel();
    waiting[running] = -1;
}

/* Another order of the threads, so that what one reads of another without a barrier between them is not there. */
static void shuffle(int count) {
    static uint32_t random = 1;
    for (int each = count - 1; each > 0; each--) {
        random = (uint32_t)(random * (uint64_t)1664525 + 1013904223);
        int other = (int)((random >> 8) % (unsigned)(each + 1)), kept = order[each];
        order[each] = order[other];
        order[other] = kept;
    }
}

/* All threads of a block to their ends, together from barrier to barrier. */
static void run_together(struct cuda_dim threads, int count) {
    for (int each = 0; each < count; each++) {
        waiting[each] = 0;
        order[each] = each;
        getcontext(&contexts[each]);
        contexts[each].uc_stack.ss_sp = stacks + (size_t)each * STACK;
        contexts[each].uc_stack.ss_size = STACK;
        contexts[each].uc_link = &scheduler;
        makecontext(&contexts[each], coroutine, 0);
    }
    do {
        shuffle(count);
        for (int each = 0; each < count; each++) {
            running = order[each];
            threadIdx = (struct cuda_dim){(unsigned)running % threads.x, (unsigned)running / threads.x};
            swapcontext(&scheduler, &contexts[running]);
        }
        for (int each = 1; each < count; each++)
            if (waiting[each] != waiting[0])
                cuda_model_refuse("threads of a block wait at different places, or for others that have ended");
        barriers += waiting[0] > 0;
    } while (waiting[0] > 0);
}

void cuda_model_launch(unsigned blocks, struct cuda_dim threads, void (*thread)(void), int waits) {
    uint64_t count = (uint64_t)threads.x * threads.y;
    size_t shared = __start_cuda_shared ? (size_t)(__stop_cuda_shared - __start_cuda_shared) : 0;
    if (count < 1 || count > THREADS)
        cuda_model_refuse("a block has 1 to 1,024 threads");
    if (shared > SHARED)
        cuda_model_refuse("a block has 48 KiB of shared memory");
    if (!stacks)
        stacks = mmap(NULL, (size_t)THREADS * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stacks == MAP_FAILED)
        abort();
    kernel = thread;
    launches++;
    blocks_run += blocks;
    threads_run += (long long)blocks * (long long)count;
    for (unsigned block = blocks; block-- > 0;) {
        blockIdx = (struct cuda_dim){block, 0};
        if (shared)
            memset(__start_cuda_shared, 0xff, shared); /* what was not written is no number */
        if (waits) {
            run_together(threads, (int)count);
            continue;
        }
        for (int each = (int)count - 1; each >= 0; each--) {
            threadIdx = (struct cuda_dim){(unsigned)each % threads.x, (unsigned)each / threads.x};
            thread();
        }
    }
    kernel = NULL;
}
