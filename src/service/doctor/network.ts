/** Checks that the service answers at its address, and that devices can be reached. */
import * as http from "node:http";
import * as https from "node:https";
import { connect } from "node:net";
import { messageOf } from "../../base/errors.ts";
import type { Config } from "../../config/config.ts";
import { tlsFiles } from "../tls/tls.ts";
import { providerTroubles } from "../wiring/sign-in.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

const answerMs = 5_000;
const maxChars = 2_000;
const notThere =
  "Start it: `patchbay serve`. If it was started with another address, give that here, too: --listen <host:port>, PATCHBAY_LISTEN, or its --config file.";

export async function checkListening(config: Config): Promise<Finding[]> {
  const { listen } = config.values;
  const check = "service";
  try {
    const { status, text } = await readyz(listen, tlsFiles(config) !== undefined);
    if (status === 200) return [ok(check, `takes work on ${listen}`)];
    return [warn(check, `on ${listen} accepts no work: ${text}`, "See its log.")];
  } catch (error) {
    // It is running, but rejects a caller without a certificate.
    if (config.values.tls_client_ca !== undefined && !isRefused(error))
      return [warn(check, `on ${listen} requires client certificates`, "Query its /readyz with one.")];
    return [warn(check, `does not answer on ${listen}: ${messageOf(error)}`, notThere)];
  }
}

export async function checkProviders(config: Config): Promise<Finding[]> {
  const check = "sign-in";
  const { key_login: byKey } = config.values;
  const advice = `People cannot sign in by it${byKey ? "" : ", and sign-in with a key is switched off"}; open sessions go on. See docs/guides/sign-in.md.`;
  return (await providerTroubles(config)).map(({ name, issuer, trouble }) =>
    trouble === undefined ? ok(check, `${name} answers at ${issuer}`) : fail(check, trouble, advice),
  );
}

function isRefused(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ECONNREFUSED";
}

function readyz(listen: string, tls: boolean): Promise<{ status: number; text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const at = listen.lastIndexOf(":");
  const named = listen.slice(0, at).replace(/^\[(.*)\]$/, "$1");
  // A wildcard address cannot be connected to.
  const host = named === "0.0.0.0" ? "127.0.0.1" : named === "::" ? "::1" : named;
  const where = listen.startsWith("unix:")
    ? { socketPath: listen.slice("unix:".length) }
    : { host, port: Number(listen.slice(at + 1)) };
  const options = { ...where, path: "/readyz", timeout: answerMs, rejectUnauthorized: false };
  const request = (tls ? https : http).get(options, (response) => {
    let text = "";
    response.setEncoding("utf8");
    response.on("data", (piece: string) => (text = (text + piece).slice(0, maxChars)));
    response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    response.on("error", reject);
  });
  request.on("timeout", () => request.destroy(new Error("no answer in time")));
  request.on("error", reject);
  return promise;
}

export function checkDevices(devices: readonly string[]): Promise<Finding[]> {
  return Promise.all(devices.map(checkDevice));
}

function checkDevice(device: string): Promise<Finding> {
  const at = device.lastIndexOf(":");
  const port = Number(device.slice(at + 1));
  const host = device.slice(0, at).replace(/^\[(.*)\]$/, "$1");
  if (at < 1 || !Number.isInteger(port) || port < 1 || port > 65_535)
    return Promise.resolve(
      fail("device", `${device} is not <host>:<port>`, "Give one such as 192.0.2.1:22."),
    );
  const { promise, resolve } = Promise.withResolvers<Finding>();
  const startedAt = performance.now();
  const socket = connect({ host, port, timeout: answerMs });
  const end = (finding: Finding) => {
    socket.destroy();
    resolve(finding);
  };
  const onTheWay = "Check routes and packet filters on the way.";
  const adviceOn = (error: Error) =>
    "code" in error && error.code === "ECONNREFUSED"
      ? "The host answers: check the port, and that the device listens on it."
      : "code" in error && (error.code === "ENOTFOUND" || error.code === "EAI_AGAIN")
        ? "Check the name and the resolver of this machine."
        : onTheWay;
  socket.on("connect", () =>
    end(ok("device", `${device} answers in ${Math.round(performance.now() - startedAt)} ms`)),
  );
  socket.on("timeout", () => end(fail("device", `${device} does not answer`, onTheWay)));
  socket.on("error", (error) => end(fail("device", `${device}: ${error.message}`, adviceOn(error))));
  return promise;
}
