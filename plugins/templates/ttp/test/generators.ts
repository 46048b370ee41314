/** Random templates and device text for property tests. */
import fc from "fast-check";

export const oneOf = (...texts: string[]) => fc.constantFrom(...texts);
const words = oneOf(
  "interface",
  "Gi0/1",
  "10.0.0.1",
  "255.255.255.0",
  "description",
  "x",
  "mtu 1500",
  "!",
  "",
);
export const device = fc
  .array(fc.tuple(oneOf("", " ", "  ", "\t"), fc.array(words, { maxLength: 4 })), { maxLength: 12 })
  .map((lines) => lines.map(([indent, parts]) => indent + parts.join(" ")).join("\n"));

export const functions = oneOf(
  "_start_",
  "_end_",
  "_line_",
  "_exact_",
  "_exact_space_",
  "_headers_",
  "ignore",
  "WORD",
  "ORPHRASE",
  "ROW",
  "DIGIT",
  "IP",
  "_line_ | joinmatches",
  "to_int",
  "to_ip",
  'set("x")',
  "set(True)",
  'default("none")',
  "split(' ')",
  "strip",
  "upper",
  "re('.*')",
  'contains("Gi")',
  "resub('i', 'o')",
  "let('a', 1)",
  "joinmatches(',')",
  "unrange('-', ',')",
  "mac_eui",
  "to_list",
  "count(var='c')",
  "lookup('t', add_field='f')",
  "sformat('{}')",
  "item(3)",
  "macro('m')",
  "re('[')",
  "nosuch",
  "((",
);
const variable = fc
  .tuple(oneOf("name", "ip", "_hidden_", "ignore", "a.b", "1", ""), fc.array(functions, { maxLength: 3 }))
  .map(([name, calls]) => `{{ ${[name, ...calls].join(" | ")} }}`);
const line = fc
  .tuple(oneOf("", " ", "  "), fc.array(fc.oneof(words, variable), { maxLength: 4 }))
  .map(([indent, parts]) => indent + parts.join(" "));
const attribute = oneOf(
  'name="i*"',
  'name="i**"',
  'name="a.b"',
  'name="i.{{ name }}"',
  'name="_"',
  'name="/abs*"',
  'name="_anonymous_"',
  'method="table"',
  'default="None"',
  'contains="ip"',
  'void=""',
  'to_int=""',
  'itemize="name"',
  'expand=""',
  'macro="m"',
  'set="ip"',
  'record="ip"',
  "lookup=\"name, name='t'\"",
  "sformat=\"'{name}', 'x'\"",
  'del="name"',
  'input="nosuch"',
  'output="nosuch"',
  'name="a}{"',
);
const groups = fc.letrec((tie) => ({
  group: fc
    .tuple(
      fc.uniqueArray(attribute, { maxLength: 2, selector: (one) => one.split("=")[0] }),
      fc.array(fc.oneof({ maxDepth: 3 }, line, tie("group")), { maxLength: 4 }),
    )
    .map(([attributes, body]) => `<group ${attributes.join(" ")}>\n${body.join("\n")}\n</group>`),
})).group;
const outputs = oneOf(
  "",
  '<output format="json"/>',
  '<output format="yaml"/>',
  '<output format="pprint"/>',
  '<output format="csv" returner="self"/>',
  '<output format="tabulate"/>',
  '<output format="table" path="i"/>',
  "<output dict_to_list=\"key_name='k'\"/>",
  '<output traverse="i"/>',
  '<output macro="m"/>',
  "<output is_equal=''>\n[1]\n</output>",
  '<output format="nosuch"/>',
);
export const template = fc
  .tuple(
    oneOf(
      "",
      "<macro>\ndef m(data):\n    return data, {'x': len(data)}\n</macro>",
      "<vars>\na = 1\nt = {'x': 1}\n</vars>",
    ),
    fc.array(groups as fc.Arbitrary<string>, { minLength: 1, maxLength: 3 }),
    outputs,
    oneOf("", ' results="per_template"', ' name="n"'),
  )
  .map(([head, body, tail, attributes]) =>
    attributes === ""
      ? head + body.join("\n") + tail
      : `<template${attributes}>${head}${body.join("\n")}${tail}</template>`,
  );
