#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "frontend/cli/cli.h"
#include "ir/names.h"
#include "ir/suggest.h"

// Manual pages in the macros of man(7), made of the commands and options that --help prints.

namespace reel::cli {
namespace {

struct Options {
  std::string command, folder;
  bool json = false;
};

/// Text as roff reads it: no request, no escape, and hyphens that can be searched for and copied.
std::string Roff(std::string_view text) {
  std::string out;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    line_start = c == '\n';
  }
  return out;
}

std::string Bold(std::string_view text) { return StrCat("\\fB", Roff(text), "\\fR"); }
std::string Italic(std::string_view text) { return StrCat("\\fI", Roff(text), "\\fR"); }

/// \fB-o\fR, \fB--output\fR \fIFILE\fR
std::string Names(const OptionText& option) {
  if (option.argument) return Italic(option.names[0]);
  std::string out;
  for (const std::string& name : option.names) StrAppend(&out, out.empty() ? "" : ", ", Bold(name));
  if (option.optional_value) return StrCat(out, "[=", Italic(option.type), "]");
  return option.type.empty() ? out : StrCat(out, " ", Italic(option.type));
}

std::string Item(const OptionText& option) {
  std::string out = StrCat(".TP\n", Names(option), "\n", Roff(option.help), ".\n");
  std::string values;
  for (const std::string& choice : option.choices) StrAppend(&values, values.empty() ? "" : ", ", Bold(choice));
  if (!values.empty()) StrAppend(&out, "One of ", values, ".\n");
  if (!option.standard.empty()) StrAppend(&out, "Default: ", Roff(option.standard), ".\n");
  return out;
}

/// Those of one headline after the other, as --help has them.
std::string Items(const std::vector<OptionText>& options) {
  std::string out;
  std::vector<std::string> groups;
  for (const OptionText& option : options) {
    if (option.argument) continue;
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) groups.push_back(option.group);
  }
  for (const std::string& group : groups) {
    StrAppend(&out, group == "Options" ? ".SH OPTIONS\n" : StrCat(".SS ", Roff(group), "\n"));
    for (const OptionText& option : options) {
      if (!option.argument && option.group == group) out += Item(option);
    }
  }
  return out;
}

std::string Header(const ProgramText& program, const std::string& name, std::string_view purpose) {
  std::string upper = name;
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  return StrCat(".TH ", Roff(upper), " 1 \"\" \"", program.version, "\" \"Reel\"\n.SH NAME\n", Roff(name), " \\- ",
                Roff(purpose), "\n.SH SYNOPSIS\n");
}

std::string ExitStatus(const ProgramText& program) {
  const std::string line = program.footer.substr(0, program.footer.find('\n'));
  return StrCat(".SH EXIT STATUS\n", Roff(line.substr(line.find(':') + 2)), "\n");
}

std::string ProgramPage(const ProgramText& program) {
  std::string out = StrCat(Header(program, program.name, program.purpose), Bold(program.name),
                           " \\fIcommand\\fR [\\fIoptions\\fR]\n.SH COMMANDS\n");
  std::string also;
  for (const CommandText& command : program.commands) {
    StrAppend(&out, ".TP\n", Bold(command.name), "\n", Roff(command.purpose), ".\n");
    StrAppend(&also, also.empty() ? "" : " ,\n", ".BR ", Roff(program.name), "\\-", Roff(command.name), " (1)");
  }
  also += "\n";
  return StrCat(out, Items(program.options), ExitStatus(program), ".SH SEE ALSO\n", also);
}

std::string CommandPage(const ProgramText& program, const CommandText& command) {
  std::string line = StrCat(Bold(program.name + " " + command.name), " [\\fIoptions\\fR]"), arguments;
  for (const OptionText& option : command.options) {
    if (option.required && !option.argument) StrAppend(&line, " ", Names(option));
    if (!option.argument) continue;
    const std::string name = StrCat(Names(option), option.repeated ? " ..." : "");
    StrAppend(&line, " ", option.required ? name : StrCat("[", name, "]"));
    arguments += Item(option);
  }
  if (!arguments.empty()) arguments = ".SH ARGUMENTS\n" + arguments;
  return StrCat(Header(program, StrCat(program.name, "-", command.name), command.purpose), line, "\n.SH DESCRIPTION\n",
                Roff(command.purpose), ".\n", arguments, Items(command.options), ".SH EXAMPLE\n.nf\n",
                Roff(command.example), "\n.fi\n", ExitStatus(program), ".SH SEE ALSO\n.BR ", Roff(program.name),
                " (1)\n");
}

Json ToJson(const OptionText& option) {
  return {{"names", option.names},       {"help", option.help},         {"type", option.type},
          {"default", option.standard},  {"choices", option.choices},   {"argument", option.argument},
          {"required", option.required}, {"repeated", option.repeated}, {"optional_value", option.optional_value}};
}

Json ToJson(const CommandText& command) {
  Json options = Json::array();
  for (const OptionText& option : command.options) options.push_back(ToJson(option));
  return {{"command", command.name}, {"purpose", command.purpose}, {"example", command.example}, {"options", options}};
}

/// The commands that are asked for: one or all.
std::vector<CommandText> Asked(const ProgramText& program, const std::string& name) {
  std::vector<std::string> names;
  for (const CommandText& command : program.commands) {
    if (command.name == name) return {command};
    names.push_back(command.name);
  }
  if (!name.empty()) Fail(kUsage, StrCat("man: there is no command ", ir::Quoted(name), ir::DidYouMean(name, names)));
  return program.commands;
}

void Run(const Options& options, Program* program) {
  const ProgramText text = program->line.Describe();
  const std::vector<CommandText> asked = Asked(text, options.command);
  if (options.json) {
    for (const CommandText& command : asked) StrAppend(&program->out, JsonText(ToJson(command)), "\n");
  } else if (!options.folder.empty()) {
    MakeFolder(options.folder);
    OutputFiles files;
    if (options.command.empty()) files.Add(StrCat(options.folder, "/", text.name, ".1"), ProgramPage(text));
    for (const CommandText& command : asked) {
      files.Add(StrCat(options.folder, "/", text.name, "-", command.name, ".1"), CommandPage(text, command));
    }
    files.Commit();
  } else {
    program->out = options.command.empty() ? ProgramPage(text) : CommandPage(text, asked[0]);
  }
}

}  // namespace

void AddMan(Program* program) {
  auto options = std::make_shared<Options>();
  Command command =
      program->line.Add("man", "Print the manual page of the program or of a command", "reel man train | man -l -",
                        [options, program] { program->action = [=] { Run(*options, program); }; });
  command.Add("command", &options->command, "The command (default: the program)").TypeName("COMMAND");
  command.Add("--output-dir", &options->folder, "Write reel.1 and reel-COMMAND.1 of all commands there")
      .TypeName("FOLDER");
  command.Flag("--json", &options->json, "Print the commands and their options as JSON, one command a line");
}

}  // namespace reel::cli
