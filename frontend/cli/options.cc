#include "frontend/cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "frontend/cli/cli.h"
#include "ir/names.h"
#include "ir/number.h"
#include "ir/strings.h"
#include "ir/suggest.h"

namespace reel::cli {
namespace {

// A time that passes: a number of seconds beyond which nobody waits is a mistake.
std::string CheckSeconds(const std::string& text) {
  constexpr double kMaxSeconds = 1e9;  // thirty years
  double seconds = 0;
  if (ir::ParseNumber(text, &seconds) && seconds > 0 && seconds <= kMaxSeconds) return "";
  return StrCat(text, " is not a number of seconds above 0 and up to 1e9");
}

std::string CheckCount(const std::string& text) {
  int64_t count = 0;
  if (ir::ParseNumber(text, &count) && count > 0) return "";
  return StrCat(text, " is not a number from 1 to 2^63 - 1");
}

std::string Joined(const std::vector<std::string>& texts, std::string_view between = ", ") {
  std::string out;
  for (const std::string& text : texts) StrAppend(&out, out.empty() ? "" : between, text);
  return out;
}

std::vector<std::string> NamesOf(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  if (names.empty()) names.push_back(option.get_name());
  return names;
}

OptionText TextOf(const CLI::Option& option, const OptionNotes& notes) {
  OptionText out;
  out.names = NamesOf(option);
  out.help = option.get_description();
  out.group = option.get_group();
  out.standard = option.get_default_str();
  out.argument = !option.nonpositional();
  out.required = option.get_required();
  out.repeated = option.get_items_expected_max() > 1;
  out.optional_value = notes.optional_value.contains(&option);
  const std::string type = option.get_type_name();  // what the checks say follows a colon
  if (option.get_items_expected_max() > 0) out.type = type.substr(0, type.find(':'));
  if (out.optional_value) out.type = "FILE";
  if (const auto found = notes.choices.find(&option); found != notes.choices.end()) out.choices = found->second;
  return out;
}

std::vector<OptionText> TextsOf(const CLI::App& app, const OptionNotes& notes) {
  std::vector<OptionText> out;
  for (const CLI::Option* option : app.get_options()) out.push_back(TextOf(*option, notes));
  return out;
}

// What the program or the command does not know, and what may have been meant; empty if it knows all of it.
std::string Unknown(const CLI::App& program) {
  const auto chosen = program.get_subcommands();
  const CLI::App& app = !program.remaining().empty() || chosen.empty() ? program : *chosen[0];
  const std::vector<std::string> rest = app.remaining();
  const std::string name = &app == &program ? app.get_name() : StrCat(program.get_name(), " ", app.get_name());
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& one : NamesOf(*option)) {
      if (one.starts_with("-")) known.push_back(one);
    }
  }
  for (const std::string& word : rest) {
    const std::string option = word.substr(0, word.find('='));
    if (!word.starts_with("-") || word == "-") continue;
    return StrCat(name, " has no option ", option, ir::DidYouMean(option, known), "\n", name, " --help lists them\n");
  }
  if (rest.empty() || &app != &program) return "";
  std::vector<std::string> commands;
  for (const CLI::App* command : program.get_subcommands({})) commands.push_back(command->get_name());
  return StrCat("there is no command ", ir::Quoted(rest[0]), ir::DidYouMean(rest[0], commands), "\nThe commands are ",
                Joined(commands), "\n");
}

}  // namespace

Option& Option::Required() {
  option_->required();
  return *this;
}

Option& Option::Delimiter(char delimiter) {
  option_->delimiter(delimiter);
  return *this;
}

Option& Option::OneEach() {
  option_->allow_extra_args(false);
  return *this;
}

Option& Option::OneOf(const std::vector<std::string>& values) {
  notes_->choices[option_] = values;
  const auto check = [values](const std::string& text) {
    if (std::find(values.begin(), values.end(), text) != values.end()) return std::string();
    return StrCat(ir::Quoted(text), " is none of ", Joined(values), ir::DidYouMean(text, values));
  };
  option_->check(check, StrCat("{", Joined(values, ","), "}"));
  return *this;
}

Option& Option::Range(int least, int most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

Option& Option::Range(double least, double most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

Option& Option::Positive() {
  option_->check(CheckCount);
  return *this;
}

Option& Option::Seconds() {
  option_->check(CheckSeconds);
  return *this;
}

Option& Option::ShowDefault() {
  option_->capture_default_str();
  return *this;
}

Option& Option::Group(const std::string& name) {
  option_->group(name);
  return *this;
}

Option& Option::TypeName(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Option& Option::Needs(const Option& other) {
  option_->needs(other.option_);
  return *this;
}

Option& Option::Excludes(const Option& other) {
  option_->excludes(other.option_);
  return *this;
}

Option Command::Add(const std::string& name, std::string* variable, const std::string& help) {
  return Option(app_->add_option(name, *variable, help), notes_);
}

Option Command::Add(const std::string& name, std::vector<std::string>* variable, const std::string& help) {
  return Option(app_->add_option(name, *variable, help), notes_);
}

Option Command::Add(const std::string& name, std::vector<int64_t>* variable, const std::string& help) {
  return Option(app_->add_option(name, *variable, help), notes_);
}

Option Command::Add(const std::string& name, int* variable, const std::string& help) {
  return Option(app_->add_option(name, *variable, help), notes_);
}

Option Command::Add(const std::string& name, int64_t* variable, const std::string& help) {
  return Option(app_->add_option(name, *variable, help), notes_);
}

Option Command::Add(const std::string& name, double* variable, const std::string& help) {
  return Option(app_->add_option(name, *variable, help), notes_);
}

Option Command::Flag(const std::string& name, bool* variable, const std::string& help) {
  return Option(app_->add_flag(name, *variable, help), notes_);
}

void Command::FlagOrValue(const std::string& name, std::function<std::string(const std::string& value)> take,
                          const std::string& help) {
  const auto parse = [name, take = std::move(take)](const CLI::results_t& values) {
    const std::string value = values.back() == "true" ? "" : values.back();  // CLI11 puts true where there is none
    const std::string wrong = take(value);
    if (!wrong.empty()) throw CLI::ValidationError(StrCat(name, "=", value), wrong);
    return true;
  };
  notes_->optional_value.insert(app_->add_option(name, parse, help)->type_name("")->expected(0));
}

CommandLine::CommandLine(const std::string& program, const std::string& purpose, const std::string& version,
                         const std::string& footer)
    : app_(std::make_unique<CLI::App>(purpose, program)), version_(version), footer_(footer) {
  app_->require_subcommand(1);
  app_->set_version_flag("--version", version);
  app_->footer(footer);
}

CommandLine::~CommandLine() = default;

Command CommandLine::Add(const std::string& name, const std::string& purpose, const std::string& example,
                         std::function<void()> chosen) {
  CLI::App* const command = app_->add_subcommand(name, purpose);
  command->footer("Example:\n  " + example);
  command->callback(std::move(chosen));
  examples_[command] = example;
  return Command(command, &notes_);
}

std::optional<std::string> CommandLine::Parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
    return {};
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, err;
    if (app_->exit(error, out, err) == 0) return out.str();
    const std::string unknown = Unknown(*app_);
    Fail(kUsage, unknown.empty() ? err.str() : unknown);
  }
}

ProgramText CommandLine::Describe() const {
  ProgramText out{app_->get_name(), app_->get_description(), version_, footer_, TextsOf(*app_, notes_), {}};
  for (const CLI::App* command : app_->get_subcommands({})) {
    out.commands.push_back(
        {command->get_name(), command->get_description(), examples_.at(command), TextsOf(*command, notes_)});
  }
  return out;
}

}  // namespace reel::cli
