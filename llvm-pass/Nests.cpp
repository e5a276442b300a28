#include "NestNames.h"
#include "NestRegion.h"
#include "NestShape.h"
#include "Passes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

#include <map>
#include <set>

using namespace llvm;
using metalift::Described;
using metalift::NestRegion;

namespace {

/// A value that the nest takes: one that was computed before it, or (`field`) the contents of a member that it reads again and again.
struct LiveIn {
  Value *value;
  Described described;
  bool field = false;
};

/// A value that the nest leaves behind, and for a pointer the live-in that it counts from.
struct LiveOut {
  Value *value; // in the nest, or a phi after it
  Value *root = nullptr;
};

std::string plainName(StringRef name) {
  std::string clean;
  for (char character : name.take_until([](char c) { return c == '.'; }))
    clean += isAlnum(character) || character == '_' ? character : '_';
  while (!clean.empty() && isDigit(clean.back()))
    clean.pop_back();
  return clean.empty() || isDigit(clean.front()) ? "" : clean;
}

bool isMarkerStore(const User *user) {
  auto *store = dyn_cast<StoreInst>(user);
  auto *call = store ? dyn_cast<CallInst>(store->getValueOperand()) : nullptr;
  return call && call->getCalledFunction() && call->getCalledFunction()->getName().starts_with(metalift::MarkerPrefix);
}

/// What the source calls a value that may be merged of several.
Described describeMerged(Value *value, SmallPtrSetImpl<Value *> &seen) {
  Described described = metalift::describe(value);
  if (auto *phi = dyn_cast<PHINode>(value); phi && seen.insert(phi).second)
    for (unsigned number = 0; !described && number < phi->getNumIncomingValues(); ++number)
      described = describeMerged(phi->getIncomingValue(number), seen);
  return described;
}

class Outliner {
public:
  Outliner(NestRegion &region, Function &source) : region(region), source(source), layout(source.getParent()->getDataLayout()) {
    SmallVector<BasicBlock *, 16> pending{&source.getEntryBlock()};
    while (!pending.empty()) {
      BasicBlock *block = pending.pop_back_val();
      if (normal.insert(block).second)
        for (BasicBlock *next : successors(block))
          if (!next->isEHPad())
            pending.push_back(next);
    }
  }

  /// The function that was made, or null where `region.problem` says why there is none.
  Function *run(const std::string &name);
  MDNode *parameters() const;
  MDNode *results() const;
  MDNode *steady() const;

private:
  void findFields();
  bool mayBeField(LoadInst *load) const;
  bool isStoredTo(Value *base, int64_t offset, Type *type) const;
  bool isUnneeded(const Instruction *instruction) const;
  void findLiveIns();
  void need(Value *value);
  bool livesInside(AllocaInst *local) const;
  bool sharesRoot(Value *pointer) const;
  void findLiveOuts();
  void addLiveOut(Value *value);
  void findRoots(Value *pointer, SmallPtrSetImpl<Value *> &seen, SmallPtrSetImpl<Value *> &roots) const;
  void name();
  std::string unique(std::string wanted);
  bool isAlone(const LiveIn &input) const;
  Function *build(const std::string &name);
  Value *lengthFrom(IRBuilder<> &builder, Value *pointer, Value *root);
  MDNode *tuple(ArrayRef<Metadata *> items) const { return MDNode::get(source.getContext(), items); }
  MDString *text(StringRef string) const { return MDString::get(source.getContext(), string); }
  std::pair<Value *, int64_t> split(Value *pointer) const;

  NestRegion &region;
  Function &source;
  const DataLayout &layout;
  SmallVector<LiveIn, 8> inputs;
  SmallVector<LiveOut, 4> outputs;
  MapVector<LoadInst *, LoadInst *> fields; // each load of a member, and the first of the same member
  std::map<std::tuple<Value *, int64_t, Type *>, LoadInst *> known;
  SetVector<Instruction *> again; // computed before the nest, and computed anew in it; operands first
  SetVector<AllocaInst *> locals;
  SmallPtrSet<Value *, 16> needed;
  SmallPtrSet<const BasicBlock *, 16> normal; // those that control comes to without an exception
  std::map<Value *, unsigned> uses; // of roots, by pointers that were computed before the nest
  std::set<std::string> names;
};

/// A pointer as a base and a constant offset; a member that is read again and again stands for its first load.
std::pair<Value *, int64_t> Outliner::split(Value *pointer) const {
  APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  Value *base = pointer->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  if (auto *load = dyn_cast<LoadInst>(base))
    if (auto found = fields.find(load); found != fields.end())
      base = found->second;
  return {base, offset.getSExtValue()};
}

bool Outliner::isStoredTo(Value *base, int64_t offset, Type *type) const {
  int64_t size = layout.getTypeStoreSize(type).getFixedValue();
  for (BasicBlock *block : region.blocks)
    for (Instruction &instruction : *block)
      if (auto *store = dyn_cast<StoreInst>(&instruction)) {
        auto [other, start] = split(store->getPointerOperand());
        int64_t written = layout.getTypeStoreSize(store->getValueOperand()->getType()).getFixedValue();
        if (other == base && start < offset + size && offset < start + written)
          return true;
      }
  return false;
}

/// Whether a load in the nest reads a member at an address that is known before the nest, and nothing in it stores there.
bool Outliner::mayBeField(LoadInst *load) const {
  if (!load->isSimple() || !load->getType()->isSingleValueType())
    return false;
  auto [base, offset] = split(load->getPointerOperand());
  auto *made = dyn_cast<Instruction>(base);
  bool before = !made || !region.has(made) || (isa<LoadInst>(made) && fields.contains(cast<LoadInst>(made)));
  if (!before || (isa<Constant>(base) && !isa<GlobalVariable>(base)))
    return false;
  if (auto *global = dyn_cast<GlobalVariable>(base); global && global->isConstant())
    return false;
  if (auto *local = dyn_cast<AllocaInst>(base); local && livesInside(local))
    return false;
  return metalift::fieldOf(load) && !isStoredTo(base, offset, load->getType());
}

void Outliner::findFields() {
  for (BasicBlock *block : region.blocks)
    for (Instruction &instruction : *block)
      if (auto *call = dyn_cast<CallBase>(&instruction); call && call->mayWriteToMemory() && !isa<IntrinsicInst>(call) && !call->onlyAccessesInaccessibleMemory())
        return; // the call may write anywhere
  for (bool changed = true; changed;) {
    changed = false;
    for (BasicBlock *block : region.blocks)
      for (Instruction &instruction : *block)
        if (auto *load = dyn_cast<LoadInst>(&instruction); load && !fields.contains(load) && mayBeField(load)) {
          auto [base, offset] = split(load->getPointerOperand());
          LoadInst *first = known.try_emplace({base, offset, load->getType()}, load).first->second;
          fields[load] = first;
          changed = true;
        }
  }
}

/// Whether an instruction of the nest only serves to load members, or nothing.
bool Outliner::isUnneeded(const Instruction *instruction) const {
  if (auto *load = dyn_cast<LoadInst>(instruction); load && fields.contains(const_cast<LoadInst *>(load)))
    return true;
  if (!isa<GetElementPtrInst>(instruction) && !isa<CastInst>(instruction))
    return false;
  return all_of(instruction->users(), [&](const User *user) {
    auto *other = dyn_cast<Instruction>(user);
    return other && region.has(other) && isUnneeded(other);
  });
}

/// Whether a local array begins to exist in the nest and is used nowhere else.
bool Outliner::livesInside(AllocaInst *local) const {
  SmallVector<const Value *, 8> pending{local};
  bool declared = false;
  auto isLeft = [&](const Instruction *instruction) { // only an exception leads there: it is not modelled
    return !normal.contains(instruction->getParent());
  };
  for (DbgVariableRecord *record : findDVRDeclares(local))
    declared |= region.inside.contains(record->getParent());
  while (!pending.empty()) {
    const Value *pointer = pending.pop_back_val();
    for (const User *user : pointer->users()) {
      auto *instruction = dyn_cast<Instruction>(user);
      if (!instruction)
        return false;
      if (region.has(instruction)) {
        declared |= instruction->isLifetimeStartOrEnd();
        continue;
      }
      if (isa<GetElementPtrInst>(instruction))
        pending.push_back(instruction);
      else if (!isMarkerStore(user) && !instruction->isLifetimeStartOrEnd() && !isLeft(instruction))
        return false;
    }
  }
  return declared;
}

/// Whether more than one pointer that the nest takes is made of the same one: then that is what it takes.
bool Outliner::sharesRoot(Value *pointer) const {
  while (auto *address = dyn_cast<GetElementPtrInst>(pointer))
    pointer = address->getPointerOperand();
  auto found = uses.find(pointer);
  return found != uses.end() && found->second > 1;
}

void Outliner::need(Value *value) {
  if (isa<BasicBlock>(value) || isa<MetadataAsValue>(value) || isa<InlineAsm>(value) || !needed.insert(value).second)
    return;
  if (auto *global = dyn_cast<GlobalVariable>(value); global && !global->isConstant()) {
    inputs.push_back({value, metalift::describe(value)});
    return;
  }
  if (isa<Constant>(value))
    return;
  auto *made = dyn_cast<Instruction>(value);
  if (made && region.has(made)) {
    if (auto *load = dyn_cast<LoadInst>(made))
      if (auto field = fields.find(load); field != fields.end() && (field->second == load || needed.insert(field->second).second))
        inputs.push_back({field->second, metalift::fieldOf(field->second), true});
    return;
  }
  if (auto *local = dyn_cast_or_null<AllocaInst>(made); local && livesInside(local)) {
    locals.insert(local);
    return;
  }
  bool cast = made && isa<CastInst>(made) && !metalift::describe(made);
  if (made && (cast || (isa<GetElementPtrInst>(made) && sharesRoot(made)))) {
    for (Value *operand : made->operands())
      need(operand);
    again.insert(made);
    return;
  }
  inputs.push_back({value, metalift::describe(value)});
}

void Outliner::findLiveIns() {
  std::set<Value *> counted;
  auto operands = [&](auto visit) {
    for (BasicBlock *block : region.blocks)
      for (Instruction &instruction : *block) {
        if (isUnneeded(&instruction)) {
          auto *load = dyn_cast<LoadInst>(&instruction);
          bool read = load && any_of(load->users(), [&](User *user) { return !isUnneeded(cast<Instruction>(user)); });
          if (read)
            visit(load);
          continue;
        }
        for (Value *operand : instruction.operands())
          visit(operand);
      }
    if (region.after)
      for (PHINode &phi : region.after->phis())
        for (unsigned number = 0; number < phi.getNumIncomingValues(); ++number)
          if (region.inside.contains(phi.getIncomingBlock(number)))
            visit(phi.getIncomingValue(number));
  };
  operands([&](Value *operand) {
    auto *made = dyn_cast<Instruction>(operand);
    if (!operand->getType()->isPointerTy() || (made && region.has(made)) || !counted.insert(operand).second)
      return;
    Value *root = operand;
    while (auto *address = dyn_cast<GetElementPtrInst>(root))
      root = address->getPointerOperand();
    ++uses[root];
  });
  operands([&](Value *operand) { need(operand); });
}

void Outliner::findRoots(Value *pointer, SmallPtrSetImpl<Value *> &seen, SmallPtrSetImpl<Value *> &roots) const {
  if (!seen.insert(pointer).second)
    return;
  auto *made = dyn_cast<Instruction>(pointer);
  if (auto *load = dyn_cast_or_null<LoadInst>(made); load && fields.contains(load))
    roots.insert(fields.find(load)->second);
  else if (auto *address = dyn_cast<GetElementPtrInst>(pointer))
    findRoots(address->getPointerOperand(), seen, roots);
  else if (auto *phi = dyn_cast_or_null<PHINode>(made); phi && (region.has(phi) || phi->getParent() == region.after)) {
    for (unsigned number = 0; number < phi->getNumIncomingValues(); ++number)
      if (region.has(phi) || region.inside.contains(phi->getIncomingBlock(number)))
        findRoots(phi->getIncomingValue(number), seen, roots);
  } else if (auto *choice = dyn_cast_or_null<SelectInst>(made); choice && region.has(choice)) {
    findRoots(choice->getTrueValue(), seen, roots);
    findRoots(choice->getFalseValue(), seen, roots);
  } else
    roots.insert(pointer);
}

void Outliner::addLiveOut(Value *value) {
  LiveOut output{value};
  if (value->getType()->isPointerTy()) {
    SmallPtrSet<Value *, 8> seen, roots;
    findRoots(value, seen, roots);
    Value *root = roots.size() == 1 ? *roots.begin() : nullptr;
    if (!root || !needed.contains(root) || isa<Constant>(root)) {
      region.problem = "leaves a pointer behind that is not known to be into one array";
      return;
    }
    output.root = root;
  } else if (!value->getType()->isSingleValueType() || value->getType()->isVectorTy()) {
    region.problem = "leaves a value behind that is no number";
    return;
  }
  outputs.push_back(output);
}

/// What code after the nest reads: by the phis of the block after it, and directly.
void Outliner::findLiveOuts() {
  SmallPtrSet<Value *, 8> seen;
  for (PHINode &phi : region.after->phis()) {
    if (phi.use_empty())
      continue;
    Value *only = nullptr;
    bool several = false;
    for (unsigned number = 0; number < phi.getNumIncomingValues(); ++number)
      if (Value *value = phi.getIncomingValue(number); region.inside.contains(phi.getIncomingBlock(number))) {
        several |= only && only != value;
        only = value;
      }
    auto *made = dyn_cast_or_null<Instruction>(only);
    if (several)
      addLiveOut(&phi);
    else if (made && region.has(made) && !isUnneeded(made) && seen.insert(made).second)
      addLiveOut(made);
  }
  for (BasicBlock *block : region.blocks)
    for (Instruction &instruction : *block)
      for (User *user : instruction.users()) {
        auto *reader = dyn_cast<Instruction>(user);
        bool counted = !reader || region.has(reader) || (isa<PHINode>(reader) && reader->getParent() == region.after);
        if (!counted && !isUnneeded(&instruction) && seen.insert(&instruction).second)
          addLiveOut(&instruction);
      }
}

std::string Outliner::unique(std::string wanted) {
  for (unsigned number = 2; !names.insert(wanted).second; ++number) {
    size_t end = wanted.find_last_not_of("0123456789");
    bool numbered = number > 2 && end != std::string::npos && wanted[end] == '_';
    wanted = (numbered ? wanted.substr(0, end) : wanted) + "_" + std::to_string(number);
  }
  return wanted;
}

void Outliner::name() {
  for (LiveIn &input : inputs) {
    std::string wanted = input.described.name;
    if (wanted.empty()) {
      Value *base = input.value;
      while (auto *address = dyn_cast<GetElementPtrInst>(base))
        base = address->getPointerOperand();
      Described of = base == input.value ? Described{} : metalift::describe(base);
      wanted = of ? of.name + "_at" : plainName(input.value->getName());
    }
    if (wanted.empty())
      wanted = input.value->getType()->isPointerTy() ? "array" : "value";
    input.described.name = unique(wanted);
  }
}

/// Whether no other pointer that the nest takes can lead into the same object.
bool Outliner::isAlone(const LiveIn &input) const {
  const Value *object = getUnderlyingObject(input.value);
  auto *parameter = dyn_cast<Argument>(input.value);
  bool own = isa<AllocaInst>(input.value) || isa<GlobalVariable>(input.value);
  if (input.field || !(own || (parameter && parameter->hasNoAliasAttr())))
    return false;
  for (const LiveIn &other : inputs) {
    if (&other == &input || !other.value->getType()->isPointerTy())
      continue;
    const Value *against = getUnderlyingObject(other.value);
    bool distinct = against != object && (isa<AllocaInst>(against) || isa<GlobalVariable>(against) || isa<Argument>(against));
    if (isa<GlobalVariable>(object) && isa<Argument>(against))
      distinct = false;
    if (!distinct)
      return false;
  }
  return true;
}

/// How many elements lie between a pointer and the one that it was made of.
Value *Outliner::lengthFrom(IRBuilder<> &builder, Value *pointer, Value *root) {
  uint64_t size = 1;
  Value *made = pointer;
  SmallPtrSet<Value *, 8> seen;
  SmallVector<Value *, 8> pending{made};
  while (!pending.empty()) {
    Value *value = pending.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (auto *address = dyn_cast<GetElementPtrInst>(value))
      size = layout.getTypeAllocSize(address->getSourceElementType()).getFixedValue();
    else if (auto *phi = dyn_cast<PHINode>(value))
      pending.append(phi->value_op_begin(), phi->value_op_end());
  }
  Type *word = builder.getInt64Ty();
  Value *distance = builder.CreateSub(builder.CreatePtrToInt(pointer, word), builder.CreatePtrToInt(root, word));
  return size == 1 ? distance : builder.CreateExactSDiv(distance, builder.getInt64(size));
}

Function *Outliner::run(const std::string &name) {
  if (!region.problem.empty())
    return nullptr;
  findFields();
  findLiveIns();
  findLiveOuts();
  if (!region.problem.empty())
    return nullptr;
  this->name();
  return build(name);
}

Function *Outliner::build(const std::string &name) {
  LLVMContext &context = source.getContext();
  SmallVector<Type *, 8> types, resultTypes;
  for (const LiveIn &input : inputs)
    types.push_back(input.value->getType());
  for (const LiveOut &output : outputs)
    resultTypes.push_back(output.root ? Type::getInt64Ty(context) : output.value->getType());
  Type *result = resultTypes.empty() ? Type::getVoidTy(context) : resultTypes.size() == 1 ? resultTypes.front() : StructType::get(context, resultTypes);
  auto *made = Function::Create(FunctionType::get(result, types, false), GlobalValue::ExternalLinkage, name, source.getParent());
  for (StringRef kept : {"target-cpu", "target-features"})
    if (source.hasFnAttribute(kept))
      made->addFnAttr(source.getFnAttribute(kept));
  ValueToValueMapTy values;
  for (auto [argument, input] : zip(made->args(), inputs)) {
    argument.setName(input.described.name);
    if (argument.getType()->isPointerTy() && isAlone(input))
      argument.addAttr(Attribute::NoAlias);
    values[input.value] = &argument;
  }
  auto *entry = BasicBlock::Create(context, "entry", made);
  IRBuilder<> builder(entry);
  auto copy = [&](Instruction *instruction) {
    Instruction *clone = builder.Insert(instruction->clone(), instruction->getName());
    clone->dropDbgRecords();
    RemapInstruction(clone, values, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
    values[instruction] = clone;
    return clone;
  };
  for (AllocaInst *local : locals)
    copy(local);
  for (Instruction *instruction : again)
    copy(instruction);
  values[region.before] = entry;
  SmallVector<BasicBlock *, 16> clones;
  for (BasicBlock *block : region.blocks) {
    clones.push_back(CloneBasicBlock(block, values, "", made));
    values[block] = clones.back();
  }
  auto *exit = BasicBlock::Create(context, "nest.end", made);
  values[region.after] = exit;
  // What a member's load gave is the parameter.
  for (auto [load, first] : fields)
    for (auto [argument, input] : zip(made->args(), inputs))
      if (input.value == first)
        values[load] = &argument;
  for (BasicBlock *block : clones)
    for (Instruction &instruction : make_early_inc_range(*block)) {
      for (DbgRecord &record : make_early_inc_range(instruction.getDbgRecordRange())) {
        auto *variable = dyn_cast<DbgVariableRecord>(&record);
        bool kept = variable && all_of(variable->location_ops(), [&](Value *value) { return isa<Constant>(value) || values.count(value); });
        if (!kept)
          record.eraseFromParent();
      }
      RemapDbgRecordRange(source.getParent(), instruction.getDbgRecordRange(), values, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
      RemapInstruction(&instruction, values, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
      if (instruction.isLifetimeStartOrEnd() && !isa<AllocaInst>(instruction.getOperand(0)))
        instruction.eraseFromParent();
    }
  for (BasicBlock *block : clones)
    if (auto *invoke = dyn_cast<InvokeInst>(block->getTerminator()); invoke && invoke->getUnwindDest()->getParent() != made)
      changeToCall(invoke);
  builder.SetInsertPoint(entry);
  builder.SetCurrentDebugLocation(DebugLoc());
  builder.CreateBr(cast<BasicBlock>(values[region.loop->getHeader()]));
  builder.SetInsertPoint(exit);
  SmallVector<Value *, 4> returned;
  for (const LiveOut &output : outputs) {
    auto *phi = dyn_cast<PHINode>(output.value);
    Value *value = values.lookup(output.value);
    if (phi && phi->getParent() == region.after) {
      PHINode *merged = PHINode::Create(phi->getType(), 2, phi->getName());
      merged->insertInto(exit, exit->begin());
      for (unsigned number = 0; number < phi->getNumIncomingValues(); ++number)
        if (region.inside.contains(phi->getIncomingBlock(number))) {
          Value *incoming = phi->getIncomingValue(number);
          merged->addIncoming(isa<Constant>(incoming) && !values.count(incoming) ? incoming : &*values.lookup(incoming), cast<BasicBlock>(values[phi->getIncomingBlock(number)]));
        }
      value = merged;
    }
    returned.push_back(output.root ? lengthFrom(builder, value, values.lookup(output.root)) : value);
  }
  if (returned.empty())
    builder.CreateRetVoid();
  else if (returned.size() == 1)
    builder.CreateRet(returned.front());
  else
    builder.CreateAggregateRet(returned.data(), returned.size());
  for (bool changed = true; changed;) { // loads of members, and their addresses
    changed = false;
    for (BasicBlock *block : clones)
      for (Instruction &instruction : make_early_inc_range(reverse(*block)))
        if (isInstructionTriviallyDead(&instruction)) {
          instruction.eraseFromParent();
          changed = true;
        }
  }
  return made;
}

/// One node for each parameter: its name, its type in the source or null, the type that the IR tells, and words.
MDNode *Outliner::parameters() const {
  SmallVector<Metadata *, 8> nodes;
  for (const LiveIn &input : inputs) {
    std::string words;
    if (input.described.address)
      words += "address ";
    if (input.value->getType()->isPointerTy() && metalift::isWritten(input.value, region))
      words += "written ";
    nodes.push_back(tuple({text(input.described.name), input.described.type, text(metalift::shapeOf(input.value, region)), text(words)}));
  }
  return tuple(nodes);
}

/// One node for each result: its name, its type in the source or null, and the type that the IR tells.
MDNode *Outliner::results() const {
  SmallVector<Metadata *, 4> nodes;
  for (const LiveOut &output : outputs) {
    SmallPtrSet<Value *, 8> seen;
    Described described = describeMerged(output.value, seen);
    std::string name = described ? described.name : plainName(output.value->getName());
    DIType *type = output.root ? nullptr : described.type;
    std::string shape = output.root ? "i64" : metalift::shapeOf(output.value, region);
    nodes.push_back(tuple({text(name.empty() ? "value" : name), type, text(shape), text(output.root ? "offset" : "")}));
  }
  return tuple(nodes);
}

/// The members that the nest reads again and again, as C text.
MDNode *Outliner::steady() const {
  SmallVector<Metadata *, 4> nodes;
  for (const LiveIn &input : inputs)
    if (input.field)
      nodes.push_back(text(input.described.text));
  return tuple(nodes);
}

/// Makes loads of the same place one value where nothing can have written to it in between, so that two pointers that are made of
/// it are seen to lead into one object. Only along straight lines of code.
void mergeLoads(Function &function) {
  const DataLayout &layout = function.getParent()->getDataLayout();
  using Place = std::tuple<Value *, int64_t, Type *>;
  std::map<BasicBlock *, std::map<Place, LoadInst *>> atEnd;
  for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function)) {
    BasicBlock *source = block->getSinglePredecessor();
    std::map<Place, LoadInst *> &known = atEnd[block];
    if (source && atEnd.count(source))
      known = atEnd[source];
    for (Instruction &instruction : make_early_inc_range(*block)) {
      auto *load = dyn_cast<LoadInst>(&instruction);
      if (load && load->isSimple()) {
        APInt offset(layout.getIndexTypeSizeInBits(load->getPointerOperandType()), 0);
        Value *base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
        auto [found, fresh] = known.try_emplace({base, offset.getSExtValue(), load->getType()}, load);
        if (!fresh && metalift::fieldOf(load)) {
          load->replaceAllUsesWith(found->second);
          load->eraseFromParent();
        }
      } else if (instruction.mayWriteToMemory() && !instruction.isLifetimeStartOrEnd())
        known.clear();
    }
  }
}

/// Gives each block that leads to a block without instructions, which no run comes to, one of its own: clang makes one of a function's.
void separateDeadEnds(Function &function) {
  SmallVector<BasicBlock *, 4> ends;
  for (BasicBlock &block : function)
    if (isa<UnreachableInst>(block.front()))
      ends.push_back(&block);
  for (BasicBlock *end : ends) {
    SmallSetVector<BasicBlock *, 4> sources(pred_begin(end), pred_end(end));
    for (BasicBlock *source : sources) {
      if (source == sources.front())
        continue; // it keeps the one that there is
      BasicBlock *own = BasicBlock::Create(function.getContext(), end->getName(), &function);
      new UnreachableInst(function.getContext(), own);
      source->getTerminator()->replaceSuccessorWith(end, own);
    }
  }
}

/// Outlines a loop and the loops in it; `outer` is the symbol of the nest around it.
void outlineAll(Loop &loop, Function &function, StringRef outer, std::set<std::string> &taken, NamedMDNode &list) {
  NestRegion region(loop);
  std::string name = function.getName().str() + "_line" + std::to_string(region.firstLine());
  std::string base = name;
  for (unsigned number = 2; !taken.insert(name).second; ++number)
    name = base + "_" + std::to_string(number);
  Outliner outliner(region, function);
  Function *made = outliner.run(name);
  LLVMContext &context = function.getContext();
  auto text = [&](const Twine &string) { return MDString::get(context, string.str()); };
  Metadata *none = MDNode::get(context, {});
  const DILocation *inlined = region.begin.get();
  DISubprogram *writtenIn = inlined && inlined->getInlinedAt() ? inlined->getScope()->getSubprogram() : nullptr;
  unsigned own = writtenIn ? inlined->getLine() : 0;
  list.addOperand(MDNode::get(context, {text(name), function.getSubprogram(), text(Twine(region.firstLine())), text(Twine(region.lastLine())),
                                        text(Twine(own)), writtenIn, text(outer), text(region.problem),
                                        made ? outliner.parameters() : none, made ? outliner.results() : none,
                                        made ? outliner.steady() : none}));
  for (Loop *inner : reverse(loop.getSubLoops()))
    outlineAll(*inner, function, name, taken, list);
}

} // namespace

PreservedAnalyses metalift::NestsPass::run(Module &module, ModuleAnalysisManager &) {
  SmallVector<Constant *, 16> globals;
  for (GlobalVariable &global : module.globals())
    if (!global.isConstant())
      globals.push_back(&global);
  convertUsersOfConstantsToInstructions(globals);
  if (module.debug_compile_units().empty())
    return PreservedAnalyses::none();
  const DICompileUnit *lifted = *module.debug_compile_units_begin(); // what is linked with it comes behind
  SmallVector<Function *, 16> functions;
  for (Function &function : module)
    if (isOfTheFile(function) && function.getSubprogram()->getUnit() == lifted)
      functions.push_back(&function);
  NamedMDNode *list = module.getOrInsertNamedMetadata("metalift.nests");
  for (Function *function : functions) {
    mergeLoads(*function);
    separateDeadEnds(*function);
    DominatorTree dominators(*function);
    LoopInfo loops(dominators);
    std::set<std::string> taken;
    for (Loop *loop : reverse(loops))
      outlineAll(*loop, *function, "", taken, *list);
  }
  return PreservedAnalyses::none();
}
