/** NETCONF sessions over real SSH, with servers that violate every rule. */
import { describe, expect, test } from "vitest";
import { ServiceError } from "../../../src/base/errors.ts";
import { xml } from "../../../src/base/xml/xml-write.ts";
import { base10, base11, type NetconfPeer, ok, rpcError } from "../../support/netconf-server.ts";
import { failure, scopeOf } from "../ssh/support.ts";
import { answering, sessions } from "./support.ts";

const { open, scope } = sessions();
const get = xml("get-thing", {}, "<&>");

describe.each(["1.0", "1.1"])("calls of NETCONF version %s", (version) => {
  const capabilities = version === "1.1" ? [base10, base11] : [base10];

  test("get their replies in any order, byte by byte", async () => {
    const waiting: [string, string][] = [];
    const session = await open({
      capabilities,
      piece: 1,
      rpc(operation, id, peer) {
        waiting.push([id, operation.textOf()]);
        if (waiting.length < 5) return;
        peer.send("<notification><event/></notification>");
        for (const at of [3, 0, 4, 2, 1]) {
          const [key, text] = waiting[at] ?? ["", ""];
          peer.reply(key, `<data>${text} ü</data>`);
        }
      },
    });
    const replies = await Promise.all(
      [0, 1, 2, 3, 4].map((at) => session.rpc(xml("get", {}, at), {}, scope)),
    );
    expect(replies.map(({ root }) => root.textOf("data"))).toEqual([0, 1, 2, 3, 4].map((at) => `${at} ü`));
    await session.close();
  });

  test("wake a server that takes up the first one only when something follows it", async () => {
    const session = await open(answering((operation) => operation.name, { capabilities, isSleepy: true }));
    expect((await session.rpc(xml("first"), {}, scope)).root.text).toBe("first");
    expect((await session.rpc(xml("second"), {}, scope)).root.text).toBe("second");
    await session.close();
  });

  test("fail on errors but not on warnings, and the session continues", async () => {
    const errors: Record<string, string> = {
      warned: rpcError("statement not found", { severity: "warning" }) + ok,
      refused: rpcError("syntax error", {
        info: "<error-info><bad-element>bogus</bad-element></error-info>",
      }),
      deep: `<load-configuration-results>${rpcError("mgd: bad line.", { info: "<line-number>7</line-number><column>3</column>" })}<load-error-count>1</load-error-count></load-configuration-results>`,
      both: rpcError("odd", { severity: "warning" }) + rpcError("one") + rpcError("two"),
      locked: rpcError("locked", {
        tag: "lock-denied",
        info: "<error-info><session-id>7</session-id></error-info>",
      }),
      bare: "<rpc-error/>",
    };
    const session = await open(answering((operation) => errors[operation.name] ?? "", { capabilities }));
    const refusal = async (name: string) => failure(session.rpc(xml(name), {}, scope));
    expect((await session.rpc(xml("warned"), {}, scope)).warnings).toMatchObject([
      { severity: "warning", message: "statement not found" },
    ]);
    expect(await refusal("refused")).toMatchObject({
      kind: "CommandError",
      message: 'The device refused <refused>: syntax error (at "bogus").',
      detail: { errors: [{ tag: "operation-failed", type: "protocol", badElement: "bogus" }] },
    });
    const deep = await refusal("deep");
    expect(deep.message).toBe("The device refused <deep>: mgd: bad line.");
    expect(deep.detail).toMatchObject({ errors: [{ line: 7 }] });
    const tolerated = await session.rpc(xml("both"), { errors: "give" }, scope);
    expect(tolerated).toMatchObject({
      errors: [{ message: "one" }, { message: "two" }],
      warnings: [{ message: "odd" }],
    });
    expect(await refusal("both")).toMatchObject({
      message: "The device refused <both>: one; two.",
      detail: { errors: [{ severity: "warning" }, { message: "one" }, { message: "two" }] },
    });
    expect((await refusal("locked")).message).toContain("session 7");
    expect((await refusal("bare")).message).toContain("no reason given");
    expect(session.alive()).toBe(true);
    await session.close();
  });

  test.each<[string, (peer: NetconfPeer, id: string) => void, string, RegExp]>([
    [
      "an endless reply",
      (peer) => peer.send(`<rpc-reply>${"<a/>".repeat(30_000)}`),
      "OutputTooLarge",
      /100000/,
    ],
    ["text that is not XML", (peer) => peer.send("% Unknown command"), "DriverError", /not valid/],
    [
      "an incomplete reply",
      (peer, id) => peer.send(`<rpc-reply message-id="${id}"><data>`),
      "DriverError",
      /unclosed/,
    ],
    [
      "entity declarations",
      (peer) => peer.send('<!DOCTYPE a [<!ENTITY b "c">]><rpc-reply>&b;</rpc-reply>'),
      "DriverError",
      /document type/,
    ],
    ["a reply to an unknown call", (peer) => peer.reply("77", ok), "DriverError", /unknown call \(77\)/],
    ["another element than a reply", (peer) => peer.send("<hello/>"), "DriverError", /<hello>/],
    ["the end of the session", (peer) => peer.end(), "ConnectionLost", /closed the NETCONF session/],
  ])("all fail if the server sends %s, which ends the session", async (_name, break_, kind, message) => {
    const session = await open({ capabilities, rpc: (_operation, id, peer) => break_(peer, id) });
    const lost = Promise.withResolvers<void>();
    session.onLost(lost.resolve);
    const [first, second] = await Promise.all([
      failure(session.rpc(get, {}, scope)),
      failure(session.rpc(get, {}, scope)),
    ]);
    expect(first).toMatchObject({ kind, message: expect.stringMatching(message) });
    expect(second).toBe(first);
    await lost.promise;
    expect(session.alive()).toBe(false);
    expect(await failure(session.rpc(get, {}, scope))).toBe(first);
    await session.close();
  });

  test("get a reply without message-id in call order, with control characters replaced", async () => {
    const session = await open({
      capabilities,
      rpc: (_operation, _id, peer) => peer.reply(undefined, "<a>\u0007\u001b!</a>"),
    });
    expect((await session.rpc(get, {}, scope)).root.textOf("a")).toBe("\uFFFD\uFFFD!");
    await session.close();
  });
});

test("framing of the other NETCONF version is rejected", async () => {
  const marked = await open({
    rpc: (_operation, id, peer) => peer.raw(`<rpc-reply message-id="${id}"><ok/></rpc-reply>]]>]]>`),
  });
  expect((await failure(marked.rpc(get, {}, scope))).message).toMatch(/framing of NETCONF 1.1/);
  const chunked = await open({
    capabilities: [base10],
    rpc: (_o, _id, peer) => peer.raw("\n#5\n<ok/>\n##\n]]>]]>"),
  });
  expect((await failure(chunked.rpc(get, {}, scope))).kind).toBe("DriverError");
});

test("the late reply to an abandoned call is dropped", async () => {
  const held: (() => void)[] = [];
  const session = await open({
    rpc(operation, id, peer) {
      if (operation.name === "slow") held.push(() => peer.reply(id, rpcError("late")));
      else {
        for (const release of held.splice(0)) release();
        peer.reply(id, ok);
      }
    },
  });
  expect(await failure(session.rpc(xml("slow"), { timeoutMs: 10 }, scope))).toMatchObject({
    kind: "ReadTimeout",
    message: "The device did not reply to <slow> within 0.01 s.",
  });
  const task = scopeOf();
  const cancelled = failure(session.rpc(xml("slow"), {}, task));
  task.abort(new ServiceError("Cancelled", "enough"));
  expect(await cancelled).toMatchObject({ kind: "Cancelled" });
  expect(await failure(session.rpc(get, {}, task))).toMatchObject({ kind: "Cancelled" });
  expect((await session.rpc(xml("discard-changes"), {}, scope)).root.find("ok")).toBeDefined();
  expect(session.alive()).toBe(true);
  await session.close();
});

test("at most 1,000 calls wait for replies", async () => {
  const session = await open({ rpc() {} });
  const calls = Array.from({ length: 1_001 }, () => failure(session.rpc(get, {}, scope)));
  expect(await calls.at(-1)).toMatchObject({ kind: "ResourceExhausted" });
  await session.close();
  expect(await calls[0]).toMatchObject({ kind: "ConnectionLost" });
});

test.each([[[base10]], [[base10, base11]]])(
  "a connection cut after any byte fails as ConnectionLost: %s",
  async (capabilities) => {
    const whole: Buffer[] = [];
    const session = await open({
      capabilities,
      rpc(_operation, id, peer) {
        const copy = {
          ...peer,
          raw: (bytes: string | Uint8Array) => whole.push(Buffer.from(bytes as string)),
        };
        const message = `<rpc-reply message-id="${id}"><data>ü</data></rpc-reply>`;
        copy.raw(
          peer.chunked
            ? `\n#9\n${message.slice(0, 9)}\n#${Buffer.byteLength(message) - 9}\n${message.slice(9)}\n##\n`
            : `${message}]]>]]>`,
        );
        peer.raw(whole[0] ?? "");
      },
    });
    expect((await session.rpc(get, {}, scope)).root.textOf("data")).toBe("ü");
    await session.close();
    const bytes = whole[0] ?? Buffer.alloc(0);
    for (let at = 0; at < bytes.byteLength; at++) {
      const cut = await open({
        capabilities,
        rpc(_operation, _id, peer) {
          peer.raw(bytes.subarray(0, at));
          peer.end();
        },
      });
      expect(await failure(cut.rpc(get, {}, scope))).toMatchObject({
        kind: "ConnectionLost",
        message: `The device closed the NETCONF session${at === 0 ? "" : " in the middle of a message"}.`,
      });
    }
  },
);
