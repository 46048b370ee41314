/** A switch with invalid NX-API responses: each is reported accurately, and no connection stays open. */
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SystemSession } from "../../../../plugins/drivers/napalm/system.ts";
import nxos from "../../../../plugins/drivers/napalm/systems/nxos/system.ts";
import { job, openOn, password } from "../open.ts";
import { type NxosSwitch, startNxosSwitch } from "./switch.ts";

const mebibyte = "x".repeat(1024 * 1024);

function send(status: number, type: string, text: string, headers: Record<string, string> = {}) {
  return (response: ServerResponse) =>
    void response.writeHead(status, { "Content-Type": type, ...headers }).end(text);
}

/** An endless response; records how much of it was sent. */
function endless(sent: { mebibytes: number }) {
  return (response: ServerResponse) => {
    response.writeHead(200, { "Content-Type": "application/json" });
    response.on("error", () => {});
    const more = () => {
      while (sent.mebibytes < 100 && !response.destroyed) {
        sent.mebibytes++;
        if (!response.write(mebibyte)) return void response.once("drain", more);
      }
      response.end();
    };
    more();
  };
}

const half = '{"jsonrpc": "2.0", "result": {"body": {"hostname": "sw';
const error = (text: string) =>
  JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    error: { code: -32602, message: "Invalid params", data: { msg: text } },
  });

const answers: readonly [string, (response: ServerResponse) => void, string, RegExp][] = [
  ["an HTML page", send(200, "text/html", "<html>Login</html>"), "DriverError", /sent an HTML page/],
  ["incomplete JSON", send(200, "application/json", half), "DriverError", /text that is not JSON/],
  ["an empty response", send(200, "application/json", ""), "DriverError", /sent nothing/],
  [
    "JSON that is not NX-API",
    send(200, "application/json", '{"ins_api": {}}'),
    "DriverError",
    /not an NX-API response/,
  ],
  ["an empty list", send(200, "application/json", "[]"), "DriverError", /fewer results/],
  ["401", send(401, "text/plain", "Unauthorized"), "AuthenticationFailed", /user name or password/],
  ["403", send(403, "text/plain", "Forbidden"), "AuthenticationFailed", /not allowed to use NX-API/],
  ["404", send(404, "text/html", "<html>"), "DriverError", /feature nxapi/],
  ["500 with an HTML page", send(500, "text/html", "<html>oops</html>"), "DriverError", /status 500/],
  [
    "500 with a refused command",
    send(500, "application/json", error("% Invalid command")),
    "CommandError",
    /% Invalid command/,
  ],
  ["503 with other JSON", send(503, "application/json", '{"busy": true}'), "DriverError", /status 503/],
  [
    "a redirect",
    send(302, "text/html", "", { Location: "http://192.0.2.9/" }),
    "DriverError",
    /redirects the request .302 to/,
  ],
];

let device: NxosSwitch;
beforeAll(async () => {
  device = await startNxosSwitch({ password });
});
afterAll(() => device.close());
const open = (optional: object = {}) =>
  openOn(nxos, { optional_args: { transport: "http", port: device.port, ...optional } }, job());

describe("an invalid NX-API response in an open session", () => {
  let session: SystemSession;
  beforeAll(async () => {
    session = await open();
  });
  afterAll(() => session.close());

  test.each(answers)("is reported: %s", async (_name, answer, kind, message) => {
    device.answerWith(answer);
    await expect(session.cli("show clock", job())).rejects.toMatchObject({
      kind,
      message: expect.stringMatching(message),
    });
    expect(await session.alive(job())).toBe(kind === "CommandError");
    device.answerWith(undefined);
    expect(await session.alive(job())).toBe(true);
  });

  test("that never ends is cut off", async () => {
    const sent = { mebibytes: 0 };
    device.answerWith(endless(sent));
    await expect(session.cli("show clock", job())).rejects.toMatchObject({ kind: "OutputTooLarge" });
    expect(sent.mebibytes).toBeLessThan(60);
    device.answerWith(undefined);
    expect(await session.cli("show hostname", job())).toBe("sw1");
  });
});

test.each(answers)(
  "an nxos session is not opened if the first response is %s",
  async (_name, answer, kind) => {
    device.answerWith(answer);
    const opened = open();
    if (kind === "CommandError") await (await opened).close();
    else await expect(opened).rejects.toMatchObject({ kind });
    device.answerWith(undefined);
  },
);

test("a wrong password, wrong transport or closed port fails the login with its reason", async () => {
  const wrong = openOn(
    nxos,
    { password: "x", optional_args: { transport: "http", port: device.port } },
    job(),
  );
  await expect(wrong).rejects.toMatchObject({ kind: "AuthenticationFailed" });
  await expect(open({ transport: "ssh" })).rejects.toThrow(/nxos_ssh/);
  await expect(open({ port: 1 })).rejects.toMatchObject({ kind: "ConnectionRefused" });
});
