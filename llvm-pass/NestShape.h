// Types that the IR alone tells of a value, where the source has no variable for it.
#pragma once

#include "NestRegion.h"

namespace metalift {

/// The type as a word: `bool`, `i32`, `u8`, `f32`; `*f32` for a pointer to such elements; `*` where the accesses do not agree.
///
/// The signedness of an integer is that of the operations on it in the region, signed where there are none.
std::string shapeOf(llvm::Value *value, const NestRegion &region);

/// Whether the region may store through the pointer.
bool isWritten(llvm::Value *pointer, const NestRegion &region);

} // namespace metalift
