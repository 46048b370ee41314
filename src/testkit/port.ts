/** Ports for test servers. */
import { once } from "node:events";
import { createServer } from "node:net";

/** A free port outside the ephemeral range, since the system could give an ephemeral one to another process. */
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
