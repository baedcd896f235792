"""Python lattice format."""

from hypothesis import strategies as st

from kit.formats import PLAIN_WORDS, SPACED_WORDS, Broken, Case, ending_once, scores, shaped, small_lattice

_COLUMNS = [[], ["score"], ["score_0", "score_1"], ["LatticeCost", "it's"], ["score_1"]]

_BROKEN = {
    "not closed": Broken(b"((('a',-1,1),)\n", 1, "end of the line"),
    "opened only": Broken(b"(\n", 1),
    "something after the end": Broken(b"((('a',-1,1),),) x\n", 1, "expected the end of the line"),
    "second line": Broken(b"((('a',-1,1),),)\n\n((('a',-1,1),)\n", 3),
    "quote not closed": Broken(b"((('a,-1,1),),)\n", 1, "quote"),
    "escape at the end": Broken(b"((('a\\", 1, "quote"),
    "word without quotes": Broken(b"(((a,-1,1),),)\n", 1, "quoted word"),
    "word in letters before quotes": Broken(b"(((u'a',-1,1),),)\n", 1),
    "number for a word": Broken(b"(((1,-1,1),),)\n", 1, "quoted word"),
    "no distance": Broken(b"((('a',),),)\n", 1, "forward"),
    "distance zero": Broken(b"((('a',-1,0),),)\n", 1, "at least 1"),
    "distance negative": Broken(b"((('a',-1,-1),),)\n", 1, "at least 1"),
    "distance fractional": Broken(b"((('a',-1,1.5),),)\n", 1, "at least 1"),
    "distance in other digits": Broken("((('a',-1,\u00b2),),)\n".encode(), 1, "at least 1"),
    "distance beyond the end": Broken(b"((('a',-1,2),),)\n", 1, "beyond the end"),
    "distance huge": Broken(b"((('a',-1,99999999999999999999),),)\n", 1),
    "distance of 32 bits": Broken(b"((('a',-1,2147483647),),)\n", 1),
    "score that is no number": Broken(b"((('a',one,1),),)\n", 1, "'one' is not a number"),
    "score with underscore": Broken(b"((('a',-1_0,1),),)\n", 1, "is not a number"),
    "score nan": Broken(b"((('a',nan,1),),)\n", 1, "not finite"),
    "score infinite": Broken(b"((('a',-inf,1),),)\n", 1, "not finite"),
    "score called": Broken(b"((('a',__import__('os').abort(),1),),)\n", 1),
    "comma missing": Broken(b"((('a',-1,1)('b',-1,1),),)\n", 1, "expected ','"),
    "brace not closed": Broken(b"((('a',{'x':1,1),),)\n", 1),
    "feature without a value": Broken(b"((('a',{'x':},1),),)\n", 1, "feature 'x'"),
    "feature without quotes": Broken(b"((('a',{x:1},1),),)\n", 1, "feature name"),
    "feature nan": Broken(b"((('a',{'x':nan},1),),)\n", 1, "not finite"),
    "feature not utf8": Broken(b"((('a',{'\xff':1},1),),)\n", 1, "UTF-8"),
    "node without arcs": Broken(b"((),)\n", 1, "empty"),
    "node that nothing leaves": Broken(b"((('a',1),),(),)\n", 1, "empty"),
    "word not utf8": Broken(b"((('\xe9t\xe9',-1,1),),)\n", 1, "UTF-8"),
    "deep nesting": Broken(b"(" * 100_000 + b"\n", 1),
    "deep nesting closed": Broken(b"(" * 100_000 + b")" * 100_000 + b"\n", 1),
    "deep braces": Broken(b"((('a'," + b"{" * 100_000 + b"\n", 1),
    "many quotes": Broken(b"(((" + b"'\\" * 100_000 + b"\n", 1),
    "another word in brackets": Broken(b"((['a',-1,1],),)\n", 1),
}

CASES = [
    Case(
        "plf",
        b"((('a',-0.5,1),('b',-1,2),),((\"it\\'s\",{'x':0.1,},1),),)\n()\n",
        st.sampled_from(_COLUMNS)
        .flatmap(lambda columns: shaped(PLAIN_WORDS + SPACED_WORDS, columns, scores))
        .map(ending_once),
        ["1", "2", "3", "4", "5"],
        many=True,
        small=small_lattice("score"),
        broken=_BROKEN,
    )
]
