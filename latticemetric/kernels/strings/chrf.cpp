#include "strings/chrf.hpp"

#include <algorithm>
#include <cstring>

#include "memory/budget.hpp"
#include "strings/shared_ngrams.hpp"

// chrF (Popović 2015) and chrF++ (Popović 2017). Words are what white space separates, with one mark of ASCII
// punctuation taken off their end, or else off their beginning, as a word of its own.
namespace latticemetric {
namespace {

// Returns whether a character is white space of Unicode, as Python's `str.split` has it.
bool is_space(std::int32_t c) {
  if (c > 0x20 && c < 0x85) return false;  // most characters
  if (c <= 0x20) return (c >= 0x09 && c <= 0x0d) || c >= 0x1c;
  return c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 ||
         c == 0x202f || c == 0x205f || c == 0x3000;
}

bool is_punctuation(std::int32_t c) {
  return (c > 0x20 && c < 0x30) || (c > 0x39 && c < 0x41) || (c > 0x5a && c < 0x61) || (c > 0x7a && c < 0x7f);
}

// Numbers the distinct words of a pair, in order of appearance.
class ShortTexts {
 public:
  void forget() {
    // Frees only the slots that are in use, so that one long text does not make all later ones slow.
    for (const Text& text : texts_) slots_[text.slot] = nothing;
    texts_.clear();
  }

  std::int32_t number(const std::int32_t* begin, const std::int32_t* end) {
    if (2 * (texts_.size() + 1) > slots_.size()) grow();
    std::uint64_t hash = 0;
    for (const auto* c = begin; c < end; ++c) hash = (hash ^ static_cast<std::uint64_t>(*c)) * 0x9e3779b97f4a7c15u;
    const std::size_t at = place({begin, end, hash, 0});
    if (slots_[at] == nothing) {
      slots_[at] = static_cast<std::int32_t>(texts_.size());
      texts_.push_back({begin, end, hash, at});
    }
    return slots_[at];
  }

 private:
  struct Text {
    const std::int32_t *begin, *end;
    std::uint64_t hash;
    std::size_t slot;
    bool is(const Text& other) const {
      return hash == other.hash && std::equal(begin, end, other.begin, other.end);
    }
  };
  static constexpr std::int32_t nothing = -1;

  std::size_t place(const Text& text) const {
    std::size_t at = static_cast<std::size_t>(text.hash >> 32) & (slots_.size() - 1);
    while (slots_[at] != nothing && !texts_[static_cast<std::size_t>(slots_[at])].is(text))
      at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  void grow() {
    slots_.assign(2 * slots_.size(), nothing);
    for (std::size_t number = 0; number < texts_.size(); ++number) {
      const std::size_t at = place(texts_[number]);
      slots_[at] = static_cast<std::int32_t>(number);
      texts_[number].slot = at;
    }
  }

  std::vector<std::int32_t> slots_ = std::vector<std::int32_t>(128, nothing);  // a hash table with open addressing
  std::vector<Text> texts_;
};

class Counter {
 public:
  Counter(const TestSet& test, ChrfOrders orders) : test_(test), orders_(orders) {}

  std::vector<std::int64_t> counts() {
    const auto columns = static_cast<std::size_t>(orders_.characters + orders_.words);
    std::vector<std::int64_t> rows(3 * columns * static_cast<std::size_t>(test_.references.count), 0);
    std::vector<std::int64_t> shared(std::max<std::size_t>(1, columns));
    std::int64_t* row = rows.data();
    for (std::int64_t s = 0; s < test_.hypotheses.count; ++s)
      for (auto r = test_.owner[s]; r < test_.owner[s + 1]; ++r) {
        const String hypothesis = test_.hypotheses.at(s), reference = test_.references.at(r);
        poll(2 * (hypothesis.size + reference.size) + 100);
        const String characters = squeezed(hypothesis, hypothesis_);
        const String reference_characters = squeezed(reference, reference_);
        ngrams_.count(reference_characters, characters, orders_.characters, shared.data());
        row = put(row, characters.size, reference_characters.size, orders_.characters, shared.data());
        if (orders_.words == 0) continue;
        texts_.forget();
        const String words = split(hypothesis, hypothesis_words_), reference_words = split(reference, reference_words_);
        ngrams_.count(reference_words, words, orders_.words, shared.data());
        row = put(row, words.size, reference_words.size, orders_.words, shared.data());
      }
    return rows;
  }

 private:
  static std::int64_t* put(std::int64_t* row, std::int64_t hypothesis, std::int64_t reference, std::int32_t order,
                           const std::int64_t* shared) {
    for (std::int32_t k = 0; k < order; ++k) {
      const std::int64_t reference_ngrams = std::max<std::int64_t>(0, reference - k);
      // n-grams longer than the reference cannot match, and do not count.
      *row++ = reference_ngrams ? std::max<std::int64_t>(0, hypothesis - k) : 0;
      *row++ = reference_ngrams;
      *row++ = shared[k];
    }
    return row;
  }

  String squeezed(String text, std::vector<std::int32_t>& characters) const {
    if (orders_.with_spaces) return text;
    characters.resize(static_cast<std::size_t>(text.size));
    std::size_t size = 0;
    for (std::int64_t i = 0; i < text.size; ++i) {
      characters[size] = text.begin[i];
      size += !is_space(text.begin[i]);
    }
    return {characters.data(), static_cast<std::int64_t>(size)};
  }

  String split(String text, std::vector<std::int32_t>& words) {
    words.clear();
    const auto *at = text.begin, *const end = text.begin + text.size;
    const auto add = [&](const std::int32_t* from,
                         const std::int32_t* to) { words.push_back(texts_.number(from, to)); };
    for (;;) {
      while (at < end && is_space(*at)) ++at;
      if (at == end) break;
      const auto* const begin = at;
      while (at < end && !is_space(*at)) ++at;
      if (at - begin == 1) {
        add(begin, at);
      } else if (is_punctuation(at[-1])) {
        add(begin, at - 1);
        add(at - 1, at);
      } else if (is_punctuation(*begin)) {
        add(begin, begin + 1);
        add(begin + 1, at);
      } else {
        add(begin, at);
      }
    }
    return {words.data(), static_cast<std::int64_t>(words.size())};
  }

  const TestSet& test_;
  const ChrfOrders orders_;
  SharedNgrams ngrams_;
  ShortTexts texts_;
  std::vector<std::int32_t> hypothesis_, reference_, hypothesis_words_, reference_words_;
};

}  // namespace

std::vector<std::int64_t> chrf_counts(const TestSet& test, ChrfOrders orders) { return Counter(test, orders).counts(); }

}  // namespace latticemetric
