/** The driver over a device in memory: what callers see of queries, configuration, transfers and failures. */
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import plugin from "../../../plugins/drivers/netmiko/plugin.ts";
import { ServiceError } from "../../../src/base/errors.ts";
import { silentLog } from "../../../src/base/log.ts";
import type { FileTransfers } from "../../../src/cli/files.ts";
import { openCliSession } from "../../../src/cli/session.ts";
import type { CliTarget, Command, DriverTools, PlatformPlugin, Schema } from "../../../src/plugin/index.ts";
import { type DeviceOptions, fakeDevice } from "../../cli/fake-device.ts";
import { router } from "../../cli/router-platform.ts";
import { testContext } from "../../cli/test-context.ts";

async function checked(schema: Schema, value: unknown): Promise<unknown> {
  const result = await schema["~standard"].validate(value);
  if (result.issues !== undefined) throw new Error(JSON.stringify(result.issues));
  return result.value;
}

const notUsed = () => Promise.reject(new Error("not used"));

interface Given {
  readonly device?: DeviceOptions;
  readonly connection?: Record<string, unknown>;
  readonly platform?: Partial<PlatformPlugin>;
  readonly base?: PlatformPlugin;
  readonly files?: FileTransfers;
}

async function opened({
  device: script = {},
  connection = {},
  platform = {},
  base = router,
  files,
}: Given = {}) {
  const device = fakeDevice(script);
  const targets: CliTarget[] = [];
  const tools: Omit<DriverTools<unknown, unknown>, "connection"> = {
    log: silentLog,
    settings: {},
    http: { request: notUsed, session: notUsed },
    ssh: { connect: () => Promise.reject(new Error("not used")) },
    cli: {
      open(target, ctx) {
        targets.push(target);
        return openCliSession(
          {
            stream: device.stream,
            transport: target.transport,
            platform: target.platform,
            host: target.ssh.host,
            username: target.ssh.username,
            delayFactor: target.delayFactor,
            readTimeoutMs: target.readTimeoutMs,
            openTimeoutMs: target.ssh.connectTimeoutMs,
            ...(target.secret === undefined ? {} : { secret: target.secret }),
            ...(files === undefined ? {} : { files }),
          },
          ctx,
        );
      },
    },
    platform(name) {
      if (!name.startsWith("test_ios")) throw new ServiceError("DriverError", "unknown");
      return { ...base, ...platform };
    },
    platforms: () => [],
    files: {
      async localFile(path) {
        if (path.includes("..")) throw new ServiceError("Forbidden", "path is outside the allowed folders");
        return `/srv/transfer/${path}`;
      },
      keyFile: async (path) => join(tmpdir(), path),
      discoverKeys: async () => [],
    },
  };
  const ctx = testContext();
  const given = await checked(plugin.connection, {
    device_type: "test_ios",
    host: "10.0.0.1",
    username: "admin",
    password: "pass-canary",
    ...connection,
  });
  const { default: open } = await plugin.load();
  const session = await open({ ...tools, connection: given }, ctx);
  const query = async (commands: readonly Command[], args: Record<string, unknown> = {}) =>
    (await session.queryAll?.(commands, await checked(plugin.args.query, args), ctx)) ?? [];
  const configure = async (lines: string[], args: Record<string, unknown> = {}) => {
    const pushArgs = plugin.args.configure && (await checked(plugin.args.configure, args));
    return [{ command: lines.join("\n"), output: await session.configure?.(lines, pushArgs, ctx) }];
  };
  return { device, session, ctx, query, configure, targets };
}

const outputs = { "show clock": "10:00:00\n", "show version": "Version 15.2\nuptime 1 day\n\n" };

describe("an output with a line like the prompt, and a pause behind it", () => {
  test.each([1, 30, 120])("of %i ms is taken in, with a warning", async (pauseMs) => {
    const { query, device, ctx } = await opened({ device: { outputs: { "show clock": "10:00\n" } } });
    const { stream } = device;
    const feed = stream.feed.bind(stream);
    // What is typed meanwhile is echoed when the output has ended.
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
    expect(ctx.warnings).toEqual([expect.stringContaining('the output of "show log" went on')]);
  });

  test.each([
    ["without a new prompt", "\r\n*Mar  1 00:01:02.003: %SYS-5-CONFIG_I: Configured from console\r\n"],
    ["with one", "\r\n*Mar  1 00:01:02.003: %SYS-5-CONFIG_I: Configured from console\r\nR1#"],
    ["of another kind", "\r\nNov 22 2026 05:00:00 R1 %%01IFNET/4/LINK_STATE(l)[5]:up.\r\nR1#"],
  ])("is none where the system tells something in between, %s", async (_, message) => {
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

test("connection_args.prompt reaches the terminal, as text or as an expression, and none that could take for ever", async () => {
  const { targets } = await opened({ connection: { prompt: "R1# (lab" } });
  expect(targets[0]?.prompt).toBe("R1# (lab");
  await expect(checked(plugin.connection, connectionWith("(a+)+\\1x"))).rejects.toThrow(
    "could take for ever",
  );
  await expect(checked(plugin.connection, connectionWith(""))).rejects.toThrow("must not be empty");
});

function connectionWith(prompt: string) {
  return { device_type: "test_ios", host: "h", username: "u", password: "p", prompt };
}

describe("a query that the device refuses", () => {
  test("is finished, with a warning in the device's words", async () => {
    const { query, ctx } = await opened();
    const outputs = await query(["show nonsense", "terminal length 0"]);
    expect(outputs[0]?.output).toContain("% Invalid input");
    expect(ctx.warnings).toEqual([
      `the device refused "show nonsense": % Invalid input detected at '^' marker.`,
    ]);
  });

  test("fails where fail_on_refusal asks for it, with what came before", async () => {
    const { query, session, ctx } = await opened({ device: { outputs: { "show clock": "10:00\n" } } });
    const failing = query(["show clock", "show nonsense", "show clock"], { fail_on_refusal: true });
    await expect(failing).rejects.toMatchObject({
      kind: "CommandError",
      detail: { command: "show nonsense", partial: [{ command: "show clock", output: "10:00" }] },
    });
    expect(await session.reusable?.(ctx)).toBe(true);
  });

  test("is not one that shows a refusal among other lines", async () => {
    const log = `${Array.from({ length: 12 }, (_, at) => `line ${at}`).join("\n")}\n% Invalid input: by bob\n`;
    const { query, ctx } = await opened({ device: { outputs: { "show logging": log } } });
    await query(["show logging"], { fail_on_refusal: true });
    expect(ctx.warnings).toEqual([]);
  });
});

describe("query", () => {
  test("one entry a command, announced at once before the first byte", async () => {
    const { query, ctx } = await opened({ device: { outputs } });
    expect(await query(["show clock", "show version", "show clock"])).toEqual([
      { command: "show clock", output: "10:00:00" },
      { command: "show version", output: "Version 15.2\nuptime 1 day\n" },
      { command: "show clock", output: "10:00:00" },
    ]);
    expect(ctx.announced).toEqual([["show clock", "show version", "show clock"]]);
  });

  test("strip_command, strip_prompt", async () => {
    const { query } = await opened({ device: { outputs } });
    const [entry] = await query(["show clock"], { strip_command: false, strip_prompt: false });
    expect(entry?.output).toBe("show clock\n10:00:00\nR1#");
  });

  test("expect_string, and the prompt behind it", async () => {
    const { query, session, ctx } = await opened({ device: { outputs } });
    expect(await query(["show clock"], { expect_string: "#" })).toEqual([
      { command: "show clock", output: "10:00:00" },
    ]);
    expect(await session.reusable?.(ctx)).toBe(true);
  });

  test("timing", async () => {
    const { query } = await opened({ device: { outputs } });
    const [entry] = await query(["show clock"], { last_read: 0.03 });
    expect(entry?.output).toBe("10:00:00");
  });

  test("a session that was sent elsewhere comes home", async () => {
    const { query, session, ctx, device } = await opened();
    await query(["configure terminal", "interface Lo1"]);
    expect(device.mode).toBe("privileged");
    expect(await session.reusable?.(ctx)).toBe(true);
  });

  test("what was obtained before a failure is told", async () => {
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
    ["a NUL", "show\0clock"],
    ["an escape", "show \x1b[A"],
    ["Ctrl-Z", "show \x1a"],
    ["half a character", "show \ud83d"],
  ])("%s in a command is refused before anything is sent", async (_, command) => {
    const { query, device } = await opened();
    const before = device.lines.length;
    await expect(query(["show clock", command])).rejects.toMatchObject({
      kind: "DriverError",
      message: expect.stringMatching(/^command\[1\]: /),
    });
    expect(device.lines.length).toBe(before);
  });

  test("a line end behind a command is cut off", async () => {
    const { query } = await opened({ device: { outputs } });
    expect(await query(["show clock\r\n"])).toEqual([{ command: "show clock", output: "10:00:00" }]);
  });

  test("a dialogue", async () => {
    const { query } = await opened();
    const [entry] = await query([{ send: "reload", expect: "\\[confirm\\]", reply: "n" }]);
    expect(entry).toMatchObject({ command: "reload", output: expect.stringContaining("[confirm]") });
  });
});

describe("configure", () => {
  test("one key, the pushed text; the value is the text of the session", async () => {
    const { configure, device } = await opened();
    const [entry] = await configure(["vlan 5\nvlan 6", "vlan 7"], { save: true });
    expect(entry?.command).toBe("vlan 5\nvlan 6\nvlan 7");
    expect(entry?.output).toBe(
      "configure terminal\nEnter configuration commands, one per line.  End with CNTL/Z.\n" +
        "R1(config)#vlan 5\nR1(config)#vlan 6\nR1(config)#vlan 7\nR1(config)#end\n" +
        "R1#write memory\nBuilding configuration...\n[OK]\nR1#",
    );
    expect(device.saved).toBe(true);
  });

  test("a refused line fails with the text so far", async () => {
    const { configure } = await opened();
    await expect(configure(["vlan 5", "nonsense"])).rejects.toMatchObject({
      kind: "CommandError",
      detail: {
        command: "nonsense",
        sent: ["vlan 5", "nonsense"],
        partial: [{ command: "vlan 5\nnonsense", output: expect.stringContaining("R1(config)#nonsense\n") }],
      },
    });
  });

  test("ignore_errors takes every line, error_pattern replaces the platform's", async () => {
    const { configure } = await opened();
    const [entry] = await configure(["nonsense", "vlan 5"], { ignore_errors: true });
    expect(entry?.output).toContain("% Invalid input");
    await configure(["nonsense"], { error_pattern: "^never$" });
    await expect(configure(["vlan 5"], { error_pattern: "^.*vlan" })).resolves.toBeDefined();
  });

  test("dry_run sends nothing where there is no candidate", async () => {
    const { configure, device } = await opened();
    const before = device.lines.length;
    expect(await configure(["vlan 5", "vlan 6"], { dry_run: true })).toEqual([
      { command: "vlan 5\nvlan 6", output: "vlan 5\nvlan 6" },
    ]);
    expect(device.lines.length).toBe(before);
  });

  test("enter_config_mode false, config_mode_command", async () => {
    const { configure, device } = await opened();
    const [plain] = await configure(["terminal monitor"], { enter_config_mode: false });
    expect(plain?.output).toBe("terminal monitor\nR1#");
    await expect(configure(["vlan 5"], { config_mode_command: "configure replace" })).rejects.toMatchObject({
      kind: "CommandError",
      message: expect.stringContaining("Failed to enter configuration mode"),
    });
    expect(device.lines).toContain("configure replace");
  });

  test("a platform without a command to save says so", async () => {
    const { save: _none, ...base } = router;
    const { configure } = await opened({ base });
    const [entry] = await configure(["vlan 5"], { save: true });
    expect(entry?.output).toMatch(/% Not saved: test_ios has no command for it\.$/);
  });

  test("enable_mode false does not gain privileges", async () => {
    const { configure } = await opened({ device: { start: "exec" }, connection: { enable_mode: false } });
    await expect(configure(["vlan 5"])).rejects.toMatchObject({
      kind: "CommandError",
      message: expect.stringContaining("enable_mode is false"),
    });
  });

  test("without a secret an enable password is not guessed", async () => {
    const { configure, device } = await opened({ device: { start: "exec", secret: "sesame" } });
    await expect(configure(["vlan 5"])).rejects.toMatchObject({ kind: "AuthenticationFailed" });
    expect(device.lines.at(-1)).toBe("enable");
  });
});

describe("connections", () => {
  test("tells the facts of the connection test", async () => {
    const { session, ctx } = await opened();
    expect(await session.describe?.(ctx)).toEqual({
      prompt: "R1#",
      device_type: "test_ios",
      host: "10.0.0.1",
    });
  });

  test("keys are read behind the guard, the platform's manners are followed", async () => {
    await writeFile(join(tmpdir(), "netmiko-test-key"), "PEM-canary");
    const { targets } = await opened({
      connection: {
        key_file: "netmiko-test-key",
        passphrase: "phrase-canary",
        proxy_host: "jump",
        proxy_password: "x",
      },
      platform: { legacySsh: true, loginAs: "{username}+ct" },
    });
    const [target] = targets;
    expect(target?.ssh).toMatchObject({
      username: "admin+ct",
      profile: "legacy",
      via: { host: "jump", username: "admin", profile: "modern" },
    });
    expect(target?.ssh.keys?.[0]?.pem.reveal()).toBe("PEM-canary");
    expect(JSON.stringify(targets)).not.toContain("canary");
  });

  test("a file is moved, and its hash checked on the device", async () => {
    const moved: unknown[] = [];
    const files: FileTransfers = {
      async move(...all) {
        moved.push(all.filter((one) => typeof one !== "object" || !("signal" in one)));
        return { bytesTransferred: 5, totalBytes: 5, resumed: false, sha256: "aa" };
      },
      hash: async () => "d41d8cd98f00b204e9800998ecf8427e",
    };
    const hash = {
      algorithm: "md5" as const,
      command: "verify /md5 {path}",
      match: /= ([0-9a-f]{32})/i,
    };
    const given: Given = {
      files,
      platform: { files: { by: ["scp"], hash } },
      device: {
        outputs: {
          "verify /md5 flash:a.bin": "verify /md5 (flash:a.bin) = D41D8CD98F00B204E9800998ECF8427E\n",
          "verify /md5 flash:b.bin": "verify /md5 (flash:b.bin) = 00000000000000000000000000000000\n",
        },
      },
    };
    const { query } = await opened(given);
    const file = { operation: "upload", local_path: "a.bin", remote_path: "flash:a.bin", resume: true };
    expect(await query(["__FILE_TRANSFER__"], { file_transfer: file })).toEqual([
      {
        command: "file_transfer_upload",
        output: {
          output: "",
          error: "",
          exit_status: 0,
          transfer_result: expect.objectContaining({ success: true, sha256: "aa", verified: true }),
        },
      },
    ]);
    expect(moved).toEqual([["upload", "/srv/transfer/a.bin", "flash:a.bin", "scp", { resume: true }]]);
    await expect(
      query(["__FILE_TRANSFER__"], { file_transfer: { ...file, remote_path: "flash:b.bin" } }),
    ).rejects.toMatchObject({ kind: "CommandError", message: expect.stringContaining("differs") });
    await expect(
      query(["__FILE_TRANSFER__"], { file_transfer: { ...file, remote_path: "flash:a;reload" } }),
    ).rejects.toMatchObject({ kind: "DriverError" });
    await expect(query(["show clock"], { file_transfer: file })).rejects.toMatchObject({
      kind: "DriverError",
    });
    await expect(
      query(["__FILE_TRANSFER__"], { file_transfer: { ...file, local_path: "../etc/shadow" } }),
    ).rejects.toMatchObject({ kind: "Forbidden" });
  });
});
