// Files of data: what is read of good ones, and damaged ones, which give data or an Error and nothing else.
#include <gtest/gtest.h>
#include <png.h>
#include <turbojpeg.h>

#include <functional>
#include <random>

#include "frontend/data/node.h"
#include "ir/names.h"
#include "ir/strings.h"
#include "tests/frontend/keep_testing.h"

namespace reel {
namespace {

using testing::HasSubstr;

constexpr char kCsv[] = "a,b,\"c \"\"x\"\"\"\n1,2,red\n-3.5,4e2,\"blue\"\n\n5,6,red\n";

std::vector<unsigned char> Pixels(size_t n) {
  std::vector<unsigned char> out(n);
  for (size_t i = 0; i < n; ++i) out[i] = static_cast<unsigned char>(i * i * 31 % 251);
  return out;
}

std::string Png(uint32_t format) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = 9;
  image.height = 7;
  image.format = format;
  const std::vector<unsigned char> pixels = Pixels(PNG_IMAGE_SIZE(image));
  std::string out(4096, '\0');
  png_alloc_size_t size = out.size();
  EXPECT_TRUE(png_image_write_to_memory(&image, out.data(), &size, 0, pixels.data(), 0, nullptr)) << image.message;
  out.resize(size);
  return out;
}

std::string Jpeg(int subsampling, int flags) {
  const tjhandle handle = tjInitCompress();
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  const std::vector<unsigned char> pixels = Pixels(20 * 33 * 3);
  EXPECT_EQ(tjCompress2(handle, pixels.data(), 33, 0, 20, TJPF_RGB, &bytes, &size, subsampling, 80, flags), 0);
  const std::string out(reinterpret_cast<const char*>(bytes), size);
  tjFree(bytes);
  tjDestroy(handle);
  return out;
}

std::string Idx(const std::vector<unsigned char>& extents, size_t n) {
  std::string out("\0\0\x08", 3);
  out += static_cast<char>(extents.size());
  for (const unsigned char extent : extents) out += std::string("\0\0\0", 3) + static_cast<char>(extent);
  for (const unsigned char c : Pixels(n)) out += static_cast<char>(c);
  return out;
}

std::string Npz(const Folder& folder) {
  SaveWeights(folder / "made.npz", {{"x", Zeros({5, 3})}, {"y", Ones({5}, kInt64)}});
  return Bytes(folder / "made.npz");
}

Dataset ImageFolder(const std::string& file) {
  const std::string classes = file.substr(0, file.rfind("/class/"));
  return Dataset::FromImageFolder(classes, {.height = 6, .width = 5, .resize = true});
}

/// A kind of file: a good one, and what reads it.
struct Kind {
  std::string name, bytes;
  std::function<Dataset(const std::string& path)> read;
};

std::vector<Kind> Kinds(const Folder& folder) {
  const auto csv = [](const std::string& path) { return Dataset::FromCsv(path, {.labels = {"-1"}}); };
  const auto idx = [](const std::string& path) { return Dataset::FromIdx(path); };
  const auto text = [](const std::string& path) { return Dataset::FromText(path, {.length = 3}); };
  return {{"table.csv", kCsv, csv},
          {"images.idx", Idx({5, 4, 3}, 60), idx},
          {"arrays.npz", Npz(folder), [](const std::string& path) { return Dataset::FromNpz(path); }},
          {"text.txt", "na\xc3\xafve \xe2\x82\xac and \xf0\x9f\x98\x80 more text", text},
          {"rgb.png", Png(PNG_FORMAT_RGB), ImageFolder},
          {"rgba.png", Png(PNG_FORMAT_RGBA), ImageFolder},
          {"gray.png", Png(PNG_FORMAT_GRAY), ImageFolder},
          {"deep.png", Png(PNG_FORMAT_LINEAR_RGB), ImageFolder},
          {"444.jpg", Jpeg(TJSAMP_444, 0), ImageFolder},
          {"420.jpg", Jpeg(TJSAMP_420, TJFLAG_PROGRESSIVE), ImageFolder},
          {"gray.jpg", Jpeg(TJSAMP_GRAY, 0), ImageFolder}};
}

std::string PathFor(const Folder& folder, const Kind& kind) {
  const std::string path = StrCat(folder / kind.name, "/class/");
  std::filesystem::create_directories(path);
  return path + kind.name;
}

std::string Damaged(std::string bytes, std::minstd_rand* random) {
  const auto below = [&](size_t n) { return static_cast<size_t>((*random)() % n); };
  for (size_t i = 0, n = 1 + below(4); i < n && !bytes.empty(); ++i) {
    const size_t at = below(bytes.size());
    switch (below(5)) {
      case 0: bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8))); break;
      case 1: bytes[at] = "\0\xff\x7f\"\n,-9"[below(8)]; break;
      case 2: bytes.erase(at, 1 + below(9)); break;
      case 3: bytes.insert(at, bytes.substr(at, 1 + below(9))); break;
      default: bytes.resize(at);
    }
  }
  return bytes;
}

TEST(DataFiles, GoodOnesAreRead) {
  const Folder folder;
  for (const Kind& kind : Kinds(folder)) {
    const std::string path = PathFor(folder, kind);
    Write(path, kind.bytes);
    const Dataset data = kind.read(path);
    EXPECT_GT(data.size(), 0) << kind.name;
    const Example all = data.Batch(data.size()).At(0);
    const std::vector<Spec> specs = data.Batch(data.size()).specs();
    for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].type(), specs[i].type) << kind.name;
  }
}

TEST(DataFiles, DamagedOnesAreErrorsOrData) {
  const Folder folder;
  std::minstd_rand random(5);
  for (const Kind& kind : Kinds(folder)) {
    const std::string path = PathFor(folder, kind);
    int errors = 0;
    for (int i = 0; i < 100; ++i) {
      Write(path, Damaged(kind.bytes, &random));
      try {
        for (const Example& x : kind.read(path)) EXPECT_GT(x.size(), 0u);
      } catch (const Error& error) {
        ++errors;
        EXPECT_THAT(error.what(), HasSubstr(kind.name));
      }
    }
    EXPECT_GT(errors, 5) << kind.name;
  }
}

TEST(DataFiles, PngPixelsAreExact) {
  const Folder folder;
  const std::string path = PathFor(folder, {"rgb.png", "", {}});
  Write(path, Png(PNG_FORMAT_RGB));
  const Dataset data = Dataset::FromImageFolder(folder / "rgb.png", {.dtype = kUInt8});
  EXPECT_EQ(data.At(0)[0].type(), (Type{kUInt8, {7, 9, 3}}));
  EXPECT_EQ(data.At(0)[0].ToVector<uint8_t>(), Pixels(7 * 9 * 3));
}

TEST(DataFiles, Utf8IsToldFromOtherBytes) {
  using internal::FindNonUtf8;
  const std::pair<std::string, size_t> table[] = {
      {"", std::string::npos},
      {"abc", std::string::npos},
      {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf", std::string::npos},
      {"ab\xff", 2},
      {"ab\x80", 2},
      {"a\xc3", 1},
      {"\xc0\xaf", 0},                 // overlong
      {"\xe0\x9f\xbf", 0},             // overlong
      {"x\xed\xa0\x80", 1},            // half of a surrogate pair
      {"\xf0\x8f\xbf\xbf", 0},         // overlong
      {"\xf4\x90\x80\x80", 0},         // beyond U+10FFFF
      {"\xc3\xa9\xe2\x82z", 2},
  };
  for (const auto& [text, at] : table) EXPECT_EQ(FindNonUtf8(text), at) << ir::Quoted(text);
}

TEST(DataFiles, BudgetsAreKept) {
  const Folder folder;
  Write(folder / "a.csv", "a,b\n1,2\n");
  EXPECT_THAT(ErrorOf([&] { Dataset::FromCsv(folder / "a.csv", {.budget = {.max_bytes = 4}}); }), HasSubstr("a.csv"));
  Write(folder / "a.idx", Idx({5, 4, 3}, 60));
  EXPECT_THAT(ErrorOf([&] { Dataset::FromIdx(folder / "a.idx", "", {.budget = {.max_memory = 10}}); }),
              HasSubstr("memory budget"));
}

}  // namespace
}  // namespace reel
