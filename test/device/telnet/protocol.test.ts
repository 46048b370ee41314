/** The Telnet protocol: options, escapes and line ends, fragmented at every byte. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createTelnetProtocol } from "../../../src/device/telnet/protocol.ts";
import { runs } from "../../support/runs.ts";

const [se, nop, ga, sb, will, wont, doo, dont, iac] = [240, 241, 249, 250, 251, 252, 253, 254, 255];
const [binary, echo, sga, timing, ttype, naws, linemode] = [0, 1, 3, 6, 24, 31, 34];
const wide = { cols: 511, rows: 1000, term: "xterm" };

/** Processes bytes that arrive in the given pieces. */
function talk(chunks: readonly (readonly number[] | Uint8Array)[]) {
  const protocol = createTelnetProtocol(wide);
  const text: number[] = [];
  const answer: number[] = [];
  for (const chunk of chunks) {
    const got = protocol.receive(Uint8Array.from(chunk));
    text.push(...got.text);
    answer.push(...got.answer);
  }
  return { text: Buffer.from(text).toString("latin1"), answer };
}
const bytes = (text: string) => [...Buffer.from(text, "latin1")];

/** The opening negotiation of a Cisco router, with additions. */
const opening = [
  ...[iac, will, echo, iac, will, sga, iac, doo, ttype, iac, doo, naws],
  ...bytes("\r\nUser Access Verification\r\n\r\nUsername: "),
  ...[iac, sb, ttype, 1, iac, se, iac, doo, linemode, iac, nop, iac, ga],
  ...bytes("a\r\0b"),
  ...[iac, iac, iac, will, binary, iac, sb, linemode, iac, iac, 1, iac, se],
  ...bytes("end"),
];
const expected = {
  text: "\r\nUser Access Verification\r\n\r\nUsername: a\rb\xffend",
  answer: [
    ...[iac, doo, echo, iac, doo, sga, iac, will, ttype, iac, will, naws],
    // 511 is 1 and 255: the 255 is doubled.
    ...[iac, sb, naws, 1, iac, iac, 3, 232, iac, se],
    ...[iac, sb, ttype, 0, ...bytes("xterm"), iac, se],
    ...[iac, wont, linemode, iac, dont, binary],
  ],
};

describe("received Telnet data", () => {
  test("is decoded the same for any chunk boundary", () => {
    expect(talk([opening])).toEqual(expected);
    expect(talk(opening.map((byte) => [byte]))).toEqual(expected);
    for (let at = 1; at < opening.length; at++) {
      expect(talk([opening.slice(0, at), opening.slice(at)])).toEqual(expected);
    }
  });

  test("of any bytes is decoded without an error, for any chunk boundaries", () => {
    const part = fc.oneof(
      fc.constantFrom(...[iac, will, doo, sb, se, echo, naws, ttype, 13, 0, 10].map((byte) => [byte])),
      fc.uint8Array({ maxLength: 10 }).map((some) => [...some]),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
        expect(talk(parts)).toEqual(talk([parts.flat()]));
      }),
      { numRuns: runs(500) },
    );
  });

  test.each([
    ["an option requested twice is answered once", [iac, doo, naws, iac, doo, naws], 1],
    ["an option disabled and enabled again", [iac, doo, sga, iac, dont, sga, iac, doo, sga], 3],
    ["disabling an option that was off", [iac, dont, naws, iac, wont, echo], 0],
    ["unknown options are refused", [iac, doo, timing, iac, will, linemode], 2],
    ["local echo is refused", [iac, doo, echo], 1],
  ])("is answered by the option rules: %s", (_name, given, answers) => {
    const { answer } = talk([given]);
    const verbs = answer.filter((byte, at) => answer[at - 1] === iac && byte >= will && byte <= dont);
    expect(verbs).toHaveLength(answers);
  });

  test("does not cause an endless option exchange between two clients", () => {
    const [a, b] = [createTelnetProtocol(wide), createTelnetProtocol(wide)];
    let line = Uint8Array.from(
      [echo, sga, ttype, naws, linemode].flatMap((name) => [iac, doo, name, iac, will, name]),
    );
    let rounds = 0;
    for (; line.length > 0; rounds++) line = Uint8Array.from((rounds % 2 ? a : b).receive(line).answer);
    expect(rounds).toBeLessThan(6);
  });

  test("gets the terminal type only after that option was agreed upon", () => {
    expect(talk([[iac, sb, ttype, 1, iac, se]]).answer).toEqual([]);
  });

  test("in an endless subnegotiation uses no memory and yields no text", () => {
    const protocol = createTelnetProtocol(wide);
    protocol.receive(Uint8Array.from([iac, sb, 39]));
    for (let i = 0; i < 1000; i++) expect(protocol.receive(new Uint8Array(1000)).text).toHaveLength(0);
    expect(protocol.receive(Uint8Array.from([iac, se, 65])).text).toEqual(Uint8Array.from([65]));
  });

  test("ends a subnegotiation at any other command", () => {
    expect(talk([[iac, sb, ttype, 1, iac, will, echo, 65]])).toEqual({ text: "A", answer: [iac, doo, echo] });
  });
});

describe("sent Telnet data", () => {
  const encode = (given: readonly number[]) => [...createTelnetProtocol(wide).encode(Uint8Array.from(given))];

  test.each([
    ["show version\n", "show version\r\n"],
    ["a\r\nb\r\n", "a\r\nb\r\n"],
    ["a\rb", "a\r\0b"],
    ["a\r", "a\r\0"],
    ["\n\n", "\r\n\r\n"],
    ["plain", "plain"],
    ["\xff\xff", "\xff\xff\xff\xff"],
    ["\x03", "\x03"],
  ])("encodes %j as %j", (given, sent) => {
    expect(encode(bytes(given))).toEqual(bytes(sent));
  });

  test("is decoded by the other side to the same bytes, except line ends", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (given) => {
        const noEnds = given.filter((byte) => byte !== 13 && byte !== 10);
        expect([...createTelnetProtocol(wide).receive(Uint8Array.from(encode([...noEnds]))).text]).toEqual([
          ...noEnds,
        ]);
      }),
    );
  });
});
