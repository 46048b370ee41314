/** A network namespace of its own: what a server does to addresses and routes does not reach this machine. */
import process from "node:process";
import { afterDeath } from "./janitor.ts";
import { run } from "./run.ts";

export interface Network {
  readonly name: string;
  /** The command that runs this one inside, under a host name of its own. */
  inside(hostname: string, command: readonly string[]): string[];
  remove(): void;
}

let counter = 0;

/** Only its loopback interface is up. */
export function addNetwork(): Network {
  const name = `pb-${process.pid}-${++counter}`;
  const callOff = afterDeath(["ip", "netns", "delete", name]);
  const remove = () => {
    run(["ip", "netns", "delete", name]);
    callOff();
  };
  try {
    run(["ip", "netns", "add", name], { mustSucceed: true });
    run(["ip", "-n", name, "link", "set", "lo", "up"], { mustSucceed: true });
  } catch (error) {
    remove();
    throw error;
  }
  const script = `hostname "$1" && shift && exec "$@"`;
  return {
    name,
    inside: (hostname, command) => [
      ...["ip", "netns", "exec", name, "unshare", "--uts", "sh", "-c", script, "sh", hostname],
      ...command,
    ],
    remove,
  };
}
