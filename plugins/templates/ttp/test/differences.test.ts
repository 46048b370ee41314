/** Results of Python's TTP in corner cases without recordings, taken from its source. */
import { expect, test } from "vitest";
import { createLoadedEngine as createEngine } from "../engine.ts";
import { kitOf, runEngine } from "./support.ts";

const engine = createEngine(kitOf());
const run = (source: string, text: string) => runEngine(engine, source, text);

const withVars = (group: string) =>
  `<vars>\nunset = None\nword = "up"\n</vars>\n<group ${group.replace(">", ">\n")}\n</group>`;

const cases: readonly (readonly [what: string, template: string, text: string, results: unknown[]])[] = [
  [
    "a value in a path is a replacement of re.sub",
    '<group name="users.{{ user }}">\nuser {{ user }} uid {{ uid }}\n</group>',
    "user AD\\nick uid 1\nuser AD\\ute uid 2\nuser AD\\\\x uid 3\nuser AD\\.y uid 4\n",
    [
      {
        users: {
          "AD\nick": { uid: "1" },
          "AD\\ute": { uid: "2" },
          "AD\\x": { uid: "3" },
          "AD\\.y": { uid: "4" },
        },
      },
    ],
  ],
  [
    "a value in a path is also a replacement within a longer item",
    '<group name="u-{{ user }}">\nuser {{ user }} uid {{ uid }}\n</group>',
    "user AD\\tom uid 1\n",
    [{ "u-AD\tom": { uid: "1" } }],
  ],
  [
    "contains checks the value that itemize took",
    itemized("contains"),
    "vlan a1\nvlan b2\n",
    [{ g: ["b2"] }],
  ],
  [
    "containsall checks the value that itemize took",
    itemized("containsall"),
    "vlan a1\nvlan b2\n",
    [{ g: ["b2"] }],
  ],
  ["exclude checks the value that itemize took", itemized("exclude"), "vlan a1\nvlan b2\n", [{ g: ["a1"] }]],
  [
    "excludeall checks the value that itemize took",
    itemized("excludeall"),
    "vlan a1\nvlan b2\n",
    [{ g: ["a1"] }],
  ],
  ["del leaves the value that itemize took", itemized("del"), "vlan a1\nvlan c2\n", [{ g: ["a1", "c2"] }]],
  [
    "record leaves the value that itemize took",
    itemized("record"),
    "vlan a1\nvlan c2\n",
    [{ g: ["a1", "c2"] }],
  ],
  [
    "to_ip leaves the value that itemize took",
    '<group name="g*" itemize="v" to_ip="ip, mask">\nvlan {{ v }}\n</group>',
    "vlan a1\n",
    [{ g: ["a1"] }],
  ],
  [
    "items2dict drops an itemized value without both names",
    '<group name="g*" itemize="v" items2dict="b, c">\nvlan {{ v }}\n</group>',
    "vlan a1\nvlan b1\n",
    [{}],
  ],
  [
    "a word is neither greater nor less than anything",
    "mtu {{ mtu | greaterthan(5) }}\nmtu {{ low | lessthan(None) }}",
    "mtu auto\n",
    [{}],
  ],
  [
    "unrange leaves a list without the mark as it is",
    'vlans {{ v | split(",") | unrange("-", ",") }}',
    "vlans 1,2\n",
    [{ v: ["1", "2"] }],
  ],
  [
    "a default that names a variable with None is no default",
    withVars('name="g" default="unset">x {{ x }}'),
    "y\n",
    [{}],
  ],
  [
    "set of a variable with None gives None",
    withVars('name="g" set="unset">x {{ x }}'),
    "x 1\n",
    [{ g: { x: "1", unset: null } }],
  ],
  [
    "equal of a group with a variable that is None",
    withVars('name="g" equal="x, unset">x {{ x }}'),
    "x unset\n",
    [{}],
  ],
  [
    "exclude_val of a variable with None",
    withVars('name="g" exclude_val="x, unset">x {{ x }}'),
    "x unset\n",
    [{ g: { x: "unset" } }],
  ],
  [
    "equal of a match with a variable that is None",
    withVars('name="g">x {{ x | equal("unset") }}'),
    "x unset\n",
    [{}],
  ],
  [
    "replaceall knows variables with lists and dictionaries only",
    withVars('name="g">x {{ x | replaceall("Z", "word") }} {{ y | resuball("Z", "word") }}'),
    "x up up\n",
    [{ g: { x: "up", y: "Z" } }],
  ],
  [
    "to_int converts an address to its number",
    '<group name="g" to_int="ip">\nip {{ ip | to_ip }} {{ other | to_ip | to_int }}\n</group>',
    "ip 10.0.0.1 0.0.1.0/24\n",
    [{ g: { ip: 167_772_161, other: 256 } }],
  ],
  [
    "to_int with intlist converts all numbers",
    '<group name="g" to_int="v, intlist=True">\nv {{ v | to_float | to_list | append(\'7.5\') | append("x") }}\n</group>',
    "v 2.5\n",
    [{ g: { v: [2, 7.5, "x"] } }],
  ],
  [
    "an empty key of a CSV table is the first column",
    '<lookup name="t" load="csv" key="">\nid,name\n1,one\n</lookup>\n<group name="g">\nv {{ v | lookup("t") }}\n</group>',
    "v 1\n",
    [{ g: { v: { name: "one" } } }],
  ],
  [
    "of a repeated CSV header the first column is filled",
    '<group>\nv {{ v }} {{ w }}\n</group>\n<output format="csv" headers="v,v,w"/>',
    "v 1 2\n",
    ['"v","v","w"\n"1","","2"'],
  ],
  [
    "None in a table is text, not a missing value",
    '<group>\nv {{ v | default(None) }}\nw {{ w }}\n</group>\n<output format="csv" missing="-" headers="v,w,x"/>',
    "w 1\n",
    ['"v","w","x"\n"None","-","-"'],
  ],
  [
    "of two outputs with one name the second belongs to the template",
    '<group name="g" output="o">\nv {{ v }}\n</group>\n<output name="o" traverse="g"/>\n<output name="o" format="json"/>',
    "v 1\n",
    ['[\n    [\n        {\n            "v": "1"\n        }\n    ]\n]'],
  ],
  [
    "an INI line without a value continues the previous option",
    withIni("k = 1\nlost\n  more\n= nameless"),
    "v k;\nv lost;\nv ;\n",
    [{ g: [{ v: "1\nmore" }, { v: "lost" }, { v: "nameless" }] }],
  ],
  [
    "variables named by numbers are in the results",
    '<vars name="vlans" load="yaml">\n10: users\nyes: 1\nhost: gethostname\n20: gethostname\n</vars>\n<group name="g">\nx {{ x }}\n</group>',
    "sw1#show\nx 1\n",
    [{ vlans: { 10: "users", 20: "sw1", true: 1, host: "sw1" }, g: { x: "1" } }],
  ],
];

function withIni(lines: string): string {
  const match = '{{ v | re(".*?") | strip | lookup("t.s") }}';
  return `<lookup name="t" load="ini">\n[s]\n${lines}\n</lookup>\n<group name="g">\nv${match};\n</group>`;
}

function itemized(check: string): string {
  return `<group name="g*" itemize="v" ${check}="b">\nvlan {{ v }}\n</group>`;
}

test.each(cases)("corner case of Python's TTP: %s", (_, template, text, results) => {
  expect(run(template, text)).toEqual(results);
});

test("a row of a CSV table without its key is an error", () => {
  const template =
    '<lookup name="t" load="csv" key="id">\nname,id\none,1\ntwo\n</lookup>\n<group>\nv {{ v }}\n</group>';
  expect(() => run(template, "v 1\n")).toThrow("a row without the column 'id': two");
});

test("digits in a dynamic path become an integer without loss, in any script", () => {
  const template = '<group name="ids.{{ id }}">\nid {{ id }} {{ v }}\n</group>';
  const args = { dynamic_path_key_to_int: true };
  expect(runEngine(engine, template, "id 12345678901234567890 a\nid 007 b\nid ٣ c\n", args)).toEqual([
    { ids: { "12345678901234567890": { v: "a" }, 7: { v: "b" }, 3: { v: "c" } } },
  ]);
});
