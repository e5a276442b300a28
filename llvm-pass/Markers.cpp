#include "Passes.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace {

constexpr unsigned MaxScalars = 16;

struct Scalar {
  SmallVector<Value *, 4> indices;
  Type *type;
};

/// The scalars of a type with the indices that lead to them; false where there are too many or one is no number or pointer.
bool scalarsOf(Type *type, SmallVector<Value *, 4> indices, SmallVectorImpl<Scalar> &found) {
  if (type->isIntegerTy() || type->isFloatTy() || type->isDoubleTy() || type->isPointerTy()) {
    found.push_back({indices, type});
    return found.size() <= MaxScalars;
  }
  unsigned count = 0;
  if (auto *array = dyn_cast<ArrayType>(type))
    count = array->getNumElements() <= MaxScalars ? array->getNumElements() : 0;
  else if (auto *record = dyn_cast<StructType>(type))
    count = record->getNumElements();
  if (count == 0)
    return false;
  for (unsigned number = 0; number < count; ++number) {
    auto inner = indices;
    inner.push_back(ConstantInt::get(Type::getInt32Ty(type->getContext()), number));
    Type *element = isa<ArrayType>(type) ? type->getArrayElementType() : type->getStructElementType(number);
    if (!scalarsOf(element, inner, found))
      return false;
  }
  return true;
}

/// Whether the address is used for nothing but loads, stores to it, addresses of parts and block copies.
bool staysLocal(const Value *pointer) {
  for (const User *user : pointer->users()) {
    if (isa<LoadInst>(user) || isa<MemIntrinsic>(user))
      continue;
    if (auto *store = dyn_cast<StoreInst>(user); store && store->getValueOperand() != pointer)
      continue;
    if (auto *call = dyn_cast<IntrinsicInst>(user); call && call->isLifetimeStartOrEnd())
      continue;
    if (isa<GetElementPtrInst>(user) && staysLocal(user))
      continue;
    return false;
  }
  return true;
}

std::string typeName(Type *type) {
  if (type->isPointerTy())
    return "ptr";
  std::string name;
  raw_string_ostream(name) << *type;
  return name;
}

/// Where the variable is declared: debug records that are not a parameter's.
SmallVector<DbgVariableRecord *, 2> declarations(AllocaInst *local) {
  SmallVector<DbgVariableRecord *, 2> found;
  for (DbgVariableRecord *record : findDVRDeclares(local))
    if (record->getVariable()->getArg() == 0 && record->getExpression()->getNumElements() == 0)
      found.push_back(record);
  return found;
}

void mark(AllocaInst *local, StringRef variable, IRBuilder<> &builder) {
  SmallVector<Scalar, MaxScalars> scalars;
  if (!scalarsOf(local->getAllocatedType(), {builder.getInt32(0)}, scalars))
    return;
  Module *module = local->getModule();
  for (const Scalar &scalar : scalars) {
    std::string name = metalift::MarkerPrefix + typeName(scalar.type) + "." + variable.str();
    auto callee = module->getOrInsertFunction(name, scalar.type);
    if (auto *function = dyn_cast<Function>(callee.getCallee())) {
      function->setDoesNotThrow();
      function->setWillReturn();
      function->setOnlyAccessesInaccessibleMemory(); // so that two calls are not the same value
    }
    Value *value = builder.CreateCall(callee, {}, variable + ".undefined");
    Value *place = local;
    if (scalar.indices.size() > 1)
      place = builder.CreateInBoundsGEP(local->getAllocatedType(), local, scalar.indices);
    builder.CreateStore(value, place);
  }
}

void markLocal(AllocaInst *local) {
  bool scalar = local->getAllocatedType()->isSingleValueType();
  if (local->isArrayAllocation() || (!scalar && !staysLocal(local)))
    return;
  auto declared = declarations(local);
  StringRef variable = declared.empty() ? local->getName() : declared.front()->getVariable()->getName();
  IRBuilder<> atStart(local->getContext());
  BasicBlock::iterator start = local->getIterator();
  while (isa<AllocaInst>(start))
    ++start;
  atStart.SetInsertPoint(start);
  if (!declared.empty())
    atStart.SetCurrentDebugLocation(declared.front()->getDebugLoc());
  mark(local, variable, atStart);
  for (DbgVariableRecord *record : declared) {
    IRBuilder<> builder(local->getContext());
    builder.SetInsertPoint(record->getMarker()->MarkedInstr->getIterator());
    builder.SetCurrentDebugLocation(record->getDebugLoc());
    mark(local, variable, builder);
  }
}

/// Copies the members of a local struct one by one where a load of several at once is only there to be stored: a convention passes
/// `{int, int}` as one integer.
void splitCopy(LoadInst *load) {
  const DataLayout &layout = load->getModule()->getDataLayout();
  APInt begin(layout.getIndexTypeSizeInBits(load->getPointerOperandType()), 0);
  auto *local = dyn_cast<AllocaInst>(load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, begin, /*AllowNonInbounds=*/true));
  SmallVector<Scalar, MaxScalars> scalars;
  auto copies = [&](const User *user) {
    auto *store = dyn_cast<StoreInst>(user);
    return store && store->isSimple() && store->getValueOperand() == load;
  };
  Value *whole = ConstantInt::get(Type::getInt32Ty(load->getContext()), 0);
  if (!local || !all_of(load->users(), copies) || !scalarsOf(local->getAllocatedType(), {whole}, scalars))
    return;
  uint64_t first = begin.getZExtValue(), end = first + layout.getTypeStoreSize(load->getType()).getFixedValue();
  SmallVector<std::pair<uint64_t, Type *>, 4> members;
  for (const Scalar &scalar : scalars) {
    uint64_t offset = layout.getIndexedOffsetInType(local->getAllocatedType(), scalar.indices);
    uint64_t behind = offset + layout.getTypeStoreSize(scalar.type).getFixedValue();
    if (first <= offset && behind <= end)
      members.push_back({offset - first, scalar.type});
    else if (offset < end && first < behind)
      return; // a part of a member
  }
  if (members.size() < 2)
    return;
  auto placeIn = [](IRBuilder<> &builder, Value *record, uint64_t offset) {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), record, offset);
  };
  for (auto [offset, type] : members) {
    IRBuilder<> here(load);
    Value *member = here.CreateAlignedLoad(type, placeIn(here, load->getPointerOperand(), offset), commonAlignment(load->getAlign(), offset));
    for (User *user : load->users()) {
      auto *store = cast<StoreInst>(user);
      IRBuilder<> there(store);
      there.CreateAlignedStore(member, placeIn(there, store->getPointerOperand(), offset), commonAlignment(store->getAlign(), offset));
    }
  }
  for (User *user : make_early_inc_range(load->users()))
    cast<StoreInst>(user)->eraseFromParent();
  load->eraseFromParent();
}

/// Lets the function make its result in a local variable, and copy it to where the caller wants it only at the end.
void makeLocal(Argument &result, Type *type) {
  Function *function = result.getParent();
  IRBuilder<> atStart(&function->getEntryBlock(), function->getEntryBlock().begin());
  AllocaInst *local = atStart.CreateAlloca(type, nullptr, result.getName());
  local->setAlignment(result.getParamAlign().valueOrOne());
  result.replaceAllUsesWith(local);
  uint64_t size = function->getDataLayout().getTypeAllocSize(type).getFixedValue();
  for (BasicBlock &block : *function)
    if (auto *end = dyn_cast<ReturnInst>(block.getTerminator())) {
      IRBuilder<> atEnd(end);
      atEnd.CreateMemCpy(&result, result.getParamAlign(), local, local->getAlign(), size);
    }
  markLocal(local);
}

/// Loads a struct member by member: a convention returns several vectors at once, and what follows takes them apart.
void splitLoad(LoadInst *load) {
  auto *record = cast<StructType>(load->getType());
  const DataLayout &layout = load->getModule()->getDataLayout();
  IRBuilder<> builder(load);
  Value *whole = PoisonValue::get(record);
  SmallVector<Value *, 4> members;
  for (unsigned number = 0; number < record->getNumElements(); ++number) {
    Value *place = builder.CreateStructGEP(record, load->getPointerOperand(), number);
    uint64_t offset = layout.getStructLayout(record)->getElementOffset(number).getFixedValue();
    members.push_back(builder.CreateAlignedLoad(record->getElementType(number), place, commonAlignment(load->getAlign(), offset)));
    whole = builder.CreateInsertValue(whole, members.back(), number);
  }
  for (User *user : make_early_inc_range(load->users()))
    if (auto *part = dyn_cast<ExtractValueInst>(user); part && part->getNumIndices() == 1) {
      part->replaceAllUsesWith(members[part->getIndices().front()]);
      part->eraseFromParent();
    } else if (auto *store = dyn_cast<StoreInst>(user); store && store->isSimple() && store->getValueOperand() == load) {
      IRBuilder<> there(store);
      for (unsigned number = 0; number < members.size(); ++number) {
        uint64_t offset = layout.getStructLayout(record)->getElementOffset(number).getFixedValue();
        Value *place = there.CreateStructGEP(record, store->getPointerOperand(), number);
        there.CreateAlignedStore(members[number], place, commonAlignment(store->getAlign(), offset));
      }
      store->eraseFromParent();
    }
  load->replaceAllUsesWith(whole);
  load->eraseFromParent();
}

/// Whether memory is only written; `uses` gets all that is done with it, addresses of parts before their own uses.
bool isOnlyWritten(const Value *pointer, SmallVectorImpl<Instruction *> &uses) {
  return all_of(pointer->users(), [&](const User *user) {
    auto *instruction = const_cast<Instruction *>(cast<Instruction>(user));
    uses.push_back(instruction);
    if (isa<GetElementPtrInst>(instruction))
      return isOnlyWritten(instruction, uses);
    if (auto *store = dyn_cast<StoreInst>(instruction))
      return store->isSimple() && store->getValueOperand() != pointer;
    if (auto *fill = dyn_cast<MemIntrinsic>(instruction))
      return !fill->isVolatile() && fill->getRawDest() == pointer && (!isa<MemTransferInst>(fill) || cast<MemTransferInst>(fill)->getRawSource() != pointer);
    return instruction->isLifetimeStartOrEnd();
  });
}

/// Removes the local variables that nothing reads: sroa leaves those of the members of a copied struct that are not used.
void dropUnread(Function &function) {
  SmallVector<AllocaInst *, 16> locals;
  for (Instruction &instruction : instructions(function))
    if (auto *local = dyn_cast<AllocaInst>(&instruction))
      locals.push_back(local);
  for (AllocaInst *local : locals) {
    SmallVector<Instruction *, 16> uses;
    if (!isOnlyWritten(local, uses))
      continue;
    for (DbgVariableRecord *record : findDVRDeclares(local))
      record->eraseFromParent();
    for (Instruction *use : reverse(uses))
      use->eraseFromParent();
    local->eraseFromParent();
  }
}

} // namespace

PreservedAnalyses metalift::SplitLoadsPass::run(Module &module, ModuleAnalysisManager &) {
  SmallVector<LoadInst *, 16> loads;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *load = dyn_cast<LoadInst>(&instruction); load && load->isSimple() && isa<StructType>(load->getType()))
        loads.push_back(load);
  for (LoadInst *load : loads)
    splitLoad(load);
  loads.clear();
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *load = dyn_cast<LoadInst>(&instruction); load && load->isSimple() && load->getType()->isIntegerTy())
        loads.push_back(load);
  for (LoadInst *load : loads)
    splitCopy(load);
  return PreservedAnalyses::none();
}

PreservedAnalyses metalift::LocalResultsPass::run(Module &module, ModuleAnalysisManager &) {
  for (Function &function : module)
    for (Argument &argument : function.args())
      if (!function.isDeclaration() && argument.hasStructRetAttr() && !argument.use_empty() && staysLocal(&argument))
        makeLocal(argument, argument.getParamStructRetType());
  return PreservedAnalyses::none();
}

PreservedAnalyses metalift::MarkersPass::run(Module &module, ModuleAnalysisManager &) {
  for (Function &function : module) {
    SmallVector<AllocaInst *, 16> locals;
    for (Instruction &instruction : instructions(function))
      if (auto *local = dyn_cast<AllocaInst>(&instruction))
        locals.push_back(local);
    for (AllocaInst *local : locals)
      markLocal(local);
  }
  return PreservedAnalyses::none();
}

PreservedAnalyses metalift::DropUnusedPass::run(Module &module, ModuleAnalysisManager &) {
  SmallVector<CallInst *, 16> unused;
  for (Function &function : module) {
    dropUnread(function);
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallInst>(&instruction))
        if (Function *callee = call->getCalledFunction())
          if (callee->getName().starts_with(MarkerPrefix) && call->use_empty())
            unused.push_back(call);
  }
  for (CallInst *call : unused)
    call->eraseFromParent();
  return PreservedAnalyses::none();
}
