// Loads argv[1] into an instance and writes what it saves to argv[2]; the file less its last byte must change nothing.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mnist.h"

static unsigned char memory[MNIST_SIZE + MNIST_ALIGNMENT];

static int Fail(const char* what, int code) { return fprintf(stderr, "%s: %d, %s\n", what, code, mnist_error(code)), 1; }

int main(int argc, char** argv) {
  unsigned char* at = memory + MNIST_ALIGNMENT - (size_t)memory % MNIST_ALIGNMENT;
  int error = 0;
  mnist* model = mnist_init(at, MNIST_SIZE, &error);
  if (!model || argc != 3) return Fail("init", error);
  const size_t size = mnist_save_size();
  unsigned char *file = malloc(2 * size + 1), *before = malloc(size), *after = malloc(size);
  FILE* in = fopen(argv[1], "rb");
  const size_t bytes = in ? fread(file + 1, 1, 2 * size, in) : 0;  // at no alignment
  if ((error = mnist_save(model, before, size))) return Fail("save", error);
  if (mnist_load(model, file + 1, bytes - 1) != 18) return Fail("load of less", 0);
  if (mnist_save(model, after, size) || memcmp(before, after, size)) return Fail("half loaded", 0);
  if ((error = mnist_load(model, file + 1, bytes))) return Fail("load", error);
  if ((error = mnist_save(model, after, size))) return Fail("save", error);
  FILE* out = fopen(argv[2], "wb");
  return !out || fwrite(after, 1, size, out) != size || fclose(out);
}
