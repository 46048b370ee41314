/** Temporary limits of a real sshd are retried within the timeout. */
import { once } from "node:events";
import { createConnection, createServer, type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Sshd, startSshd } from "../../../scripts/testbed/openssh.ts";
import { ServiceError } from "../../../src/base/errors.ts";
import { pause } from "../../../src/base/time/deadline.ts";
import type { Connection } from "../../../src/device/ssh/connection.ts";
import { failure, newSsh, scopeOf, targetOf, withConnection } from "./support.ts";

const size = { cols: 80, rows: 24 };

async function withServer<T>(config: string[], work: (server: Sshd) => Promise<T>): Promise<T> {
  const server = await startSshd({ config });
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}
const logged = <T>(config: string[], work: (connection: Connection, server: Sshd) => Promise<T>) =>
  withServer(config, (server) => withConnection(targetOf(server), (connection) => work(connection, server)));
const refusals = (server: Sshd) => server.log().split("no more sessions").length - 1;

describe.skipIf(needs("openssh"))("commands on one connection", () => {
  test("run one after another if the server allows one session", () =>
    logged(["MaxSessions 1"], async (connection) => {
      const outputs: string[] = [];
      for (let at = 0; at < 20; at++)
        outputs.push((await connection.exec(`echo ${at}`, {}, scopeOf())).stdout.trim());
      expect(outputs).toEqual(Array.from({ length: 20 }, (_, at) => String(at)));
    }));

  test("wait for a free session if the server allows two", () =>
    logged(["MaxSessions 2"], async (connection) => {
      const all = [1, 2, 3, 4, 5, 6].map((at) => connection.exec(`sleep 0.5; echo ${at}`, {}, scopeOf()));
      expect((await Promise.all(all)).map(({ stdout }) => stdout)).toEqual(
        [1, 2, 3, 4, 5, 6].map((at) => `${at}\n`),
      );
    }));

  test("can be cancelled while waiting, and then never run", () =>
    logged(["MaxSessions 1", "LogLevel DEBUG1"], async (connection, server) => {
      const shell = await connection.shell(size, scopeOf());
      const scope = scopeOf();
      const waiting = failure(connection.exec("touch never", {}, scope));
      await server.said(/no more sessions/);
      scope.abort(new ServiceError("Cancelled", "called off"));
      expect((await waiting).kind).toBe("Cancelled");
      await shell.end();
      expect((await connection.exec("echo free", {}, scopeOf())).stdout).toBe("free\n");
      expect(server.log()).not.toContain("touch never");
    }));

  test("fail as ConnectionLost if the connection is lost while they wait", () =>
    logged(["MaxSessions 1", "LogLevel DEBUG1"], async (connection, server) => {
      await connection.shell(size, scopeOf());
      const waiting = failure(connection.exec("true", {}, scopeOf()));
      await server.said(/no more sessions/);
      server.killSessions();
      expect((await waiting).kind).toBe("ConnectionLost");
    }));

  test("fail with the reason if the server allows no sessions", () =>
    logged(["MaxSessions 0", "LogLevel DEBUG1"], async (connection, server) => {
      const error = await failure(connection.exec("true", {}, scopeOf()));
      expect(error).toMatchObject({ kind: "DriverError", detail: { outcome: "none" } });
      expect(error.message).toContain("refused another session on this connection (MaxSessions)");
      expect(refusals(server)).toBeLessThan(10);
    }));
});

/** Opens a connection that stops after the server's first line. */
async function held(server: Sshd): Promise<Socket> {
  for (;;) {
    const socket = createConnection({ host: server.host, port: server.port });
    socket.on("error", () => {});
    const [first] = (await once(socket, "data")) as [Buffer];
    if (first.toString().startsWith("SSH-")) return socket;
    socket.destroy();
    await pause(20);
  }
}

/**
 * Closes the first connections silently, as older versions of sshd do, and forwards the others to the real
 * one.
 */
async function shutting(server: Sshd, first: number) {
  let accepted = 0;
  const door = createServer((socket) => {
    socket.on("error", () => {});
    if (++accepted <= first) return socket.end();
    const through = createConnection({ host: server.host, port: server.port });
    through.on("error", () => socket.destroy());
    return socket.pipe(through).pipe(socket);
  }).listen(0, "127.0.0.1");
  await once(door, "listening");
  const address = door.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { port, taken: () => accepted, close: () => door.close() };
}

describe.skipIf(needs("openssh"))("logins that the server refuses for now", () => {
  test.each([
    [2, "finished", 3],
    [9, "ConnectionLost", 4],
  ])("are retried after %i silent disconnects: %s after several attempts", async (first, end, taken) =>
    withServer([], async (server) => {
      const door = await shutting(server, first);
      const target = { ...targetOf(server), port: door.port };
      const connection = await newSsh()
        .connect(target, scopeOf())
        .catch((error) => error);
      expect(connection instanceof ServiceError ? connection.kind : "finished").toBe(end);
      if (!(connection instanceof ServiceError)) await connection.close();
      expect(door.taken()).toBe(taken);
      door.close();
    }),
  );

  test("wait until the server has room (MaxStartups)", () =>
    withServer(["MaxStartups 1"], async (server) => {
      const other = await held(server);
      const before = server.log().length;
      const connecting = newSsh().connect(targetOf(server), scopeOf());
      while (server.log().slice(before).split("past MaxStartups").length < 3) await pause(10);
      other.destroy();
      const connection = await connecting;
      expect((await connection.exec("echo in", {}, scopeOf())).stdout).toBe("in\n");
      await connection.close();
    }));

  test("fail with the server's message at the timeout", () =>
    withServer(["MaxStartups 1"], async (server) => {
      const other = await held(server);
      const target = targetOf(server, { connectTimeoutMs: 1_000 });
      const error = await failure(newSsh().connect(target, scopeOf()));
      expect(error.kind).toBe("ConnectionRefused");
      expect(error.message).toBe(`Connection refused by ${server.host}:${server.port}: Exceeded MaxStartups`);
      other.destroy();
    }));

  test("are retried through the same jump host connection", () =>
    withServer(["MaxStartups 1"], (server) =>
      withServer(["AllowTcpForwarding yes"], async (jump) => {
        const other = await held(server);
        const connecting = newSsh().connect({ ...targetOf(server), via: targetOf(jump) }, scopeOf());
        await server.said(/past MaxStartups/);
        other.destroy();
        const connection = await connecting;
        await connection.close();
        expect(jump.connections()).toBe(1);
      }),
    ));
});
