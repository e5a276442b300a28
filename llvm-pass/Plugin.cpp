// Registers the passes with opt: -passes=metalift, or each by its own name.
#include "Passes.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;

namespace {

/// Nothing more than this: instcombine, indvars and simplifycfg lose what the source promises. They turn `255-x` into xor and `<`
/// into `!=`, drop nsw, and speculate an addition that may only overflow where the source does not execute it.
void addPipeline(ModulePassManager &manager) {
  manager.addPass(metalift::MarkersPass());
  manager.addPass(metalift::InlineFilePass());
  manager.addPass(metalift::LocalResultsPass());
  manager.addPass(metalift::SplitLoadsPass());
  ScalarizerPassOptions everything;
  everything.ScalarizeLoadStore = true;
  FunctionPassManager functions;
  functions.addPass(ScalarizerPass(everything));
  functions.addPass(SROAPass(SROAOptions::PreserveCFG));
  functions.addPass(LoopSimplifyPass());
  functions.addPass(LCSSAPass());
  manager.addPass(createModuleToFunctionPassAdaptor(std::move(functions)));
  manager.addPass(metalift::DropUnusedPass());
}

bool parsePass(StringRef name, ModulePassManager &manager, ArrayRef<PassBuilder::PipelineElement>) {
  if (name == "metalift")
    addPipeline(manager);
  else if (name == "metalift-markers")
    manager.addPass(metalift::MarkersPass());
  else if (name == "metalift-inline")
    manager.addPass(metalift::InlineFilePass());
  else if (name == "metalift-results")
    manager.addPass(metalift::LocalResultsPass());
  else if (name == "metalift-loads")
    manager.addPass(metalift::SplitLoadsPass());
  else if (name == "metalift-nests")
    manager.addPass(metalift::NestsPass());
  else
    return false;
  return true;
}

void registerPasses(PassBuilder &builder) { builder.registerPipelineParsingCallback(parsePass); }

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "metalift", LLVM_VERSION_STRING, registerPasses};
}
