/** `kit.ssh` on a real server: subsystems and forwarded ports, within the key's hosts and the node's lease. */

import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../scripts/testbed/catalogue.ts";
import { type Sshd, startSshd } from "../../scripts/testbed/openssh.ts";
import { ServiceError } from "../../src/base/errors.ts";
import { silentLog } from "../../src/base/log.ts";
import type { DialRule } from "../../src/base/net/dial.ts";
import { monotonicMs } from "../../src/base/time/monotonic.ts";
import { createDriverKit } from "../../src/executor/kit/driver-kit.ts";
import { createFilesKit } from "../../src/executor/kit/files-kit.ts";
import { checkUrl } from "../../src/executor/kit/http-address.ts";
import type { SshChannel, SshConnection } from "../../src/plugin/index.ts";
import { createRegistry } from "../../src/registry/registry.ts";
import { scopeOf, targetOf } from "../device/ssh/support.ts";
import { taskContext } from "../plugin/context.ts";

const ctx = taskContext(scopeOf());

function gathered(channel: SshChannel): () => Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let heard = Promise.withResolvers<void>();
  channel.onData((chunk) => {
    chunks.push(chunk);
    heard.resolve();
    heard = Promise.withResolvers();
  });
  return async () => {
    if (chunks.length === 0) await heard.promise;
    return Buffer.concat(chunks);
  };
}

describe.skipIf(needs("openssh"))("an SSH connection of a driver", () => {
  let sshd: Sshd;
  let echo: Server;
  let port = 0;
  let connection: SshConnection;
  const refused: string[] = [];
  const until = new SharedArrayBuffer(8);
  const lease = new Float64Array(until);
  const rule: DialRule = {
    limited: true,
    addresses() {},
    stated(host) {
      if (host === "127.0.0.1") return;
      refused.push(host);
      throw new ServiceError("Forbidden", `This API key may not reach the device ${host}.`);
    },
    keepsHostKey: () => true,
  };
  beforeAll(async () => {
    sshd = await startSshd();
    echo = createServer((socket) => void socket.pipe(socket)).listen(0, "127.0.0.1");
    await once(echo, "listening");
    const address = echo.address();
    port = typeof address === "object" && address !== null ? address.port : 0;
    lease[0] = monotonicMs() + 600_000;
    const kit = createDriverKit({
      settings: { transferRoots: [], leaseValidUntil: until },
      registry: createRegistry(),
      files: createFilesKit({ transferRoots: [], keyRoots: [] }, () => ({ limited: false })),
      checkUrl: checkUrl({ policy: { allow: [], deny: [] } }),
      rule: () => rule,
      ask: async () => [],
    });
    const { ssh } = kit.tools({}, { host: sshd.host, port: sshd.port }, {}, silentLog);
    connection = await ssh.connect(targetOf(sshd), ctx);
  });
  afterAll(async () => {
    await connection?.close();
    echo?.close();
    await sshd?.stop();
  });

  test("opens a subsystem, and names one that does not exist", async () => {
    const channel = await connection.subsystem("sftp", ctx);
    const answer = gathered(channel);
    // SSH_FXP_INIT of version 3; the answer is SSH_FXP_VERSION.
    channel.write(Uint8Array.of(0, 0, 0, 5, 1, 0, 0, 0, 3));
    expect((await answer())[4]).toBe(2);
    await channel.end();
    await expect(connection.subsystem("netconf", ctx)).rejects.toThrow("did not open the subsystem netconf");
  });

  test("opens an interactive shell with a terminal", async () => {
    const channel = await connection.shell({ cols: 120, rows: 24 }, ctx);
    const output = new Promise<string>((resolve) => {
      let text = "";
      channel.onData((chunk) => {
        text += Buffer.from(chunk).toString();
        if (/size 24 120/.test(text)) resolve(text);
      });
    });
    channel.write("echo size $(stty size)\n");
    expect(await output).toContain("size 24 120");
    await channel.end();
  });

  test("forwards a port, and reports a closed one", async () => {
    const channel = await connection.forward({ host: "127.0.0.1", port }, ctx);
    const answer = gathered(channel);
    channel.write("there and back");
    expect((await answer()).toString()).toBe("there and back");
    await channel.end();
    await expect(connection.forward({ host: "127.0.0.1", port: 1 }, ctx)).rejects.toThrow(
      "did not forward to 127.0.0.1:1",
    );
  });

  test("does not forward to a host out of reach of the key", async () => {
    await expect(connection.forward({ host: "10.0.0.9", port: 22 }, ctx)).rejects.toMatchObject({
      kind: "Forbidden",
    });
    expect(refused).toEqual(["10.0.0.9"]);
  });

  test("opens and sends nothing without a lease", async () => {
    const channel = await connection.forward({ host: "127.0.0.1", port }, ctx);
    lease[0] = 0;
    expect(() => channel.write("late")).toThrow("lease");
    await expect(connection.forward({ host: "127.0.0.1", port }, ctx)).rejects.toMatchObject({
      kind: "WorkerLost",
    });
    await expect(connection.subsystem("sftp", ctx)).rejects.toMatchObject({ kind: "WorkerLost" });
    await expect(connection.shell({ cols: 80, rows: 24 }, ctx)).rejects.toMatchObject({ kind: "WorkerLost" });
    lease[0] = monotonicMs() + 600_000;
  });
});
