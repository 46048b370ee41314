/** Platforms with a candidate configuration: a push takes effect by a commit, or not at all. */

import { describe, expect, test } from "vitest";
import { openCliSession } from "../../../../src/device/cli/session.ts";
import type { PlatformPlugin } from "../../../../src/plugin/platform.ts";
import { fakeStream } from "../fake-stream.ts";
import { openOptions, patient, push } from "../open-options.ts";
import { testContext } from "../test-context.ts";

const junos: PlatformPlugin = {
  api: 1,
  kind: "platform",
  name: "test_junos",
  home: "operational",
  config: "configuration",
  levels: {
    operational: { prompt: /[\w-]+@[\w.-]+> ?/ },
    configuration: {
      prompt: /[\w-]+@[\w.-]+# ?/,
      from: "operational",
      enter: "configure",
      leave: "exit configuration-mode",
      leaveQuestions: [{ ask: /Exit with uncommitted changes\? \[yes,no\] \(yes\)\s*$/, reply: "yes" }],
    },
  },
  above: /\{(?:master|backup)[^}\n]*\}(?:\[edit[^\]\n]*\])?|\[edit[^\]\n]*\]/,
  prepare: ["set cli screen-length 0"],
  errors: [/^(?:error:|syntax error)/, /^\s+\^\s*$/],
  candidate: {
    diff: "show | compare",
    commit: [{ send: "commit", success: /commit complete/ }],
    commitComment: [{ send: 'commit comment "{comment}"', success: /commit complete/ }],
    confirm: [{ send: "commit confirmed {minutes}", success: /commit confirmed/ }],
    confirmComment: [{ send: 'commit confirmed {minutes} comment "{comment}"', success: /commit confirmed/ }],
    discard: [{ send: "rollback 0" }],
    failed: [/^error:/],
  },
};

function junosDevice({ badCommit = false, stuckAt = "" } = {}) {
  const lines: string[] = [];
  let configuring = false;
  let candidate: string[] = [];
  let running: string[] = [];
  let typed = "";
  let isAsking = false;
  const stream = fakeStream((text) => {
    for (const char of text) {
      if (char === "\x03") {
        typed = "";
        stream.feed(`^C\r\n${prompt()}`);
      } else if (char === "\n") {
        const line = typed;
        typed = "";
        lines.push(line);
        if (line !== "" && line === stuckAt) stream.feed(`${line}\r\n`);
        else
          stream.feed(`${line}\r\n${run(line.trim()).replaceAll("\n", "\r\n")}${isAsking ? "" : prompt()}`);
      } else typed += char;
    }
  });
  const prompt = () => (configuring ? "\r\n[edit]\r\nadmin@mx1# " : "\r\n{master:0}\r\nadmin@mx1> ");
  function run(line: string): string {
    if (isAsking) {
      isAsking = false;
      configuring = line !== "yes";
      return "Exiting configuration mode\n";
    }
    if (line === "configure") {
      configuring = true;
      return "Entering configuration mode\n";
    }
    if (line.startsWith("set ") && configuring) {
      if (line.includes("nonsense")) return "                ^\nsyntax error.\n";
      candidate.push(line);
      return "";
    }
    if (line === "show | compare") return candidate.map((one) => `+  ${one};\n`).join("");
    if (line.startsWith("commit")) {
      if (badCommit) return "error: policy is not defined\nerror: configuration check-out failed\n";
      running = [...running, ...candidate];
      candidate = [];
      return line.startsWith("commit confirmed")
        ? "commit confirmed will be automatically rolled back in 5 minutes unless confirmed\ncommit complete\n"
        : "commit complete\n";
    }
    if (line === "rollback 0") {
      candidate = [];
      return "load complete\n";
    }
    if (line === "exit configuration-mode") {
      if (candidate.length > 0) {
        isAsking = true;
        return "The configuration has been changed but not committed\nExit with uncommitted changes? [yes,no] (yes) ";
      }
      configuring = false;
      return "Exiting configuration mode\n";
    }
    if (line === "show version") return "Hostname: mx1\nJunos: 21.4R1\n";
    return "";
  }
  queueMicrotask(() => stream.feed(`--- JUNOS 21.4R1 built\r\n${prompt().trimStart()}`));
  return {
    stream,
    lines,
    running: () => running,
    candidate: () => candidate,
    configuring: () => configuring,
  };
}

async function opened(options: Parameters<typeof junosDevice>[0] = {}) {
  const device = junosDevice(options);
  const ctx = testContext();
  const session = await openCliSession(
    openOptions(device.stream, {
      platform: junos,
      host: "mx1",
      username: "admin",
      ...patient,
    }),
    ctx,
  );
  return { device, session, ctx };
}

describe("on a platform with a candidate configuration", () => {
  test("status lines above the prompt are not part of the output", async () => {
    const { session, ctx } = await opened();
    expect(session.level()).toBe("operational");
    expect(await session.send("show version", {}, ctx)).toBe("Hostname: mx1\nJunos: 21.4R1\n");
  });

  test("a push is committed", async () => {
    const { session, ctx, device } = await opened();
    const result = await session.configure(["set system host-name x", "set vlans v5"], push, ctx);
    expect(result.committed).toBe(true);
    expect(device.running()).toEqual(["set system host-name x", "set vlans v5"]);
    expect(result.transcript).toContain("commit complete");
    expect(session.level()).toBe("operational");
  });

  test("a refused line discards the candidate", async () => {
    const { session, ctx, device } = await opened();
    const pushed = session.configure(["set vlans v5", "set nonsense", "set vlans v6"], push, ctx);
    await expect(pushed).rejects.toMatchObject({ kind: "CommandError", detail: { command: "set nonsense" } });
    expect(device.candidate()).toEqual([]);
    expect(device.running()).toEqual([]);
    expect(device.lines).not.toContain("commit");
    expect(device.lines).not.toContain("set vlans v6");
    expect(session.level()).toBe("operational");
    expect(await session.reusable(ctx)).toBe(true);
  });

  test("a failed commit is an error and discards the candidate", async () => {
    const { session, ctx, device } = await opened({ badCommit: true });
    await expect(session.configure(["set vlans v5"], push, ctx)).rejects.toMatchObject({
      kind: "CommandError",
      message: expect.stringMatching(/^Commit failed with the following errors:\n\nerror: policy/),
    });
    expect(device.candidate()).toEqual([]);
    expect(device.configuring()).toBe(false);
  });

  test("a commit can have a comment and a confirmation time", async () => {
    const { session, ctx, device } = await opened();
    await session.configure(["set vlans v5"], { ...push, commit: { comment: 'for "X"' } }, ctx);
    await session.configure(["set vlans v6"], { ...push, commit: { confirmMinutes: 5 } }, ctx);
    expect(device.lines).toContain(`commit comment "for 'X'"`);
    expect(device.lines).toContain("commit confirmed 5");
    const both = { comment: "CHG-7", confirmMinutes: 5 };
    await session.configure(["set vlans v7"], { ...push, commit: both }, ctx);
    expect(device.lines).toContain('commit confirmed 5 comment "CHG-7"');
  });

  test("a dry run returns the device's own diff and discards the candidate", async () => {
    const { session, ctx, device } = await opened();
    const result = await session.configure(["set vlans v5"], { ...push, dryRun: true }, ctx);
    expect(result.diff).toBe("+  set vlans v5;\n");
    expect(result.committed).toBe(false);
    expect(device.running()).toEqual([]);
    expect(device.candidate()).toEqual([]);
  });

  test("a push that times out is discarded", async () => {
    const { session, ctx, device } = await opened({ stuckAt: "set vlans v6" });
    const pushed = session.configure(["set vlans v5", "set vlans v6"], { ...push, readTimeoutMs: 50 }, ctx);
    await expect(pushed).rejects.toMatchObject({
      kind: "ReadTimeout",
      detail: { outcome: "unknown", command: "set vlans v6", sent: ["set vlans v5", "set vlans v6"] },
    });
    expect(device.candidate()).toEqual([]);
    expect(device.configuring()).toBe(false);
    expect(await session.reusable(ctx)).toBe(false);
  });

  test("a cancelled push is discarded and fails with the reason of the cancel", async () => {
    const device = junosDevice({ stuckAt: "set vlans v6" });
    const controller = new AbortController();
    const ctx = testContext(controller.signal);
    const session = await openCliSession(
      openOptions(device.stream, {
        platform: junos,
        host: "mx1",
        username: "admin",
        ...patient,
      }),
      ctx,
    );
    const pushed = session.configure(["set vlans v5", "set vlans v6"], push, ctx);
    const cancelled = expect(pushed).rejects.toMatchObject({
      kind: "Cancelled",
      detail: { outcome: "unknown" },
    });
    await expect.poll(() => device.lines).toContain("set vlans v6");
    controller.abort();
    await cancelled;
    expect(device.candidate()).toEqual([]);
  });

  test.each([
    ["a comment", { comment: "why" }],
    ["a comment with a confirmation", { comment: "why", confirmMinutes: 5 }],
  ])("%s that the platform does not support is rejected before anything is sent", async (_, commit) => {
    const device = junosDevice();
    const {
      commitComment: _none,
      confirmComment: _neither,
      ...candidate
    } = junos.candidate ?? {
      diff: "",
      commit: [],
      discard: [],
      failed: [],
    };
    const ctx = testContext();
    const session = await openCliSession(
      openOptions(device.stream, {
        platform: { ...junos, candidate },
        host: "mx1",
        username: "admin",
        ...patient,
      }),
      ctx,
    );
    const before = device.lines.length;
    const pushed = session.configure(["set x"], { ...push, commit }, ctx);
    await expect(pushed).rejects.toMatchObject({ kind: "DriverError" });
    expect(device.lines.length).toBe(before);
    expect(await session.reusable(ctx)).toBe(true);
  });
});
