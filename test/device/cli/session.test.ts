import { describe, expect, test } from "vitest";
import { secret } from "../../../src/base/secrets/secret.ts";
import { type OpenOptions, openCliSession } from "../../../src/device/cli/session.ts";
import { type Device, type DeviceOptions, fakeDevice } from "./fake-device.ts";
import { type FakeStream, fakeStream } from "./fake-stream.ts";
import { openOptions, patient, push } from "./open-options.ts";
import { router } from "./router-platform.ts";
import { deviceWith } from "./scripted-devices.ts";
import { testContext } from "./test-context.ts";

function openOn(device: Device, more: Partial<OpenOptions> = {}, ctx = testContext()) {
  return openCliSession(
    openOptions(device.stream, {
      host: "10.0.0.1",
      username: "admin",
      ...patient,
      ...more,
    }),
    ctx,
  );
}

async function opened(options: DeviceOptions = {}, more: Partial<OpenOptions> = {}) {
  const device = fakeDevice(options);
  const ctx = testContext();
  const session = await openOn(device, more, ctx);
  return { device, session, ctx };
}

describe("opening a session", () => {
  test("finds the prompt and privilege level, and prepares the terminal in one write", async () => {
    const { session, device } = await opened();
    expect(session.prompt()).toBe("R1#");
    expect(session.level()).toBe("privileged");
    expect(device.stream.written).toEqual(["terminal width 511\nterminal length 0\n"]);
  });

  test("ignores lines of a banner that look like prompts", async () => {
    const { session } = await opened({ banner: "Welcome\nR9#\nkeep out>\nbe good #\n" });
    expect(session.prompt()).toBe("R1#");
    expect(await session.send("terminal monitor", {}, testContext())).toBe("");
  });

  test("reaches the privileged level only with an enable secret", async () => {
    const without = await opened({ start: "exec", secret: "sesame" });
    expect(without.session.level()).toBe("exec");
    expect(without.session.home()).toBe("exec");
    const withEmpty = await opened({ start: "exec", secret: "sesame" }, { secret: secret("") });
    expect(withEmpty.session.prompt()).toBe(without.session.prompt());
    const withSecret = await opened({ start: "exec", secret: "sesame" }, { secret: secret("sesame") });
    expect(withSecret.session.level()).toBe("privileged");
  });

  test("fails after one attempt with a wrong enable password", async () => {
    const device = fakeDevice({ start: "exec", secret: "sesame" });
    await expect(openOn(device, { secret: secret("wrong-one") })).rejects.toMatchObject({
      kind: "AuthenticationFailed",
      message: expect.not.stringContaining("wrong-one"),
    });
    expect(device.lines.filter((line) => line === "wrong-one")).toHaveLength(1);
    expect(device.stream.destroyed()).toBe(true);
  });

  test("sends the password once if the shell asks for it", async () => {
    const stream: FakeStream = fakeStream((typed) => {
      stream.feed(typed === "ann\n" ? "ann\r\nPassword:" : "\r\nAuthentication failed\r\nUser Name:");
    });
    stream.feed("\r\nUser Name:");
    const opening = openCliSession(
      {
        stream,
        transport: "ssh",
        platform: {
          ...router,
          login: [
            { ask: /User Name:$/, reply: "{username}" },
            { ask: /Password:$/, reply: "{password}" },
          ],
        },
        host: "h",
        username: "ann",
        password: secret("login-canary"),
        delayFactor: 1,
        readTimeoutMs: 500,
        openTimeoutMs: 2000,
      },
      testContext(),
    );
    await expect(opening).rejects.toMatchObject({
      kind: "AuthenticationFailed",
      message: expect.stringContaining("Authentication failed for ann"),
    });
    await expect(opening).rejects.toMatchObject({ message: expect.not.stringContaining("canary") });
    expect(stream.written.filter((text) => text === "login-canary\n")).toHaveLength(1);
  });

  test("fails if the device requires a new password, without typing one", async () => {
    const stream = fakeStream(() => {});
    stream.feed("You are forced to change your password. Please input a new password.\r\nNew Password: ");
    const opening = openCliSession(openOptions(stream, { username: "ann", ...patient }), testContext());
    await expect(opening).rejects.toMatchObject({
      kind: "AuthenticationFailed",
      message: expect.stringContaining("requires a new password"),
    });
    expect(stream.written).toEqual([]);
  });
});

describe("a query", () => {
  test("returns the output without echo and prompt, keeping empty lines", async () => {
    const { session, ctx } = await opened({ outputs: { "show clock": "\n*10:00:00 UTC\n\n" } });
    expect(await session.send("show clock", {}, ctx)).toBe("\n*10:00:00 UTC\n");
    expect(await session.send("show clock", { stripCommand: false, stripPrompt: false }, ctx)).toBe(
      "show clock\n\n*10:00:00 UTC\n\nR1#",
    );
  });

  test("is sent in one write", async () => {
    const { session, device, ctx } = await opened({ outputs: { "show clock": "10:00\n" } });
    await session.send("show clock", {}, ctx);
    expect(device.stream.written.slice(1)).toEqual(["show clock\n"]);
    expect(ctx.announced).toEqual([["show clock"]]);
  });

  test("returns the output of a refused command", async () => {
    const { session, ctx } = await opened();
    expect(await session.send("show nonsense", {}, ctx)).toBe(
      "     ^\n% Invalid input detected at '^' marker.\n",
    );
  });

  test("fails with the last received output if the device stops responding", async () => {
    const { session, device, ctx } = await opened();
    device.name = "R1";
    const stuck = session.send("copy run start", { expect: /never/, readTimeoutMs: 50 }, ctx);
    await expect(stuck).rejects.toMatchObject({
      kind: "ReadTimeout",
      detail: { command: "copy run start", outcome: "unknown", sent: ["copy run start"] },
    });
    expect(await session.reusable(ctx)).toBe(false);
  });

  test("fails at once if the stream is closed", async () => {
    const { session, device, ctx } = await opened();
    const sending = session.send("reload now", { expect: /never/ }, ctx);
    await Promise.resolve();
    await Promise.resolve();
    expect(device.stream.written.at(-1)).toBe("reload now\n");
    device.stream.lose();
    await expect(sending).rejects.toMatchObject({ kind: "ConnectionLost", detail: { outcome: "unknown" } });
  });

  test("fails at a question, unless the command is a dialogue that answers it", async () => {
    const first = await opened();
    await expect(first.session.send("reload", {}, first.ctx)).rejects.toMatchObject({
      kind: "CommandError",
      message: expect.stringContaining("[confirm]"),
    });
    const { session, ctx } = await opened();
    const text = await session.send({ send: "reload", expect: "confirm", reply: "" }, {}, ctx);
    expect(text).toContain("Proceed with reload? [confirm]");
    expect(session.prompt()).toBe("R1#");
  });

  test("fails at a question for a host name", async () => {
    const device = deviceWith("R1#", { "copy run tftp:": "Address or name of remote host []? " });
    const ctx = testContext();
    const session = await openCliSession(openOptions(device.stream, patient), ctx);
    await expect(session.send("copy run tftp:", {}, ctx)).rejects.toMatchObject({
      kind: "CommandError",
      message: expect.stringContaining("remote host []?"),
    });
  });
});

describe("a push", () => {
  test("has the same transcript as netmiko, and leaves configuration mode", async () => {
    const { session, ctx, device } = await opened();
    const result = await session.configure(["interface Loopback1", " description x"], push, ctx);
    expect(result.transcript).toBe(
      "configure terminal\nEnter configuration commands, one per line.  End with CNTL/Z.\n" +
        "R1(config)#interface Loopback1\nR1(config-if)# description x\nR1(config-if)#end\nR1#",
    );
    expect(session.level()).toBe("privileged");
    expect(device.stream.written.slice(1)).toHaveLength(4);
  });

  test("stops at the first refused line and leaves configuration mode", async () => {
    const { session, ctx, device } = await opened();
    const pushed = session.configure(["interface Lo1", "nonsense here", "description never"], push, ctx);
    await expect(pushed).rejects.toMatchObject({
      kind: "CommandError",
      message: "Invalid input detected at command: nonsense here",
      detail: {
        command: "nonsense here",
        matched: "% Invalid input detected at '^' marker.",
        sent: ["interface Lo1", "nonsense here"],
      },
    });
    expect(device.lines).not.toContain("description never");
    expect(session.level()).toBe("privileged");
    expect(await session.reusable(ctx)).toBe(true);
  });

  test("follows a changed host name and saves", async () => {
    const { session, ctx, device } = await opened();
    const result = await session.configure(["hostname core-7", "vlan 5"], { ...push, save: true }, ctx);
    expect(result.transcript).toContain("core-7(config)#vlan 5\ncore-7(config)#end\ncore-7#write memory\n");
    expect(result.saved).toBe(true);
    expect(device.saved).toBe(true);
    expect(session.prompt()).toBe("core-7#");
  });

  test("sends a multi-line banner as one block", async () => {
    const { session, ctx, device } = await opened();
    const lines = ["banner motd ^", "Hello", "", "R1# not a prompt", "^", "vlan 7"];
    const result = await session.configure(lines, push, ctx);
    expect(device.lines).toEqual(expect.arrayContaining(["Hello", "", "R1# not a prompt", "^", "vlan 7"]));
    expect(result.transcript).toContain("R1(config)#vlan 7\nR1(config)#end\nR1#");
  });

  test("enables first if there is a secret", async () => {
    const { session, ctx } = await opened({ start: "exec" });
    expect(session.level()).toBe("exec");
    await session.configure(["vlan 3"], push, ctx);
    await session.toLevel(session.home(), ctx);
    expect(session.level()).toBe("exec");
  });

  test("is pipelined if the platform and the request allow it", async () => {
    const device = fakeDevice();
    const ctx = testContext();
    const session = await openOn(device, { platform: { ...router, pipelines: true } }, ctx);
    const lines = Array.from({ length: 70 }, (_, at) => `vlan ${at + 1}`);
    await session.configure(lines, { ...push, pipeline: true }, ctx);
    // prepare, enter, the first line alone, three writes, leave
    expect(device.stream.written).toHaveLength(7);
    expect(device.lines.filter((line) => line.startsWith("vlan"))).toHaveLength(70);
  });
});
