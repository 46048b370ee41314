/** Attacks through job targets: unlimited hosts, and receivers and devices that never answer. */
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { type Attack, flood } from "../attack.ts";
import { bulk, idle, job } from "../service.ts";

/** Accepts connections and never answers. */
async function silentServer(): Promise<{ port: number; connections(): number; close(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    connections: () => sockets.size,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

export const devices: readonly Attack[] = [
  {
    name: "hosts",
    about: "200,000 different hosts, fifo and pinned",
    async run({ attacker, other }, size) {
      const count = 200_000 * size;
      const each = Math.round(10_000 * Math.min(1, size * 10));
      const statuses: Record<string, number> = {};
      for (let from = 0; from < count; from += each) {
        const strategy = (from / each) % 2 === 0 ? "fifo" : "pinned";
        const request = bulk(each, { options: { queue_strategy: strategy } }, from);
        for (;;) {
          const { status, retryAfter } = await attacker.call("POST", "/device/bulk", request);
          statuses[status] = (statuses[status] ?? 0) + 1;
          if (status !== 429) break;
          await new Promise((resolve) => setTimeout(resolve, (retryAfter ?? 1) * 1_000));
        }
        await idle(other);
      }
      return { figures: { hosts: count, ...statuses } };
    },
  },
  {
    name: "small-bulks",
    about: "thousands of single-device bulks, each with its own lane",
    env: { PATCHBAY_SLOTS: "20" },
    async run({ attacker, other }, size) {
      const count = Math.round(20_000 * size);
      const statuses = await flood(
        count,
        32,
        async (at) => (await attacker.call("POST", "/device/bulk", bulk(1, {}, at))).status,
      );
      await idle(other);
      return { figures: statuses };
    },
  },
  {
    name: "silent-webhooks",
    about: "thousands of webhooks to a receiver that never answers",
    async run({ attacker, other }, size) {
      const receiver = await silentServer();
      const webhook = {
        name: "basic",
        url: `http://127.0.0.1:${receiver.port}/`,
        timeout: 2,
        max_retries: 0,
      };
      const count = Math.round(3_000 * size);
      const statuses = await flood(count, 16, async (at) => {
        const url = `${webhook.url}${at}`;
        const body = job(`hook${at}`, "show", { webhook: { ...webhook, url } });
        return (await attacker.call("POST", "/device/execute", body)).status;
      });
      await idle(other);
      const connections = receiver.connections();
      receiver.close();
      return { figures: { ...statuses, connections } };
    },
  },
  {
    name: "connection-tests",
    about: "200 concurrent connection tests of a device that never answers",
    async run({ attacker, other }, size) {
      const device = await silentServer();
      const request = (timeout: number) => ({
        driver: "netmiko",
        connection_args: {
          device_type: "cisco_ios",
          host: "127.0.0.1",
          port: device.port,
          username: "u",
          password: "p",
          timeout,
        },
      });
      const attack = flood(
        Math.max(60, Math.round(500 * size)),
        200,
        async () =>
          (await attacker.call("POST", "/device/test-connection", request(Math.round(3 + 7 * size)))).status,
      );
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      const { status } = await other.call("POST", "/device/test-connection", request(1));
      const breaches = status === 200 ? [] : [`a connection test of another key was answered with ${status}`];
      const statuses = await attack;
      device.close();
      return { figures: { ...statuses, of_the_other_key: status }, breaches };
    },
  },
];
