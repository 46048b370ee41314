/** Host keys: what is learned, what is refused, and that a password never reaches a host with another key. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../../scripts/testbed/catalogue.ts";
import { type Sshd, startSshd } from "../../../../scripts/testbed/openssh.ts";
import { createSsh } from "../../../../src/device/ssh/connect.ts";
import type { HostKeyPolicy } from "../../../../src/plugin/kit/ssh.ts";
import { failure, memoryOfHostKeys, scopeOf, targetOf, withConnection } from "../support.ts";

describe.skipIf(needs("openssh"))("a host key", () => {
  let server: Sshd;
  beforeAll(async () => {
    server = await startSshd({ hostKeys: ["ed25519", "rsa", "ecdsa"] });
  });
  afterAll(() => server?.stop());

  const where = () => `${server.host}:${server.port}`;
  const stranger = { type: "ssh-ed25519", fingerprint: "SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" };
  const login = (hostKeyPolicy: HostKeyPolicy, hostKeys: ReturnType<typeof memoryOfHostKeys>) =>
    withConnection(targetOf(server, { hostKeyPolicy }), async (c) => c.hostKey, createSsh({ hostKeys }));

  test("that is unknown is learnt by auto_add and then required", async () => {
    const hostKeys = memoryOfHostKeys();
    const shown = await login("auto_add", hostKeys);
    expect(hostKeys.all.get(where())).toEqual([server.hostKeys[0]]);
    expect(await login("auto_add", hostKeys)).toEqual(shown);
    expect(hostKeys.all.get(where())).toHaveLength(1);
    expect(await login("reject", hostKeys)).toEqual(shown);
  });

  test.each(["auto_add", "reject"] as const)(
    "that changed is rejected by %s before the login",
    async (policy) => {
      const hostKeys = memoryOfHostKeys();
      hostKeys.learn(server.host, server.port, stranger, []);
      const before = server.log().length;
      const error = await failure(login(policy, hostKeys));
      expect(error.kind).toBe("HostKeyMismatch");
      expect(error.message).toContain(`Host key of ${server.host} does not match the known one: it was `);
      expect(error.message).toContain(stranger.fingerprint);
      expect(error.detail).toEqual({
        host: server.host,
        port: server.port,
        shown: server.hostKeys[0],
        known: [stranger],
      });
      expect(hostKeys.all.get(where())).toEqual([stranger]);
      expect(server.log().slice(before)).not.toMatch(/password/i);
    },
  );

  test("that is unknown is rejected by reject", async () => {
    const error = await failure(login("reject", memoryOfHostKeys()));
    expect(error.kind).toBe("HostKeyMismatch");
    expect(error.message).toContain(`Host key of ${server.host} is not known (ssh-ed25519 SHA256:`);
  });

  test("that is unknown or changed is accepted by warning, which warns and learns nothing", async () => {
    const hostKeys = memoryOfHostKeys();
    expect((await login("warning", hostKeys)).warning).toContain("is not known");
    expect(hostKeys.all.size).toBe(0);
    hostKeys.learn(server.host, server.port, stranger, []);
    expect((await login("warning", hostKeys)).warning).toContain("does not match the known one");
    expect(hostKeys.all.get(where())).toEqual([stranger]);
  });

  test("of a learnt type is requested, so that a server with several keys does not look changed", async () => {
    for (const key of server.hostKeys) {
      const hostKeys = memoryOfHostKeys();
      hostKeys.learn(server.host, server.port, key, []);
      expect(await login("reject", hostKeys)).toEqual(key);
    }
  });

  test("cannot be checked if the store fails, which fails the login", async () => {
    const broken = { knownKeys: () => [], learn: () => Promise.reject(new Error("disk full")) };
    await expect(createSsh({ hostKeys: broken }).connect(targetOf(server), scopeOf())).rejects.toThrow(
      "disk full",
    );
    const blind = { knownKeys: () => Promise.reject(new Error("no store")), learn: () => {} };
    const before = server.connections();
    await expect(createSsh({ hostKeys: blind }).connect(targetOf(server), scopeOf())).rejects.toThrow(
      "no store",
    );
    expect(server.connections()).toBe(before);
  });
});
