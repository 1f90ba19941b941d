#ifndef REEL_CODEGEN_PLAN_COLLECTIVE_ORDER_H_
#define REEL_CODEGEN_PLAN_COLLECTIVE_ORDER_H_

#include <vector>

#include "codegen/plan/plan.h"

namespace reel::codegen {

/// Whether it is started by one step and waited for by another: all_to_all and all_gather of more than one member.
bool MayBeUnderWay(const ir::Node& node);

/// The collectives of a function in the order in which all members start them: it depends on nothing but what needs
/// what. One that needs another's result comes behind a later one that does not, so that the other has time: of
/// gradients, the second exchange of a sum behind the first one of the next. And one that is made of others' results
/// and of parameters element by element comes as soon as those are there: a part of a variable that its optimizer
/// updates.
struct CollectiveOrder {
  struct Entry {
    ir::Value result;
    int readers_after = -1;  ///< entry behind whose start its readers had best run; -1: nothing is gained by that
    int at_once_after = -1;  ///< entry behind which what it is made of had best run at once; -1: none
  };
  std::vector<Entry> entries;
};
CollectiveOrder OrderCollectives(const ir::Function& function);

/// Moves what reads results of collectives, and what waits for that, behind the collectives that can start before.
void ReadCollectivesLate(const ir::Function& function, PlanGraph* plan);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PLAN_COLLECTIVE_ORDER_H_
