/** Results of Jinja2 3.1, Python's own methods and Ansible's filters that are in no recorded case. */
import { describe, expect, test } from "vitest";
import { createTestEngine, ctx } from "./support.ts";

const engine = createTestEngine();

function render(source: string, args: object = {}): unknown {
  return engine.compile(source, args).run("{}", ctx);
}

describe("Python's numbers and strings", () => {
  test.each([
    ["9007199254740991 // -3", "-3002399751580331"],
    ["-9007199254740991 // 7, -9007199254740991 % 7", "(-1286742750677285, 4)"],
    ["'ab' * -9007199254740993, [1] * -9007199254740993", "('', [])"],
    ["1.0 in range(3), true in range(3), 0.5 in range(3), 5.0 in range(3)", "(True, True, False, False)"],
    ["range(0, 10, 2).count(4.0), range(0, 10, 2).index(4.0)", "(1, 2)"],
    ["'{:#.2}'.format(9.995), '{:.2}'.format(9.995)", "('1.0e+01', '1e+01')"],
    ["'{:z.1f}'.format(-0.01), '{:z.1f}'.format(-0.06)", "('0.0', '-0.1')"],
    ["'{:z}'.format(-0.0), '{:z.0%}'.format(-0.001), '{:+z.0f}'.format(-0.1)", "('0.0', '0%', '+0')"],
    ["'a'.count('', 1, -1), 'ab'.count('', 1), 'ab'.count('', 2)", "(0, 2, 1)"],
    [
      "'abc'.endswith('', -1, 1), 'abc'.startswith('', 3), 'abc'.startswith('', 2, 1)",
      "(False, True, False)",
    ],
    ["'ΑΣ'.capitalize(), 'ΑΣ ΟΣ'.title(), 'ΑΣ' | capitalize, 'ŉ'.title()", "('Ας', 'Ας Ος', 'Ας', 'ʼN')"],
    ["'a' % range(3)", "a"],
    ["({'a': 1, 'b': 2}.keys() - {'a': 1}.keys()) | sort", "['b']"],
    ["({'a': 1, 'b': 2}.items() - [('a', 1)]) | list", "[('b', 2)]"],
  ])("have the reference's result: %s", (expression, answer) => {
    expect(render(`{{ ${expression} }}`)).toBe(answer);
  });

  test("the format option z is rejected for integers", () => {
    expect(() => render("{{ '{:z}'.format(1) }}")).toThrow("Negative zero coercion (z) not allowed");
  });
});

test("changing the size of a dictionary in a loop is an error, changing a value is not", () => {
  const loop = (change: string) =>
    `{% set d = {'a': 1, 'b': 2} %}{% for k in d %}{{ k }}{% do d.${change} %}{% endfor %}`;
  expect(render(loop("update({'b': 3})"))).toBe("ab");
  expect(() => render(loop("update({'c': 3})"))).toThrow("dictionary changed size during iteration");
  expect(() => render(loop("pop(k)"))).toThrow("dictionary changed size during iteration");
});

test("extensions are accepted under Jinja2's names", () => {
  const source = "{% do [] %}{% for x in [1, 2] %}{{ x }}{% break %}{% endfor %}";
  expect(render(source, { extensions: ["jinja2.ext.do", "jinja2.ext.loopcontrols"] })).toBe("1");
  expect(() => render(source, { extensions: ["jinja2.ext.loopcontrols"] })).toThrow("unknown tag 'do'");
  expect(() => render(source, { extensions: ["jinja2.ext.do"] })).toThrow("unknown tag 'break'");
});

test("an undefined name in a list of templates to include is skipped", () => {
  const templates = { a: "A" };
  expect(render("{% include [nosuch, 'a'] %}{% include [nosuch] ignore missing %}", { templates })).toBe("A");
  expect(() => render("{% include [nosuch, 'b'] %}", { templates })).toThrow("'nosuch' is undefined, b");
  expect(() => render("{% include nosuch ignore missing %}", { templates })).toThrow("'nosuch' is undefined");
});

test.each([
  // Literals are concatenated at compile time, and are plain text from then on.
  ["{{ '<b>' ~ ('<i>' | safe) }}", "&lt;b&gt;&lt;i&gt;"],
  ["{{ ['<'][0] ~ ('<' | upper | safe) ~ (1 if true else 2) }}", "&lt;&lt;1"],
  ["{% set x = '<b>' %}{{ x ~ ('<i>' | safe) }}", "&lt;b&gt;<i>"],
  ["{{ (['<'] | map('string') | first) ~ ('<' | safe) }}", "&lt;<"],
  ["{% autoescape true %}{{ '<' ~ ('>' | safe) }}{% endautoescape %}", "&lt;&gt;"],
])("with autoescape, %s is escaped as in the reference", (source, answer) => {
  expect(render(source, { autoescape: true })).toBe(answer);
});

describe("escaping follows the surrounding autoescape block", () => {
  test.each([
    ["{% for a in [1] recursive %}<b>{{ y }}{{ loop([2]) if loop.depth < 2 }}{% endfor %}", "<b>&lt;<b>&lt;"],
    ["{% filter e %}<b>{% endfilter %}", "<b>"],
    ["{% set a | e %}<i>{% endset %}{{ a }}", "<i>"],
  ])("in %s", (source, escaped) => {
    for (const on of ["true", "x"])
      expect(
        render(`{% autoescape ${on} %}${source}{% endautoescape %}`, { globals: { x: 1, y: "<" } }),
      ).toBe(escaped);
  });

  test("even inside a block with another setting", () => {
    const off = "{% autoescape false %}{% filter e %}<{% endfilter %}{% endautoescape %}";
    expect(render(`{% autoescape true %}${off}{% endautoescape %}`)).toBe("&lt;");
  });
});

describe("filters of Jinja2", () => {
  test.each([
    ["'42' | int(base=99), 'x' | int(7, 99), 'x' | int(default='d', base=1)", "(42, 7, 'd')"],
    ["'inf' | int, '-Infinity' | int(7), '1e999' | int(default='x')", "(0, 7, 'x')"],
    [
      "'\\x1cwww.ex.com\\x1f' | urlize(rel='a') | trim",
      '<a href="https://www.ex.com" rel="a noopener">www.ex.com</a>',
    ],
    ["1e24 | filesizeformat, 1e27 | filesizeformat", "('1000.0 ZB', '1000.0 YB')"],
    ["'\\x7f' | tojson", '"\\u007f"'],
    ["'\\x7f' | to_json, '\\x7f' | to_json(ensure_ascii=false)", "('\"\\\\u007f\"', '\"\\x7f\"')"],
    ["[1, 2, 3] | batch(2.0) | list, [1, 2] | batch('x') | list", "([[1, 2], [3]], [[1, 2]])"],
    ["[1, 2, 3] | batch(2.5, 'x') | list", "[[1, 2, 3]]"],
    ["2.5 | round(none), 7 | round(precision=none)", "(2, 7)"],
    ["('<b>' | safe) | trim('<'), '<b>' | trim('<')", "(Markup('<b>'), 'b>')"],
    ["cycler(1, 2).items", "(1, 2)"],
    [
      "'&eacute;&Uuml;&szlig;&frac12; &lt &copy2 &#60 &#x80; &nosuch; &amp' | striptags",
      "éÜß½ < ©2 < € &nosuch; &",
    ],
  ])("have the reference's result: %s", (expression, answer) => {
    expect(render(`{{ ${expression} }}`)).toBe(answer);
  });

  test.each([
    ["rel=none", 'rel="noopener"'],
    ["rel=''", 'rel="noopener"'],
    ["rel='me', nofollow=true", 'rel="me nofollow noopener"'],
  ])("urlize(%s) sets rel as the reference does", (args, rel) => {
    expect(render(`{{ 'http://a.org' | urlize(${args}) }}`)).toBe(
      `<a href="http://a.org" ${rel}>http://a.org</a>`,
    );
  });
});

describe("filters of Ansible", () => {
  test.each([
    // The right operands are merged first, and equal items are kept once.
    ["{'k': {'x': 1}} | combine({'k': 5}, {'k': {'y': 2}}, recursive=true)", "{'k': {'x': 1, 'y': 2}}"],
    ["{'k': [1]} | combine({'k': [1]}, list_merge='append')", "{'k': [1]}"],
    ["{'a': 1, 'b': 2} | combine({'b': 2, 'a': 1})", "{'b': 2, 'a': 1}"],
    ["{'a': 1} | combine(none, {'b': 2}), none | combine({'a': 1})", "({'a': 1, 'b': 2}, {'a': 1})"],
    ["{'a': 1} | combine(({'b': 2}, {'c': 3}))", "{'a': 1, 'b': 2, 'c': 3}"],
    ["1e15 | pow(3), 1023 | pow(10), 3 | pow(-1)", "(1e+45, 1.2553254600680938e+30, 0.3333333333333333)"],
    [
      "'%g|%P|%r|%-5d|%#c' | strftime(951782400, utc=true)",
      "00|am|12:00:00 AM|   29|Tue Feb 29 00:00:00 2000",
    ],
    [
      "'Tue Feb 29 12:30:01 2000' | to_datetime('%c'), '29' | to_datetime('%d')",
      "(datetime.datetime(2000, 2, 29, 12, 30, 1), datetime.datetime(1900, 1, 29, 0, 0))",
    ],
    ["('02/29/00 1:02:03' | to_datetime('%x %X')).isoformat(' ')", "2000-02-29 01:02:03"],
    [
      "[('2024-03-02' | to_datetime('%Y-%m-%d')) - ('2024-03-01 23:59:58' | to_datetime)]",
      "[datetime.timedelta(seconds=2)]",
    ],
    ["('2024-03-02' | to_datetime('%Y-%m-%d')).ctime()", "Sat Mar  2 00:00:00 2024"],
    ["-5 | root(1), -5 | root(0.5)", "(-5.0, 25.0)"],
    ["'# \\n# ' | comment(prefix='', postfix_count=0)", "# #\n# # "],
    // As in WHATWG: leading white space, and line breaks and tabs anywhere, are ignored.
    ["' http://h\\t/x\\n' | urlsplit('path'), '\\nhttp://h' | urlsplit('netloc')", "('/x', 'h')"],
    // Unicode line breaks would be read back as spaces.
    ["'1: \\u2028' | to_yaml, '- \\x85\\u2029' | to_yaml", String.raw`('"1: \\L"\n', '"- \\N\\P"\n')`],
    [
      "'%-d.%-m. %_H|%-I|%^a|%05d|%3j|%-j|%e|%_e|%-y|%^B|%#Z' | strftime(951782400, utc=true)",
      "29.2.  0|12|TUE|00029|060|60|29|29|0|FEBRUARY|gmt",
    ],
  ])("have the reference's result: %s", (expression, answer) => {
    expect(render(`{{ ${expression} }}`)).toBe(answer);
  });

  test.each([
    ["[1] | permutations(-1) | list", "r must be non-negative"],
    ["[1] | combinations(-1) | list", "r must be non-negative"],
    ["[1] | product(repeat=-1) | list", "repeat argument cannot be negative"],
    ["-8 | root(3)", "math domain error"],
  ])("%s fails as in the reference", (expression, message) => {
    expect(() => render(`{{ ${expression} }}`)).toThrow(message);
  });
});
