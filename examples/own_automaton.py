"""Search lattices with your own automaton: each keyword gains, each word costs.

    python own_automaton.py LATTICES OUTPUT KEYWORD...

The automaton has one state with a loop for each word: a keyword gains 1, any word costs a tenth. So the shorter of two
paths with the same keywords is better. OUTPUT is the automaton as an OpenFst file, which the command
line takes too: `lattice-oracle LATTICES --metric OUTPUT`.
"""

import sys

import pynini

import latticemetric as lm

ANY_WORD = "★"
PRICE = 0.1


def keyword_automaton(keywords: list[str]) -> pynini.Fst:
    """Return the automaton: weights are −score, its symbol table spells labels, and ★ matches any word."""
    symbols = pynini.SymbolTable()
    for symbol in ("<eps>", ANY_WORD, *keywords):
        symbols.add_symbol(symbol)
    automaton = pynini.Fst()
    state = automaton.add_state()
    automaton.set_start(state).set_final(state)
    for symbol, cost in [(ANY_WORD, PRICE), *((keyword, PRICE - 1) for keyword in keywords)]:
        number = symbols.find(symbol)
        automaton.add_arc(state, pynini.Arc(number, number, cost, state))
    return automaton.set_input_symbols(symbols).set_output_symbols(symbols)


def main(lattice_file: str, output: str, *keywords: str) -> None:
    """Print the best path of each lattice beside the model's own choice."""
    automaton = keyword_automaton(list(dict.fromkeys(keywords)))
    automaton.write(output)
    for name, lattice in lm.read(lattice_file):
        # A word takes ★ or its own arc, whichever gains more. Ties go to the least model cost.
        best = lm.automaton_oracle(lattice, automaton)
        for label, found in (("best", best), ("1-best", best.one_best)):
            print(f"{name} {label} {found.score:.2f} {' '.join(found.words)}")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    main(*sys.argv[1:])
