/**
 * A strict systemctl fake for one unit that rejects unexpected arguments. It starts the unit's program as its
 * account and waits for READY=1 on a datagram socket, as for `Type=notify`.
 */
import { spawn } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import process from "node:process";
import { pause } from "../../src/base/time/deadline.ts";
import { listenForDatagrams } from "./datagrams.ts";

const unitFile = "/etc/systemd/system/patchbay.service";
const state = "/run/fake-systemd";
const pidFile = `${state}/pid`;

const [verb = "", ...rest] = process.argv.slice(2);
appendFileSync(`${state}/calls`, `${[verb, ...rest].join(" ")}\n`);
const unit = "patchbay.service";

switch ([verb, ...rest].join(" ")) {
  case "daemon-reload":
    writeFileSync(`${state}/loaded`, existsSync(unitFile) ? readFileSync(unitFile) : "");
    break;
  case `enable ${unit}`:
    requireUnit();
    break;
  case `start ${unit}`:
    await start();
    break;
  case `restart ${unit}`:
    await stop();
    await start();
    break;
  case `stop ${unit}`:
    await stop();
    break;
  case `disable --now ${unit}`:
    requireUnit();
    await stop();
    break;
  default:
    fail(`Unknown operation ${verb} ${rest.join(" ")}`);
}
process.exit(0);

function fail(text: string): never {
  process.stderr.write(`${text}\n`);
  process.exit(1);
}

/** The unit as of the last daemon-reload. */
function requireUnit(): string {
  const text = existsSync(`${state}/loaded`) ? readFileSync(`${state}/loaded`, "utf8") : "";
  return text === "" ? fail(`Unit ${unit} could not be found.`) : text;
}

function fieldOf(text: string, name: string): string {
  return new RegExp(`^${name}=(.*)$`, "m").exec(text)?.[1] ?? fail(`the unit has no ${name}`);
}

async function start(): Promise<void> {
  const text = requireUnit();
  if (fieldOf(text, "Type") !== "notify") fail("Type is not notify");
  const [uid, gid] = (
    readFileSync("/etc/passwd", "utf8")
      .split("\n")
      .find((line) => line.startsWith(`${fieldOf(text, "User")}:`)) ?? fail("no such account")
  )
    .split(":")
    .slice(2, 4)
    .map(Number);
  const heard = listenForDatagrams(`${state}/notify`);
  // As with systemd's own socket, any account may write to it.
  chmodSync(`${state}/notify`, 0o777);
  const [program = "", ...args] = fieldOf(text, "ExecStart").split(" ");
  const log = openSync(`${state}/journal`, "a");
  const given = fieldOf(text, "Environment").split(" ");
  const environment = given.map((one): [string, string] => [
    one.split("=")[0] ?? "",
    one.split("=")[1] ?? "",
  ]);
  const child = spawn(program, args, {
    detached: true,
    stdio: ["ignore", log, log],
    cwd: fieldOf(text, "WorkingDirectory"),
    env: {
      ...Object.fromEntries(environment),
      PATH: "/usr/bin:/bin",
      NOTIFY_SOCKET: `${state}/notify`,
      WATCHDOG_USEC: "60000000",
    },
    ...(uid === undefined || gid === undefined ? {} : { uid, gid }),
  });
  let ended = false;
  child.on("exit", () => (ended = true));
  child.on("error", () => (ended = true));
  writeFileSync(pidFile, String(child.pid));
  while (!heard.take().some((one) => one.split("\n").includes("READY=1"))) {
    if (ended) {
      rmSync(pidFile);
      fail(`Job for ${unit} failed because the control process exited with error code.`);
    }
    await pause(10);
  }
  child.unref();
}

async function stop(): Promise<void> {
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, "utf8"));
  rmSync(pidFile);
  try {
    process.kill(pid, "SIGTERM");
    for (;;) {
      // Polls until it has ended: it is not our child process.
      process.kill(pid, 0);
      if (/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))) return;
      await pause(10);
    }
  } catch {
    // It has ended.
  }
}
