/** The Telnet server of a simulated device: asks for username and password, then attaches the same terminal. */
import { createServer, type Socket } from "node:net";
import type { Attachment } from "../line.ts";
import { type Listening, type ListenOptions, listenOn } from "../listener.ts";
import { thinkingMs } from "../terminal/thinking.ts";

/** IAC WILL ECHO, IAC WILL SUPPRESS-GO-AHEAD. */
const greeting = Buffer.from([255, 251, 1, 255, 251, 3]);

export async function listenTelnet(options: ListenOptions): Promise<Listening> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => {
      // The client cut the connection, which a device ignores.
    });
    socket.on("close", () => sockets.delete(socket));
    socket.write(greeting);
    serveLogin(socket, options);
  });
  return listenOn(server, options, () => {
    for (const socket of sockets) socket.destroy();
  });
}

function serveLogin(socket: Socket, options: ListenOptions): void {
  let username: string | undefined;
  let line = "";
  let attached: Attachment | undefined;
  /** Input received while the device is busy waits here. */
  let ahead: string | undefined;
  let busy: ReturnType<typeof setTimeout> | undefined;
  socket.write("\r\nUsername: ");
  socket.on("close", () => {
    clearTimeout(busy);
    attached?.closed();
  });
  socket.on("data", (chunk: Buffer) => take(withoutCommands(chunk).toString("utf8")));

  function take(text: string): void {
    for (let at = 0; at < text.length; at++) {
      const char = text.charAt(at);
      if (attached) {
        attached.type(text.slice(at));
        return;
      }
      if (ahead !== undefined) {
        ahead += text.slice(at);
        return;
      }
      if (char === "\n" || char === "\0") continue;
      if (char !== "\r") {
        line += char;
        if (username === undefined) socket.write(char);
        continue;
      }
      const typed = line;
      line = "";
      socket.write("\r\n");
      think(() => answer(typed));
    }
  }

  function think(then: () => void): void {
    const ms = thinkingMs(options.thinking, "login");
    if (ms === 0) {
      then();
      return;
    }
    ahead = "";
    busy = setTimeout(() => {
      then();
      const waiting = ahead ?? "";
      ahead = undefined;
      take(waiting);
    }, ms);
  }

  function answer(typed: string): void {
    if (username === undefined) {
      username = typed;
      socket.write("Password: ");
    } else if (username === options.username && typed === options.password) {
      attached = options.attach({
        write(text) {
          if (socket.writable) socket.write(text);
        },
        close: () => void socket.end(),
      });
    } else {
      username = undefined;
      socket.write("% Login invalid\r\n\r\nUsername: ");
    }
  }
}

/** Ignores the client's replies: the server offered its options and requested none. */
function withoutCommands(chunk: Buffer): Buffer {
  const plain: number[] = [];
  for (let at = 0; at < chunk.length; at++) {
    const byte = chunk[at] ?? 0;
    if (byte !== 255) plain.push(byte);
    else if (chunk[at + 1] === 250) at = Math.max(at, chunk.indexOf(240, at));
    else at += 2;
  }
  return Buffer.from(plain);
}
