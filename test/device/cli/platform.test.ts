import { describe, expect, test } from "vitest";
import { compilePlatform, platformFaults } from "../../../src/device/cli/platform.ts";
import { pathBetween } from "../../../src/device/cli/prompt/privilege.ts";
import { compilePrompts, sameDevice } from "../../../src/device/cli/prompt/prompt.ts";
import { openCliSession } from "../../../src/device/cli/session.ts";
import type { PlatformPlugin } from "../../../src/plugin/platform.ts";
import { type FakeStream, fakeStream } from "./fake-stream.ts";
import { openOptions } from "./open-options.ts";
import { router } from "./router-platform.ts";
import { testContext } from "./test-context.ts";

describe("the definition of a platform", () => {
  test("has no errors if it is valid", () => {
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
      "levels.exec.from: is circular",
    ],
    [{ context: { pattern: /x/, leave: "end" } }, "context.pattern: must have a group"],
    [{ encoding: "klingon" }, 'encoding: "klingon" is not known'],
    [{ newline: "x" }, "newline: "],
  ])("has the field named in its error: %j", (change, expected) => {
    expect(platformFaults({ ...router, ...change }).join("\n")).toContain(expected);
    expect(() => compilePlatform({ ...router, ...change } as PlatformPlugin)).toThrow(/The platform/);
  });
});

describe("the prompt patterns of a platform", () => {
  const { prompts } = compilePlatform(router);

  test.each([
    ["R1>", "exec"],
    ["R1#", "privileged"],
    ["R1(config)#", "config"],
    ["R1(config-if)# ", "config"],
  ])("recognise %s as level %s", (prompt, level) => {
    expect(prompts.find(`output\n${prompt}`)?.prompt.level).toBe(level);
  });

  test.each(["", "R1", "R1# show", "x".repeat(600).concat("#"), "some words and R1#"])(
    "do not match %s",
    (line) => {
      expect(prompts.find(`output\n${line}`)).toBeUndefined();
    },
  );

  test("respect a blank at the end of a pattern", () => {
    const shell = compilePlatform({
      ...router,
      levels: { privileged: { prompt: /[^\n]{0,80}[$%]\s$/ } },
      config: "privileged",
    });
    expect(shell.prompts.find("costs 100%")).toBeUndefined();
    expect(shell.prompts.find("out\nadmin@host:~$ ")?.prompt.text).toBe("admin@host:~$");
  });

  test("have levels between which the shortest path is found", () => {
    const branched = {
      levels: {
        ...router.levels,
        shell: { prompt: /\$/, from: "privileged", enter: "bash", leave: "exit" },
      },
    };
    expect(pathBetween(branched, "exec", "config")?.map((step) => step.send)).toEqual([
      "enable",
      "configure terminal",
    ]);
    expect(pathBetween(branched, "config", "exec")?.map((step) => step.send)).toEqual(["end", "disable"]);
    expect(pathBetween(branched, "shell", "config")?.map((step) => step.send)).toEqual([
      "exit",
      "configure terminal",
    ]);
    expect(pathBetween(branched, "config", "config")).toEqual([]);
  });

  test("may span several lines", () => {
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

  test("recognise one device if the prompt counts commands", () => {
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

  test("tell two devices apart, even with a truncated name", () => {
    const find = (line: string) => prompts.find(line)?.prompt;
    const [a, b, c] = [find("R1#"), find("R2#"), find("R1(config-if)#")];
    if (a === undefined || b === undefined || c === undefined) throw new Error("no prompt");
    expect(sameDevice(a, b)).toBe(false);
    expect(sameDevice(a, c)).toBe(true);
    // IOS truncates the name to 20 characters in configuration mode.
    const long = find("a-very-long-hostname-of-a-router#");
    const cut = find("a-very-long-hostname(config)#");
    if (long === undefined || cut === undefined) throw new Error("no prompt");
    expect(sameDevice(long, cut)).toBe(true);
  });
});

describe("a prompt without a host name", () => {
  const { find } = compilePrompts({ levels: { user: { prompt: />/ } } });
  const currentPrompt = find("> ")?.prompt;

  test("is not found at the end of an incomplete output line", () => {
    expect(currentPrompt?.text).toBe(">");
    expect(find("one\n<tag>", currentPrompt)).toBeUndefined();
  });

  test("is found after output without a line end", () => {
    expect(find("one\nno line end> ", currentPrompt)).toMatchObject({ glued: true });
  });
});

describe("an answer that ends with a status line instead of a prompt", () => {
  const codec: PlatformPlugin = {
    api: 1,
    kind: "platform",
    name: "codec",
    levels: { api: { prompt: /OK|ERROR/ } },
    home: "api",
    endsWithLine: true,
    prepare: ["xPreferences outputmode terminal"],
    errors: [/^ERROR$/],
  };
  const { find } = compilePlatform(codec).prompts;

  test("is complete once the status line has ended", () => {
    expect(find("xStatus\nOK")).toBeUndefined();
    expect(find("xStatus\nOK maybe\n")).toBeUndefined();
    expect(find("xStatus\n** end\n\nOK\n\n")).toEqual({
      glued: false,
      prompt: { level: "api", text: "OK", lines: 3, stem: "OK" },
    });
  });

  test("keeps an error line in the output", () => {
    expect(find("xFoo\nERROR\n")?.prompt).toMatchObject({ text: "ERROR", lines: 1 });
  });

  test("requires a command in prepare, because an empty line gets no answer", () => {
    expect(platformFaults({ ...codec, prepare: [] })).toEqual([
      "prepare: must contain a command if answers end with a line",
    ]);
  });

  test("works in a session: login, query and refused command", async () => {
    const answers: Record<string, string> = {
      "xPreferences outputmode terminal": "OK\r\n\r\n",
      "xStatus Audio Volume": "*s Audio Volume: 50\r\n** end\r\n\r\nOK\r\n\r\n",
      bogus: "ERROR\r\n",
    };
    const stream: FakeStream = fakeStream((typed) => {
      const line = typed.trim();
      stream.feed(`${line}\r\n${answers[line] ?? ""}`);
    });
    stream.feed("*r Login successful\r\n\r\nOK\r\n\r\n");
    const ctx = testContext();
    const session = await openCliSession(
      openOptions(stream, { platform: codec, readTimeoutMs: 500, openTimeoutMs: 1000 }),
      ctx,
    );
    expect(await session.send("xStatus Audio Volume", {}, ctx)).toBe("*s Audio Volume: 50\n** end\n");
    const refused = session.configure(
      ["bogus", "never"],
      { enterConfig: true, exitConfig: true, verifyEcho: true, save: false, dryRun: false, enable: true },
      ctx,
    );
    await expect(refused).rejects.toMatchObject({ kind: "CommandError" });
    expect(stream.written).not.toContain("never\n");
    expect(await session.reusable(ctx)).toBe(true);
  });
});
