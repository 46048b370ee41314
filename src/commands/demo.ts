/** `patchbay demo`: starts the service and a simulated switch, and shows a tour of the HTTP API as curl commands. */
import process from "node:process";
import type { Command } from "commander";
import type { JobRecord } from "../api/jobs/job.ts";
import { ServiceError } from "../base/errors.ts";
import { silentLog } from "../base/log.ts";
import { noPluginSettings } from "../base/plugin-settings.ts";
import type { Config } from "../config/config.ts";
import type { Program } from "../service/program.ts";
import { startTemporary, type TemporaryService } from "../service/temporary.ts";
import type { Simulator } from "../testkit/simulator/simulator.ts";
import { configOf, withSettings } from "./options.ts";
import { print, untilSignal } from "./output.ts";

export function defineDemo(parent: Command, program: Program): void {
  const command = parent
    .command("demo")
    .description("start the service with a simulated switch and show a tour");
  withSettings(command, ["listen", "log_level"])
    .option("--once", "exit after the tour")
    .action(({ once = false }: { once?: boolean }, command: Command) =>
      demo(configOf(command), program, once),
    );
}

async function demo({ origins, values }: Config, program: Program, once: boolean): Promise<void> {
  const device = await startSwitch(program);
  const listen = origins.listen === "default" && once ? {} : { listen: values.listen };
  const service = await startTemporary(program, "warn", listen);
  try {
    print(
      `Patchbay listens on ${service.url}; a simulated switch listens on 127.0.0.1:${device.port} (SSH).`,
    );
    await tour(service, device);
    if (!once) {
      print(
        `\nThe service keeps running. URL: ${service.url}   key: ${service.key}\nThe switch: ssh -p ${device.port} ${device.username}@127.0.0.1 (password ${device.password}). Press Ctrl-C to stop both.`,
      );
      await untilSignal();
    }
  } finally {
    await service.stop();
    await device.stop();
  }
  process.exit(0);
}

async function startSwitch(program: Program): Promise<Simulator> {
  const { configuredPlugins } = await import("../service/plugins/plugins.ts");
  const { startSimulator } = await import("../testkit/simulator/simulator.ts");
  const registry = await configuredPlugins(
    { values: { plugins: [] }, pluginSettings: noPluginSettings },
    silentLog,
    program,
  );
  return startSimulator({ platform: registry.require("platform", "cisco_ios"), hostname: "SW1" });
}

async function tour(service: TemporaryService, device: Simulator): Promise<void> {
  const { port, username, password, secret } = device;
  const connection_args = { device_type: "cisco_ios", host: "127.0.0.1", port, username, password, secret };
  const query = await show<{ id: string }>(
    service,
    "A query: the answer is a job id …",
    "POST",
    "/device/execute",
    { driver: "netmiko", connection_args, command: "show version", parsing: { name: "textfsm" } },
  );
  await showEnd(
    service,
    "… and its result, parsed: TextFSM picks the template by platform and command",
    query.id,
  );
  const change = await show<{ id: string }>(
    service,
    "A configuration change, rendered from a Jinja2 template and saved",
    "POST",
    "/device/execute",
    {
      driver: "netmiko",
      connection_args,
      config: { id: 7, description: "made by patchbay" },
      rendering: { name: "jinja2", template: "interface Loopback{{ id }}\n description {{ description }}" },
      driver_args: { save: true },
    },
  );
  await showEnd(service, "… and the transcript of the push", change.id);
}

/** Prints one API call as curl, and its response. */
async function show<T>(
  { url, key, call }: TemporaryService,
  title: string,
  method: string,
  path: string,
  body?: object,
): Promise<T> {
  const text = body === undefined ? undefined : JSON.stringify(body, null, 2);
  const data =
    text === undefined
      ? ""
      : ` \\\n  -H 'Content-Type: application/json' -d '${text.replaceAll("'", "'\\''").replaceAll("\n", "\n  ")}'`;
  const verb = method === "POST" ? "" : ` -X ${method}`;
  print(`\n# ${title}`);
  print(`$ curl -s${verb} '${url}${path}' -H 'X-API-KEY: ${key}'${data}`);
  const answer = await call<T>(method, path, text);
  print(JSON.stringify(answer, null, 2));
  if (answer.code !== 200) throw new ServiceError("Internal", `The demo failed: ${answer.message}`);
  return answer.data;
}

async function showEnd(service: TemporaryService, title: string, id: string): Promise<void> {
  await service.ended(id);
  const [job] = await show<JobRecord[]>(service, title, "GET", `/job?id=${id}`);
  if (job?.status !== "finished")
    throw new ServiceError("Internal", `The demo's job ended as ${job?.status}.`);
}
