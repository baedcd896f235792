#include "formats/kaldi_binary.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>

#include "formats/text.hpp"
#include "memory/budget.hpp"

namespace latticemetric {
namespace {

constexpr std::int32_t magic = 2125659606;

struct TooShort {};

class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}

  template <typename T>
  T take() {
    T value;
    std::memcpy(&value, skip(sizeof(T)), sizeof(T));
    return value;
  }

  const char* skip(std::size_t size) {
    if (bytes_.size() - at_ < size) throw TooShort{};
    at_ += size;
    return bytes_.data() + at_ - size;
  }

  std::string_view text() {
    const auto size = take<std::int32_t>();
    if (size < 0 || size > 1000) fail("the name of a type has " + std::to_string(size) + " bytes");
    return {skip(static_cast<std::size_t>(size)), static_cast<std::size_t>(size)};
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw ParseError(1, "byte " + std::to_string(at_) + " of the lattice: " + what);
  }

  std::size_t at() const { return at_; }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

struct Weight {
  float cost[2];
  const char* ids = nullptr;  // transition ids, 32 bits each
  std::int32_t count = 0;
};

// Walks over a machine and calls a visitor: start(state, number of states, compact), final(state, weight), arc(source,
// input, output, weight, target).
template <typename Visitor>
class Walk {
 public:
  Walk(Bytes& bytes, Visitor& visitor) : bytes_(bytes), visitor_(visitor) {}

  void run() {
    const auto states = header();
    for (std::int64_t s = 0; s < states; ++s) {
      visitor_.final(static_cast<std::int32_t>(s), weight());
      const auto arcs = bytes_.template take<std::int64_t>();
      if (arcs < 0) bytes_.fail("a state has a negative number of arcs");
      for (std::int64_t a = 0; a < arcs; ++a) {
        poll(50);
        const auto input = bytes_.template take<std::int32_t>(), output = bytes_.template take<std::int32_t>();
        const Weight cost = weight();
        visitor_.arc(static_cast<std::int32_t>(s), input, output, cost, bytes_.template take<std::int32_t>());
      }
    }
  }

 private:
  std::int64_t header() {
    if (bytes_.template take<std::int32_t>() != magic) bytes_.fail("expected an OpenFst header");
    const std::string_view kind = bytes_.text(), arcs = bytes_.text();
    if (kind != "vector") bytes_.fail("a machine of type " + quoted(kind) + " cannot be read");
    compact_ = arcs == "compactlattice44";
    if (!compact_ && arcs != "lattice4") bytes_.fail("arcs of type " + quoted(arcs) + " are not those of a lattice");
    bytes_.skip(sizeof(std::int32_t));  // version
    if (bytes_.template take<std::int32_t>() & 3) bytes_.fail("symbol tables inside a lattice cannot be read");
    bytes_.skip(sizeof(std::uint64_t));  // properties
    const auto start = bytes_.template take<std::int64_t>(), states = bytes_.template take<std::int64_t>();
    visitor_.start(start, states, compact_);
    bytes_.skip(sizeof(std::int64_t));  // the number of arcs, which some writers do not set
    if (states < 0 || states >= 0x7fffffff) bytes_.fail("there cannot be " + std::to_string(states) + " states");
    return states;
  }

  Weight weight() {
    Weight result;
    for (float& cost : result.cost) cost = bytes_.template take<float>();
    if (!compact_) return result;
    result.count = bytes_.template take<std::int32_t>();
    if (result.count < 0) bytes_.fail("a weight has a negative number of transition ids");
    poll(result.count);
    result.ids = bytes_.skip(static_cast<std::size_t>(result.count) * sizeof(std::int32_t));
    return result;
  }

  Bytes& bytes_;
  Visitor& visitor_;
  bool compact_ = false;
};

struct Nothing {
  void start(std::int64_t, std::int64_t, bool) {}
  void final(std::int32_t, const Weight&) {}
  void arc(std::int32_t, std::int32_t, std::int32_t, const Weight&, std::int32_t) {}
};

class Collector {
 public:
  Collector(KaldiMachine& machine, std::string_view bytes)
      : machine_(machine), end_(bytes.data() + bytes.size()), size_(bytes.size()) {}

  void start(std::int64_t state, std::int64_t states, bool compact) {
    // Reserves room for the arcs of a large machine without transition ids. Room that is not used costs no memory.
    constexpr std::size_t large = std::size_t{1} << 20, bytes_an_arc = 24;
    const auto arcs = size_ < large ? 0 : size_ / bytes_an_arc;
    for (auto* column : {&machine_.source, &machine_.target, &machine_.output, &machine_.transitions})
      column->reserve(arcs);
    for (auto& column : machine_.cost) column.reserve(arcs);
    machine_.start = state;
    states_ = states;
    compact_ = compact;
  }

  void final(std::int32_t state, const Weight& weight) {
    const bool none = std::isinf(weight.cost[0]) && weight.cost[0] > 0;
    if (none && std::isinf(weight.cost[1]) && weight.cost[1] > 0) return;
    machine_.final.push_back(state);
    for (int k = 0; k < 2; ++k) machine_.final_cost[k].push_back(as_decimal(weight.cost[k]));
    machine_.final_transitions.push_back(number(weight));
  }

  void arc(std::int32_t source, std::int32_t input, std::int32_t output, const Weight& weight, std::int32_t target) {
    if (target < 0 || target >= states_) {
      throw ParseError(1, "state " + std::to_string(source) + " has an arc to state " + std::to_string(target) +
                       ", but there are only " + std::to_string(states_) + " states");
    }
    machine_.source.push_back(source);
    machine_.target.push_back(target);
    machine_.output.push_back(output);
    for (int k = 0; k < 2; ++k) machine_.cost[k].push_back(as_decimal(weight.cost[k]));
    // If weights hold no transition ids, the input label is the arc's only one.
    if (compact_ || input == 0)
      machine_.transitions.push_back(number(weight));
    else
      machine_.transitions.push_back(machine_.transition_rows.add(reinterpret_cast<const char*>(&input), 1, 1));
  }

 private:
  // Adds a weight's transition ids as a row, and returns the number of the row.
  std::int32_t number(const Weight& weight) {
    if (weight.count == 0) return 0;
    const auto most = static_cast<std::size_t>(end_ - weight.ids) / sizeof(std::int32_t);
    return machine_.transition_rows.add(weight.ids, static_cast<std::size_t>(weight.count), most);
  }

  KaldiMachine& machine_;
  const char* end_;
  std::size_t size_;
  std::int64_t states_ = 0;
  bool compact_ = false;
};

}  // namespace

bool has_valid_numbers(const KaldiMachine& machine) {
  const auto is_word = [](std::int32_t word) { return 0 <= word && word < INT32_MAX; };
  const auto are_finite = [](const std::vector<double>& costs) {
    return std::all_of(costs.begin(), costs.end(), [](double cost) { return std::isfinite(cost); });
  };
  return std::all_of(machine.output.begin(), machine.output.end(), is_word) &&
         std::all_of(std::begin(machine.cost), std::end(machine.cost), are_finite) &&
         std::all_of(std::begin(machine.final_cost), std::end(machine.final_cost), are_finite);
}

KaldiMachine parse_kaldi_binary(std::string_view data) {
  Bytes bytes(data);
  KaldiMachine machine;
  Collector collector(machine, data);
  try {
    Walk<Collector>(bytes, collector).run();
  } catch (const TooShort&) {
    throw ParseError(1, "the lattice is cut short");
  }
  if (bytes.at() != bytes.size()) throw ParseError(1, "there are bytes after the end of the lattice");
  machine.transition_rows.shrink();
  return machine;
}

std::size_t kaldi_binary_size(std::string_view data) {
  Bytes bytes(data);
  Nothing nothing;
  try {
    Walk<Nothing>(bytes, nothing).run();
  } catch (const TooShort&) {
    return 0;
  }
  return bytes.at();
}

namespace {

template <typename T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_weight(std::string& bytes, const KaldiWeights& weights, std::size_t k) {
  const auto size = static_cast<std::size_t>(weights.begin[k + 1] - weights.begin[k]);
  poll(static_cast<std::int64_t>(20 + size));
  append(bytes, weights.graph[k]);
  append(bytes, weights.acoustic[k]);
  append(bytes, static_cast<std::int32_t>(size));
  bytes.append(reinterpret_cast<const char*>(weights.ids + weights.begin[k]), size * sizeof *weights.ids);
}

}  // namespace

std::string write_kaldi_binary(const WrittenKaldiMachine& machine) {
  constexpr std::int64_t no_id[] = {0, 0};
  constexpr float infinite[] = {std::numeric_limits<float>::infinity()};
  const KaldiWeights not_final{infinite, infinite, no_id, nullptr};
  std::string bytes;
  std::size_t arc = 0, end = 0;
  for (std::int32_t state = 0; state < machine.states; ++state) {
    if (end < machine.ends && machine.final[end] == state)
      append_weight(bytes, machine.end, end++);
    else
      append_weight(bytes, not_final, 0);
    std::size_t after = arc;
    while (after < machine.arcs && machine.source[after] == state) ++after;
    append(bytes, static_cast<std::int64_t>(after - arc));
    for (; arc < after; ++arc) {
      append(bytes, machine.word[arc]);
      append(bytes, machine.word[arc]);
      append_weight(bytes, machine.arc, arc);
      append(bytes, machine.target[arc]);
    }
  }
  return bytes;
}

}  // namespace latticemetric
