#include "frontend/cli/train/c_program.h"

#include <cstdlib>
#include <sstream>

#include "frontend/cli/cli.h"
#include "ir/names.h"

namespace reel::cli {
namespace {

// $name, $NAME, $element, ... are replaced; see MakeMainC().
constexpr std::string_view kMain =
    R"(/* Trains and tests "$name" with the compiled step alone, from the values the object holds:
 *   cc -O2 main.c $name.o -o $name && ./$name $name.data $name.variables
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "$name.h"

enum { WIDTH = $width, BATCH = $batch, TEST_BATCH = $test_batch, CLASSES = $classes };
typedef $element element;

static void fail(const char* what) {
  fprintf(stderr, "%s\n", what);
  exit(1);
}

static void check(int status) {
  if (status != 0) fail($name_error(status));
}

static void* read_block(FILE* file, size_t bytes) {
  void* block = malloc(bytes + 1);
  if (!block || fread(block, 1, bytes, file) != bytes) fail("the data file is truncated");
  return block;
}

/* Index of the largest of CLASSES numbers. */
static int best(const float* logits) {
  int i, at = 0;
  for (i = 1; i < CLASSES; ++i) {
    if (logits[i] > logits[at]) at = i;
  }
  return at;
}

static element inputs[BATCH * WIDTH];
static int32_t labels[BATCH];
static float logits[TEST_BATCH * CLASSES];

static void train($name* model, const element* rows, const int32_t* row_labels,
                  const int32_t* order, int32_t steps) {
  int32_t step, i;
  double seconds = 0;
  for (step = 0; step < steps; ++step) {
    float loss;
    clock_t start;
    for (i = 0; i < BATCH; ++i) {
      const int32_t row = order[step * BATCH + i];
      memcpy(inputs + i * WIDTH, rows + (size_t)row * WIDTH, sizeof(element) * WIDTH);
      labels[i] = row_labels[row];
    }
    start = clock();
    check($name_train(model, inputs, labels, &loss));
    seconds += (double)(clock() - start) / CLOCKS_PER_SEC;
    printf("loss %a\n", (double)loss);
  }
  printf("seconds %.9g\n", seconds);
}

static void test($name* model, const element* rows, const int32_t* row_labels, int32_t count) {
  int32_t first, i, right = 0;
  for (first = 0; first + TEST_BATCH <= count; first += TEST_BATCH) {
    check($name_predict(model, rows + (size_t)first * WIDTH, logits));
    for (i = 0; i < TEST_BATCH; ++i) right += best(logits + i * CLASSES) == row_labels[first + i];
  }
  printf("accuracy %.9g\n", (double)right / first);
}

/* All variables, one after the other. */
static void write_variables($name* model, const char* path) {
  FILE* file = fopen(path, "wb");
  size_t written = 0;
  if (!file) fail("cannot write the variables");
$variables  if (fclose(file) != 0 || written != $variable_bytes) fail("cannot write the variables");
}

int main(int argc, char** argv) {
  int32_t counts[3]; /* examples to train, to test, steps */
  element *rows, *test_rows;
  int32_t *row_labels, *test_labels, *order;
  int error = 0;
  char* memory;
  $name* model;
  FILE* file = argc == 3 ? fopen(argv[1], "rb") : NULL;
  if (!file) fail("usage: $name DATA VARIABLES");
  if (fread(counts, sizeof counts, 1, file) != 1) fail("the data file is truncated");
  rows = (element*)read_block(file, sizeof(element) * WIDTH * (size_t)counts[0]);
  row_labels = (int32_t*)read_block(file, sizeof(int32_t) * (size_t)counts[0]);
  test_rows = (element*)read_block(file, sizeof(element) * WIDTH * (size_t)counts[1]);
  test_labels = (int32_t*)read_block(file, sizeof(int32_t) * (size_t)counts[1]);
  order = (int32_t*)read_block(file, sizeof(int32_t) * BATCH * (size_t)counts[2]);
  fclose(file);

  memory = (char*)malloc($name_size() + $name_alignment());
  if (!memory) fail("no memory");
  model = $name_init(memory + ($name_alignment() - (uintptr_t)memory % $name_alignment()),
                     $name_size(), &error);
  check(error);
  train(model, rows, row_labels, order, counts[2]);
  test(model, test_rows, test_labels, counts[1]);
  write_variables(model, argv[2]);
  free(memory);
  free(order);
  free(test_labels);
  free(test_rows);
  free(row_labels);
  free(rows);
  return 0;
}
)";

void Replace(std::string* text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text->find(from, at)) != std::string::npos; at += to.size()) {
    text->replace(at, from.size(), to);
  }
}

// How the name of a variable appears in C.
std::string Identifier(std::string name) {
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

template <typename T>
void AppendBytes(std::string* out, const T* first, size_t count) {
  out->append(reinterpret_cast<const char*>(first), count * sizeof(T));
}

}  // namespace

std::string MakeMainC(const Model& model, const VariableList& variables) {
  std::string writes;
  int64_t total = 0;
  for (const auto& [name, bytes] : variables) {
    StrAppend(&writes, "  written += fwrite($name_variable_", Identifier(name), "(model), 1, ", bytes, ", file);\n");
    total += bytes;
  }
  std::string out(kMain);
  Replace(&out, "$variables", writes);
  Replace(&out, "$variable_bytes", StrCat(total));
  Replace(&out, "$name", model.name);
  Replace(&out, "$element", model.data.dtype == kFloat32 ? "float" : "int32_t");
  Replace(&out, "$width", StrCat(model.data.width));
  Replace(&out, "$batch", StrCat(model.batch));
  Replace(&out, "$test_batch", StrCat(model.test_batch));
  Replace(&out, "$classes", StrCat(model.data.classes));
  return out;
}

std::string MakeDataFile(const Dataset& data, const std::vector<int32_t>& order, int64_t batch) {
  const auto train = static_cast<size_t>(data.num_train), width = static_cast<size_t>(data.width) * 4;
  const int32_t counts[] = {static_cast<int32_t>(data.num_train), static_cast<int32_t>(data.num_test),
                            static_cast<int32_t>(order.size() / static_cast<size_t>(batch))};
  std::string out;
  AppendBytes(&out, counts, 3);
  AppendBytes(&out, data.rows.data(), train * width);
  AppendBytes(&out, data.labels.data(), train);
  AppendBytes(&out, data.rows.data() + train * width, data.rows.size() - train * width);
  AppendBytes(&out, data.labels.data() + train, data.labels.size() - train);
  AppendBytes(&out, order.data(), order.size());
  return out;
}

CResult ParseCResult(const std::string& text) {
  CResult out;
  std::istringstream lines(text);
  for (std::string key, value; lines >> key >> value;) {
    char* end = nullptr;
    const double x = std::strtod(value.c_str(), &end);  // reads the hexadecimal form exactly
    if (*end != '\0') Fail(kInvalid, StrCat("the C program said ", ir::Quoted(value), " for its ", key));
    if (key == "loss")
      out.losses.push_back(static_cast<float>(x));
    else if (key == "accuracy")
      out.accuracy = x;
    else if (key == "seconds")
      out.seconds = x;
  }
  return out;
}

}  // namespace reel::cli
