// The part of a function that is one loop nest: the blocks of its outermost loop and what belongs to leaving it.
#pragma once

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugLoc.h"

#include <string>

namespace metalift {

/// A loop with its ways out. Entered from `before` alone at the loop's header, left to `after` alone.
///
/// Beside the loop's own blocks it holds those that only they lead to and that lie in the loop's source range: what is done on the
/// way to a `break`. `problem` says why it cannot be outlined; then `after` is null.
struct NestRegion {
  llvm::Loop *loop;
  llvm::BasicBlock *before = nullptr;
  llvm::BasicBlock *after = nullptr;
  llvm::SmallVector<llvm::BasicBlock *, 16> blocks; // in the function's order
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> inside;
  llvm::DebugLoc begin, end; // in the file of the loop itself, which may be another function's that was inlined
  std::string problem;

  NestRegion(llvm::Loop &loop);
  bool has(const llvm::Instruction *instruction) const { return inside.contains(instruction->getParent()); }
  /// The first and last line in the function itself: where the loop was inlined, the line of the call.
  unsigned firstLine() const;
  unsigned lastLine() const;

private:
  bool covers(const llvm::DebugLoc &place) const;
  bool belongs(const llvm::BasicBlock *block) const;
  void findWayOut();
  bool leavesToTwoPlaces() const;
};

} // namespace metalift
