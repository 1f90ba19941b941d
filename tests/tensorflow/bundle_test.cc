// Checkpoints in TensorFlow's format, read by a small reader of this file. Whether TensorFlow reads them is the job of
// `third_party/setup interop`.

#include "frontend/tensorflow/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "frontend/tensorflow/table.h"
#include "ir/file/folder.h"
#include "ir/strings.h"

namespace reel::tensorflow {
namespace {

std::string ReadBytes(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

template <typename T>
T Number(std::string_view bytes) {
  T out{};
  EXPECT_GE(bytes.size(), sizeof out);
  std::memcpy(&out, bytes.data(), sizeof out);
  return out;
}

// Bit by bit, unlike the one under test.
uint32_t SlowMaskedCrc(std::string_view bytes) {
  uint32_t crc = ~0u;
  for (const char byte : bytes) {
    crc ^= static_cast<uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0x82F63B78u : 0u);
  }
  crc = ~crc;
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8u;
}

uint64_t TakeVarint(std::string_view* bytes) {
  uint64_t out = 0;
  for (int shift = 0; !bytes->empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(bytes->front());
    bytes->remove_prefix(1);
    out |= uint64_t{byte & 127u} << shift;
    if (byte < 128) return out;
  }
  ADD_FAILURE() << "a varint has no end";
  return out;
}

using Entries = std::vector<std::pair<std::string, std::string>>;

// The block at a handle: its CRC holds, restarts are keys that share nothing.
Entries ReadBlock(std::string_view file, std::string_view* handle) {
  const size_t at = TakeVarint(handle), size = TakeVarint(handle);
  EXPECT_LE(at + size + 5, file.size());
  const std::string_view with_type = file.substr(at, size + 1);
  EXPECT_EQ(with_type.back(), 0);
  EXPECT_EQ(Number<uint32_t>(file.substr(at + size + 1)), SlowMaskedCrc(with_type));
  const std::string_view block = file.substr(at, size);
  const uint32_t restarts = Number<uint32_t>(block.substr(size - 4));
  EXPECT_GE(restarts, 1u);
  std::string_view rest = block.substr(0, size - 4 - 4 * restarts);
  std::vector<uint32_t> whole;
  Entries out;
  while (!rest.empty()) {
    const auto offset = static_cast<uint32_t>(rest.data() - block.data());
    const size_t shared = TakeVarint(&rest), fresh = TakeVarint(&rest), value = TakeVarint(&rest);
    EXPECT_LE(fresh + value, rest.size());
    if (shared == 0) whole.push_back(offset);
    std::string key = out.empty() ? "" : out.back().first.substr(0, shared);
    key += rest.substr(0, fresh);
    out.emplace_back(key, rest.substr(fresh, value));
    rest.remove_prefix(fresh + value);
  }
  for (uint32_t i = 0; i < restarts && !out.empty(); ++i) {
    const uint32_t restart = Number<uint32_t>(block.substr(size - 4 - 4 * (restarts - i)));
    EXPECT_TRUE(std::find(whole.begin(), whole.end(), restart) != whole.end()) << restart;
  }
  return out;
}

Entries ReadTable(std::string_view file, size_t* blocks) {
  EXPECT_GE(file.size(), 48u);
  std::string_view footer = file.substr(file.size() - 48);
  EXPECT_EQ(Number<uint64_t>(footer.substr(40)), 0xDB4775248B80FB57u);
  EXPECT_TRUE(ReadBlock(file, &footer).empty());  // of filters
  Entries out;
  const Entries index = ReadBlock(file, &footer);
  for (const auto& [last, handle] : index) {
    std::string_view where = handle;
    const Entries block = ReadBlock(file, &where);
    EXPECT_LE(block.back().first, last);
    EXPECT_TRUE(out.empty() || out.back().first < block.front().first);
    out.insert(out.end(), block.begin(), block.end());
  }
  *blocks = index.size();
  return out;
}

// Fields of a message by number: varints and fixed numbers as themselves, texts one after another.
struct Fields {
  std::map<int, uint64_t> numbers;
  std::map<int, std::vector<std::string>> texts;
};
Fields ParseMessage(std::string_view bytes) {
  Fields out;
  while (!bytes.empty()) {
    const uint64_t tag = TakeVarint(&bytes);
    const int field = static_cast<int>(tag >> 3);
    const size_t size = (tag & 7) == 2 ? TakeVarint(&bytes) : (tag & 7) == 5 ? 4 : 0;
    if ((tag & 7) == 0) out.numbers[field] = TakeVarint(&bytes);
    if ((tag & 7) == 5) out.numbers[field] = Number<uint32_t>(bytes);
    if ((tag & 7) == 2) out.texts[field].emplace_back(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  return out;
}

std::vector<uint64_t> ShapeOf(const Fields& entry) {
  std::vector<uint64_t> out;
  const auto shape = entry.texts.find(2);
  if (shape == entry.texts.end()) return out;
  Fields extents = ParseMessage(shape->second[0]);
  for (const std::string& dim : extents.texts[2]) out.push_back(ParseMessage(dim).numbers[1]);
  return out;
}

TEST(Table, HoldsAnyKeysInOrder) {
  std::mt19937 random(1);
  std::map<std::string, std::string> entries{{"", "first"}};
  for (int i = 0; i < 3000; ++i) {
    std::string key = StrCat("layer/", random() % 50, "/"), value(random() % 80, 'v');
    for (size_t n = random() % 20; n > 0; --n) key.push_back(static_cast<char>(random()));
    entries[key] = value;
  }
  entries["long"] = std::string(100'000, 'x');
  entries[std::string(5000, 'k')] = "";
  size_t blocks = 0;
  EXPECT_EQ(ReadTable(WriteTable(entries), &blocks), Entries(entries.begin(), entries.end()));
  EXPECT_GT(blocks, 20u);
  EXPECT_TRUE(ReadTable(WriteTable({}), &blocks).empty());
}

class BundleTest : public testing::Test {
 protected:
  std::string Prefix() const { return folder_.path() + "/checkpoint"; }
  std::string Data() const { return ReadBytes(Prefix() + ".data-00000-of-00001"); }
  std::map<std::string, Fields> Index() const {
    std::map<std::string, Fields> out;
    size_t blocks = 0;
    for (const auto& [key, value] : ReadTable(ReadBytes(Prefix() + ".index"), &blocks)) out[key] = ParseMessage(value);
    return out;
  }
  ir::TemporaryFolder folder_;
};

TEST_F(BundleTest, EveryDTypeAndShape) {
  // TensorFlow's numbers of types.
  const std::map<DType, uint64_t> numbers{{kBool, 10},   {kInt8, 6},      {kInt16, 5},      {kInt32, 3},
                                          {kInt64, 9},   {kUInt8, 4},     {kUInt16, 17},    {kUInt32, 22},
                                          {kUInt64, 23}, {kFloat16, 19},  {kBFloat16, 14},  {kFloat32, 1},
                                          {kFloat64, 2}, {kComplex64, 8}, {kComplex128, 18}};
  ASSERT_EQ(numbers.size(), size_t{kNumDTypes});
  const std::vector<std::vector<int64_t>> shapes{{}, {0}, {2, 3}, {4, 0, 1}};
  std::map<std::string, ir::Literal> written;
  auto bundle = BundleWriter::Open(Prefix());
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  uint8_t next = 0;
  for (const auto& [dtype, number] : numbers) {
    for (size_t i = 0; i < shapes.size(); ++i) {
      const Type type{dtype, Shape(shapes[i])};
      std::vector<std::byte> bytes(static_cast<size_t>(type.bytes()));
      for (std::byte& byte : bytes) byte = std::byte(dtype == kBool ? next++ % 2 : next++);
      const std::string name = StrCat("naïve / ", Name(dtype), "\n", i);
      written[name] = ir::Literal(type, bytes);
      ASSERT_TRUE(bundle->Add(name, written[name]).ok());
    }
  }
  EXPECT_FALSE(bundle->Add(written.begin()->first, written.begin()->second).ok());
  ASSERT_TRUE(bundle->Commit().ok());
  const std::string data = Data();
  std::map<std::string, Fields> index = Index();
  EXPECT_EQ(index.size(), written.size() + 1);
  EXPECT_EQ(index[""].numbers[1], 1u);  // shards
  uint64_t total = 0;
  for (const auto& [name, literal] : written) {
    Fields& entry = index.at(name);
    EXPECT_EQ(entry.numbers[1], numbers.at(literal.dtype()));
    std::vector<uint64_t> shape;
    for (const Extent e : literal.shape()) shape.push_back(static_cast<uint64_t>(e.value()));
    EXPECT_EQ(ShapeOf(entry), shape);
    ASSERT_LE(entry.numbers[4] + entry.numbers[5], data.size());
    const std::string_view bytes = std::string_view(data).substr(entry.numbers[4], entry.numbers[5]);
    EXPECT_TRUE(std::ranges::equal(std::as_bytes(std::span(bytes)), literal.bytes())) << name;
    EXPECT_EQ(entry.numbers[6], SlowMaskedCrc(bytes));
    total += entry.numbers[5];
  }
  EXPECT_EQ(total, data.size());
}

TEST_F(BundleTest, TextsHaveLengths) {
  const std::string text(300, 't');
  auto bundle = BundleWriter::Open(Prefix());
  ASSERT_TRUE(bundle.ok() && bundle->AddString("s", text).ok() && bundle->Commit().ok());
  std::string_view data;
  const std::string bytes = Data();
  data = bytes;
  EXPECT_EQ(TakeVarint(&data), 300u);
  const std::string length("\x2c\x01\0\0", 4);
  EXPECT_EQ(Number<uint32_t>(data), SlowMaskedCrc(length));
  EXPECT_EQ(data.substr(4), text);
  EXPECT_EQ(Index()["s"].numbers[1], 7u);
  EXPECT_EQ(Index()["s"].numbers[6], SlowMaskedCrc(length + std::string(data.substr(0, 4)) + text));
}

TEST_F(BundleTest, WithoutCommitThereIsNothing) {
  {
    auto bundle = BundleWriter::Open(Prefix());
    ASSERT_TRUE(bundle.ok() && bundle->AddString("s", "text").ok());
  }
  EXPECT_EQ(Data(), "");
  EXPECT_EQ(ReadBytes(Prefix() + ".index"), "");
  EXPECT_FALSE(BundleWriter::Open(folder_.path() + "/no/where").ok());
}

}  // namespace
}  // namespace reel::tensorflow
