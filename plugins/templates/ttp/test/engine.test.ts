/** The engine as the service uses it: arguments, structures, lookups, limits. */

import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { defaultTemplateLimits, TemplateError, type TemplateLimits } from "../../python/index.ts";
import { ttpArgs } from "../args.ts";
import { createLoadedEngine as createEngine } from "../engine.ts";
import plugin from "../plugin.ts";
import { emptyLibrary, context as kitContext, kitOf, runEngine } from "./support.ts";

const engine = createEngine(kitOf());
const run = (source: string, text: string, args: unknown = {}) => runEngine(engine, source, text, args);

const INTERFACES = '<group name="interfaces*">\ninterface {{ name }}\n mtu {{ mtu | to_int }}\n</group>';
const TEXT = "interface Gi0/1\n mtu 1500\ninterface Gi0/2\n mtu 9000\n";
const RECORDS = [
  { name: "Gi0/1", mtu: 1500 },
  { name: "Gi0/2", mtu: 9000 },
];

function errorOf(work: () => unknown): TemplateError {
  try {
    work();
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
  throw new Error("there was no error");
}

describe("the structure of TTP results", () => {
  test("is one flat list by default, or the requested structure", () => {
    expect(run(INTERFACES, TEXT)).toEqual([{ interfaces: RECORDS }]);
    expect(run(INTERFACES, TEXT, { structure: "flat_list" })).toEqual([{ interfaces: RECORDS }]);
    expect(run(INTERFACES, TEXT, { structure: "list" })).toEqual([[{ interfaces: RECORDS }]]);
    expect(run(INTERFACES, TEXT, { structure: "dictionary" })).toEqual({
      _root_template_: [{ interfaces: RECORDS }],
    });
  });

  test("supports groups without a name and templates without groups", () => {
    expect(run("<group>\ninterface {{ name }}\n</group>", TEXT)).toEqual([
      { name: "Gi0/1" },
      { name: "Gi0/2" },
    ]);
    expect(run("interface {{ name }}", TEXT)).toEqual([{ name: "Gi0/1" }, { name: "Gi0/2" }]);
  });

  test("is an empty result if nothing matches", () => {
    expect(run(INTERFACES, "")).toEqual([{}]);
    expect(run(INTERFACES, "no such lines\n")).toEqual([{}]);
  });

  test("merges all inputs with per_template", () => {
    const source = `<template results="per_template">\n${INTERFACES}\n</template>`;
    const args = { inputs: [{ text: "interface Gi0/3\n mtu 1\n" }] };
    expect(run(source, TEXT, args)).toEqual([{ interfaces: [...RECORDS, { name: "Gi0/3", mtu: 1 }] }]);
    expect(run(INTERFACES, TEXT, args)).toEqual([
      { interfaces: RECORDS },
      { interfaces: [{ name: "Gi0/3", mtu: 1 }] },
    ]);
  });

  test("can be limited to some of several templates", () => {
    const source =
      '<template name="a">\n<group>\nx {{ x }}\n</group>\n</template>\n<template name="b">\n<group>\ny {{ y }}\n</group>\n</template>';
    const text = "x 1\ny 2\n";
    expect(run(source, text, { structure: "dictionary" })).toEqual({ a: [[{ x: "1" }]], b: [[{ y: "2" }]] });
    expect(run(source, text, { structure: "dictionary", templates: ["b"] })).toEqual({ b: [[{ y: "2" }]] });
    expect(run(source, text, { structure: "dictionary", template_name: "a" })).toEqual({
      a: [[{ x: "1" }]],
      b: [],
    });
  });
});

describe("TTP arguments", () => {
  test("set variables, lookup tables and the input", () => {
    const source = `<input name="one" groups="g"/>\n<group name="g*" set="site">\nip {{ ip | lookup("names", add_field="name") }}\n</group>`;
    const args = { vars: { site: "A" }, lookups: { names: { "10.0.0.1": "r1" } }, input: "one" };
    expect(run(source, "ip 10.0.0.1\nip 10.0.0.2\n", args)).toEqual([
      {
        g: [
          { ip: "10.0.0.1", name: "r1", site: "A" },
          { ip: "10.0.0.2", site: "A" },
        ],
      },
    ]);
  });

  test("can select an output format", () => {
    const args = { structure: "list", output: { format: "json", returner: "self" } };
    expect(JSON.parse(String([run(INTERFACES, TEXT, args)].flat()[0]))).toEqual([{ interfaces: RECORDS }]);
  });

  test("keep digits in dynamic paths as JSON keys", () => {
    const source = '<group name="vlans.{{ id }}">\nvlan {{ id }}\n name {{ name }}\n</group>';
    const expected = [{ vlans: { "10": { name: "A" }, "20": { name: "B" } } }];
    const text = "vlan 10\n name A\nvlan 20\n name B\n";
    expect(run(source, text)).toEqual(expected);
    expect(run(source, text, { dynamic_path_key_to_int: true })).toEqual(expected);
  });

  test("are rejected if unknown", () => {
    expect(v.safeParse(ttpArgs, { strukture: "list" }).success).toBe(false);
    expect(v.safeParse(ttpArgs, { structure: "tree" }).success).toBe(false);
    expect(
      v.safeParse(ttpArgs, { ttp_template_args: { platform: "cisco_ios", command: "show x" } }).success,
    ).toBe(true);
  });

  test("do not change a jinja2 output, which renders the results", () => {
    const source = `${INTERFACES}\n<output format="jinja2">\n{% for one in _data_[0].interfaces %}\n{{ one.name }} {{ one.mtu + 1 }}\n{% endfor %}\n</output>`;
    expect(run(source, TEXT, { structure: "list" })).toEqual(["\nGi0/1 1501\nGi0/2 9001\n"]);
  });
});

describe("TTP template lookup", () => {
  test("finds built-in templates by platform and command, path or nested arguments", () => {
    const text = "Hostname: ceos1\nFQDN:     ceos1.example\n";
    const expected = [{ hostname: "ceos1", fqdn: "ceos1.example" }];
    expect(run("", text, { platform: "Arista_EOS", command: "show hostname" })).toEqual(expected);
    expect(run("", text, { path: "ttp://platform/arista_eos_show_hostname.txt" })).toEqual(expected);
    const wanted = { platform: "arista_eos", command: "show hostname" };
    expect(run("", text, { ttp_template_args: wanted })).toEqual(expected);
  });

  test("names a missing template", () => {
    const kind = (args: unknown, from = engine) => errorOf(() => runEngine(from, "", "x", args));
    expect(kind({})).toMatchObject({ kind: "TemplateNotFound" });
    expect(kind({ platform: "cisco_ios", command: "show nothing" }).message).toContain(
      "platform/cisco_ios_show_nothing.txt",
    );
    expect(kind({ path: "../LICENSE" })).toMatchObject({ kind: "TemplateNotFound" });
    expect(kind({ path: "ttp:///etc/passwd" })).toMatchObject({ kind: "TemplateNotFound" });
    expect(kind({ get: "inventory", platform: "no_such" })).toMatchObject({ kind: "TemplateNotFound" });
    const bare = createEngine(kitOf({ library: () => emptyLibrary }));
    expect(kind({ misc: "x.txt" }, bare).message).toContain("no set of built-in templates is installed");
  });

  test("reads extended and included templates in the roots and the built-in set", () => {
    const files: Record<string, string> = {
      "parts/interfaces.txt": INTERFACES,
      "names.csv": "ip,name\n10.0.0.1,r1\n",
    };
    const own = createEngine(kitOf({ readTemplate: (name) => files[name] }));
    const expected = [{ interfaces: RECORDS }];
    expect(runEngine(own, '<extend template="parts/interfaces.txt"/>', TEXT)).toEqual(expected);
    const lookup = `<lookup name="names" load="csv" include="names.csv"/>\n<group>\nip {{ ip | lookup("names.ip.name", add_field="name") }}\n</group>`;
    expect(() => runEngine(own, lookup, "ip 10.0.0.1\n")).not.toThrow();
    expect(
      runEngine(
        own,
        '<extend template="ttp://platform/arista_eos_show_hostname.txt"/>',
        "Hostname: a\nFQDN: b\n",
      ),
    ).toEqual([{ hostname: "a", fqdn: "b" }]);
    expect(errorOf(() => runEngine(own, '<extend template="nosuch.txt"/>', "x"))).toBeInstanceOf(
      TemplateError,
    );
  });
});

describe("a hostile TTP template", () => {
  const limited = (limits: Partial<TemplateLimits>) =>
    createEngine(kitOf({ limits: { ...defaultTemplateLimits, ...limits } }));
  const macro = (body: string) =>
    `<macro>\ndef m(data):\n${body}\n</macro>\n<group>\nx {{ x | macro("m") }}\n</group>`;

  test("is limited in loops, strings, lists and depth", () => {
    const small = limited({ steps: 100_000, stringChars: 100_000, listItems: 10_000 });
    for (const body of [
      "    while True:\n        pass",
      "    return 'a' * 10000000",
      "    return [0] * 10000000",
      "    return 9 ** 9 ** 9",
      "    return m(data)",
      "    return ''.join(str(i) for i in range(10000000))",
      "    x = []\n    x.append(x)\n    return x",
    ])
      expect(errorOf(() => runEngine(small, macro(body), "x 1\n")).kind, body).toBe("TemplateLimit");
  });

  test("is rejected if it has a document type with entities", () => {
    const bomb = `<!DOCTYPE t [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]>\n<group>\nx {{ x }} &b;\n</group>`;
    expect(errorOf(() => run(bomb, "x 1\n")).kind).toBe("TemplateSyntax");
  });

  test("cannot reach the system or the engine through macros", () => {
    for (const body of [
      "    import os",
      "    import sys",
      "    from subprocess import run",
      "    return open('/etc/passwd').read()",
      "    return __import__('os')",
      "    return eval('1')",
      "    exec('x = 1')",
      "    return data.__class__.__mro__",
      "    return m.__globals__",
      "    return data.constructor",
      "    return getattr(data, 'constructor')",
      "    return data['__proto__']",
      "    return '{0.__class__}'.format(data)",
      "    return globals()",
      "    return _ttp_['python_major_version'].constructor",
    ])
      expect(
        errorOf(() => run(macro(body), "x 1\n")),
        body,
      ).toBeInstanceOf(TemplateError);
  });

  test("cannot change prototypes through keys", () => {
    const found = run(
      '<group name="{{ key }}">\nset {{ key }} {{ value }}\n</group>',
      "set __proto__ 1\nset constructor 2\n",
    );
    expect(JSON.stringify(found)).toBe('[{"__proto__":{"value":"1"},"constructor":{"value":"2"}}]');
    expect(Object.getPrototypeOf({}).value).toBeUndefined();
  });

  test("with a slow regular expression is decided or rejected", () => {
    const text = `x ${"a".repeat(60)}!\n`;
    const result = (() => {
      try {
        return run('<group>\nx {{ x | re("(a+)+b") }}\n</group>', text);
      } catch (error) {
        if (!(error instanceof TemplateError)) throw error;
        return [{}];
      }
    })();
    expect(result).toEqual([{}]);
  });
});

describe("a TTP template", () => {
  const source = '<input load="text">\ninterface Gi0/1\n</input>\n<group>\ninterface {{ name }}\n</group>';

  test("may have its own input texts and be run without others", () => {
    expect(run(source, "")).toEqual([{ name: "Gi0/1" }]);
    expect(run(source, "interface Gi0/2\n")).toEqual([{ name: "Gi0/1" }, { name: "Gi0/2" }]);
  });

  test("is compiled again when an extended file changes", () => {
    const files = new Map([["groups.txt", "<group>\ninterface {{ name }}\n</group>"]]);
    const own = createEngine(kitOf({ readTemplate: (path) => files.get(path) }));
    const compiled = own.compile('<extend template="groups.txt"/>', {});
    expect(compiled.current?.()).toBe(true);
    files.set("groups.txt", "<group>\nmtu {{ mtu }}\n</group>");
    expect(compiled.current?.()).toBe(false);
  });

  test("returns results as JSON text with key order, number formats and digits", () => {
    const text = engine
      .compile(
        '<group name="{{ key }}">\n{{ key }} is {{ value | to_float }}\n</group>',
        v.parse(ttpArgs, {}),
      )
      .runJson?.("20 is 2.0\n10 is 1.5\n", kitContext);
    expect(text).toBe('[{"20":{"value":2.0},"10":{"value":1.5}}]');
  });
});

test("the manifest detects the language of a template", () => {
  for (const source of [
    INTERFACES,
    "<grp>\nx {{ x }}\n</grp>",
    "<vars>\na=1\n</vars>",
    "ip {{ ip }}",
    "<template>x</template>",
    "<macro>\n</macro>",
  ])
    expect(plugin.detects?.(source), source).toBe(true);
  for (const source of ["Value NAME (\\S+)\n\nStart\n  ^${NAME} -> Record\n", "plain text", ""])
    expect(plugin.detects?.(source), source).toBe(false);
  expect(plugin).toMatchObject({ kind: "template", name: "ttp", does: "parse", api: 1 });
});
