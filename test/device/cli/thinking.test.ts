/** Devices with delays before they answer: after a password, during login, at the question of a save. */

import { describe, expect, test } from "vitest";
import small from "../../../plugins/platforms/cisco-small.ts";
import wlc from "../../../plugins/platforms/cisco-wlc.ts";
import fiberstore from "../../../plugins/platforms/fiberstore.ts";
import { secret } from "../../../src/base/secrets/secret.ts";
import { pause } from "../../../src/base/time/deadline.ts";
import { type OpenOptions, openCliSession } from "../../../src/device/cli/session.ts";
import type { PlatformPlugin } from "../../../src/plugin/platform.ts";
import { fakeDevice } from "./fake-device.ts";
import { type FakeStream, fakeStream } from "./fake-stream.ts";
import { openOptions } from "./open-options.ts";
import { router } from "./router-platform.ts";
import { scriptedDevice } from "./scripted-devices.ts";
import { testContext } from "./test-context.ts";

const pauses = [0, 10, 12, 15, 20, 30, 100, 300, 1000];

function open(stream: OpenOptions["stream"], more: Partial<OpenOptions> = {}) {
  return openCliSession(
    openOptions(stream, {
      username: "ann",
      password: secret("login-canary"),
      secret: secret("sesame"),
      readTimeoutMs: 5000,
      openTimeoutMs: 15_000,
      ...more,
    }),
    testContext(),
  );
}

const push = { enterConfig: true, exitConfig: true, verifyEcho: true, dryRun: false, enable: true };

function platformOf(platforms: readonly PlatformPlugin[], name: string): PlatformPlugin {
  const found = platforms.find((platform) => platform.name === name);
  if (found === undefined) throw new Error(`no platform ${name}`);
  return found;
}

/** Tests all delays concurrently, each with its own device. */
async function afterEvery(run: (thinksMs: number) => Promise<void>): Promise<void> {
  await Promise.all(
    pauses.map((thinksMs) =>
      run(thinksMs).catch((error: unknown) => {
        throw new Error(`after ${thinksMs} ms`, { cause: error });
      }),
    ),
  );
}

describe("on a device with delays", () => {
  test.concurrent("an enable password is sent once, whether accepted or rejected", () =>
    afterEvery(async (thinksMs) => {
      const right = fakeDevice({ start: "exec", secret: "sesame", thinksMs });
      expect((await open(right.stream)).level()).toBe("privileged");
      expect(right.lines.filter((line) => line === "sesame")).toHaveLength(1);
      const wrong = fakeDevice({ start: "exec", secret: "other", thinksMs });
      await expect(open(wrong.stream)).rejects.toMatchObject({ kind: "AuthenticationFailed" });
      expect(wrong.lines.filter((line) => line === "sesame")).toHaveLength(1);
    }));

  test.concurrent.each([
    ["fiberstore_fsos", platformOf(fiberstore, "fiberstore_fsos"), "Username:", "Password:", "sw1#"],
    ["cisco_wlc", wlc, "User:", "Password:", "(sw1) >"],
    ["cisco_s300", platformOf(small, "cisco_s300"), "User Name:", "Password:", "sw1#"],
  ])("a login in the shell sends each answer once: %s", (_, platform, user, pass, prompt) =>
    afterEvery(async (thinksMs) => {
      const asks = [user, pass];
      const device = scriptedDevice({ thinksMs, asks, accepts: ["ann", "login-canary"], prompt });
      const session = await open(device.stream, { platform });
      expect(session.prompt()).toBe(prompt.trim());
      expect(device.lines.slice(0, 2)).toEqual(["ann", "login-canary"]);
      expect(device.lines.filter((line) => line === "login-canary")).toHaveLength(1);
      const other = scriptedDevice({ thinksMs, asks, accepts: ["ann", "another"], prompt });
      await expect(open(other.stream, { platform })).rejects.toMatchObject({ kind: "AuthenticationFailed" });
      expect(other.lines.filter((line) => line === "login-canary")).toHaveLength(1);
    }),
  );

  test.concurrent("two prepare commands are answered in order", () =>
    afterEvery(async (thinksMs) => {
      let busy = Promise.resolve();
      let prompt = "R1>";
      const answer = async (line: string) => {
        if (line === "terminal length 0") await pause(Math.min(thinksMs, 200));
        if (line === "enable") prompt = "R1#";
        stream.feed(`${line}\r\n`);
        await pause(25);
        stream.feed(`${line.startsWith("show") ? `answer to ${line}\r\n` : ""}${prompt}`);
        await pause(25);
      };
      const stream: FakeStream = fakeStream((typed) => {
        for (const line of typed.split("\n").slice(0, -1)) busy = busy.then(() => answer(line));
      });
      stream.feed("R1>");
      const session = await open(stream);
      expect(session.level()).toBe("privileged");
      expect(await session.send("show clock", {}, testContext())).toBe("answer to show clock");
    }));

  test.concurrent("a Telnet login sends each answer once", () =>
    afterEvery(async (thinksMs) => {
      const asks = ["Username: ", "Password: "];
      const device = scriptedDevice({ thinksMs, asks, accepts: ["ann", "login-canary"], prompt: "R1#" });
      const session = await open(device.stream, { transport: "telnet" });
      expect(session.prompt()).toBe("R1#");
      expect(device.lines.slice(0, 2)).toEqual(["ann", "login-canary"]);
    }));

  test.concurrent("a Telnet greeting with lines that end like questions is not answered", async () => {
    const asks = ["Username: ", "Password: "];
    const greeting = ["No access without a login:\r\n", "Keep your password:\r\n\r\n"];
    const accepts = ["ann", "login-canary"];
    const device = scriptedDevice({ thinksMs: 20, asks, accepts, prompt: "R1#", greeting });
    const session = await open(device.stream, { transport: "telnet" });
    expect(session.prompt()).toBe("R1#");
    expect(device.lines.slice(0, 2)).toEqual(accepts);
  });

  test.concurrent("the question of a save gets one answer", () =>
    afterEvery(async (thinksMs) => {
      const platform = { ...platformOf(small, "cisco_s300"), login: [] };
      const device = fakeDevice({ thinksMs, saveAsks: "Overwrite file [startup-config].... (Y/N)[N] ?" });
      const session = await open(device.stream, { platform });
      const result = await session.configure(["vlan 5"], { ...push, save: true }, testContext());
      expect(result.saved).toBe(true);
      expect(device.lines.slice(-2)).toEqual(["write memory", "Y"]);
    }));

  test.concurrent("a [confirm] gets one line end", () =>
    afterEvery(async (thinksMs) => {
      const platform = { ...router, questions: [{ ask: /\[confirm\]\s*$/i, reply: "" }] };
      const saveAsks = "Overwrite the previous NVRAM configuration?[confirm]";
      const device = fakeDevice({ thinksMs, saveAsks });
      const session = await open(device.stream, { platform });
      await session.configure(["vlan 5"], { ...push, save: true }, testContext());
      expect(device.lines.slice(-2)).toEqual(["write memory", ""]);
    }));
});
