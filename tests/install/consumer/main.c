#include <stdio.h>
#include <stdlib.h>

#include "square.h"

int main(void) {
  const float x[3] = {1, 2, 3};
  float y[3];
  int error = 0;
  void* memory = aligned_alloc(SQUARE_ALIGNMENT, SQUARE_SIZE);
  square* model = square_init(memory, SQUARE_SIZE, &error);
  if (!model || square_gradient(model, x, y)) return 1;
  printf("%g\n", (double)y[2]);
  free(memory);
  return 0;
}
