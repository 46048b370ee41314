/** The login dialogue over Telnet and console servers. */

import { describe, expect, test } from "vitest";
import { secret } from "../../../src/base/secrets/secret.ts";
import { type OpenOptions, openCliSession } from "../../../src/device/cli/session.ts";
import type { PlatformPlugin } from "../../../src/plugin/platform.ts";
import { type FakeStream, fakeStream } from "./fake-stream.ts";
import { openOptions, patient } from "./open-options.ts";
import { router } from "./router-platform.ts";
import { testContext } from "./test-context.ts";

const cisco: PlatformPlugin = router;

interface Script {
  readonly greeting: string;
  readonly asksUser?: boolean;
  readonly userPrompt?: string;
  readonly password?: string;
  readonly retries?: boolean;
  /** Shows nothing until a key is pressed. */
  readonly sleeps?: boolean;
  readonly start?: string;
}

function telnetDevice(script: Script): { stream: FakeStream; typed: string[] } {
  const typed: string[] = [];
  let state: "asleep" | "user" | "password" | "shell" = script.sleeps ? "asleep" : "user";
  let prompt = script.start ?? "R1#";
  let buffer = "";
  const stream = fakeStream((text) => {
    for (const char of text) {
      if (char !== "\n") {
        buffer += char;
        continue;
      }
      const line = buffer;
      buffer = "";
      typed.push(line);
      answer(line);
    }
  });
  function greet() {
    stream.feed(script.greeting.replaceAll("\n", "\r\n"));
    if (script.password === undefined) state = "shell";
    else if (script.asksUser === false) state = "password";
    else state = "user";
    stream.feed(
      state === "shell" ? prompt : state === "user" ? (script.userPrompt ?? "Username: ") : "Password: ",
    );
  }
  function answer(line: string) {
    if (state === "asleep") greet();
    else if (state === "user") {
      state = "password";
      stream.feed(`${line}\r\nPassword: `);
    } else if (state === "password") {
      if (line === script.password) {
        state = "shell";
        stream.feed(`\r\n${prompt}`);
      } else {
        state = "user";
        stream.feed(`\r\n${script.retries ? "" : "% Login invalid\r\n\r\n"}Username: `);
      }
    } else if (line === "end") {
      prompt = "R1#";
      stream.feed(`${line}\r\n${prompt}`);
    } else stream.feed(`${line}\r\n${prompt}`);
  }
  if (!script.sleeps) greet();
  return { stream, typed };
}

function open(stream: FakeStream, more: Partial<OpenOptions> = {}) {
  return openCliSession(
    openOptions(stream, {
      transport: "telnet",
      platform: cisco,
      host: "10.0.0.1",
      username: "admin",
      password: secret("tel-secret"),
      ...patient,
      ...more,
    }),
    testContext(),
  );
}

describe("a Telnet login", () => {
  test("sends user name and password", async () => {
    const { stream, typed } = telnetDevice({
      greeting: "User Access Verification\n\n",
      password: "tel-secret",
    });
    const session = await open(stream);
    expect(session.prompt()).toBe("R1#");
    expect(typed.slice(0, 2)).toEqual(["admin", "tel-secret"]);
  });

  test.each(["Login Name: ", "Please Enter Login Name: ", "R1 login: ", "User ID:", "UserName:"])(
    "sends the user name if asked with %j",
    async (userPrompt) => {
      const { stream, typed } = telnetDevice({ greeting: "", password: "tel-secret", userPrompt });
      await open(stream);
      expect(typed.slice(0, 2)).toEqual(["admin", "tel-secret"]);
    },
  );

  test("sends only the password if no user name is asked for", async () => {
    const { stream, typed } = telnetDevice({ greeting: "", password: "tel-secret", asksUser: false });
    await open(stream);
    expect(typed[0]).toBe("tel-secret");
  });

  test("ignores a banner that mentions passwords and failed logins", async () => {
    const greeting =
      "Access denied to strangers. Login incorrect three times: locked.\nYour password: secret!\n";
    const { stream } = telnetDevice({ greeting, password: "tel-secret" });
    expect((await open(stream)).prompt()).toBe("R1#");
  });

  test.each([
    ["reports the failure", false],
    ["only asks again", true],
  ])("sends a wrong password once if the device %s", async (_, retries) => {
    const { stream, typed } = telnetDevice({ greeting: "\n", password: "other", retries });
    await expect(open(stream)).rejects.toMatchObject({
      kind: "AuthenticationFailed",
      message: "Authentication failed for admin@10.0.0.1",
    });
    expect(typed).toEqual(["admin", "tel-secret"]);
    expect(stream.destroyed()).toBe(true);
  });

  test("wakes a sleeping console and leaves a configuration mode left open", async () => {
    const { stream } = telnetDevice({ greeting: "\n", sleeps: true, start: "R1(config)#" });
    const session = await open(stream);
    expect(session.level()).toBe("privileged");
    expect(session.home()).toBe("privileged");
  });

  test("declines the initial configuration dialog", async () => {
    const typed: string[] = [];
    const stream: FakeStream = fakeStream((text) => {
      typed.push(text.replace(/\r?\n$/, ""));
      if (typed.length === 1) stream.feed("no\r\n\r\nWould you like to terminate autoinstall? [yes]: ");
      else
        stream.feed(
          `${typed.at(-1)}\r\n${typed.length === 2 ? "Press RETURN to get started!\r\n\r\n" : ""}Router>`,
        );
    });
    stream.feed("\r\n\r\nWould you like to enter the initial configuration dialog? [yes/no]: ");
    expect((await open(stream)).prompt()).toBe("Router>");
    expect(typed.slice(0, 2)).toEqual(["no", "yes"]);
  });

  test("fails if the device requires a password but has none set", async () => {
    const stream = fakeStream();
    const opening = expect(open(stream)).rejects.toMatchObject({
      kind: "AuthenticationFailed",
      message: 'Authentication failed for admin@10.0.0.1: the device says "Password required, but none set"',
    });
    stream.feed("\r\n\r\nPassword required, but none set\r\n");
    stream.lose();
    await opening;
  });

  test("fails in time if the device sends nothing", async () => {
    await expect(open(fakeStream(), { openTimeoutMs: 100 })).rejects.toMatchObject({
      kind: "ConnectionTimeout",
    });
  });
});
