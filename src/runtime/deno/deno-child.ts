/** Child processes on Deno: started as in Node, with JSON messages. */
import { once } from "node:events";
import process from "node:process";
import { childProcess } from "../../base/lazy-modules.ts";
import { type Child, usageOf } from "../usage.ts";

/** Location of Deno's compile cache: without it, each child would compile the program again. */
const cacheNames = ["DENO_DIR", "XDG_CACHE_HOME", "HOME"];

export function forkDenoChild<In, Out>(
  script: string | undefined,
  args: readonly string[],
  asService: boolean,
): Child<In, Out> {
  const output = asService ? "ignore" : "inherit";
  const child = childProcess().fork(script ?? "", [...args], {
    stdio: ["ignore", output, output, "ipc"],
    // Else nothing more of the parent's environment, which may hold the master key.
    env: asService ? process.env : Object.fromEntries(cacheNames.map((name) => [name, process.env[name]])),
    serialization: "json",
  });
  // Sending to a child that has exited fails; its exit is reported separately.
  child.on("error", () => {});
  const exited = once(child, "exit").then(([code]: (number | null)[]) => code ?? null);
  return {
    pid: child.pid ?? 0,
    post(message) {
      if (child.connected) child.send(plain(message));
    },
    onMessage: (listener) => void child.on("message", (message) => listener(message as In)),
    kill: () => void child.kill("SIGKILL"),
    exited,
    usage: () => usageOf(child.pid ?? 0),
  };
}

/** Removes the shared lease clock, which other processes cannot access. */
function plain(message: unknown): object {
  return JSON.parse(
    JSON.stringify(message, (_name, value) => (value instanceof SharedArrayBuffer ? undefined : value)),
  );
}
