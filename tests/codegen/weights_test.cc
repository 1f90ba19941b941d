// NAME_save and NAME_load of objects, beside the reader and the writer of the front.
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <random>

#include "codegen/aot/aot.h"
#include "codegen/aot/weights_layout.h"
#include "frontend/keep/formats.h"
#include "ir/strings.h"
#include "runtime/abi.h"
#include "tests/codegen/kernel_util.h"
#include "tests/codegen/one_level.h"
#include "tests/frontend/keep_testing.h"

namespace reel::codegen {
namespace {

using testing::HasSubstr;

/// Bytes whose end is the end of what may be read or written.
class Guarded {
 public:
  explicit Guarded(const std::string& bytes) : size_(bytes.size()) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    mapped_ = (size_ + page - 1) / page * page + page;
    void* memory = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) ADD_FAILURE() << "mmap";
    map_ = static_cast<char*>(memory);
    begin_ = map_ + mapped_ - page - size_;
    std::copy(bytes.begin(), bytes.end(), begin_);
    mprotect(map_ + mapped_ - page, page, PROT_NONE);
  }
  ~Guarded() { munmap(map_, mapped_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  char* data() const { return begin_; }
  std::string bytes() const { return {begin_, size_}; }

 private:
  size_t size_, mapped_ = 0;
  char *map_ = nullptr, *begin_ = nullptr;
};

/// Variables with these values, in instances without entry points.
Program ProgramOf(const StateDict& values) {
  Program p;
  p.name = "kept";
  int64_t offset = sizeof(reel_instance);
  for (const auto& [name, value] : values) {
    const auto* bytes = static_cast<const std::byte*>(value.raw_data());
    const auto n = static_cast<size_t>(value.type().bytes());
    p.variables.push_back({name, value.type(), true, offset, ir::Literal(value.type(), std::vector(bytes, bytes + n))});
    offset = (offset + static_cast<int64_t>(n) + 63) / 64 * 64;
  }
  p.instance_bytes = offset;
  return p;
}

/// An instance of an object, loaded as a shared library.
class Instance {
 public:
  Instance(const Program& program, const Target& target, int opt_level = 2) : program_(program) {
    const auto files = AotCompile(OneLevel(program, target), "kept", {.opt_level = opt_level});
    if (!files.ok()) {
      ADD_FAILURE() << files.status();
      return;
    }
    Write(folder_ / "kept.o", files->object);
    const std::string library = folder_ / "kept.so";
    if (std::system(StrCat("cc -shared -o ", library, " ", folder_ / "kept.o").c_str()) != 0) ADD_FAILURE() << "cc";
    library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) ADD_FAILURE() << dlerror();
    init_ = Find<void*(void*, size_t, int*)>("kept_init");
    save_size_ = Find<size_t()>("kept_save_size");
    save_ = Find<int(const void*, void*, size_t)>("kept_save");
    load_ = Find<int(void*, const void*, size_t)>("kept_load");
    memory_ = std::aligned_alloc(64, static_cast<size_t>(program.instance_bytes));
    Reset();
  }
  ~Instance() {
    std::free(memory_);
    if (library_ != nullptr) dlclose(library_);
  }
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  void Reset() {
    int error = -1;
    init_(memory_, static_cast<size_t>(program_.instance_bytes), &error);
    EXPECT_EQ(error, REEL_OK);
  }
  size_t save_size() const { return save_size_(); }
  int Save(void* to, size_t size) const { return save_(memory_, to, size); }
  int Load(const void* from, size_t size) { return load_(memory_, from, size); }
  int Load(const std::string& bytes) {
    const Guarded file(bytes);
    return Load(file.data(), bytes.size());
  }
  std::string Image() const {
    const Guarded to(std::string(save_size(), '?'));
    EXPECT_EQ(Save(to.data(), save_size()), REEL_OK);
    return to.bytes();
  }
  char* memory() const { return static_cast<char*>(memory_); }
  /// All but the header of the instance.
  std::string State() const {
    return {memory() + sizeof(reel_instance), static_cast<size_t>(program_.instance_bytes) - sizeof(reel_instance)};
  }
  const reel_instance& header() const { return *static_cast<const reel_instance*>(memory_); }
  template <typename F>
  F* Find(const char* symbol) const {
    return library_ ? reinterpret_cast<F*>(dlsym(library_, symbol)) : nullptr;
  }

 private:
  const Program program_;
  const Folder folder_;
  void *library_ = nullptr, *memory_ = nullptr;
  void* (*init_)(void*, size_t, int*) = nullptr;
  size_t (*save_size_)() = nullptr;
  int (*save_)(const void*, void*, size_t) = nullptr;
  int (*load_)(void*, const void*, size_t) = nullptr;
};

/// All dtypes of the format, all ranks, and names of which some begin as others do.
StateDict AllKinds(float first) {
  StateDict out;
  for (int i = 0; i < kNumDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (dtype == kComplex128) continue;
    const Tensor x = dtype == kBool ? Tensor({true, first > 0, false}) : Cast(Tensor({first, 1.f, 2.f}), dtype);
    out.emplace_back(std::string(Name(dtype)), x);
  }
  out.emplace_back("scalar", Tensor(7.5f + first));
  out.emplace_back("empty", Zeros({0, 3}));
  out.emplace_back("deep", Full({1, 2, 1, 1, 2, 1, 1, 1, 1, 3}, first));
  for (const char* name : {"a", "ab", "a/b", "a/b/c", "b", "\"", "s\\", "\"quoted\"\\", "\xc3\xa4", "\xe2\x82\xac",
                           "\xf0\x9f\x98\x80", "a\xf0\x9f\x98\x80z", "__metadata", "__metadata___", "zz zz", "dtype"}) {
    out.emplace_back(name, Full({2}, first + static_cast<float>(out.size())));
  }
  return out;
}

std::string FileOf(const StateDict& values, const std::map<std::string, std::string>& metadata = {}) {
  const Folder folder;
  auto out = ir::FileWriter::Open(folder / "x.safetensors");
  EXPECT_TRUE(out.ok() && internal::WriteSafetensors({values, metadata}, &*out).ok() && out->Commit().ok());
  return Bytes(folder / "x.safetensors");
}

std::vector<Target> Levels() {
  std::vector<Target> out;
  for (const Target& target : HostTargets()) out.push_back(target);
  return out;
}

TEST(ObjectWeights, TheImageIsTheFileOfTheFront) {
  const StateDict one = AllKinds(3), two = AllKinds(-2);
  for (const Target& target : Levels()) {
    for (const int opt_level : {0, 2}) {
      Instance kept(ProgramOf(one), target, opt_level);
      EXPECT_EQ(kept.Image(), FileOf(one));
      const std::string other = FileOf(two);
      EXPECT_EQ(kept.Load(other), REEL_OK) << kept.header().fault[0] << " at " << kept.header().fault[1];
      EXPECT_EQ(kept.Image(), other);
      const auto read = internal::ParseSafetensors(kept.Image());
      ASSERT_TRUE(read.ok()) << read.status();
      EXPECT_TRUE(Same(read->values, two));
    }
  }
}

TEST(ObjectWeights, AnyOrderMetadataAndSpace) {
  const StateDict values = AllKinds(5);
  Instance kept(ProgramOf(AllKinds(1)), *FindTarget("native"));
  std::mt19937 random(3);
  for (int i = 0; i < 20; ++i) {
    StateDict shuffled = values;
    std::shuffle(shuffled.begin(), shuffled.end(), random);
    kept.Reset();
    EXPECT_EQ(kept.Load(FileOf(shuffled, {{"format", "pt"}, {"\xc3\xa4\x01", "\"\\\xf0\x9f\x98\x80"}})), REEL_OK);
    EXPECT_EQ(kept.Image(), FileOf(values));
  }
}

/// Small files by hand.
class TwoVariables : public testing::Test {
 protected:
  TwoVariables()
      : kept_(ProgramOf({{"a", Tensor({1.f, 2.f})}, {"b\xc3\xa4", Tensor({true, false, true})}}), Native()) {}
  static Target Native() { return *FindTarget("native"); }
  static constexpr char kA[] = R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]})";
  static constexpr char kB[] = R"("bä":{"dtype":"BOOL","shape":[3],"data_offsets":[8,11]})";
  static std::string Elements() { return std::string("\0\0\x80\x3f\0\0\0\x40\0\1\1", 11); }
  static std::string With(const std::string& entries) { return File(entries, Elements()); }
  static std::string OfA(const std::string& entry) { return With(StrCat("{", kB, ",\"a\":", entry, "}")); }

  /// Loading gives the code, and changes nothing but the fault.
  void ExpectRefused(const std::string& file, int code, int64_t variable = -1) {
    EXPECT_EQ(kept_.Load(file), code) << file;
    EXPECT_EQ(kept_.header().fault[0], variable) << file;
    EXPECT_LE(kept_.header().fault[1], static_cast<int64_t>(std::max(file.size(), size_t{8})));
    EXPECT_EQ(kept_.State(), before_) << file;
  }

  Instance kept_;
  const std::string before_ = kept_.State();
};

TEST_F(TwoVariables, AllWaysToSayTheSame) {
  const std::string a = kA, b = kB, comma = ",";
  const std::string good[] = {
      "{" + a + comma + b + "}",
      "{" + b + comma + a + "}",
      "{" + a + comma + b + "}   \n\t\r ",
      "{ " + a + " , " + b + " }",
      R"({"__metadata__":{},)" + a + comma + b + "}",
      "{" + a + R"(,"__metadata__" : { "k":"v", "\ud83d\ude00" : "\b\f\n\r\t\/\\\"" },)" + b + "}",
      R"({"\u0061":{"shape":[ 2 ] ,"data_offsets" :[0 , 8],"\u0064type":"F\u00332"},"b\u00E4":{"dtype":"BOOL","shape":[3],)"
      R"("data_offsets":[8,11]}})",
  };
  for (const std::string& header : good) {
    kept_.Reset();
    EXPECT_EQ(kept_.Load(With(header)), REEL_OK) << header;
    EXPECT_EQ(kept_.State().substr(0, 8), Elements().substr(0, 8));
    EXPECT_EQ(kept_.State().substr(64, 3), Elements().substr(8));
    EXPECT_TRUE(internal::ParseSafetensors(With(header)).ok()) << header;
  }
  EXPECT_EQ(kept_.Load(File(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[3,11]},)"
                            R"("bä":{"dtype":"BOOL","shape":[3],"data_offsets":[0,3]}})",
                            Elements().substr(8) + Elements().substr(0, 8))),
            REEL_OK);
  EXPECT_EQ(kept_.State().substr(0, 8), Elements().substr(0, 8));
}

TEST_F(TwoVariables, EachErrorOfAFileIsACode) {
  const std::string a = kA, b = kB, both = "{" + a + "," + b + "}";
  struct Row {
    std::string file;
    int code;
    int64_t variable = -1;
  };
  const std::string dtype = R"("dtype":"F32")", shape = R"("shape":[2])", place = R"("data_offsets":[0,8])";
  const Row rows[] = {
      {"", REEL_NOT_SAFETENSORS},
      {"1234567", REEL_NOT_SAFETENSORS},
      {std::string(8, '\0'), REEL_NOT_SAFETENSORS},
      {std::string(8, '\xff'), REEL_NOT_SAFETENSORS},
      {std::string("\2\0\0\0\0\0\0\1{}", 10), REEL_NOT_SAFETENSORS},
      {With(both).substr(0, 8 + both.size() - 1), REEL_NOT_SAFETENSORS},
      {With("[]"), REEL_NOT_SAFETENSORS},
      {With(" " + both), REEL_NOT_SAFETENSORS},
      {With("{"), REEL_BAD_HEADER},
      {With(both + "x"), REEL_BAD_HEADER},
      {With(both + std::string(1, '\0')), REEL_BAD_HEADER},
      {With("{" + a + "," + b + ",}"), REEL_BAD_HEADER},
      {With("{" + a + b + "}"), REEL_BAD_HEADER},
      {With("{a}"), REEL_BAD_HEADER},
      {With("{\"a\"}"), REEL_BAD_HEADER, 0},
      {With("{}"), REEL_VARIABLE_MISSING, 0},
      {With("{" + a + "}"), REEL_VARIABLE_MISSING, 1},
      {With("{" + b + "}"), REEL_VARIABLE_MISSING, 0},
      {With("{" + a + "," + b + "," + a + "}"), REEL_VARIABLE_TWICE, 0},
      {With("{" + a + R"(,"\u0061":{)" + dtype + "," + shape + "," + place + "}}"), REEL_VARIABLE_TWICE, 0},
      {With(R"({"c":{},)" + a + "," + b + "}"), REEL_NO_SUCH_VARIABLE},
      {With(R"({"":{},)" + a + "," + b + "}"), REEL_NO_SUCH_VARIABLE},
      {With(R"({"aa":{},)" + a + "," + b + "}"), REEL_NO_SUCH_VARIABLE},
      {With(R"({"b":{},)" + a + "," + b + "}"), REEL_NO_SUCH_VARIABLE},
      {With(R"({"a\u0000":{},)" + a + "," + b + "}"), REEL_NO_SUCH_VARIABLE},
      {OfA("3"), REEL_BAD_HEADER, 0},
      {OfA("{}"), REEL_BAD_HEADER, 0},
      {OfA("{" + dtype + "," + shape + "}"), REEL_BAD_HEADER, 0},
      {OfA("{" + dtype + "," + place + "}"), REEL_BAD_HEADER, 0},
      {OfA("{" + shape + "," + place + "}"), REEL_BAD_HEADER, 0},
      {OfA("{" + dtype + "," + dtype + "," + shape + "," + place + "}"), REEL_BAD_HEADER, 0},
      {OfA("{" + dtype + "," + shape + "," + place + R"(,"x":1})"), REEL_BAD_HEADER, 0},
      {OfA(R"({"dtype":32,)" + shape + "," + place + "}"), REEL_BAD_HEADER, 0},
      {OfA(R"({"dtype":null,)" + shape + "," + place + "}"), REEL_BAD_HEADER, 0},
      {OfA(R"({"dtype":"F64",)" + shape + "," + place + "}"), REEL_WRONG_DTYPE, 0},
      {OfA(R"({"dtype":"I32",)" + shape + "," + place + "}"), REEL_WRONG_DTYPE, 0},
      {OfA(R"({"dtype":"F3",)" + shape + "," + place + "}"), REEL_WRONG_DTYPE, 0},
      {OfA(R"({"dtype":"",)" + shape + "," + place + "}"), REEL_WRONG_DTYPE, 0},
      {OfA(R"({"dtype":"F8_E4M3",)" + shape + "," + place + "}"), REEL_WRONG_DTYPE, 0},
      {OfA(R"({"shape":[],)" + dtype + "," + place + "}"), REEL_WRONG_SHAPE, 0},
      {OfA(R"({"shape":[3],)" + dtype + "," + place + "}"), REEL_WRONG_SHAPE, 0},
      {OfA(R"({"shape":[2,1],)" + dtype + "," + place + "}"), REEL_WRONG_SHAPE, 0},
      {OfA(R"({"shape":[18446744073709551615],)" + dtype + "," + place + "}"), REEL_WRONG_SHAPE, 0},
      {OfA(R"({"shape":[2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],)" + dtype + "," + place + "}"), REEL_WRONG_SHAPE, 0},
      {OfA("{" + dtype + "," + shape + R"(,"data_offsets":[8,0]})"), REEL_WRONG_BYTES, 0},
      {OfA("{" + dtype + "," + shape + R"(,"data_offsets":[0,7]})"), REEL_WRONG_BYTES, 0},
      {OfA("{" + dtype + "," + shape + R"(,"data_offsets":[4,12]})"), REEL_WRONG_BYTES, 0},
      {OfA("{" + dtype + "," + shape + R"(,"data_offsets":[18446744073709551608,18446744073709551615]})"),
       REEL_WRONG_BYTES, 0},
      {OfA("{" + dtype + "," + shape + R"(,"data_offsets":[0]})"), REEL_BAD_HEADER, 0},
      {OfA("{" + dtype + "," + shape + R"(,"data_offsets":[0,8,8]})"), REEL_BAD_HEADER, 0},
      {File(both, Elements() + "x"), REEL_WRONG_BYTES},
      {File(both, Elements().substr(0, 10)), REEL_WRONG_BYTES, 1},
      {File("{" + a + R"(,"bä":{"dtype":"BOOL","shape":[3],"data_offsets":[7,10]}})", Elements()), REEL_WRONG_BYTES, 1},
      {File("{" + a + R"(,"bä":{"dtype":"BOOL","shape":[3],"data_offsets":[9,12]}})", Elements() + "\1"),
       REEL_WRONG_BYTES},
      {File(both, Elements().substr(0, 10) + "\2"), REEL_NOT_BOOL, 1},
  };
  std::set<int> codes;
  for (const Row& row : rows) {
    ExpectRefused(row.file, row.code, row.variable);
    codes.insert(row.code);
  }
  EXPECT_EQ(codes.size(), static_cast<size_t>(REEL_NOT_BOOL - REEL_NOT_SAFETENSORS + 1));
}

TEST_F(TwoVariables, NumbersAndTextsAreThoseOfJson) {
  const std::string entries = StrCat(",", kA, ",", kB, "}"), rest = R"(],"dtype":"F32","data_offsets":[0,8]})";
  for (const char* number : {"02", "-2", "2.0", "2e0", "+2", "0x2", "", "null", "\"2\"", "[2]", "18446744073709551616",
                             "99999999999999999999", "2,", ",2", "2 2", "true"}) {
    ExpectRefused(OfA(StrCat(R"({"shape":[)", number, rest)),
                  std::string_view(number).empty() ? REEL_WRONG_SHAPE : REEL_BAD_HEADER, 0);
  }
  for (const char* text : {"\x01",
                           "\n",
                           "\\x",
                           "\\u12",
                           "\\u12g4",
                           "\\ud800",
                           "\\ud800x",
                           "\\ud800\\n",
                           "\\ud800\\u0041",
                           "\\udc00",
                           "\\ud800\\ud800",
                           "\xff",
                           "\x80",
                           "\xc0\x80",
                           "\xc1\xbf",
                           "\xc3",
                           "\xc3(",
                           "\xe0\x80\x80",
                           "\xe0\x9f\xbf",
                           "\xed\xa0\x80",
                           "\xe2\x82",
                           "\xf0\x80\x80\x80",
                           "\xf0\x8f\xbf\xbf",
                           "\xf4\x90\x80\x80",
                           "\xf5\x80\x80\x80",
                           "\xf0\x9f\x98"}) {
    ExpectRefused(With(StrCat(R"({"__metadata__":{"k":")", text, R"("})", entries)), REEL_BAD_HEADER);
    ExpectRefused(With(StrCat(R"({"__metadata__":{")", text, R"(":"v"})", entries)), REEL_BAD_HEADER);
    ExpectRefused(With(StrCat(R"({"c)", text, R"(":{})", entries)), REEL_BAD_HEADER);
  }
  for (const char* metadata : {"[]", "1", "{\"k\":1}", "{\"k\":{}}", "{\"k\"}", "{\"k\":\"v\",}", "{,}", "null"}) {
    ExpectRefused(With(StrCat(R"({"__metadata__":)", metadata, entries)), REEL_BAD_HEADER);
  }
  ExpectRefused(With(R"({"__metadata__":{},"__metadata__":{})" + entries), REEL_BAD_HEADER);
}

TEST_F(TwoVariables, PointersAndSizes) {
  const std::string image = kept_.Image();
  EXPECT_EQ(kept_.save_size(), image.size());
  std::string to(image.size() + 3, '?');
  EXPECT_EQ(kept_.Save(nullptr, to.size()), REEL_NULL_POINTER);
  EXPECT_EQ(kept_.Load(nullptr, 8), REEL_NULL_POINTER);
  EXPECT_EQ(kept_.Save(to.data(), image.size() - 1), REEL_MEMORY_TOO_SMALL);
  EXPECT_EQ(to, std::string(to.size(), '?'));
  EXPECT_EQ(kept_.Save(to.data() + 1, image.size() + 1), REEL_OK);  // any alignment, any size from the least
  EXPECT_EQ(to, "?" + image + "??");
  EXPECT_EQ(kept_.Load(to.data() + 1, image.size()), REEL_OK);
  EXPECT_EQ(kept_.Save(kept_.memory() + 64, image.size()), REEL_OVERLAP);
  EXPECT_EQ(kept_.Load(kept_.memory() + 64, 16), REEL_OVERLAP);
  auto* save = kept_.Find<int(const void*, void*, size_t)>("kept_save");
  auto* load = kept_.Find<int(void*, const void*, size_t)>("kept_load");
  alignas(64) char other[256] = {};
  EXPECT_EQ(save(nullptr, to.data(), to.size()), REEL_NULL_POINTER);
  EXPECT_EQ(load(nullptr, image.data(), image.size()), REEL_NULL_POINTER);
  EXPECT_EQ(load(other + 4, image.data(), image.size()), REEL_MISALIGNED);
  EXPECT_EQ(save(other, to.data(), to.size()), REEL_NOT_INITIALIZED);
  EXPECT_EQ(load(other, image.data(), image.size()), REEL_NOT_INITIALIZED);
}

/// Does a file fit: by the reader of the front, and by names and types as LoadWeights compares them. Nothing where the
/// front knows what the object does not look at: checksums, and keys of the metadata that come twice.
std::optional<bool> Fits(const std::string& bytes, const StateDict& wanted, std::string* why) {
  const auto file = internal::ParseSafetensors(bytes);
  *why = file.ok() ? "" : std::string(file.status().message());
  for (const char* apart : {"checksum", "metadata has"}) {
    if (why->find(apart) != why->npos) return {};
  }
  if (!file.ok() || file->values.size() != wanted.size()) return false;
  std::map<std::string, Type> types;
  for (const auto& [name, value] : wanted) types[name] = value.type();
  return std::all_of(file->values.begin(), file->values.end(), [&](const auto& entry) {
    const auto found = types.find(entry.first);
    return found != types.end() && found->second == entry.second.type();
  });
}

/// Loads what may be damaged: where it fits, the values are those of the front's reader, else nothing has changed.
class Judge {
 public:
  Judge() : values_(AllKinds(1)), kept_(ProgramOf(values_), *FindTarget("native")) { before_ = kept_.State(); }

  void Load(const std::string& bytes) {
    std::string why;
    const std::optional<bool> fits = Fits(bytes, values_, &why);
    if (!fits) return;
    const int code = kept_.Load(bytes);
    EXPECT_EQ(code == REEL_OK, *fits) << code << ": " << why << "\n" << bytes;
    EXPECT_TRUE(code == REEL_OK || (code >= REEL_NOT_SAFETENSORS && code <= REEL_NOT_BOOL)) << code;
    ++counts_[code];
    if (code != REEL_OK) {
      EXPECT_EQ(kept_.State(), before_);
      return;
    }
    StateDict sorted = internal::ParseSafetensors(bytes)->values,
              own = internal::ParseSafetensors(kept_.Image())->values;
    for (StateDict* s : {&sorted, &own}) {
      std::sort(s->begin(), s->end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    }
    EXPECT_TRUE(Same(sorted, own)) << bytes;
    kept_.Reset();
  }
  const std::map<int, int>& counts() const { return counts_; }

 private:
  const StateDict values_;
  Instance kept_;
  std::string before_;
  std::map<int, int> counts_;
};

TEST(ObjectWeights, EveryTruncationIsAnError) {
  Judge judge;
  const std::string good = FileOf(AllKinds(2), {{"format", "pt"}});
  for (size_t n = 0; n < good.size(); ++n) judge.Load(good.substr(0, n));
  EXPECT_EQ(judge.counts().count(REEL_OK), 0u);
  judge.Load(good);
  EXPECT_EQ(judge.counts().at(REEL_OK), 1);
}

TEST(ObjectWeights, EveryBitOfTheHeaderFlipped) {
  Judge judge;
  const std::string good = FileOf(AllKinds(2), {{"format", "pt"}, {"k\xc3\xa4", "\xf0\x9f\x98\x80\\"}});
  for (size_t i = 0; i < 8 * good.size(); ++i) {
    std::string bytes = good;
    bytes[i / 8] = static_cast<char>(bytes[i / 8] ^ (1 << i % 8));
    judge.Load(bytes);
  }
  EXPECT_EQ(judge.counts().size(), 8u);  // one bit makes no entry missing, and none a second one
}

TEST(ObjectWeights, MutationsFitAsTheFrontSaysOrChangeNothing) {
  Judge judge;
  const std::string good = FileOf(AllKinds(4), {{"format", "pt"}});
  uint64_t header;
  std::memcpy(&header, good.data(), 8);
  std::mt19937 random(11);
  const auto below = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
  const std::string pieces[] = {"{",         "}",
                                "[",         "]",
                                ",",         ":",
                                "\"",        "0",
                                "-1",        "1e9",
                                "null",      "true",
                                "[0,0]",     "{}",
                                "\"shape\"", "\\u0000",
                                "\\u00",     "\xc3",
                                "\\ud8",     " ",
                                "\n",        "\t",
                                "\\/",       "\"a\"",
                                "\"",        "18446744073709551615",
                                "\"F64\"",   "\"BOOL\"",
                                "\\u0061",   "1",
                                "8"};
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = good;
    for (size_t n = 1 + below(2); n > 0; --n) {
      const size_t at = 8 + below(std::min<size_t>(header, bytes.size() - 8));
      switch (below(5)) {
        case 0: bytes[at] = static_cast<char>(below(256)); break;
        case 1: bytes.erase(at, 1 + below(8)); break;
        case 2: bytes.insert(at, pieces[below(std::size(pieces))]); break;
        case 3: bytes[at] = static_cast<char>('0' + below(10)); break;
        case 4: std::swap(bytes[at], bytes[8 + below(header)]); break;
      }
    }
    const uint64_t fits = header + bytes.size() - good.size();  // the header ends where it ended
    std::memcpy(bytes.data(), &fits, 8);
    judge.Load(bytes);
  }
  EXPECT_GT(judge.counts().at(REEL_OK), 100);
}

TEST(ObjectWeights, WhatTheFormatCannotSayIsLeftOutAndSaid) {
  const Target target = *FindTarget("native");
  const auto header = [&](const StateDict& values) {
    return AotCompile(OneLevel(ProgramOf(values), target), "kept", {})->header;
  };
  EXPECT_THAT(header({{"z", Zeros({2}, kComplex128)}}),
              HasSubstr("No kept_save and kept_load: safetensors has no c128"));
  EXPECT_THAT(header({{"__metadata__", Tensor(1.f)}}), HasSubstr("safetensors has no entry __metadata__"));
  EXPECT_THAT(header({}), testing::Not(HasSubstr("kept_load")));
  EXPECT_THAT(header({{"x", Tensor(1.f)}}), HasSubstr("int kept_load(kept* instance, const void* from, size_t size);"));
  Program p;
  p.variables.resize(kMaxLoadedVariables + 1);
  EXPECT_THAT(std::string(LayOutWeights(p).status().message()), HasSubstr("more than 16384 variables"));
}

TEST(ObjectWeights, EntryPointsHaveOtherNames) {
  Program p = ProgramOf({{"x", Tensor(1.f)}});
  for (const char* name : {"save", "load", "save_size"}) {
    p.entries = {{name, {}, {}, {}, {}}};
    EXPECT_THAT(std::string(AotCompile(OneLevel(p, *FindTarget("native")), "kept", {}).status().message()),
                HasSubstr(StrCat("would be the function kept_", name, ", which is the object's own; rename it")));
    Program none = p;
    none.variables.clear();
    EXPECT_TRUE(AotCompile(OneLevel(none, *FindTarget("native")), "kept", {}).ok()) << name;
  }
}

}  // namespace
}  // namespace reel::codegen
