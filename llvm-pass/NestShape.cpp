#include "NestShape.h"

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace {

/// Votes for signed (above 0) and unsigned (below 0) of one use of an integer.
int signVote(const Instruction &user) {
  if (auto *compare = dyn_cast<ICmpInst>(&user))
    return compare->isSigned() ? 1 : compare->isUnsigned() ? -1 : 0;
  switch (user.getOpcode()) {
  case Instruction::SExt:
  case Instruction::SIToFP:
  case Instruction::SDiv:
  case Instruction::SRem:
  case Instruction::AShr:
    return 1;
  case Instruction::ZExt:
  case Instruction::UIToFP:
  case Instruction::UDiv:
  case Instruction::URem:
  case Instruction::LShr:
    return -1;
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Mul:
    return user.hasNoSignedWrap() && !user.hasNoUnsignedWrap() ? 1 : 0;
  default:
    return 0;
  }
}

std::string scalarShape(Type *type, int votes) {
  if (type->isIntegerTy(1))
    return "bool";
  if (type->isIntegerTy())
    return (votes < 0 ? "u" : "i") + std::to_string(type->getIntegerBitWidth());
  return type->isFloatTy() ? "f32" : type->isDoubleTy() ? "f64" : "";
}

int votesOn(const Value *value) {
  int votes = 0;
  for (const User *user : value->users())
    if (auto *instruction = dyn_cast<Instruction>(user))
      votes += signVote(*instruction);
  return votes;
}

/// The loads and stores of the region that go through the pointer or one made of it.
void accesses(Value *pointer, const metalift::NestRegion &region, SmallPtrSetImpl<Value *> &seen, SmallVectorImpl<Instruction *> &found) {
  if (!seen.insert(pointer).second)
    return;
  for (User *user : pointer->users()) {
    auto *instruction = dyn_cast<Instruction>(user);
    if (instruction == nullptr)
      continue;
    auto *store = dyn_cast<StoreInst>(instruction);
    if (region.has(instruction) && (isa<LoadInst>(instruction) || (store && store->getPointerOperand() == pointer) || isa<CallBase>(instruction)))
      found.push_back(instruction);
    if (isa<GetElementPtrInst>(instruction) || isa<PHINode>(instruction) || isa<SelectInst>(instruction))
      accesses(instruction, region, seen, found);
  }
}

} // namespace

std::string metalift::shapeOf(Value *value, const NestRegion &region) {
  if (!value->getType()->isPointerTy())
    return scalarShape(value->getType(), votesOn(value));
  SmallPtrSet<Value *, 16> seen;
  SmallVector<Instruction *, 16> found;
  accesses(value, region, seen, found);
  Type *element = nullptr;
  int votes = 0;
  for (Instruction *access : found) {
    if (isa<CallBase>(access))
      continue;
    Type *type = getLoadStoreType(access);
    if (element && element != type)
      return "*";
    element = type;
    votes += isa<LoadInst>(access) ? votesOn(access) : 0;
  }
  return "*" + (element ? scalarShape(element, votes) : "");
}

bool metalift::isWritten(Value *pointer, const NestRegion &region) {
  SmallPtrSet<Value *, 16> seen;
  SmallVector<Instruction *, 16> found;
  accesses(pointer, region, seen, found);
  for (Instruction *access : found)
    if (access->mayWriteToMemory() && !access->isLifetimeStartOrEnd())
      return true;
  return false;
}
