/** Receivers that hang, redirect, refuse or break off: jobs and other receivers are not affected. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Service, startService } from "../../../src/testkit/service.ts";

const canary = "canary-of-the-hook-0123456789";
const got: { path: string; id: string; authorization: string | undefined }[] = [];
const answers: Record<
  string,
  (end: (status: number, headers: Record<string, string>, body?: string) => void, cut: () => void) => void
> = {
  "/hangs": () => {},
  "/metadata": (end) => end(302, { Location: "http://169.254.169.254/latest/meta-data" }),
  "/loopback": (end) => end(307, { Location: `${url}/secret-place` }),
  "/large": (end) => end(500, {}, "x".repeat(200_000)),
  "/cut": (_end, cut) => cut(),
};
let receiver: Server;
let url: string;
let service: Service;

beforeAll(async () => {
  receiver = createServer((request, response) => {
    let body = "";
    request.on("data", (piece: Buffer) => (body += piece.toString()));
    request.on("end", () => {
      const { pathname: path } = new URL(request.url ?? "/", "http://x");
      got.push({
        path,
        id: String(JSON.parse(body || "{}").id),
        authorization: request.headers.authorization,
      });
      answers[path]?.(
        (status, headers, text = "") => void response.writeHead(status, headers).end(text),
        () => request.socket.destroy(),
      );
    });
  });
  await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done));
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  service = await startService({ env: { PATCHBAY_URL_ALLOW: "127.0.0.1" } });
});
afterAll(async () => {
  await service.stop();
  receiver.closeAllConnections();
  receiver.close();
});

/** Jobs that are cancelled before they start, each with a webhook. @returns their ids */
async function cancelled(count: number, hook: object): Promise<string[]> {
  const { body } = await service.call<{ bulk_id: string }>("POST", "/device/bulk", {
    driver: "netmiko",
    connection_args: { device_type: "cisco_ios", username: "u", password: "p" },
    devices: Array.from({ length: count }, (_, at) => ({ host: `r${at}` })),
    command: "show version",
    options: {
      not_before: new Date(Date.now() + 86_400_000).toISOString(),
      ttl: 60,
      webhook: { name: "basic", ...hook },
    },
  });
  return (await service.call<string[]>("DELETE", `/job?bulk_id=${body.data.bulk_id}`)).body.data;
}

const failures = (id: string) =>
  service
    .output()
    .split("\n")
    .filter((line) => line.includes('"webhook.failed"') && line.includes(id));
const secretOnes = { headers: { "X-Token": canary }, auth: ["me", canary], secret: canary };

test.each([
  ["/hangs", /did not answer/],
  ["/metadata", /answered 302/],
  ["/loopback", /answered 307/],
  ["/large", /larger than|answered 500/],
  ["/cut", /closed|lost|reset|aborted/i],
])("a receiver that answers as %s fails its delivery only, and no secret is told", async (path, reason) => {
  // So long that this process has read the request by then, however busy the machine is.
  const timeout = 4;
  const hook = { url: `${url}${path}?token=${canary}`, timeout, max_retries: 1, retry_intervals: [0] };
  const [id = ""] = await cancelled(1, { ...hook, ...secretOnes });
  await expect.poll(() => failures(id).length).toBe(2);
  expect(failures(id).join()).toMatch(reason);
  expect(got.filter((one) => one.path === path && one.id === id)).toHaveLength(2);
  expect(got.filter((one) => one.path === "/secret-place")).toEqual([]);
  const record = await service.call("GET", `/job?id=${id}`);
  expect(record.status).toBe(200);
  expect(service.output() + JSON.stringify(record.body)).not.toContain(canary);
});
