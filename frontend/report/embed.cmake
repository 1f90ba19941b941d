# Writes OUTPUT, a C++ source with the files FRAME, STYLE and SCRIPTS (paths with | between them) as string
# literals, one for each 8 KiB.
function(read_literals variable)
  set(out)
  foreach(file IN LISTS ARGN)
    file(READ "${file}" text)
    string(LENGTH "${text}" length)
    foreach(at RANGE 0 "${length}" 8192)
      string(SUBSTRING "${text}" "${at}" 8192 part)
      string(APPEND out "R\"~page~(${part})~page~\"\n")
    endforeach()
  endforeach()
  set("${variable}" "${out}" PARENT_SCOPE)
endfunction()

read_literals(frame "${FRAME}")
read_literals(style "${STYLE}")
string(REPLACE "|" ";" scripts "${SCRIPTS}")
read_literals(script ${scripts})
file(WRITE "${OUTPUT}" "#include \"frontend/report/page_files.h\"

namespace reel::internal {
const std::string_view kPageFrame = ${frame};
const std::string_view kPageStyle = ${style};
const std::string_view kPageScript = ${script};
}  // namespace reel::internal
")
