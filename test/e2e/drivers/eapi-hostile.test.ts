/**
 * Devices with invalid eAPI responses: each driver reports in one sentence what it received, and keeps
 * nothing of it. A plain run has each driver meet them in one of the two places, and fills the memory of one.
 */
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JobRecord } from "../../../src/api/jobs/job.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { type Switch, startSwitch } from "../../drivers/pyeapi/switch.ts";
import { sampled } from "../../support/sampled.ts";

const password = "canary-hostile-1";
type Answer = (response: ServerResponse) => void;

const MiB = 1024 * 1024;
/** What a driver has read of an answer when it refuses it. */
const readMiB = 32;

/** Until the peer closes the connection. */
function stream(response: ServerResponse, chunk: string, bytes = Number.POSITIVE_INFINITY): void {
  let left = bytes;
  const more = () => {
    while (left > 0 && !response.destroyed) {
      left -= chunk.length;
      if (!response.write(chunk)) break;
    }
    if (response.destroyed) return;
    if (left > 0) response.once("drain", more);
    else response.end();
  };
  more();
}

/** As long as the peer reads. */
function drip(response: ServerResponse): void {
  response.write('{"jsonrpc": "2.0", "result": [');
  const more = setInterval(() => response.write(" "), 50);
  response.once("close", () => clearInterval(more));
}

const text = (status: number, body: string, headers: Record<string, string> = {}): Answer => {
  return (response) => response.writeHead(status, headers).end(body);
};
const elsewhere = { Location: "https://elsewhere.test/login" };
const wide = `{"jsonrpc": "2.0", "result": [${"{},".repeat(2_000_100)}{}]}`;
const answers: readonly [string, Answer, string, RegExp][] = [
  ["a page", text(200, "<html>login</html>"), "DriverError", /sent an HTML page/],
  ["half a JSON", text(200, '{"jsonrpc": "2.0", "resu'), "DriverError", /text that is not JSON/],
  ["JSON of something else", text(200, '{"hello": 1}'), "DriverError", /not an eAPI response/],
  ["results that are no list", text(200, '{"result": {"0": 1}}'), "DriverError", /not an eAPI response/],
  ["an error of JSON-RPC", text(200, rpcError(-32602)), "DriverError", /rejected the request: no \(-32602\)/],
  ["nothing", text(200, ""), "DriverError", /sent nothing/],
  [
    "a redirect",
    text(302, "", elsewhere),
    "DriverError",
    /redirects the request \(302 to https:\/\/elsewhere.test/,
  ],
  ["401", text(401, "who?"), "AuthenticationFailed", /rejected the user name or password/],
  ["403", text(403, "no"), "AuthenticationFailed", /not allowed to use eAPI \(403\)/],
  ["404", text(404, "where?"), "DriverError", /`management api http-commands`/],
  ["500", text(500, "oops"), "DriverError", /responded with status 500/],
  ["503", text(503, "wait"), "DriverError", /responded with status 503/],
  ["a closed connection", (response) => response.socket?.destroy(), "ConnectionLost", /lost|closed/],
  [
    "what is no HTTP",
    (response) => response.socket?.end("SSH-2.0-x\r\n"),
    "ConnectionLost",
    /lost|closed|HTTP/,
  ],
  ["headers without end", endlessHeaders, "ConnectionLost", /lost|closed|larger|header/i],
  ["100 MB", (response) => stream(response, "x".repeat(MiB), 100 * MiB), "OutputTooLarge", /larger than/],
  ["depth", text(200, "[".repeat(MiB)), "OutputTooLarge", /nested deeper than 100 levels/],
  ["two million objects", text(200, wide), "OutputTooLarge", /more than 2000000 values/],
  ["a slow drip", drip, "ReadTimeout", /did not answer within 1 seconds/],
  ["silence", () => {}, "ReadTimeout", /did not answer within 1 seconds/],
];

function rpcError(code: number): string {
  return JSON.stringify({ jsonrpc: "2.0", id: "patchbay", error: { code, message: "no" } });
}

function endlessHeaders({ socket }: ServerResponse): void {
  socket?.on("error", () => {});
  socket?.write(`HTTP/1.1 200 OK\r\n${`X-More: ${"x".repeat(1000)}\r\n`.repeat(1000)}`);
}

const drivers = ["pyeapi", "napalm"] as const;
const filled = sampled(drivers, 1, () => "a driver");

describe.each(drivers)("%s", (driver) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ env: { PATCHBAY_AUTH_FAILURES: "0" } });
  });
  afterAll(async () => {
    await service.stop();
  });

  function connection(port: number, timeout: number): object {
    const login = { username: "admin", password, timeout };
    return driver === "pyeapi"
      ? { ...login, host: "127.0.0.1", port, transport: "http" }
      : { ...login, device_type: "eos", hostname: "127.0.0.1", optional_args: { port, transport: "http" } };
  }
  const ask = (device: Switch, timeout: number): Promise<JobRecord> =>
    service.run({
      driver,
      connection_args: connection(device.port, timeout),
      command: "show version",
      options: { queue_strategy: "fifo" },
    });

  /** @param behind number of lists answered correctly first */
  async function met([name, answer, type]: (typeof answers)[number], behind: number) {
    const device = await startSwitch({ password, thinkMs: 0 });
    const turn = async () => {
      device.answerWith(answer);
      return "go on" as const;
    };
    if (behind === 0) await turn();
    else device.meet({ after: turn });
    // A busy machine takes its time for large responses.
    const { status, result } = await ask(device, type === "ReadTimeout" ? 1 : 120);
    await expect.poll(() => device.sockets()).toBe(0);
    device.close();
    return { name, status, type: result?.error?.type, message: result?.error?.message };
  }

  const places = [
    ["at the login", 0],
    ["behind it", 1],
  ] as const;
  test.each(sampled(places, 1, () => "a place"))(
    "%s each hostile answer is reported and its connection closed",
    async (_name, behind) => {
      const told = await Promise.all(answers.map((answer) => met(answer, behind)));
      expect(told).toEqual(
        answers.map(([name, , type, words]) => {
          return { name, status: "failed", type, message: expect.stringMatching(words) };
        }),
      );
      expect(service.output()).not.toContain(password);
    },
  );

  test.runIf(filled.includes(driver))("an oversized answer does not grow the memory", async () => {
    const device = await startSwitch({ password, thinkMs: 0 });
    const chunk = "x".repeat(MiB);
    const large = (response: ServerResponse) => stream(response, chunk, 100 * MiB);
    const rounds = async (count: number) => {
      for (let round = 0; round < count; round++) {
        const jobs = await Promise.all([1, 2, 3].map(() => ask(device, 120)));
        expect(jobs.map(({ result }) => result?.error?.type)).toEqual(jobs.map(() => "OutputTooLarge"));
      }
    };
    device.answerWith(large);
    await rounds(2);
    const before = residentMiB(service.child.pid);
    await rounds(4);
    // When garbage is collected depends on the machine; what is kept stays, and would be four times as much.
    await expect
      .poll(() => residentMiB(service.child.pid) - before, { timeout: 60_000, interval: 500 })
      .toBeLessThan(3 * readMiB);
    device.close();
  });
});

function residentMiB(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}
