/** Connections through jump hosts, and that nothing stays open when a hop fails or closes. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Sshd, startSshd } from "../../../scripts/testbed/openssh.ts";
import { secret } from "../../../src/base/secrets/secret.ts";
import { createSsh } from "../../../src/device/ssh/connect.ts";
import { failure, marker, memoryOfHostKeys, newSsh, scopeOf, targetOf, withConnection } from "./support.ts";

describe.skipIf(needs("openssh"))("a connection through jump hosts", () => {
  let first: Sshd;
  let second: Sshd;
  let last: Sshd;
  beforeAll(async () => {
    [first, second, last] = await Promise.all([startSshd(), startSshd({ hostKeys: ["ecdsa"] }), startSshd()]);
  });
  afterAll(() => Promise.all([first, second, last].map((server) => server?.stop())));

  const chain = () => targetOf(last, { via: targetOf(second, { via: targetOf(first) }) });
  /** sshd ends its sessions shortly after their sockets. */
  const endsSessions = async (server: Sshd) => {
    while (server.sessions().length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  };

  test("checks the host key and logs in at each of two hops", async () => {
    const hostKeys = memoryOfHostKeys();
    await withConnection(
      chain(),
      async (connection, scope) => {
        const { stdout } = await connection.exec("echo there", {}, scope);
        expect(stdout).toBe("there\n");
        expect(connection.hostKey.fingerprint).toBe(last.hostKeys[0]?.fingerprint);
      },
      createSsh({ hostKeys }),
    );
    expect(hostKeys.all.size).toBe(3);
    await Promise.all([first, second, last].map(endsSessions));
  });

  test("carries a large output through two hops", () =>
    withConnection(chain(), async (connection, scope) => {
      const { stdout } = await connection.exec("head -c 3000000 /dev/zero | base64 -w0", {}, scope);
      expect(stdout).toBe("A".repeat(4_000_000));
    }));

  test("closes the hops if the target refuses the connection", async () => {
    const target = targetOf({ ...last, port: 1 }, { via: targetOf(first) });
    const error = await failure(newSsh().connect(target, scopeOf()));
    expect(error.kind).toBe("ConnectionRefused");
    expect(error.message).toBe(`Connection refused by 127.0.0.1:1 (through 127.0.0.1:${first.port})`);
    await endsSessions(first);
  });

  test("closes the hops if the target rejects the password", async () => {
    const error = await failure(newSsh().connect({ ...chain(), password: secret("wrong") }, scopeOf()));
    expect(error.kind).toBe("AuthenticationFailed");
    await Promise.all([first, second].map(endsSessions));
  });

  test("fails as HostUnreachable if the jump host cannot resolve the target", async () => {
    const target = targetOf({ ...last, host: "no-such-host.invalid" }, { via: targetOf(first) });
    expect((await failure(newSsh().connect(target, scopeOf()))).kind).toBe("HostUnreachable");
    await endsSessions(first);
  });

  test("fails as HostUnreachable if the jump host forbids forwarding", async () => {
    const closed = await startSshd({ config: ["AllowTcpForwarding no"] });
    try {
      const error = await failure(newSsh().connect(targetOf(last, { via: targetOf(closed) }), scopeOf()));
      expect(error.kind).toBe("HostUnreachable");
      expect(error.message).toContain("The jump host does not forward to");
      await endsSessions(closed);
    } finally {
      await closed.stop();
    }
  });

  test("fails if the jump host has an unknown host key", async () => {
    const via = targetOf(first, { hostKeyPolicy: "reject" });
    const error = await failure(newSsh().connect(targetOf(last, { via }), scopeOf()));
    expect(error.kind).toBe("HostKeyMismatch");
    expect(error.detail?.port).toBe(first.port);
  });

  test("is lost when the jump host dies", async () => {
    const mortal = await startSshd();
    try {
      const scope = scopeOf();
      const connection = await newSsh().connect(targetOf(last, { via: targetOf(mortal) }), scope);
      const lost = new Promise<void>((resolve) => connection.onLost(resolve));
      const begun = marker();
      const running = failure(connection.exec(begun.command, {}, scope));
      await begun.seen();
      mortal.killSessions();
      const error = await running;
      expect(error.kind).toBe("ConnectionLost");
      expect(error.detail).toMatchObject({ outcome: "unknown", sent: [begun.command] });
      await lost;
      expect(connection.alive()).toBe(false);
      await connection.close();
    } finally {
      await mortal.stop();
    }
  });
});
