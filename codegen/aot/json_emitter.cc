#include "codegen/aot/json_emitter.h"

#include <string_view>

namespace reel::codegen {

// As one would write them in C; the C stands beside what is not plain.
void JsonEmitter::EmitReader(llvm::Constant* text, llvm::Constant* first) {
  text_ = text;
  first_ = first;
  Byte();
  Space();
  Take();
  Hex();
  Escape();
  Character();
  WordFunction();
  Number();
  NumbersFunction();
}

// int byte(reader): takes one; -1 at the end.
void JsonEmitter::Byte() {
  BeginSmall("byte", i32_, {ptr_});
  Refuse(b_.CreateNot(HasMore()), Int32(-1));
  Value* byte = Next();
  Advance();
  b_.CreateRet(byte);
}

// void space(reader): goes to what is none.
void JsonEmitter::Space() {
  BeginSmall("space", b_.getVoidTy(), {ptr_});
  const auto is_space = [&] {
    Value *c = Next(), *any = b_.getFalse();
    for (const char space : {' ', '\t', '\n', '\r'}) any = b_.CreateOr(any, Is(c, space));
    return any;
  };
  While([&] { return And(HasMore(), is_space); }, [&] { Advance(); });
  b_.CreateRetVoid();
}

// bool take(reader, c): takes c, and space before it, if it is what comes.
void JsonEmitter::Take() {
  BeginSmall("take", b_.getInt1Ty(), {ptr_, i32_});
  Call("space", {Argument(0)});
  Value* comes = And(HasMore(), [&] { return b_.CreateICmpEQ(Next(), Argument(1)); });
  If(comes, [&] { Advance(); });
  b_.CreateRet(comes);
}

// int hex(reader): four digits; -1 if they are none.
void JsonEmitter::Hex() {
  BeginSmall("hex", i32_, {ptr_});
  Value* value = Local(i32_, Int32(0));
  Loop(4, [&](Value*) {
    Value* c = Call("byte", {Argument(0)});
    Value *digit = b_.CreateSub(c, Int32('0')), *letter = b_.CreateSub(b_.CreateOr(c, Int32(0x20)), Int32('a'));
    Value* is_digit = b_.CreateICmpULE(digit, Int32(9));
    Refuse(b_.CreateNot(b_.CreateOr(is_digit, b_.CreateICmpULE(letter, Int32(5)))), Int32(-1));
    Value* nibble = b_.CreateSelect(is_digit, digit, b_.CreateAdd(letter, Int32(10)));
    Set(value, b_.CreateOr(b_.CreateShl(Get(value), 4), nibble));
  });
  b_.CreateRet(Get(value));
}

// int escape(reader): the code point of what follows a backslash.
void JsonEmitter::Escape() {
  BeginSmall("escape", i32_, {ptr_});
  const auto surrogate = [&](Value* x, int32_t bits) {
    return b_.CreateAnd(x, Int32(static_cast<int32_t>(~0u << bits)));
  };
  Value* c = Call("byte", {Argument(0)});
  constexpr std::string_view kNames = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
  for (size_t i = 0; i < kNames.size(); ++i) Refuse(Is(c, kNames[i]), Int32(kMeanings[i]));
  Refuse(IsNot(c, 'u'), Int32(kDamaged));
  Value* high = Call("hex", {Argument(0)});
  Refuse(Is(high, -1), Int32(kDamaged));
  Refuse(IsNot(surrogate(high, 11), 0xD800), high);
  Refuse(b_.CreateICmpUGE(high, Int32(0xDC00)), Int32(kDamaged));
  for (const char next : {'\\', 'u'}) Refuse(IsNot(Call("byte", {Argument(0)}), next), Int32(kDamaged));
  Value* low = Call("hex", {Argument(0)});
  Refuse(IsNot(surrogate(low, 10), 0xDC00), Int32(kDamaged));
  Value* upper = b_.CreateShl(b_.CreateSub(high, Int32(0xD800)), 10);
  b_.CreateRet(b_.CreateAdd(upper, b_.CreateAdd(low, Int32(0x10000 - 0xDC00))));
}

// int character(reader): the next code point of a string, kQuote at its end, kDamaged if it is no JSON or UTF-8.
void JsonEmitter::Character() {
  BeginSmall("character", i32_, {ptr_});
  Value* c = Call("byte", {Argument(0)});
  Refuse(Is(c, '"'), Int32(kQuote));
  If(Is(c, '\\'), [&] { b_.CreateRet(Call("escape", {Argument(0)})); });
  Refuse(b_.CreateICmpSLT(c, Int32(0x20)), Int32(kDamaged));
  Refuse(b_.CreateICmpULT(c, Int32(0x80)), c);
  Refuse(b_.CreateOr(b_.CreateICmpULT(c, Int32(0xC2)), b_.CreateICmpUGT(c, Int32(0xF4))), Int32(kDamaged));
  const auto from = [&](int32_t lead) { return b_.CreateZExt(b_.CreateICmpUGE(c, Int32(lead)), i32_); };
  Value* more = b_.CreateAdd(Int32(1), b_.CreateAdd(from(0xE0), from(0xF0)));  // bytes
  Value *code = Local(i32_, b_.CreateAnd(c, b_.CreateLShr(Int32(0x3F), more))), *left = Local(i32_, more);
  While([&] { return IsNot(Get(left), 0); },
        [&] {
          Value* next = Call("byte", {Argument(0)});
          Refuse(IsNot(b_.CreateAnd(next, Int32(~0x3F)), 0x80), Int32(kDamaged));
          Set(code, b_.CreateOr(b_.CreateShl(Get(code), 6), b_.CreateAnd(next, Int32(0x3F))));
          Set(left, b_.CreateSub(Get(left), Int32(1)));
        });
  // Longer than needed: below 2^11 of three bytes, 2^16 of four.
  Value* least = b_.CreateShl(Int32(2), b_.CreateMul(more, Int32(5)));
  Refuse(b_.CreateICmpULT(Get(code), least), Int32(kDamaged));
  Refuse(b_.CreateICmpUGT(Get(code), Int32(0x10FFFF)), Int32(kDamaged));
  Refuse(Is(b_.CreateAnd(Get(code), Int32(~0x7FF)), 0xD800), Int32(kDamaged));
  b_.CreateRet(Get(code));
}

// long word(reader, low, high): takes a string; which of the words from low to high it is, -1 if none, or kDamaged.
// The words are sorted: each character moves the bounds to those that have it there, so an entry costs as many steps
// as it has characters and there are words.
void JsonEmitter::WordFunction() {
  BeginSmall("word", i64_, {ptr_, i64_, i64_});
  Expect('"', Int64(kDamaged));
  Value *low = Local(i64_, Argument(1)), *high = Local(i64_, Argument(2)), *k = Local(i64_, Int64(0));
  const auto first = [&](Value* word) { return b_.CreateZExt(b_.CreateLoad(i32_, Element(i32_, first_, word)), i64_); };
  const auto character = [&](Value* word) {
    return b_.CreateLoad(i32_, Element(i32_, text_, b_.CreateAdd(first(word), Get(k))));
  };
  const auto ends = [&] {  // the word at low, after k characters
    Value* length = b_.CreateSub(first(b_.CreateAdd(Get(low), Int64(1))), first(Get(low)));
    return b_.CreateICmpEQ(length, Get(k));
  };
  const auto is_any = [&] { return b_.CreateICmpULT(Get(low), Get(high)); };
  Value* c = Local(i32_, Int32(0));
  const auto is_less = [&] { return b_.CreateICmpULT(character(Get(low)), Get(c)); };
  const auto is_more = [&] { return b_.CreateICmpUGT(character(b_.CreateSub(Get(high), Int64(1))), Get(c)); };
  const auto next = [&] {
    Set(c, Call("character", {Argument(0)}));
    return b_.CreateICmpSGE(Get(c), Int32(0));
  };
  While(next, [&] {
    While([&] { return And(is_any(), [&] { return Or(ends(), is_less); }); }, [&] { Increment(low); });
    While([&] { return And(is_any(), is_more); }, [&] { Increment(high, -1); });
    Increment(k);
  });
  Refuse(Is(Get(c), kDamaged), Int64(kDamaged));
  b_.CreateRet(b_.CreateSelect(And(is_any(), ends), Get(low), Int64(-1)));
}

// bool number(reader, unsigned long* to): digits without a sign, a fraction or zeros in front, below 2^64.
void JsonEmitter::Number() {
  BeginSmall("number", b_.getInt1Ty(), {ptr_, ptr_});
  Call("space", {Argument(0)});
  const auto digit = [&] { return b_.CreateZExt(b_.CreateSub(Next(), Int32('0')), i64_); };
  const auto is_digit = [&] { return And(HasMore(), [&] { return b_.CreateICmpULE(digit(), Int64(9)); }); };
  Refuse(b_.CreateNot(is_digit()), b_.getFalse());
  Value* value = Local(i64_, digit());
  Advance();
  While(is_digit, [&] {
    Refuse(Is(Get(value), 0), b_.getFalse());
    Refuse(b_.CreateICmpUGT(Get(value), b_.getInt64(UINT64_MAX / 10)), b_.getFalse());
    Value* tens = b_.CreateMul(Get(value), Int64(10));
    Set(value, b_.CreateAdd(tens, digit()));
    Refuse(b_.CreateICmpULT(Get(value), tens), b_.getFalse());
    Advance();
  });
  b_.CreateStore(Get(value), Argument(1));
  b_.CreateRet(b_.getTrue());
}

// long numbers(reader, unsigned long to[kMaxRank]): takes a list; how many there are, or -1. Those behind kMaxRank
// are not kept.
void JsonEmitter::NumbersFunction() {
  BeginSmall("numbers", i64_, {ptr_, ptr_});
  Expect('[', Int64(-1));
  Refuse(Takes(']'), Int64(0));
  Value *value = Local(i64_, Int64(0)), *count = Local(i64_, Int64(0));
  DoWhile(
      [&] {
        Refuse(b_.CreateNot(Call("number", {Argument(0), value})), Int64(-1));
        If(b_.CreateICmpULT(Get(count), Int64(kMaxRank)),
           [&] { b_.CreateStore(Get(value), Element(i64_, Argument(1), Get(count))); });
        Increment(count);
      },
      [&] { return Takes(','); });
  Expect(']', Int64(-1));
  b_.CreateRet(Get(count));
}

}  // namespace reel::codegen
