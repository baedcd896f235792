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

std::optional<LabelRows<std::int32_t>> split_rows(const std::int64_t* begin, const char* texts, std::size_t count) {
  LabelRows<std::int32_t> rows;
  rows.begin.reserve(count + 1);
  for (std::size_t row = 0; row < count; ++row) {
    const char *at = texts + begin[row], *const end = texts + begin[row + 1];
    while (at < end) {
      poll(10);
      const char* const digits = at + (*at == '-');
      std::int32_t id = 0;
      const auto [stop, error] = std::from_chars(at, end, id);
      if (error != std::errc() || (*digits == '0' && (digits > at || stop > at + 1))) return std::nullopt;
      rows.values.push_back(id);
      if (stop < end && (*stop != '_' || stop + 1 == end)) return std::nullopt;
      at = stop < end ? stop + 1 : end;
    }
    rows.begin.push_back(static_cast<std::int64_t>(rows.values.size()));
  }
  return rows;
}

}  // namespace latticemetric
