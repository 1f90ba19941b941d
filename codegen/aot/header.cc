#include "codegen/aot/header.h"

#include <algorithm>
#include <set>
#include <utility>

#include "codegen/aot/weights_layout.h"
#include "ir/printable.h"
#include "ir/siphash.h"
#include "ir/strings.h"
#include "runtime/abi.h"

namespace reel::codegen {
namespace {

/// Extents, then typed pointers: ", int64_t B, const float* images, float* loss".
std::string Parameters(const ObjectEntry& entry, const ObjectNames::Entry& names) {
  std::string out;
  for (const std::string& extent : names.extents) StrAppend(&out, ", int64_t ", extent);
  for (size_t i = 0; i < entry.arguments.size(); ++i) {
    StrAppend(&out, ", const ", CTypeOf(entry.arguments[i].type.dtype), "* ", names.arguments[i]);
  }
  for (size_t i = 0; i < entry.results.size(); ++i) {
    StrAppend(&out, ", ", CTypeOf(entry.results[i].type.dtype), "* ", names.results[i]);
  }
  return out;
}

/// f32[B,784]
std::string TypeText(const Type& type, const ObjectNames::Entry& names) {
  std::string out;
  for (const Extent e : type.shape) {
    StrAppend(&out, out.empty() ? "" : ",",
              e.is_constant() ? StrCat(e.value()) : names.extents[static_cast<size_t>(e.symbol())]);
  }
  return StrCat(Name(type.dtype), "[", out, "]");
}

/// "images f32[64,784], labels i32[64]", or "nothing". No name of the user's can end the comment.
std::string Shapes(const std::vector<ir::Parameter>& parameters, const std::vector<std::string>& list,
                   const ObjectNames::Entry& names) {
  std::string out;
  for (size_t i = 0; i < parameters.size(); ++i) {
    StrAppend(&out, i == 0 ? "" : ", ", list[i], " ", TypeText(parameters[i].type, names));
  }
  return out.empty() ? "nothing" : out;
}

/// Values that are there for an extent, ascending.
std::set<int64_t> ValuesOf(const ObjectEntry& entry, size_t symbol) {
  std::set<int64_t> values;
  for (const ObjectEntry::Variant& v : entry.variants) values.insert(v.extents[symbol]);
  return values;
}

/// "; B from 1 to 4096", "; B one of 32, 64".
std::string Ranges(const ObjectEntry& entry, const ObjectNames::Entry& names) {
  std::string out;
  for (size_t i = 0; i < entry.symbols.size(); ++i) {
    const ir::Symbol& s = entry.symbols[i];
    const auto values = ValuesOf(entry, i);
    StrAppend(&out, "; ", names.extents[i]);
    if (entry.rowwise || static_cast<int64_t>(values.size()) == s.max - s.min + 1) {
      StrAppend(&out, " from ", s.min, " to ", s.max);
      continue;
    }
    const char* separator = " one of ";
    for (const int64_t v : values) StrAppend(&out, std::exchange(separator, ", "), v);
  }
  return out;
}

/// The functions that take all variables at once, or why there are none.
std::string Weights(const Program& program, const ObjectNames& names) {
  const std::string& n = names.name;
  if (const auto layout = LayOutWeights(program); !layout.ok()) {
    if (program.variables.empty()) return "";
    return StrCat("\n/* No ", n, "_save and ", n, "_load: ", std::string(layout.status().message()), ". */\n");
  }
  return StrCat(
      "\n/* All variables as a safetensors file in memory, by the names of the graph: ", n, "_save_size() bytes.\n",
      "   ", n, "_load takes such a file of any program, with these entries and no others, in any order. If it\n",
      "   fails, no variable has changed, ((const int64_t*)instance)[4] is the number of the variable in the\n",
      "   manifest, from 0, or -1, and [5] the byte of the file at which reading stopped. */\n", "size_t ", n,
      "_save_size(void);\n", "int ", n, "_save(const ", n, "* instance, void* to, size_t size);\n", "int ", n, "_load(",
      n, "* instance, const void* from, size_t size);\n");
}

/// A number that two programs share if they compute the same in the same way from the same initial values.
uint64_t SignatureOf(const Program& program) {
  ir::SipHash hash({0xa4093822299f31d0u, 0x082efa98ec4e6c89u});
  const auto add = [&hash](const ir::Literal& value) {
    hash.Add(std::string_view(reinterpret_cast<const char*>(value.bytes().data()), value.bytes().size()));
  };
  hash.Add(ToString(program));
  for (const ir::Literal& value : program.constants) add(value);
  for (const VariableSlot& v : program.variables) add(v.initial);
  return hash.Sum()[0];
}

/// How the instance's group is set, of a program with collectives; the struct is that of runtime/abi.h.
std::string Communicator(const Program& program, const std::string& n, const std::string& upper) {
  if (program.collectives.empty()) return "";
  return StrCat(
      "/* Of the program: members of a group have the same. reel_mpi_agree (reel_mpi.h) compares them. */\n",
      "#define ", upper, "_SIGNATURE UINT64_C(", SignatureOf(program), ")\n\n",
      "/* The group of processes that the program talks to: `size` members, this one is number `rank`. The functions\n",
      "   move bytes and return 0, or anything else on failure; all members call the same ones in the same order.\n",
      "   all_to_all: `send` has `bytes` for each member in the order of ranks, `receive` gets theirs in that order.\n",
      "   all_gather: `receive` gets the `bytes` of each. broadcast: `buffer` of member `root` goes to all others.\n",
      "   The last three may be null: who starts one has it done at once. Else start_... return before it is done, "
      "and\n",
      "   nobody touches its buffers until wait(context, *number) has returned. Many may be under way, waited for in\n",
      "   any order; one that fails ends all of them. */\n",
      "#ifndef REEL_COMMUNICATOR\n#define REEL_COMMUNICATOR\n#define REEL_COMMUNICATOR_VERSION INT64_C(",
      REEL_COMMUNICATOR_VERSION, ")\nstruct reel_communicator {\n",
      "  int64_t version; /* REEL_COMMUNICATOR_VERSION: of this struct */\n  int64_t rank, size;\n",
      "  void* context;\n", "  int32_t (*all_to_all)(void* context, const void* send, void* receive, int64_t bytes);\n",
      "  int32_t (*all_gather)(void* context, const void* send, void* receive, int64_t bytes);\n",
      "  int32_t (*broadcast)(void* context, void* buffer, int64_t bytes, int64_t root);\n",
      "  int32_t (*start_all_to_all)(void* context, const void* send, void* receive, int64_t bytes, int64_t* "
      "number);\n",
      "  int32_t (*start_all_gather)(void* context, const void* send, void* receive, int64_t bytes, int64_t* "
      "number);\n",
      "  int32_t (*wait)(void* context, int64_t number);\n};\n#endif\n",
      "/* It must live as long as calls use it. Null, the initial state: a program for a group of more than one "
      "fails.\n",
      "   0, or an error code: a table compiled with the header of another version is refused, and the group stays. "
      "*/\n",
      "int ", n, "_set_communicator(", n, "* instance, const struct reel_communicator* communicator);\n\n");
}

std::string Functions(const Program& program, const ObjectNames& names) {
  const std::string& n = names.name;
  std::string out = StrCat("/* Bytes and alignment of an instance. */\n", "size_t ", n, "_size(void);\n", "size_t ", n,
                           "_alignment(void);\n\n", "/* Makes an instance in `memory` (at least ", names.upper,
                           "_SIZE bytes, aligned to ", names.upper, "_ALIGNMENT) with all\n",
                           "   variables at their initial values. Null on failure; the reason goes to *error if "
                           "error is not null. */\n",
                           n, "* ", n, "_init(void* memory, size_t size, int* error);\n\n");
  const std::vector<ObjectEntry> entries = ObjectEntries(program);
  for (size_t i = 0; i < entries.size(); ++i) {
    const ObjectNames::Entry& entry = names.entries[i];
    StrAppend(&out, "/* ", Shapes(entries[i].arguments, entry.arguments, entry), " -> ",
              Shapes(entries[i].results, entry.results, entry), Ranges(entries[i], entry), " */\n", "int ", n, "_",
              entry.name, "(", n, "* instance", Parameters(entries[i], entry), ");\n");
  }
  out += program.variables.empty() ? "" : "\n/* Variables: row-major, readable and writable between calls. */\n";
  for (size_t i = 0; i < program.variables.size(); ++i) {
    const VariableSlot& v = program.variables[i];
    StrAppend(&out, CTypeOf(v.type.dtype), "* ", n, "_variable_", names.variables[i], "(", n, "* instance);  /* ",
              v.type.ToString(), v.trainable ? "" : ", not trainable", " */\n");
  }
  out += Weights(program, names);
  StrAppend(&out,
            "\n/* parallel_for calls body(argument, chunk) for every chunk in [0, n), on any threads, "
            "and returns\n",
            "   when all are done. Null, the initial state, runs serially. The bits are the same. */\n", "void ", n,
            "_set_parallel_for(", n, "* instance,\n",
            "    void (*parallel_for)(void* context, int64_t n, void (*body)(void* argument, int64_t "
            "chunk),\n",
            "                         void* argument),\n", "    void* context);\n\n",
            Communicator(program, n, names.upper), "/* Message of an error code. */\n", "const char* ", n,
            "_error(int code);\n", "/* Entry points, variables, types and target as JSON. */\n", "extern const char ",
            n, "_manifest_json[];\n");
  return out;
}

/// Lookup function of the C++ class: index of a name, with or without LLVM's prefix, -1 if unknown.
std::string Lookup(std::string_view function, std::string_view prefix, const std::vector<std::string>& names) {
  std::string out = StrCat("  int ", function, "(const std::string& name) const {\n");
  for (const std::string_view before : {std::string_view(), prefix}) {
    for (size_t i = 0; i < names.size(); ++i)
      StrAppend(&out, "    if (name == \"", before, names[i], "\") return ", i, ";\n");
  }
  StrAppend(&out, names.empty() ? "    (void)name;\n" : "", "    return -1;\n  }\n");
  return out;
}

/// Accessor of the class's own argument or result buffers.
std::string Data(std::string_view function, std::string_view member, size_t count) {
  std::string out = StrCat("  void* ", function, "(int index) {\n    switch (index) {\n");
  for (size_t i = 0; i < count; ++i) {
    StrAppend(&out, "      case ", i, ": return ", member, i, "_;\n");
  }
  return out + "      default: return nullptr;\n    }\n  }\n";
}

std::string Members(const std::vector<ir::Parameter>& parameters, std::string_view member) {
  std::string out;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Type& type = parameters[i].type;
    const int64_t parts = type.shape.size() * (IsComplex(type.dtype) ? 2 : 1);
    StrAppend(&out, "  alignas(64) ", CTypeOf(type.dtype), " ", member, i, "_[", std::max<int64_t>(parts, 1),
              "] = {};\n");
  }
  return out;
}

/// Elements of a span: "50176u", "static_cast<size_t>(B) * 784u".
std::string SizeText(const Type& type, const ObjectNames::Entry& names) {
  int64_t constant = IsComplex(type.dtype) ? 2 : 1;
  std::string symbols;
  for (const Extent e : type.shape) {
    if (e.is_constant()) {
      constant *= e.value();
    } else {
      StrAppend(&symbols, "static_cast<size_t>(", names.extents[static_cast<size_t>(e.symbol())], ") * ");
    }
  }
  return StrCat(symbols, constant, "u");
}

/// An entry point as a member that takes spans.
std::string SpanMember(const std::string& function, const ObjectEntry& entry, const ObjectNames::Entry& names) {
  std::string parameters, checks, call;
  const auto add = [&](const std::string& parameter) {
    StrAppend(&parameters, parameters.empty() ? "" : ", ", parameter);
  };
  const auto add_span = [&](const char* qualifier, const Type& type, const std::string& name) {
    add(StrCat("std::span<", qualifier, CTypeOf(type.dtype), "> ", name));
    StrAppend(&checks, checks.empty() ? "" : " || ", name, ".size() != ", SizeText(type, names));
    StrAppend(&call, ", ", name, ".data()");
  };
  for (const std::string& extent : names.extents) {
    add(StrCat("int64_t ", extent));
    StrAppend(&call, ", ", extent);
  }
  for (size_t i = 0; i < entry.arguments.size(); ++i) add_span("const ", entry.arguments[i].type, names.arguments[i]);
  for (size_t i = 0; i < entry.results.size(); ++i) add_span("", entry.results[i].type, names.results[i]);
  return StrCat(
      "  int ", names.member, "(", parameters, ") {\n",
      checks.empty() ? std::string() : StrCat("    if (", checks, ") return ", int{REEL_INVALID_ARGUMENT}, ";\n"),
      "    return ::", function, "(this", call, ");\n  }\n");
}

/// Entry points and variables with std::span, where the compiler knows it.
std::string SpanMembers(const Program& program, const ObjectNames& names) {
  std::string out = StrCat("#if __cplusplus >= 202002L\n  /* With spans: 0, or an error code; ",
                           int{REEL_INVALID_ARGUMENT}, " if a span has another size than the tensor. */\n");
  const std::vector<ObjectEntry> entries = ObjectEntries(program);
  for (size_t i = 0; i < entries.size(); ++i) {
    out += SpanMember(StrCat(names.name, "_", names.entries[i].name), entries[i], names.entries[i]);
  }
  for (size_t i = 0; i < program.variables.size(); ++i) {
    const Type& type = program.variables[i].type;
    StrAppend(&out, "  std::span<", CTypeOf(type.dtype), "> ", names.variable_members[i], "() { return {::", names.name,
              "_variable_", names.variables[i], "(this), ", SizeText(type, {}), "}; }\n");
  }
  if (LayOutWeights(program).ok()) {
    StrAppend(&out, "  int save(std::span<std::byte> to) const { return ::", names.name,
              "_save(this, to.data(), to.size()); }\n",
              "  int load(std::span<const std::byte> from) { return ::", names.name,
              "_load(this, from.data(), from.size()); }\n");
  }
  return out + "#endif\n";
}

/// The C++ class: its first bytes are the instance, so its address is the handle of the C
/// functions.
std::string Class(const Program& program, const ObjectNames& names) {
  const std::string& n = names.name;
  const int run = RunEntry(program);
  const std::vector<ObjectEntry> entries = ObjectEntries(program);
  const ObjectEntry none;
  const ObjectNames::Entry no_names;
  const ObjectEntry& entry = run < 0 ? none : entries[static_cast<size_t>(run)];
  const ObjectNames::Entry& entry_names = run < 0 ? no_names : names.entries[static_cast<size_t>(run)];
  std::string call;
  for (size_t i = 0; i < entry.arguments.size(); ++i) StrAppend(&call, ", arg", i, "_");
  for (size_t i = 0; i < entry.results.size(); ++i) StrAppend(&call, ", result", i, "_");
  return StrCat(
      "/* An instance with buffers for the arguments and results of ", n, "_", run < 0 ? "*" : entry_names.name,
      ": what LLVM's\n   ReleaseModeModelRunner wants of a compiled model. The address "
      "of an object is a handle\n",
      "   for the functions above. Objects may be large: allocate them with new or "
      "make_unique. */\n",
      "struct ", n, " {\n", "  ", n, "() { ::", n, "_init(this, ", names.upper, "_SIZE, &error_); }\n", "  ", n,
      "(const ", n, "&) = delete;\n", "  ", n, "& operator=(const ", n, "&) = delete;\n",
      "  /* 0, or why the constructor or the last Run failed. */\n", "  int error() const { return error_; }\n",
      Lookup("LookupArgIndex", "feed_", entry_names.arguments),
      Lookup("LookupResultIndex", "fetch_", entry_names.results), Data("arg_data", "arg", entry.arguments.size()),
      Data("result_data", "result", entry.results.size()),
      run < 0 ? std::string()  // no entry point whose buffers have one size
              : StrCat("  bool Run() { return (error_ = ::", n, "_", entry_names.name, "(this", call, ")) == 0; }\n"),
      SpanMembers(program, names), "\n private:\n", "  alignas(", names.upper, "_ALIGNMENT) unsigned char memory_[",
      names.upper, "_SIZE];\n", "  int error_ = 0;\n", Members(entry.arguments, "arg"),
      Members(entry.results, "result"), "};\n");
}

/// Symbolic extents are their names in C.
std::string JsonType(const Type& type, const ObjectNames::Entry& names = {}) {
  std::string dims;
  for (const Extent e : type.shape) {
    StrAppend(&dims, dims.empty() ? "" : ", ",
              e.is_constant() ? StrCat(e.value()) : ir::JsonQuoted(names.extents[static_cast<size_t>(e.symbol())]));
  }
  return StrCat("\"dtype\": \"", NumPyName(type.dtype), "\", \"shape\": [", dims, "]");
}

std::string JsonParameters(const std::vector<ir::Parameter>& parameters, const std::vector<std::string>& list,
                           const ObjectNames::Entry& names) {
  std::string out;
  for (size_t i = 0; i < parameters.size(); ++i) {
    StrAppend(&out, i == 0 ? "" : ", ", "{\"name\": ", ir::JsonQuoted(parameters[i].name), ", \"c_name\": \"", list[i],
              "\", ", JsonType(parameters[i].type, names), "}");
  }
  return out;
}

/// "extents": what the entry point takes before its pointers; nothing if all extents are numbers.
std::string JsonExtents(const ObjectEntry& entry, const ObjectNames::Entry& names) {
  std::string out;
  for (size_t i = 0; i < entry.symbols.size(); ++i) {
    const ir::Symbol& s = entry.symbols[i];
    StrAppend(&out, i == 0 ? "" : ", ", "{\"name\": ", ir::JsonQuoted(s.name), ", \"c_name\": \"", names.extents[i],
              "\", \"min\": ", s.min, ", \"max\": ", s.max);
    if (!entry.rowwise) {
      std::string values;
      for (const int64_t v : ValuesOf(entry, i)) StrAppend(&values, values.empty() ? "" : ", ", v);
      StrAppend(&out, ", \"values\": [", values, "]");
    }
    out += "}";
  }
  return out.empty() ? out : StrCat("\n     \"extents\": [", out, "],");
}

}  // namespace

int RunEntry(const Program& program) {
  const std::vector<ObjectEntry> entries = ObjectEntries(program);
  int first = -1;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (!entries[i].symbols.empty()) continue;
    if (entries[i].name == "predict") return static_cast<int>(i);
    if (first < 0) first = static_cast<int>(i);
  }
  return first;
}

std::string HeaderText(const Program& program, const ObjectNames& names, const ObjectLayout& layout) {
  const std::string& n = names.name;
  const std::string guard = StrCat(names.upper, "_H_");
  return StrCat("/* ", n, ", compiled by Reel for ", layout.levels, ": link ", n, ".o or ", n,
                ".so, whichever was written with this header.\n", "   Functions return 0 or an error code, see ", n,
                "_error().\n", "   Pointers need the alignment of their elements; results must not overlap anything.\n",
                "   f16 and bf16 are their bits; a complex number is its real, then its imaginary part.\n",
                "   One instance may be used by one thread at a time; the code allocates nothing. */\n", "#ifndef ",
                guard, "\n#define ", guard, "\n\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n\n",
                "#define ", names.upper, "_SIZE ", layout.instance_bytes, "\n#define ", names.upper, "_ALIGNMENT ",
                REEL_INSTANCE_ALIGNMENT,
                "\n\n#ifdef __cplusplus\n#include <string>\n#if __cplusplus >= 202002L\n#include <cstddef>\n#include "
                "<span>\n#endif\n\nextern \"C\" {\n#endif\n\n",
                "typedef struct ", n, " ", n, ";\n\n", Functions(program, names),
                "\n#ifdef __cplusplus\n}  /* extern \"C\" */\n\n", Class(program, names), "#endif\n\n#endif\n");
}

std::string ManifestText(const Program& program, const ObjectNames& names, const ObjectLayout& layout) {
  std::string entries, variables;
  const std::vector<ObjectEntry> offered = ObjectEntries(program);
  for (size_t i = 0; i < offered.size(); ++i) {
    const ObjectEntry& e = offered[i];
    const ObjectNames::Entry& own = names.entries[i];
    StrAppend(&entries, i == 0 ? "" : ",", "\n    {\"name\": ", ir::JsonQuoted(e.name), ", \"function\": \"",
              names.name, "_", own.name, "\",", JsonExtents(e, own), "\n     \"arguments\": [",
              JsonParameters(e.arguments, own.arguments, own), "],\n     \"results\": [",
              JsonParameters(e.results, own.results, own), "]}");
  }
  for (size_t i = 0; i < program.variables.size(); ++i) {
    const VariableSlot& v = program.variables[i];
    StrAppend(&variables, i == 0 ? "" : ",", "\n    {\"name\": ", ir::JsonQuoted(v.name), ", \"c_name\": \"",
              names.variables[i], "\", ", JsonType(v.type), ", \"trainable\": ", v.trainable ? "true" : "false",
              ", \"offset\": ", v.offset, "}");
  }
  return StrCat("{\n  \"format\": 1,\n  \"name\": \"", names.name, "\",\n  \"module\": ", ir::JsonQuoted(program.name),
                ",\n  \"target\": \"", layout.levels, "\",\n  \"instance_bytes\": ", layout.instance_bytes,
                ",\n  \"arena_bytes\": ", layout.arena_bytes, ",\n  \"entries\": [", entries,
                "\n  ],\n  \"variables\": [", variables, "\n  ]\n}\n");
}

}  // namespace reel::codegen
