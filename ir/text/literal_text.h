#ifndef REEL_IR_TEXT_LITERAL_TEXT_H_
#define REEL_IR_TEXT_LITERAL_TEXT_H_

#include <string>

#include "ir/budget_meter.h"
#include "ir/literal.h"
#include "ir/text/token_reader.h"

namespace reel::ir {

/// Appends the value without its type: 1.5, [1, 2], base64"...", elided(4100).
void AppendLiteral(std::string* out, const Literal& literal, bool elide);

/// Reads a value of this type, checked against the budget before memory is taken.
bool ReadLiteral(TokenReader* reader, const Type& type, BudgetMeter* meter, Literal* literal);

/// Skips a value whose type is not known yet, up to the colon before the type.
bool SkipLiteral(TokenReader* reader);

}  // namespace reel::ir

#endif  // REEL_IR_TEXT_LITERAL_TEXT_H_
