/** The traffic needed to watch, cancel and retry many jobs, counted between client and service. */

import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { adminKey, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { isExhaustive } from "../../support/sampled.ts";
import { loggedIn, type Operator } from "../terminal.ts";

/** Every job fails, as on a broken device, once its gate is open. */
const driver = (gate: string) => `
import { existsSync } from "node:fs";
import { defineDriver, v } from "patchbay/plugin";
export default defineDriver({
  name: "gated", strategy: "fifo", target: ({ host }) => ({ host, port: 1 }),
  connection: v.object({ host: v.string() }), query: v.object({}), repeatable: () => true,
  async open() {
    return {
      async query(command, _args, ctx) {
        while (!existsSync(${JSON.stringify(gate)})) {
          ctx.signal.throwIfAborted();
          await new Promise((done) => setTimeout(done, 20));
        }
        throw new Error("The device closed the connection before the end of the answer, at 4,096 bytes.");
      },
    };
  },
});`;

interface Counter {
  readonly url: string;
  /** Requests, requests other than GET, and bytes in both directions since the last call. */
  take(): { calls: number; bytes: number; sent: string[] };
  stop(): void;
}

/** A proxy between client and service that counts. */
async function counting(service: Service): Promise<Counter> {
  const port = Number(new URL(service.url).port);
  const sockets = new Set<Socket>();
  let calls: string[] = [];
  let bytes = 0;
  const server = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => sockets.delete(socket));
    }
    near.on("data", (data) => {
      bytes += data.length;
      // The client waits for each response, so a request always starts a chunk.
      const call = /^(?:GET|POST|DELETE) [^ ?]+/.exec(data.toString("latin1"))?.[0];
      if (call !== undefined) calls.push(call);
      far.write(data);
    });
    far.on("data", (data) => {
      bytes += data.length;
      near.write(data);
    });
    near.on("end", () => far.end());
    far.on("end", () => near.end());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    take() {
      const sent = calls.filter((call) => !call.startsWith("GET"));
      const taken = { calls: calls.length, bytes, sent };
      calls = [];
      bytes = 0;
      return taken;
    },
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

const folder = tempFolder();
const gate = join(folder, "gate");
let service: Service;
let line: Counter;
let someone: Operator;
beforeAll(async () => {
  writeFileSync(join(folder, "gated.mjs"), driver(gate));
  service = await startService({ plugins: [folder], env: { PATCHBAY_LOG_LEVEL: "error" } });
  line = await counting(service);
  someone = await loggedIn(line.url, adminKey);
});
afterAll(async () => {
  line.stop();
  await service.stop();
});

const count = isExhaustive() ? 3_000 : 800;

async function submit(): Promise<string> {
  const { body } = await service.call<{ bulk_id: string }>("POST", "/device/bulk", {
    driver: "gated",
    devices: Array.from({ length: count }, (_, at) => ({ host: `g${at}` })),
    command: "talk",
  });
  return body.data.bulk_id;
}

test(`watches ${count} failing jobs to their end with less than 100 bytes of each`, async () => {
  rmSync(gate, { force: true });
  const id = await submit();
  line.take();
  const watching = someone.at(["bulk", id, "--follow"]);
  await watching.sees(`0/${count}`);
  writeFileSync(gate, "");
  expect(await watching.ended).toBe(1);
  await watching.sees(`${count} devices: ${count} failed`);
  const { calls, bytes } = line.take();
  console.log(`watched: ${calls} calls, ${bytes} bytes`);
  expect(bytes).toBeLessThan(100 * count);
});

test("retries them with one call and counts them while they run", async () => {
  writeFileSync(gate, "");
  const id = await submit();
  expect((await someone.piped(["bulk", id, "--follow"])).code).toBe(1);
  rmSync(gate, { force: true });
  line.take();
  const again = someone.at(["bulk", id, "--retry", "--output-dir", "again"]);
  await again.sees(`0/${count}`);
  const { calls, bytes, sent } = line.take();
  console.log(`repeated: ${calls} calls, ${bytes} bytes`);
  expect(sent).toEqual([`POST /bulk/${id}/retry`]);
  writeFileSync(gate, "");
  expect(await again.ended).toBe(1);
  await again.sees(`${count} devices: ${count} failed`);
});

test("cancels them with one call", async () => {
  rmSync(gate, { force: true });
  const id = await submit();
  line.take();
  expect((await someone.piped(["bulk", id, "--cancel", "--force"])).code).toBe(0);
  const { calls, bytes, sent } = line.take();
  console.log(`cancelled: ${calls} calls, ${bytes} bytes`);
  expect(sent).toEqual([`DELETE /bulk/${id}`]);
  expect(calls).toBe(1);
  expect(bytes).toBeLessThan(10_000);
});
