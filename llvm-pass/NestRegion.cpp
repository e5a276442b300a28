#include "NestRegion.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"

#include <tuple>

using namespace llvm;

namespace {

/// The place in the function itself: of inlined code, that of the call.
const DILocation *outermost(const DILocation *place) {
  while (place && place->getInlinedAt())
    place = place->getInlinedAt();
  return place;
}

bool isInlinedAt(const DILocation *place, const DILocation *call) {
  return place->getInlinedAt() == call;
}

std::string quantity(size_t count) {
  return count == 2 ? "two places" : std::to_string(count) + " places";
}

} // namespace

metalift::NestRegion::NestRegion(Loop &loop) : loop(&loop) {
  for (BasicBlock &block : *loop.getHeader()->getParent()) // in the function's order, as `blocks` is after findWayOut
    if (loop.contains(&block))
      inside.insert(&block);
  Loop::LocRange range = loop.getLocRange();
  begin = range.getStart();
  end = range.getEnd();
  if (!begin || !end || begin.get() == end.get()) { // a loop of gotos has no range: all places of its own blocks
    for (const BasicBlock *block : inside)
      for (const Instruction &instruction : *block)
        if (const DILocation *place = outermost(instruction.getDebugLoc().get()); place && place->getLine()) {
          if (!begin || begin->getInlinedAt() || place->getLine() < begin->getLine())
            begin = DebugLoc(place);
          if (!end || end->getInlinedAt() || place->getLine() >= end->getLine())
            end = DebugLoc(place);
        }
  }
  before = loop.getLoopPreheader();
  if (before == nullptr)
    problem = "is entered at more than one place";
  else
    findWayOut();
  for (BasicBlock &block : *loop.getHeader()->getParent())
    if (inside.contains(&block))
      blocks.push_back(&block);
}

unsigned metalift::NestRegion::firstLine() const {
  const DILocation *place = outermost(begin.get());
  return place ? place->getLine() : 0;
}

unsigned metalift::NestRegion::lastLine() const {
  const DILocation *place = outermost(end.get());
  return place ? place->getLine() : firstLine();
}

/// Whether a place is in the loop's source range; of code that was inlined into the loop, the call's place counts.
bool metalift::NestRegion::covers(const DebugLoc &at) const {
  const DILocation *place = at.get();
  while (place && begin && !isInlinedAt(place, begin->getInlinedAt()))
    place = place->getInlinedAt();
  if (!place || !begin || !end)
    return false;
  auto position = [](const DILocation *where) { return std::make_tuple(where->getLine(), where->getColumn()); };
  return position(begin.get()) <= position(place) && position(place) <= position(end.get());
}

/// Whether a block that the region leads to is part of it: nothing else leads there, and it does nothing or lies in its range.
bool metalift::NestRegion::belongs(const BasicBlock *block) const {
  for (const BasicBlock *source : predecessors(block))
    if (!inside.contains(source))
      return false;
  const Instruction *end = block->getTerminator();
  if (isa<ReturnInst>(end))
    return false;
  for (const Instruction &instruction : *block) {
    bool plain = isa<PHINode>(instruction) || instruction.isLifetimeStartOrEnd() || isa<BranchInst>(instruction) ||
                 isa<UnreachableInst>(instruction); // the way out of a scope that no run takes
    if (auto *dispatch = dyn_cast<SwitchInst>(&instruction); dispatch && !dispatch->getDebugLoc())
      plain = true; // made for the ways out of a scope
    if (!plain && !covers(instruction.getDebugLoc()))
      return false;
  }
  return true;
}

void metalift::NestRegion::findWayOut() {
  SetVector<BasicBlock *> exits;
  auto addExits = [&](BasicBlock *block) {
    for (BasicBlock *target : successors(block))
      if (!inside.contains(target) && !target->isEHPad())
        exits.insert(target);
  };
  for (BasicBlock *block : loop->blocks())
    addExits(block);
  for (bool changed = true; changed;) {
    changed = false;
    for (BasicBlock *target : exits) {
      bool dead = isa<UnreachableInst>(target->getTerminator());
      if ((exits.size() > 1 || dead) && belongs(target)) {
        exits.remove(target);
        inside.insert(target);
        addExits(target);
        changed = true;
        break;
      }
    }
  }
  if (exits.empty()) {
    problem = "is never left";
    return;
  }
  after = exits.front();
  if (exits.size() > 1 || leavesToTwoPlaces()) {
    after = nullptr;
    problem = "can be left to " + quantity(std::max<size_t>(exits.size(), 2)) + ": by its condition or a break, and by a return or goto";
  }
}

/// Whether the block after the loop only finds out which of several ways the loop was left (clang's `cleanup`).
bool metalift::NestRegion::leavesToTwoPlaces() const {
  const BasicBlock *block = after;
  SmallPtrSet<const BasicBlock *, 4> seen;
  while (seen.insert(block).second) {
    const Instruction *end = block->getTerminator();
    const Value *subject = nullptr;
    if (auto *dispatch = dyn_cast<SwitchInst>(end))
      subject = dispatch->getCondition();
    auto *way = dyn_cast_or_null<PHINode>(subject);
    if (way && way->getParent() == block) {
      const Value *only = nullptr;
      for (unsigned number = 0; number < way->getNumIncomingValues(); ++number) {
        const Value *value = way->getIncomingValue(number);
        bool ours = block != after || inside.contains(way->getIncomingBlock(number));
        if (ours && only && value != only)
          return true;
        if (ours)
          only = value;
      }
    }
    const BasicBlock *next = block->getSingleSuccessor();
    bool empty = &*block->getFirstNonPHIIt() == end;
    if (next == nullptr || !empty || next->getSinglePredecessor() != block)
      return false;
    block = next;
  }
  return false;
}
