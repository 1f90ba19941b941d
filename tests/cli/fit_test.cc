// `reel train --data`: tables, arrays, images and text of the test's own; what it writes; bad data and options.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>

#include "cli_testing.h"
#include "reel/reel.h"
#include "tests/paths.h"

namespace reel::cli {
namespace {

using testing::HasSubstr;

class FitCommand : public testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }
  void File(const std::string& name, std::string_view bytes) const { Write(Path(name), bytes); }
  /// `reel train --data NAME OPTIONS`, split at spaces.
  ProcessResult Train(const std::string& name, const std::string& options = "") const {
    std::vector<std::string> words = {"train", "--data", Path(name)};
    std::istringstream stream(options);
    for (std::string word; stream >> word;) words.push_back(word.starts_with("@") ? Path(word.substr(1)) : word);
    return Reel(words);
  }
  Json Trained(const std::string& name, const std::string& options = "") const {
    const ProcessResult result = Train(name, options + " --json");
    EXPECT_EQ(kOk, result.status) << result.err;
    return Json::parse(result.out, nullptr, false);
  }
  void Fails(const std::string& name, const std::string& options, int status, const std::string& message) const {
    const ProcessResult result = Train(name, options);
    EXPECT_EQ(status, result.status) << options << ": " << result.err;
    EXPECT_EQ("", result.out) << options;
    EXPECT_THAT(result.err, HasSubstr(message)) << options;
    EXPECT_LE(result.err.size(), 4096u);
  }

  const TemporaryFolder folder_;
};

/// Points of three classes around corners; `last` makes the last cells of a line.
std::string Table(const std::string& header, const std::function<std::string(double x, double y, int kind)>& last) {
  const Tensor noise = RandomNormal({150, 2}, {.generator = Generator(3)});
  const auto n = noise.data<float>();
  std::string text = header + "\n";
  for (size_t i = 0; i < 150; ++i) {
    const int kind = static_cast<int>(i % 3);
    const double x = kind + 0.15 * double{n[2 * i]}, y = (kind == 1 ? 1000 : 0) + 150 * double{n[2 * i + 1]};
    StrAppend(&text, x, ",", y, ",", last(x, y, kind), "\n");
  }
  return text;
}

const char* const kNames[] = {"red", "green", "blue, \"light\""};

std::string Classes() {
  return Table("x,y,kind", [](double, double, int kind) {
    return kind == 2 ? std::string("\"blue, \"\"light\"\"\"") : std::string(kNames[kind]);
  });
}

std::string BigEndian(uint32_t value) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift);
  return out;
}

/// Images [n, 6, 6] of a bright row or column: class 0 or 1.
std::string Pixels(int n) {
  std::string out;
  for (int i = 0; i < n; ++i) {
    for (int at = 0; at < 36; ++at) out += (i % 2 == 0 ? at / 6 : at % 6) == i / 2 % 6 ? '\xff' : '\x10';
  }
  return out;
}
std::string Labels(int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out += static_cast<char>(i % 2);
  return out;
}

std::string PngChunk(const std::string& kind, const std::string& data) {
  const std::string body = kind + data;
  const auto crc = ::crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return BigEndian(static_cast<uint32_t>(data.size())) + body + BigEndian(static_cast<uint32_t>(crc));
}

/// Gray, 6 by 6.
std::string Png(const std::string& pixels) {
  std::string rows;
  for (size_t i = 0; i < 36; i += 6) rows += std::string(1, '\0') + pixels.substr(i, 6);
  uLongf size = ::compressBound(rows.size());
  std::string packed(size, '\0');
  EXPECT_EQ(Z_OK, ::compress(reinterpret_cast<Bytef*>(packed.data()), &size,
                             reinterpret_cast<const Bytef*>(rows.data()), rows.size()));
  packed.resize(size);
  return "\x89PNG\r\n\x1a\n" + PngChunk("IHDR", BigEndian(6) + BigEndian(6) + std::string("\x08\0\0\0\0", 5)) +
         PngChunk("IDAT", packed) + PngChunk("IEND", "");
}

TEST_F(FitCommand, TextLabelsAreClasses) {
  File("t.csv", Classes());
  const Json json = Trained("t.csv", "--steps 300 --learning-rate 0.01 --chart @t.svg --log @t.log");
  EXPECT_GE(json["accuracy"].get<double>(), 0.9) << json;
  EXPECT_LT(json["validation_loss"].get<double>(), 0.5);
  EXPECT_THAT(json["data"].get<std::string>(), HasSubstr("135 examples [2] to train on, 15 to validate, 3 classes"));
  EXPECT_THAT(json["model"].get<std::string>(), HasSubstr("mlp 2-128-3, adam"));
  EXPECT_EQ(2 * 128 + 128 + 128 * 3 + 3, json["parameters"].get<int>());
  EXPECT_THAT(Read(Path("t.svg")), HasSubstr("</svg>"));
  const std::string log = Read(Path("t.log"));
  EXPECT_TRUE(log.starts_with("step,loss,validation_loss,accuracy\n1,")) << log.substr(0, 100);
  EXPECT_EQ(301, std::count(log.begin(), log.end(), '\n'));
}

TEST_F(FitCommand, OtherNumbersArePredicted) {
  File("t.csv",
       Table("x,y,far,near", [](double x, double y, int) { return StrCat(5e6 + 1000 * x + y, ",", x / 1e3 + 0.1); }));
  const Json json = Trained("t.csv", "--steps 600 --learning-rate 0.01 --labels far --columns x,y");
  EXPECT_LT(json["rmse"].get<double>(), 100) << json;  // of a deviation of about 1000
  EXPECT_LT(json["validation_loss"].get<double>(), 0.01);
  EXPECT_THAT(json["data"].get<std::string>(), HasSubstr("1 number to predict"));
  EXPECT_THAT(Trained("t.csv", "--steps 20 --labels far,near")["data"].get<std::string>(), HasSubstr("2 numbers"));
}

TEST_F(FitCommand, TheTaskOfWholeNumbersCanBeSaid) {
  File("t.csv", Table("x,y,kind", [](double, double, int kind) { return std::to_string(kind); }));
  EXPECT_THAT(Trained("t.csv", "--steps 5")["data"].get<std::string>(), HasSubstr("3 classes"));
  EXPECT_THAT(Trained("t.csv", "--steps 5 --task numbers")["data"].get<std::string>(),
              HasSubstr("1 number to predict"));
}

// A file of bytes as numpy.save writes it.
std::string Npy(const std::string& shape, const std::string& bytes) {
  const std::string header = StrCat("{'descr': '|u1', 'fortran_order': False, 'shape': ", shape, ", }\n");
  return StrCat("\x93NUMPY\x01", std::string(1, '\0'), std::string(1, static_cast<char>(header.size())),
                std::string(1, '\0'), header, bytes);
}

TEST_F(FitCommand, ArraysImagesAndFolders) {
  const std::string pixels = Pixels(120), labels = Labels(120);
  const Tensor images = Tensor::FromBytes(kUInt8, {120, 6, 6}, pixels.data());
  const Tensor kinds = Tensor::FromBytes(kUInt8, {120}, labels.data());
  SaveWeights(Path("a.npz"), StateDict{{"images", images}, {"labels", kinds}});
  std::filesystem::create_directory(Path("arrays"));
  File("arrays/images.npy", Npy("(120, 6, 6)", pixels));
  File("arrays/labels.npy", Npy("(120,)", labels));
  std::filesystem::create_directory(Path("idx"));
  File("idx/train-images-idx3-ubyte", BigEndian(0x803) + BigEndian(120) + BigEndian(6) + BigEndian(6) + pixels);
  File("idx/train-labels-idx1-ubyte", BigEndian(0x801) + BigEndian(120) + labels);
  for (const char* kind : {"row", "column"}) std::filesystem::create_directories(Path(StrCat("folder/", kind)));
  for (int i = 0; i < 120; ++i) {
    File(StrCat("folder/", i % 2 == 0 ? "row" : "column", "/", 100 + i, ".png"),
         Png(pixels.substr(static_cast<size_t>(i) * 36, 36)));
  }
  for (const std::string name : {"a.npz", "arrays", "idx", "folder"}) {
    SCOPED_TRACE(name);
    const Json conv = Trained(name, "--steps 150 --channels 4,8 --learning-rate 0.01");
    EXPECT_EQ(1, conv["accuracy"].get<double>()) << conv;
    EXPECT_THAT(conv["model"].get<std::string>(), HasSubstr("conv [6,6"));
    EXPECT_THAT(Trained(name, "--steps 3 --model mlp --hidden 8,4")["model"].get<std::string>(),
                HasSubstr("mlp 36-8-4-2"));
  }
  // A pair of files to train on and one to test.
  File("idx/t10k-images-idx3-ubyte", BigEndian(0x803) + BigEndian(20) + BigEndian(6) + BigEndian(6) + Pixels(20));
  File("idx/t10k-labels-idx1-ubyte", BigEndian(0x801) + BigEndian(20) + Labels(20));
  EXPECT_THAT(Trained("idx", "--steps 3")["data"].get<std::string>(),
              HasSubstr("120 examples [6,6] to train on, 20 to"));
  File("idx/t10k-labels-idx1-ubyte", BigEndian(0x801) + BigEndian(20) + std::string(20, '\x07'));
  Fails("idx", "--steps 3", kInvalid, "t10k-labels");
  std::filesystem::create_directory(Path("empty"));
  Fails("empty", "", kInvalid, "is empty");
  EXPECT_THAT(Trained("folder", "--steps 3 --size 12x8")["model"].get<std::string>(), HasSubstr("conv [12,8,1]"));
  Fails("folder", "--size 12", kUsage, "HEIGHTxWIDTH");
}

TEST_F(FitCommand, GptReadsAndWritesText) {
  std::string text;
  for (int i = 0; i < 400; ++i) StrAppend(&text, "to be \xc3\xa9t or not\n");
  File("t.txt", text);
  const std::string options =
      "--layers 1 --heads 2 --width 16 --context 16 --steps 150 --learning-rate 0.01 --batch 16 --sample 40 --clip 1";
  const Json json = Trained("t.txt", options);
  EXPECT_LT(json["validation_loss"].get<double>(), 0.7) << json;
  EXPECT_THAT(json["sample"].get<std::string>(), HasSubstr("be"));
  EXPECT_EQ(json, [&] {
    Json again = Trained("t.txt", options);
    for (const char* seconds : {"compile_seconds", "step_seconds", "total_seconds"}) again[seconds] = json[seconds];
    return again;
  }());
  File("v.txt", "to be or not");
  Fails("t.txt", options + " --validation @v.txt", kInvalid, "v.txt");
  File("bad.txt", text + "\xff\xfe");
  Fails("bad.txt", options, kInvalid, "bad.txt");
  Fails("t.txt", "--model mlp", kInvalid, "text is for --model gpt");
  Fails("t.txt", "--width 30 --heads 4", kUsage, "cannot be divided");
}

TEST_F(FitCommand, EventFilesForTensorBoard) {
  File("t.csv", Classes());
  const Json json = Trained("t.csv", "--steps 20 --logs @events");
  const std::string file = json["files"][0].get<std::string>(), bytes = Read(file);
  EXPECT_THAT(file, HasSubstr(Path("events") + "/events.out.tfevents."));
  for (const char* name : {"loss", "validation/loss", "validation/accuracy", "dense/kernel", "softmax"}) {
    EXPECT_THAT(bytes, HasSubstr(name));
  }
}

TEST_F(FitCommand, EarlyStoppingKeepsTheBestValues) {
  File("t.csv", Classes());
  const std::string options = "--steps 4000 --evaluate-every 5 --learning-rate 0.05 --early-stopping 3";
  const Json json = Trained("t.csv", options + " --log @log");
  EXPECT_TRUE(json["stopped_early"].get<bool>()) << json;
  const int best = json["best_step"].get<int>();
  EXPECT_EQ(best + 15, json["last_step"].get<int>());
  std::istringstream log(Read(Path("log")));
  std::string line;
  double least = INFINITY, of_best = 0;
  while (std::getline(log, line)) {
    std::istringstream cells(line);
    std::string step, loss, validation;
    std::getline(std::getline(std::getline(cells, step, ','), loss, ','), validation, ',');
    if (step == "step" || validation.empty()) continue;
    least = std::min(least, std::stod(validation));
    if (std::stoi(step) == best) of_best = std::stod(validation);
  }
  EXPECT_EQ(of_best, least);
  EXPECT_NEAR(json["validation_loss"].get<double>(), least, 1e-6);
}

/// Of Adam, what no step changes.
bool IsSetting(const std::string& variable) {
  return variable == "adam/learning_rate" || variable == "adam/beta_1" || variable == "adam/beta_2" ||
         variable == "adam/epsilon";
}

/// The object trains on, and predicts what the saved model does, from the values that were trained.
TEST_F(FitCommand, ExportsAnObjectForC) {
  File("t.csv", Classes());
  const Json json = Trained("t.csv", "--steps 100 --batch 8 --save @t.reel --export @toy.o");
  EXPECT_EQ((std::vector<std::string>{Path("t.reel"), Path("toy.o"), Path("toy.h")}),
            json["files"].get<std::vector<std::string>>());
  File("main.c", R"(#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "toy.h"
int main(void) {
  float x[8 * 2] = {1, 1000, 0, 0, 2, 0, 1, 900}, logits[4 * 3], loss;
  int64_t labels[8] = {1, 0, 2, 1, 1, 1, 1, 1};
  int error = 0, i;
  toy* model = toy_init(aligned_alloc(TOY_ALIGNMENT, TOY_SIZE), TOY_SIZE, &error);
  if (!model || toy_predict(model, 4, x, logits) != 0) return 1;
  for (i = 0; i < 12; ++i) printf("%.9g ", (double)logits[i]);
  if (toy_train(model, x, labels, &loss) != 0) return 2;
  return loss > 0 ? 0 : 3;
}
)");
  const ProcessResult cc = RunProcess({"cc", "-std=c11", "main.c", "toy.o", "-o", "main"}, folder_.path());
  ASSERT_EQ(0, cc.status) << cc.err;
  const ProcessResult run = RunProcess({"./main"}, folder_.path());
  ASSERT_EQ(0, run.status) << run.out;
  const Module module = Module::Load(Path("t.reel"));
  const Tensor logits = module.function("predict")(Tensor({{1.f, 1000.f}, {0.f, 0.f}, {2.f, 0.f}, {1.f, 900.f}}));
  std::istringstream numbers(run.out);
  for (const float expected : logits.data<float>()) {
    float got = NAN;
    numbers >> got;
    EXPECT_EQ(got, expected);
  }
  Trained("t.csv", "--steps 1 --batch 8 --save @one.reel");
  const Module other = Module::Load(Path("one.reel"));
  for (const std::string& name : module.variables()) {
    const bool same = module.value(name).ToVector<float>() == other.value(name).ToVector<float>();
    EXPECT_EQ(same, name.starts_with("feature_") || IsSetting(name)) << name << ", of 100 steps and of one";
  }
  EXPECT_EQ(kOk, Reel({"verify", Path("t.reel")}).status);
  EXPECT_EQ(Tensor(ArgMax(logits)).ToVector<int64_t>().size(), 4u);
}

TEST_F(FitCommand, BadDataIsToldWithFileAndLine) {
  File("good.csv", Classes());
  const std::string ragged = Classes().insert(Classes().find('\n') + 1, "1,2\n");
  File("ragged.csv", ragged);
  File("word.csv", "a,b\n1,2\nx,3\n");
  File("empty.csv", "");
  File("header.csv", "a,b\n");
  File("one.csv", "a,b\n1,2\n");
  File("same.csv", "a,b\n1,0\n2,0\n3,0\n");
  File("nan.csv", "a,b\n1,0\nnan,1\n3,0\n");
  File("other.csv", "x,y,z,kind\n1,2,3,red\n");
  File("new.csv", "x,y,kind\n1,2,violet\n");
  File("short.txt", "abc");
  File("x.npz", "PK no zip");
  File("data.bin", "x");
  const struct {
    const char *name, *options;
    int status;
    const char* message;
  } kCases[] = {
      {"ragged.csv", "", kInvalid, "ragged.csv\": line 2 has 2 cells, expected 3"},
      {"word.csv", "", kInvalid, "word.csv\": line 3, column 1"},
      {"empty.csv", "", kInvalid, "empty.csv"},
      {"header.csv", "", kInvalid, "header.csv"},
      {"one.csv", "", kInvalid, "one.csv"},
      {"same.csv", "", kInvalid, "two or more"},
      {"nan.csv", "", kInvalid, "nan.csv"},
      {"good.csv", "--labels knid", kInvalid, "kind"},
      {"good.csv", "--columns x,z", kInvalid, "z"},
      {"good.csv", "--model conv", kInvalid, "--model conv is for images"},
      {"good.csv", "--model gpt", kInvalid, "gpt is for text"},
      {"good.csv", "--model mnist", kUsage, "of the demo"},
      {"good.csv", "--model mpl", kUsage, "did you mean \"mlp\"?"},
      {"good.csv", "--optimizer adma", kUsage, "did you mean \"adam\"?"},
      {"good.csv", "--learnig-rate 1", kUsage, "did you mean \"--learning-rate\"?"},
      {"good.csv", "--batch 1000", kInvalid, "--batch 1000 is more than the 135 examples"},
      {"good.csv", "--validation @other.csv", kInvalid, "other.csv"},
      {"good.csv", "--validation @new.csv", kInvalid, "new.csv"},
      {"good.csv", "--validation @none.csv", kIo, "none.csv"},
      {"good.csv", "--validation @short.txt", kInvalid, "not of the kind"},
      {"good.csv", "--optimizer sgd --learning-rate 1e6 --steps 50", kInvalid,
       "try a smaller --learning-rate (it is 1e+06)"},
      {"good.csv", "--export @9.o", kUsage, "--export"},
      {"good.csv", "--export @a.so", kUsage, "NAME.o"},
      {"good.csv", "--save @none/a.reel", kIo, "none/a.reel"},
      {"good.csv", "--log @none/log", kIo, "none/log"},
      {"good.csv", "--eager-steps 3", kUsage, "--data"},
      {"none.csv", "", kIo, "none.csv"},
      {"short.txt", "", kInvalid, "short.txt"},
      {"x.npz", "", kInvalid, "x.npz"},
      {"data.bin", "", kUsage, "must end in .csv"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    Fails(c.name, c.options, c.status, c.message);
  }
  const ProcessResult without = Reel({"train", "--model", "mlp", "--output-dir", Path("demo")});
  EXPECT_EQ(kUsage, without.status);
  EXPECT_THAT(without.err, HasSubstr("add --data PATH"));
  EXPECT_EQ(kUsage, Reel({"train", "--optimizer", "adam"}).status);
}

TEST_F(FitCommand, LogAndModelCanGoToStandardOutput) {
  File("t.csv", Classes());
  const ProcessResult log = Train("t.csv", "--steps 7 --log -");
  EXPECT_EQ(kOk, log.status);
  EXPECT_TRUE(log.out.starts_with("step,loss,validation_loss,accuracy\n1,")) << log.out;
  EXPECT_EQ(8, std::count(log.out.begin(), log.out.end(), '\n'));
  EXPECT_THAT(log.err, HasSubstr("7 steps"));
  EXPECT_TRUE(Train("t.csv", "--steps 3 --save -").out.starts_with("\x0a\x04REEL"));
  EXPECT_EQ(kUsage, Train("t.csv", "--steps 3 --save - --log -").status);
}

}  // namespace
}  // namespace reel::cli
