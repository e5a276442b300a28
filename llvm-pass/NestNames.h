// What the source calls a value, and of which type it is there.
#pragma once

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"

#include <string>

namespace metalift {

/// A value as a person knows it.
///
/// `text` is a C expression for it (`s->q`), `name` a name made of that (`s_q`); `type` its debug information, null where there is
/// none. `address`: the value is the address of something of that type, which is a variable in memory.
struct Described {
  std::string text, name;
  llvm::DIType *type = nullptr;
  bool address = false;
  bool field = false; // a member of a struct, or what a global or an escaping local variable holds
  explicit operator bool() const { return !name.empty(); }
};

/// By a variable's debug records, else by the path of members from one; empty where nothing is known.
Described describe(llvm::Value *value);

/// The struct member or variable in memory that a load reads; empty for an element of an array.
Described fieldOf(llvm::LoadInst *load);

/// The type without its names and qualifiers.
llvm::DIType *plainType(llvm::DIType *type);

} // namespace metalift
