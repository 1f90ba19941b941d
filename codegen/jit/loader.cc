#include "codegen/jit/loader.h"

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "ir/strings.h"

namespace reel::codegen {
namespace {

absl::Status Broken(std::string_view what) {
  return absl::DataLossError(StrCat("machine code cannot be loaded: ", what));
}

/// The T at `offset`, if it lies inside.
template <typename T>
std::optional<T> ReadAt(std::string_view bytes, uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

/// Everything from the offset to the zero byte.
std::string_view NameAt(std::string_view strings, uint64_t offset) {
  if (offset >= strings.size()) return {};
  strings.remove_prefix(offset);
  return strings.substr(0, strings.find('\0'));
}

struct Object {
  std::string_view bytes;
  std::vector<Elf64_Shdr> sections;
  std::vector<uint64_t> places;  ///< of sections, from the start of the mapping; kNowhere: not loaded
  std::vector<Elf64_Sym> symbols;
  std::string_view symbol_names;
  uint64_t first_symbol = 0;  ///< number of symbols in the objects before
};

constexpr uint64_t kNowhere = ~uint64_t{0};
constexpr uint64_t kSlot = 8;  // bytes of an address and of a jump to one
constexpr uint64_t kMaxBytes = uint64_t{1} << 30;

/// The bytes of a section; empty if they are not inside the object.
std::string_view Contents(const Object& o, const Elf64_Shdr& s) {
  if (s.sh_offset > o.bytes.size() || s.sh_size > o.bytes.size() - s.sh_offset) return {};
  return o.bytes.substr(s.sh_offset, s.sh_size);
}

absl::StatusOr<Object> Parse(std::string_view bytes) {
  Object o;
  o.bytes = bytes;
  const auto header = ReadAt<Elf64_Ehdr>(bytes, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_type != ET_REL || header->e_machine != EM_X86_64 || header->e_shentsize != sizeof(Elf64_Shdr)) {
    return Broken("not an object for this kind of machine");
  }
  auto first = ReadAt<Elf64_Shdr>(bytes, header->e_shoff);
  if (!first) return Broken("no sections");
  const uint64_t count = header->e_shnum != 0 ? header->e_shnum : first->sh_size;
  if (count > bytes.size() / sizeof(Elf64_Shdr)) return Broken("too many sections");
  for (uint64_t i = 0; i < count; ++i) {
    const auto section = ReadAt<Elf64_Shdr>(bytes, header->e_shoff + i * sizeof(Elf64_Shdr));
    if (!section) return Broken("a section is cut off");
    o.sections.push_back(*section);
    if (section->sh_type != SHT_NOBITS && section->sh_size > 0 && Contents(o, *section).empty()) {
      return Broken("a section is cut off");
    }
  }
  for (const Elf64_Shdr& s : o.sections) {
    if (s.sh_type != SHT_SYMTAB) continue;
    if (s.sh_link >= count) return Broken("symbols without names");
    o.symbol_names = Contents(o, o.sections[s.sh_link]);
    const std::string_view table = Contents(o, s);
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.size(); at += sizeof(Elf64_Sym)) {
      o.symbols.push_back(*ReadAt<Elf64_Sym>(table, at));
    }
  }
  return o;
}

class Linker {
 public:
  Linker(std::vector<Object> objects, const LoadedCode::Symbols& outside)
      : objects_(std::move(objects)), outside_(outside) {}
  ~Linker() {
    if (memory_ != nullptr) ::munmap(memory_, total_);
  }
  Linker(const Linker&) = delete;
  Linker& operator=(const Linker&) = delete;

  absl::Status Link() {
    if (absl::Status s = Place(); !s.ok()) return s;
    void* memory = ::mmap(nullptr, total_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return absl::ResourceExhaustedError("no memory for machine code");
    memory_ = static_cast<char*>(memory);
    Copy();
    if (absl::Status s = DefineSymbols(); !s.ok()) return s;
    for (const Object& o : objects_) {
      for (const Elf64_Shdr& s : o.sections) {
        if (s.sh_type == SHT_REL) return Broken("relocations without addends");
        if (s.sh_type != SHT_RELA) continue;
        if (absl::Status status = Relocate(o, s); !status.ok()) return status;
      }
    }
    if (::mprotect(memory_, data_, PROT_READ | PROT_EXEC) != 0 ||
        ::mprotect(memory_ + data_, total_ - data_, PROT_READ) != 0) {
      return errno == ENOMEM ? absl::ResourceExhaustedError("no memory for machine code")
                             : absl::InternalError("the system refuses to make code executable");
    }
    return absl::OkStatus();
  }

  char* TakeMemory() { return std::exchange(memory_, nullptr); }
  uint64_t bytes() const { return total_; }
  LoadedCode::Symbols TakeSymbols() { return std::move(symbols_); }

 private:
  /// The mapping: code, jumps to far functions | from the next page: data, addresses.
  absl::Status Place() {
    const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
    uint64_t symbols = 0;
    for (Object& o : objects_) {
      o.first_symbol = symbols;
      symbols += o.symbols.size();
      o.places.assign(o.sections.size(), kNowhere);
    }
    uint64_t end = 0;
    const auto round_up = [&end](uint64_t alignment) { end = (end + alignment - 1) / alignment * alignment; };
    for (const bool code : {true, false}) {
      for (Object& o : objects_) {
        for (size_t i = 0; i < o.sections.size(); ++i) {
          const Elf64_Shdr& s = o.sections[i];
          if (!(s.sh_flags & SHF_ALLOC) || bool(s.sh_flags & SHF_EXECINSTR) != code) continue;
          const uint64_t alignment = std::max<uint64_t>(s.sh_addralign, 1);
          if (s.sh_type == SHT_NOBITS && s.sh_size > 0) return Broken("it has variables");
          if (alignment > page || s.sh_size > kMaxBytes) return Broken("a section is too large");
          round_up(alignment);
          o.places[i] = end;
          end += s.sh_size;
          if (end > kMaxBytes) return Broken("it is too large");
        }
      }
      round_up(kSlot);
      (code ? jumps_ : addresses_) = end;
      end += symbols * kSlot;
      if (code) {
        round_up(page);
        data_ = end;
      }
    }
    round_up(page);
    total_ = std::max(end, page);  // a program without kernels and entry points has a page, too
    return absl::OkStatus();
  }

  void Copy() {
    for (const Object& o : objects_) {
      for (size_t i = 0; i < o.sections.size(); ++i) {
        const std::string_view from = Contents(o, o.sections[i]);
        if (o.places[i] != kNowhere && !from.empty()) std::memcpy(memory_ + o.places[i], from.data(), from.size());
      }
    }
  }

  absl::Status DefineSymbols() {
    for (const Object& o : objects_) {
      for (const Elf64_Sym& symbol : o.symbols) {
        if (ELF64_ST_BIND(symbol.st_info) == STB_LOCAL || symbol.st_shndx == SHN_UNDEF) continue;
        const auto address = AddressInside(o, symbol);
        if (!address) return Broken("a symbol is nowhere");
        const std::string name(NameAt(o.symbol_names, symbol.st_name));
        if (!symbols_.emplace(name, *address).second) return Broken(StrCat(name, " is there twice"));
      }
    }
    return absl::OkStatus();
  }

  std::optional<const char*> AddressInside(const Object& o, const Elf64_Sym& symbol) const {
    const size_t section = symbol.st_shndx;
    if (section >= o.places.size() || o.places[section] == kNowhere || symbol.st_value > o.sections[section].sh_size) {
      return std::nullopt;
    }
    return memory_ + o.places[section] + symbol.st_value;
  }

  /// Where symbol i of the object is: in it, in another object, or outside.
  absl::StatusOr<const char*> Resolve(const Object& o, uint64_t i) const {
    if (i >= o.symbols.size()) return Broken("a relocation without a symbol");
    const Elf64_Sym& symbol = o.symbols[i];
    if (symbol.st_shndx != SHN_UNDEF) {
      const auto address = AddressInside(o, symbol);
      if (!address) return Broken("a symbol is nowhere");
      return *address;
    }
    const std::string_view name = NameAt(o.symbol_names, symbol.st_name);
    for (const LoadedCode::Symbols* known : {&symbols_, &outside_}) {
      const auto it = known->find(name);
      if (it != known->end()) return static_cast<const char*>(it->second);
    }
    return Broken(StrCat("it needs ", name));
  }

  /// The slot of symbol i that holds its address.
  char* AddressSlot(const Object& o, uint64_t i, const char* address) {
    char* slot = memory_ + addresses_ + (o.first_symbol + i) * kSlot;
    std::memcpy(slot, &address, sizeof address);
    return slot;
  }

  /// A jump to symbol i: jmp *slot(%rip).
  char* Jump(const Object& o, uint64_t i, const char* address) {
    char* jump = memory_ + jumps_ + (o.first_symbol + i) * kSlot;
    const auto distance = static_cast<int32_t>(AddressSlot(o, i, address) - (jump + 6));
    jump[0] = '\xff', jump[1] = '\x25';
    std::memcpy(jump + 2, &distance, sizeof distance);
    return jump;
  }

  absl::Status Relocate(const Object& o, const Elf64_Shdr& relocations) {
    const uint64_t section = relocations.sh_info;
    if (section >= o.places.size()) return Broken("relocations of nothing");
    if (o.places[section] == kNowhere) return absl::OkStatus();
    const std::string_view table = Contents(o, relocations);
    for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= table.size(); at += sizeof(Elf64_Rela)) {
      const auto r = *ReadAt<Elf64_Rela>(table, at);
      const uint64_t size = o.sections[section].sh_size;
      const uint64_t width = ELF64_R_TYPE(r.r_info) == R_X86_64_64 ? 8 : 4;
      if (r.r_offset > size || size - r.r_offset < width) return Broken("a relocation is outside");
      if (absl::Status s = Apply(o, r, memory_ + o.places[section] + r.r_offset); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

  absl::Status Apply(const Object& o, const Elf64_Rela& r, char* place) {
    const uint64_t i = ELF64_R_SYM(r.r_info);
    const auto symbol = Resolve(o, i);
    if (!symbol.ok()) return symbol.status();
    const char* to = *symbol;
    const auto addend = static_cast<uint64_t>(r.r_addend);  // sums wrap, whatever the file says
    const auto distance = [&](const char* target) {
      return static_cast<int64_t>(reinterpret_cast<uintptr_t>(target) + addend - reinterpret_cast<uintptr_t>(place));
    };
    const auto is_near = [](int64_t x) { return x == static_cast<int32_t>(x); };
    switch (ELF64_R_TYPE(r.r_info)) {
      case R_X86_64_64: {
        const uint64_t value = reinterpret_cast<uintptr_t>(to) + addend;
        std::memcpy(place, &value, sizeof value);
        return absl::OkStatus();
      }
      case R_X86_64_PLT32:
        if (!is_near(distance(to))) to = Jump(o, i, to);
        break;
      case R_X86_64_PC32: break;
      case R_X86_64_GOTPCREL:
      case R_X86_64_GOTPCRELX:
      case R_X86_64_REX_GOTPCRELX: to = AddressSlot(o, i, to); break;
      default: return Broken(StrCat("a relocation of kind ", ELF64_R_TYPE(r.r_info)));
    }
    const int64_t value = distance(to);
    if (!is_near(value)) return Broken("a symbol is too far away");
    const auto field = static_cast<int32_t>(value);
    std::memcpy(place, &field, sizeof field);
    return absl::OkStatus();
  }

  std::vector<Object> objects_;
  const LoadedCode::Symbols& outside_;
  LoadedCode::Symbols symbols_;
  uint64_t jumps_ = 0, data_ = 0, addresses_ = 0, total_ = 0;
  char* memory_ = nullptr;
};

}  // namespace

absl::StatusOr<LoadedCode> LoadedCode::Load(std::span<const std::string> objects, const Symbols& outside) {
  std::vector<Object> parsed;
  for (const std::string& bytes : objects) {
    auto object = Parse(bytes);
    if (!object.ok()) return object.status();
    parsed.push_back(*std::move(object));
  }
  Linker linker(std::move(parsed), outside);
  if (absl::Status s = linker.Link(); !s.ok()) return s;
  LoadedCode code;
  code.symbols_ = linker.TakeSymbols();
  code.bytes_ = linker.bytes();
  code.memory_ = linker.TakeMemory();
  return code;
}

LoadedCode::~LoadedCode() {
  if (memory_ != nullptr) ::munmap(memory_, bytes_);
}

const void* LoadedCode::Find(std::string_view symbol) const {
  const auto it = symbols_.find(symbol);
  return it == symbols_.end() ? nullptr : it->second;
}

}  // namespace reel::codegen
