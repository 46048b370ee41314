/** Temporary files on the device with unique names: written, verified, deleted. */
import { createHash, randomBytes } from "node:crypto";
import type { CliSession, Context } from "patchbay/plugin";
import { PluginError } from "patchbay/plugin";
import { answered } from "../../../common/cli-dialogue.ts";
import { firstGroup } from "../../../common/text.ts";
import { writeByTcl } from "./tcl.ts";

/** For writing and hashing on slow flash. */
const slow = { readTimeoutMs: 180_000 };

export interface FileOptions {
  /** `dest_file_system`; default: the file system that `dir` shows. */
  readonly fileSystem?: string;
  /** Uses SCP; if absent, the terminal. */
  put?(file: string, content: string, ctx: Context): Promise<void>;
}

export interface DeviceFiles {
  /** A unique name on the file system. */
  named(kind: "candidate" | "before"): string;
  /** The configuration before the service's last commit, used by `rollback`. */
  readonly backup: string;
  /** @throws PluginError CommandError if there is no space, or the content differs */
  write(cli: CliSession, file: string, content: string, ctx: Context): Promise<void>;
  exists(cli: CliSession, file: string, ctx: Context): Promise<boolean>;
  copyRunning(cli: CliSession, file: string, ctx: Context): Promise<void>;
  rename(cli: CliSession, from: string, to: string, ctx: Context): Promise<void>;
  delete(cli: CliSession, file: string, ctx: Context): Promise<void>;
}

export async function deviceFiles(cli: CliSession, options: FileOptions, ctx: Context): Promise<DeviceFiles> {
  const root = options.fileSystem ?? (await defaultFileSystem(cli, ctx));
  const onDevice = (name: string) => `${root}${root.endsWith("/") ? "" : "/"}${name}`;
  const ask = (cli: CliSession, command: string, ctx: Context) => answered(cli, command, slow, ctx);

  async function exists(cli: CliSession, file: string, ctx: Context): Promise<boolean> {
    return !isFault(await ask(cli, `dir ${file}`, ctx));
  }

  async function remove(cli: CliSession, file: string, ctx: Context): Promise<void> {
    if (await exists(cli, file, ctx))
      requireDone(await ask(cli, `delete /force ${file}`, ctx), `delete ${file}`);
  }

  return {
    named: (kind) => onDevice(`patchbay-${kind}-${randomBytes(6).toString("hex")}.cfg`),
    backup: onDevice("patchbay-rollback.cfg"),
    exists,
    delete: remove,
    async write(cli, file, content, ctx) {
      requireRoom(await ask(cli, `dir ${root}`, ctx), root, content);
      const command = `verify /md5 ${file}`;
      const arrived = async () =>
        firstGroup(/= ([0-9a-f]{32})/i, await ask(cli, command, ctx))?.toLowerCase() === md5Of(content);
      // Some devices close the copy silently, so the file itself is checked.
      if ((await putFile(cli, file, content, options, ctx)) && (await arrived())) return;
      await writeByTcl(cli, file, content, ctx);
      if (!(await arrived()))
        throw refusedFile(command, "", "the file on the device differs from the one sent");
    },
    async copyRunning(cli, file, ctx) {
      const command = `copy running-config ${file}`;
      const output = await ask(cli, command, ctx);
      if (isFault(output) || !(await exists(cli, file, ctx)))
        throw refusedFile(command, output, "the running configuration could not be backed up");
    },
    async rename(cli, from, to, ctx) {
      await remove(cli, to, ctx);
      const command = `rename ${from} ${to}`;
      requireDone(await ask(cli, command, ctx), command);
    },
  };
}

async function defaultFileSystem(cli: CliSession, ctx: Context): Promise<string> {
  const output = await answered(cli, "dir", slow, ctx);
  const root = firstGroup(/^Directory of (\S+?:)\/?/m, output);
  if (root !== undefined) return root;
  throw new PluginError(
    "CommandError",
    `The device does not show its file system: set optional_args.dest_file_system. Its output: ${output.slice(0, 200)}`,
    { command: "dir", output, outcome: "none" },
  );
}

function requireRoom(output: string, root: string, content: string): void {
  const free = firstGroup(/\((\d+) bytes free\)/, output);
  const size = Buffer.byteLength(content);
  if (free === undefined || Number(free) >= size) return;
  throw new PluginError(
    "CommandError",
    `There is not enough space on ${root} (${size} bytes needed, ${free} free).`,
    { command: `dir ${root}`, output, outcome: "none" },
  );
}

/**
 * Uses SCP if the device has it enabled; never changes the configuration to enable it. Returns false if SCP was not
 * tried.
 */
async function putFile(
  cli: CliSession,
  file: string,
  content: string,
  { put }: FileOptions,
  ctx: Context,
): Promise<boolean> {
  if (put === undefined) return false;
  const enabled = await answered(cli, "show running-config | include ip scp server enable", slow, ctx);
  if (!/^ip scp server enable/m.test(enabled)) return false;
  try {
    await put(file, content, ctx);
  } catch (error) {
    if (!(error instanceof PluginError) || ctx.signal.aborted) throw error;
    ctx.log.warn("scp.failed", { file, reason: error.message });
  }
  return true;
}

const md5Of = (content: string) => createHash("md5").update(content).digest("hex");

export const isFault = (output: string) => /^\s*%|error opening|no such file|copy failed/im.test(output);

function requireDone(output: string, command: string): void {
  if (isFault(output)) throw refusedFile(command, output, "the device refused it");
}

function refusedFile(command: string, output: string, why: string): PluginError {
  return new PluginError("CommandError", `"${command}": ${why}. Its output: ${output.slice(-500)}`, {
    command,
    output,
  });
}
