// Runs the tests that are named, or all.
#include "driver.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>

namespace latticemetric::tests {

std::vector<std::int64_t> Definition::start(std::int32_t q) const {
  std::vector<std::int64_t> row(static_cast<std::size_t>(states()), unreached);
  row[q] = 0;
  close(row);
  return row;
}

std::vector<std::int64_t> Definition::advance(const std::vector<std::int64_t>& row, std::int32_t word) const {
  std::vector<std::int64_t> next(row.size(), unreached);
  for (std::int32_t s = 0; s < states(); ++s) {
    if (row[s] == unreached) continue;
    const std::int32_t i = gains_.position(s);
    const bool is_last = i == size();
    gains_.each_reading(i, gains_.run(s), is_last, !is_last && reference_[i] == word,
                        [&](std::int32_t j, std::int32_t m, std::int64_t gain, Edit) {
                          raise(next[gains_.state(j, m)], row[s] + gain);
                        });
  }
  close(next);
  return next;
}

void Definition::close(std::vector<std::int64_t>& row) const {
  for (std::int32_t i = 0; i <= size(); ++i) {
    for (std::int32_t m = gains_.order - 1; m > 0; --m) raise(row[gains_.state(i, m - 1)], row[gains_.state(i, m)]);
    if (i < size() && row[gains_.state(i, 0)] != unreached)
      raise(row[gains_.state(i + 1, 0)], row[gains_.state(i, 0)] + gains_.deletion);
  }
}

std::int64_t Definition::end(const std::vector<std::int64_t>& row) const {
  return *std::max_element(row.begin() + gains_.state(size(), 0), row.end());
}

std::int64_t Definition::of(const std::vector<std::int32_t>& words) const {
  auto row = start(0);
  for (const auto word : words) row = advance(row, word);
  return end(row);
}

std::vector<std::vector<std::int64_t>> Definition::before(const Lattice& lattice) const {
  std::vector<std::vector<std::int64_t>> rows(static_cast<std::size_t>(lattice.states),
                                              std::vector<std::int64_t>(static_cast<std::size_t>(states()), unreached));
  rows[0] = start(0);
  for (std::int64_t a = 0; a < lattice.arcs; ++a) {
    const auto& from = rows[lattice.source[a]];
    const auto reached = lattice.label[a] == 0 ? from : advance(from, lattice.label[a]);
    for (std::size_t s = 0; s < reached.size(); ++s) raise(rows[lattice.target[a]][s], reached[s]);
  }
  return rows;
}

std::vector<std::vector<std::int64_t>> Definition::after(const Lattice& lattice) const {
  std::vector<std::vector<std::int64_t>> rows(static_cast<std::size_t>(lattice.states));
  for (std::int32_t v = lattice.states - 1; v >= 0; --v) {
    rows[v].assign(static_cast<std::size_t>(states()), unreached);
    for (std::int32_t q = 0; q < states(); ++q) {
      const auto row = start(q);
      if (lattice.is_final(v)) raise(rows[v][q], end(row));
      for (std::int64_t a = 0; a < lattice.arcs; ++a) {
        if (lattice.source[a] != v) continue;
        const auto reached = lattice.label[a] == 0 ? row : advance(row, lattice.label[a]);
        for (std::int32_t s = 0; s < states(); ++s)
          if (reached[s] != unreached && rows[lattice.target[a]][s] != unreached)
            raise(rows[v][q], reached[s] + rows[lattice.target[a]][s]);
      }
    }
  }
  return rows;
}

}  // namespace latticemetric::tests

int main(int count, char** names) {
  using namespace latticemetric::tests;
  constexpr struct {
    const char* name;
    void (*run)();
  } all[] = {{"transitions", transitions}, {"tables", tables},     {"columns", columns},
             {"bounds", bounds},           {"log_sums", log_sums}, {"incoming_arcs", incoming_arcs},
             {"threads", threads}};
  bool passed = true;
  for (const auto& [name, run] : all) {
    const auto is_named = [test = name](const char* other) { return std::strcmp(test, other) == 0; };
    if (count > 1 && std::none_of(names + 1, names + count, is_named)) continue;
    try {
      run();
      std::printf("%s: passed\n", name);
    } catch (const std::exception& error) {
      std::printf("%s: %s\n", name, error.what());
      passed = false;
    }
  }
  return passed ? 0 : 1;
}
