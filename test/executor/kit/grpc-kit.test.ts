/** `kit.grpc` for drivers: calls to one checked server, bounds on what it sends, and what it says of the end. */
import { gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { ServiceError } from "../../../src/base/errors.ts";
import { createGrpcKit } from "../../../src/executor/kit/grpc-kit.ts";
import { checkDevice, checkUrl } from "../../../src/executor/kit/http-address.ts";
import { createLeaseGuard } from "../../../src/executor/kit/lease-guard.ts";
import { createSessionScope } from "../../../src/executor/session-scope.ts";
import type { GrpcCallOptions, GrpcConnection } from "../../../src/plugin/index.ts";
import {
  answerHead,
  type Caller,
  data,
  fields,
  flags,
  frame,
  type Liar,
  message,
  settings,
  startLiar,
  trailers,
  trailersOnly,
  types,
} from "../../device/grpc/liar.ts";
import { taskContext } from "../../plugin/context.ts";
import { ruleOf } from "../dial-rule.ts";

const closed = checkUrl({ policy: { allow: [], deny: [] } });
function kitFor(patterns: readonly string[] = [], scope = createSessionScope(createLeaseGuard(undefined))) {
  const rule = () => ruleOf(patterns);
  const check = checkDevice("127.0.0.1", rule(), closed);
  return createGrpcKit({ check, checkLease: scope.check, guard: scope.guard, rule });
}

const open: { stop(): Promise<void> }[] = [];
const connections: GrpcConnection[] = [];
afterEach(async () => {
  for (const one of connections.splice(0)) await one.close();
  for (const one of open.splice(0)) await one.stop();
});
async function liar(...given: Parameters<typeof startLiar>): Promise<Liar> {
  const server = await startLiar(...given);
  open.push(server);
  return server;
}
async function connected(port: number, kit = kitFor(), connectTimeoutMs = 10_000): Promise<GrpcConnection> {
  const connection = await kit.connect({ host: "127.0.0.1", port, connectTimeoutMs }, taskContext());
  connections.push(connection);
  return connection;
}
const hello = Buffer.from("hello");
const ask = (connection: GrpcConnection, options: GrpcCallOptions = {}, ctx = taskContext()) =>
  connection.unary("/test/Echo", hello, options, ctx);
/** A call of a server that does this. */
async function asked(
  onCall: (stream: number, caller: Caller) => void,
  options: GrpcCallOptions = {},
): Promise<unknown> {
  const { port } = await liar({ onCall });
  return ask(await connected(port), options);
}

test("reaches the server of the job as key and operator allow", async () => {
  const { port } = await liar({});
  await connected(port);
  await connected(port, kitFor(["127.0.0.0/8"]));
  await expect(connected(port, kitFor(["10.0.0.0/8"]))).rejects.toMatchObject({ kind: "Forbidden" });
  const elsewhere = kitFor().connect({ host: "192.0.2.1", port, connectTimeoutMs: 1_000 }, taskContext());
  await expect(elsewhere).rejects.toMatchObject({ kind: "Forbidden" });
});

test("sends nothing after the task or the lease has ended", async () => {
  const { port, heard } = await liar({
    onCall: (stream, { send }) => send(answerHead(stream), data(stream, message(hello)), trailers(stream, 0)),
  });
  const lease = new SharedArrayBuffer(8);
  new Float64Array(lease)[0] = Number.POSITIVE_INFINITY;
  const scope = createSessionScope(createLeaseGuard(lease));
  const connection = await connected(port, kitFor([], scope));
  expect(Buffer.from(await ask(connection)).toString()).toBe("hello");
  const before = heard.filter((type) => type === types.headers).length;
  new Float64Array(lease)[0] = 0;
  await expect(ask(connection)).rejects.toMatchObject({ kind: "WorkerLost" });
  expect(heard.filter((type) => type === types.headers)).toHaveLength(before);
  const other = createSessionScope(createLeaseGuard(undefined));
  const cut = await connected(port, kitFor([], other));
  other.cut(new ServiceError("JobTimeout", "over"));
  await expect(ask(cut)).rejects.toMatchObject({ kind: "ConnectionLost" });
});

test("an answer in many pieces is one message, and several are as many", async () => {
  const large = Buffer.alloc(50_000, "x");
  const { port } = await liar({
    onCall(stream, { send }) {
      const whole = Buffer.concat([message(large), message(hello), message(Buffer.alloc(0))]);
      send(answerHead(stream));
      for (let at = 0; at < whole.length; at += 16_000) send(data(stream, whole.subarray(at, at + 16_000)));
      send(trailers(stream, 0));
    },
  });
  const call = (await connected(port)).call("/test/Many", {}, taskContext());
  call.send(hello);
  call.finish();
  const sizes: number[] = [];
  for await (const each of call.messages) sizes.push(each.length);
  expect(sizes).toEqual([large.length, 5, 0]);
});

test("a status is told with its name and words, also without an answer before it", async () => {
  const words = "no%20such%20path%0aat%20%2Fa";
  for (const how of ["trailers", "alone"])
    await expect(
      asked((stream, { send }) =>
        how === "alone"
          ? send(trailersOnly(stream, { "grpc-status": "5", "grpc-message": words }))
          : send(answerHead(stream), trailers(stream, 5, words)),
      ),
    ).rejects.toMatchObject({
      kind: "CommandError",
      message: "127.0.0.1 refused the call (NOT_FOUND): no such path at /a.",
      detail: { grpc_status: 5, grpc_code: "NOT_FOUND" },
    });
  const status = (code: number) =>
    asked((stream, { send }) => send(answerHead(stream), trailers(stream, code, "%zz")));
  await expect(status(16)).rejects.toMatchObject({
    kind: "AuthenticationFailed",
    detail: { outcome: "none" },
  });
  await expect(status(4)).rejects.toMatchObject({ kind: "ReadTimeout" });
  await expect(status(14)).rejects.toMatchObject({ kind: "ConnectionLost" });
  await expect(status(77)).rejects.toMatchObject({ message: expect.stringContaining("(status 77): %zz.") });
});

test("HTTP errors, other content and a missing status are told", async () => {
  const http = (status: string, more: Record<string, string> = {}) =>
    asked((stream, { send }) => {
      const head = Buffer.concat([fields({ ":status": status, ...more })]);
      send(frame(types.headers, flags.end | flags.endHeaders, stream, head));
    });
  await expect(http("401")).rejects.toMatchObject({ kind: "AuthenticationFailed" });
  await expect(http("404")).rejects.toMatchObject({ kind: "DriverError", detail: { reason: "no_http2" } });
  await expect(http("200", { "content-type": "text/html" })).rejects.toMatchObject({
    message: expect.stringContaining("not with gRPC"),
  });
  await expect(
    asked((stream, { send }) =>
      send(answerHead(stream), frame(types.data, flags.end, stream, message(hello))),
    ),
  ).rejects.toMatchObject({ kind: "ConnectionLost", message: expect.stringContaining("without a status") });
  await expect(
    asked((stream, { send }) =>
      send(answerHead(stream), data(stream, message(hello, { length: 50 })), trailers(stream, 0)),
    ),
  ).rejects.toMatchObject({ message: expect.stringContaining("within a message") });
  await expect(
    asked((stream, { send }) => send(answerHead(stream), trailers(stream, 0))),
  ).rejects.toMatchObject({ message: expect.stringContaining("no message") });
});

test("a message that is too large is refused by its length, and an endless answer at its bound", async () => {
  const claims = (length: number, options: GrpcCallOptions = {}) =>
    asked((stream, { send }) => send(answerHead(stream), data(stream, message(hello, { length }))), options);
  await expect(claims(100 * 1024 * 1024)).rejects.toMatchObject({ kind: "OutputTooLarge" });
  await expect(claims(4_294_967_295)).rejects.toMatchObject({ kind: "OutputTooLarge" });
  await expect(claims(1_001, { maxMessageBytes: 1_000 })).rejects.toMatchObject({ kind: "OutputTooLarge" });
  const { port } = await liar({
    onCall(stream, { send, flood }) {
      send(answerHead(stream));
      flood(data(stream, message(Buffer.alloc(16_000))));
    },
  });
  const call = (await connected(port)).call("/test/Endless", { maxBytes: 40_000 }, taskContext());
  call.finish();
  await expect(
    (async () => {
      for await (const _ of call.messages);
    })(),
  ).rejects.toMatchObject({ kind: "OutputTooLarge" });
});

test("a compressed message is not unpacked", async () => {
  const bomb = gzipSync(Buffer.alloc(1_000_000)).subarray(0, 8_000);
  await expect(
    asked((stream, { send }) => send(answerHead(stream), data(stream, message(bomb, { packed: 1 })))),
  ).rejects.toMatchObject({ kind: "DriverError", message: expect.stringContaining("compressed") });
});

test.each([
  ["settings", settings],
  ["pings", frame(types.ping, 0, 0, Buffer.alloc(8))],
  ["window updates", frame(types.window, 0, 0, Buffer.from([0, 0, 0, 1]))],
  ["empty data", frame(types.data, 0, 1)],
  ["unknown frames", frame(0xfa, 0, 0, Buffer.alloc(100))],
])("a flood of %s ends the connection", async (_, piece) => {
  const server = await liar({
    onCall(stream, { send, flood }) {
      send(answerHead(stream));
      flood(Buffer.concat(Array.from({ length: 50 }, () => piece)));
    },
  });
  await expect(ask(await connected(server.port))).rejects.toMatchObject({
    kind: "DriverError",
    message: expect.stringContaining("floods the connection"),
  });
});

test("a flood of resets ends the connection", async () => {
  const reset = frame(types.reset, 0, 1, Buffer.alloc(4));
  const { port } = await liar({ onCall: (_, { flood }) => flood(Buffer.concat(Array(50).fill(reset))) });
  const connection = await connected(port);
  await expect(ask(connection)).rejects.toMatchObject({ message: expect.stringContaining("HTTP/2") });
  await expect.poll(() => connection.alive()).toBe(false);
});

test("header fields without end, frames too long and pushes end the connection", async () => {
  const more = frame(types.continuation, 0, 1, fields({ a: "x".repeat(100) }));
  await expect(
    asked((stream, { send, flood }) => {
      send(frame(types.headers, 0, stream, Buffer.from([0x88])));
      flood(more);
    }),
  ).rejects.toMatchObject({ message: expect.stringContaining("bytes of header fields") });
  await expect(
    asked((stream, { send }) => send(frame(types.data, 0, stream, Buffer.alloc(16_385)))),
  ).rejects.toMatchObject({ message: expect.stringContaining("a frame of 16385 bytes") });
  await expect(
    asked((stream, { send }) =>
      send(frame(types.push, flags.endHeaders, stream, Buffer.from([0, 0, 0, 2, 0x88]))),
    ),
  ).rejects.toMatchObject({ message: expect.stringContaining("pushes") });
  // A table of header fields that is named again and again: small until it is unpacked.
  const stored = Buffer.concat([
    Buffer.from([0x40, 1]),
    Buffer.from("a"),
    Buffer.from([127, 0xa1, 0x1e]),
    Buffer.alloc(4_000, "x"),
  ]);
  await expect(
    asked((stream, { send }) =>
      send(
        frame(
          types.headers,
          flags.endHeaders,
          stream,
          Buffer.concat([Buffer.from([0x88]), stored, Buffer.alloc(12_000, 0xbe)]),
        ),
      ),
    ),
  ).rejects.toMatchObject({ kind: expect.stringMatching(/ConnectionLost|DriverError/) });
});

test("a server that goes away, or refuses a call, says whether it began", async () => {
  const goAway = (last: number, code = 0, words = "") => {
    const payload = Buffer.alloc(8);
    payload.writeUInt32BE(last, 0);
    payload.writeUInt32BE(code, 4);
    return frame(types.goaway, 0, 0, Buffer.concat([payload, Buffer.from(words)]));
  };
  await expect(
    asked((_, { send, socket }) => {
      send(goAway(0, 0, "restart"));
      socket.end();
    }),
  ).rejects.toMatchObject({
    kind: "ConnectionLost",
    message: expect.stringContaining("restart"),
    detail: { outcome: "none" },
  });
  await expect(
    asked((stream, { send, socket }) => {
      send(goAway(stream, 11, "too_many_pings"));
      socket.end();
    }),
  ).rejects.toMatchObject({ message: expect.stringContaining("too_many_pings") });
  const reset = (code: number) =>
    asked((stream, { send }) => {
      send(frame(types.reset, 0, stream, Buffer.from([0, 0, 0, code])));
    });
  await expect(reset(7)).rejects.toMatchObject({ kind: "ConnectionLost", detail: { outcome: "none" } });
  const broken: unknown = await reset(2).catch((error: unknown) => error);
  expect(broken).toMatchObject({
    kind: "ConnectionLost",
    message: expect.stringContaining("HTTP/2 error 2"),
  });
  expect(broken).not.toMatchObject({ detail: { outcome: "none" } });
  // What it began before, it may finish.
  const { port } = await liar({
    onCall(stream, { send }) {
      send(goAway(stream), answerHead(stream), data(stream, message(hello)), trailers(stream, 0));
    },
  });
  const connection = await connected(port);
  expect(Buffer.from(await ask(connection)).toString()).toBe("hello");
  expect(connection.alive()).toBe(false);
  await expect(ask(connection)).rejects.toMatchObject({ kind: "ConnectionLost" });
});

test("a slow answer ends at its time, a cancelled task at once, and the server is told", async () => {
  const server = await liar({
    onCall(stream, { send, socket }) {
      send(answerHead(stream), data(stream, message(hello, { length: 10_000 })));
      const drip = setInterval(() => send(data(stream, Buffer.from([0]))), 20);
      socket.once("close", () => clearInterval(drip));
    },
  });
  const connection = await connected(server.port);
  await expect(ask(connection, { timeoutMs: 300 })).rejects.toMatchObject({ kind: "ReadTimeout" });
  await expect.poll(() => server.heard.includes(types.reset)).toBe(true);
  const cancel = new AbortController();
  const call = ask(connection, {}, taskContext({ signal: cancel.signal }));
  cancel.abort(new ServiceError("Cancelled", "stop"));
  await expect(call).rejects.toMatchObject({ kind: "Cancelled" });
});

test("other protocols are named before a call, and silence ends at the limit", async () => {
  const greeted = async (...greets: readonly Buffer[]) => {
    const { port } = await liar({ greets });
    return connected(port, kitFor(), 500);
  };
  await expect(greeted(Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n"))).rejects.toMatchObject({
    kind: "DriverError",
    message: expect.stringContaining("HTTP/1"),
    detail: { reason: "no_http2", outcome: "none" },
  });
  await expect(greeted(Buffer.from("SSH-2.0-x\r\n"))).rejects.toMatchObject({
    message: expect.stringContaining("SSH"),
  });
  await expect(greeted(Buffer.from([0x15, 3, 3, 0, 2, 2, 70]))).rejects.toMatchObject({
    detail: { reason: "wants_tls" },
  });
  await expect(greeted(Buffer.from("what is this?"))).rejects.toMatchObject({ kind: "DriverError" });
  await expect(greeted()).rejects.toMatchObject({ kind: "ConnectionTimeout" });
});
