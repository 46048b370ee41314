import { describe, expect, test } from "vitest";
import { compilePlatform, platformFaults } from "../../src/cli/platform.ts";
import { way } from "../../src/cli/privilege.ts";
import { compilePrompts, sameDevice } from "../../src/cli/prompt.ts";
import type { PlatformPlugin } from "../../src/plugin/platform.ts";
import { router } from "./wire.ts";

describe("a definition that is wrong names its field", () => {
  test("a good one has no faults", () => {
    expect(platformFaults(router)).toEqual([]);
  });

  test.each([
    [{ home: "nowhere" }, 'home: there is no level "nowhere"'],
    [{ config: "nowhere" }, 'config: there is no level "nowhere"'],
    [{ errors: ["^%"] }, "errors.0: must be a regular expression"],
    [{ name: "Cisco IOS" }, "name: "],
    [{ pager: { prompt: /More/ } }, "pager.press: "],
    [{ levels: { ...router.levels, bad: { prompt: /x*/ } } }, "levels.bad.prompt: matches an empty line"],
    [
      { levels: { ...router.levels, bad: { prompt: "x" } } },
      "levels.bad.prompt: must be a regular expression",
    ],
    [{ levels: { ...router.levels, bad: { prompt: /x/, enter: "y" } } }, 'levels.bad.enter: needs "from"'],
    [
      { levels: { ...router.levels, bad: { prompt: /x/, from: "gone", enter: "y" } } },
      "levels.bad.from: there is no level",
    ],
    [{ levels: { ...router.levels, bad: { prompt: /x/, promt: /y/ } } }, "levels.bad.promt: "],
    [
      { levels: { ...router.levels, exec: { prompt: /x/, from: "config", enter: "y" } } },
      "levels.exec.from: leads in a circle",
    ],
    [{ encoding: "klingon" }, 'encoding: "klingon" is not known'],
    [{ newline: "x" }, "newline: "],
  ])("%j", (change, expected) => {
    expect(platformFaults({ ...router, ...change }).join("\n")).toContain(expected);
    expect(() => compilePlatform({ ...router, ...change } as PlatformPlugin)).toThrow(/The platform/);
  });
});

describe("levels", () => {
  const { prompts } = compilePlatform(router);

  test.each([
    ["R1>", "exec"],
    ["R1#", "privileged"],
    ["R1(config)#", "config"],
    ["R1(config-if)# ", "config"],
  ])("%s is %s", (prompt, level) => {
    expect(prompts.find(`output\n${prompt}`)?.prompt.level).toBe(level);
  });

  test.each(["", "R1", "R1# show", "x".repeat(600).concat("#"), "some words and R1#"])(
    "%s is none",
    (line) => {
      expect(prompts.find(`output\n${line}`)).toBeUndefined();
    },
  );

  test("a blank that the pattern asks for counts", () => {
    const shell = compilePlatform({
      ...router,
      levels: { privileged: { prompt: /[^\n]{0,80}[$%]\s$/ } },
      config: "privileged",
    });
    expect(shell.prompts.find("costs 100%")).toBeUndefined();
    expect(shell.prompts.find("out\nadmin@host:~$ ")?.prompt.text).toBe("admin@host:~$");
  });

  test("the shortest way, up and down and over the branch", () => {
    const branched = {
      levels: {
        ...router.levels,
        shell: { prompt: /\$/, from: "privileged", enter: "bash", leave: "exit" },
      },
    };
    expect(way(branched, "exec", "config")?.map((step) => step.send)).toEqual([
      "enable",
      "configure terminal",
    ]);
    expect(way(branched, "config", "exec")?.map((step) => step.send)).toEqual(["end", "disable"]);
    expect(way(branched, "shell", "config")?.map((step) => step.send)).toEqual([
      "exit",
      "configure terminal",
    ]);
    expect(way(branched, "config", "config")).toEqual([]);
  });

  test("a prompt of several lines is one", () => {
    const sros = compilePlatform({
      ...router,
      config: "config",
      home: "user",
      levels: {
        user: { prompt: /\[[^\]\n]*\]\n\*?[A-D]:[\w.-]+@[\w.\- ]+# ?/ },
        config: {
          prompt: /[!*]?\((?:ex|gl|pr|ro)\)\[[^\]\n]*\]\n\*?[A-D]:[\w.-]+@[\w.\- ]+# ?/,
          from: "user",
          enter: "edit-config private",
          leave: "quit-config",
        },
      },
      save: [],
    });
    const user = sros.prompts.find("out\n\n[/]\nA:admin@node-2# ");
    expect(user?.prompt).toMatchObject({ level: "user", lines: 2, text: "[/]\nA:admin@node-2#" });
    const config = sros.prompts.find('out\n\n*(ex)[/configure router "Base"]\nA:admin@node-2# ');
    expect(config?.prompt).toMatchObject({ level: "config", lines: 2 });
    if (user === undefined || config === undefined) throw new Error("no prompt");
    expect(sameDevice(user.prompt, config.prompt)).toBe(true);
  });

  test("a prompt that counts the commands is that of one device", () => {
    const exos = compilePlatform({
      ...router,
      levels: { privileged: { prompt: /(?:\* )?[\w.-]+\.\d+ # ?/ } },
      config: "privileged",
    });
    const first = exos.prompts.find("* X460.9 # ")?.prompt;
    const next = exos.prompts.find("* X460.10 # ")?.prompt;
    if (first === undefined || next === undefined) throw new Error("no prompt");
    expect(sameDevice(first, next)).toBe(true);
  });

  test("two devices are two", () => {
    const find = (line: string) => prompts.find(line)?.prompt;
    const [a, b, c] = [find("R1#"), find("R2#"), find("R1(config-if)#")];
    if (a === undefined || b === undefined || c === undefined) throw new Error("no prompt");
    expect(sameDevice(a, b)).toBe(false);
    expect(sameDevice(a, c)).toBe(true);
    // IOS shows 20 characters of a name in the configuration.
    const long = find("a-very-long-hostname-of-a-router#");
    const cut = find("a-very-long-hostname(config)#");
    if (long === undefined || cut === undefined) throw new Error("no prompt");
    expect(sameDevice(long, cut)).toBe(true);
  });
});

describe("a prompt without a name", () => {
  const { find } = compilePrompts({ levels: { user: { prompt: />/ } } });
  const known = find("> ")?.prompt;

  test("is not taken for the end of a line of output that was cut there", () => {
    expect(known?.text).toBe(">");
    expect(find("one\n<tag>", known)).toBeUndefined();
  });

  test("is found behind an output that ended without a line end", () => {
    expect(find("one\nno line end> ", known)).toMatchObject({ glued: true });
  });
});
