#ifndef REEL_FRONTEND_CLI_OPTIONS_H_
#define REEL_FRONTEND_CLI_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

// Command lines: what the commands say of their options. CLI11 stands behind it in options.cc alone, as compiling it
// takes seconds.

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace reel::cli {

/// What there is to say of an option or argument: help, completion and manual pages are made of it.
struct OptionText {
  std::vector<std::string> names;  ///< "-o", "--output"; of an argument its name alone
  std::string help, group;
  std::string type;                  ///< FILE, FOLDER, NAME, INT, ...; empty: it takes no value
  std::string standard;              ///< the value that it has where it is not given, if that is told
  std::vector<std::string> choices;  ///< all values that it takes, if they are few
  bool argument = false, required = false, repeated = false;
  bool optional_value = false;  ///< --name or --name=VALUE
};
struct CommandText {
  std::string name, purpose, example;
  std::vector<OptionText> options;  ///< arguments among them, in their order
};
struct ProgramText {
  std::string name, purpose, version, footer;
  std::vector<OptionText> options;
  std::vector<CommandText> commands;
};

/// What Commands note of options for OptionText.
struct OptionNotes {
  std::map<const CLI::Option*, std::vector<std::string>> choices;
  std::set<const CLI::Option*> optional_value;
};

/// An option or argument of a command, to say more of it in a chain.
class Option {
 public:
  Option(CLI::Option* option, OptionNotes* notes) : option_(option), notes_(notes) {}

  Option& Required();
  /// Of a list: one text may have several values.
  Option& Delimiter(char delimiter);
  /// Of a list: one value each time the option is given, what follows is the next argument.
  Option& OneEach();
  Option& OneOf(const std::vector<std::string>& values);
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
  /// What stands for the value in --help; completion gives files for FILE, folders for FOLDER and both for PATH.
  Option& TypeName(const std::string& name);
  /// May be given only where the other one is, or only where it is not.
  Option& Needs(const Option& other);
  Option& Excludes(const Option& other);

 private:
  CLI::Option* option_;
  OptionNotes* notes_;
};

/// A command such as `reel run`. Variables live until the line was parsed.
class Command {
 public:
  Command(CLI::App* app, OptionNotes* notes) : app_(app), notes_(notes) {}

  /// `name` is "-o,--output" or, of an argument, "file".
  Option Add(const std::string& name, std::string* variable, const std::string& help);
  Option Add(const std::string& name, std::vector<std::string>* variable, const std::string& help);
  Option Add(const std::string& name, std::vector<int64_t>* variable, const std::string& help);
  Option Add(const std::string& name, int* variable, const std::string& help);
  Option Add(const std::string& name, int64_t* variable, const std::string& help);
  Option Add(const std::string& name, double* variable, const std::string& help);
  /// Sets the variable; "--no-x{false}" clears it.
  Option Flag(const std::string& name, bool* variable, const std::string& help);
  /// A flag that can have a value, --name=VALUE; `take` gets "" without one and says what is wrong.
  void FlagOrValue(const std::string& name, std::function<std::string(const std::string& value)> take,
                   const std::string& help);

 private:
  CLI::App* app_;
  OptionNotes* notes_;
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
  /// The text that --help or --version asks for, if one does. Throws a Failure of usage, with the name that may have
  /// been meant.
  std::optional<std::string> Parse(int argc, char** argv);
  /// All commands in the order in which they were added.
  ProgramText Describe() const;

 private:
  std::unique_ptr<CLI::App> app_;
  OptionNotes notes_;
  std::string version_, footer_;
  std::map<const CLI::App*, std::string> examples_;
};

}  // namespace reel::cli

#endif  // REEL_FRONTEND_CLI_OPTIONS_H_
