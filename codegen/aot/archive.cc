#include "codegen/aot/archive.h"

#include "codegen/llvm/object_headers.h"
#include "ir/strings.h"

namespace reel::codegen {

absl::StatusOr<std::string> ArchiveOf(const std::string& object, const std::string& member, const std::string& os) {
  llvm::SmallVector<llvm::NewArchiveMember, 1> members;
  members.emplace_back(llvm::MemoryBufferRef(object, member));
  const auto kind = os == "macos" ? llvm::object::Archive::K_DARWIN : llvm::object::Archive::K_GNU;
  auto archive = llvm::writeArchiveToBuffer(members, llvm::SymtabWritingMode::NormalSymtab, kind,
                                            /*Deterministic=*/true, /*Thin=*/false);
  if (!archive) return absl::InternalError(StrCat("archive of ", member, ": ", llvm::toString(archive.takeError())));
  return (*archive)->getBuffer().str();
}

}  // namespace reel::codegen
