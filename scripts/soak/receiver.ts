/** A webhook receiver that accepts everything. */
import { createServer } from "node:http";
import { freePort } from "../../src/testkit/port.ts";

export async function startReceiver(): Promise<{ url: string; taken(): number; stop(): void }> {
  let taken = 0;
  const server = createServer((request, response) => {
    request.resume();
    request.once("end", () => {
      taken++;
      response.end();
    });
  });
  const port = await freePort();
  await new Promise<void>((resolve) => void server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${port}/`,
    taken: () => taken,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
