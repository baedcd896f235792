#include "strings/ngram_index.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "memory/budget.hpp"

// The n-grams of a reference are looked up in an index of the strings, which tells what strings have each of them, and
// how often. If many strings have an n-gram, this is a row of bytes, one for each string, which vector instructions add
// up. Otherwise it is a list of the strings.
namespace latticemetric {
namespace {

constexpr std::int64_t no_row = -1;
constexpr std::int64_t least_share = 8;  // a row takes as many bytes as a list of every eighth string
constexpr std::int32_t most_in_row = std::numeric_limits<std::uint8_t>::max();
constexpr std::int64_t most_from_rows = std::numeric_limits<std::uint16_t>::max();

}  // namespace

NgramIndex::NgramIndex(const Strings& strings, std::int32_t order) : order_(order), strings_(strings.count) {
  if (strings_ > std::numeric_limits<std::int32_t>::max()) throw std::length_error("there are too many strings");
  struct Entry {
    std::int32_t ngram;
    Posting posting;
  };
  std::vector<Entry> entries;
  for (std::int64_t s = 0; s < strings_; ++s) {
    count(strings.at(s), [this](std::int32_t node, std::int32_t word) { return trie_.add(node, word); });
    for (const auto ngram : counted_)
      entries.push_back({ngram, {static_cast<std::int32_t>(s), times_[static_cast<std::size_t>(ngram)]}});
    forget();
  }
  begin_.assign(static_cast<std::size_t>(trie_.size()) + 1, 0);
  for (const Entry& entry : entries) ++begin_[static_cast<std::size_t>(entry.ngram) + 1];
  for (std::size_t n = 1; n < begin_.size(); ++n) begin_[n] += begin_[n - 1];
  std::vector<std::int64_t> next(begin_.begin(), begin_.end() - 1);
  postings_.resize(entries.size());
  for (const Entry& entry : entries)
    postings_[static_cast<std::size_t>(next[static_cast<std::size_t>(entry.ngram)]++)] = entry.posting;
  poll(static_cast<std::int64_t>(8 * entries.size()));
  add_rows();
}

// Counts the n-grams of a text. `step` returns the n-gram that a word makes of another one, or none.
template <typename Step>
void NgramIndex::count(String text, Step step) {
  for (std::int64_t i = 0; i < text.size; ++i) {
    const std::int64_t end = std::min<std::int64_t>(text.size, i + order_);
    std::int32_t node = NgramTrie::root;
    poll(10 * (end - i));
    for (std::int64_t k = i; k < end; ++k) {
      node = step(node, text.begin[k]);
      if (node == NgramTrie::none) break;
      const auto ngram = static_cast<std::size_t>(node);
      if (ngram >= times_.size()) times_.resize(2 * ngram + 1, 0);
      if (times_[ngram]++ == 0) counted_.push_back(node);
    }
  }
}

void NgramIndex::forget() {
  for (const auto ngram : counted_) times_[static_cast<std::size_t>(ngram)] = 0;
  counted_.clear();
}

void NgramIndex::add_rows() {
  const auto ngrams = static_cast<std::size_t>(trie_.size());
  row_.assign(ngrams, no_row);
  for (std::size_t n = 0; n < ngrams; ++n) {
    const auto *const from = postings_.data() + begin_[n], *const to = postings_.data() + begin_[n + 1];
    if (from == to || (to - from) * least_share < strings_) continue;
    if (std::any_of(from, to, [](const Posting& one) { return one.times > most_in_row; })) continue;
    poll(strings_ / 8 + 2 * (to - from));
    row_[n] = static_cast<std::int64_t>(rows_.size());
    rows_.resize(rows_.size() + static_cast<std::size_t>(strings_), 0);
    for (const auto* one = from; one < to; ++one)
      rows_[static_cast<std::size_t>(row_[n] + one->string)] = static_cast<std::uint8_t>(one->times);
  }
}

std::vector<std::int32_t> NgramIndex::matches(const Strings& references) {
  const auto size = static_cast<std::size_t>(order_ * strings_);
  auto found = filled<std::int32_t>(size * static_cast<std::size_t>(references.count), 0);
  from_rows_.assign(size, 0);
  try {
    for (std::int64_t r = 0; r < references.count; ++r)
      match(references.at(r), found.data() + size * static_cast<std::size_t>(r));
  } catch (...) {
    forget();
    throw;
  }
  return found;
}

void NgramIndex::match(String reference, std::int32_t* found) {
  const bool has_rows = reference.size <= most_from_rows;  // so that 16-bit sums do not overflow
  count(reference, [this](std::int32_t node, std::int32_t word) { return trie_.child(node, word); });
  for (const auto ngram : counted_) {
    const auto n = static_cast<std::size_t>(ngram);
    const std::int64_t first = (trie_.length(ngram) - 1) * strings_;
    if (has_rows && row_[n] != no_row) {
      const std::uint8_t* const row = rows_.data() + row_[n];
      const auto most = static_cast<std::uint8_t>(std::min(times_[n], most_in_row));
      std::uint16_t* const sums = from_rows_.data() + first;
      poll(strings_ / 8);
      for (std::int64_t s = 0; s < strings_; ++s)
        sums[s] = static_cast<std::uint16_t>(sums[s] + std::min(row[s], most));
    } else {
      poll(2 * (begin_[n + 1] - begin_[n]) + 2);
      for (auto at = begin_[n]; at < begin_[n + 1]; ++at) {
        const Posting one = postings_[static_cast<std::size_t>(at)];
        found[first + one.string] += std::min(one.times, times_[n]);
      }
    }
  }
  forget();
  if (!has_rows) return;
  for (std::size_t k = 0; k < from_rows_.size(); ++k) found[k] += from_rows_[k];
  std::fill(from_rows_.begin(), from_rows_.end(), std::uint16_t{0});
}

}  // namespace latticemetric
