/** A stateful EOS switch behind eAPI; its connection can be closed at any step. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import * as v from "valibot";
import { pause } from "../../../../src/base/time/deadline.ts";
import { createModel, Refusal, type SwitchModel } from "./model.ts";

const call = v.object({
  params: v.object({
    cmds: v.array(v.union([v.string(), v.object({ cmd: v.string(), input: v.string() })])),
    format: v.picklist(["json", "text"]),
  }),
});

export interface StatefulSwitch {
  readonly model: SwitchModel;
  readonly port: number;
  /** Command lists received, without `enable`. */
  readonly asked: readonly (readonly string[])[];
  /** Where to close the connection: at the list with a matching command, before or after it runs. */
  cut: { readonly at: RegExp; readonly when: "before" | "after" } | undefined;
  /** Where to delay: at the list with a matching command. */
  hold: { readonly at: RegExp; readonly until: Promise<void> } | undefined;
  close(): void;
}

export const password = "canary-stateful-1";
const authorization = `Basic ${Buffer.from(`admin:${password}`).toString("base64")}`;

export async function startStatefulSwitch(thinkMs = 15): Promise<StatefulSwitch> {
  const model = createModel();
  const asked: string[][] = [];

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += chunk;
    await pause(thinkMs);
    if (request.headers.authorization !== authorization) return void response.writeHead(401).end();
    const { cmds, format } = v.parse(call, JSON.parse(body)).params;
    const [, ...entries] = cmds.map((entry) =>
      typeof entry === "string" ? { cmd: entry, input: "" } : entry,
    );
    asked.push(entries.map(({ cmd }) => cmd));
    const cut = entries.some(({ cmd }) => device.cut?.at.test(cmd) === true) ? device.cut : undefined;
    if (cut !== undefined) device.cut = undefined;
    const hold = entries.some(({ cmd }) => device.hold?.at.test(cmd) === true) ? device.hold : undefined;
    if (hold !== undefined) device.hold = undefined;
    await hold?.until;
    if (cut?.when === "before") return void response.socket?.destroy();
    const answer = run(entries, format);
    if (cut?.when === "after") return void response.socket?.destroy();
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id: "patchbay", ...answer }));
  }

  function run(entries: readonly { cmd: string; input: string }[], format: "json" | "text") {
    const shell = model.shell();
    const results: unknown[] = [{}];
    for (const { cmd, input } of entries) {
      try {
        const said = shell(cmd, input);
        results.push(format === "text" ? { output: said } : said === "" ? {} : said);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        const message = `CLI command ${results.length + 1} of ${entries.length + 1} '${cmd}' failed`;
        return { error: { code: 1002, message, data: [...results, { errors: [error.message] }] } };
      }
    }
    return { result: results };
  }

  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const device: StatefulSwitch = {
    model,
    port: (server.address() as AddressInfo).port,
    asked,
    cut: undefined,
    hold: undefined,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return device;
}
