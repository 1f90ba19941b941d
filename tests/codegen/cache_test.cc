// Code that is kept in files: found again, never believed when it is damaged; and the loader on
// damaged objects.
#include "codegen/cache/cache.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "codegen/cache/code_cache.h"
#include "codegen/cache/folder.h"
#include "codegen/compiler.h"
#include "codegen/jit/jit.h"
#include "codegen/jit/loader.h"
#include "ir/builder.h"
#include "runtime/abi.h"
#include "runtime/buffer.h"
#include "runtime/callback.h"
#include "tests/codegen/kernel_util.h"

namespace reel::codegen {
namespace {

namespace fs = std::filesystem;

class CacheTest : public testing::Test {
 protected:
  CacheTest() {
    std::string pattern = fs::temp_directory_path() / "reel_cache_XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~CacheTest() override { fs::remove_all(folder_); }

  std::vector<fs::path> Files() const {
    std::vector<fs::path> files;
    for (const auto& file : fs::directory_iterator(folder_)) {
      if (file.path().extension() == ".reelcode") files.push_back(file.path());
    }
    return files;
  }
  static std::string Read(const fs::path& path) {
    std::ostringstream out;
    out << std::ifstream(path, std::ios::binary).rdbuf();
    return out.str();
  }
  static void Write(const fs::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  }

  std::string folder_;
};

std::string Key(uint64_t x) { return "key " + std::to_string(x); }

/// y[i] = tanh(x[i]) + c + i over 100 elements.
ir::Module Graph(float c) {
  ir::Module module("cached");
  ir::Function f("main");
  const Type type{kFloat32, Shape({100})};
  const ir::Value x = f.AddParameter("x", type);
  ir::Builder builder(&f);
  std::vector<float> values(100);
  for (size_t i = 0; i < 100; ++i) values[i] = c + static_cast<float>(i);  // not one number
  const ir::Value constant = builder.Constant(ir::Literal::From<float>(type.shape, values));
  f.SetResults({builder.Add(builder.Tanh(x), constant)});
  module.AddFunction(std::move(f));
  return module;
}

struct Result {
  std::vector<float> values;
  bool cached = false;
};

Result CompileAndRun(const std::string& folder, float c = 1, int opt_level = 2) {
  CompilerOptions options;
  options.cache_dir = folder;
  options.opt_level = opt_level;
  auto code = reel_compiler()->Compile(Graph(c), options);
  EXPECT_TRUE(code.ok()) << code.status();
  if (!code.ok()) return {};
  const auto bytes = static_cast<size_t>((*code)->program().instance_bytes);
  const auto instance = runtime::Buffer::Allocate(bytes);
  new (instance.data()) reel_instance{REEL_INSTANCE_MAGIC, nullptr, nullptr, nullptr, {}, nullptr, nullptr};
  Result result{std::vector<float>(100), (*code)->times().cached};
  std::vector<float> x(100, 0.5f);
  const void* in[] = {x.data()};
  void* out[] = {result.values.data()};
  EXPECT_EQ((*code)->entry(0)(instance.data(), in, out), REEL_OK);
  return result;
}

TEST_F(CacheTest, KeepsBytes) {
  const DiskCache cache(folder_ + "/a/b");
  EXPECT_FALSE(cache.Get(Key(1)));
  cache.Put(Key(1), "one");
  cache.Put(Key(2), std::string(100000, 'x'));
  cache.Put(Key(3), "");
  EXPECT_EQ(cache.Get(Key(1)), "one");
  EXPECT_EQ(cache.Get(Key(2)), std::string(100000, 'x'));
  EXPECT_EQ(cache.Get(Key(3)), "");
  cache.Put(Key(1), "two");
  EXPECT_EQ(DiskCache(folder_ + "/a/b").Get(Key(1)), "two");
  EXPECT_FALSE(DiskCache("").Get(Key(1)));
}

TEST_F(CacheTest, ADamagedFileIsAMiss) {
  const DiskCache cache(folder_);
  cache.Put(Key(1), "the bytes of an entry");
  const fs::path path = Files().at(0);
  const std::string good = Read(path);
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    Write(path, bad);
    EXPECT_FALSE(cache.Get(Key(1))) << "byte " << i;
  }
  for (size_t size = 0; size < good.size(); ++size) {
    Write(path, good.substr(0, size));
    EXPECT_FALSE(cache.Get(Key(1))) << size << " bytes";
  }
  Write(path, good + "x");
  EXPECT_FALSE(cache.Get(Key(1)));
  Write(path, good);
  EXPECT_TRUE(cache.Get(Key(1)));
  // Two keys of one digest have one file.
  cache.Put(Key(2), "another");
  const std::vector<fs::path> both = Files();
  ASSERT_EQ(both.size(), 2u);
  const fs::path other = both[0] == path ? both[1] : both[0];
  fs::copy_file(path, other, fs::copy_options::overwrite_existing);
  EXPECT_FALSE(cache.Get(Key(2)));
  EXPECT_TRUE(cache.Get(Key(1)));
}

TEST_F(CacheTest, AFileThatOthersMayWriteIsAMiss) {
  const DiskCache cache(folder_);
  cache.Put(Key(1), "bytes");
  ::chmod(Files().at(0).c_str(), 0666);
  EXPECT_FALSE(cache.Get(Key(1)));
}

/// What others may have put there is not found, does no harm, and is replaced where the folder is ours.
TEST_F(CacheTest, PlantedEntriesAreMisses) {
  const DiskCache cache(folder_);
  cache.Put(Key(1), "bytes");
  const fs::path path = Files().at(0);
  const std::string outside = folder_ + "/outside";
  Write(outside, Read(path));
  const auto expect_miss = [&](const char* what) {
    EXPECT_FALSE(cache.Get(Key(1))) << what;
    cache.Put(Key(1), "bytes");
    EXPECT_EQ(cache.Get(Key(1)), "bytes") << what;
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(path))) << what;
  };
  fs::remove(path);
  fs::create_symlink(outside, path);
  expect_miss("a link");
  fs::remove(path);
  fs::create_symlink(outside, path);
  cache.Put(Key(1), "other");  // does not write through it
  EXPECT_EQ(cache.Get(Key(1)), "other");
  EXPECT_NE(Read(outside).find("bytes"), std::string::npos);
  cache.Put(Key(1), "bytes");
  fs::remove(path);
  fs::create_hard_link(outside, path);
  expect_miss("a second name of another file");
  for (const mode_t mode : {0620u, 0602u}) {
    ::chmod(path.c_str(), mode);
    expect_miss("others may write");
  }
  fs::remove(path);
  ::mkfifo(path.c_str(), 0600);
  expect_miss("a pipe");
  if (::geteuid() == 0) {
    EXPECT_EQ(::chown(path.c_str(), 65534, 65534), 0);
    expect_miss("somebody else's");
  }
}

TEST_F(CacheTest, FoldersOfOthersAreNotUsed) {
  const DiskCache cache(folder_);
  cache.Put(Key(1), "bytes");
  for (const mode_t mode : {0770u, 0707u, 0777u, 01777u}) {
    ::chmod(folder_.c_str(), mode);
    EXPECT_FALSE(cache.Get(Key(1))) << mode;
    cache.Put(Key(2), "bytes");
  }
  ::chmod(folder_.c_str(), 0755);
  EXPECT_TRUE(cache.Get(Key(1)));
  EXPECT_FALSE(cache.Get(Key(2)));
  const std::string link = folder_ + "/link";
  fs::create_symlink(folder_, link);
  EXPECT_FALSE(DiskCache(link).Get(Key(1)));
  EXPECT_FALSE(DiskCache(link + "//").Get(Key(1)));
  if (::geteuid() != 0) return;
  EXPECT_EQ(::chown(folder_.c_str(), 65534, 65534), 0);
  EXPECT_FALSE(cache.Get(Key(1)));
  EXPECT_EQ(::chown(folder_.c_str(), 0, 0), 0);
  EXPECT_TRUE(cache.Get(Key(1)));
}

/// An entry is good for the user's secret alone, whatever its bytes.
TEST_F(CacheTest, TheSecretDecides) {
  const DiskCache cache(folder_), other(folder_ + "/other");
  cache.Put(Key(1), "bytes");
  other.Put(Key(1), "bytes");
  const std::string secret = folder_ + "/.secret";
  struct stat info;
  ASSERT_EQ(::stat(secret.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600u);
  EXPECT_EQ(info.st_size, static_cast<off_t>(sizeof(Secret)));
  EXPECT_NE(Read(secret), Read(folder_ + "/other/.secret"));
  const fs::path mine = Files().at(0);
  Write(mine, Read(folder_ + "/other/" + mine.filename().string()));  // well formed, of another folder
  EXPECT_FALSE(cache.Get(Key(1)));
  cache.Put(Key(1), "bytes");
  ::chmod(secret.c_str(), 0644);  // known to others now
  EXPECT_FALSE(cache.Get(Key(1)));
  cache.Put(Key(1), "bytes");
  EXPECT_TRUE(cache.Get(Key(1)));
  Write(secret, "short");
  EXPECT_FALSE(cache.Get(Key(1)));
  cache.Put(Key(1), "bytes");
  EXPECT_TRUE(cache.Get(Key(1)));
}

TEST_F(CacheTest, AFolderThatCannotBeWrittenIsNoError) {
  const std::string file = folder_ + "/file";
  Write(file, "");
  const DiskCache cache(file + "/below");
  cache.Put(Key(1), "bytes");
  EXPECT_FALSE(cache.Get(Key(1)));
  EXPECT_EQ(CompileAndRun(file + "/below").values, CompileAndRun("").values);
}

TEST_F(CacheTest, StaysBelowItsBound) {
  const DiskCache cache(folder_, 100000);
  for (uint64_t i = 0; i < 200; ++i) cache.Put(Key(i), std::string(5000, 'x'));
  EXPECT_LE(Files().size(), 20u + 16u);
  EXPECT_TRUE(cache.Get(Key(199)));
  cache.Put(Key(1), std::string(50000, 'x'));  // too large a part of it
  EXPECT_FALSE(cache.Get(Key(1)));
}

TEST_F(CacheTest, ManyWritersAndReaders) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      const DiskCache cache(folder_, 60000);
      for (uint64_t i = 0; i < 50; ++i) {
        const std::string bytes(100 * (i % 7) + 1, static_cast<char>('a' + i % 7));
        cache.Put(Key(i % 7), bytes);
        const auto got = cache.Get(Key(i % 7));
        EXPECT_TRUE(!got || *got == bytes);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Files().size(), 7u);
}

TEST_F(CacheTest, CodeIsCompiledOnce) {
  const Result first = CompileAndRun(folder_), second = CompileAndRun(folder_);
  EXPECT_FALSE(first.cached);
  EXPECT_TRUE(second.cached);
  EXPECT_EQ(first.values, second.values);
  EXPECT_FALSE(CompileAndRun("").cached);
  EXPECT_FALSE(CompileAndRun(folder_, 1, 0).cached) << "another level";
  EXPECT_EQ(CompileAndRun(folder_, 1, 0).values, first.values);
  // Constants are not part of the code.
  const Result other = CompileAndRun(folder_, 2);
  EXPECT_TRUE(other.cached);
  EXPECT_EQ(other.values, CompileAndRun("", 2).values);
}

// No other process, and no later function of this one, would find it.
TEST_F(CacheTest, CodeWithCallbacksIsNotKept) {
  const auto callback = runtime::AddCallback([](const int64_t*, void* const*) {});
  ir::Module module = Graph(1);
  ir::Function* f = module.FindFunction("main");
  ir::Builder builder(f);
  const Type type = f->type(f->results()[0]);
  f->SetResults({builder.Emit(ir::Op::kCallback, {f->results()[0]},
                              {{"dtype", type.dtype},
                               {"effect", false},
                               {"guarded", false},
                               {"id", callback->id()},
                               {"of", std::string("nothing")},
                               {"shape", type.shape}})});
  CompilerOptions options;
  options.cache_dir = folder_;
  for (int i = 0; i < 2; ++i) {
    const auto code = reel_compiler()->Compile(module, options);
    ASSERT_TRUE(code.ok()) << code.status();
    EXPECT_FALSE((*code)->times().cached);
  }
  EXPECT_EQ(Files().size(), 0u);
}

TEST_F(CacheTest, DamagedCodeIsCompiledAgain) {
  const Result good = CompileAndRun(folder_);
  const fs::path path = Files().at(0);
  const std::string bytes = Read(path);
  for (size_t i = 0; i < bytes.size(); i += 1 + bytes.size() / 5) {
    std::string bad = bytes;
    bad[i] = static_cast<char>(~bad[i]);
    Write(path, bad);
    const Result again = CompileAndRun(folder_);
    EXPECT_FALSE(again.cached) << "byte " << i;
    EXPECT_EQ(again.values, good.values);
    EXPECT_TRUE(CompileAndRun(folder_).cached);
  }
  // Whole, but nothing that can be loaded.
  const CompilerOptions options;
  auto code = reel_compiler()->Compile(Graph(1), options);
  ASSERT_TRUE(code.ok()) << code.status();
  DiskCache(folder_).Put(CodeKey((*code)->program(), *FindTarget("native"), options.opt_level), "not code");
  ASSERT_EQ(Files().size(), 1u) << "the key is another";
  EXPECT_EQ(CompileAndRun(folder_).values, good.values);
}

TEST_F(CacheTest, KeysTellProgramsApart) {
  const auto key = [](int64_t n, const std::string& target, int level) {
    Kernel k;
    const AxisId i = k.AddAxis("i");
    const BufferId x = k.AddBuffer("x", kFloat32, false), y = k.AddBuffer("y", kFloat32, true);
    const Affine at = At({{i, 1}});
    k.body = Block(For(i, LoopKind::kVector, n, 16, Block(Store(y, at, Load(k, x, at)))));
    return CodeKey(OneKernel(std::move(k)), *FindTarget(target), level);
  };
  EXPECT_EQ(key(64, "x86-64-v3", 2), key(64, "x86-64-v3", 2));
  EXPECT_NE(key(64, "x86-64-v3", 2), key(65, "x86-64-v3", 2));
  EXPECT_NE(key(64, "x86-64-v3", 2), key(64, "x86-64-v4", 2));
  EXPECT_NE(key(64, "x86-64-v3", 2), key(64, "x86-64-v3", 0));
}

/// Whatever bytes an object has, the loader returns.
TEST(Loader, DamagedObjectsAreErrorsOrCode) {
  CompilerOptions options;
  auto program = BuildProgram(Graph(1), *FindTarget("native"), {});
  ASSERT_TRUE(program.ok());
  auto code = CompileObjects(*program, *FindTarget("native"), {});
  ASSERT_TRUE(code.ok());
  const std::string good = code->objects[0];
  const float zero = 0;
  const LoadedCode::Symbols outside = {{"reel_constants", &zero}};
  ASSERT_TRUE(LoadedCode::Load(code->objects, outside).ok());
  EXPECT_FALSE(LoadedCode::Load(code->objects, {}).ok()) << "an unknown symbol";
  EXPECT_FALSE(LoadedCode::Load(std::vector<std::string>{good, good}, outside).ok());
  int errors = 0;
  for (size_t i = 0; i < good.size(); i += 3) {
    for (const unsigned flip : {0x01u, 0x80u, 0xFFu}) {
      std::string bad = good;
      bad[i] = static_cast<char>(static_cast<unsigned char>(bad[i]) ^ flip);
      errors += !LoadedCode::Load(std::vector<std::string>{bad}, outside).ok();
    }
    const std::string shorter = good.substr(0, i);
    errors += !LoadedCode::Load(std::vector<std::string>{shorter}, outside).ok();
  }
  EXPECT_GT(errors, 100);
}

}  // namespace
}  // namespace reel::codegen
