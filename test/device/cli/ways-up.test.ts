/** Ways to a privileged level other than one command and one password. */
import { describe, expect, test } from "vitest";
import { builtins } from "../../../plugins/index.ts";
import { secret } from "../../../src/base/secrets/secret.ts";
import { openCliSession } from "../../../src/device/cli/session.ts";
import type { PlatformPlugin } from "../../../src/plugin/platform.ts";
import { type FakeStream, fakeStream } from "./fake-stream.ts";
import { openOptions, patient, push } from "./open-options.ts";
import { deviceWith } from "./scripted-devices.ts";
import { testContext } from "./test-context.ts";

function builtin(name: string): PlatformPlugin {
  const found = builtins.find((plugin) => plugin.kind === "platform" && plugin.name === name);
  if (found?.kind !== "platform") throw new Error(`There is no platform ${name}.`);
  return found;
}

function opened(name: string, device: ReturnType<typeof deviceWith>, ctx = testContext()) {
  const platform = builtin(name);
  const login = { username: "ann", password: secret("pw") };
  return openCliSession(openOptions(device.stream, { platform, ...login }), ctx);
}

describe("on a Cisco ASA", () => {
  test('"login" reaches the privileged level with the account\'s password', async () => {
    const device = deviceWith("asa> ", { login: "Username: ", ann: "Password: ", pw: "asa# " });
    const session = await opened("cisco_asa", device);
    expect(session.prompt()).toBe("asa#");
    expect(session.home()).toBe("privileged");
    expect(device.lines).toEqual(["", "login", "ann", "pw", "terminal pager 0"]);
  });

  test("an account without privileges can query but not push", async () => {
    const device = deviceWith("asa> ", { login: "Username: ", ann: "Password: ", pw: "asa> " });
    const ctx = testContext();
    const session = await opened("cisco_asa", device, ctx);
    expect(session.prompt()).toBe("asa>");
    expect(session.home()).toBe("exec");
    await expect(session.configure(["hostname b"], push, ctx)).rejects.toMatchObject({
      kind: "CommandError",
    });
    expect(device.lines).not.toContain("hostname b");
  });

  test.each([
    ["is interrupted with Ctrl-C", true],
    ["is rejected three times", false],
  ])("an unknown account that %s can still query", async (_, interrupts) => {
    const lines: string[] = [];
    let asking = false;
    const stream: FakeStream = fakeStream((text) => {
      if (text === "\x03") {
        if (interrupts) asking = false;
        return interrupts ? stream.feed("^C\r\nasa> ") : undefined;
      }
      lines.push(...text.split("\n").slice(0, -1));
      const answerCount = lines.slice(lines.indexOf("login") + 1).length;
      if (lines.at(-1) === "login") asking = true;
      if (asking && answerCount === 6) asking = false;
      const asks =
        answerCount % 2 === 0 ? `${answerCount === 0 ? "" : "%Login failed\r\n"}Username: ` : "Password: ";
      stream.feed(`\r\n${asking ? asks : "asa> "}`);
    });
    stream.feed("asa> ");
    const session = await opened("cisco_asa", { stream, lines });
    expect(session.prompt()).toBe("asa>");
    expect(session.home()).toBe("exec");
    expect(lines.filter((line) => line === "pw")).toHaveLength(1);
  });

  test('with enable false, "login" is not repeated', async () => {
    const device = deviceWith("asa> ", { login: "Username: ", ann: "Password: ", pw: "asa> " });
    const ctx = testContext();
    const session = await opened("cisco_asa", device, ctx);
    const typed = device.lines.length;
    await expect(session.configure(["hostname b"], { ...push, enable: false }, ctx)).rejects.toMatchObject({
      kind: "CommandError",
    });
    expect(device.lines).toHaveLength(typed);
  });
});

describe("a switch with an empty enable password", () => {
  test("gets an empty line", async () => {
    const device = deviceWith("(sw) >", { enable: "Password:", "": "(sw) #" });
    const session = await opened("ubiquiti_edgeswitch", device);
    expect(session.prompt()).toBe("(sw) #");
    expect(device.lines).toContain("terminal length 0");
  });

  test("that is rejected can still be queried", async () => {
    const device = deviceWith("(sw) >", {
      enable: "Password:",
      "": { says: "Incorrect Password!\n\n", prompt: "(sw) >" },
    });
    const session = await opened("ubiquiti_edgeswitch", device);
    expect(session.prompt()).toBe("(sw) >");
    expect(session.home()).toBe("exec");
  });

  test("that is not even asked for is privileged", async () => {
    const device = deviceWith("SSH@sw>", {
      enable: { says: "No password has been assigned yet...\n", prompt: "SSH@sw#" },
    });
    const session = await opened("ruckus_fastiron", device);
    expect(session.prompt()).toBe("SSH@sw#");
    expect(device.lines).toContain("skip-page-display");
  });
});

describe("a switch with two steps to its highest level", () => {
  const steps = { enable: "Password:", pw: "sw#" };

  function withSecret(reactions: Parameters<typeof deviceWith>[1]) {
    const device = deviceWith("sw>", reactions);
    const platform = { ...builtin("tplink_jetstream"), newline: "\n" as const };
    const options = openOptions(device.stream, { platform, secret: secret("pw") });
    return { device, session: openCliSession(options, testContext()) };
  }

  test("is led up both with the same password", async () => {
    const { device, session } = withSecret({ ...steps, "enable-admin": "Password:" });
    expect((await session).prompt()).toBe("sw#");
    const typed = device.lines.filter((line) => line !== "");
    expect(typed).toEqual(["enable", "pw", "enable-admin", "pw", "terminal length 0"]);
  });

  test("is used at the first level if the second does not exist", async () => {
    const { session } = withSecret({ ...steps, "enable-admin": { says: "Error: Bad command\n" } });
    expect((await session).prompt()).toBe("sw#");
  });
});

test("paging is disabled at the privileged level if only that allows it", async () => {
  const device = deviceWith("sw>", { enable: "Password:", pw: "sw#" });
  const platform = builtin("raisecom_roap");
  const options = openOptions(device.stream, { platform, secret: secret("pw") });
  expect((await openCliSession(options, testContext())).prompt()).toBe("sw#");
  const typed = device.lines.filter((line) => line !== "");
  expect(typed).toEqual(["enable", "pw", "terminal page-break disable"]);
});

describe("a CLI inside another", () => {
  test("is told apart by its prompt, and left with its escape key", async () => {
    const lines: string[] = [];
    let prompt = "> ";
    const stream: FakeStream = fakeStream((text) => {
      lines.push(text);
      if (text === "system support diagnostic-cli\n") prompt = "firepower> ";
      else if (text.startsWith("\x01d")) prompt = "> ";
      const said = text === "\n" ? "" : "Version 7\r\n\r\n";
      stream.feed(`${text.startsWith("\x01") ? "" : text.trimEnd()}\r\n${said}${prompt}`);
    });
    stream.feed("Copyright\r\n\r\n> ");
    const ctx = testContext();
    const session = await opened("cisco_ftd", { stream, lines }, ctx);
    expect(await session.send("system support diagnostic-cli", {}, ctx)).toBe("Version 7\n");
    expect(session.level()).toBe("diagnostic");
    expect(await session.send("show version", {}, ctx)).toBe("Version 7\n");
    await session.toLevel(session.home(), ctx);
    expect(session.prompt()).toBe(">");
    expect(lines.filter((line) => line !== "\n").at(-1)).toBe("\x01d\n");
  });

  test("behind a menu is entered, past a disclaimer", async () => {
    const menu = "\r\nMain Menu\r\n\r\n    4.  Device Console\r\n\r\n    Select Menu Number [0-7]: ";
    let prompt = "";
    const lines: string[] = [];
    const stream: FakeStream = fakeStream((text) => {
      lines.push(text);
      prompt = prompt === "" ? menu : text === "4\n" ? "console> " : prompt;
      stream.feed(`${text.trimEnd()}\r\n${prompt}`);
    });
    stream.feed("    Are you sure you want to Continue (y/n): ");
    const session = await opened("sophos_sfos", { stream, lines });
    expect(session.prompt()).toBe("console>");
    expect(lines).toContain("y\n");
  });
});

test.each([
  "[sudo] Passwort für ann: ",
  "[sudo] ann 的密码：",
  "Password: ",
  "[sudo: authenticate] Mot de passe : ",
  "doas (ann@h) password: ",
])("the sudo prompt is recognised in any language: %j", async (asks) => {
  const user = "ann@h:~$ ";
  const device = deviceWith(user, { "sudo -s": asks, pw: "root@h:/home/ann# ", exit: user });
  const ctx = testContext();
  const login = { platform: builtin("linux"), secret: secret("pw"), ...patient };
  const session = await openCliSession(openOptions(device.stream, login), ctx);
  await session.configure(["id"], push, ctx);
  expect(device.lines.slice(-4)).toEqual(["sudo -s", "pw", "id", "exit"]);
});
