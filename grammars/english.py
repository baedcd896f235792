"""English for scoring speech: different spellings of the same words become equal.

`NORMALIZE` gives both sides of a comparison one form: lower case, no punctuation, one spelling, unambiguous
contractions in full, numbers as words, hesitations as one word. `ALTERNATIVES` adds further forms of a normalised
reference: `he's` is `he is` or `he has`, a hesitation may be left out, a year has several readings. sclite's GLM files
serve the same purpose.

A rule rewrites bytes (UTF-8); words are separated by single spaces. Words in brackets (`<s>`, `[noise]`) stay as they
are. Like pynini's own grammars, this one can export itself (pynini's exporter needs absl-py):

    python english.py --output english.far
"""

from __future__ import annotations

import pynini
from pynini.export import export
from pynini.lib import byte, pynutil

# ---- Letters, words, and where they begin and end ----

_SIGMA = byte.BYTE.star.optimize()
_LETTER = pynini.difference(byte.BYTE, " ").optimize()
_BEGIN = pynini.union("[BOS]", " ")
_END = pynini.union(" ", "[EOS]")
_DIGIT = pynini.union(*"0123456789").optimize()
_BRACKETED = pynini.union(
    pynini.accep("<") + _LETTER.star + ">", pynini.escape("[") + _LETTER.star + pynini.escape("]")
).optimize()


def _rewriting(what: pynini.Fst, before: pynini.FstLike = "", after: pynini.FstLike = "") -> pynini.Fst:
    """Rewrite everywhere between these contexts."""
    return pynini.cdrewrite(what, before, after, _SIGMA).optimize()


def _table(text: str) -> list[tuple[str, str]]:
    """Read rows of `word, word = other words`."""
    rows = (line.split(" = ") for line in text.strip().splitlines())
    return [(word.strip(), others.strip()) for words, others in rows for word in words.split(",")]


def _words(text: str) -> pynini.Fst:
    """Rewrite the whole words of a table."""
    return _rewriting(pynini.string_map(_table(text)), _BEGIN, _END)


# ---- Letters: ASCII, and the accented ones of Latin-1 and Latin Extended-A ----

_CAPITALS = [(big, big.lower()) for big in map(chr, range(0x180)) if big.isupper() and len(big.lower()) == 1]
LOWER_CASE = _rewriting(pynini.string_map(_CAPITALS))

# ---- Punctuation ----

_TYPOGRAPHY = _rewriting(
    pynini.union(
        pynini.cross(pynini.union("’", "‘", "ʼ", "`"), "'"),
        pynini.cross(pynini.union("–", "—", "‐", "‑", "−"), "-"),
        pynini.cross(pynini.union("“", "”", "„", "«", "»"), '"'),
        pynini.cross("…", "."),
    )
)
_MARK = pynini.union(".", ",", "?", "!", ";", ":", '"', "(", ")", "{", "}").optimize()
_QUOTE = pynini.accep("'")
_EDGE = pynini.union(_MARK, _QUOTE).star.optimize()

# "-5" and ".5" are more than their digits.
_SIGNS = (
    _rewriting(pynini.cross("-", "minus "), _BEGIN, pynini.union(_DIGIT, "." + _DIGIT))
    @ _rewriting(pynini.cross(".", "point "), _BEGIN, _DIGIT)
).optimize()
# Assent has hyphens, and is not made of hesitations.
_ASSENT = _rewriting(
    pynini.string_map(_table("uh-huh, uh-hum = uhhuh\nmm-hmm, mm-hm, m-hm, hm-mm = mhm")), _BEGIN, _EDGE + _END
)
_HYPHENS = _rewriting(pynini.cross("-", " "))
_MARKS = (
    _rewriting(pynutil.delete(_MARK), "", _EDGE + _END) @ _rewriting(pynutil.delete(_MARK), _BEGIN + _EDGE)
).optimize()
_CLIPPED = _words("o.k = okay\n'em = them\n'cause, 'cos, 'cuz = because\n'til = until\n'bout = about\n'round = around")
_QUOTES = (
    _rewriting(pynutil.delete(_QUOTE), "", _QUOTE.star + _END)
    @ _rewriting(pynutil.delete(_QUOTE), _BEGIN + _QUOTE.star)
).optimize()
# "u.s.a" is said letter by letter.
_SIGN = pynini.union(*"abcdefghijklmnopqrstuvwxyz", *"ABCDEFGHIJKLMNOPQRSTUVWXYZ").optimize()
_INITIALS = _rewriting(_SIGN + (pynini.cross(".", " ") + _SIGN).plus, _BEGIN, _END)
PUNCTUATION = (_TYPOGRAPHY @ _SIGNS @ _ASSENT @ _HYPHENS @ _MARKS @ _CLIPPED @ _QUOTES @ _INITIALS).optimize()

# ---- Numbers ----

_UNITS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_TEENS = ["ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]

_space = pynutil.insert(" ")
_unit = pynini.string_map([(str(k), word) for k, word in enumerate(_UNITS, start=1)])
_teen = pynini.string_map([(str(k), word) for k, word in enumerate(_TEENS, start=10)])
_ten = pynini.string_map([(str(k), word) for k, word in enumerate(_TENS, start=2)])
_spelled_digit = pynini.union(_unit, pynini.cross("0", "zero"))
_spelled = _spelled_digit + (_space + _spelled_digit).star
# Two or three digits that are not all zeros; leading zeros are not said.
_pair = pynini.union(_teen, _ten + pynutil.delete("0"), _ten + _space + _unit, pynutil.delete("0") + _unit).optimize()
_triple = pynini.union(
    _unit + pynutil.insert(" hundred") + pynini.union(pynutil.delete("00"), _space + _pair), pynutil.delete("0") + _pair
).optimize()
_leads = (pynini.difference(_DIGIT, "0") + _DIGIT.star).optimize()
_leading = (_leads @ pynini.union(_unit, _pair, _triple)).optimize()
_last_three = pynini.union(pynutil.delete("000"), _space + _triple)


def _large(comma: str) -> pynini.Fst:
    """Read thousands and millions, with or without commas between groups."""
    between = pynutil.delete(comma)
    thousands = pynini.union(pynutil.delete("000"), _space + _triple + pynutil.insert(" thousand"))
    return pynini.union(
        _leading + pynutil.insert(" thousand") + between + _last_three,
        _leading + pynutil.insert(" million") + between + thousands + between + _last_three,
    )


CARDINAL = pynini.union(pynini.cross("0", "zero"), _leading, _large(""), _large(",")).optimize()
# Other runs of digits (007, telephone numbers) are read digit by digit.
_DIGITS = (pynini.difference(_DIGIT.plus, pynini.project(CARDINAL, "input")) @ _spelled).optimize()
_DECIMAL = CARDINAL + pynini.cross(".", " point ") + _spelled

_REGULAR = pynini.union("four", "six", "seven", "ten", "eleven", "teen", "hundred", "thousand", "million", "zero")
_LAST_WORD = pynini.union(
    pynini.string_map(
        [("one", "first"), ("two", "second"), ("three", "third"), ("five", "fifth"), ("eight", "eighth")]
        + [("nine", "ninth"), ("twelve", "twelfth")]
        + [(word, word[:-1] + "ieth") for word in _TENS]
    ),
    _REGULAR + pynutil.insert("th"),
)
_letters = pynini.union(*"abcdefghijklmnopqrstuvwxyz ").star
_last = pynini.cdrewrite(_LAST_WORD, "", "[EOS]", _SIGMA)
ORDINAL = (CARDINAL @ _letters @ _last + pynutil.delete(pynini.union("st", "nd", "rd", "th"))).optimize()

NUMBERS = _rewriting(
    pynini.union(
        CARDINAL,
        _DIGITS,
        _DECIMAL,
        ORDINAL,
        pynini.union(CARDINAL, _DECIMAL) + pynini.cross("%", " percent"),
        pynini.cross("$1", "one dollar"),
        pynutil.delete("$")
        + (pynini.difference(pynini.project(CARDINAL, "input"), "1") @ CARDINAL)
        + pynutil.insert(" dollars"),
    ),
    _BEGIN,
    _END,
)

# Across words: "a hundred and five" is "one hundred five".
_NUMBER_WORD = pynini.union(*_UNITS, *_TEENS, *_TENS).optimize()
_POWER = pynini.union("hundred", "thousand", "million")
NUMBER_PHRASES = (
    _rewriting(pynini.cross("a", "one"), _BEGIN, " " + _POWER + _END)
    @ _rewriting(pynutil.delete("and "), _BEGIN + _POWER + " ", _NUMBER_WORD + _END)
).optimize()

# ---- Words ----

_TAKES_NOT = """
is are was were do does did has have had could would should might must need
""".split()
_FULL_FORMS = {"re": ("are", "you we they"), "ve": ("have", "i you we they could would should might must")}
_FULL_FORMS["ll"] = ("will", "i you he she it we they that there who what")
CONTRACTIONS = _words(
    "\n".join(
        [f"{word}n't = {word} not" for word in _TAKES_NOT]
        + [f"{word}'{end} = {word} {full}" for end, (full, words) in _FULL_FORMS.items() for word in words.split()]
    )
    + """
can't, cannot = can not
won't = will not
shan't = shall not
i'm = i am
let's = let us
y'all = you all
gonna = going to
wanna = want to
gotta = got to
kinda = kind of
sorta = sort of
lemme = let me
gimme = give me
outta = out of
dunno = do not know
"""
)
SPELLING = _words(
    """
ok = okay
alright = all right
mr = mister
mrs = missus
dr = doctor
vs = versus
etc = et cetera
& = and
tv = t v
colour = color
colours = colors
favour = favor
favourite = favorite
flavour = flavor
honour = honor
humour = humor
labour = labor
neighbour = neighbor
neighbours = neighbors
behaviour = behavior
centre = center
theatre = theater
metre = meter
metres = meters
grey = gray
programme = program
programmes = programs
cheque = check
defence = defense
licence = license
travelled = traveled
travelling = traveling
cancelled = canceled
realise = realize
realised = realized
organise = organize
organised = organized
recognise = recognize
recognised = recognized
"""
)
HESITATIONS = _words("ah, eh, er, erm, hm, hmm, mm, uh, uhh, uhm, um, umm = %hesitation\nmmhmm, mmhm = mhm")

# ---- Both sides: one form ----

_WORD = (LOWER_CASE @ PUNCTUATION @ NUMBERS @ CONTRACTIONS @ SPELLING @ HESITATIONS).optimize()
_ANY_WORD = pynini.union(_BRACKETED, pynini.difference(_LETTER.plus, _BRACKETED) @ _WORD).optimize()


def _sequence(word: pynini.Fst) -> pynini.Fst:
    """Accept words with single spaces between them: a closure without a second copy, which needs no optimization."""
    text = word.copy()
    for state in text.states():
        if text.final(state) != pynini.Weight.zero("tropical"):
            text.add_arc(state, pynini.Arc(ord(" "), ord(" "), text.final(state), text.start()))
    return text


# Remove the space of a word that vanished.
_SPACES = (_rewriting(pynutil.delete(" "), _BEGIN) @ _rewriting(pynutil.delete(" "), "", "[EOS]")).optimize()
NORMALIZE = (_sequence(_ANY_WORD) @ (_SPACES @ NUMBER_PHRASES).optimize()).connect()

# ---- References: further forms ----


def _either(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Allow a contraction for its full form."""
    return [*pairs, *((full, short) for short, full in pairs)]


_IS_OR_HAS = ["he", "she", "it", "that", "there", "here", "what", "who", "where", "when", "how", "this"]
_WOULD_OR_HAD = ["i", "you", "he", "she", "it", "we", "they", "that", "there", "who"]
_AMBIGUOUS = pynini.string_map(
    _either([(f"{word}'s", f"{word} {verb}") for word in _IS_OR_HAS for verb in ("is", "has")])
    + _either([(f"{word}'d", f"{word} {verb}") for word in _WOULD_OR_HAD for verb in ("would", "had")])
)
_century = (pynini.union(*map(str, range(11, 21))) @ _pair).optimize()
_year = pynini.union(
    _century + _space + pynini.union(pynutil.delete("0") + pynutil.insert("oh ") + _unit, _ten + pynutil.delete("0")),
    _century + _space + pynini.union(_teen, _ten + _space + _unit),
    (pynini.union(*map(str, range(11, 20))) @ _pair)
    + pynutil.insert(" hundred")
    + pynini.union(pynutil.delete("00"), _space + _pair),
).optimize()
_reading = pynini.union(_year, pynini.union(*map(str, range(1100, 2100))).optimize() @ CARDINAL).optimize()
YEARS = (pynini.invert(_reading) @ _reading).optimize()


def _optional(what: pynini.Fst) -> pynini.Fst:
    """Rewrite words or leave them."""
    return pynini.cdrewrite(what, _BEGIN, _END, _SIGMA, mode="opt").optimize()


ALTERNATIVES = (_optional(_AMBIGUOUS) @ _optional(pynutil.delete("%hesitation")) @ _optional(YEARS)).optimize()

_RULES = {
    "NORMALIZE": NORMALIZE,
    "ALTERNATIVES": ALTERNATIVES,
    "LOWER_CASE": LOWER_CASE,
    "PUNCTUATION": PUNCTUATION,
    "NUMBERS": NUMBERS,
    "NUMBER_PHRASES": NUMBER_PHRASES,
    "CONTRACTIONS": CONTRACTIONS,
    "SPELLING": SPELLING,
    "HESITATIONS": HESITATIONS,
}


def generator_main(exporter: export.Exporter) -> None:
    """Export the two rules that are applied, and the parts of the first."""
    for name, rule in _RULES.items():
        exporter[name] = rule


if __name__ == "__main__":
    from pynini.export import grm

    grm.run(generator_main)
