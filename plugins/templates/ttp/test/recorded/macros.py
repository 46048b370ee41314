#!/usr/bin/env python3
"""Writes what CPython answers to expressions of macros into macros.json: the repr, or the error as {"error": class}.

    python3 macros.py
"""
import collections
import datetime
import ipaddress
import itertools
import json
import pathlib
import random

random.seed(7)
HERE = pathlib.Path(__file__).resolve().parent
SCOPE = {"collections": collections, "datetime": datetime, "ipaddress": ipaddress}


def day():
    return f"datetime.date({random.randint(1, 9999)}, {random.randint(1, 12)}, {random.randint(1, 28)})"


def moment():
    parts = [random.randint(1, 9999), random.randint(1, 12), random.randint(1, 28)]
    parts += [random.randint(0, 23), random.randint(0, 59), random.choice([0, random.randint(0, 59)])]
    parts.append(random.choice([0, 5000, random.randint(0, 999999)]))
    return f"datetime.datetime({', '.join(map(str, parts))})"


def clock():
    parts = [random.randint(0, 23), random.randint(0, 59), random.randint(0, 59)]
    parts.append(random.choice([0, 120000, random.randint(0, 999999)]))
    return f"datetime.time({', '.join(map(str, parts))})"


def dates():
    of_day = [
        "{}", "str({})", "{}.isoformat()", "{}.isocalendar()", "{}.isocalendar()[1]", "{}.isocalendar().year",
        "tuple({}.isocalendar())", "{}.weekday()", "{}.isoweekday()", "{}.toordinal()", "{}.ctime()",
        "{}.strftime('%d.%m.%y %a %j %V')", "{}.replace(day=1)", "{}.replace(2020)", "{} + datetime.timedelta(days=3)",
        "{} - datetime.timedelta(hours=25)", "datetime.timedelta(1) + {}", "'%s' % {}", "{}.year", "{}.month, {}.day",
    ]
    of_moment = [
        "{}.date()", "{}.time()", "{}.isocalendar()", "{}.date().isoformat()", "str({}.time())", "{}.isoformat(' ')",
        "{}.isoformat(timespec='minutes')", "{}.isoformat('T', 'milliseconds')", "str({})", "{}.tzinfo",
        "datetime.datetime.combine({}.date(), datetime.time(1, 2))", "isinstance({}, datetime.date)",
        "{}.date() == {}.date()", "datetime.datetime.fromisoformat({}.isoformat())",
    ]
    of_clock = [
        "{}", "str({})", "{}.isoformat()", "{}.isoformat(timespec='hours')", "{}.strftime('%H-%M-%S')", "{}.hour",
        "{}.replace(minute=5)", "{}.microsecond", "{}.tzinfo", "{} < datetime.time(12)",
        "isinstance({}, datetime.time)", "bool({})", "datetime.datetime.combine(datetime.date(2024, 2, 29), {})",
    ]
    for shapes, make in ((of_day, day), (of_moment, moment), (of_clock, clock)):
        for shape in shapes:
            for _ in range(6):
                value = make()
                yield shape.replace("{{", "\0").replace("{}", value).replace("\0", "{")
    for a, b in [(day(), day()) for _ in range(12)]:
        yield from (f"{a} - {b}", f"{a} < {b}", f"{a} == {b}", f"sorted([{a}, {b}])", f"({a} - {b}).days")
    yield from (
        "datetime.date(2023, 2, 29)", "datetime.date(2024, 13, 1)", "datetime.date(0, 1, 1)", "datetime.date(2024, 1)",
        "datetime.date(year=2024, month=2, day=29)", "datetime.date('2024', 1, 1)", "datetime.date.fromisoformat('2024-01-05')",
        "datetime.date.fromisoformat('20240105')", "datetime.date.fromisoformat('2024-1-5')", "datetime.date.fromordinal(738890)",
        "datetime.date(9999, 12, 31) + datetime.timedelta(1)", "datetime.date(2024, 1, 1) + 1", "datetime.time(24)",
        "datetime.time(minute=7)", "datetime.time.fromisoformat('04:05')", "datetime.time.fromisoformat('04:05:06')",
        "datetime.date(2024, 1, 1) < datetime.datetime(2024, 1, 1)", "datetime.date(2024, 1, 1) == datetime.datetime(2024, 1, 1)",
        "datetime.date(2024, 1, 1) - datetime.datetime(2024, 1, 1)", "datetime.datetime.combine('x', datetime.time(1))",
        "{datetime.date(2024, 1, 1): 1}[datetime.date(2024, 1, 1)]", "datetime.date(2024, 1, 1).hour",
        "isinstance(datetime.date(2024, 1, 1), datetime.datetime)", "datetime.datetime(2024, 1, 5).isoformat(timespec='x')",
    )


def collection():
    point = "collections.namedtuple('P', 'x y')"
    for shape in (
        "{}(1, 2)", "{}(y=1, x=2)", "{}(1, 2).x", "{}(1, 2)[1]", "{}(1, 2)._asdict()", "{}(1, 2)._replace(y=5)",
        "{}(1, 2)._replace(z=5)", "{}(1, 2) == (1, 2)", "tuple({}(1, 2))", "list({}(1, 2))", "len({}(1, 2))", "{}(1)",
        "{}(1, 2, 3)", "{}(1, z=3)", "{}(1, x=3)", "{}._fields", "{}._make([3, 4])", "{}._make([3])", "{}(1, 2).z",
        "{}(1, 2) + (3,)", "{}(1, 2)[::-1]", "{}(1, 2) < {}(1, 3)", "sorted([{}(2, 1), {}(1, 2)])", "1 in {}(1, 2)",
        "{}('a', [1]).y", "str({}(1, 'q'))", "{}(1, 2).count(1)", "{}(1, 2).index(2)", "isinstance({}(1, 2), tuple)",
        "type({}(1, 2)).__name__", "[*{}(1, 2)]", "{(1, 2): 3}[{}(1, 2)]", "{{{}(1, 2): 3}}",
    ):
        yield shape.replace("{{", "\0").replace("}}", "\1").replace("{}", point).replace("\0", "{").replace("\1", "}")
    yield from (
        "collections.namedtuple('P', ['a', 'b'], defaults=[7])(1)", "collections.namedtuple('P', 'a, b', defaults=(1, 2))()",
        "collections.namedtuple('P', 'a b', defaults=(1, 2, 3))", "collections.namedtuple('P', 'a a')",
        "collections.namedtuple('P', 'a class')", "collections.namedtuple('P', '_a')", "collections.namedtuple('1P', 'a')",
        "collections.namedtuple('P', 'a class a', rename=True)(1, 2, 3)", "collections.namedtuple('P', 'count index')(1, 2).count",
        "collections.namedtuple('P', '')()", "collections.namedtuple('P', 'x', defaults=[None])()",
        "collections.namedtuple('P', 'x y', defaults=[9])._field_defaults",
    )
    for size, most in itertools.product((0, 1, 3, 5), (None, 0, 2, 4)):
        made = f"collections.deque({list(range(size))}, maxlen={most})" if most is not None else f"collections.deque({list(range(size))})"
        for shape in (
            "{}", "list({})", "len({})", "bool({})", "{}.maxlen", "{}[0]", "{}[-1]", "{}[7]", "3 in {}", "{} == collections.deque([0])",
            "{} + collections.deque([9])", "{} * 2", "list(reversed({}))", "sum({})", "{}.count(1)", "{}.index(2)", "{}.copy()",
        ):
            yield shape.replace("{}", made)
        for calls in (
            "d.append(9)", "d.appendleft(9)", "d.extend([7, 8])", "d.extendleft([7, 8])", "d.pop()", "d.popleft()", "d.rotate()",
            "d.rotate(2)", "d.rotate(-1)", "d.rotate(12)", "d.reverse()", "d.clear()", "d.remove(1)", "d.insert(1, 9)", "d.insert(-1, 9)",
        ):
            yield f"(lambda d: [{calls}, d])({made})"
    yield from (
        "collections.deque('abc')", "collections.deque([1], -1)", "collections.deque([1], maxlen='x')", "collections.deque(5)",
        "collections.deque([1, 2]) < collections.deque([1, 3])", "collections.deque([1]) == [1]", "{collections.deque(): 1}",
        "isinstance(collections.deque(), collections.deque)", "collections.deque([1])['x']", "collections.deque([1]).foo",
        "collections.deque([3, 1, 2]).index(9)", "sorted(collections.deque([3, 1, 2]))", "dict(collections.deque([(1, 2)]))",
    )
    chain = "collections.ChainMap({'a': 1, 'b': None}, {'b': 3, 'c': 4})"
    for shape in (
        "{}", "{}['a']", "{}['b']", "{}['c']", "{}['z']", "{}.get('c')", "{}.get('b', 9)", "{}.get('z', 9)", "list({})", "len({})", "'c' in {}",
        "'z' in {}", "dict({})", "sorted({})", "list({}.items())", "list({}.keys())", "list({}.values())", "{}.maps", "{}.parents",
        "{}.new_child({'a': 7})['a']", "{}.new_child()", "{} == {'a': 1, 'b': None, 'c': 4}", "{}.pop('a')", "{}.pop('c', 5)", "{}.pop('c')",
        "{}.setdefault('q', 3)", "{}.setdefault('b', 3)", "{}.copy()", "bool({})", "(lambda c: [c.update({'a': 5}, d=6), c])({})",
    ):
        yield shape.replace("{}", chain, shape.count("{}")) if "{'" not in shape else chain.join(shape.split("{}"))
    yield from ("collections.ChainMap()", "collections.ChainMap()['x']", "list(collections.ChainMap())", "{collections.ChainMap(): 1}")


def networks():
    for _ in range(60):
        base = random.choice(["10.0.0.{}/{}", "2001:db8::{:x}/{}"])
        wide = 32 if base.startswith("10") else 128
        given = []
        for _ in range(random.randint(0, 7)):
            prefix = random.randint(wide - 5, wide)
            host = random.randint(0, 31) >> (wide - prefix) << (wide - prefix)
            kind = random.choice(["ip_network('%s')", "ip_address('%s')"])
            text = base.format(host, prefix)
            given.append("ipaddress." + (kind % (text if "network" in kind else text.split("/")[0])))
        yield f"list(ipaddress.collapse_addresses([{', '.join(given)}]))"
    for _ in range(30):
        a, b = random.randint(0, 300), random.randint(0, 300)
        first = ipaddress.ip_address("10.0.0.0") + a
        second = ipaddress.ip_address("10.0.0.0") + b
        yield f"list(ipaddress.summarize_address_range(ipaddress.ip_address('{first}'), ipaddress.ip_address('{second}')))"
    yield from (
        "list(ipaddress.collapse_addresses([ipaddress.ip_address('10.0.0.1'), ipaddress.ip_address('::1')]))",
        "list(ipaddress.collapse_addresses([ipaddress.ip_network('0.0.0.0/1'), ipaddress.ip_network('128.0.0.0/1')]))",
        "list(ipaddress.collapse_addresses(['10.0.0.1']))",
        "list(ipaddress.summarize_address_range(ipaddress.ip_address('0.0.0.0'), ipaddress.ip_address('255.255.255.255')))",
        "list(ipaddress.summarize_address_range(ipaddress.ip_address('10.0.0.1'), ipaddress.ip_address('::1')))",
        "list(ipaddress.summarize_address_range('10.0.0.1', '10.0.0.2'))",
        "[str(n) for n in ipaddress.summarize_address_range(ipaddress.ip_address('::'), ipaddress.ip_address('::ff'))]",
    )


def answer(expression):
    try:
        return repr(eval(expression, dict(SCOPE)))
    except Exception as error:
        return {"error": type(error).__name__}


cases = [[one, answer(one)] for one in dict.fromkeys([*dates(), *collection(), *networks()])]
lines = ",\n  ".join(json.dumps(case, ensure_ascii=False) for case in cases)
(HERE / "macros.json").write_text("[\n  " + lines + "\n]\n")
