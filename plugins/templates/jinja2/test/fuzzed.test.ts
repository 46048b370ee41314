/** Results of Jinja2 3.1 and ansible-core 2.14 where random templates showed a difference. */
import { describe, expect, test } from "vitest";
import { createTestEngine, ctx } from "./support.ts";

const engine = createTestEngine();

function render(source: string, context: object = {}, args: object = {}): unknown {
  return engine.compile(source, args).run(JSON.stringify(context), ctx);
}

test.each([
  ["(-2) ** n, (1 - 3) ** n, -2 ** n, (-1.5) ** n", "(-4, -4, -4, -2.25)"],
  ["(-2) ** 2, -n ** 2, (n - 4) ** n, 2 ** n", "(4, 4, 4, 4)"],
  ["'ΑΣ ΑΣΑ Σ'.swapcase()", "ας ασα σ"],
  ["\"ΑΣ'Σ ΑΣ'\".title()", "Ασ'Σ Ας'"],
  ['"ΑΣ\'α".title()', "Ασ'Α"],
  ["'a'.encode().nosuch is defined", "False"],
  ["'-'.encode().join(['a'.encode(), 'b'.encode()])", "b'a-b'"],
  ["'ab'.encode() * true, true in 'ab'.encode(), 97 in 'ab'.encode()", "(b'ab', False, True)"],
  ["'2001:db8::2/126' | ipmath(99999999999999999999)", "2001:db8:0:5:6bc7:5e2d:6310:1"],
  ["'YQ==x' | b64decode", "a"],
  ["'%Ey %Od %EQ' | strftime(0, utc=true)", "70 01 %EQ"],
  ["'!!float 1' | from_yaml", "1.0"],
  ["'!!null x' | from_yaml", "None"],
  ["'!!set {b, a}' | from_yaml | to_yaml", "!!set {a: null, b: null}\n"],
  ["'192.0.0.100' is private, '2001:20::1' is public, '64:ff9b:1::1' is private", "(True, True, True)"],
  ["'::ffff:8.8.8.8' is public, '::ffff:8.8.8.8' is private", "(True, False)"],
  ["-0.0 | human_readable", "-0.00 Bytes"],
  [
    "['10.0.0.1/0.0.0.255', 5, none, {}, [1], 'FE80::1'] | ipwrap",
    "['10.0.0.1/0.0.0.255', '0.0.0.5/32', None, {}, ['0.0.0.1/32'], '[fe80::1]']",
  ],
  ["[{'a': 1}, 1.5, '10.0.0.1'] | ipaddr('address')", "['10.0.0.1']"],
  ["('::10.0.0.0/127' | usable_range).usable_ips", "['::a00:0', '::a00:1']"],
])("the expression %s has the reference's result", (expression, answer) => {
  expect(render(`{{ ${expression} }}`, { n: 2 })).toBe(answer);
});

test.each([
  ["dict(nosuch)", "UndefinedError: 'nosuch' is undefined"],
  ["{{}.keys(): 1}", "TypeError: unhashable type: 'dict_keys'"],
  ["{{}.items(): 1}", "TypeError: unhashable type: 'dict_items'"],
  ["'{0[0]}'.format(1)", "TypeError: 'int' object is not subscriptable"],
  ["'{0[a]}'.format(none)", "TypeError: 'NoneType' object is not subscriptable"],
  ["'{0[0]}'.format({})", "KeyError: 0"],
  ["'%d' % nosuch", "UndefinedError: 'nosuch' is undefined"],
  ["'%.1f' % nosuch", "UndefinedError: 'nosuch' is undefined"],
  ["1 | round(1, 'x')", "FilterArgumentError"],
  ["[1] | map | list", "FilterArgumentError"],
  ["{} | dictsort(by='x')", "FilterArgumentError"],
  ["'[1]: 2' | from_yaml", "found unhashable key"],
  ["'=' | from_yaml", "could not determine a constructor"],
  ["bell | from_yaml", "unacceptable character #x0007"],
  ["'YQ=' | b64decode", "incorrect padding"],
  ["'192.0.2.0/24' | ipsubnet(-1)", "AnsibleFilterError"],
  ["'192.0.2.0/24' | nthhost(-300)", "IndexError"],
  ["[] | random(seed='sw1')", "IndexError"],
])("the expression %s fails as in the reference", (expression, message) => {
  expect(() => render(`{{ ${expression} }}`, { bell: "a\u0007" })).toThrow(message);
});

describe("from_yaml reads a block scalar at the end of the text", () => {
  test.each([
    ["a: |\n  x", "{'a': 'x'}"],
    ["a: >\n  x\n  y", "{'a': 'x y'}"],
    ["a: |+\n  x", "{'a': 'x'}"],
    ["a: |\n  x\n", "{'a': 'x\\n'}"],
    ["a: |\n  x\n# c", "{'a': 'x\\n'}"],
    ["a: |\n  x\nb: |\n  y", "{'a': 'x\\n', 'b': 'y'}"],
    ["a: |\n  x\nb: 1", "{'a': 'x\\n', 'b': 1}"],
  ])("as the reference does: %j", (text, answer) => {
    expect(render("{{ text | from_yaml }}", { text })).toBe(answer);
  });
});

test("DebugUndefined prints the module names of Jinja2's own types", () => {
  const args = { undefined: "DebugUndefined", templates: { m: "" } };
  expect(render("{% import 'm' as m %}{{ m.x }}", {}, args)).toBe(
    "{{ no such element: jinja2.environment.TemplateModule object['x'] }}",
  );
  expect(render("{{ ('a' | safe).x }}", {}, args)).toBe(
    "{{ no such element: markupsafe.Markup object['x'] }}",
  );
});

test("pprint breaks lines only at Python's white space", () => {
  const text = `${"word ".repeat(16)}a\ufeffb c`;
  const expected = `('${"word ".repeat(15)}'\n 'word a\\ufeffb c')`;
  expect(render("{{ text | pprint }}", { text })).toBe(expected);
});
