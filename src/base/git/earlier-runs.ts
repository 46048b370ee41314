/** Runs of git that have outlived the process that started them: killed with SIGKILL, it could not end them. On Linux. */
import { readdir, readFile, readlink, stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import process from "node:process";
import { ServiceError } from "../errors.ts";
import { pause } from "../time/deadline.ts";

/** A killed process is gone once its last system call has ended. */
const dyingMs = 30_000;

/**
 * Kills what an earlier process of this service runs in a folder that has no other user, and waits until it is gone. A
 * stopped run would never end by itself, and one that ends by itself writes until then.
 * @throws ServiceError Unavailable: it cannot be killed
 */
export async function endEarlierRuns(folder: string): Promise<void> {
  for (const until = performance.now() + dyingMs; ; await pause(10)) {
    const groups = await earlierRuns(folder);
    if (groups.length === 0) return;
    if (performance.now() > until)
      throw new ServiceError(
        "Unavailable",
        `A git of an earlier run (pid ${groups[0]}) does not end: ${folder}`,
      );
    for (const group of groups) killGroup(group);
  }
}

/** Process groups that run there with the variables of `startGit`, and not of this process. */
async function earlierRuns(folder: string): Promise<number[]> {
  const groups = new Set<number>();
  // A relative one may be meant from elsewhere; and /proc of another container has other numbers.
  const isKnown =
    isAbsolute(folder) && (await readlink("/proc/self").catch(() => "")) === String(process.pid);
  const here = isKnown ? await identityOf(folder) : undefined;
  for (const name of here === undefined ? [] : await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const variables = (await readFile(`/proc/${name}/environ`, "utf8").catch(() => "")).split("\0");
    if (!variables.includes(`HOME=${folder}`) || (await isOwn(Number(name)))) continue;
    // A container may have another folder of the same path.
    if ((await identityOf(`/proc/${name}/root${folder}`)) !== here) continue;
    const { group = 0 } = await kinOf(Number(name));
    if (group > 1) groups.add(group);
  }
  return [...groups];
}

async function identityOf(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found && `${found.dev} ${found.ino}`;
}

/** What is left of an earlier process has another parent by now. */
async function isOwn(pid: number): Promise<boolean> {
  for (let at: number | undefined = pid; at !== undefined && at > 0; at = (await kinOf(at)).parent)
    if (at === process.pid) return true;
  return false;
}

async function kinOf(pid: number): Promise<{ parent?: number | undefined; group?: number | undefined }> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const [, parent, group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return group === undefined ? {} : { parent: Number(parent), group: Number(group) };
}

function killGroup(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // Already exited.
  }
}
