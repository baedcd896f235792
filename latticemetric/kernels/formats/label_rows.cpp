#include "formats/label_rows.hpp"

#include <charconv>

namespace latticemetric {

LabelRows<char> joined_rows(const std::int64_t* begin, const std::int32_t* ids, std::size_t count) {
  LabelRows<char> texts;
  texts.begin.reserve(count + 1);
  for (std::size_t row = 0; row < count; ++row) {
    for (auto k = begin[row]; k < begin[row + 1]; ++k) {
      poll(10);
      char id[12];
      char* const end = std::to_chars(id, id + sizeof id, ids[k]).ptr;
      if (k > begin[row]) texts.values.push_back('_');
      texts.values.insert(texts.values.end(), id, end);
    }
    texts.begin.push_back(static_cast<std::int64_t>(texts.values.size()));
  }
  return texts;
}

}  // namespace latticemetric
