// The passes of the front end. Each is a module pass; `metalift` runs them in order, then sroa, loop-simplify and lcssa.
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

/// Removes markers that nothing uses any more.
struct DropUnusedMarkersPass : llvm::PassInfoMixin<DropUnusedMarkersPass> {
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

/// The prefix of the names of marker functions.
inline constexpr char MarkerPrefix[] = "metalift.undef.";

} // namespace metalift
