/** Lines after which the device reads a text: pushed and queried unchanged, and told when they never end. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import arista from "../../../plugins/platforms/arista.ts";
import cisco from "../../../plugins/platforms/cisco.ts";
import { announcementIn, endingSaid } from "../../../src/device/cli/push/blocks.ts";
import { openCliSession } from "../../../src/device/cli/session.ts";
import type { PlatformPlugin } from "../../../src/plugin/platform.ts";
import { openOptions, patient, push } from "./open-options.ts";
import { type Reading, type ReadingDeviceOptions, readingDevice } from "./reading-device.ts";
import { router } from "./router-platform.ts";
import { testContext } from "./test-context.ts";

const [ios] = cisco as readonly PlatformPlugin[];
const toCaret = { says: "Enter TEXT message.  End with the character '^'.\r\n", ends: /\^C/ };
const toEof = { says: "Enter TEXT message. Type 'EOF' on its own line to end.\r\n", ends: /^EOF$/ };
const certificate: Reading = {
  opens: /^crypto pki authenticate/,
  says: '\r\nEnter the base 64 encoded CA certificate.\r\nEnd with a blank line or the word "quit" on a line by itself\r\n\r\n',
  ends: /^(?:quit)?$/,
  asks: "% Do you accept this certificate? [yes/no]: ",
};
const heredoc: Reading = { opens: /<<EOF$/, says: "", mark: "> ", ends: /^EOF$/ };

async function opened(options: ReadingDeviceOptions, platform: PlatformPlugin = router) {
  const device = readingDevice(options);
  const ctx = testContext();
  const quick = { ...platform, prepare: [] };
  const session = await openCliSession(openOptions(device.stream, { platform: quick, ...patient }), ctx);
  device.entered.length = 0;
  device.lines.length = 0;
  return { device, session, ctx };
}

const texts: readonly (readonly [string, PlatformPlugin, Reading, readonly string[], string[]])[] = [
  [
    "a banner of IOS",
    ios ?? router,
    { opens: /^banner/, ...toCaret },
    ["banner motd ^C", "R1#", "? a\tb", "", "^C"],
    [],
  ],
  [
    "a message of IOS",
    ios ?? router,
    { opens: /^aaa/, ...toCaret },
    ["aaa authentication fail-message ^C", "no", "^C"],
    [],
  ],
  [
    "a macro",
    ios ?? router,
    {
      opens: /^macro/,
      says: "Enter macro commands one per line. End with the character '@'.\r\n",
      ends: /^@/,
    },
    ["macro name X", "shutdown", "@"],
    [],
  ],
  [
    "a certificate, with a question after it",
    router,
    certificate,
    ["crypto pki authenticate TP", "MIIB", "quit"],
    ["yes"],
  ],
  ["a comment of EOS", arista, { opens: /^comment$/, ...toEof }, ["comment", "uplink", "EOF"], []],
  [
    "an announced text of an unknown system",
    router,
    { opens: /^note$/, ...toEof },
    ["note", "end with me", "EOF"],
    [],
  ],
  ["a secondary prompt", router, heredoc, ["cat <<EOF", "a", "", "EOF"], []],
];
const unkind: readonly (readonly number[])[] = [[0], [15, 0, 300, 40], [600, 0]];

describe.concurrent.each(texts)("%s", (_, platform, reading, text, replies) => {
  test.each([...unkind.map((thinksMs) => ({ thinksMs })), { thinksMs: [0, 8], piece: 3 }])(
    "is pushed unchanged by a device with %j",
    async (how) => {
      const { device, session, ctx } = await opened({ readings: [reading], ...how }, platform);
      await session.configure([...text, ...replies, "interface Lo1"], push, ctx);
      expect(device.entered).toEqual([
        "configure terminal",
        text.join("\n"),
        ...replies,
        "interface Lo1",
        "end",
      ]);
    },
    30_000,
  );

  test("is a query of several commands", async () => {
    const { device, session, ctx } = await opened({ readings: [reading] }, platform);
    if (replies.length > 0) return;
    const commands = [...text, "show clock"];
    const outputs: string[] = [];
    for (const [at, command] of commands.entries()) {
      outputs.push(await session.send(command, { following: () => commands.slice(at + 1) }, ctx));
    }
    expect(device.entered).toEqual([text.join("\n"), "show clock"]);
    expect(outputs.at(-1)).toBe("rows of show clock");
    expect(await session.reusable(ctx)).toBe(true);
  });

  test("without its end fails at once, by the name of its first line", async () => {
    const { device, session, ctx } = await opened({ readings: [reading] }, platform);
    const lines = ["interface Lo1", ...text.slice(0, -1).filter((line) => line !== "")];
    await expect(session.configure(lines, push, ctx)).rejects.toMatchObject({
      kind: "CommandError",
      message: expect.stringContaining(JSON.stringify(text[0])),
      detail: { command: text[0] },
    });
    const isKnown = platform.blocks !== undefined;
    expect(device.lines.includes("interface Lo1")).toBe(!isKnown);
    const { session: other, ctx: otherCtx } = await opened({ readings: [reading] }, platform);
    await expect(other.send(text[0] ?? "", {}, otherCtx)).rejects.toMatchObject({
      kind: "CommandError",
      message: expect.stringContaining("opened a block that no later line ends: the device waits for"),
    });
  });
});

test("pipelined lines leave a block alone", async () => {
  const reading = { opens: /^banner/, ...toCaret };
  const { device, session, ctx } = await opened({ readings: [reading] }, ios);
  const banner = ["banner motd ^C", "hello", "^C"];
  const routes = ["no vlan 1", "no vlan 2", "no vlan 3"];
  const lines = [...routes, ...banner, ...routes, ...banner, ...routes];
  await session.configure(lines, { ...push, pipeline: true }, ctx);
  expect(device.entered.filter((line) => line.startsWith("banner"))).toEqual([
    banner.join("\n"),
    banner.join("\n"),
  ]);
  expect(device.entered.filter((line) => line.startsWith("no"))).toHaveLength(9);
});

describe("the end that a device announces", () => {
  test.each([
    ["Enter TEXT message.  End with the character '%'.", ["a%"], "a"],
    ["Enter TEXT message. End with the character'#'", ["#"], "x"],
    ["Enter TEXT message. Type 'EOF' on its own line to end.", ["EOF"], "EOFs"],
    ['End with a blank line or the word "quit" on a line by itself', ["quit", ""], "x"],
    ["[Type ^D at a new line to end input]", ["\x04"], "D"],
    ["Please input banner content, and quit with the character '$'.", ["$"], "x"],
    ["PEM format; end the input with a line containing only END OF INPUT :", ["END OF INPUT"], "END"],
    ["Enter text, end with a single period.", ["."], "a."],
  ])("is read from %j", (said, ends, other) => {
    expect(announcementIn(`x\n${said}\n`)).toBe(said);
    const ending = endingSaid(said);
    for (const line of ends) expect(ending?.test(line)).toBe(true);
    expect(ending?.test(other)).toBe(false);
  });

  test.each([
    "Enter configuration commands, one per line.  End with CNTL/Z.",
    "interface Lo1",
    "% Invalid input",
  ])("is not read from %j", (said) => expect(announcementIn(said)).toBeUndefined());
});

test("whatever the text, the device has it as it was given", async () => {
  const line = fc.constantFrom(
    "R1#",
    "R1(config)#",
    "End with the character '@'.",
    "?",
    "",
    "> ",
    "--More--",
    "a b",
    "[confirm]",
  );
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 5 }), fc.constantFrom(1000, 7), async (lines, piece) => {
      const reading = { opens: /^banner/, ...toCaret };
      const { device, session, ctx } = await opened({ readings: [reading], piece }, ios);
      const text = ["banner motd ^C", ...lines.map((line) => line.trimEnd()), "^C"];
      await session.configure([...text, "interface Lo1"], push, ctx);
      expect(device.entered).toEqual(["configure terminal", text.join("\n"), "interface Lo1", "end"]);
    }),
    { numRuns: 25 },
  );
}, 60_000);
