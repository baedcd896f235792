// The words of a lattice that was read: their numbers on arcs, and their texts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formats/text.hpp"

namespace latticemetric {

inline constexpr std::int32_t unknown_word = -1;  // a word that has no number in a lattice

// The words that a file of symbols gives numbers 1, 2, …. Texts live as long as their owner.
class SymbolTable {
 public:
  explicit SymbolTable(std::vector<std::string_view> words) : words_(std::move(words)) {
    numbers_.reserve(words_.size());
    for (std::size_t k = 0; k < words_.size(); ++k) numbers_.emplace(words_[k], static_cast<std::int32_t>(k) + 1);
  }

  std::int32_t number(std::string_view word) const {
    const auto entry = numbers_.find(word);
    return entry == numbers_.end() ? unknown_word : entry->second;
  }

  std::string_view word(std::int32_t number) const { return words_[static_cast<std::size_t>(number) - 1]; }
  std::int32_t highest() const { return static_cast<std::int32_t>(words_.size()); }

 private:
  std::vector<std::string_view> words_;
  std::unordered_map<std::string_view, std::int32_t> numbers_;
};

// The words of one lattice: those of a symbol table, those that its text spells, or plain numbers.
class LatticeWords {
 public:
  LatticeWords() = default;
  explicit LatticeWords(const SymbolTable& table) : kind_(of_table), table_(&table) {}
  explicit LatticeWords(Words spelled) : kind_(spelled_out), spelled_(std::move(spelled)) {}

  bool are_numbers() const { return kind_ == numbers; }

  // Returns the number of a word on arcs: 0 if it stands for ε there, `unknown_word` if no arc can have it.
  std::int32_t number(std::string_view word) const {
    if (kind_ == of_table) return table_->number(word);
    if (kind_ == spelled_out) {
      if (const auto known = spelled_.known(word)) return *known;
      return WordColumn::is_epsilon(word) ? 0 : unknown_word;
    }
    std::int32_t number = 0;
    return parse_number(word, number) ? number : unknown_word;
  }

  // Appends the word of a number to a text.
  void append(std::int32_t number, std::string& text) const {
    if (kind_ == of_table)
      text += table_->word(number);
    else if (kind_ == spelled_out)
      text += spelled_.words()[static_cast<std::size_t>(number) - 1];
    else
      text += std::to_string(number);
  }

 private:
  enum { numbers, spelled_out, of_table } kind_ = numbers;
  const SymbolTable* table_ = nullptr;
  Words spelled_;
};

}  // namespace latticemetric
