"""Moses n-best lists."""

from kit.formats import Broken, Case, nbest_lists, small_nbest

GOOD = b"0 ||| a b ||| LM= -1 ||| -2\n"

_BROKEN = {
    "one field": Broken(b"just words\n", 1, "1 fields"),
    "two fields": Broken(GOOD + b"0 ||| a b\n", 2, "2 fields"),
    "total that is no number": Broken(GOOD + b"0 ||| a ||| LM= -1 ||| low\n", 2, "'low' is not a number"),
    "total missing": Broken(b"0 ||| a ||| LM= -1 ||| \n", 1, "'' is not a number"),
    "total of two numbers": Broken(b"0 ||| a ||| LM= -1 ||| -1 -2\n", 1, "is not a number"),
    "total with underscore": Broken(b"0 ||| a ||| LM= -1 ||| -1_0\n", 1, "is not a number"),
    "total nan": Broken(b"0 ||| a ||| LM= -1 ||| nan\n", 1, "not finite"),
    "total infinite": Broken(b"0 ||| a ||| LM= -1 ||| -inf\n", 1, "not finite"),
    "total in other digits": Broken("0 ||| a ||| LM= -1 ||| -١\n".encode(), 1, "is not a number"),
    "feature in other digits": Broken("0 ||| a ||| LM= -١ ||| -1\n".encode(), 1, "is not a number"),
    "utf16": Broken(GOOD.decode().encode("utf-16"), 1, "UTF-8"),
    "feature nan": Broken(b"0 ||| a ||| LM= nan ||| -1\n", 1, "not finite"),
    "feature that is no number": Broken(b"0 ||| a ||| LM= low ||| -1\n", 1, "'low' is not a number"),
    "feature twice": Broken(b"0 ||| a ||| LM= -1 LM= -2 ||| -1\n", 1, "twice"),
    "feature twice by number": Broken(b"0 ||| a ||| LM= -1 -2 LM_1= -2 ||| -1\n", 1, "'LM_1' appears twice"),
    "not in one piece": Broken(GOOD + b"1 ||| a ||| LM= -1 ||| -1\n" + GOOD, 3, "not adjacent"),
    "not utf8": Broken(GOOD + b"0 ||| \xe9t\xe9 ||| LM= -1 ||| -1\n", 2, "UTF-8"),
    "separators only": Broken(b"|||" * 100_000 + b"\n", 1),
    "brackets": Broken(b"(" * 100_000 + b"\n", 1),
    "a long number": Broken(b"0 ||| a ||| LM= " + b"9" * 1_000_000 + b" ||| -1\n", 1),
    "a long feature": Broken(b"0 ||| a ||| " + b"=" * 200_000 + b" ||| -1\n", 1),
}

CASES = [
    Case(
        "moses-nbest",
        b"0 ||| a b ||| LM0= -4.3 TM= -1 2 ||| -5 ||| 0-0\n0||| c ||| lm: -4 ||| -6\n1 ||| ||| ||| 0\n",
        nbest_lists(),
        ["0", "1", "2", "10", "7"],
        many=True,
        small=small_nbest(),
        broken=_BROKEN,
    )
]
