/** NETCONF hellos over real SSH, valid and invalid. */
import { describe, expect, test } from "vitest";
import { xml } from "../../../src/base/xml/xml-write.ts";
import { base10, base11 } from "../../support/netconf-server.ts";
import { failure } from "../ssh/support.ts";
import { answering, sessions } from "./support.ts";

const { open, scope } = sessions();
const get = xml("get-thing", {}, "<&>");

describe("a NETCONF hello", () => {
  test.each([
    { has: [base10, base11], chunked: true, version: "1.1" },
    { has: [base10], chunked: true, version: "1.0" },
    { has: [base10, base11], chunked: false, version: "1.0" },
    { has: [base11], chunked: true, version: "1.1" },
  ])(
    "with $has negotiates the base version, chunked offered: $chunked",
    async ({ has, chunked, version }) => {
      const session = await open(
        answering((operation) => `<data>${operation.text === "<&>"}</data>`, { capabilities: has }),
        { chunked },
      );
      expect(session).toMatchObject({
        version,
        capabilities: has,
        sessionId: expect.stringMatching(/^\d+$/),
      });
      const { root } = await session.rpc(get, {}, scope);
      expect(root.textOf("data")).toBe("true");
      await session.close();
      expect(session.alive()).toBe(false);
    },
  );

  const hello = (inside: string) =>
    `<hello xmlns="urn:ietf:params:xml:ns:netconf:base:1.0">${inside}</hello>]]>]]>`;
  const caps = (...uris: string[]) =>
    `<capabilities>${uris.map((uri) => `<capability>\n${uri}\n</capability>`).join("")}</capabilities>`;
  test.each([
    ["SSH banner\n]]>]]>", /not a hello/],
    ["<hello><capabilities>]]>]]>", /cannot be read/],
    [`<!DOCTYPE a [<!ENTITY b "c">]>${hello(caps(base10))}`, /cannot be read|not a hello/],
    [
      `<?xml version="1.0"?><!DOCTYPE hello [<!ENTITY b "c">]>${hello(`${caps(base10)}&b;`)}`,
      /document type/,
    ],
    ['<?xml version="1.0"?><rpc-reply/>]]>]]>', /<rpc-reply>, not <hello>/],
    [hello(caps(base10)), /no session-id/],
    [hello(`${caps("urn:other")}<session-id>1</session-id>`), /no supported version of the base protocol/],
    [hello("<session-id>1</session-id>"), /no supported version of the base protocol/],
  ])("is rejected with a reason: %j", async (text, message) => {
    expect(await failure(open({ hello: text }))).toMatchObject({
      kind: "DriverError",
      message: expect.stringMatching(message),
    });
  });

  test("may follow a banner and use an XML prefix", async () => {
    const text = `Authorized only\n<nc:hello xmlns:nc="urn:x"><nc:capabilities><nc:capability>${base10}</nc:capability></nc:capabilities><nc:session-id>4</nc:session-id></nc:hello>]]>]]>`;
    const session = await open({ hello: text, capabilities: [base10] });
    expect(session.sessionId).toBe("4");
    await session.close();
  });

  test("may be interrupted by error output of the server", async () => {
    const session = await open(
      answering(() => "<a/>", { complaint: "netconfd: no such file ]]>]]>", piece: 3 }),
    );
    expect((await session.rpc(get, {}, scope)).root.find("a")).toBeDefined();
    await session.close();
  });

  test("that never ends or never comes fails", async () => {
    const endless = failure(open({ hello: "x".repeat(200_000) }));
    expect(await endless).toMatchObject({ kind: "OutputTooLarge" });
    expect(await failure(open({ hello: "" }, { helloTimeoutMs: 20 }))).toMatchObject({
      kind: "ConnectionTimeout",
    });
  });
});
