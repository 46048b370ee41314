/** Queries of the driver on an in-memory device: what callers see of output, refusals and failures. */
import { describe, expect, test } from "vitest";
import plugin from "../../../plugins/drivers/netmiko/plugin.ts";
import { opened, outputs } from "./support.ts";

describe("output with a prompt-like line and a pause after it", () => {
  test.each([1, 30, 120])("of %i ms is read completely", async (pauseMs) => {
    const { query, device, ctx } = await opened({ device: { outputs: { "show clock": "10:00\n" } } });
    const { stream } = device;
    const feed = stream.feed.bind(stream);
    // Input that arrives meanwhile is echoed after the output.
    const waiting: (string | Uint8Array)[] = [];
    let busy = false;
    stream.feed = (data) => {
      const isLog = String(data).startsWith("show log\r\n");
      if (busy) waiting.push(data);
      else feed(isLog ? "show log\r\nfirst\r\nR1#" : data);
      if (!isLog) return;
      busy = true;
      setTimeout(() => {
        busy = false;
        feed(`show it\r\n${"more\r\n".repeat(3)}R1#`);
        for (const later of waiting.splice(0)) feed(later);
      }, pauseMs);
    };
    const outputs = await query(["show log", "show clock"]);
    expect(outputs).toEqual([
      { command: "show log", output: "first\nR1#show it\nmore\nmore\nmore" },
      { command: "show clock", output: "10:00" },
    ]);
    // A pause of 1 ms may be shorter than the wait for data after a prompt, so it may not count as one.
    if (pauseMs > 1 || ctx.warnings.length > 0)
      expect(ctx.warnings).toEqual([expect.stringContaining('the output of "show log" continued')]);
  });

  test.each([
    ["without a new prompt", "\r\n*Mar  1 00:01:02.003: %SYS-5-CONFIG_I: Configured from console\r\n"],
    ["with a new prompt", "\r\n*Mar  1 00:01:02.003: %SYS-5-CONFIG_I: Configured from console\r\nR1#"],
    ["of another kind", "\r\nNov 22 2026 05:00:00 R1 %%01IFNET/4/LINK_STATE(l)[5]:up.\r\nR1#"],
  ])("is not assumed for a log message %s", async (_, message) => {
    const outputs = { "show clock": "10:00\n", "show users": "ann\n" };
    const { query, device, ctx } = await opened({ device: { outputs } });
    const feed = device.stream.feed.bind(device.stream);
    device.stream.feed = (data) => {
      if (String(data).startsWith("show users")) feed(message);
      feed(data);
    };
    expect(await query(["show clock", "show users"])).toEqual([
      { command: "show clock", output: "10:00" },
      { command: "show users", output: "ann" },
    ]);
    expect(ctx.warnings).toEqual([]);
  });
});

describe("a query that the device refuses", () => {
  test("is finished, with a warning that quotes the device", async () => {
    const { query, ctx } = await opened();
    const outputs = await query(["show nonsense", "terminal length 0"]);
    expect(outputs[0]?.output).toContain("% Invalid input");
    expect(ctx.warnings).toEqual([
      `the device refused "show nonsense": % Invalid input detected at '^' marker.`,
    ]);
  });

  test("fails with fail_on_refusal, keeping earlier outputs", async () => {
    const { query, session, ctx } = await opened({ device: { outputs: { "show clock": "10:00\n" } } });
    const failing = query(["show clock", "show nonsense", "show clock"], { fail_on_refusal: true });
    await expect(failing).rejects.toMatchObject({
      kind: "CommandError",
      detail: { command: "show nonsense", partial: [{ command: "show clock", output: "10:00" }] },
    });
    expect(await session.reusable?.(ctx)).toBe(true);
  });

  test("is not assumed if a refusal is one of many lines", async () => {
    const log = `${Array.from({ length: 12 }, (_, at) => `line ${at}`).join("\n")}\n% Invalid input: by bob\n`;
    const { query, ctx } = await opened({ device: { outputs: { "show logging": log } } });
    await query(["show logging"], { fail_on_refusal: true });
    expect(ctx.warnings).toEqual([]);
  });
});

describe("a query of the netmiko driver", () => {
  test("returns one entry per command, announced together before the first byte", async () => {
    const { query, ctx } = await opened({ device: { outputs } });
    expect(await query(["show clock", "show version", "show clock"])).toEqual([
      { command: "show clock", output: "10:00:00" },
      { command: "show version", output: "Version 15.2\nuptime 1 day\n" },
      { command: "show clock", output: "10:00:00" },
    ]);
    expect(ctx.announced).toEqual([["show clock", "show version", "show clock"]]);
  });

  test("honours strip_command and strip_prompt", async () => {
    const { query } = await opened({ device: { outputs } });
    const [entry] = await query(["show clock"], { strip_command: false, strip_prompt: false });
    expect(entry?.output).toBe("show clock\n10:00:00\nR1#");
  });

  test("waits for expect_string and then for the prompt", async () => {
    const { query, session, ctx } = await opened({ device: { outputs } });
    expect(await query(["show clock"], { expect_string: "#" })).toEqual([
      { command: "show clock", output: "10:00:00" },
    ]);
    expect(await session.reusable?.(ctx)).toBe(true);
  });

  test("supports reading by timing (last_read)", async () => {
    const { query } = await opened({ device: { outputs } });
    const [entry] = await query(["show clock"], { last_read: 0.03 });
    expect(entry?.output).toBe("10:00:00");
  });

  test("ends at the level where it began", async () => {
    const { query, session, ctx, device } = await opened();
    await query(["configure terminal", "interface Lo1"]);
    expect(device.mode).toBe("privileged");
    expect(await session.reusable?.(ctx)).toBe(true);
  });

  test("that fails keeps the outputs of earlier commands", async () => {
    const { query } = await opened({ device: { outputs } });
    const failed = query(["show clock", "reload", "show version"]);
    await expect(failed).rejects.toMatchObject({
      kind: "CommandError",
      detail: { command: "reload", partial: [{ command: "show clock", output: "10:00:00" }] },
    });
  });

  test.each([
    ["a line end", "show clock\nreload"],
    ["a return", "show clock\rreload"],
    ["a lone surrogate", "show \ud83d"],
  ])("with %s in a command is rejected before anything is sent", async (_, command) => {
    const { query, device } = await opened();
    const before = device.lines.length;
    await expect(query(["show clock", command])).rejects.toMatchObject({
      kind: "DriverError",
      message: expect.stringMatching(/^command\[1\]: /),
    });
    expect(device.lines.length).toBe(before);
  });

  test.each([
    ["NUL", "show\0clock"],
    ["ESC", "show \x1b[A"],
    ["Ctrl-Z", "show \x1a"],
  ])("with %s in a command is refused by name before anything is sent", async (name, command) => {
    const { query, device } = await opened();
    const before = device.lines.length;
    await expect(query(["show clock", command])).rejects.toMatchObject({
      kind: "CommandError",
      message: expect.stringContaining(`contains the control character ${name}`),
    });
    expect(device.lines.length).toBe(before);
  });

  test("with a line end after a command is sent without it", async () => {
    const { query } = await opened({ device: { outputs } });
    expect(await query(["show clock\r\n"])).toEqual([{ command: "show clock", output: "10:00:00" }]);
  });

  test("supports a dialogue", async () => {
    const { query } = await opened();
    const [entry] = await query([{ send: "reload", expect: "\\[confirm\\]", reply: "n" }]);
    expect(entry).toMatchObject({ command: "reload", output: expect.stringContaining("[confirm]") });
  });
});

describe("the marker __FACTS__", () => {
  test("is replaced by the command that identifies the platform", async () => {
    const device = { outputs: { "display version": "VRP 5.1\n", "show clock": "10:00\n" } };
    const detect = [{ send: "display version", says: /VRP/ }];
    const { query } = await opened({ device, platform: { detect } });
    expect(await query(["show clock", "__FACTS__"])).toEqual([
      { command: "show clock", output: "10:00" },
      { command: "display version", output: "VRP 5.1" },
    ]);
  });

  test("is `show version` by default, and parsed with TextFSM", async () => {
    const { query } = await opened({ device: { outputs: { "show version": "Version 1\n" } } });
    expect(await query(["__FACTS__"])).toEqual([{ command: "show version", output: "Version 1" }]);
    expect(plugin.parsing?.({}, ["__FACTS__"])).toEqual({ use: { name: "textfsm" }, strict: false });
    expect(plugin.parsing?.({}, ["show version"])).toBeUndefined();
  });
});
