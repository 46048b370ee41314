/**
 * Tests the life cycle of an appliance with nothing but the program: an unprivileged account, a read-only
 * root filesystem, noexec /tmp. Start, key, credential, a platform from one file, a job, a backup under load,
 * its restore elsewhere (the device counts that nothing is pushed twice), upgrade and downgrade.
 * node scripts/run.mjs scripts/appliance.ts [--previous=<program> --program=<program>]; needs root and Linux
 */
import { createHash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import acme from "../examples/acme-os/plugin.ts";
import { simulate } from "../src/testkit/device.ts";
import { tempFolder } from "../src/testkit/service.ts";
import { type Appliance, openAppliance, type Served } from "./testbed/appliance.ts";

const option = (name: string) =>
  process.argv.find((arg) => arg.startsWith(`--${name}=`))?.slice(`--${name}=`.length);

/** Number of pushes in the load; each sends a unique line. */
const pushes = 60;
const made = tempFolder("patchbay-appliance-");
const device = await simulate(acme, { hostname: "R1", latencyMs: 20 });
let appliance: Appliance | undefined;
try {
  const previous = option("previous") ?? build("previous", "--as-version=0.1.9");
  const program = option("program") ?? build("program");
  appliance = await openAppliance(previous);
  await live(appliance, program);
  console.log("All steps passed.");
} finally {
  await appliance?.close();
  await device.stop();
  rmSync(made, { recursive: true, force: true });
}

function build(name: string, ...more: string[]): string {
  const path = join(made, name);
  const command = [process.execPath, "scripts/build-binary.ts", `--outfile=${path}`, ...more];
  if (Bun.spawnSync(command, { stdout: "ignore", stderr: "inherit" }).exitCode !== 0)
    throw new Error("the build failed");
  return path;
}

async function live(box: Appliance, program: string): Promise<void> {
  let service = await box.serve("data");
  await service.ready();
  tell("started", await service.version());
  const key = box
    .run("patchbay", ["key", "add", "robot", "--scope", "admin", "--data-dir", box.inside("data")])
    .trim();
  service = service.withKey(key);
  const secrets = JSON.stringify({
    username: device.username,
    password: device.password,
    secret: device.secret,
  });
  box.run("patchbay", ["credential", "set", "lab", "--data-dir", box.inside("data")], secrets);
  box.write("data/plugins/acme-os.ts", readFileSync("examples/acme-os/plugin.ts", "utf8"));
  await service.reload("acme-os");
  const shown = await service.run({ ...target(), command: "show clock" });
  must(shown.status === "finished", `the query ended as ${JSON.stringify(shown)}`);
  tell("key, credential, platform by one file, query", "done");

  const bulk = await service.bulk(loadOf());
  box.run("patchbay", ["backup", box.inside("copy.backup"), "--data-dir", box.inside("data")]);
  const waiting = (await service.jobs(bulk)).filter(({ status }) => status === "queued").length;
  tell("backup under load", `${waiting} of ${pushes} pushes still waited behind it`);
  await service.ended(bulk);
  await service.stop();
  pushedOnce("after the load");

  await restored(box, key);
  pushedOnce("after the restored one has run");
  await upgraded(box, program, key);
  pushedOnce("after upgrade and downgrade");
}

function target() {
  const credential = { name: "file", ref: "lab" };
  const connection_args = { host: "127.0.0.1", port: device.port, device_type: "acme_os", credential };
  return { driver: "netmiko", connection_args };
}

function loadOf() {
  const devices = Array.from({ length: pushes }, (_, n) => ({ config: [`push ${n}`] }));
  return { ...target(), config: ["hostname R1"], devices };
}

/** Checks that the device received each line of the load exactly once. */
function pushedOnce(when: string): void {
  const counts = new Map<string, number>();
  for (const line of device.commands().filter((one) => /^push \d+$/.test(one.trim())))
    counts.set(line.trim(), (counts.get(line.trim()) ?? 0) + 1);
  const often = [...counts].filter(([, count]) => count !== 1);
  must(
    counts.size === pushes && often.length === 0,
    `${when}: ${counts.size} lines, ${JSON.stringify(often)}`,
  );
  tell(when, `each of ${pushes} pushes reached the device once`);
}

async function restored(box: Appliance, key: string): Promise<void> {
  const keyFile = ["--master-key-file", box.inside("data/master.key")];
  box.run("patchbay", [
    "restore",
    box.inside("copy.backup"),
    "--data-dir",
    box.inside("elsewhere"),
    ...keyFile,
  ]);
  const service = (await box.serve("elsewhere")).withKey(key);
  await service.ready();
  // The queue is FIFO: once this job runs, everything queued before it has been claimed.
  const after = await service.run({ ...target(), command: "show clock" });
  must(after.status === "finished", `the query ended as ${after.status}`);
  const held = await service.held();
  await service.stop();
  tell("restored elsewhere", `${held} jobs are held`);
}

async function upgraded(box: Appliance, program: string, key: string): Promise<void> {
  const former = box.path("patchbay");
  const kept = join(made, "former");
  await Bun.write(kept, Bun.file(former));
  for (const file of [program, kept]) {
    await box.put(file, "next");
    const sum = createHash("sha256").update(readFileSync(file)).digest("hex");
    const place = ["--program", box.inside("patchbay"), "--data-dir", box.inside("data"), "--no-restart"];
    box.run("patchbay", ["upgrade", box.inside("next"), "--sha256", sum, ...place]);
    const service: Served = (await box.serve("data")).withKey(key);
    await service.ready();
    const jobs = await service.count();
    must(jobs >= pushes, `only ${jobs} jobs are there`);
    tell("upgrade", `${await service.version()} runs, with all jobs`);
    await service.stop();
  }
}

function must(holds: boolean, text: string): void {
  if (!holds) throw new Error(text);
}

function tell(step: string, text: string): void {
  console.log(`${step}: ${text}`);
}
