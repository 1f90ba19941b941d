#include "tests/frontend/keep_testing.h"

#include <random>

#include "frontend/keep/formats.h"

namespace reel {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// One tensor of each dtype that safetensors has, a scalar and an empty one.
StateDict AllKinds() {
  StateDict out;
  for (int i = 0; i < kNumDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (dtype == kComplex128) continue;
    const Tensor x = Cast(Tensor({0.f, 1.f, 2.f}), dtype == kBool ? kBool : dtype);
    out.emplace_back(std::string(Name(dtype)), x);
  }
  out.emplace_back("scalar", Tensor(7.5));
  out.emplace_back("empty", Zeros({0, 3}));
  out.emplace_back("name with \"quotes\" and \xc3\xa4", Tensor(int64_t{1}));
  return out;
}

TEST(Safetensors, EveryDtypeComesBack) {
  const Folder folder;
  const std::string path = folder / "all.safetensors";
  SaveWeights(path, AllKinds());
  EXPECT_TRUE(Same(ReadWeights(path), AllKinds()));
  uint64_t header;
  std::memcpy(&header, Bytes(path).data(), 8);
  EXPECT_EQ(header % 8, 0u);
}

TEST(Safetensors, WhatTheFormatHasNotNamesTheVariable) {
  const Folder folder;
  const std::string path = folder / "x.safetensors";
  EXPECT_THAT(ErrorOf([&] { SaveWeights(path, StateDict{{"z", Zeros({2}, kComplex128)}}); }),
              HasSubstr("variable \"z\": safetensors has no c128"));
  EXPECT_THAT(ErrorOf([&] { SaveWeights(path, StateDict{{"__metadata__", Tensor(1.f)}}); }), HasSubstr("__metadata__"));
  EXPECT_THAT(ErrorOf([&] { SaveWeights(path, StateDict{{"a", Tensor(1.f)}, {"a", Tensor(1.f)}}); }),
              HasSubstr("two values are called \"a\""));
  EXPECT_THAT(ErrorOf([&] { SaveWeights(folder / "x.bin", StateDict{}); }), HasSubstr("end with .safetensors or .npz"));
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Safetensors, DamagedFilesAreNamedWithTheEntry) {
  struct Row {
    std::string bytes, error;
  };
  const std::string good = R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]})";
  const std::string eight(8, '\0');
  const Row rows[] = {
      {"", "shorter than the length"},
      {"1234567", "shorter than the length"},
      {std::string(8, '\xff'), "a header of 18446744073709551615 bytes in a file of 8"},
      {File("[]"), "not a JSON object"},
      {File("1"), "not a JSON object"},
      {File("{"), "no JSON at byte"},
      {File("{" + good + "}x", eight), "no JSON at byte"},
      {File("{\"\xff\":1}"), "no JSON at byte"},
      {File(" {" + good + "}", eight), "that begins at once"},
      {File("\xef\xbb\xbf{" + good + "}", eight), "that begins at once"},
      {File("{" + good + "}" + std::string("\0}", 2), eight), "no JSON at byte"},
      {File(std::string(1'000'000, '[')), "not a JSON object"},
      {File("{\"a\":" + std::string(1'000'000, '[')), "entry \"a\": unexpected a list"},
      {File("{\"a\":" + std::string(1'000'000, '{')), "no JSON at byte"},
      {File("{\"a\":{\"shape\":" + std::string(1'000'000, '[')), "entry \"a\": unexpected a list"},
      {File("{\"a\":{\"b\":{\"c\":{}}}}"), "entry \"a\": key \"b\" is unknown"},
      {File("{" + good + "," + good + "}", eight), "two entries are called \"a\""},
      {File("{" + good + "}", eight + "x"), "1 bytes follow the last entry"},
      {File("{" + good + "}", "1234567"), "entry \"a\": bytes 0 to 8 of 7"},
      {File(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", eight), "entry \"a\": bytes 8 to 0"},
      {File(R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", eight), "entry \"a\": f32[3] in 8 bytes"},
      {File(R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,8]}})", eight), "in 8 bytes"},
      {File(R"({"a":{"dtype":"F32","shape":[9223372036854775809],"data_offsets":[0,8]}})", eight),
       "extent is too large"},
      {File(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,8]}})", eight), "entry \"a\": a number is negative"},
      {File(R"({"a":{"dtype":"F32","shape":[2.0],"data_offsets":[0,8]}})", eight),
       "entry \"a\": unexpected a fraction"},
      {File(R"({"a":{"dtype":"F32","shape":[1,1,1,1,1,1,1,1,1,1,2],"data_offsets":[0,8]}})", eight),
       "more than 10 axes"},
      {File(R"({"a":{"dtype":"F8_E4M3","shape":[8],"data_offsets":[0,8]}})", eight), "dtype \"F8_E4M3\" is none"},
      {File(R"({"a":{"dtype":"F32","shape":[2]}})"), "entry \"a\": dtype, shape or data_offsets is missing"},
      {File(R"({"a":{"dtype":"F32","dtype":"F32"}})"), "entry \"a\": dtype comes twice"},
      {File(R"({"a":{"dtype":1}})"), "entry \"a\": unexpected a number"},
      {File(R"({"a":{"shape":"F32"}})"), "entry \"a\": unexpected a string"},
      {File(R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[0]}})", eight), "entry \"a\": data_offsets are not two"},
      {File(R"({"a":3})"), "entry \"a\": unexpected a number"},
      {File(R"({"__metadata__":{"x":{}}})"), "metadata"},
      {File(R"({"__metadata__":[]})"), "metadata"},
      {File(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
            R"("b":{"dtype":"U8","shape":[5],"data_offsets":[3,8]}})",
            eight),
       "entry \"b\" begins at byte 3, what is before it ends at 4"},
      {File(R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},)"
            R"("b":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})",
            eight),
       "entry \"b\" begins at byte 4, what is before it ends at 3"},
      {File(R"({"a":{"dtype":"BOOL","shape":[8],"data_offsets":[0,8]}})", "\1\1\1\1\1\1\1\2"),
       "entry \"a\": a bool is neither"},
      {File(R"({"__metadata__":{"crc32/a":"00000000"},)" + good + "}", eight), "entry \"a\": its elements do not have"},
      {File(R"({"__metadata__":{"crc32/b":"00000000"},)" + good + "}", eight), "entry \"a\" has no checksum, others"},
      {File(R"({"__metadata__":{"crc32/a":"6522df69","crc32/b":"6522df69"},)" + good + "}", eight),
       "there is a checksum of \"b\", which is no entry"},
  };
  const Folder folder;
  const std::string path = folder / "x.safetensors";
  for (const Row& row : rows) {
    Write(path, row.bytes);
    const std::string error = ErrorOf([&] { ReadWeights(path); });
    EXPECT_THAT(error, HasSubstr(row.error)) << row.bytes.substr(0, 100);
    EXPECT_THAT(error, HasSubstr("x.safetensors\"")) << row.bytes.substr(0, 100);
  }
  EXPECT_THAT(ErrorOf([&] { ReadWeights(folder / "none.safetensors"); }), HasSubstr("cannot open"));
}

TEST(Safetensors, MetadataIsKeptAside) {
  const Folder folder;
  Write(folder / "x.safetensors",
        File(R"({"__metadata__":{"format":"pt"},"a":{"dtype":"I32","shape":[],"data_offsets":[0,4]}})",
             std::string("\5\0\0\0", 4)));
  const StateDict values = ReadWeights(folder / "x.safetensors");
  EXPECT_THAT(NamesOf(values), ElementsAre("a"));
  EXPECT_EQ(values[0].second.item<int>(), 5);
}

// Each change of a valid file is an error, or values of the types that a file can have.
TEST(Safetensors, MutationsAreErrorsOrValues) {
  const Folder folder;
  const std::string path = folder / "x.safetensors";
  SaveWeights(path, AllKinds());
  const std::string good = Bytes(path);
  uint64_t header;
  std::memcpy(&header, good.data(), 8);
  std::mt19937 random(7);
  const auto below = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
  const std::string pieces[] = {"{",
                                "}",
                                "[",
                                "]",
                                ",",
                                ":",
                                "\"",
                                "0",
                                "-1",
                                "1e9",
                                "null",
                                "9223372036854775807",
                                "18446744073709551615",
                                "\"F64\"",
                                "[0,0]",
                                "{}",
                                "\"shape\"",
                                "\\u0000",
                                "\xc3"};
  int errors = 0;
  constexpr int kMutations = 10'000;
  for (int i = 0; i < kMutations; ++i) {
    std::string bytes = good;
    for (size_t n = 1 + below(3); n > 0; --n) {
      const size_t at = below(10) == 0 ? below(bytes.size()) : below(std::min<size_t>(header + 8, bytes.size()));
      switch (below(5)) {
        case 0: bytes[at] = static_cast<char>(below(256)); break;
        case 1: bytes.erase(at, 1 + below(8)); break;
        case 2: bytes.insert(at, pieces[below(std::size(pieces))]); break;
        case 3: bytes[at] = static_cast<char>('0' + below(10)); break;
        case 4: bytes.resize(at + 1); break;
      }
    }
    if (below(2) == 0 && bytes.size() > 8) {  // a length that fits again
      const uint64_t fits = std::min<uint64_t>(bytes.find_last_of('}') - 7, bytes.size() - 8);
      std::memcpy(bytes.data(), &fits, 8);
    }
    const std::vector<char> exact(bytes.begin(), bytes.end());  // no byte more, for sanitizers
    const auto file = internal::ParseSafetensors({exact.data(), exact.size()});
    if (!file.ok()) {
      ++errors;
      continue;
    }
    int64_t total = 0;
    for (const auto& [name, value] : file->values) total += value.type().bytes();
    EXPECT_LE(total, static_cast<int64_t>(bytes.size()));
  }
  EXPECT_GT(errors, kMutations / 2);
  EXPECT_LT(errors, kMutations);
}

StateDict EveryDtype() {
  StateDict out = AllKinds();
  out.emplace_back("c128", Cast(Tensor({0.f, 1.f}), kComplex128));
  return out;
}

TEST(Npz, EveryDtypeComesBack) {
  const Folder folder;
  const std::string path = folder / "all.npz";
  SaveWeights(path, EveryDtype());
  EXPECT_TRUE(Same(ReadWeights(path), EveryDtype()));
  const std::string bytes = Bytes(path);
  SaveWeights(path, EveryDtype());
  EXPECT_EQ(bytes, Bytes(path)) << "equal values are equal files";
  for (const char* name : {"none.npz", "none.safetensors"}) {
    SaveWeights(folder / name, StateDict{});
    EXPECT_TRUE(ReadWeights(folder / name).empty()) << name;
  }
}

TEST(Npz, DamagedFilesAreNamedWithTheEntry) {
  const Folder folder;
  const std::string path = folder / "x.npz";
  SaveWeights(path, StateDict{{"dense/kernel", Ones({100})}, {"dense/bias", Ones({3})}});
  const std::string good = Bytes(path);
  const auto error = [&](const std::string& bytes) {
    Write(path, bytes);
    return ErrorOf([&] { ReadWeights(path); });
  };
  std::string bytes = good;
  bytes[bytes.find("NUMPY") + 150] = 'x';
  EXPECT_THAT(error(bytes), HasSubstr("x.npz\": damaged .npz: entry \"dense/kernel.npy\": CRC error"));
  bytes = good;
  for (size_t at = 0; (at = bytes.find("bias.npy", at)) != bytes.npos; ++at) bytes.replace(at, 8, "bias.txt");
  EXPECT_THAT(error(bytes), HasSubstr("entry \"dense/bias.txt\": it is no .npy file"));
  EXPECT_THAT(error(good.substr(0, good.size() - 30)), HasSubstr("damaged .npz"));
  EXPECT_THAT(error(""), HasSubstr("damaged .npz"));
  EXPECT_THAT(error("PK"), HasSubstr("damaged .npz"));
}

TEST(Npz, MutationsAreErrorsOrValues) {
  const Folder folder;
  const std::string path = folder / "x.npz";
  SaveWeights(path, EveryDtype());
  const std::string good = Bytes(path);
  std::mt19937 random(7);
  const auto below = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
  int errors = 0;
  constexpr int kMutations = 3000;
  for (int i = 0; i < kMutations; ++i) {
    std::string bytes = good;
    for (size_t n = 1 + below(3); n > 0; --n) {
      const size_t at =
          below(2) == 0 ? below(bytes.size()) : bytes.size() - 1 - below(bytes.size() / 3);  // the directory
      switch (below(4)) {
        case 0: bytes[at] = static_cast<char>(below(256)); break;
        case 1: bytes.erase(at, 1 + below(8)); break;
        case 2: bytes.insert(at, 1, static_cast<char>(below(256))); break;
        case 3: bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8))); break;
      }
    }
    const std::vector<char> exact(bytes.begin(), bytes.end());
    if (!internal::ParseNpz({exact.data(), exact.size()}).ok()) ++errors;
  }
  EXPECT_GT(errors, kMutations / 2);
  EXPECT_LT(errors, kMutations);
}

Sequential Model() { return Sequential(Dense(5, Tanh), BatchNorm(), Dense(2)); }

TEST(Weights, OfALayerThatWasNotCalledMakeItsVariables) {
  const Folder folder;
  const Tensor x = RandomNormal({4, 3});
  const Sequential model = Model();
  const Tensor y = model(x);
  SaveWeights(folder / "m.safetensors", model);
  EXPECT_THAT(NamesOf(GetState(model)),
              ElementsAre("dense/kernel", "dense/bias", "batch_norm/scale", "batch_norm/offset",
                          "batch_norm/running_mean", "batch_norm/running_variance", "dense_1/kernel", "dense_1/bias"));
  SaveWeights(folder / "m.npz", model);
  EXPECT_TRUE(Same(ReadWeights(folder / "m.npz"), GetState(model)));
  const Sequential other = Model();
  const Tensor before = Generator::Default().Key();
  LoadWeights(folder / "m.safetensors", other);
  EXPECT_TRUE(Same(before, Generator::Default().Key())) << "nothing is drawn";
  EXPECT_TRUE(Same(GetState(model), GetState(other)));
  EXPECT_EQ(other.trainable_variables().size(), model.trainable_variables().size());
  EXPECT_TRUE(Same(y, other(x)));
}

// Every kind of layer, made anew and loaded before its first call, computes the same bits.
template <typename Make>
void ExpectLoads(const Make& make, const Tensor& x) {
  const auto model = make();
  const Tensor y = model(x);
  const StateDict values = GetState(model);
  const auto other = make();
  LoadState(other, values);
  EXPECT_TRUE(Same(values, GetState(other)));
  EXPECT_TRUE(Same(y, other(x))) << model.name();
}

TEST(Weights, OfEveryKindOfLayer) {
  const Tensor image = RandomNormal({2, 8, 8, 4}), first = RandomNormal({2, 4, 8, 8}), words = RandomNormal({2, 5, 4});
  ExpectLoads([] { return Dense(3); }, words);
  ExpectLoads([] { return Dense(4, 3); }, words);
  ExpectLoads([] { return Dense(3, {}, {.use_bias = false}); }, words);
  ExpectLoads([] { return Embedding(7, 3); }, Tensor({1, 2, 6}));
  ExpectLoads([] { return Convolution1D(3, {2}); }, words);
  ExpectLoads([] { return Convolution2D(6, {3}, {}, {.groups = 2}); }, image);
  ExpectLoads([] { return Convolution2D(6, {3}, {}, {.groups = 2, .format = kChannelsFirst}); }, first);
  ExpectLoads([] { return ConvolutionTranspose2D(6, {3}, {}, {}); }, image);
  ExpectLoads([] { return DepthwiseConvolution2D({3}, 2); }, image);
  ExpectLoads([] { return DepthwiseConvolution2D({3}, 2, {}, {.format = kChannelsFirst}); }, first);
  ExpectLoads([] { return LayerNorm(); }, words);
  ExpectLoads([] { return RmsNorm(); }, words);
  ExpectLoads([] { return GroupNorm(2); }, image);
  ExpectLoads([] { return InstanceNorm(); }, image);
  ExpectLoads([] { return BatchNorm(); }, image);
  ExpectLoads([] { return Rnn(3); }, words);
  ExpectLoads([] { return Lstm(3); }, words);
  ExpectLoads([] { return Gru(3); }, words);
  ExpectLoads([] { return Bidirectional(Gru(3), Gru(3)); }, words);
  ExpectLoads([] { return Sequential(Sequential(Dense(3), Residual(Dense(3))), Dense(2)); }, words);
  const auto attention = [] { return MultiHeadAttention(4, 2); };
  const MultiHeadAttention a = attention(), b = attention();
  const Tensor y = a(words);
  LoadState(b, GetState(a));
  EXPECT_THAT(NamesOf(GetState(b)), testing::Contains("query/kernel"));
  EXPECT_TRUE(Same(y, b(words)));
}

TEST(Weights, AllDifferencesAreOneErrorAndNothingIsLoaded) {
  const Sequential model(Dense(3, 5), Dense(5, 2), Dense(2, 2));
  const StateDict before = GetState(model);
  StateDict values = before;
  values[0].second = Zeros({3, 6});
  values[1].second = Zeros({5}, kFloat64);
  values[2].first = "dense_1/kernell";
  values[4].second = Zeros({2, 2});
  const std::string error = ErrorOf([&] { LoadState(model, values); });
  EXPECT_THAT(error, HasSubstr("4 differences, nothing was loaded"));
  EXPECT_THAT(error, HasSubstr("shape: \"dense/kernel\" is f32[3,6], not f32[3,5]"));
  EXPECT_THAT(error, HasSubstr("dtype: \"dense/bias\" is f64[5], not f32[5]"));
  EXPECT_THAT(error, HasSubstr("missing: \"dense_1/kernel\" f32[5,2]"));
  EXPECT_THAT(error, HasSubstr("extra: \"dense_1/kernell\" f32[5,2]"));
  EXPECT_TRUE(Same(before, GetState(model)));
  // Without strict the wrong types are errors still; what is missing stays.
  EXPECT_THAT(ErrorOf([&] { LoadState(model, values, {.strict = false}); }), HasSubstr("2 differences"));
  EXPECT_TRUE(Same(before, GetState(model)));
  values[0].second = Ones({3, 5});
  values[1].second = Ones({5});
  LoadState(model, values, {.strict = false});
  EXPECT_TRUE(Same(GetState(model)[0].second, Ones({3, 5})));
  EXPECT_TRUE(Same(GetState(model)[2].second, before[2].second));
  EXPECT_TRUE(Same(GetState(model)[4].second, Zeros({2, 2})));
}

TEST(Weights, ThatDoNotFitLeaveALayerUnbuilt) {
  const Sequential model = Model(), other(Dense(5), Dense(7));
  model(RandomNormal({4, 3}));
  const std::string error = ErrorOf([&] { LoadState(other, GetState(model)); });
  EXPECT_THAT(error, HasSubstr("shape: \"dense_1/kernel\" is f32[5,2], not f32[5,7]"));
  EXPECT_THAT(error, HasSubstr("extra: \"batch_norm/scale\""));
  EXPECT_TRUE(other.variables().empty());
  EXPECT_EQ(other(RandomNormal({1, 9})).shape(), (Shape{1, 7}));
  const Sequential third(Dense(5), Dense(7));
  EXPECT_THAT(
      ErrorOf([&] { LoadState(third, StateDict{{"dense/kernel", Zeros({3, 5})}, {"dense_1/bias", Zeros({7})}}); }),
      testing::AllOf(HasSubstr("missing: \"dense/bias\" f32[5]"), HasSubstr("missing: all of \"dense_1\""),
                     HasSubstr("extra: \"dense_1/bias\"")));
}

TEST(Weights, OfALayerWithoutVariablesAreNotSaved) {
  const Folder folder;
  const std::string path = folder / "x.safetensors";
  EXPECT_THAT(ErrorOf([&] { SaveWeights(path, Sequential(Dense(3))); }),
              HasSubstr("has no variables yet; call the model"));
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Weights, OfVariablesNeedDistinctNames) {
  const Variable a(Zeros({2}), {.name = "a"}), b(Ones({3}), {.name = "b"});
  EXPECT_THAT(NamesOf(GetState(std::vector{a, b})), ElementsAre("a", "b"));
  EXPECT_THAT(ErrorOf([&] { GetState(std::vector{a, a}); }), HasSubstr("two variables are called \"a\""));
  EXPECT_THAT(ErrorOf([&] { GetState(Generator::FromKey(Tensor({int64_t{1}, int64_t{2}}))); }),
              HasSubstr("from a key"));
}

}  // namespace
}  // namespace reel
