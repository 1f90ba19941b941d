#ifndef REEL_FRONTEND_CLI_OPTIONS_H_
#define REEL_FRONTEND_CLI_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// Command lines: what the commands say of their options. CLI11 stands behind it in options.cc alone, as compiling it
// takes seconds.

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace reel::cli {

/// An option or argument of a command, to say more of it in a chain.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option& Required();
  /// Of a list: one text may have several values.
  Option& Delimiter(char delimiter);
  /// Of a list: one value each time the option is given, what follows is the next argument.
  Option& OneEach();
  Option& OneOf(const std::vector<std::string>& values);
  Option& OneOf(std::initializer_list<int> values);
  Option& Range(int least, int most);
  Option& Range(double least, double most);
  /// A whole number above 0.
  Option& Positive();
  /// A number of seconds above 0 that somebody may wait.
  Option& Seconds();
  /// The value that the variable has now is in --help.
  Option& ShowDefault();
  /// The headline that it has in --help.
  Option& Group(const std::string& name);
  /// What stands for the value in --help.
  Option& TypeName(const std::string& name);

 private:
  CLI::Option* option_;
};

/// A command such as `reel run`. Variables live until the line was parsed.
class Command {
 public:
  explicit Command(CLI::App* app) : app_(app) {}

  /// `name` is "-o,--output" or, of an argument, "file".
  Option Add(const std::string& name, std::string* variable, const std::string& help);
  Option Add(const std::string& name, std::vector<std::string>* variable, const std::string& help);
  Option Add(const std::string& name, int* variable, const std::string& help);
  Option Add(const std::string& name, int64_t* variable, const std::string& help);
  Option Add(const std::string& name, double* variable, const std::string& help);
  /// Sets the variable; "--no-x{false}" clears it.
  void Flag(const std::string& name, bool* variable, const std::string& help);
  /// A flag that can have a value, --name=VALUE; `take` gets "" without one and says what is wrong.
  void FlagOrValue(const std::string& name, std::function<std::string(const std::string& value)> take,
                   const std::string& help);

 private:
  CLI::App* app_;
};

/// The line of a program with commands, of which exactly one is given.
class CommandLine {
 public:
  CommandLine(const std::string& program, const std::string& purpose, const std::string& version,
              const std::string& footer);
  ~CommandLine();

  /// `chosen` is called when the command was named and all of its options have been read.
  Command Add(const std::string& name, const std::string& purpose, const std::string& example,
              std::function<void()> chosen);
  /// The text that --help or --version asks for, if one does. Throws a Failure of usage.
  std::optional<std::string> Parse(int argc, char** argv);

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace reel::cli

#endif  // REEL_FRONTEND_CLI_OPTIONS_H_
