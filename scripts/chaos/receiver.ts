/** A webhook receiver that occasionally refuses a delivery, which must be retried. */
import { once } from "node:events";
import { createServer } from "node:http";
import * as v from "valibot";
import type { Random } from "./random.ts";

const message = v.object({ id: v.string(), event: v.string(), status: v.string() });
export type Delivery = v.InferOutput<typeof message>;

export interface Receiver {
  readonly url: string;
  /** Accepted deliveries by job. */
  readonly taken: ReadonlyMap<string, readonly Delivery[]>;
  refused(): number;
  stop(): Promise<void>;
}

const refusedShare = 0.03;

export async function startReceiver(random: Random): Promise<Receiver> {
  const taken = new Map<string, Delivery[]>();
  let refused = 0;
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => {
      text += chunk;
    });
    request.on("end", () => {
      if (random.chance(refusedShare)) {
        refused++;
        response.writeHead(503).end();
        return;
      }
      const delivery = v.parse(message, JSON.parse(text));
      taken.set(delivery.id, [...(taken.get(delivery.id) ?? []), delivery]);
      response.writeHead(204).end();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the receiver has no port");
  return {
    url: `http://127.0.0.1:${address.port}/ended`,
    taken,
    refused: () => refused,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
