/** gRPC with a server that others wrote: grpc-js; and TLS, with the reason if it does not come about. */
import { createServer as createTlsServer } from "node:tls";
import {
  type handleBidiStreamingCall,
  type handleUnaryCall,
  Server,
  ServerCredentials,
  status,
} from "@grpc/grpc-js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { taskContext } from "../../plugin/context.ts";
import { expiredCertificate, type Identity, selfSigned } from "../../support/certificates.ts";
import { connectTo } from "./open.ts";

let own: Identity;
let client: Identity;
let stranger: Identity;
const servers: Server[] = [];
const bytes = (buffer: Buffer) => buffer;

const echo: handleUnaryCall<Buffer, Buffer> = (call, reply) => {
  const [user] = call.metadata.get("username");
  if (call.request.toString() === "who") return reply(null, Buffer.from(String(user)));
  if (call.request.toString() === "fail")
    return reply({ code: status.FAILED_PRECONDITION, details: "busy: ü" });
  reply(null, call.request);
};
const chat: handleBidiStreamingCall<Buffer, Buffer> = (call) => {
  call.on("data", (message: Buffer) => void call.write(message));
  call.on("end", () => void call.end());
};

async function serve(credentials = ServerCredentials.createInsecure()): Promise<number> {
  const server = new Server({ "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 });
  const common = {
    ...{ requestSerialize: bytes, requestDeserialize: bytes, responseSerialize: bytes },
    responseDeserialize: bytes,
  };
  server.addService(
    {
      echo: { path: "/test/Echo", requestStream: false, responseStream: false, ...common },
      chat: { path: "/test/Chat", requestStream: true, responseStream: true, ...common },
    },
    { echo, chat },
  );
  servers.push(server);
  return new Promise((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", credentials, (error, port) => (error ? reject(error) : resolve(port)));
  });
}
const pair = ({ cert, key }: Identity) => ({ cert_chain: Buffer.from(cert), private_key: Buffer.from(key) });
const secured = (identity: Identity, ca?: Identity) =>
  serve(ServerCredentials.createSsl(ca ? Buffer.from(ca.cert) : null, [pair(identity)], ca !== undefined));

beforeAll(async () => {
  [own, client, stranger] = await Promise.all([selfSigned(), selfSigned("client"), selfSigned("stranger")]);
});
afterAll(() => {
  for (const server of servers) server.forceShutdown();
});

test("calls, large ones, metadata and statuses", async () => {
  const connection = await connectTo(await serve(), undefined, { username: "ops" });
  const ask = async (message: Buffer) => connection.unary("/test/Echo", message, {}, taskContext());
  expect(Buffer.from(await ask(Buffer.from("who"))).toString()).toBe("ops");
  const large = Buffer.alloc(8 * 1024 * 1024, "abc");
  expect(Buffer.compare(await ask(large), large)).toBe(0);
  const many = await Promise.all(Array.from({ length: 200 }, (_, at) => ask(Buffer.from(`no ${at}`))));
  expect(many.map((one) => Buffer.from(one).toString())).toEqual(many.map((_, at) => `no ${at}`));
  await expect(ask(Buffer.from("fail"))).rejects.toMatchObject({
    message: "127.0.0.1 refused the call (FAILED_PRECONDITION): busy: ü.",
  });
  await expect(connection.unary("/test/None", large, {}, taskContext())).rejects.toMatchObject({
    detail: { grpc_code: "UNIMPLEMENTED" },
  });
  await connection.close();
  expect(connection.alive()).toBe(false);
  await expect(ask(large)).rejects.toMatchObject({ kind: "ConnectionLost" });
});

test("messages both ways, and a call that its reader leaves", async () => {
  const connection = await connectTo(await serve());
  const call = connection.call("/test/Chat", { maxBytes: 64 * 1024 * 1024 }, taskContext());
  const wanted = 5_000;
  for (let at = 0; at < wanted; at++) call.send(Buffer.from(`${at}`.padEnd(1_000)));
  call.finish();
  let got = 0;
  for await (const message of call.messages) {
    expect(Number(Buffer.from(message).toString())).toBe(got);
    got++;
  }
  expect(got).toBe(wanted);
  const left = connection.call("/test/Chat", {}, taskContext());
  left.send(Buffer.from("one"));
  for await (const _ of left.messages) break;
  const again = await connection.unary("/test/Echo", Buffer.from("x"), {}, taskContext());
  expect(Buffer.from(again).toString()).toBe("x");
  await connection.close();
});

test("TLS with a CA, with a pinned certificate, without verification, and with a client certificate", async () => {
  const port = await secured(own);
  const { X509Certificate } = await import("node:crypto");
  const { fingerprint256 } = new X509Certificate(own.cert);
  for (const tls of [
    { ca: own.cert },
    { fingerprint: fingerprint256 },
    { fingerprint: `sha256:${fingerprint256.replaceAll(":", "").toLowerCase()}` },
    { verify: false },
  ]) {
    const connection = await connectTo(port, tls);
    await connection.unary("/test/Echo", Buffer.from("x"), {}, taskContext());
    await connection.close();
  }
  const mutual = await secured(own, client);
  const connection = await connectTo(mutual, { ca: own.cert, cert: client.cert, key: client.key });
  await connection.unary("/test/Echo", Buffer.from("x"), {}, taskContext());
  await connection.close();
  for (const more of [{}, { cert: stranger.cert, key: stranger.key }])
    await expect(connectTo(mutual, { ca: own.cert, ...more })).rejects.toMatchObject({
      detail: { reason: "client_certificate", outcome: "none" },
    });
});

test("the reason of a failed handshake is told", async () => {
  const refused = (reason: string) => ({ detail: { reason, outcome: "none" } });
  const port = await secured(own);
  await expect(connectTo(port, {})).rejects.toMatchObject(refused("unknown_ca"));
  await expect(connectTo(port, { ca: client.cert })).rejects.toMatchObject(refused("unknown_ca"));
  const pinned = connectTo(port, { fingerprint: "00".repeat(32) });
  await expect(pinned).rejects.toMatchObject(refused("other_certificate"));
  const other = await selfSigned("x", "other.example");
  const named = connectTo(await secured(other), { ca: other.cert });
  await expect(named).rejects.toMatchObject({
    ...refused("wrong_name"),
    message: expect.stringContaining("127.0.0.1"),
  });
  const old = await expiredCertificate();
  await expect(connectTo(await secured(old), { ca: old.cert })).rejects.toMatchObject(refused("expired"));
  await expect(connectTo(await serve(), { ca: own.cert })).rejects.toMatchObject(refused("no_tls"));
  await expect(connectTo(port)).rejects.toMatchObject({
    kind: expect.stringMatching(/DriverError|ConnectionLost/),
  });
  const web = createTlsServer({ ...own, ALPNProtocols: ["http/1.1"] });
  await new Promise<void>((ready) => web.listen(0, "127.0.0.1", ready));
  const address = web.address();
  const wrong = connectTo(typeof address === "object" ? (address?.port ?? 0) : 0, { ca: own.cert });
  await expect(wrong).rejects.toMatchObject({ kind: expect.any(String) });
  web.close();
});
