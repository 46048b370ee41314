/** The engine as the template process uses it: arguments, lookup, records, errors with positions. */

import { describe, expect, test } from "vitest";
import { TemplateError, type TemplateLibrary } from "../../python/text.ts";
import { createEngine } from "../index.ts";
import plugin from "../plugin.ts";
import { context, kitWith, nothingInstalled } from "./support.ts";

const engine = createEngine(kitWith(nothingInstalled));
const run = (source: string, text: string, args: unknown = {}) =>
  engine.compile(source, args).run(text, context);

function errorOf(work: () => unknown): TemplateError {
  try {
    work();
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("TextFSM records", () => {
  test("have the value names as written, with lists, nested groups and absent groups", () => {
    const template = String.raw`Value Name (\w+)
Value List Ports (\S+)
Value List Pairs ((?P<key>\w+)=(?P<value>\w+)?)

Start
  ^name $Name
  ^port $Ports
  ^pair $Pairs
  ^end -> Record
`;
    expect(run(template, "name x\nport 1\nport 2\npair a=1\npair b=\nend\n")).toEqual([
      {
        Name: "x",
        Ports: ["1", "2"],
        Pairs: [
          { key: "a", value: "1" },
          { key: "b", value: null },
        ],
      },
    ]);
  });

  test("may have a value named __proto__", () => {
    const [record] = v(run("Value __proto__ (\\w+)\n\nStart\n  ^$__proto__ -> Record\n", "x\n"));
    expect(Object.keys(record ?? {})).toEqual(["__proto__"]);
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  test("do not include the pending record if eof is false", () => {
    const template = "Value A (\\w+)\n\nStart\n  ^$A\n";
    expect(run(template, "x")).toEqual([{ A: "x" }]);
    expect(run(template, "x", { eof: false })).toEqual([]);
  });

  test.each([
    ["\tup\n up\n", ["", "up"]],
    [" up\n\tup\n", ["up", ""]],
    ["\t\n \n\t\n", ["", "", ""]],
    ["\t up\n up\n \tup\n", ["", "up", ""]],
  ])("depend on the kind of leading white space: %j", (text, states) => {
    const template =
      "Value State (up)\nValue Line (.*)\n\nStart\n  ^$Line$$ -> Continue\n  ^ $State -> Record\n  ^ -> Record\n";
    const records = v(run(template, text));
    expect(records.map(({ State }) => State)).toEqual(states);
  });

  test("start anew when the engine is used again", () => {
    const compiled = engine.compile(
      "Value Filldown A (a\\w*)\nValue B (b\\w*)\n\nStart\n  ^$A\n  ^$B -> Record\n",
      {},
    );
    expect(compiled.run("a1\nb1\nb2\n", context)).toHaveLength(3);
    expect(compiled.run("b3\n", context)).toEqual([{ A: "", B: "b3" }]);
  });
});

const v = (value: unknown): Record<string, unknown>[] => {
  if (!Array.isArray(value)) throw new Error("no records");
  return value;
};

describe("the TextFSM engine", () => {
  test("names the line of an error in a template", () => {
    const error = errorOf(() => engine.compile("Value A (\\w+)\n\nStart\n  ^$A -> Nowhere\n", {}));
    expect(error.kind).toBe("TemplateSyntax");
    expect(error.message).toBe("State 'Nowhere' not found, referenced in state 'Start'");
    expect(error.at.line).toBe(4);
  });

  test("names reason and position of an invalid regular expression", () => {
    const error = errorOf(() => engine.compile("Value A (\\w+)\n\nStart\n  ^$A(\n", {}));
    expect(error.message).toMatch(
      /^Invalid regular expression: '.*'\. Line: 4\. \(missing \), .* position 11\)$/,
    );
    expect(error.at.line).toBe(4);
  });

  test("names state and rule of the Error operator", () => {
    const template = 'Value A (\\w+)\n\nStart\n  ^go -> Two\n\nTwo\n  ^$A -> Error "unexpected"\n';
    const error = errorOf(() => run(template, "go\nwhat\n"));
    expect(error.kind).toBe("TemplateRuntime");
    expect(error.message).toBe('Error: "unexpected". Rule Line: 7. Input Line: what. (state Two)');
    expect(error.at).toEqual({ line: 7, state: "Two" });
  });

  test("limits the size of all records", () => {
    const kit = kitWith(nothingInstalled);
    const small = createEngine({ ...kit, limits: { ...kit.limits, outputChars: 100 } });
    const template = "Value A (\\w+)\n\nStart\n  ^$A -> Record\n";
    const error = errorOf(() => small.compile(template, {}).run("abcdefghij\n".repeat(11), context));
    expect(error.kind).toBe("TemplateLimit");
  });

  test("limits a list that grows with every record", () => {
    const kit = kitWith(nothingInstalled);
    const small = createEngine({ ...kit, limits: { ...kit.limits, listItems: 1000 } });
    const template = "Value Filldown,List A (\\w+)\n\nStart\n  ^$A -> Record\n";
    const error = errorOf(() => small.compile(template, {}).run("x\n".repeat(100), context));
    expect(error.kind).toBe("TemplateLimit");
  });

  test("limits a rule that grows by its values", () => {
    const template = `Value A (${"a".repeat(300_000)})\n\nStart\n  ^${"$A ".repeat(5)}\n`;
    expect(errorOf(() => engine.compile(template, {})).kind).toBe("TemplateLimit");
  });

  test("decides a slow regular expression", () => {
    const template = "Value A ((?:a+)+)\n\nStart\n  ^$A$$ -> Record\n";
    expect(run(template, `${"a".repeat(3000)}b\n`)).toEqual([]);
    expect(run(template, `${"a".repeat(3000)}\n`)).toEqual([{ A: "a".repeat(3000) }]);
  });
});

describe("the template lookup", () => {
  const commands: Readonly<Record<string, string>> = {
    cisco_ios: "sh[[ow]] etherch[[annel]] sum[[mary]]",
    juniper_junos: "show ver[[sion]]",
    hp_comware: "display arp",
    huawei_vrp: "display ver[[sion]]",
    arista_eos: "sh[[ow]] ver[[sion]]",
    cisco_xr: "sh[[ow]] ver[[sion]]",
    alcatel_sros: "show router interface",
    linux: "ip address show",
  };
  const rows = [...Object.entries(commands), ["cisco_ios", "sh[[ow]] ver[[sion]]"]];
  const index = `Template, Hostname, Platform, Command\n${rows
    .map(([platform, command]) => `any.textfsm, .*, ${platform}, ${command}`)
    .join("\n")}\n`;
  const installed = createEngine(
    kitWith({
      installed: true,
      list: () => ["any.textfsm", "index"],
      read: (path) => (path === "index" ? index : "Value LINE (.*)\n\nStart\n  ^${LINE} -> Record\n"),
    }),
  );

  test("uses the starter set if no set is installed", () => {
    const text = 'NAME: "chassis", DESCR: "x"\nPID: A, VID: V01, SN: S1\n';
    expect(run("", text, { platform: "cisco_ios", command: "sh inv" })).toEqual([
      { name: "chassis", descr: "x", pid: "A", vid: "V01", sn: "S1" },
    ]);
  });

  test("uses only the installed set if there is one", () => {
    const args = { platform: "juniper_junos", command: "show arp" };
    expect(() => engine.compile("", args)).not.toThrow();
    expect(errorOf(() => installed.compile("", args)).kind).toBe("TemplateNotFound");
  });

  test.each([
    ["cisco_xe", "show version"],
    ["cisco_ios_telnet", "show version"],
    ["juniper", "show version"],
    ["h3c_comware", "display arp"],
    ["huawei", "display version"],
    ["arista_eos_ssh", "show version"],
    ["iosxr", "show version"],
    ["nokia_sros", "show router interface"],
    ["cumulus_linux", "ip address show"],
  ])("maps device type %s to a template for %s", (deviceType, command) => {
    expect(() => installed.compile("", { device_type: deviceType, command })).not.toThrow();
  });

  test("does not map an explicit platform", () => {
    const error = errorOf(() => installed.compile("", { platform: "cisco_xe", command: "show version" }));
    expect(error.kind).toBe("TemplateNotFound");
    expect(error.message).toContain('platform "cisco_xe" and command "show version"');
    expect(error.message).toContain("cisco_ios");
  });

  test("suggests similar commands", () => {
    const args = { platform: "cisco_ios", command: "show etherchanel summary" };
    const error = errorOf(() => installed.compile("", args));
    expect(error.kind).toBe("TemplateNotFound");
    expect(error.message).toContain('command "show etherchanel summary"; near: "');
    expect(error.message).toContain("summary");
  });

  test("fails without template and platform", () => {
    expect(errorOf(() => engine.compile("", {})).kind).toBe("TemplateNotFound");
    expect(errorOf(() => engine.compile("", { platform: "cisco_ios" })).kind).toBe("TemplateNotFound");
  });

  test("notices when the set is replaced", () => {
    const files: Record<string, string> = {
      index: "Template, Hostname, Platform, Command\na.textfsm, .*, x, show a\n",
      "a.textfsm": "Value A (\\w+)\n\nStart\n  ^$A -> Record\n",
      "b.textfsm": "Value B (\\w+)\n\nStart\n  ^$B -> Record\n",
    };
    const changing: TemplateLibrary = {
      installed: true,
      list: () => Object.keys(files),
      read: (path) => files[path],
    };
    const own = createEngine(kitWith(changing));
    const parse = () => own.compile("", { platform: "x", command: "show a" }).run("t", context);
    expect(parse()).toEqual([{ a: "t" }]);
    files.index = files.index?.replace("a.textfsm", "b.textfsm") ?? "";
    expect(parse()).toEqual([{ b: "t" }]);
  });

  test("notices when a template changes under the same index", () => {
    const files: Record<string, string> = {
      index: "Template, Hostname, Platform, Command\na.textfsm, .*, x, show a\n",
      "a.textfsm": "Value A (\\w+)\n\nStart\n  ^$A -> Record\n",
    };
    let stamp = "1";
    const own = createEngine(
      kitWith({
        installed: true,
        get stamp() {
          return stamp;
        },
        list: () => Object.keys(files),
        read: (path) => files[path],
      }),
    );
    const compile = () => own.compile("", { platform: "x", command: "show a" });
    const before = compile();
    expect([before.run("t", context), before.current?.()]).toEqual([[{ a: "t" }], true]);
    files["a.textfsm"] = "Value B (\\w+)\n\nStart\n  ^$B -> Record\n";
    stamp = "2";
    expect([before.current?.(), compile().run("t", context)]).toEqual([false, [{ b: "t" }]]);
  });

  test("names a template of the set that does not compile", () => {
    const broken: TemplateLibrary = {
      installed: true,
      list: () => ["index", "a.textfsm"],
      read: (path) => (path === "index" ? "Template, Platform, Command\na.textfsm, x, y\n" : "Value A (\n"),
    };
    const error = errorOf(() => createEngine(kitWith(broken)).compile("", { platform: "x", command: "y" }));
    expect(error.message).toMatch(/^a\.textfsm: Value '\('/);
    expect(error.at.template).toBe("a.textfsm");
  });
});

describe("the TextFSM manifest", () => {
  test("detects the language of a template", () => {
    expect(plugin.detects?.("Value A (.*)\n\nStart\n  ^$A -> Record\n")).toBe(true);
    expect(plugin.detects?.("# comment\r\nValue A (.*)\r\n\r\nStart\r\n  ^$A\r\n")).toBe(true);
    expect(plugin.detects?.("interface {{ interface }}\nValue x\n")).toBe(false);
    expect(plugin.detects?.("<group>\nStart\n</group>")).toBe(false);
  });

  test("rejects unknown arguments", () => {
    const check = (value: unknown) => plugin.args["~standard"].validate(value);
    expect(check({ eof: false, platform: "x", command: "y" })).not.toHaveProperty("issues");
    expect(check({ platfrom: "x" })).toHaveProperty("issues");
    expect(check({ eof: "no" })).toHaveProperty("issues");
  });

  test("loads the engine", async () => {
    const { default: create } = await plugin.load();
    expect(typeof create).toBe("function");
  });
});
