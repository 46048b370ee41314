/** An isolated environment for the program: an unprivileged account in a mount namespace with a read-only root. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as v from "valibot";
import { freePort } from "../../src/testkit/port.ts";
import { tempFolder } from "../../src/testkit/service.ts";

/** Not used by any account of the system. */
const uid = 61_234;
const folderInside = "/srv";

const jobSchema = v.object({ id: v.string(), status: v.string() });
type Job = v.InferOutput<typeof jobSchema>;

export interface Appliance {
  /** Path of a file in its folder, as seen from outside and from inside. */
  path(name: string): string;
  inside(name: string): string;
  write(name: string, text: string): void;
  put(file: string, name: string): Promise<void>;
  /** @returns its output; @throws if it failed */
  run(program: string, args: readonly string[], input?: string): string;
  serve(dataDir: string): Promise<Served>;
  close(): Promise<void>;
}

export interface Served {
  withKey(key: string): Served;
  ready(): Promise<void>;
  version(): Promise<string>;
  /** Loads a plugin from its plugin folder. */
  reload(plugin: string): Promise<void>;
  run(body: object): Promise<Job>;
  /** @returns its id. */
  bulk(body: object): Promise<string>;
  jobs(bulk: string): Promise<Job[]>;
  ended(bulk: string): Promise<void>;
  held(): Promise<number>;
  count(): Promise<number>;
  stop(): Promise<void>;
}

export async function openAppliance(program: string): Promise<Appliance> {
  const folder = tempFolder("patchbay-place-");
  cpSync(program, join(folder, "patchbay"));
  chownSync(folder, uid, uid);
  chownSync(join(folder, "patchbay"), uid, uid);
  const mounts = [
    `mount --bind ${folder} ${folderInside}`,
    "mount -t tmpfs -o noexec,nosuid,size=64m,mode=1777 tmpfs /tmp",
    "mount -o remount,bind,ro /",
  ].join(" && ");
  const holder = spawn(
    "unshare",
    ["--mount", "--propagation", "private", "sh", "-c", `${mounts} && echo ready && exec cat`],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  await once(holder.stdout, "data");
  const without = ["--reuid", String(uid), "--regid", String(uid), "--clear-groups", "--no-new-privs"];
  const within = [`--target=${holder.pid}`, "--mount", "setpriv", ...without];
  const running = new Set<ChildProcess>();
  return {
    path: (name) => join(folder, name),
    inside: (name) => join(folderInside, name),
    write(name, text) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
      for (const path of [name, dirname(name)]) chownSync(join(folder, path), uid, uid);
    },
    async put(file, name) {
      cpSync(file, join(folder, name));
      chownSync(join(folder, name), uid, uid);
    },
    run(name, args, input) {
      const done = spawnSync("nsenter", [...within, join(folderInside, name), ...args], {
        encoding: "utf8",
        env: {},
        ...(input === undefined ? {} : { input }),
      });
      if (done.status !== 0) throw new Error(`${name} ${args.join(" ")}: ${done.stdout}${done.stderr}`);
      return done.stdout;
    },
    async serve(dataDir) {
      const port = await freePort();
      const child = spawn("nsenter", [...within, join(folderInside, "patchbay"), "serve"], {
        stdio: ["ignore", "pipe", "pipe"],
        env: {
          PATCHBAY_DATA_DIR: join(folderInside, dataDir),
          PATCHBAY_LISTEN: `127.0.0.1:${port}`,
          PATCHBAY_API_KEY: "appliance-first-key-0123456789",
          PATCHBAY_SLOTS: "2",
        },
      });
      running.add(child);
      child.on("exit", () => running.delete(child));
      return served(child, `http://127.0.0.1:${port}`, "appliance-first-key-0123456789");
    },
    async close() {
      for (const child of running) child.kill("SIGKILL");
      const ended = once(holder, "exit");
      holder.stdin.end();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function served(child: ChildProcess, url: string, key: string): Served {
  let text = "";
  let code: number | null | undefined;
  const exited = once(child, "exit").then(([value]) => (code = typeof value === "number" ? value : null));
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (part: Buffer) => (text += part));
  return clientOf({ child, url, key, exited, output: () => text, code: () => code });
}

interface Parts {
  readonly child: ChildProcess;
  readonly url: string;
  readonly key: string;
  readonly exited: Promise<unknown>;
  output(): string;
  code(): number | null | undefined;
}

function clientOf(parts: Parts): Served {
  const { child, url, key, exited, output, code } = parts;
  async function call(path: string, body?: object): Promise<unknown> {
    const response = await fetch(url + path, {
      headers: { "X-API-KEY": key, "Content-Type": "application/json" },
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    });
    const answer = v.parse(v.object({ message: v.string(), data: v.unknown() }), await response.json());
    if (!response.ok) throw new Error(`${path}: ${response.status} ${answer.message}`);
    return answer.data;
  }
  const list = async (query: string) => v.parse(v.array(jobSchema), await call(`/job?${query}`));
  const over = (jobs: readonly Job[]) =>
    jobs.every(({ status }) => status !== "queued" && status !== "running");
  /** Polls until the condition holds; steps of this script have no timeouts of their own. */
  async function until(holds: () => Promise<boolean>): Promise<void> {
    while (!(await holds())) {
      if (code() !== undefined) throw new Error(`the service ended with ${code()}:\n${output()}`);
      await Bun.sleep(20);
    }
  }
  return {
    withKey: (other) => clientOf({ ...parts, key: other }),
    ready: () =>
      until(() =>
        fetch(`${url}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        ),
      ),
    async version() {
      const text = await (await fetch(`${url}/metrics`, { headers: { "X-API-KEY": key } })).text();
      const started = /"version":"([^"]+)"/.exec(output())?.[1];
      return started ?? /patchbay_build_info\{version="([^"]+)"/.exec(text)?.[1] ?? "of no known version";
    },
    async reload(plugin) {
      child.kill("SIGHUP");
      await until(async () =>
        JSON.stringify(await call("/plugin")).includes(`"${plugin.replace("-", "_")}"`),
      );
    },
    async run(body) {
      const { id } = v.parse(v.object({ id: v.string() }), await call("/device/execute", body));
      let found: Job | undefined;
      await until(async () => {
        [found] = await list(`id=${id}`);
        return found !== undefined && over([found]);
      });
      if (found === undefined) throw new Error(`no job ${id}`);
      return found;
    },
    async bulk(body) {
      return v.parse(v.object({ bulk_id: v.string() }), await call("/device/bulk", body)).bulk_id;
    },
    jobs: (bulk) => list(`bulk_id=${bulk}&limit=500`),
    ended: (bulk) => until(async () => over(await list(`bulk_id=${bulk}&limit=500`))),
    held: async () => (await list("status=held&limit=500")).length,
    count: async () => (await list("limit=500")).length,
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}
