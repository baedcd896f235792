// Searches of many lattices: threads find what one thread finds, and stop together.
#include "blocks/threads.hpp"

#include <atomic>

#include "blocks/rate_search.hpp"
#include "driver.hpp"

namespace latticemetric::tests {
namespace {

std::size_t no_limit() { return std::size_t{1} << 40; }

// Returns a lattice of a text archive; some lack a line end, a final state, or an order.
std::string text_of(const OwnLattice& own, Random& random) {
  std::string text = "id \n";
  for (std::size_t a = 0; a < own.source.size(); ++a) {
    const std::string word = own.label[a] == 0 ? "<eps>" : "w" + std::to_string(own.label[a]);
    text += std::to_string(own.source[a]) + " " + std::to_string(own.target[a]) + " " + word + " " +
            std::to_string(own.cost[a]) + ",0.25,\n";
  }
  if (random.below(10) == 0) text += "1 0 w1 1,1,\n";
  if (random.below(10) == 0) text += "1 2 w1 no number\n";
  if (random.below(10) > 0) text += std::to_string(own.states - 1) + "\n";
  return text;
}

void expect_same(const RateFindings& found, const RateFindings& expected) {
  expect(found.outcome == expected.outcome, "the outcome differs");
  expect(found.used_words == expected.used_words && found.first_word == expected.first_word, "words differ");
  expect(found.one_best.arcs == expected.one_best.arcs && found.oracle.size() == expected.oracle.size(),
         "the 1-best differs");
  for (std::size_t k = 0; k < found.oracle.size(); ++k) {
    expect(found.oracle[k].arcs == expected.oracle[k].arcs && found.oracle[k].text == expected.oracle[k].text &&
               found.oracle[k].cost == expected.oracle[k].cost,
           "an oracle differs");
    expect(found.oracle_score[k].edits == expected.oracle_score[k].edits &&
               found.oracle_score[k].counts == expected.oracle_score[k].counts &&
               found.one_best_score[k].counts == expected.one_best_score[k].counts,
           "a score differs");
  }
}

void find_the_same() {
  Random random(29);
  std::vector<std::string> texts;
  std::vector<std::vector<std::string>> spelled;
  for (int k = 0; k < 400; ++k) {
    texts.push_back(text_of(OwnLattice(random, 1 + random.below(12), 4), random));
    auto& words = spelled.emplace_back();
    for (const auto word : random.words(random.below(8), 5)) words.push_back("w" + std::to_string(word));
  }
  std::vector<RateTask> tasks;
  for (std::size_t k = 0; k < texts.size(); ++k) {
    RateTask& task = tasks.emplace_back();
    task.format = RateTask::kaldi_words;
    task.bytes = texts[k];
    task.references.emplace_back(spelled[k].begin(), spelled[k].end());
  }
  const RateSettings settings{{{4, 1, 1, 0}, {1, 1, 1, 1}}, {1, 0.5}, {"w3"}, {"w3", "w4"}, {"w1", "w9"}, true};
  const Budget budget(no_limit, [] {});
  std::set<std::string> expected_seen;
  const auto expected = found_in_threads(tasks, settings, {}, 1, no_limit, expected_seen);
  std::size_t plain = 0;
  for (const auto& one : expected) plain += one.outcome == RateFindings::plain;
  expect(plain > 200 && plain < texts.size(), "too few lattices are plain, or all");
  for (std::size_t count = 2; count <= 4; ++count) {
    std::set<std::string> seen;
    const auto found = found_in_threads(tasks, settings, {}, count, no_limit, seen);
    expect(seen == expected_seen && seen.count("w1") == 1, "the words that were seen differ");
    for (std::size_t k = 0; k < tasks.size(); ++k) expect_same(found[k], expected[k]);
  }
}

// Thread 0 ends by an exception: the others, which would go on for ever, stop.
void stop_together() {
  struct Ended {};
  const Budget budget(no_limit, [] {});
  std::atomic<int> others{0};
  bool has_ended = false;
  try {
    in_threads(3, 100, no_limit, [&](std::size_t thread, std::size_t) {
      if (thread == 0) {
        while (others.load() < 2) poll();
        throw Ended{};
      }
      ++others;
      for (;;) poll();
    });
  } catch (const Ended&) {
    has_ended = true;
  }
  expect(has_ended, "the exception is lost");
}

}  // namespace

void threads() {
  find_the_same();
  stop_together();
}

}  // namespace latticemetric::tests
