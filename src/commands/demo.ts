/** `patchbay demo`: the service, a simulated switch and a tour through the HTTP API, every request shown as curl. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { builtins } from "../../plugins/index.ts";
import { makeApiKey } from "../auth/keys.ts";
import { pause } from "../base/deadline.ts";
import { ServiceError } from "../base/errors.ts";
import { createLog } from "../base/log.ts";
import { type Config, loadConfig } from "../config/config.ts";
import type { JobRecord } from "../model/job.ts";
import { createRegistry } from "../registry/registry.ts";
import type { Program } from "../service/program.ts";
import { startService } from "../service/service.ts";
import { startSimulator } from "../simulator/simulator.ts";

const print = (text = "") => void process.stdout.write(`${text}\n`);

export async function demo(config: Config, program: Program, once: boolean): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), "patchbay-demo-"));
  const key = makeApiKey();
  const listen = config.origins.listen === "default" && once ? "127.0.0.1:0" : config.values.listen;
  const own = loadConfig({
    flags: { data_dir: data, listen, log_level: "warn" },
    environment: { PATCHBAY_API_KEY: key },
  });
  const registry = createRegistry();
  for (const plugin of builtins) registry.add(plugin, "builtin");
  const device = await startSimulator({
    platform: registry.demand("platform", "cisco_ios"),
    hostname: "SW1",
  });
  const service = await startService(own, program, createLog({ level: "warn", format: "pretty" }));
  try {
    print(
      `Patchbay listens on ${service.url}; a simulated switch listens on 127.0.0.1:${device.port} (SSH).`,
    );
    await tour({
      url: service.url,
      key,
      port: device.port,
      username: device.username,
      password: device.password,
      secret: device.secret,
    });
    if (!once) {
      print(
        `\nIt stays up. URL: ${service.url}   key: ${key}\nThe switch: ssh -p ${device.port} ${device.username}@127.0.0.1 (password ${device.password}). Ctrl-C ends both.`,
      );
      await new Promise<void>((resolve) => {
        for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve());
      });
    }
  } finally {
    await service.stop(2_000);
    await device.stop();
    rmSync(data, { recursive: true, force: true });
  }
  process.exit(0);
}

interface Tour {
  readonly url: string;
  readonly key: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly secret: string;
}

async function tour({ url, key, port, username, password, secret }: Tour): Promise<void> {
  const connection_args = { device_type: "cisco_ios", host: "127.0.0.1", port, username, password, secret };

  async function call<T>(title: string, method: string, path: string, body?: object): Promise<T> {
    print(`\n# ${title}`);
    const text = body === undefined ? undefined : JSON.stringify(body, null, 2);
    const data =
      text === undefined
        ? ""
        : ` \\\n  -H 'Content-Type: application/json' -d '${text.replaceAll("'", "'\\''").replaceAll("\n", "\n  ")}'`;
    print(
      `$ curl -s${method === "POST" ? "" : ` -X ${method}`} '${url}${path}' -H 'X-API-KEY: ${key}'${data}`,
    );
    const response = await fetch(url + path, {
      method,
      headers: { "X-API-KEY": key, "Content-Type": "application/json" },
      ...(text === undefined ? {} : { body: text }),
    });
    // Our own service's answer: its shape is ours.
    const answer = (await response.json()) as { code: number; message: string; data: T };
    print(JSON.stringify(answer, null, 2));
    if (answer.code !== 200) throw new ServiceError("Internal", `The demo met an error: ${answer.message}`);
    return answer.data;
  }

  async function ended(title: string, id: string): Promise<JobRecord> {
    await waitForEnd(url, key, id);
    const [job] = await call<JobRecord[]>(title, "GET", `/job?id=${id}`);
    if (job?.status !== "finished")
      throw new ServiceError("Internal", `The demo's job ended as ${job?.status}.`);
    return job;
  }

  const query = await call<{ id: string }>("A query: the answer is a job id …", "POST", "/device/execute", {
    driver: "netmiko",
    connection_args,
    command: "show version",
    parsing: { name: "textfsm" },
  });
  await ended("… and its result, parsed: TextFSM picks the template by platform and command", query.id);
  const change = await call<{ id: string }>(
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
  await ended("… and the transcript of the push", change.id);
}

/** The tour waits for the job without showing every look at it. */
async function waitForEnd(url: string, key: string, id: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/job?id=${id}`, { headers: { "X-API-KEY": key } });
    const { data } = (await response.json()) as { data: JobRecord[] };
    if (data[0] && data[0].status !== "queued" && data[0].status !== "running") return;
    await pause(20);
  }
}
