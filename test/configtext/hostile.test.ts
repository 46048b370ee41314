import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanLines } from "../../src/configtext/clean.ts";
import { openSecrets, readConfiguration } from "../../src/configtext/read.ts";
import { runs } from "../support/runs.ts";
import { inputOf, platformOf } from "./samples.ts";

const platforms = ["cisco_ios", "juniper_junos", "fortinet", "huawei", "mikrotik_routeros", "linux"].map(
  (name) => platformOf(name),
);
/** Pieces on which a reader that goes back over a line, or over a text, takes quadratic time. */
const pieces = [
  ...[
    '{"a":',
    "{a: ",
    '{"a\\',
    "[[",
    "password:\n",
    "password: |\n",
    "password: '",
    "- a\n",
    '"\\"password\\":',
  ],
  ...["<a b='c' ", "<a b='", "<password>a", "<![CDATA[", "<a> ", "</a>"],
  ...[
    "password ",
    "key ",
    "secret 0 ",
    "community ",
    "snmp-server community ",
    "snmp-server host 1 version ",
  ],
  ...[
    "authentication-mode md5 1 ",
    "username a password 0 b ",
    "set x ",
    "spi 1 ",
    "description ",
    "bearer  ",
  ],
  ...[
    "<",
    "<a></",
    "<password>",
    "'",
    '"',
    '\\"',
    "=",
    "a=",
    "password=",
    "a:b ",
    "://",
    "://a:",
    "$1$",
    "%^%#",
  ],
  ...["eyJa-", "eyJaaaaaaaa-", "ENC ", "##  secret-data ", '"aaaa hash2', "{SHA}", "[ ", ";", "{", "}", "/*"],
  ...[
    "\r",
    "\b",
    "\x1b[2K",
    "\x1b[",
    "a\x1b[9999C",
    "\x1b]",
    "\u0000",
    "\ud800",
    "--More-- ",
    "-",
    " ",
    "\t",
  ],
  ...["\n", " \n", "{\n", "banner motd ^C\n", "-----BEGIN PRIVATE KEY-----\n", "-----BEGIN PRIVATE KEY-----"],
  ...[
    "<secret abcdef>",
    "<secret 7c41d0> ",
    "end\n",
    "\r\n",
    '{"password":"x"},',
    "/snmp community set name=",
  ],
];

describe("a hostile text", () => {
  it("is read in one go, and opens to what the device sent", () => {
    const text = fc
      .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 8 })), { maxLength: 60 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, fc.constantFrom(...platforms), (raw, platform) => {
        if (platform === undefined) return;
        const { text: shown, secrets } = readConfiguration(inputOf({ platform, part: "running" }, raw));
        const clean = cleanLines(raw).map((line) => `${line}\n`);
        expect(openSecrets(shown, secrets)).toBe(clean.join(""));
        for (const [at, length] of secrets) expect(shown.slice(at, at + length)).toMatch(/^<secret \w{6}>$/);
      }),
      { numRuns: runs(600) },
    );
  });

  // Quadratic time would be hours.
  it.each(pieces)("of nothing but %j takes linear time", (piece) => {
    const raw = piece.repeat(Math.ceil(524_288 / piece.length));
    for (const platform of platforms.slice(0, 2)) {
      if (platform === undefined) continue;
      const shown = readConfiguration(inputOf({ platform, part: "running" }, raw));
      expect(openSecrets(shown.text, shown.secrets).length).toBeLessThanOrEqual(raw.length + 1);
    }
  });
});

describe("what a terminal received", () => {
  const read = (text: string) => cleanLines(text, { command: "show run", prompt: "R1#" });

  it("loses the echo, the prompt and blank edges", () => {
    expect(read("show run\r\n\r\nhostname R1  \r\nend\r\nR1#")).toEqual(["hostname R1", "end"]);
    expect(read("R1#show run\r\nend\r\n\r\nR1#\r\n")).toEqual(["end"]);
  });

  it("loses pagers however the device erases them", () => {
    const erased = [
      " --More-- \b\b\b\b\b\b\b\b\b\b          \b\b\b\b\b\b\b\b\b\b",
      "--More--\r        \r",
      "\x1b[7m--More--\x1b[0m\r\x1b[K",
      "  ---- More ----\x1b[42D                                          \x1b[42D",
      "---(more 12%)---\r                \r",
      "-- MORE --, next page: Space, next line: Enter, quit: Control-C\r\x1b[K",
    ];
    for (const pager of erased)
      expect(read(`a\r\n${pager}ip route x\r\nend`)).toEqual(["a", "ip route x", "end"]);
    expect(read("a\n--More--\nend")).toEqual(["a", "end"]);
  });
});

describe("the judgement of a text", () => {
  const platform = platformOf("mikrotik_routeros");
  const good = "/system identity set name=r1\n/ip dns set servers=192.0.2.53\n";
  const read = (text: string, more: object = {}) => {
    if (platform === undefined) throw new Error("no platform");
    return readConfiguration({ ...inputOf({ platform, part: "running" }, text), ...more });
  };

  it.each([
    ["", {}, "empty"],
    ["\r\n \r\n", {}, "empty"],
    ["bad command name export (line 1 column 1)\n", {}, "refused"],
    [`${good}failure: not allowed\n`, {}, "refused"],
    [`${good}[admin@r2] >\n/ip dns\n`, { prompt: "[admin@r2] >" }, "prompt"],
    [`${good}sw2#`, { prompt: "[admin@r1] >" }, "another prompt"],
    [good, { prompt: "[admin@r2] >", otherName: "r2" }, 'that of "r2"'],
    [good, { prompt: "[admin@r10] >", otherName: "r10" }, 'that of "r10"'],
    [`${good}/ip dns static add name=r2\n`, { prompt: "[admin@r2] >", otherName: "r2" }, 'that of "r2"'],
    ["/ip dns\n", {}, "bytes"],
    [good, { previousBytes: 1000 }, "less than half"],
  ])("of %j with %j says why it is suspect", (text, more, reason) => {
    const { state, reason: said = "" } = read(text, more);
    expect([state, said.includes(reason)]).toEqual(["suspect", true]);
  });

  it("has nothing against a whole one", () => {
    expect(read(good, { prompt: "[admin@r1] >", previousBytes: good.length * 2 })).toMatchObject({
      state: "good",
    });
    expect(read(good, { prompt: "[admin@r1] >", otherName: "r1" })).toMatchObject({ state: "good" });
    // A prompt of one sign begins many a line.
    expect(read(`# a comment\n${good}`, { prompt: "#" })).toMatchObject({ state: "good" });
  });
});
