// Integers of 128 bits, for sums that must be exact.
#pragma once

namespace latticemetric {

__extension__ using Int128 = __int128;
__extension__ using Unsigned128 = unsigned __int128;

}  // namespace latticemetric
