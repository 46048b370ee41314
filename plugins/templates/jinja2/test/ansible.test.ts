/**
 * Filters and tests with Ansible's semantics; expected results are those of ansible-core 2.14 with
 * ansible.utils.
 */
import { describe, expect, test } from "vitest";
import { createTestEngine, ctx } from "./support.ts";

function render(source: string, context: object = {}, args: object = {}): unknown {
  return createTestEngine().compile(source, args).run(JSON.stringify(context), ctx);
}

describe("args.ansible", () => {
  test("makes filters return lists, and unique accept unhashable values", () => {
    const list = [{ a: 1 }, { a: 1 }, { b: 2 }];
    expect(render("{{ l | unique }}", { l: list }, { ansible: true })).toBe("[{'a': 1}, {'b': 2}]");
    expect(render("{{ ['a', 'A'] | unique }} {{ ['a', 'A'] | unique(true) }}", {}, { ansible: true })).toBe(
      "['a'] ['a', 'A']",
    );
    expect(render("{{ [1] | map('string') }} {{ [1, 2] | batch(1) }}", {}, { ansible: true })).toBe(
      "['1'] [[1], [2]]",
    );
    const twice = "{% set u = [1, 1] | unique %}{{ u | length }}{{ u | length }}";
    expect(render(twice, {}, { ansible: true })).toBe("11");
    expect(() =>
      render("{{ l | unique(attribute='x') | list }}", { l: [{ x: [1] }] }, { ansible: true }),
    ).toThrow("AnsibleFilterError: filter 'unique'");
  });

  test("makes None print nothing", () => {
    const source = "[{{ none }}{{ d.a }}{% autoescape true %}{{ none }}{% endautoescape %}]";
    expect(render(source, { d: { a: null } }, { ansible: true })).toBe("[]");
    expect(render("{{ none }}")).toBe("None");
  });

  test.each([
    [
      "members of what is undefined are undefined",
      "{{ 'y' if a.b.c is defined else 'n' }} {{ a.b | default('-') }}",
      "n -",
    ],
    ["items too", "{{ l[9].x['y'] | default('none') }}", "none"],
    [
      "views and ranges are lists",
      "{{ d.keys() }} {{ d.items() }} {{ range(3) }}",
      "['b', 'a'] [('b', 1), ('a', 2)] [0, 1, 2]",
    ],
    ["a tag's own line is removed", "{% if true %}\nx\n{% endif %}\n", "x\n"],
    ["newlines at the end stay, as many as in the source", "a{% if true %}b{% endif %}\n\n", "ab\n\n"],
    ["an empty loop leaves the newline at the end", "a\n{% for i in [] %}\n{% endfor %}\n", "a\n"],
    [
      "a header sets options, and is not printed",
      "#jinja2: trim_blocks: False\n{% if true %}\nx\n{% endif %}\n",
      "\nx\n",
    ],
    [
      "a header sets several options",
      "#jinja2:lstrip_blocks:True, variable_start_string: '[%', variable_end_string: \"%]\"\n  {% if 1 %}\n[% d.b %] {{ d }}\n  {% endif %}\n",
      "1 {{ d }}\n",
    ],
    ["the time is a function", "{{ now().year > 2000 }} {{ now(utc=True, fmt='%Y') | length }}", "True 4"],
  ])("%s", (_what, source, text) => {
    expect(render(source, { d: { b: 1, a: 2 }, l: [] }, { ansible: true })).toBe(text);
  });

  test.each([
    ["{{ x }}", "'x' is undefined"],
    ["{{ x.y.z }}", "'x' is undefined"],
    ["{{ [1, x] }}", "'x' is undefined"],
    ["{{ {'a': [x]} }}", "'x' is undefined"],
    ["{{ [{'n': 1}] | map(attribute='ip') | list }}", "has no attribute 'ip'"],
    ["{% for i in x.y %}{% endfor %}", "'x' is undefined"],
    ["{% if x.y %}{% endif %}", "'x' is undefined"],
  ])("%s is an error: an undefined value is never printed or tested", (source, message) => {
    expect(() => render(source, {}, { ansible: true })).toThrow(message);
  });

  test("an included template ends without its newline, the main one with it", () => {
    const templates = { d: "192.0.2.0/24\n" };
    const source = 'route {% include "d" %} via {{ g }}\n';
    const text = "route 192.0.2.0/24 via 10.0.0.1\n";
    expect(render(source, { g: "10.0.0.1" }, { ansible: true, templates })).toBe(text);
  });

  test("options that others use to come near to Ansible's module give the same", () => {
    const args = {
      ansible: true,
      undefined: "StrictUndefined",
      keep_trailing_newline: true,
      trim_blocks: true,
    };
    const templates = { d: "192.0.2.0/24\n" };
    const source = 'route {% include "d" %} via {{ g }}\n';
    expect(render(source, { g: "10.0.0.1\n" }, { ...args, templates })).toBe(
      "route 192.0.2.0/24 via 10.0.0.1\n",
    );
    expect(render("{{ site.dns.first | default('9.9.9.9') }}", { site: {} }, args)).toBe("9.9.9.9");
    expect(render("{{ 'y' if bgp.peers is defined else 'n' }}", {}, args)).toBe("n");
    expect(() => render("{{ bgp.peers }}", {}, args)).toThrow("'bgp' is undefined");
    const kept = `#jinja2: keep_trailing_newline: True\n${source}`;
    expect(render(kept, { g: "x" }, { ...args, templates })).toBe("route 192.0.2.0/24\n via x\n");
  });

  test("a header that cannot be read is an error, and an unknown option a warning", () => {
    const args = { ansible: true };
    expect(() => render("#jinja2: trim_blocks\nx", {}, args)).toThrow('"trim_blocks" has no colon');
    expect(() => render("#jinja2: trim_blocks: maybe\nx", {}, args)).toThrow("maybe is not a Python literal");
    const compiled = createTestEngine().compile("#jinja2: trim_block: True\nx\n", args);
    expect(compiled.warnings).toEqual([expect.stringContaining("sets trim_block, which is no option")]);
    expect(compiled.run("{}", ctx)).toBe("x\n");
    expect(render("#jinja2: trim_blocks: True\nx")).toBe("#jinja2: trim_blocks: True\nx");
  });

  test("is required for these differences from Jinja2", () => {
    expect(render("{{ [1, 1] | unique }}")).toBe("<generator object>");
    expect(() => render("{{ [{}] | unique | list }}")).toThrow("unhashable");
  });
});

test.each([
  ["60 | random(seed='r1')", "51"],
  ["50 | random(20, 5, seed='sw1')", "25"],
  ["['a', 'b', 'c', 'd'] | random(seed=99)", "d"],
  ["18446744073709551616 | random(seed=12345678901234567890123)", "16964043922130723448"],
  ["1000000 | random(seed=3.25)", "111430"],
  ["100 | random(seed=-7)", "41"],
  ["10 | random(seed=-2.5)", "7"],
  ["[1, 2, 3, 4, 5, 6] | shuffle(seed='x')", "[5, 2, 1, 4, 3, 6]"],
  ["[] | ansible.netcommon.vlan_parser", "[]"],
])("the expression %s has ansible-core's result", (source, answer) => {
  expect(render(`{{ ${source} }}`)).toBe(answer);
});

test("random and shuffle respect their bounds and report invalid arguments", () => {
  for (let turn = 0; turn < 50; turn++) expect(["10", "15"]).toContain(render("{{ 20 | random(10, 5) }}"));
  expect(() => render("{{ 0 | random }}")).toThrow("empty range for randrange()");
  expect(() => render("{{ [1] | random(start=1) }}")).toThrow("for integers only");
  expect(() => render("{{ 5 | random(seed=[1]) }}")).toThrow("a seed is text or a number");
  expect(() => render("{{ [1] | shuffle }}")).toThrow("shuffle needs a seed");
});

test.each([
  ["['x']", true],
  ["'up'", true],
  ["{'a': 1}", true],
  ["[]", false],
  ["' Yes '", true],
  ["'t'", true],
  ["'n'", false],
  ["'off'", false],
  ["2", true],
  ["0.0", false],
  ["none", false],
  ["'2'", true],
])("%s is truthy(convert_bool=true) gives %s", (value, answer) => {
  const shown = answer ? "True False" : "False True";
  expect(
    render(`{{ ${value} is truthy(convert_bool=true) }} {{ ${value} is falsy(convert_bool=true) }}`),
  ).toBe(shown);
});

describe("filters for keys and paths of nested data", () => {
  const d = {
    a: 1,
    c: { mtu: 3, x: 1 },
    l: [{ mtu: 1, z: 0 }, { z: 3 }, 0, "", []],
    s: ["p", "q"],
    n: [1, 2],
    e: {},
  };
  test.each([
    ["keep_keys(['a', 'mtu'])", "{'a': 1, 'c': {'mtu': 3}, 'l': [{'mtu': 1}, 0, ''], 'n': [1, 2]}"],
    ["keep_keys('m', 'starts_with')", "{'c': {'mtu': 3}, 'l': [{'mtu': 1}, 0, ''], 'n': [1, 2]}"],
    ["remove_keys(['mtu', 'l'])", "{'a': 1, 'c': {'x': 1}, 's': ['p', 'q'], 'n': [1, 2], 'e': {}}"],
    ["remove_keys('[a-l]', 'regex')", "{'s': ['p', 'q'], 'n': [1, 2]}"],
    ["remove_keys(['a', 's', 'n', 'e', 'c', 'mtu'])", "{'l': [{'z': 0}, {'z': 3}]}"],
    ["to_paths | list | length", "14"],
    ["get_path('l[0].mtu')", "1"],
    ["get_path('s[-1]', wantlist=true)", "['q']"],
  ])("have the result of ansible.utils: %s", (filter, answer) => {
    expect(render(`{{ d | ansible.utils.${filter} }}`, { d })).toBe(answer);
  });

  test("every path of to_paths leads back through get_path", () => {
    const data = { a: { "b c": [1, { x: 2 }], "d-e": {}, f: [] }, t: true };
    const source =
      "{% for path, value in (d | to_paths).items() %}{{ (d | get_path(path)) == value }} {% endfor %}";
    expect(render(source, { d: data })).toBe("True True True True True ");
  });

  test("index_of supports tests, keys and negations", () => {
    const list = [{ n: "x" }, { n: "yy", m: 1 }, { n: "z" }];
    const of = (args: string) => render(`{{ d | index_of(${args}) }}`, { d: list });
    expect(of("'eq', 'x', 'n'")).toBe("0");
    expect(of("'!match', 'y.*', key='n'")).toBe("[0, 2]");
    expect(of("'not in', ['x'], 'n'")).toBe("[1, 2]");
    expect(of("'eq', 'x', 'n', wantlist=true")).toBe("[0]");
    expect(() => of("'eq', 'x', 'm', fail_on_missing=true")).toThrow("item 0 has no 'm'");
    expect(() => of("'nosuch'")).toThrow("there is no test 'nosuch'");
  });

  test("report invalid arguments", () => {
    expect(() => render("{{ 'x' | keep_keys(['x']) }}")).toThrow("keep_keys needs a list or a dictionary");
    expect(() => render("{{ {} | keep_keys(['x'], 'near') }}")).toThrow("matching_parameter is one of");
    expect(() => render("{{ {} | get_path('a..b') }}")).toThrow("can't read the path 'a..b'");
    const loop = "{% set x = [] %}{% do x.append(x) %}{{ x | remove_keys(['a']) }}";
    expect(() => render(loop)).toThrow("nested deeper");
  });
});

test("consolidate merges data sources by a key each", () => {
  const s = [
    { data: [{ n: "b", x: 1 }, { n: "a" }], match_key: "n", name: "s1" },
    { data: [{ m: "a", y: 2 }, { q: 1 }], match_key: "m", name: "s2" },
  ];
  const of = (args: string) => render(`{{ s | consolidate(${args}) }}`, { s });
  expect(() => of("")).toThrow("missing match key 'm' in data source 2 in list entry 2");
  expect(() => of("fail_missing_match_key=false")).toThrow("missing match value b in data source 2");
  expect(of("fail_missing_match_key=false, fail_missing_match_value=false")).toBe(
    "{'a': {'s1': {'n': 'a'}, 's2': {'m': 'a', 'y': 2}}, 'b': {'s1': {'n': 'b', 'x': 1}, 's2': {}}}",
  );
});

test("param_list_compare handles all, single names and exclusions", () => {
  expect(render("{{ ['c', 'a', 'b'] | param_list_compare(['all', '!b', 'd']) }}")).toBe(
    "{'actionable': ['a', 'c'], 'unsupported': ['d']}",
  );
});

describe("XML filters", () => {
  test("read elements, attributes, text, lists and empty elements", () => {
    const x =
      "<?xml version='1.0'?><a b='1'>\n <!-- c --><p:c>  t &amp; &lt; </p:c><d/><d>2</d><g k='v'> z </g><![CDATA[ cd ]]></a>";
    expect(render("{{ x | from_xml }}", { x })).toBe(
      '{"a": {"@b": "1", "p:c": "t & <", "d": [null, "2"], "g": {"@k": "v", "#text": "z"}, "#text": "cd"}}',
    );
    expect(() => render("{{ '<a><b></a>' | from_xml }}")).toThrow("from_xml");
  });

  test("write a document with one root", () => {
    const d = { a: { "@b": "1", c: [1, { x: null }], t: true, e: [], "#text": "z<&>" } };
    expect(render("{{ d | to_xml(indent='spaces', indent_width=1) }}", { d })).toBe(
      '<?xml version="1.0" encoding="utf-8"?>\n<a b="1">\n <c>1</c>\n <c>\n  <x></x>\n </c>\n <t>true</t>\nz&lt;&amp;&gt;</a>',
    );
    expect(() => render("{{ {'a': 1, 'b': 2} | to_xml }}")).toThrow("a document has one root");
    expect(() => render("{{ {'a><x': 1} | to_xml }}")).toThrow("is not a name of a tag");
  });
});

test.each([
  ["'10.0.0.0/31' | ipsubnet(26, 1)", "False"],
  ["'10.0.0.0/31' | ipsubnet(26, 0)", "10.0.0.0/26"],
  ["'2001:db8::7/64' | ipsubnet(26, -1)", "False"],
  ["'abc' | intersect(['a', 'c'])", "['a', 'c']"],
  ["'abc' | difference(['a'])", "['b', 'c']"],
  ["'2001:0:4136::1' is ansible.utils.ipv6_teredo, '2001:db8::1' is ipv6_teredo", "(True, False)"],
  ["'https://h/p' is url, 'a/b' is url, 'file:///a' is url, 5 is uri", "(True, False, True, False)"],
  ["'ftp://h' is uri(['http', 'ftp']), 'ftp://h' is url(['http']), 'urn:a:b' is urn", "(True, False, True)"],
  ["'/a' is abs, 'a' is abs", "(True, False)"],
  ["'//srv/share/a/b' | win_splitdrive", "('//srv/share', '/a/b')"],
  [
    "'C:\\\\a\\\\b.txt' | win_dirname, 'C:\\\\' | win_dirname, 'a' | win_dirname",
    "('C:\\\\a', 'C:\\\\', '')",
  ],
  ["-0.0 | round, (-0.4) | round", "(-0.0, -0.0)"],
  ["range(1, 9, 2).index(5), range(5).count(3), range(5).count('a')", "(2, 1, 0)"],
])("the filter or test %s has Ansible's result", (source, answer) => {
  expect(render(`{{ ${source} }}`)).toBe(answer);
});

test("subelements with skip_missing skips missing keys, but not values that are not dictionaries", () => {
  expect(() => render("{{ [1] | subelements('x', skip_missing=true) }}")).toThrow("a dictionary is needed");
});
