#include <pthread.h>

void *work(void *p);

int f(int n) {
    pthread_t t;
    pthread_create(&t, 0, work, 0); // UNSUPPORTED: pthread_create
    return n;
}
