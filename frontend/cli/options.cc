#include "frontend/cli/options.h"

#include <CLI/CLI.hpp>
#include <sstream>

#include "frontend/cli/cli.h"
#include "ir/number.h"
#include "ir/strings.h"

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
  option_->check(CLI::IsMember(values));
  return *this;
}

Option& Option::OneOf(std::initializer_list<int> values) {
  option_->check(CLI::IsMember(values));
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

Option Command::Add(const std::string& name, std::string* variable, const std::string& help) {
  return Option(app_->add_option(name, *variable, help));
}

Option Command::Add(const std::string& name, std::vector<std::string>* variable, const std::string& help) {
  return Option(app_->add_option(name, *variable, help));
}

Option Command::Add(const std::string& name, int* variable, const std::string& help) {
  return Option(app_->add_option(name, *variable, help));
}

Option Command::Add(const std::string& name, int64_t* variable, const std::string& help) {
  return Option(app_->add_option(name, *variable, help));
}

Option Command::Add(const std::string& name, double* variable, const std::string& help) {
  return Option(app_->add_option(name, *variable, help));
}

void Command::Flag(const std::string& name, bool* variable, const std::string& help) {
  app_->add_flag(name, *variable, help);
}

void Command::FlagOrValue(const std::string& name, std::function<std::string(const std::string& value)> take,
                          const std::string& help) {
  const auto parse = [name, take = std::move(take)](const CLI::results_t& values) {
    const std::string value = values.back() == "true" ? "" : values.back();  // CLI11 puts true where there is none
    const std::string wrong = take(value);
    if (!wrong.empty()) throw CLI::ValidationError(StrCat(name, "=", value), wrong);
    return true;
  };
  app_->add_option(name, parse, help)->type_name("")->expected(0);
}

CommandLine::CommandLine(const std::string& program, const std::string& purpose, const std::string& version,
                         const std::string& footer)
    : app_(std::make_unique<CLI::App>(purpose, program)) {
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
  return Command(command);
}

std::optional<std::string> CommandLine::Parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
    return {};
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, err;
    if (app_->exit(error, out, err) != 0) Fail(kUsage, err.str());
    return out.str();
  }
}

}  // namespace reel::cli
