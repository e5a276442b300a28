#include "NestNames.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

#include <tuple>

using namespace llvm;
using metalift::Described;

namespace {

/// The innermost member at an offset in bytes, appended to the description; false where there is none.
bool descend(Described &place, uint64_t offset, bool arrow) {
  DIType *type = metalift::plainType(place.type);
  while (auto *record = dyn_cast_or_null<DICompositeType>(type)) {
    if (record->getTag() != dwarf::DW_TAG_structure_type && record->getTag() != dwarf::DW_TAG_class_type)
      return false;
    DIDerivedType *member = nullptr;
    for (DINode *element : record->getElements()) {
      auto *candidate = dyn_cast<DIDerivedType>(element);
      if (!candidate || candidate->getTag() != dwarf::DW_TAG_member || candidate->isStaticMember() || candidate->isBitField())
        continue;
      uint64_t start = candidate->getOffsetInBits() / 8;
      if (start <= offset && offset < start + std::max<uint64_t>(candidate->getSizeInBits() / 8, 1))
        member = candidate;
    }
    if (member == nullptr)
      return false;
    offset -= member->getOffsetInBits() / 8;
    place.text += (arrow ? "->" : ".") + member->getName().str();
    place.name += "_" + member->getName().str();
    place.type = member->getBaseType();
    place.field = true;
    arrow = false;
    type = metalift::plainType(place.type);
  }
  return offset == 0 && type != nullptr;
}

/// The size of a type in bits.
uint64_t sizeOf(DIType *type) {
  type = metalift::plainType(type);
  return type == nullptr ? 0 : type->getSizeInBits();
}

/// The variable that has the value, or the member of one that is held in parts: of the function itself before those of functions
/// that were inlined, then parameters, then the one that is declared first.
Described fromRecords(ArrayRef<DbgVariableRecord *> records, bool address) {
  auto rank = [](DbgVariableRecord *record) {
    DILocalVariable *variable = record->getVariable();
    bool inlined = record->getDebugLoc() && record->getDebugLoc()->getInlinedAt();
    return std::make_tuple(inlined, record->getExpression()->isFragment(), variable->getArg() == 0, variable->getLine());
  };
  DbgVariableRecord *best = nullptr;
  for (DbgVariableRecord *record : records) {
    DIExpression *expression = record->getExpression();
    bool plain = expression->getNumElements() == 0 || (expression->isFragment() && expression->getNumElements() == 3);
    if (plain && !record->getVariable()->getName().empty() && (best == nullptr || rank(record) < rank(best)))
      best = record;
  }
  if (best == nullptr)
    return {};
  std::string name = best->getVariable()->getName().str();
  Described whole{name, name, best->getVariable()->getType(), address, false};
  auto part = best->getExpression()->getFragmentInfo();
  if (!part)
    return whole;
  bool fits = descend(whole, part->OffsetInBits / 8, false) && sizeOf(whole.type) == part->SizeInBits;
  whole.field = false; // its value does not change where memory does
  return fits ? whole : Described{};
}

bool isInlined(ArrayRef<DbgVariableRecord *> records) {
  for (DbgVariableRecord *record : records)
    if (!record->getDebugLoc() || !record->getDebugLoc()->getInlinedAt())
      return false;
  return true;
}

Described variableOf(Value *value) {
  auto *argument = dyn_cast<Argument>(value);
  if (isa<AllocaInst>(value) || (argument && argument->hasByValAttr()))
    return fromRecords(findDVRDeclares(value), true);
  if (auto *global = dyn_cast<GlobalVariable>(value)) {
    SmallVector<DIGlobalVariableExpression *, 1> found;
    global->getDebugInfo(found);
    if (found.empty())
      return {};
    std::string name = found.front()->getVariable()->getName().str();
    return {name, name, found.front()->getVariable()->getType(), true, false};
  }
  if (isa<Constant>(value))
    return {};
  return fromRecords(findDVRValues(value), false);
}

/// The place in memory that a load reads: a member or a variable.
Described placeOf(LoadInst *load) {
  const DataLayout &layout = load->getModule()->getDataLayout();
  Value *pointer = load->getPointerOperand();
  APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  Value *base = pointer->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  Described place = metalift::describe(base);
  if (!place || offset.isNegative())
    return {};
  bool arrow = !place.address;
  if (arrow) {
    auto *reference = dyn_cast_or_null<DIDerivedType>(metalift::plainType(place.type));
    if (reference == nullptr || !reference->getBaseType())
      return {};
    place.type = reference->getBaseType();
  }
  place.field = !arrow; // what an array holds behind a pointer is no field
  place.address = false;
  return descend(place, offset.getZExtValue(), arrow) ? place : Described{};
}

} // namespace

DIType *metalift::plainType(DIType *type) {
  while (auto *derived = dyn_cast_or_null<DIDerivedType>(type)) {
    switch (derived->getTag()) {
    case dwarf::DW_TAG_typedef:
    case dwarf::DW_TAG_const_type:
    case dwarf::DW_TAG_volatile_type:
    case dwarf::DW_TAG_restrict_type:
      type = derived->getBaseType();
      continue;
    default:
      return type;
    }
  }
  return type;
}

Described metalift::fieldOf(LoadInst *load) {
  Described place = placeOf(load);
  return place.field ? place : Described{};
}

Described metalift::describe(Value *value) {
  Described own = variableOf(value);
  bool inlined = own && !own.address && isInlined(findDVRValues(value));
  if (own && !inlined)
    return own;
  if (auto *load = dyn_cast<LoadInst>(value))
    if (Described place = fieldOf(load))
      return place;
  return own;
}
