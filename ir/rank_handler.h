#ifndef REEL_IR_RANK_HANDLER_H_
#define REEL_IR_RANK_HANDLER_H_

namespace reel {

/// What happens where a shape would get more than kMaxRank extents: must throw. The front's says what to do instead;
/// without a front it is a std::length_error.
using RankHandler = void (*)();
void SetRankHandler(RankHandler handler);

}  // namespace reel

#endif  // REEL_IR_RANK_HANDLER_H_
