// The one writer of files: what a path names is the old file or the new one, whatever it is and whoever dies.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include "ir/file/crc32c.h"
#include "ir/file/folder.h"
#include "ir/file/folder_writer.h"
#include "ir/file/reader.h"
#include "ir/file/temporary.h"
#include "ir/file/writer.h"
#include "ir/names.h"
#include "ir/strings.h"

namespace reel::ir {
namespace {

namespace fs = std::filesystem;

class FileTest : public testing::Test {
 protected:
  FileTest() {
    std::string pattern = fs::temp_directory_path() / "reel_file_XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~FileTest() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }
  static std::string Read(const std::string& path) {
    std::ostringstream out;
    out << std::ifstream(path, std::ios::binary).rdbuf();
    return out.str();
  }
  static void Put(const std::string& path, const std::string& bytes, mode_t mode = 0644) {
    std::ofstream(path, std::ios::binary) << bytes;
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
  }
  static struct stat Stat(const std::string& path) {
    struct stat info = {};
    EXPECT_EQ(::lstat(path.c_str(), &info), 0) << path;
    return info;
  }

  std::string folder_;
};

using Strings = std::vector<std::string>;

TEST_F(FileTest, WritesAndReplaces) {
  const std::string path = Path("a"), large(3 << 20, 'x');
  ASSERT_TRUE(WriteFile(path, "one").ok());
  EXPECT_EQ(Read(path), "one");
  ASSERT_TRUE(WriteFile(path, large).ok());
  EXPECT_EQ(Read(path), large);
  ASSERT_TRUE(WriteFile(path, "").ok());
  EXPECT_EQ(Read(path), "");
  EXPECT_EQ(Names(), Strings{"a"});
}

TEST_F(FileTest, NothingHappensWithoutCommit) {
  Put(Path("a"), "old");
  {
    auto file = FileWriter::Open(Path("a"));
    ASSERT_TRUE(file.ok() && file->Append("new").ok() && file->Finish().ok());
    EXPECT_EQ(Names().size(), 2u);
    EXPECT_EQ(Read(Path("a")), "old");
  }
  EXPECT_EQ(Read(Path("a")), "old");
  EXPECT_EQ(Names(), Strings{"a"});
}

TEST_F(FileTest, LongNamesHaveTemporariesToo) {
  const std::string path = Path(std::string(255, 'n'));
  ASSERT_TRUE(WriteFile(path, "x").ok());
  EXPECT_EQ(Read(path), "x");
}

TEST_F(FileTest, FoldersAreMadeAndRemoved) {
  EXPECT_EQ(MakeFolders(Path("a/b//c/"), 0700), 0);
  EXPECT_EQ(MakeFolders(Path("a/b/c")), 0) << "it is there";
  EXPECT_EQ(fs::status(Path("a/b/c")).permissions(), fs::perms::owner_all);
  Put(Path("file"), "x");
  EXPECT_EQ(MakeFolders(Path("file")), ENOTDIR);
  EXPECT_EQ(MakeFolders(Path("file/below")), ENOTDIR);
  EXPECT_EQ(MakeFolders(""), ENOENT);
  Put(Path("a/b/kept"), "x");
  fs::create_symlink(Path("file"), Path("a/link"));
  RemoveFolder(Path("a"));
  RemoveFolder(Path("none"));
  EXPECT_EQ(Names(), Strings{"file"});
  EXPECT_EQ(FileName("a/b.o"), "b.o");
  EXPECT_EQ(FileName("b.o"), "b.o");
  EXPECT_EQ(FileName("a/"), "");
  EXPECT_EQ(ParentOf("a/b/c"), "a/b");
  EXPECT_EQ(ParentOf("c"), "");
}

TEST_F(FileTest, LinksAreFollowedAndStay) {
  fs::create_directories(Path("real"));
  Put(Path("real/model"), "old", 0600);
  fs::create_symlink("real/model", Path("one"));
  fs::create_symlink(Path("one"), Path("two"));
  fs::create_symlink("real", Path("folder"));
  fs::create_symlink("real/none", Path("dangling"));
  for (const char* name : {"one", "two", "folder/model"}) {
    ASSERT_TRUE(WriteFile(Path(name), name).ok()) << name;
    EXPECT_EQ(Read(Path("real/model")), name);
    EXPECT_EQ(Stat(Path("real/model")).st_mode & 07777, 0600u);
  }
  ASSERT_TRUE(WriteFile(Path("dangling"), "made").ok());
  EXPECT_EQ(Read(Path("real/none")), "made");
  for (const char* name : {"one", "two", "folder", "dangling"}) EXPECT_TRUE(fs::is_symlink(Path(name))) << name;
  fs::create_symlink("loop", Path("loop"));
  EXPECT_FALSE(WriteFile(Path("loop"), "x").ok());
  EXPECT_TRUE(fs::is_symlink(Path("loop")));
}

TEST_F(FileTest, ModeAndOwnerStay) {
  for (const mode_t mode : {0600u, 0640u, 0644u, 0755u, 0666u}) {
    Put(Path("a"), "old", mode);
    ASSERT_TRUE(WriteFile(Path("a"), "new").ok());
    EXPECT_EQ(Stat(Path("a")).st_mode & 07777, mode);
  }
  const mode_t before = ::umask(027);
  EXPECT_TRUE(WriteFile(Path("b"), "new").ok());
  EXPECT_TRUE(WriteFile(Path("c"), "new", {.mode = 0600}).ok());
  ::umask(before);
  EXPECT_EQ(Stat(Path("b")).st_mode & 07777, 0640u);
  EXPECT_EQ(Stat(Path("c")).st_mode & 07777, 0600u);
  if (::geteuid() != 0) return;
  Put(Path("d"), "old", 0640);
  ASSERT_EQ(::chown(Path("d").c_str(), 65534, 65533), 0);
  ASSERT_TRUE(WriteFile(Path("d"), "new").ok());
  EXPECT_EQ(Stat(Path("d")).st_uid, 65534u);
  EXPECT_EQ(Stat(Path("d")).st_gid, 65533u);
  EXPECT_EQ(Stat(Path("d")).st_mode & 07777, 0640u);
}

/// Calls in a child of another user, for what root may do anyway. True if it returned true.
template <typename Body>
bool AsNobody(const Body& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(::setgid(65534) == 0 && ::setuid(65534) == 0 && body() ? 0 : 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_F(FileTest, WhatMayNotBeReplacedIsAnError) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs a second user";
  ASSERT_EQ(::chmod(folder_.c_str(), 0777), 0);
  Put(Path("locked"), "old", 0644);
  Put(Path("shared"), "old", 0666);
  EXPECT_TRUE(AsNobody([&] { return !WriteFile(Path("locked"), "new").ok(); }));
  EXPECT_TRUE(AsNobody([&] { return !WriteFile(Path("shared"), "new").ok(); })) << "its owner would change";
  EXPECT_TRUE(AsNobody([&] { return WriteFile(Path("own"), "new").ok(); }));
  EXPECT_EQ(Read(Path("locked")), "old");
  EXPECT_EQ(Read(Path("shared")), "old");
  EXPECT_EQ(Names(), (Strings{"locked", "own", "shared"}));
}

TEST_F(FileTest, DevicesAndPipesAreWrittenThrough) {
  ASSERT_TRUE(WriteFile("/dev/null", "x").ok());
  EXPECT_TRUE(S_ISCHR(Stat("/dev/null").st_mode));
  EXPECT_NE(WriteFile("/dev/full", "x").message().find("No space left"), absl::string_view::npos);
  const std::string device = Path("null"), pipe = Path("pipe");
  if (::mknod(device.c_str(), S_IFCHR | 0666, makedev(1, 3)) == 0) {
    const auto written = WriteFile(device, "x");  // refused where devices are not allowed
    EXPECT_TRUE(written.ok() || absl::IsPermissionDenied(written)) << written;
    EXPECT_TRUE(S_ISCHR(Stat(device).st_mode));
    ::unlink(device.c_str());
  }
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  fs::create_symlink("pipe", Path("to_pipe"));
  for (const std::string& path : {pipe, Path("to_pipe")}) {
    std::string got;
    std::thread reader([&] { got = Read(pipe); });
    EXPECT_TRUE(WriteFile(path, std::string(200000, 'p')).ok());
    reader.join();
    EXPECT_EQ(got, std::string(200000, 'p'));
  }
  EXPECT_TRUE(S_ISFIFO(Stat(pipe).st_mode));
  EXPECT_EQ(Names(), (Strings{"pipe", "to_pipe"}));
}

TEST_F(FileTest, StandardOutputKeepsItsPlace) {
  for (const char* path : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
    Put(Path("log"), "before\n");
    const pid_t child = ::fork();
    if (child == 0) {
      const int log = ::open(Path("log").c_str(), O_WRONLY | O_APPEND);
      ::dup2(log, 1);
      ::_exit(WriteFile(path, "one\n").ok() && ::write(1, "two\n", 4) == 4 ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(Read(Path("log")), "before\none\ntwo\n") << path;
  }
}

TEST_F(FileTest, NamesThatCannotBeFiles) {
  EXPECT_FALSE(WriteFile("", "x").ok());
  EXPECT_FALSE(WriteFile(folder_, "x").ok());
  EXPECT_FALSE(WriteFile(folder_ + "/", "x").ok());
  EXPECT_FALSE(WriteFile(folder_ + "/.", "x").ok());
  EXPECT_FALSE(WriteFile(Path("none/x"), "x").ok());
  EXPECT_FALSE(WriteFile(Path(std::string("a\0b", 3)), "x").ok());
  EXPECT_FALSE(ReadFile(Path(std::string("a\0b", 3)), {}).ok());
  EXPECT_FALSE(WriteFile(Path(std::string(256, 'n')), "x").ok());
  EXPECT_EQ(Names(), Strings{});
}

TEST_F(FileTest, AFullDiskLeavesTheOldFile) {
  Put(Path("a"), "old");
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old = ::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{100000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto status = WriteFile(Path("a"), std::string(200000, 'x'));
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, old);
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(Read(Path("a")), "old");
  EXPECT_EQ(Names(), Strings{"a"});
}

TEST_F(FileTest, SweepsWhatTheDeadLeftAndNothingElse) {
  const Descriptor folder(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY));
  std::string dead, alive, foreign;
  {
    const Descriptor gone = CreateTemporary(folder.fd(), 0600, &dead);
  }
  const Descriptor held = CreateTemporary(folder.fd(), 0600, &alive);
  ASSERT_TRUE(held.ok());
  const std::string like = dead.substr(0, dead.size() - 4);
  Put(Path("victim"), "kept");
  fs::create_symlink("victim", Path(like + "0000"));
  fs::create_directories(Path(like + "0001/sub"));  // of a folder's writer that died
  fs::create_directories(Path("other"));
  Put(Path(like + "000g"), "");
  Put(Path(like), "");
  Put(Path(dead + "0"), "");
  fs::create_hard_link(Path("victim"), Path(like + "0002"));
  Strings expected = {alive, "a", like + "0000", "other", like + "000g", like, dead + "0", like + "0002", "victim"};
  if (::geteuid() == 0) {
    foreign = like + "0003";
    Put(Path(foreign), "");
    ASSERT_EQ(::chown(Path(foreign).c_str(), 65534, 65534), 0);
    expected.push_back(foreign);
  }
  std::sort(expected.begin(), expected.end());
  ASSERT_TRUE(WriteFile(Path("other/x"), "x").ok());  // so that the folder is not the last one
  ASSERT_TRUE(WriteFile(Path("a"), "x").ok());
  EXPECT_EQ(Names(), expected);
  EXPECT_EQ(Read(Path("victim")), "kept");
}

TEST_F(FileTest, FoldersAreReplacedWhole) {
  const auto write = [&](const std::string& path, const std::string& text) {
    auto writer = FolderWriter::Open(path, "mark");
    if (!writer.ok()) return writer.status();
    for (const char* name : {"/mark", "/a"}) {
      if (absl::Status s = WriteFile(writer->folder() + name, text); !s.ok()) return s;
    }
    return writer->Commit();
  };
  ASSERT_TRUE(write(Path("x"), "1").ok());
  EXPECT_EQ(Read(Path("x/a")), "1");
  Put(Path("x/old"), "");
  fs::create_directory_symlink("x", Path("link"));
  ASSERT_TRUE(write(Path("link///"), "2").ok());
  EXPECT_EQ(Read(Path("x/a")), "2");
  EXPECT_FALSE(fs::exists(Path("x/old")));
  EXPECT_TRUE(fs::is_symlink(Path("link")));
  {
    auto writer = FolderWriter::Open(Path("x"), "mark");
    ASSERT_TRUE(writer.ok() && WriteFile(writer->folder() + "/mark", "3").ok());
  }
  EXPECT_EQ(Read(Path("x/mark")), "2");
  fs::create_directories(Path("empty"));
  ASSERT_TRUE(write(Path("empty"), "4").ok());
  EXPECT_EQ(Names(), (Strings{"empty", "link", "x"}));
  fs::create_directories(Path("other/sub"));
  Put(Path("file"), "kept");
  EXPECT_THAT(std::string(write(Path("other"), "5").message()), testing::HasSubstr("has files but no mark"));
  EXPECT_TRUE(absl::IsFailedPrecondition(write(Path("other"), "5")));
  for (const char* bad : {"file", "", "no/where", "x/.."}) EXPECT_FALSE(write(Path(bad), "5").ok()) << bad;
  EXPECT_EQ(Read(Path("file")), "kept");
  EXPECT_EQ(Names(), (Strings{"empty", "file", "link", "other", "x"}));
}

/// Whoever looks sees the old folder or the new one, and both are whole.
TEST_F(FileTest, AFolderIsNeverHalf) {
  std::atomic<bool> stop = false;
  std::atomic<int> missing = 0;
  std::thread writer([&] {
    for (int i = 0; i < 50; ++i) {
      auto folder = FolderWriter::Open(Path("x"), "mark");
      ASSERT_TRUE(folder.ok());
      for (const char* name : {"/mark", "/a"})
        ASSERT_TRUE(WriteFile(folder->folder() + name, StrCat(i), {.durable = false}).ok());
      ASSERT_TRUE(folder->Commit().ok());
    }
    stop = true;
  });
  bool seen = false;
  while (!stop) {
    const Descriptor x(::open(Path("x").c_str(), O_RDONLY | O_DIRECTORY));
    seen |= x.ok();
    missing += seen && !x.ok();
  }
  writer.join();
  EXPECT_EQ(missing, 0);
  EXPECT_EQ(Read(Path("x/a")), "49");
  EXPECT_EQ(Names(), Strings{"x"});
}

/// Writers and sweepers in many threads never take each other's files. A process looks into a folder once in a
/// row, so two folders take turns.
TEST_F(FileTest, WritersAndSweepersTogether) {
  fs::create_directories(Path("x"));
  fs::create_directories(Path("y"));
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 150; ++i) {
        const std::string path = Path(StrCat(i % 2 ? "x/" : "y/", t));
        const auto status = WriteFile(path, std::string(1000, 'a'), {.durable = false});
        if (!status.ok()) ++failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(std::distance(fs::recursive_directory_iterator(folder_), {}), 2 + 2 * 4);
}

TEST_F(FileTest, KilledAtAnyMomentItIsOldOrNew) {
  constexpr size_t kBytes = 300000;
  const std::string path = Path("model");
  Put(path, std::string(kBytes, 'a'), 0640);
  std::mt19937 random(18);
  int leavings = 0;
  for (int i = 0; i < 150; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (int k = 1;; ++k)
        (void)WriteFile(path, std::string(kBytes, static_cast<char>('a' + k % 2)), {.durable = i % 8 == 0});
    }
    ::usleep(static_cast<useconds_t>(200 + random() % 3000));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const std::string now = Read(path);
    ASSERT_EQ(now.size(), kBytes);
    EXPECT_TRUE(now == std::string(kBytes, now[0]) && (now[0] == 'a' || now[0] == 'b'));
    EXPECT_EQ(Stat(path).st_mode & 07777, 0640u);
    leavings = std::max(leavings, static_cast<int>(Names().size()) - 1);
  }
  EXPECT_GT(leavings, 0) << "no kill hit a writer";
  fs::create_directories(Path("other"));
  ASSERT_TRUE(WriteFile(Path("other/x"), "x").ok());  // so that the folder is looked at anew
  ASSERT_TRUE(WriteFile(path, "end").ok());
  EXPECT_EQ(Names(), (Strings{"model", "other"}));
}

TEST(Crc32c, IsThatOfRfc3720) {
  EXPECT_EQ(Crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(Crc32c(std::string(32, '\xff')), 0x62A8AB43u);
  std::string bytes;
  for (int i = 0; i < 1000; ++i) bytes.push_back(static_cast<char>(i * 7));
  for (size_t cut = 0; cut <= 40; ++cut) {
    const std::string_view all = bytes;
    EXPECT_EQ(Crc32c(all.substr(cut), Crc32c(all.substr(0, cut))), Crc32c(all)) << cut;
  }
  // The end of an empty block in a checkpoint that TensorFlow wrote.
  EXPECT_EQ(MaskedCrc32c(Crc32c({"\0\0\0\0\1\0\0\0\0", 9})), 0xB0A1F2C0u);
}

class BelowTest : public FileTest {
 protected:
  BelowTest() {
    fs::create_directories(Path("model/sub"));
    fs::create_directories(Path("secret"));
    Put(Path("model/data"), "0123456789");
    Put(Path("model/sub/data"), "abcdef");
    Put(Path("secret/data"), "SECRETSECR");
    root_ = Descriptor(::open(Path("model").c_str(), O_RDONLY | O_DIRECTORY));
  }
  absl::StatusOr<std::string> Get(const std::string& path, int64_t offset, int64_t length) const {
    const auto bytes = ReadBelow(root_, path, offset, length);
    if (!bytes.ok()) return bytes.status();
    return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  }
  Descriptor root_;
};

TEST_F(BelowTest, ReadsWhatIsThere) {
  EXPECT_EQ(*Get("data", 2, 3), "234");
  EXPECT_EQ(*Get("sub/data", 0, 6), "abcdef");
  EXPECT_EQ(*Get("./sub//data", 5, 1), "f");
  EXPECT_EQ(*Get("data", 10, 0), "");
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  for (const auto& [offset, length] :
       {std::pair<int64_t, int64_t>{0, 11}, {11, 0}, {10, 1}, {kMost, kMost}, {1, kMost}, {kMost, 1}, {-1, 1}, {0, -1}})
    EXPECT_FALSE(Get("data", offset, length).ok()) << offset << " " << length;
}

TEST_F(BelowTest, NoFormOfAWayOut) {
  fs::create_symlink(Path("secret/data"), Path("model/absolute"));
  fs::create_symlink("../secret/data", Path("model/relative"));
  fs::create_symlink("data", Path("model/inside"));
  fs::create_symlink("../secret", Path("model/folder"));
  fs::create_hard_link(Path("secret/data"), Path("model/hard"));
  ::mkfifo(Path("model/fifo").c_str(), 0600);
  for (const std::string& path : {std::string("absolute"),
                                  std::string("relative"),
                                  std::string("inside"),
                                  std::string("folder/data"),
                                  std::string("hard"),
                                  std::string("fifo"),
                                  std::string("sub"),
                                  std::string("sub/"),
                                  std::string("."),
                                  std::string(""),
                                  std::string(".."),
                                  std::string("../secret/data"),
                                  std::string("sub/../data"),
                                  std::string("sub/../../secret/data"),
                                  Path("secret/data"),
                                  std::string("/dev/zero"),
                                  std::string("none"),
                                  std::string("data/"),
                                  std::string("data/x"),
                                  std::string("data\0", 5),
                                  std::string("sub/data\0/x", 11)}) {
    EXPECT_FALSE(Get(path, 0, 1).ok()) << Quoted(path);
  }
  fs::remove(Path("secret/data"));
  EXPECT_TRUE(Get("hard", 0, 1).ok()) << "it has one name now";
  const bool device = ::mknod(Path("model/zero").c_str(), S_IFCHR | 0666, makedev(1, 5)) == 0;
  EXPECT_FALSE(Get("zero", 0, 0).ok()) << device;
}

/// Names swap between a file and a way out as fast as they can; no reader gets outside.
TEST_F(BelowTest, RacesAreLost) {
  Put(Path("model/sub/good"), "0000000000");
  fs::create_symlink("../../secret/data", Path("model/sub/bad"));
  fs::create_symlink("../secret", Path("model/bad"));
  std::atomic<bool> stop = false;
  std::thread swapper([&] {
    const auto exchange = [&](const std::string& a, const std::string& b) {
      ::renameat2(AT_FDCWD, Path(a).c_str(), AT_FDCWD, Path(b).c_str(), RENAME_EXCHANGE);
    };
    while (!stop) {
      exchange("model/sub/good", "model/sub/bad");
      exchange("model/sub", "model/bad");
    }
  });
  int read = 0, refused = 0, won = 0;
  for (int i = 0; i < 10000; ++i) {
    for (const char* name : {"sub/good", "sub/bad", "sub/data", "bad/good"}) {
      const auto got = Get(name, 0, 6);
      if (!got.ok()) ++refused;
      if (got.ok()) ++(*got == "SECRET" ? won : read);
    }
  }
  stop = true;
  swapper.join();
  EXPECT_EQ(won, 0);
  EXPECT_GT(read, 100);
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace reel::ir
