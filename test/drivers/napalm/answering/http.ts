/** eAPI and NX-API over http and https that answer with given texts; one request may have several commands. */
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttps } from "node:https";
import type { AddressInfo } from "node:net";
import * as v from "valibot";
import { pause } from "../../../../src/base/time/deadline.ts";
import { selfSigned } from "../../../support/certificates.ts";
import { type AnsweringDevice, type Answers, login } from "./answers.ts";

interface Reply {
  readonly status?: number;
  readonly body: object;
}

/** The switch takes this long for a request. */
const thinkMs = 15;
const authorization = `Basic ${Buffer.from(`${login.username}:${login.password}`).toString("base64")}`;

/** @param path the only path it serves */
async function startHttp(
  path: string,
  reply: (body: string, asked: string[]) => Reply,
): Promise<AnsweringDevice> {
  const asked: string[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    await pause(thinkMs);
    if (request.url !== path) return void response.writeHead(404).end();
    if (request.headers.authorization !== authorization) return void response.writeHead(401).end();
    const { status = 200, body: answer } = reply(body, asked);
    response.writeHead(status, { "Content-Type": "application/json" });
    const text = JSON.stringify(answer);
    // Packets may end anywhere.
    response.write(text.slice(0, text.length >> 1));
    await pause(1);
    response.end(text.slice(text.length >> 1));
  };
  const listener = (request: IncomingMessage, response: ServerResponse) =>
    void serve(request, response).catch((error) => response.writeHead(500).end(String(error)));
  const servers = [createHttps(await selfSigned(), listener), createHttp(listener)] as const;
  for (const server of servers) await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const [port, httpPort] = servers.map((server) => (server.address() as AddressInfo).port);
  return {
    port: port ?? 0,
    httpPort: httpPort ?? 0,
    asked,
    close() {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

const eapi = v.object({
  params: v.object({
    cmds: v.array(v.union([v.string(), v.object({ cmd: v.string(), input: v.string() })])),
    format: v.picklist(["json", "text"]),
  }),
});

/** The request is a command; one for text begins with `text `. */
export const startEapi = (answers: Answers): Promise<AnsweringDevice> =>
  startHttp("/command-api", (body, asked) => {
    const { cmds, format } = v.parse(eapi, JSON.parse(body)).params;
    const results: unknown[] = [];
    for (const entry of cmds) {
      const cmd = typeof entry === "string" ? entry : entry.cmd;
      asked.push(cmd);
      const text = cmd === "enable" ? "{}" : answers.to(format === "text" ? `text ${cmd}` : cmd);
      if (text === undefined) return { body: refusedByEapi(cmd, cmds.length, results) };
      results.push(format === "text" ? { output: cmd === "enable" ? "" : text } : JSON.parse(text));
    }
    return { body: { jsonrpc: "2.0", id: "patchbay", result: results } };
  });

function refusedByEapi(cmd: string, count: number, results: readonly unknown[]): object {
  const at = results.length;
  const message = `CLI command ${at + 1} of ${count} '${cmd}' failed: invalid command`;
  const errors = [`Invalid input (at token ${cmd.split(" ").length - 1}: '${cmd.split(" ").at(-1)}')`];
  return { jsonrpc: "2.0", id: "patchbay", error: { code: 1002, message, data: [...results, { errors }] } };
}

const nxapi = v.array(
  v.object({
    id: v.number(),
    method: v.picklist(["cli", "cli_ascii"]),
    params: v.object({ cmd: v.string() }),
  }),
);

/** As eAPI; a refusal ends the list. */
export const startNxapi = (answers: Answers): Promise<AnsweringDevice> =>
  startHttp("/ins", (body, asked) => {
    const replies: object[] = [];
    for (const { id, method, params } of v.parse(nxapi, JSON.parse(body))) {
      asked.push(params.cmd);
      const isText = method === "cli_ascii";
      const text = answers.to(isText ? `text ${params.cmd}` : params.cmd);
      if (text === undefined) {
        const data = { msg: "                 ^\n% Invalid command at '^' marker.\n" };
        replies.push({ jsonrpc: "2.0", error: { code: -32602, message: "Invalid params", data }, id });
        return { status: 400, body: replies.length === 1 ? (replies[0] ?? {}) : replies };
      }
      // Without output there is no result.
      const result = isText ? { msg: text } : text.trim() === "" ? null : { body: JSON.parse(text) };
      replies.push({ jsonrpc: "2.0", result, id });
    }
    return { body: replies.length === 1 ? (replies[0] ?? {}) : replies };
  });
