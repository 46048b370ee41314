"""Writes expectations.jsonl: what Python's re answers for patterns of ours. Run: python3 expectations.py (3.11)."""
import json
import random
import re
import signal
import warnings
from pathlib import Path

warnings.simplefilter("ignore")

TEXTS = ["", "a", "aab1 b", "xaXA", "k\u212aK s\u017f", "1\u0663\u0967 \u2003\u00e9_", "a\nb\n", "\x1c\x1f\ufeff\u00a0", "\U0001d538a\U0001f600"]

PATTERNS = r"""
a|ab(?=c)
(a)|b
(?:(a)|b)*
(?:(a)|(b)|(1))+
((a)|b)*?$
(a*)*
(a*)+
(a?)?b?
(?:a?b?)*
(?:|a)*b
(?:a*?)*b
(a|b*)*1
(?:(a*)b|1)*
(\w)\1
(?P<x>a|b)(?P=x)
(a)?\1b
(?:(a)|b)\1
(?i:(a))\1
(?i)(a)\1
(?i)K
(?i)s
(?i)i
(?i)[k-m]
(?i)[^k]
(?i)\u00e9
(?a)\w+
(?a:\w)\w
(?i:a(?-i:A))
(?i:a(?-i:b))
(?u:\w)+
\w+
\W+
\d+
\D+
\s+
\S+
[\w-]+
[\W\d]+
[^\s]+
[^\S]+
.
..
(?s).+
(?s:.)(?-s:.)
.*$
.*\Z
^.*$
(?m)^.*$
(?m)^
(?m)$
(?m:^a)|b
$
\A
\Z
\b
\B
\b\w
\B.
(?<=a)b
(?<!a)b
(?<=a|b).
(?<=^)a
(?<=(a))a
(?<=\b)a
(?=(a+))a*b
(?!(a)b).
(?=a)*a
(?<=a)+a
(?>a+)b
(?>a|aa)b
a++b
a*+a
a?+a
a{1,2}+b
(a)(?(1)a|b)
(a)?(?(1)a|b)
(?P<q>\()?a(?(q)\)|b)
(?(1)a|b)(c)?
a{2}
a{,2}b
a{1,}
a{1,2}?
a{}
a{x}
a{1
a{,}
{a}
x{2}{
a}
]
[]]
[]a]+
[^]a]+
[a-]+
[-a]+
[a\-b]+
[\]a]
[a^]
[[]
[[:alpha:]]+
[\b]
[\n\t]
[\x61-\x62]+
[\141]
[\0]
\0
\01
\141
\x61
\u0061
\U00000061
\U0001d538
[\U0001d538]
[^\U0001d538]
\t|\n|\r|\f|\v|\a
\.\-\/\:\"\'\_\ \#\,
\_
(?x) a  b # comment
(?x: a b )c
(?x)[ a]+ \ b
(?#comment)a(?#more)*
a|
|a
(|a)
()
(?:)*
(?:a|b|)+
(((a)))
((a)(b(1)?)?)+
(a+|b+)*1
(?:a|a)*b
a.c
[0-9a-fA-F:]+
(?P<n>\S+)\s+(?P<m>\d+)
\ba\b
"""

ERRORS = r"""
(
)
a)
(a
[
[a
[z-a]
[\w-a]
[a-\w]
*
+a
?
a**
a+*
a?{2}
a{2}{3}
a{3,2}
a{99999999999}
^*
$+
\b?
(?
(?P
(?P<
(?P<>a)
(?P<1a>b)
(?P<a-b>c)
(?P<a
(?P=a)
(?P<a>b(?P=a))
(?P=a
(?P>a)
(?Px)
(?<n>a)
(?<a
(?z)
(?i
(?i-
(?i-z:a)
(?i-i:a)
(?-u:a)
(?L)a
(?au)a
a(?i)b
(?:(?i)a)
(?#a
(?<=a+)b
(?<=a|bc)d
(?<!a*)b
(?<=(a)\1)b
\1
(a)\2
(a\1)
\8
\h
\p{L}
\Q
\y
\x1
\xg
\u12
\u{61}
\U110000
\U00110000
\400
[\400]
[\8]
[\A]
[\h]
\
a\
[\
(?(1)a|b)
(?(0)a)
(?(x)a)
(?(a b)c)
(a)(?(1)b|c|d)
(?P<a>x)(?P<a>y)
(?P<a>x)|(?P<a>y)
(?'a'b)
(?R)
x(?P<\u00e4b
a
b)
(?x)(
a
"""


def atom(depth, state):
    r = RANDOM.random()
    if r < 0.4 or depth == 0:
        return RANDOM.choice(["a", "b", "1", r"\w", r"\d", r"\s", ".", "[ab]", "[^a]", r"\b", "$", "^"])
    if r < 0.65:
        state[0] += 1
        return "(" + choice(depth - 1, state) + ")"
    if r < 0.8:
        return "(?:" + choice(depth - 1, state) + ")"
    if r < 0.9 and state[0]:
        return "(?=" + choice(depth - 1, state) + ")"
    return RANDOM.choice(["(?i:A)", "(?<=a)", "(?<!b)", "(?s:.)"])


def term(depth, state):
    text = atom(depth, state)
    if RANDOM.random() < 0.45 and text not in ("^", "$", r"\b"):
        text += RANDOM.choice(["*", "+", "?", "{2}", "{1,2}", "*?", "+?", "??"])
    return text


def choice(depth, state):
    count = RANDOM.choice([1, 1, 2])
    return "|".join("".join(term(depth, state) for _ in range(RANDOM.randint(1, 3))) for _ in range(count))


def spans(match):
    return None if match is None else [list(match.span(i)) for i in range(match.re.groups + 1)]


def answers(pattern, texts):
    compiled = re.compile(pattern)
    rows = []
    for text in texts:
        rows.append(
            [
                text,
                spans(compiled.match(text)),
                spans(compiled.search(text)),
                spans(compiled.fullmatch(text)),
                [list(m.span()) for m in compiled.finditer(text)],
                compiled.sub("<>", text),
                compiled.split(text),
            ]
        )
    return rows


RANDOM = random.Random(20240607)
cases = []
for pattern in PATTERNS.strip("\n").split("\n"):
    cases.append({"pattern": pattern, "groups": re.compile(pattern).groups, "rows": answers(pattern, TEXTS)})
while len(cases) < 240:
    pattern = choice(3, [0])
    texts = ["".join(RANDOM.choice("aab1 B\n") for _ in range(RANDOM.randint(0, 7))) for _ in range(3)]
    signal.alarm(2)
    cases.append({"pattern": pattern, "groups": re.compile(pattern).groups, "rows": answers(pattern, texts)})
    signal.alarm(0)

errors = []
for pattern in ERRORS.strip("\n").replace("(?x)(\na", "(?x)(\0a").split("\n"):
    pattern = pattern.replace("\0", "\n")
    try:
        re.compile(pattern)
    except re.error as error:
        errors.append({"pattern": pattern, "message": str(error)})
    except OverflowError as error:
        errors.append({"pattern": pattern, "message": str(error)})

subs = []
for pattern, template, text in [
    (r"(a)(b)?", r"[\1|\2]", "ab a"),
    (r"(?P<x>a)(b)?", r"\g<x>\g<2>\g<0>", "ab a"),
    (r"a", r"\n\t\\", "aa"),
    (r"(a)", r"\101\0\1", "a"),
    (r"(a)", r"\g<01>", "a"),
    (r"(a)", r"\2", "a"),
    (r"(a)", r"\g<y>", "a"),
    (r"(a)", r"\g<1", "a"),
    (r"(a)", r"\g1", "a"),
    (r"(a)", r"\g<>", "a"),
    (r"(a)", r"\h", "a"),
    (r"(a)", "\\", "a"),
    (r"(a)", r"\777", "a"),
    (r"x*", "-", "abxd"),
    (r"\b", "|", "a bc"),
    (r"a|", "-", "baac"),
]:
    try:
        subs.append({"pattern": pattern, "template": template, "text": text, "result": re.sub(pattern, template, text)})
    except re.error as error:
        subs.append({"pattern": pattern, "template": template, "text": text, "error": str(error)})
    except IndexError as error:
        subs.append({"pattern": pattern, "template": template, "text": text, "error": str(error)})

escapes = [{"text": text, "escaped": re.escape(text)} for text in ["a.b*c", "a-b c#d~&", "[x]{1}", "\u00e9\n\t_", "a/b:'\"<>"]]
target = Path(__file__).with_name("expectations.jsonl")
with target.open("w") as file:
    for kind, rows in {"case": cases, "error": errors, "sub": subs, "escape": escapes}.items():
        for row in rows:
            file.write(json.dumps({"kind": kind, **row}, separators=(",", ":")) + "\n")
