// The passes of the front end. Each is a module pass; `metalift` runs them in order, then scalarizer, sroa, loop-simplify and lcssa.
#pragma once

#include "llvm/IR/PassManager.h"

namespace metalift {

/// Stores an opaque value into every local variable where it begins to exist: the call of `metalift.undef.TYPE.NAME`.
///
/// Before: allocas as clang makes them, with their debug records. After: no load of a local can yield undef, so promotion to
/// registers keeps in sight what was never initialised. Not marked: objects whose address is passed to a call (a std::vector
/// and the like are initialised by their constructors) and aggregates of more than 16 scalars.
struct MarkersPass : llvm::PassInfoMixin<MarkersPass> {
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

/// Inlines the functions that the source file itself defines into each other; functions of headers stay calls.
///
/// After: a call of a function of the file is left only where it takes part in recursion or cannot be inlined.
struct InlineFilePass : llvm::PassInfoMixin<InlineFilePass> {
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

/// Makes the structs that functions return through a pointer in local variables, which are marked and copied out at each return.
///
/// Before: what can be inlined is. After: such a result is in memory that the caller sees only where its address is used otherwise
/// than for loads, stores and copies, as by a constructor; any other one is promoted to registers as a local variable is.
struct LocalResultsPass : llvm::PassInfoMixin<LocalResultsPass> {
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

/// Splits loads of structs into those of their members, and of several members at once where they are only stored: a convention passes
/// several numbers in a vector or an integer, which promotion to registers would take apart and put together by shifts.
struct SplitLoadsPass : llvm::PassInfoMixin<SplitLoadsPass> {
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

/// Removes local variables that are only written, and markers that nothing uses any more.
struct DropUnusedPass : llvm::PassInfoMixin<DropUnusedPass> {
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

/// Makes a function of every loop, `FUNCTION_lineN`: what it uses of the code before it are parameters, what it leaves are results.
///
/// Before: `metalift`'s other passes. After: the functions as they were, the new ones, and `!metalift.nests`, a node for each loop:
/// symbol, subprogram, first and last line, line in an inlined function or 0, symbol of the loop around it, why it was not
/// outlined, parameters, results, and the members of structs that it takes for steady.
struct NestsPass : llvm::PassInfoMixin<NestsPass> {
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

/// Whether the function has a body in the file that was compiled, not in a header.
bool isOfTheFile(const llvm::Function &function);

/// The prefix of the names of marker functions.
inline constexpr char MarkerPrefix[] = "metalift.undef.";

} // namespace metalift
