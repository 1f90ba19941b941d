#include <nlohmann/json.hpp>

#include "frontend/cli/cli.h"

// Completion scripts, made of the commands and options that --help prints. Each is a file of its own that asks nothing
// of the program when a line is completed.

namespace reel::cli {
namespace {

const std::vector<std::string> kShells = {"bash", "zsh", "fish"};

struct Options {
  std::string shell, out;
  bool json = false;
};

enum class Value { kNone, kWords, kFile, kFolder, kPath, kOther };

/// What completes the value of an option.
Value ValueOf(const OptionText& option) {
  if (!option.choices.empty()) return Value::kWords;
  if (option.type.empty() || option.optional_value) return Value::kNone;
  if (option.type == "FILE" || option.type.ends_with("=FILE")) return Value::kFile;
  if (option.type == "FOLDER") return Value::kFolder;
  return option.type == "PATH" ? Value::kPath : Value::kOther;
}

template <typename Texts>
std::string Joined(const Texts& texts, std::string_view between) {
  std::string out;
  for (const auto& text : texts) StrAppend(&out, out.empty() ? "" : between, text);
  return out;
}

std::vector<std::string> CommandNames(const ProgramText& program) {
  std::vector<std::string> names;
  for (const CommandText& command : program.commands) names.push_back(command.name);
  return names;
}

/// All names of options, those that take a value too.
std::vector<std::string> OptionNames(const std::vector<OptionText>& options) {
  std::vector<std::string> names;
  for (const OptionText& option : options) {
    if (!option.argument) names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

/// The argument that comes first, if the command takes one.
const OptionText* Argument(const CommandText& command) {
  for (const OptionText& option : command.options) {
    if (option.argument) return &option;
  }
  return nullptr;
}

/// The argument of `reel man` is a command: the words that an argument or value may be.
std::vector<std::string> Words(const ProgramText& program, const OptionText& option) {
  return option.type == "COMMAND" ? CommandNames(program) : option.choices;
}

// --- bash ---

std::string BashValue(const ProgramText& program, const OptionText& option) {
  const std::vector<std::string> words = Words(program, option);
  if (!words.empty()) return StrCat("COMPREPLY=($(compgen -W '", Joined(words, " "), "' -- \"$word\"))");
  switch (ValueOf(option)) {
    case Value::kFolder: return "_reel_paths -d";
    case Value::kFile:
    case Value::kPath: return "_reel_paths -f";
    default: return ":";
  }
}

std::string BashCommand(const ProgramText& program, const CommandText& command) {
  std::string out = StrCat("    ", command.name, ")\n      case $option in\n");
  for (const OptionText& option : command.options) {
    if (option.argument || ValueOf(option) == Value::kNone) continue;
    StrAppend(&out, "        ", Joined(option.names, "|"), ") ", BashValue(program, option), "; return ;;\n");
  }
  const OptionText* argument = Argument(command);
  StrAppend(&out, "      esac\n      if [[ $word == -* ]]; then\n        COMPREPLY=($(compgen -W '",
            Joined(OptionNames(command.options), " "), "' -- \"$word\"))\n      else\n        ",
            argument ? BashValue(program, *argument) : ":", "\n      fi\n      ;;\n");
  return out;
}

std::string Bash(const ProgramText& program) {
  std::string out =
      "# Completion of `reel` in bash: made by `reel completion bash`.\n"
      "_reel_paths() {\n"
      "  compopt -o filenames 2>/dev/null\n"
      "  mapfile -t COMPREPLY < <(compgen \"$1\" -- \"$word\")\n"
      "}\n"
      "_reel() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]} command= i\n"
      "  COMPREPLY=()\n"
      "  # = is a word of its own: --option=value is three.\n"
      "  if [[ $word == '=' ]]; then\n    word=\n"
      "  elif [[ $option == '=' ]]; then\n    option=${COMP_WORDS[COMP_CWORD-2]}\n  fi\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
      "    if [[ ${COMP_WORDS[i]} != -* ]]; then\n      command=${COMP_WORDS[i]}\n      break\n    fi\n  done\n"
      "  case $command in\n";
  std::vector<std::string> first = CommandNames(program);
  for (const std::string& name : OptionNames(program.options)) first.push_back(name);
  StrAppend(&out, "    '') COMPREPLY=($(compgen -W '", Joined(first, " "), "' -- \"$word\")) ;;\n");
  for (const CommandText& command : program.commands) out += BashCommand(program, command);
  return out + "  esac\n}\ncomplete -F _reel reel\n";
}

// --- zsh ---

/// Within '...' of zsh, in a text that _arguments reads: brackets and colons end things there.
std::string ZshText(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string ZshValue(const ProgramText& program, const OptionText& option) {
  const std::vector<std::string> words = Words(program, option);
  if (!words.empty()) return StrCat("(", Joined(words, " "), ")");
  switch (ValueOf(option)) {
    case Value::kFolder: return "_files -/";
    case Value::kFile:
    case Value::kPath: return "_files";
    default: return " ";
  }
}

std::string ZshOption(const ProgramText& program, const OptionText& option) {
  const std::string help = StrCat("[", ZshText(option.help), "]");
  if (option.argument) {
    return StrCat("        '", option.repeated ? "*" : "", ":", ZshText(option.names[0]), ":",
                  ZshValue(program, option), "' \\\n");
  }
  std::string out;
  for (const std::string& name : option.names) {
    const bool takes = ValueOf(option) != Value::kNone;
    const std::string equals = takes && name.starts_with("--") ? "=" : "";
    const std::string value = takes ? StrCat(":", ZshText(option.type), ":", ZshValue(program, option)) : "";
    StrAppend(&out, "        '", option.repeated ? "*" : "", name, equals, help, value, "' \\\n");
  }
  return out;
}

std::string ZshOptions(const ProgramText& program, const std::vector<OptionText>& options) {
  std::string out;
  for (const OptionText& option : options) out += ZshOption(program, option);
  return out.substr(0, out.size() - 3) + "\n";  // less the last backslash
}

std::string Zsh(const ProgramText& program) {
  std::string out =
      "#compdef reel\n# Completion of `reel` in zsh: made by `reel completion zsh`.\n"
      "_reel() {\n  local context state state_descr line\n  typeset -A opt_args\n  local -a commands\n  commands=(\n";
  for (const CommandText& command : program.commands) {
    StrAppend(&out, "    '", command.name, ":", ZshText(command.purpose), "'\n");
  }
  StrAppend(&out, "  )\n  _arguments -C \\\n        '1:command:->command' '*::argument:->argument' \\\n",
            ZshOptions(program, program.options),
            "  case $state in\n    command) _describe command commands ;;\n    argument)\n      case $line[1] in\n");
  for (const CommandText& command : program.commands) {
    StrAppend(&out, "      ", command.name, ")\n        _arguments \\\n", ZshOptions(program, command.options),
              "        ;;\n");
  }
  return out +
         "      esac\n      ;;\n  esac\n}\nif [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n  _reel \"$@\"\n"
         "else\n  compdef _reel reel\nfi\n";
}

// --- fish ---

std::string FishText(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string FishValue(const ProgramText& program, const OptionText& option) {
  const std::vector<std::string> words = Words(program, option);
  if (!words.empty()) return StrCat(" -x -a ", FishText(Joined(words, " ")));
  switch (ValueOf(option)) {
    case Value::kNone: return "";
    case Value::kFolder: return " -x -a '(__fish_complete_directories)'";
    case Value::kFile:
    case Value::kPath: return " -r -F";
    default: return " -x";
  }
}

std::string FishOption(const ProgramText& program, const std::string& when, const OptionText& option) {
  std::string out = StrCat("complete -c reel -n ", FishText(when));
  if (option.argument) return StrCat(out, FishValue(program, option), "\n");
  for (const std::string& name : option.names) {
    const bool is_long = name.starts_with("--");
    StrAppend(&out, is_long ? " -l " : " -s ", name.substr(is_long ? 2 : 1));
  }
  return StrCat(out, FishValue(program, option), " -d ", FishText(option.help), "\n");
}

std::string Fish(const ProgramText& program) {
  const std::string first = "__fish_use_subcommand";
  std::string out = "# Completion of `reel` in fish: made by `reel completion fish`.\ncomplete -c reel -f\n";
  for (const OptionText& option : program.options) out += FishOption(program, first, option);
  for (const CommandText& command : program.commands) {
    StrAppend(&out, "complete -c reel -n ", first, " -a ", command.name, " -d ", FishText(command.purpose), "\n");
    const std::string when = StrCat("__fish_seen_subcommand_from ", command.name);
    for (const OptionText& option : command.options) out += FishOption(program, when, option);
  }
  return out;
}

void Run(const Options& options, Program* program) {
  const ProgramText text = program->line.Describe();
  std::string script = options.shell == "bash" ? Bash(text) : options.shell == "zsh" ? Zsh(text) : Fish(text);
  if (!options.out.empty()) {
    OutputFiles files;
    files.Add(options.out, script);
    files.Commit();
  } else {
    program->out = options.json ? JsonText({{"shell", options.shell}, {"script", script}}) + "\n" : std::move(script);
  }
}

}  // namespace

void AddCompletion(Program* program) {
  auto options = std::make_shared<Options>();
  Command command = program->line.Add("completion", "Print what completes command lines in a shell",
                                      "reel completion bash > ~/.local/share/bash-completion/completions/reel",
                                      [options, program] { program->action = [=] { Run(*options, program); }; });
  command.Add("shell", &options->shell, "The shell").Required().TypeName("SHELL").OneOf(kShells);
  command.Add("-o,--output", &options->out, "File to write; without it the script is printed").TypeName("FILE");
  command.Flag("--json", &options->json, "Print the name of the shell and the script as JSON");
}

}  // namespace reel::cli
