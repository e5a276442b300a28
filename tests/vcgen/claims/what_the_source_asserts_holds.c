// claim: return = 0:i32
// expect: PROVED
#include <assert.h>
int f(int a) {
  assert(a >= 0);
  return a < 0;
}
