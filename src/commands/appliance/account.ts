/** Creates and looks up the system account of the service. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { account, dataDir } from "../../service/appliance/layout.ts";
import { mustRun, run } from "./system.ts";

export interface Account {
  readonly uid: number;
  readonly gid: number;
}

export function findAccount(root: string): Account | undefined {
  let text: string;
  try {
    text = readFileSync(join(root, "/etc/passwd"), "utf8");
  } catch {
    return undefined;
  }
  const fields = text
    .split("\n")
    .map((line) => line.split(":"))
    .find(([name]) => name === account);
  return fields === undefined ? undefined : { uid: Number(fields[2]), gid: Number(fields[3]) };
}

/** Creates a system account without a login shell. */
export function makeAccount(): Account | undefined {
  const useradd = ["--system", "--user-group", "--home-dir", dataDir, "--no-create-home"];
  const { ok, missing, text } = run("useradd", [...useradd, "--shell", "/usr/sbin/nologin", account]);
  if (missing) {
    // BusyBox, as in Alpine Linux.
    mustRun("addgroup", "-S", account);
    mustRun("adduser", "-S", "-D", "-H", "-h", dataDir, "-s", "/sbin/nologin", "-G", account, account);
  } else if (!ok) throw new Error(`useradd failed: ${text}`);
  return findAccount("/");
}

export function removeAccount(): void {
  const { missing } = run("userdel", [account]);
  if (missing) run("deluser", [account]);
}
