/** After a login: its secrets and debug log are freed, its offer is shared, and rekeying works. */
import { expect, onTestFinished, test } from "vitest";
import { builtins } from "../../../plugins/index.ts";
import { dial } from "../../../src/base/net/dial.ts";
import { neverAborted } from "../../../src/base/time/deadline.ts";
import { credentialsOf } from "../../../src/device/ssh/login/credentials.ts";
import { checkHostKey } from "../../../src/device/ssh/login/hostkey.ts";
import { createKeyReader } from "../../../src/device/ssh/login/keyring.ts";
import { login } from "../../../src/device/ssh/login/login.ts";
import type { PlatformPlugin } from "../../../src/plugin/index.ts";
import type { SshTarget } from "../../../src/plugin/kit/ssh.ts";
import { startSimulator } from "../../../src/testkit/simulator/simulator.ts";
import { memoryOfHostKeys, targetOf } from "./support.ts";

const platform = builtins.find(
  (one): one is PlatformPlugin => one.kind === "platform" && one.name === "cisco_ios",
);
const password = "correct-horse-battery";

async function device() {
  if (!platform) throw new Error("cisco_ios is not there");
  const server = await startSimulator({ platform, username: "admin", password, secret: "" });
  onTestFinished(() => server.stop());
  return { host: "127.0.0.1", port: server.port, user: "admin", password };
}

async function loggedIn(target: SshTarget) {
  const stream = await dial(target, 10_000, neverAborted);
  const check = await checkHostKey(memoryOfHostKeys(), target);
  const credentials = credentialsOf(target, createKeyReader(), undefined);
  const session = await login(stream, target, credentials, check, () => 60_000, neverAborted);
  onTestFinished(() => void session.client.destroy());
  return session;
}

/** Internals of ssh2. */
interface Inside {
  _protocol: { _offer: { lists: { kex: { array: string[] } } }; _kex: { _keys?: unknown }; rekey(): void };
  config: {
    authHandler(left: string[] | null, partial: boolean | null, go: (attempt: unknown) => void): void;
  };
}
const inside = (session: { client: unknown }) => session.client as Inside;

test("logins with equal algorithm offers share one offer object", async () => {
  const server = await device();
  const [modern, same] = [inside(await loggedIn(targetOf(server))), inside(await loggedIn(targetOf(server)))];
  const legacy = inside(await loggedIn(targetOf(server, { profile: "legacy" })));
  expect(same._protocol._offer).toBe(modern._protocol._offer);
  expect(legacy._protocol._offer).not.toBe(modern._protocol._offer);
  expect(modern._protocol._offer.lists.kex.array).not.toContain("diffie-hellman-group1-sha1");
  expect(legacy._protocol._offer.lists.kex.array).toContain("diffie-hellman-group1-sha1");
});

test("a kept session holds neither the password nor the keys of its key exchange", async () => {
  const { client } = await loggedIn(targetOf(await device()));
  const { config, _protocol: protocol } = inside({ client });
  const attempts: unknown[] = [];
  config.authHandler(null, null, (attempt) => void attempts.push(attempt));
  expect(attempts).toEqual([]);
  expect(protocol._kex._keys).toBeUndefined();
  expect(["handshake", "change password", "close"].map((event) => client.listenerCount(event))).toEqual([
    0, 0, 0,
  ]);
  // An error without a listener would end the process.
  expect(client.listenerCount("error")).toBe(1);
});

test("session keys are renewed after the login data is freed", async () => {
  const session = await loggedIn(targetOf(await device()));
  const { client } = session;
  const before = session.heard();
  const renewed = new Promise((resolve) => client.once("handshake", resolve));
  inside({ client })._protocol.rekey();
  await renewed;
  expect(session.heard()).toBeGreaterThan(before);
  const channel = await new Promise<NodeJS.ReadableStream>((resolve, reject) =>
    client.shell((error, stream) => (error ? reject(error) : resolve(stream))),
  );
  const first = await new Promise<Buffer>((resolve) => channel.once("data", resolve));
  expect(first.length).toBeGreaterThan(0);
});
