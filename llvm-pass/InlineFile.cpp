#include "Passes.h"

#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace {

/// The path of a file; debug information splits it into directory and name in more than one way.
std::string pathOf(const DIFile &file) {
  SmallString<128> path(file.getFilename());
  if (sys::path::is_relative(path)) {
    path = file.getDirectory();
    sys::path::append(path, file.getFilename());
  }
  sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return std::string(path);
}

bool callsItself(const Function &function) {
  for (const Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallBase>(&instruction); call && call->getCalledFunction() == &function)
      return true;
  return false;
}

void inlineInto(Function &caller, const SmallPtrSetImpl<Function *> &ready) {
  SmallVector<CallBase *, 8> calls;
  for (Instruction &instruction : instructions(caller))
    if (auto *call = dyn_cast<CallBase>(&instruction); call && ready.contains(call->getCalledFunction()))
      calls.push_back(call);
  for (CallBase *call : calls) {
    InlineFunctionInfo info;
    InlineFunction(*call, info);
  }
}

} // namespace

bool metalift::isOfTheFile(const Function &function) {
  const DISubprogram *program = function.getSubprogram();
  if (function.isDeclaration() || program == nullptr || program->getUnit() == nullptr)
    return false;
  return pathOf(*program->getFile()) == pathOf(*program->getUnit()->getFile());
}

PreservedAnalyses metalift::InlineFilePass::run(Module &module, ModuleAnalysisManager &) {
  CallGraph graph(module);
  SmallVector<Function *, 16> order; // callees before callers
  SmallPtrSet<Function *, 16> recursive;
  for (auto component = scc_begin(&graph); !component.isAtEnd(); ++component)
    for (CallGraphNode *node : *component)
      if (Function *function = node->getFunction(); function && !function->isDeclaration()) {
        order.push_back(function);
        if (component->size() > 1 || callsItself(*function))
          recursive.insert(function);
      }
  SmallPtrSet<Function *, 16> ready;
  for (Function *function : order) {
    if (!isOfTheFile(*function))
      continue;
    inlineInto(*function, ready);
    if (!recursive.contains(function) && isInlineViable(*function).isSuccess())
      ready.insert(function);
  }
  return PreservedAnalyses::none();
}
