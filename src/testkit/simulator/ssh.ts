/** The SSH server of a simulated device. */
import { createServer } from "node:net";
import { joinWrites } from "../../base/net/join-writes.ts";
import { type Connection, Server, type ServerChannel } from "../../device/ssh/ssh2.ts";
import { makeKeyPair } from "./hostkey.ts";
import { type Listening, type ListenOptions, listenOn } from "./listener.ts";
import { thinkingMs } from "./thinking.ts";

export async function listenSsh(options: ListenOptions): Promise<Listening> {
  const { faults } = options;
  const clients = new Set<Connection>();
  const serve = (client: Connection) => {
    clients.add(client);
    client.on("error", () => {
      // The client cut the connection, which a device ignores.
    });
    client.on("close", () => clients.delete(client));
    client.on("authentication", (request) => {
      if (faults.silentAt === "auth") return;
      const right =
        request.method === "password" &&
        request.username === options.username &&
        request.password === options.password;
      const verdict = () => {
        if (!clients.has(client)) return;
        if (right) request.accept();
        else request.reject(["password"]);
      };
      const ms = thinkingMs(options.thinking, "login");
      if (ms === 0 || request.method !== "password") verdict();
      else setTimeout(verdict, ms);
    });
    client.on("session", (accept) => {
      const session = accept();
      session.on("pty", (accepted) => accepted?.());
      session.on("window-change", (accepted) => accepted?.());
      session.on("shell", (accepted) => {
        if (faults.silentAt !== "shell") serveShell(accepted(), client, options);
      });
    });
  };
  const withKey = (hostKey: string) => new Server({ hostKeys: [hostKey] }, serve);
  const first = withKey(options.hostKey ?? makeKeyPair().private);
  const replaced = faults.newKeyAt === undefined ? undefined : withKey(makeKeyPair().private);
  let logins = 0;
  const server = createServer((socket) => {
    const late = faults.newKeyAt !== undefined && ++logins >= faults.newKeyAt;
    joinWrites(socket);
    (late && replaced ? replaced : first).injectSocket(socket);
  });
  return listenOn(server, options, () => {
    for (const client of clients) client.end();
  });
}

function serveShell(channel: ServerChannel, client: Connection, options: ListenOptions): void {
  let open = true;
  const attached = options.attach({
    write(text) {
      if (open) channel.write(text);
    },
    close() {
      channel.exit(0);
      channel.end();
      client.end();
    },
  });
  channel.on("data", (chunk: Buffer) => attached.type(chunk.toString("utf8")));
  channel.on("close", () => {
    open = false;
    attached.closed();
  });
}
