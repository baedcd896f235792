"""A grammar of English for scoring speech: different spellings of the same words become equal.

`NORMALIZE` gives both sides of a comparison one form: lower case, no punctuation, one spelling, unambiguous
contractions in full, numbers, times and sums of money as words, initials joined, hesitations as one word.
`ALTERNATIVES` adds further forms of a normalised reference: `he's` is `he is` or `he has`, a hesitation may be left
out, a number has several readings. sclite's GLM files serve the same purpose.

A rule rewrites bytes (UTF-8); words are separated by single spaces. Words in brackets (`<s>`, `[noise]`) stay as they
are. Like pynini's own grammars, this one can export itself (pynini's exporter needs absl-py):

    python english.py --output english.far
"""

from __future__ import annotations

from unicodedata import normalize

import pynini
from pynini.export import export
from pynini.lib import byte, pynutil

# ---- Letters, words, and where they begin and end ----

_SIGMA = byte.BYTE.star.optimize()
_LETTER = pynini.difference(byte.BYTE, " ").optimize()
_BEGIN = pynini.union("[BOS]", " ")
_END = pynini.union(" ", "[EOS]")
_DIGIT = pynini.union(*"0123456789").optimize()
_SMALL = pynini.union(*"abcdefghijklmnopqrstuvwxyz").optimize()
_CAPITAL = pynini.union(*"ABCDEFGHIJKLMNOPQRSTUVWXYZ").optimize()


def _rewriting(
    what: pynini.Fst, before: pynini.FstLike = "", after: pynini.FstLike = "", sigma: pynini.Fst = _SIGMA
) -> pynini.Fst:
    """Return the rule that applies a transducer to every match between two contexts."""
    return pynini.cdrewrite(what, before, after, sigma).optimize()


def _table(text: str) -> list[tuple[str, str]]:
    """Return pairs of a word and its replacement, from lines like `word, word = replacement`."""
    rows = (line.split(" = ") for line in text.strip().splitlines())
    return [(word.strip(), others.strip()) for words, others in rows for word in words.split(",")]


def _words(*what: str | pynini.Fst, letter: pynini.Fst = _LETTER) -> pynini.Fst:
    """Return the rule that rewrites whole words, by tables (see `_table`) or by transducers.

    `_rewriting` between `_BEGIN` and `_END` is equivalent, but takes very long to compile for thousands of words.
    """
    maps = [pynini.string_map(_table(one)) if isinstance(one, str) else one for one in what]
    rewritten = pynini.union(*maps).optimize()
    others = pynini.difference(letter.plus, pynini.project(rewritten, "input").optimize())
    word = pynini.union(rewritten, others).ques.optimize()
    return (word + (" " + word).star).optimize()


def _any_of(text: str) -> pynini.Fst:
    """Return the acceptor of the single words of a text."""
    return pynini.union(*text.split()).optimize()


# ---- Letters: ASCII, and accented letters of Latin-1 and Latin Extended-A ----

_CAPITALS = [(big, big.lower()) for big in map(chr, range(0x180)) if big.isupper() and len(big.lower()) == 1]
LOWER_CASE = _rewriting(pynini.string_map(_CAPITALS))

_ACCENTED = [(letter, normalize("NFD", letter)[0]) for letter in map(chr, range(0xC0, 0x180))]
_WITHOUT_ACCENT = [(letter, base) for letter, base in _ACCENTED if base.isascii() and base.isalpha()] + [
    ("ø", "o"), ("Ø", "O"), ("æ", "ae"), ("Æ", "AE"), ("œ", "oe"), ("Œ", "OE"), ("ß", "ss"), ("ł", "l"), ("Ł", "L")
]  # fmt: skip
ACCENTS = _rewriting(pynini.string_map(_WITHOUT_ACCENT))

# ---- Punctuation ----

_TYPOGRAPHY = _rewriting(
    pynini.union(
        pynini.cross(pynini.union("’", "‘", "ʼ", "`"), "'"),
        pynini.cross(pynini.union("–", "—", "‐", "‑", "−"), "-"),
        pynini.cross(pynini.union("“", "”", "„", "«", "»"), '"'),
        pynini.cross("…", "."),
    )
)
_MARK = pynini.union(".", ",", "?", "!", ";", ":", '"', "(", ")", "{", "}", "*").optimize()
_QUOTE = pynini.accep("'")
_EDGE = pynini.union(_MARK, _QUOTE).star.optimize()


def _digits(*counts: int, between: str = "-") -> pynini.Fst:
    """Return the transducer that separates the digits of a number, given the lengths of its groups of digits."""
    each = _DIGIT + pynutil.insert(" ")
    groups = [each**count for count in counts]
    whole = groups[0]
    for group in groups[1:]:
        whole = whole + pynutil.delete(between) + group
    return whole


_TELEPHONE = _rewriting(
    pynini.union(
        _digits(3, 4), _digits(3, 3, 4), _digits(1, 3, 3, 4), _digits(3, 2, 4), _digits(1, 1, 1),
        _digits(3, 3, 4, between="."), pynutil.delete("(") + _digits(3) + pynutil.delete(")"),
    ),
    _BEGIN,
    _EDGE + _END,
)  # fmt: skip
# "10-20" is said "ten to twenty", "1:1" "one to one", 5'10 "five ten".
_AMOUNT = (_DIGIT + pynini.union(_DIGIT, ".", ",").star).optimize()
_RANGE = _rewriting(
    pynini.union(
        _AMOUNT + pynini.accep("%").ques + pynini.cross("-", " to ") + pynini.accep("$").ques + _AMOUNT,
        _DIGIT.plus + pynini.cross(":", " to ") + _DIGIT,
        _DIGIT + pynini.cross("'", " ") + _DIGIT.plus,
    ),
    _BEGIN + pynini.accep("$").ques,
    pynini.accep("%").ques + _EDGE + _END,
)
# The signs in "-5", ".5" and "#5" become words.
_SIGNS = (
    _rewriting(pynini.cross("-", "minus "), _BEGIN, pynini.union(_DIGIT, "." + _DIGIT, "$" + _DIGIT))
    @ _rewriting(pynini.cross(".", "point "), _BEGIN, _DIGIT)
    @ _rewriting(pynini.cross("#", "number "), _BEGIN, _DIGIT)
).optimize()
# "uh-huh" and "uh-uh" are single words, and their parts are not hesitations.
_ASSENT = _rewriting(
    pynini.string_map(
        _table("""
uh-huh, uh-hum = uhhuh
mm-hmm, mm-hm, m-hm, hm-mm, mmm-hmm = mhm
uh-uh, nuh-uh, unh-unh, huh-uh = uhuh
uh-oh = uhoh
""")
    ),
    _BEGIN + _EDGE,
    _EDGE + _END,
)
_HYPHENS = _rewriting(pynini.cross("-", " "))
_MARKS = (
    _rewriting(pynutil.delete(_MARK), "", _EDGE + _END) @ _rewriting(pynutil.delete(_MARK), _BEGIN + _EDGE)
).optimize()
_CLIPPED = _words(
    """
o.k = okay
ph.d = phd
w/ = with
w/o = without
'em = them
'cause, 'cos, 'cuz = because
'til = until
'bout = about
'round = around
'tis = it is
'twas = it was
""",
    _any_of("be com do feel gett go hav keep look lov mak noth play runn say sitt someth talk tak think try work")
    + pynini.cross("in'", "ing"),
)
_QUOTES = (
    _rewriting(pynutil.delete(_QUOTE), "", _QUOTE.star + _END)
    @ _rewriting(pynutil.delete(_QUOTE), _BEGIN + _QUOTE.star)
).optimize()
# "u.s.a" is a word of initials.
_SIGN = pynini.union(_SMALL, _CAPITAL).optimize()
_INITIALS = _rewriting(_SIGN + (pynutil.delete(".") + _SIGN).plus, _BEGIN, pynini.accep("'s").ques + _END)
PUNCTUATION = (_TYPOGRAPHY @ _SIGNS @ _ASSENT @ _HYPHENS @ _MARKS @ _CLIPPED @ _QUOTES @ _INITIALS).optimize()

# ---- Symbols that are spoken ----

_FRACTION_SIGNS = pynini.string_map([("½", " 1/2"), ("¼", " 1/4"), ("¾", " 3/4"), ("⅓", " 1/3"), ("⅔", " 2/3")])
_ORDINAL_PARTS = {3: "third", 5: "fifth", 8: "eighth", 10: "tenth", 16: "sixteenth"}
_UNITS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_TEENS = ["ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_FRACTIONS = [("1/2", "one half"), ("1/4", "one quarter"), ("3/4", "three quarters")] + [
    (f"{over}/{under}", f"{[*_UNITS, *_TEENS][over - 1]} {part}{'s' if over > 1 else ''}")
    for under, part in _ORDINAL_PARTS.items()
    for over in range(1, under)
]
_SPEEDS = _table("km/h, kmh, kph = kilometers per hour\nmph = miles per hour")
_LINK_ENDS = _any_of("com org net edu gov co uk io tv ai")
_MAGNITUDES = _rewriting(
    pynini.string_map([("K", " thousand"), ("k", " thousand"), ("M", " million"), ("B", " billion"),
                       ("bn", " billion"), ("Bn", " billion"), ("mn", " million"), ("tn", " trillion")]),
    _DIGIT,
    _EDGE + _END,
)  # fmt: skip
_SUFFIXES = _any_of("st nd rd th s")
SYMBOLS = (
    _TYPOGRAPHY
    @ _TELEPHONE
    @ _RANGE
    # In "10am" and "mp3", numbers and letters become separate words, except in "1st" and "90s".
    @ _rewriting(pynutil.insert(" "), _SIGN, _DIGIT)
    @ _rewriting(
        pynutil.insert(" "),
        _DIGIT,
        pynini.difference(_SIGN.plus, _SUFFIXES) + pynini.union(_END, pynini.difference(_LETTER, _SIGN)),
    )
    @ _rewriting(_FRACTION_SIGNS)
    @ _rewriting(pynini.string_map([*_FRACTIONS, *_SPEEDS]), _BEGIN + _EDGE, _EDGE + _END)
    # "%hesitation" is a word.
    @ _rewriting(pynini.cross("%", " percent "), "", pynini.union(_END, pynini.difference(_LETTER, _SIGN)))
    @ _rewriting(pynini.string_map([("&", " and "), ("+", " plus "), ("=", " equals ")]))
    @ _rewriting(pynini.string_map([("°c", " degrees celsius "), ("°f", " degrees fahrenheit ")]), "", _EDGE + _END)
    @ _rewriting(pynini.string_map([("°", " degrees "), ("/", " "), ("@", " at ")]))
    @ _rewriting(pynini.cross(".", " dot "), _SIGN, _LINK_ENDS + pynini.union(".", _EDGE + _END))
).optimize()

# ---- Rules of words and of phrases, which name few bytes ----

# These rules treat all bytes that they do not name in the same way, so one byte represents all of them. The machines
# then have an eighth of the arcs. `_whole` replaces this byte by all bytes.
_TEXT = "abcdefghijklmnopqrstuvwxyz0123456789 '%.,:<>[]$€£¥¢\1"
_NAMED = pynini.union(*(f"[{one}]" for one in sorted({*_TEXT.encode()})))
_STAND_IN = "[2]"
_FEW = pynini.union(_NAMED, _STAND_IN).optimize()
_FEW_SIGMA = _FEW.star.optimize()
_FEW_LETTER = pynini.difference(_FEW, " ").optimize()


def _whole(rule: pynini.Fst) -> pynini.Fst:
    """Return the rule with all bytes in place of the byte that represents them."""
    mapper = pynini.EncodeMapper("standard", encode_labels=True)  # a pair of labels becomes one
    pairs = rule.copy().encode(mapper)
    (stand_in,) = pynini.accep(_STAND_IN).encode(mapper).arcs(0)
    others = pynini.difference(byte.BYTE, _FEW).optimize().encode(mapper)
    labels = [arc.ilabel for arc in others.arcs(others.start())]
    spread = pynini.Fst()
    spread.set_start(spread.add_state())
    spread.set_final(0)
    for label in range(1, min(labels)):
        spread.add_arc(0, pynini.Arc(label, label, 0, 0))
    for label in labels:
        spread.add_arc(0, pynini.Arc(stand_in.ilabel, label, 0, 0))
    return pynini.compose(pairs, spread.arcsort("ilabel")).project("output").decode(mapper).arcsort("ilabel")


def _between(what: pynini.Fst, before: pynini.FstLike = "", after: pynini.FstLike = "") -> pynini.Fst:
    """Return the rule of `_rewriting`, over few bytes."""
    return _rewriting(what, before, after, _FEW_SIGMA)


def _each_of(*what: str | pynini.Fst) -> pynini.Fst:
    """Return the rule of `_words`, over few bytes."""
    return _words(*what, letter=_FEW_LETTER)


# ---- Numbers ----

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
_POWERS = ["thousand", "million", "billion", "trillion"]


def _large(powers: int, comma: str, *, rounded: bool = False) -> pynini.Fst:
    """Return the transducer of numbers with `powers` groups of three digits after the first group.

    With `rounded`, the last six digits are zeros.
    """
    whole = _leading + pynutil.insert(f" {_POWERS[powers - 1]}")
    for power in reversed(_POWERS[: powers - 1]):
        if rounded and power == "thousand":
            return whole + pynutil.delete("000000")
        group = pynini.union(pynutil.delete("000"), _space + _triple + pynutil.insert(f" {power}"))
        whole = whole + pynutil.delete(comma) + group
    return whole + pynutil.delete(comma) + _last_three


# More than nine digits without commas are a number if it is round; otherwise they are digits of a telephone number.
CARDINAL = pynini.union(
    pynini.cross("0", "zero"),
    _leading,
    *(_large(powers, "") for powers in (1, 2)),
    *(_large(powers, "", rounded=True) for powers in (3, 4)),
    *(_large(powers, ",") for powers in (1, 2, 3, 4)),
).optimize()
# Other runs of digits (007) are read digit by digit.
_DIGITS = (pynini.difference(_DIGIT.plus, pynini.project(CARDINAL, "input")) @ _spelled).optimize()
_DECIMAL = (CARDINAL + (pynini.cross(".", " point ") + _spelled).plus).optimize()

_REGULAR = pynini.union("four", "six", "seven", "ten", "eleven", "teen", "hundred", "zero", *_POWERS)
_LAST_WORD = pynini.union(
    pynini.string_map(
        [("one", "first"), ("two", "second"), ("three", "third"), ("five", "fifth"), ("eight", "eighth")]
        + [("nine", "ninth"), ("twelve", "twelfth")]
        + [(word, word[:-1] + "ieth") for word in _TENS]
    ),
    _REGULAR + pynutil.insert("th"),
)
_letters = pynini.union(_SMALL, " ").star
_last = pynini.cdrewrite(_LAST_WORD, "", "[EOS]", _FEW_SIGMA)
ORDINAL = (CARDINAL @ _letters @ _last + pynutil.delete(pynini.union("st", "nd", "rd", "th"))).optimize()

# Times and years are read in pairs of digits.
_number = pynini.project(CARDINAL, "input").optimize()
_hour = pynutil.delete("0").ques + pynini.union(
    _unit, pynini.union(*map(str, range(10, 25))) @ _leading, pynini.cross("0", "zero")
)
_minutes = pynini.union(pynutil.delete("0") + pynutil.insert("oh ") + _unit, _teen, _ten + pynini.union(
    pynutil.delete("0"), _space + _unit
))  # fmt: skip
_colon = pynini.cross(":", " ")
_TIME = pynini.union(
    _hour + pynini.union(_colon + _minutes, pynini.cross(":00", " o'clock")),
    _hour + (_colon + pynini.union(_minutes, pynini.cross("00", "zero zero"))) ** 2,
).optimize()
_century = (pynini.union(*map(str, range(11, 21))) @ _pair).optimize()
_plural_word = pynini.union(
    pynini.string_map([(word, word[:-1] + "ies") for word in _TENS]),
    pynini.cross("six", "sixes"),
    (pynini.union(*_UNITS[:5], *_UNITS[6:], *_TEENS, "zero", "hundred", *_POWERS)) + pynutil.insert("s"),
)
_decade = _century + _space + pynini.union(_teen, _ten + pynutil.delete("0"))
_hundreds = (pynini.union(*map(str, range(11, 20))) @ _pair) + pynutil.insert(" hundred") + pynutil.delete("00")
_in_pairs = pynini.union(_decade, _hundreds).optimize()
_others = pynini.difference(_number, pynini.project(_in_pairs, "input")) @ CARDINAL
_plural = pynini.cdrewrite(_plural_word, _BEGIN, "[EOS]", _FEW_SIGMA)
_DECADE = (
    pynini.union(_in_pairs, _others).optimize() @ _letters @ _plural + pynutil.delete(pynini.accep("'").ques + "s")
).optimize()


def _money(sign: str, one: str, many: str, cent: str, cents: str) -> pynini.Fst:
    """Return the transducer of sums of money with the sign in front: `$5.50`, `$2.5` (million)."""
    hundredths = pynini.union(
        pynini.cross("01", f"one {cent}"),
        (pynini.difference(_DIGIT**2, pynini.union("00", "01")) @ _pair) + pynutil.insert(f" {cents}"),
    )
    whole = pynini.union(
        pynini.cross("1", f"one {one}"), (pynini.difference(_number, "1") @ CARDINAL) + pynutil.insert(f" {many}")
    )
    some = pynini.union(
        pynini.cross("1", f"one {one}"),
        (pynini.difference(_number, pynini.union("0", "1")) @ CARDINAL) + pynutil.insert(f" {many}"),
    )
    other = pynini.difference(_DIGIT.plus, _DIGIT**2)
    sums = pynini.union(
        whole,
        some + pynini.cross(".", " ") + hundredths,
        pynutil.delete("0.") + hundredths,
        whole + pynutil.delete(".00"),
        CARDINAL + pynini.cross(".", " point ") + (other @ _spelled) + pynutil.insert(f" {many}"),
    )
    return (pynutil.delete(sign) + sums).optimize()


_MONEY = pynini.union(
    _money("$", "dollar", "dollars", "cent", "cents"),
    _money("€", "euro", "euros", "cent", "cents"),
    _money("£", "pound", "pounds", "penny", "pence"),
    _money("¥", "yen", "yen", "sen", "sen"),
    pynini.cross("1€", "one euro"),
    (pynini.difference(_number, "1") @ CARDINAL) + pynini.cross("€", " euros"),
    pynini.cross("1¢", "one cent"),
    (pynini.difference(_number, "1") @ CARDINAL) + pynini.cross("¢", " cents"),
)
NUMBERS = _each_of(pynini.union(CARDINAL, _DIGITS, _DECIMAL, ORDINAL, _TIME, _DECADE, _MONEY).optimize())

# ---- Words ----

_TAKES_NOT = _any_of("is are was were do does did has have had could would should might must need ought dare")
_NOT = pynini.cross("n't", " not") + pynini.cross("'ve", " have").ques
_ENDINGS = pynini.string_map([("'re", " are"), ("'ve", " have"), ("'ll", " will")])
_WITHOUT_QUOTE = _any_of("is are was were do does did has have had could would should must") + pynini.cross(
    "nt", " not"
)
CONTRACTIONS = (
    _each_of(
        """
can't, cannot, cant = can not
can't've = can not have
won't, wont = will not
won't've = will not have
shan't = shall not
aint = ain't
i'm, im = i am
i'ma, imma = i am going to
ive = i have
youre = you are
theyre = they are
youve = you have
weve = we have
theyve = they have
youll = you will
theyll = they will
thats = that's
whats = what's
theres = there's
let's = let us
c'mon = come on
d'you = do you
y'all = you all
y'all're = you all are
gonna = going to
tryna = trying to
wanna = want to
gotta = got to
hafta = have to
oughta = ought to
shoulda = should have
coulda = could have
woulda = would have
kinda = kind of
sorta = sort of
lotta = lot of
lemme = let me
gimme = give me
gotcha = got you
outta = out of
dunno = do not know
y'know = you know
ma'am = madam
cuz, coz = because
til = until
oclock = o'clock
""",
        _TAKES_NOT + _NOT,
        _WITHOUT_QUOTE,
    )
    @ _between(_ENDINGS, _SMALL + pynini.accep("'d").ques, _END)
).optimize()

# British spellings, by the letters that differ; these lists have the beginnings of words.
_OUR = """
arm behavi cand clam col demean endeav fav ferv flav harb hon hum lab misdemean neighb od parl ranc rig rum savi sav
splend tum val vap vig dishon discol
"""
_OUR_ENDS = "s ed er ers ing ings ful fully able ably less ite ites itism hood hoods al ally y"
_ISE = """
apolog author brutal capital categor central character civil colon commercial computer critic custom demon digit econom
emphas empath energ equal fertil final formal general global harmon hospital human hypnot ideal immun individual
industrial item jeopard legal legitim liberal local magnet marginal maxim mechan memor mesmer minim mobil modern monopol
moral national neutral normal optim organ disorgan reorgan ostrac patron penal personal plagiar polar popular priorit
privat public pressur sanit familiar fantas hypothes synthes digital decentral demoral natural vapor idol immortal
homogen crystall unrecogn unorgan unauthor material monet initial western weapon bapt philosoph
rational real recogn regular revolution scrutin sensit social special stabil standard steril subsid summar symbol
sympath synchron terror theor traumat trivial unit urban util vandal verbal victim visual vocal
"""
_ISE_ENDS = "e ed es er ers ing ingly able ation ations ational"
_DOUBLED = """
bevel cancel channel chisel counsel cruel dial duel enamel equal fuel funnel grovel initial label level libel marvel
model panel pedal quarrel rival shovel signal spiral total towel travel tunnel unravel yodel
"""
_RE = "cent theat lit fib calib met kilomet centimet millimet spect lust"


def _american(starts: str, british: str, american: str, ends: str) -> pynini.Fst:
    """Return the transducer from British to American words, by beginnings of words, differing letters and endings."""
    return _any_of(starts) + pynini.cross(british, american) + pynini.union(*ends.split(" "))


_BRITISH = """
grey:gray greys:grays greyer:grayer programme:program programmes:programs cheque:check cheques:checks
catalogue:catalog catalogues:catalogs dialogue:dialog dialogues:dialogs analogue:analog analogues:analogs
defence:defense defences:defenses offence:offense offences:offenses pretence:pretense licence:license
licences:licenses practise:practice practised:practiced practises:practices practising:practicing centred:centered
centring:centering aeroplane:airplane aeroplanes:airplanes aluminium:aluminum tyre:tire tyres:tires kerb:curb
kerbs:curbs plough:plow ploughs:plows ploughed:plowed ploughing:plowing pyjamas:pajamas jewellery:jewelry
jeweller:jeweler moustache:mustache mould:mold moulds:molds mouldy:moldy sceptic:skeptic sceptics:skeptics
sceptical:skeptical scepticism:skepticism storey:story storeys:stories sulphur:sulfur enrol:enroll enrols:enrolls
enrolment:enrollment fulfil:fulfill fulfils:fulfills fulfilment:fulfillment skilful:skillful skilfully:skillfully
wilful:willful instalment:installment instalments:installments anaemia:anemia anaemic:anemic anaesthetic:anesthetic
anaesthesia:anesthesia encyclopaedia:encyclopedia paediatric:pediatric paediatrician:pediatrician foetus:fetus
manoeuvre:maneuver manoeuvres:maneuvers manoeuvred:maneuvered oestrogen:estrogen orthopaedic:orthopedic
diarrhoea:diarrhea haemorrhage:hemorrhage leukaemia:leukemia judgement:judgment judgements:judgments
acknowledgement:acknowledgment ageing:aging artefact:artifact artefacts:artifacts cosy:cozy draught:draft
draughts:drafts likeable:likable sizeable:sizable woollen:woolen marvellous:marvelous marvellously:marvelously
councillor:councilor councillors:councilors counsellor:counselor counsellors:counselors focussed:focused
focussing:focusing sombre:somber yoghurt:yogurt doughnut:donut doughnuts:donuts whisky:whiskey
"""
_ABBREVIATED = """
ok, okey = okay
alright = all right
alot = a lot
thru = through
tho = though
mr = mister
mrs = missus
dr = doctor
prof = professor
jr = junior
sr = senior
lt = lieutenant
capt = captain
sgt = sergeant
vs = versus
etc = et cetera
approx = approximately
dept = department
govt = government
jan = january
feb = february
aug = august
sept = september
oct = october
nov = november
dec = december
ii = two
iii = three
"""
_AMERICAN = (
    _american(_OUR, "our", "or", f" {_OUR_ENDS}"),
    _american(_ISE, "is", "iz", _ISE_ENDS),
    _american("anal paral catal", "ys", "yz", "e ed er ers ing"),
    _american(_RE, "re", "er", " s"),
    _american(_DOUBLED, "l", "", "ed ing ings er ers"),
)
_OTHERS = [tuple(pair.split(":")) for pair in _BRITISH.split()]
SPELLING = _each_of(pynini.union(pynini.string_map([*_table(_ABBREVIATED), *_OTHERS]), *_AMERICAN).optimize())
_m, _h = (pynini.accep(letter) for letter in "mh")
HESITATIONS = _each_of(
    "eh, er, hm, mm = %hesitation\nmmhmm, mmhm = mhm",
    pynini.cross(
        pynini.union("a" + _h.plus, "u" + _h.plus, "u" + _h.star + _m.plus, "er" + _m.plus, _h + _m + _m.plus,
                     _m + _m + _m.plus),
        "%hesitation",
    ),
)  # fmt: skip

# ---- Across words ----

_CARDINAL_WORD = pynini.union(*_UNITS, *_TEENS, *_TENS, "zero", "oh").optimize()
_ORDINAL_WORD = pynini.union(
    *"first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(),
    *(word + "th" for word in _TEENS[3:]), *(word[:-1] + "ieth" for word in _TENS),
).optimize()  # fmt: skip
_POWER = pynini.union("hundred", *_POWERS)
_NUMBER_WORD = pynini.union(_CARDINAL_WORD, _POWER).optimize()
_CURRENCY = _any_of("dollar dollars euro euros pound pounds yen")
_BELOW_100 = pynini.union(*_UNITS, *_TEENS, *_TENS, pynini.union(*_TENS) + " " + pynini.union(*_UNITS)).optimize()
_PART = pynini.union("one half", "one quarter", "three quarters", "two thirds").optimize()
# Rules across words that come before all others: dates have ordinals, "$ 5" is "$5".
_month_names = "anuary ebruary arch pril ay une uly ugust eptember ctober ovember ecember an eb ug ept ct ov ec".split()
_MONTH = pynini.union(*(
    start + rest for rest, letter in zip(_month_names, "jfmamjjasondjfasond", strict=True)
    for start in (letter, letter.upper())
)).optimize()  # fmt: skip
_WRITTEN = (
    _rewriting(
        (_DIGIT + _DIGIT.ques) + pynutil.insert("th"),
        _BEGIN + _MONTH + pynini.accep(".").ques + " ",
        pynini.union(",", ".", "?", "!").star + _END,
    )
    @ _rewriting(pynini.cross(pynini.union("No. ", "no. ", "No.", "no."), "number "), _BEGIN, _DIGIT)
    @ _rewriting(pynutil.delete(" "), _BEGIN + pynini.union("$", "£", "€", "#"), _DIGIT)
    @ _rewriting(
        pynini.cross(" ", "-"),
        _BEGIN + pynini.union("uh", "Uh", "mm", "Mm"),
        pynini.union("huh", "hmm", "hm") + _EDGE + _END,
    )
).optimize()

# Initials: "t v" is "tv". "a" and "i" are words, but for well-known initials.
_CONSONANT = pynini.difference(_SMALL, pynini.union("a", "i")).optimize()
_WITH_VOWELS = """
abc aclu adhd ai aka am ap api apr arpa asap atm bbca cba cia dea dna eia faa fbi fda gpa ia ibm icu id ie iot ip ipo iq
irs isp it iv ivf mba mla mia nasa nba nsa ncaa nra pga pta ra rna ira sba tba ua usa usda via wma
"""
_INITIALISMS = pynini.string_map(
    [(" ".join(word), word) for word in _WITH_VOWELS.split()] + [("a t and t", "at and t"), ("o k", "okay")]
)
# Letters whose joined form would be rewritten as a word.
_KEPT_APART = sorted(
    {" ".join(word) for word, _ in _table(_ABBREVIATED) if word != "ok"}
    | {" ".join(word) for word in "er ers hm hmm mm mmm uh um uhm umm erm eh kg km cm mm lb lbs mb gb tb".split()}
)
_MARKER = "\1"
_apart = pynini.string_map([(letters, letters.replace(" ", _MARKER)) for letters in _KEPT_APART])
_vowel = pynini.union("a", "i")
_JOINED = (
    _between(_INITIALISMS, _BEGIN, _END)
    @ _between(_apart, _BEGIN, _END)
    @ pynini.cdrewrite(
        pynutil.delete(" "),
        _BEGIN + pynini.union(_CONSONANT, _CONSONANT + " " + _vowel),
        pynini.union(_CONSONANT, _vowel + " " + _CONSONANT) + _END,
        _FEW_SIGMA,
        direction="sim",
    )
    @ _between(pynini.cross(_MARKER, " "))
).optimize()

_number_end = _BEGIN + _NUMBER_WORD + " "
_MEASURES = pynini.string_map(
    _table("""
kg, kgs, kilo, kilos, kilogram = kilograms
km, kms, kilometer = kilometers
cm, centimeter = centimeters
mm, millimeter = millimeters
lb, lbs = pounds
ft = feet
hr, hrs = hours
mins = minutes
secs = seconds
kb = kilobytes
mb = megabytes
gb = gigabytes
tb = terabytes
hz = hertz
khz = kilohertz
mhz = megahertz
ghz = gigahertz
""")
)
_COMPOUNDS = pynini.string_map(
    _table("""
per cent = percent
o clock = o'clock
e mail = email
e mails = emails
web site = website
web sites = websites
health care = healthcare
child care = childcare
wi fi = wifi
on line = online
good bye = goodbye
x ray = xray
x rays = xrays
t shirt = tshirt
t shirts = tshirts
""")
)
NUMBER_PHRASES = (
    # "$2.5 million" is "two point five dollars million" by now.
    _between(
        pynini.union(*(
            pynini.cross(f"{many} {power}", f"{power} {many}")
            for many in ("dollars", "pounds", "euros", "yen") for power in ("hundred", *_POWERS)
        ) , *(
            pynini.cross(f"{one} {power}", f"{power} {one}{plural}")
            for one, plural in (("dollar", "s"), ("pound", "s"), ("euro", "s")) for power in ("hundred", *_POWERS)
        )),
        _BEGIN,
        _END,
    )
    @ _between(pynini.cross("a", "one"), _BEGIN, " " + pynini.union(_POWER, "half", "quarter") + _END)
    @ _between(
        pynutil.delete("and "), _BEGIN + _POWER + " ", pynini.union(_CARDINAL_WORD, _ORDINAL_WORD) + _END
    )
    @ _between(pynutil.delete("one "), _BEGIN + "the ", _POWER + "th" + _END)
    # "zero point five" is "point five".
    @ _between(pynutil.delete("zero ").plus, _BEGIN, "point " + _CARDINAL_WORD + _END)
    @ _between(pynini.string_map([("one fourth", "one quarter"), ("three fourths", "three quarters")]), _BEGIN, _END)
    @ _between(pynutil.insert("and "), _number_end, _PART + _END)
    @ _between(
        pynutil.delete("and "), _BEGIN + _CURRENCY + " ", _BELOW_100 + " " + _any_of("cent cents penny pence") + _END
    )
    @ _between(pynutil.delete("o'clock "), _number_end, _any_of("am pm") + _END)
).optimize()  # fmt: skip
PHRASES = (
    _JOINED @ _between(_COMPOUNDS, _BEGIN, _END) @ _between(_MEASURES, _number_end, _END) @ NUMBER_PHRASES
).optimize()

# ---- Both sides: one form ----


def _each(word: pynini.Fst, letter: pynini.Fst) -> pynini.Fst:
    """Return the rule that rewrites each word of a text, except words in brackets."""
    bracketed = pynini.union("<" + letter.star + ">", pynini.escape("[") + letter.star + pynini.escape("]")).optimize()
    text = pynini.union(bracketed, pynini.difference(letter.plus, bracketed) @ word).optimize()
    # A closure without a second copy.
    for state in text.states():
        if text.final(state) != pynini.Weight.zero("tropical"):
            text.add_arc(state, pynini.Arc(ord(" "), ord(" "), text.final(state), text.start()))
    return text


# One machine of all three would be fifty times as large.
_letters_alone = (_MAGNITUDES @ LOWER_CASE @ ACCENTS).optimize()
_said = (_letters_alone @ (SYMBOLS @ PUNCTUATION).optimize()).optimize()  # in this order, machines stay small
NORMALIZE = (_WRITTEN @ _each(_said, _LETTER)).connect()
NORMALIZE_2 = _whole(_each(NUMBERS @ CONTRACTIONS @ SPELLING @ HESITATIONS, _FEW_LETTER))
NORMALIZE_3 = _whole(PHRASES)

# ---- References: further forms ----


def _optional(what: pynini.Fst, before: pynini.FstLike = _BEGIN, after: pynini.FstLike = _END) -> pynini.Fst:
    """Return the rule that may rewrite a match or leave it unchanged; it outputs both texts."""
    return pynini.cdrewrite(what, before, after, _FEW_SIGMA, mode="opt").optimize()


def _either(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the pairs in both directions: contractions to full forms, and full forms to contractions."""
    return [*pairs, *((full, short) for short, full in pairs)]


_SOMEONE = [
    some + one for some in ("some", "every", "any", "no") for one in ("one", "body", "thing") if some + one != "noone"
]
_IS_OR_HAS = [*"he she it that there here what who where when how this why".split(), *_SOMEONE]
_WOULD_OR_HAD = [*"i you he she it we they that there who".split(), *_SOMEONE]
_ASKING = ["how", "what", "when", "where", "why", "who"]
_AMBIGUOUS = pynini.string_map(
    _either([(f"{word}'s", f"{word} {verb}") for word in _IS_OR_HAS for verb in ("is", "has")])
    + _either([(f"{word}'d", f"{word} {verb}") for word in _WOULD_OR_HAD for verb in ("would", "had")])
    + _either([(f"{word}'d", f"{word} did") for word in _ASKING])
    + [(f"{word}'d", f"{word} {verb}") for word in _ASKING if word != "who" for verb in ("would", "had")]
    + [("ain't", f"{verb} not") for verb in ("is", "am", "are", "has", "have")]
)
# "john's" may be "john is". The reverse is not allowed, since each "is" would make too many texts.
_POSSESSIVE = pynini.union(*_IS_OR_HAS)
_NAMES = pynini.difference(_SMALL.plus, _POSSESSIVE) + pynini.cross("'s", pynini.union(" is", " has"))

# Numbers of three and four digits, years too, have several readings.
_below_100 = pynini.union(
    pynini.cross("0", "oh ") + _unit, _teen, _ten + pynutil.delete("0"), _ten + _space + _unit
).optimize()
_each_digit = _unit + (_space + pynini.union(_spelled_digit, pynini.cross("0", "oh"))).plus
_two_digits = pynini.union(_teen, _ten + pynutil.delete("0"), _ten + _space + _unit).optimize()
_not_round = pynini.union(
    pynini.string_map([(str(k), word) for k, word in enumerate(_TEENS[1:], start=11)]), _ten + _space + _unit
).optimize()
_several = (pynini.difference(_DIGIT, "0") + pynini.union(_DIGIT**2, _DIGIT**3)).optimize()
_reading = (
    _several
    @ pynini.union(
        CARDINAL,
        _each_digit,
        _unit + _space + _below_100,
        _two_digits + _space + _below_100,
        _not_round + pynutil.insert(" hundred") + pynini.union(pynutil.delete("00"), _space + _pair),
    )
).optimize()
READINGS = (pynini.invert(_reading) @ _reading).optimize()
_not_number = pynini.difference(_FEW_LETTER.plus, _NUMBER_WORD).optimize()
_after_other = pynini.union("[BOS]", _BEGIN + _not_number + " ")
_before_other = pynini.union("[EOS]", " " + _not_number + _END)
_SUMS = pynini.union(
    _CURRENCY + " " + _BELOW_100 + pynutil.delete(" " + _any_of("cents pence")),
    pynutil.delete(_CURRENCY + " ") + _BELOW_100 + pynutil.delete(" " + _any_of("cents pence")),
)
_DIGIT_WORD = _BEGIN + pynini.union(*_UNITS, "zero", "oh") + " "
_FURTHER = (
    _optional(pynini.union(_AMBIGUOUS, _NAMES))
    @ _optional(pynutil.delete("%hesitation"))
    @ _optional(READINGS, _after_other, _before_other)
    @ _optional(_SUMS, _number_end)
    @ _optional(pynini.string_map([("zero", "oh"), ("oh", "zero")]), _DIGIT_WORD)
    @ _optional(pynini.string_map(_either([("point five", "and one half")])), _number_end)
    @ _optional(pynini.string_map(_either([("k", "thousand")])), _number_end, _before_other)
    @ _optional(
        pynini.string_map(
            [
                ("one half", "half"),
                *_either([(f"one {part}", f"a {part}") for part in _ORDINAL_PARTS.values()]),
                *_either([("st", "saint"), ("st", "street")]),
            ]
        )
    )
).optimize()
ALTERNATIVES = _whole(_FURTHER)

_RULES = {
    "NORMALIZE": NORMALIZE,
    "NORMALIZE_2": NORMALIZE_2,
    "NORMALIZE_3": NORMALIZE_3,
    "ALTERNATIVES": ALTERNATIVES,
    "LOWER_CASE": LOWER_CASE,
    "ACCENTS": ACCENTS,
    "SYMBOLS": SYMBOLS,
    "PUNCTUATION": PUNCTUATION,
    "NUMBERS": _whole(NUMBERS),
    "CONTRACTIONS": _whole(CONTRACTIONS),
    "SPELLING": _whole(SPELLING),
    "HESITATIONS": _whole(HESITATIONS),
    "PHRASES": NORMALIZE_3,
}


def generator_main(exporter: export.Exporter) -> None:
    """Export the rules `NORMALIZE` (in three stages) and `ALTERNATIVES`, and the rules that `NORMALIZE` combines."""
    for name, rule in _RULES.items():
        exporter[name] = rule


if __name__ == "__main__":
    from pynini.export import grm

    grm.run(generator_main)
