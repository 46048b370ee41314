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

/** A Telnet device that answers `show flood` without end. */
async function floodingServer(): Promise<{ port: number; close(): void }> {
  const sockets = new Set<Socket>();
  const block = "GigabitEthernet0/1 is up, line protocol is up, MTU 1500 bytes\r\n".repeat(500);
  const prompts = ["Username: ", "Password: ", "sw1#"];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    socket.write(prompts[0] ?? "");
    let lines = 0;
    const pour = () => {
      while (!socket.destroyed && socket.write(block));
      socket.once("drain", pour);
    };
    socket.on("data", (data: Buffer) => {
      for (const line of data.toString("latin1").match(/[^\r\n]*[\r\n]+/g) ?? []) {
        lines++;
        if (line.startsWith("show flood")) return pour();
        const echo = lines > 2 ? line.trim() : "";
        socket.write(`${echo}\r\n${prompts[Math.min(lines, 2)]}`);
      }
    });
  }).listen(0, "0.0.0.0");
  await once(server, "listening");
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

export const devices: readonly Attack[] = [
  {
    name: "flooding-devices",
    about: "60 devices that send without end, beside short jobs of another key",
    async run({ attacker, other }, size) {
      const device = await floodingServer();
      const request = (at: number, command: string) => ({
        driver: "netmiko",
        connection_args: {
          ...{ device_type: "cisco_ios_telnet", host: `127.0.0.${1 + (at % 250)}`, port: device.port },
          ...{ username: "u", password: "p" },
        },
        command,
        options: { ttl: 60 },
      });
      const statuses = await flood(
        Math.max(8, Math.round(60 * size)),
        60,
        async (at) => (await attacker.call("POST", "/device/execute", request(at, "show flood"))).status,
      );
      const failures = new Set<string>();
      let slowest = 0;
      let finished = 0;
      const jobs = Math.max(2, Math.round(8 * size));
      for (let at = 0; at < jobs; at++) {
        const from = performance.now();
        const body = request(100 + at, "show clock");
        const { text } = await other.call("POST", "/device/execute", body, { Prefer: "wait=60" });
        if (/"status":"finished"/.test(text)) finished++;
        else failures.add(text.slice(0, 200));
        slowest = Math.max(slowest, performance.now() - from);
      }
      await attacker.call("DELETE", "/job?force=true&driver=netmiko");
      device.close();
      const breaches = [...failures].map((text) => `a job of another key did not finish: ${text}`);
      return { figures: { ...statuses, finished, slowest_job_ms: Math.round(slowest) }, breaches };
    },
  },
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
