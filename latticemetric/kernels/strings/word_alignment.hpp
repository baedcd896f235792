// The best alignment of two strings if all errors count the same, as in WER and WRR.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "strings/test_set.hpp"

namespace latticemetric {

// Aligns as `Aligner` does, ties included. The time grows with the length and with the errors. Words are not negative.
// Buffers are kept from pair to pair.
class WordAligner {
 public:
  // The bytes of a pair's table that are kept. The more are kept, the less time it takes.
  static constexpr std::size_t usual_bytes = std::size_t{1} << 25;

  explicit WordAligner(std::size_t most_bytes = usual_bytes);
  ~WordAligner();

  const std::string& align(String hypothesis, String reference);
  // Returns the errors of that alignment. Takes less time: not all alignments that are as good have to be compared.
  std::int64_t fewest_errors(String hypothesis, String reference);

 private:
  class Table;
  std::unique_ptr<Table> table_;
};

}  // namespace latticemetric
