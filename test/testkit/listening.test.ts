/** A port that answers may belong to a process other than the one started for it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import process from "node:process";
import { expect, test } from "vitest";
import { startServer } from "../../scripts/testbed/process.ts";
import { listensOn } from "../../src/testkit/listening.ts";
import { freePort } from "../../src/testkit/port.ts";

const held = async () => {
  const server = createServer();
  const port = await freePort();
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return { port, server };
};

test.runIf(process.platform === "linux")(
  "a listening port is attributed to the process that listens",
  async () => {
    const { port, server } = await held();
    const other = spawn("sleep", ["600"]);
    expect([listensOn(process.pid, port), listensOn(other.pid ?? -1, port)]).toEqual([true, false]);
    server.close();
    await once(server, "close");
    expect(listensOn(process.pid, port)).toBe(false);
    other.kill();
  },
);

test.runIf(process.platform === "linux")(
  "a server whose port was taken is started on another port",
  async () => {
    const { port, server } = await held();
    const ports: number[] = [];
    const program = (at: number) =>
      `require("net").createServer().on("error", (e) => { console.error(e.message); process.exit(1); }).listen(${at}, "127.0.0.1")`;
    const running = await startServer((free) => {
      ports.push(free);
      return { command: [process.execPath, "-e", program(ports.length === 1 ? port : free)] };
    });
    expect(ports).toHaveLength(2);
    expect(running.port).toBe(ports[1]);
    await running.stop();
    server.close();
  },
);
