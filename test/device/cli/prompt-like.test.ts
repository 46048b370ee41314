/**
 * Promise P12: output that looks like prompts, pagers and questions is treated as output, however it is
 * fragmented.
 */

import { expect, test } from "vitest";
import { openCliSession } from "../../../src/device/cli/session.ts";
import type { PlatformPlugin } from "../../../src/plugin/platform.ts";
import { fakeStream } from "./fake-stream.ts";
import { openOptions } from "./open-options.ts";
import { router } from "./router-platform.ts";
import { testContext } from "./test-context.ts";

const pieces = [
  "R1#",
  "R1#show version",
  "R1# ",
  "R1(config)#",
  "R1(config-if)#ip address 10.0.0.1 255.255.255.0",
  "R1>",
  "R2#",
  "R2>enable",
  "core-sw.lab#",
  "banner motd ^C R1# keep out ^C",
  "#",
  "!",
  ">>> a > b",
  "description --More--",
  "press --More-- for more",
  "Password: ",
  "username admin password 7 0822455D0A16",
  "Continue? [confirm]",
  "Destination filename [startup-config]?",
  "delete flash:x [confirm]",
  "Are you sure? (y/n)",
  "Überspannung ✓ 東京",
  "% Invalid input detected at '^' marker.",
  "  leading blanks",
  "trailing blanks   ",
  "",
  "12:00:01.123: %SYS-5-CONFIG_I: Configured from console by R1#",
  "[edit interfaces]",
  "{master:0}",
  "user@host:~$ ls",
  "a\tb\tc",
];

const outputs: string[] = [];
for (const [at, piece] of pieces.entries()) {
  const other = pieces[(at * 7 + 3) % pieces.length] ?? "";
  outputs.push(
    `${piece}\n`,
    `${piece}\nx\n`,
    `first\n${piece}\nlast\n`,
    `${piece}\n${other}\n`,
    `${other}\n\n${piece}\n\n`,
    `head\n${piece}\n${piece}\n${other}\ntail\n`,
  );
}
// No line end before the prompt, so the prompt follows directly.
outputs.push("no line end", "two\nno line end", "R2#", "x R1", "100%", "a>", "[confirm] no");

const linux: PlatformPlugin = {
  api: 1,
  kind: "platform",
  name: "test_linux",
  home: "user",
  levels: {
    user: { prompt: /[^\n]{0,200}\$ ?/ },
    root: {
      prompt: /[^\n]{0,200}# ?/,
      from: "user",
      enter: "sudo -s",
      leave: "exit",
      asks: /password[^:\n]*:\s*$/i,
    },
  },
  errors: [],
};

/** A device that answers one command with one text, fragmented as given. */
async function ask(platform: PlatformPlugin, prompt: string, output: string, cut: number): Promise<string> {
  let scripted = false;
  const stream = fakeStream((typed) => {
    const lines = typed.split("\n").slice(0, -1);
    for (const line of lines) {
      if (!scripted) {
        stream.feed(`${line}\r\n${prompt}`);
        continue;
      }
      const whole = new TextEncoder().encode(`${line}\r\n${output.replaceAll("\n", "\r\n")}${prompt}`);
      stream.feed(whole.slice(0, cut));
      setImmediate(() => stream.feed(whole.slice(cut)));
    }
  });
  stream.feed(prompt);
  const ctx = testContext();
  const session = await openCliSession(
    openOptions(stream, { platform, readTimeoutMs: 20_000, openTimeoutMs: 20_000 }),
    ctx,
  );
  scripted = true;
  return session.send("show it", {}, ctx);
}

test.each([
  ["a router", router, "R1#"],
  ["a router with a blank after its prompt", router, "R1# "],
  ["a shell", linux, "admin@host:~$ "],
])(
  "P12: output that looks like prompts is returned whole, for any packet boundaries: %s",
  async (_, platform, prompt) => {
    expect(outputs.length).toBeGreaterThan(180);
    for (const output of outputs) {
      const bytes = new TextEncoder().encode(`show it\r\n${output.replaceAll("\n", "\r\n")}${prompt}`).length;
      const results = await Promise.all(
        Array.from({ length: bytes + 1 }, async (_, cut) => {
          try {
            return await ask(platform, prompt, output, cut);
          } catch (error) {
            return `${cut}: ${String(error)}`;
          }
        }),
      );
      // The line end before the prompt is removed, as in netmiko.
      const expected = output.replace(/\n$/, "");
      expect({ output, results: [...new Set(results)] }).toEqual({ output, results: [expected] });
    }
  },
);
