/** `kit.udp` for drivers: one checked peer, nothing of others, nothing after the end. */
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { afterEach, expect, test } from "vitest";
import { ServiceError } from "../../../src/base/errors.ts";
import { checkDevice, checkUrl } from "../../../src/executor/kit/http-address.ts";
import { createLeaseGuard } from "../../../src/executor/kit/lease-guard.ts";
import { createUdpKit } from "../../../src/executor/kit/udp-kit.ts";
import { createSessionScope } from "../../../src/executor/session-scope.ts";
import { taskContext } from "../../plugin/context.ts";
import { ruleOf } from "../dial-rule.ts";

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close();
});

async function bound(): Promise<{ socket: Socket; port: number }> {
  const socket = createSocket("udp4").bind(0, "127.0.0.1");
  sockets.push(socket);
  await once(socket, "listening");
  return { socket, port: socket.address().port };
}

const closed = checkUrl({ policy: { allow: [], deny: [] } });
const kitFor = (device: string, patterns: readonly string[] = [], checkLease = () => {}) =>
  createUdpKit({ check: checkDevice(device, ruleOf(patterns), closed), checkLease });

test("reaches the device of the job, and others only as the operator and the key allow", async () => {
  const { port } = await bound();
  const open = (kit: ReturnType<typeof kitFor>, host = "127.0.0.1") =>
    kit.open({ host, port }, taskContext());
  (await open(kitFor("127.0.0.1"))).close();
  (await open(kitFor("127.0.0.1", ["127.0.0.0/8"]))).close();
  await expect(open(kitFor("127.0.0.1", ["10.0.0.0/8"]))).rejects.toMatchObject({ kind: "Forbidden" });
  await expect(open(kitFor("192.0.2.1"))).rejects.toMatchObject({ kind: "Forbidden" });
  await expect(open(kitFor("x.invalid"), "x.invalid")).rejects.toMatchObject({ kind: "HostUnreachable" });
});

test("delivers what its peer sends, no more than was asked for, and nothing of others", async () => {
  const { socket: peer, port } = await bound();
  const { socket: stranger } = await bound();
  const kit = kitFor("127.0.0.1");
  const socket = await kit.open({ host: "127.0.0.1", port, answersPerDatagram: 2 }, taskContext());
  const got: string[] = [];
  socket.onMessage((datagram) => void got.push(Buffer.from(datagram).toString()));
  const asked = new Promise<{ port: number }>((resolve) => peer.once("message", (_, from) => resolve(from)));
  socket.send(Buffer.from("ask"));
  const from = await asked;
  const send = (by: Socket, text: string, to = from.port) =>
    new Promise<void>((resolve) => by.send(text, to, "127.0.0.1", () => resolve()));
  await send(stranger, "theirs");
  for (const text of ["one", "two", "three", "four"]) await send(peer, text);
  await expect.poll(() => got.length).toBe(2);
  // What arrives later at another socket has let this one read all.
  const { socket: later, port: last } = await bound();
  const read = once(later, "message");
  await send(peer, "later", last);
  await read;
  expect(got).toEqual(["one", "two"]);
  socket.close();
});

test("a library sends to the peer only, and fails when the lease has ended", async () => {
  const { socket: peer, port } = await bound();
  let isOver = false;
  const kit = kitFor("127.0.0.1", [], () => {
    if (isOver) throw new ServiceError("WorkerLost", "over");
  });
  const socket = await kit.open({ host: "127.0.0.1", port }, taskContext());
  const dgram = socket.dgram.createSocket("udp4");
  const errors: unknown[] = [];
  dgram.on("error", (error: unknown) => void errors.push(error));
  const arrived = once(peer, "message");
  // Whatever address it names.
  dgram.send(Buffer.from("..hello.."), 2, 5, 9, "192.0.2.1");
  expect(String((await arrived)[0])).toBe("hello");
  isOver = true;
  dgram.send(Buffer.from("no"), 0, 2, port, "127.0.0.1");
  expect(errors).toEqual([expect.objectContaining({ kind: "WorkerLost" })]);
  dgram.close();
  expect(socket.open()).toBe(false);
  expect(() => socket.send(Buffer.from("no"))).toThrow("is closed");
});

test("a session that is cut loses its sockets, and opens no other", async () => {
  const { port } = await bound();
  const scope = createSessionScope(createLeaseGuard(undefined));
  const kit = scope.udp(kitFor("127.0.0.1", [], scope.check));
  const socket = await kit.open({ host: "127.0.0.1", port }, taskContext());
  const lost = new Promise((resolve) => socket.onError(resolve));
  scope.cut(new ServiceError("Cancelled", "cut"));
  expect(await lost).toMatchObject({ kind: "ConnectionLost" });
  expect(() => socket.send(Buffer.from("x"))).toThrow();
  await expect(kit.open({ host: "127.0.0.1", port }, taskContext())).rejects.toMatchObject({
    kind: "Cancelled",
  });
});
