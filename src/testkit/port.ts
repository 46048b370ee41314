/** Ports for servers of tests. */
import { once } from "node:events";
import { createServer } from "node:net";

/** A port that is free: not one of those that the system gives to whoever asks for any, which a moment later has it. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_240 + Math.floor(Math.random() * 22_000);
    const server = createServer();
    const listening = once(server, "listening").then(
      () => true,
      () => false,
    );
    server.listen(port, "127.0.0.1");
    if (!(await listening)) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}
