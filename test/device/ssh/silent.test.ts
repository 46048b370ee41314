/** Servers that misbehave before the login: silent, slow, endless, broken, outdated. Each fails in time. */
import { createServer, connect as dial, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { ServiceError } from "../../../src/base/errors.ts";
import { secret } from "../../../src/base/secrets/secret.ts";
import { type Connection, Server as SshServer } from "../../../src/device/ssh/ssh2.ts";
import type { SshTarget } from "../../../src/plugin/kit/ssh.ts";
import { makeKeyPair } from "../../../src/testkit/simulator/hostkey.ts";
import { failure, newSsh, scopeOf } from "./support.ts";

const servers: { close(): unknown }[] = [];
const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

function listen(server: Server | SshServer): Promise<SshTarget> {
  servers.push(server);
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = address !== null && typeof address === "object" ? address.port : 0;
      resolve({
        host: "127.0.0.1",
        port,
        username: "user",
        password: secret("password"),
        connectTimeoutMs: 400,
        profile: "modern",
        hostKeyPolicy: "auto_add",
      });
    });
  });
}

function raw(behave: (socket: Socket) => void): Promise<SshTarget> {
  return listen(
    createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => sockets.delete(socket));
      behave(socket);
      // Unread data would hide the end of the connection.
      socket.resume();
    }),
  );
}

const allClosed = async () => {
  while (sockets.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
};

/** A complete server in this process; `trick` gets its outgoing bytes. */
function ssh2Server(on: (session: Connection) => void): Promise<SshTarget> {
  const { private: hostKey } = makeKeyPair();
  return listen(
    new SshServer({ hostKeys: [hostKey] }, (session) => {
      session.on("error", () => {});
      on(session);
    }),
  );
}

const connect = (target: SshTarget, scope = scopeOf()) => newSsh().connect(target, scope);

describe("before the login", () => {
  test("a silent server fails as ConnectionTimeout in phase banner", async () => {
    const target = await raw(() => {});
    const error = await failure(connect(target));
    expect(error.kind).toBe("ConnectionTimeout");
    expect(error.message).toBe(`Connection to 127.0.0.1:${target.port} timed out after 0.4 seconds`);
    expect(error.detail).toEqual({ phase: "banner" });
    await allClosed();
  });

  test("bannerTimeoutMs limits the wait for the version line", async () => {
    const target = { ...(await raw(() => {})), connectTimeoutMs: 60_000, bannerTimeoutMs: 150 };
    const error = await failure(connect(target));
    expect(error.message).toBe(`Connection to 127.0.0.1:${target.port} timed out after 0.15 seconds`);
    await allClosed();
  });

  test("a server that is silent after its version line fails in phase handshake", async () => {
    const target = await raw((socket) => socket.write("SSH-2.0-Silent_1\r\n"));
    const error = await failure(connect({ ...target, connectTimeoutMs: 2_000 }));
    expect(error.kind).toBe("ConnectionTimeout");
    expect(error.detail).toEqual({ phase: "handshake" });
    await allClosed();
  });

  test("authTimeoutMs limits the wait for the response to the password", async () => {
    const target = await ssh2Server((session) => session.on("authentication", () => {}));
    const error = await failure(connect({ ...target, connectTimeoutMs: 30_000, authTimeoutMs: 200 }));
    expect(error.kind).toBe("ConnectionTimeout");
    expect(error.message).toBe(`Connection to 127.0.0.1:${target.port} timed out after 0.2 seconds`);
    expect(error.detail).toEqual({ phase: "authentication" });
  });

  test("a server that sends one byte at a time forever fails as ConnectionTimeout", async () => {
    const target = await raw((socket) => {
      const timer = setInterval(() => socket.write("x"), 20);
      socket.on("close", () => clearInterval(timer));
    });
    expect((await failure(connect(target))).kind).toBe("ConnectionTimeout");
    await allClosed();
  });

  test("a cancelled task ends the connection attempt at once", async () => {
    const target = { ...(await raw(() => {})), connectTimeoutMs: 60_000 };
    const scope = scopeOf();
    setTimeout(() => scope.abort(new ServiceError("Cancelled", "stop")), 100);
    const error = await failure(connect(target, scope));
    expect(error.kind).toBe("Cancelled");
    await allClosed();
    expect((await failure(connect(target, scope))).kind).toBe("Cancelled");
  });

  test("a closed port fails as ConnectionRefused, an unknown name as HostUnreachable", async () => {
    const target = await raw(() => {});
    const closedPort = { ...target, port: 1, connectTimeoutMs: 30_000 };
    const error = await failure(connect(closedPort));
    expect(error.kind).toBe("ConnectionRefused");
    expect(error.message).toBe("Connection refused by 127.0.0.1:1");
    const nameless = await failure(connect({ ...closedPort, host: "no-such-host.invalid" }));
    expect(nameless.kind).toBe("HostUnreachable");
    expect(nameless.message).toBe("Host name no-such-host.invalid cannot be resolved");
  });

  test.each([
    ["closes at once", (socket: Socket) => socket.end()],
    ["resets at once", (socket: Socket) => socket.resetAndDestroy()],
    ["closes after its first line", (socket: Socket) => socket.end("SSH-2.0-Gone_1\r\n")],
    ["closes in its first line", (socket: Socket) => socket.end("SSH-2.0-Go")],
  ])("a server that %s fails as ConnectionLost", async (_name, behave) => {
    const target = await raw(behave);
    const error = await failure(connect({ ...target, connectTimeoutMs: 30_000 }));
    expect(error.kind).toBe("ConnectionLost");
    expect(error.message).toBe(`Connection to 127.0.0.1:${target.port} was lost`);
  });

  test("a server that sends megabytes without a line end fails as DriverError", async () => {
    const target = await raw((socket) => {
      const more = () => {
        while (!socket.destroyed && socket.write("x".repeat(16_384)));
      };
      socket.on("drain", more);
      more();
    });
    const error = await failure(connect({ ...target, connectTimeoutMs: 30_000 }));
    expect(error.kind).toBe("DriverError");
    expect(error.message).toContain("keeps sending data before the login");
    await allClosed();
  });

  test.each([
    ["HTTP", "HTTP/1.1 400 Bad Request\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    ["a refusal", "Not allowed at this time\r\n", "Not allowed at this time"],
    ["escape sequences", "\x1b]0;title\x07hello\nworld\n", "?]0;title?hello"],
  ])("a server that answers with %s instead of SSH is quoted in the error", async (_name, text, quoted) => {
    const target = await raw((socket) => socket.end(text));
    const error = await failure(connect({ ...target, connectTimeoutMs: 30_000 }));
    expect(error.kind).toBe("DriverError");
    expect(error.message).toBe(`127.0.0.1:${target.port} answers "${quoted}" where SSH was expected`);
  });

  test("a server with SSH protocol version 1 is reported", async () => {
    const target = await raw((socket) => socket.write("SSH-1.5-Cisco-1.25\n"));
    const error = await failure(connect({ ...target, connectTimeoutMs: 30_000 }));
    expect(error.kind).toBe("DriverError");
    expect(error.message).toContain("SSH-1.5-Cisco-1.25");
    await allClosed();
  });

  test.each([
    [
      "a packet of 4 GB",
      Buffer.concat([Buffer.from("SSH-2.0-Bad_1\r\n"), Buffer.from([0xff, 0xff, 0xff, 0xff, 4, 20])]),
    ],
    ["random bytes", Buffer.concat([Buffer.from("SSH-2.0-Bad_1\r\n"), Buffer.alloc(4096, 0x55)])],
    ["zeros", Buffer.concat([Buffer.from("SSH-2.0-Bad_1\r\n"), Buffer.alloc(4096)])],
  ])("a server that sends %s after its version line fails in time", async (_name, bytes) => {
    const target = await raw((socket) => socket.write(bytes));
    const error = await failure(connect({ ...target, connectTimeoutMs: 1000 }));
    expect(["ConnectionLost", "ConnectionTimeout", "DriverError"]).toContain(error.kind);
    await allClosed();
  });

  test("a server that prompts endlessly fails as AuthenticationFailed", async () => {
    let rounds = 0;
    const target = await ssh2Server((session) =>
      session.on("authentication", (attempt) => {
        if (attempt.method !== "keyboard-interactive") return attempt.reject(["keyboard-interactive"]);
        const ask = () => {
          rounds++;
          attempt.prompt([{ prompt: "Password: ", echo: false }], ask);
        };
        ask();
      }),
    );
    const error = await failure(connect({ ...target, connectTimeoutMs: 30_000 }));
    expect(error.kind).toBe("AuthenticationFailed");
    expect(error.message).toContain("keeps asking questions");
    expect(rounds).toBeLessThan(20);
  });

  test("a prompt for the user name is answered with the user name", async () => {
    const answers: string[][] = [];
    const target = await ssh2Server((session) =>
      session.on("authentication", (attempt) => {
        if (attempt.method !== "keyboard-interactive") return attempt.reject(["keyboard-interactive"]);
        const questions = [
          { prompt: "login: ", echo: true },
          { prompt: "Password: ", echo: false },
        ];
        attempt.prompt(questions, (replies) => {
          answers.push(replies);
          attempt.accept();
        });
      }),
    );
    const connection = await connect({ ...target, connectTimeoutMs: 30_000 });
    expect(answers).toEqual([["user", "password"]]);
    await connection.close();
  });

  test("a server that hangs up after rejecting the password fails as AuthenticationFailed", async () => {
    const target = await ssh2Server((session) => {
      let attempts = 0;
      session.on("authentication", (attempt) => {
        if (++attempts === 1) attempt.reject(["keyboard-interactive"]);
        else session.end();
      });
    });
    const error = await failure(connect({ ...target, connectTimeoutMs: 30_000 }));
    expect(error.kind).toBe("AuthenticationFailed");
    expect(error.message).toBe("Authentication failed for user@127.0.0.1");
  });

  test("a wrong password is not sent again as keyboard-interactive", async () => {
    const tried: string[] = [];
    const target = await ssh2Server((session) =>
      session.on("authentication", (attempt) => {
        tried.push(attempt.method);
        attempt.reject(["password", "keyboard-interactive"]);
      }),
    );
    const error = await failure(connect({ ...target, connectTimeoutMs: 30_000 }));
    expect(error.kind).toBe("AuthenticationFailed");
    expect(tried).toEqual(["password"]);
  });

  test("keepalive ends a connection only if the peer sends nothing at all", async () => {
    const target = await ssh2Server((session) => {
      session.on("authentication", (attempt) => attempt.accept());
      session.on("ready", () =>
        session.on("session", (accept) => {
          const opened = accept();
          opened.on("pty", (yes) => yes?.());
          opened.on("shell", (yes) => {
            const shell = yes();
            const timer = setInterval(() => shell.write("tick "), 20);
            shell.on("close", () => clearInterval(timer));
            shell.on("error", () => {});
          });
        }),
      );
    });
    let deaf = false;
    let far: Socket | undefined;
    const proxy = await raw((socket) => {
      const other = dial(target.port, "127.0.0.1");
      far = other;
      other.on("error", () => {});
      other.pipe(socket);
      socket.on("data", (chunk) => deaf || other.write(chunk));
    });
    const connection = await connect({ ...proxy, connectTimeoutMs: 30_000, keepaliveMs: 50 });
    let isLost = false;
    const lost = new Promise<void>((resolve) =>
      connection.onLost(() => {
        isLost = true;
        resolve();
      }),
    );
    const shell = await connection.shell({ cols: 80, rows: 24 }, scopeOf());
    let ticks = 0;
    shell.onData(() => ticks++);
    deaf = true;
    // Ten times as long as four exchanges take.
    while (ticks < 100) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isLost).toBe(false);
    far?.unpipe().pause();
    await lost;
    expect(connection.alive()).toBe(false);
    connection.destroy();
  });
});
