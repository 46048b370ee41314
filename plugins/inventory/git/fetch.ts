/** Reads files from a Git repository: a temporary clone without a checkout. */
import { spawn } from "node:child_process";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import {
  type Context,
  type FetchedInventory,
  InventoryError,
  type InventoryFile,
  type InventorySourceTools,
  maskUrls,
} from "patchbay/plugin";
import type { Options } from "./options.ts";

const maxBytes = 8 * 1024 * 1024;
/** A shallow clone, packed: prevents a long history or images from filling the disk. */
const maxFetchedBytes = 256 * 1024 * 1024;
const limitMs = 180_000;
const maxFiles = 1_000;
/** Characters of git's error output that are quoted. */
const toldChars = 500;

type Tools = Pick<
  InventorySourceTools<Options, unknown>,
  "url" | "verify" | "options" | "login" | "resolveHost" | "templateFolder" | "ssh" | "hide"
>;

/** For tests. */
interface Program {
  /** Default `git`. */
  readonly program?: string;
  /** Fails if the fetch exceeds this size. */
  readonly maxFetched?: number;
}

export default async function fetchRepository(
  tools: Tools,
  ctx: Context,
  { program = "git", maxFetched = maxFetchedBytes }: Program = {},
): Promise<FetchedInventory> {
  const { ref } = tools.options;
  const path = tools.options.path ?? "";
  await removeLeftovers();
  const folder = await mkdtemp(join(tmpdir(), folderPrefix));
  try {
    const { address, env } = await remoteOf(tools);
    const git = (...args: string[]) =>
      run(
        "/bin/sh",
        ["-c", limited(maxFetched), program, ...always, "-C", folder, ...args],
        { ...plain(folder), ...env },
        ctx,
      );
    await git("init", "--quiet", "--bare", ".");
    const branch = ref ?? "HEAD";
    await git("fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--", address, branch);
    const listing = await git(
      "ls-tree",
      "-r",
      "-z",
      "--long",
      "FETCH_HEAD",
      ...(path === "." ? [] : ["--", path]),
    );
    const files = filesOf(listing, path);
    const texts: { name: string; text: string }[] = [];
    for (const { id, name } of files) texts.push({ name, text: await git("cat-file", "blob", id) });
    requireContent(texts);
    return { files: texts, folder: path };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const folderPrefix = "patchbay-git-";
/** No sync takes this long. */
const leftoverMs = 3_600_000;

/** Clones of a service that was killed meanwhile. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(folderPrefix)) continue;
    const path = join(tmpdir(), name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && found.uid === process.getuid?.() && found.mtimeMs < Date.now() - leftoverMs)
      await rm(path, { recursive: true, force: true });
  }
}

/** Prevents repositories and the machine's configuration from running code. */
const always = [
  "-c",
  "core.hooksPath=/dev/null",
  "-c",
  "http.followRedirects=false",
  "-c",
  "credential.helper=",
  "-c",
  "core.askPass=",
  "-c",
  "gc.auto=0",
  // A server that accepts the connection and sends nothing.
  "-c",
  "http.lowSpeedLimit=1",
  "-c",
  "http.lowSpeedTime=30",
  // Keeps the fetched objects in a single pack file, so that its size can be limited.
  "-c",
  "fetch.unpackLimit=1",
];

/** Limits the size of any file git writes; POSIX counts blocks of 512 bytes. */
const limited = (bytes: number) => `ulimit -f ${Math.ceil(bytes / 512)} && exec "$0" "$@"`;

function plain(home: string): Record<string, string> {
  return {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    LC_ALL: "C",
    HOME: home,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ALLOW_PROTOCOL: "https:ssh:file",
  };
}

/**
 * The remote URL as checked, and environment variables for authentication: secrets never appear in arguments. As
 * written, git might read another host from it.
 */
async function remoteOf({
  url,
  verify,
  login,
  resolveHost,
  templateFolder,
  ssh: { knownHosts, agentSocket },
  hide,
}: Tools): Promise<{ address: string; env: Record<string, string> }> {
  const target = new URL(url);
  if (target.protocol === "file:") {
    if (target.host !== "") throw forbidden("A file URL names no host: file:///path.");
    const real = await templateFolder(fileURLToPath(target));
    return { address: `file://${real}`, env: settingsOf([["safe.directory", real]]) };
  }
  if (target.protocol !== "https:" && target.protocol !== "ssh:")
    throw forbidden(`The scheme ${target.protocol} is not allowed.`);
  const address = await resolveHost(target.hostname);
  if (target.protocol === "ssh:") {
    const command = [
      "ssh -F none -o BatchMode=yes -o StrictHostKeyChecking=yes -o ProxyCommand=none -o ConnectTimeout=20",
      `-o ${quoted(`HostName=${address}`)} -o ${quoted(`HostKeyAlias=${knownAs(target)}`)}`,
      ...(knownHosts.length > 0 ? [`-o ${quoted(`UserKnownHostsFile=${knownHosts.join(" ")}`)}`] : []),
    ].join(" ");
    const agent: Record<string, string> = agentSocket === undefined ? {} : { SSH_AUTH_SOCK: agentSocket };
    return { address: target.href, env: { GIT_SSH_COMMAND: command, ...agent } };
  }
  const port = target.port === "" ? "443" : target.port;
  const urlHost = address.includes(":") ? `[${address}]` : address;
  const settings: [string, string][] = [
    // Pins the checked address.
    ["http.curloptResolve", `${target.hostname}:${port}:${urlHost}`],
    ["http.sslVerify", String(verify)],
  ];
  if (login.token !== undefined) {
    const basic = Buffer.from(`${login.username ?? (target.username || "git")}:${login.token}`).toString(
      "base64",
    );
    hide(basic);
    settings.push([`http.${target.origin}/.extraHeader`, `Authorization: Basic ${basic}`]);
  }
  return { address: target.href, env: settingsOf(settings) };
}

/** The host as it appears in known_hosts. */
function knownAs({ hostname, port }: URL): string {
  const name = hostname.replace(/^\[(.*)\]$/, "$1");
  return port === "" || port === "22" ? name : `[${name}]:${port}`;
}

/** Git settings in environment variables, which other users cannot read. */
function settingsOf(settings: readonly (readonly [string, string])[]): Record<string, string> {
  const pairs = settings.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) };
}

const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;
const forbidden = (text: string) => new InventoryError("Forbidden", text);

/** Parses `<mode> blob <id> <size>\t<path>`; links and submodules are skipped. */
function filesOf(listing: string, path: string): { id: string; name: string }[] {
  const files = listing.split("\0").flatMap((entry) => {
    const [, id, size, name] = /^100\d{3} blob ([0-9a-f]+) +(\d+)\t(.+)$/s.exec(entry) ?? [];
    return id === undefined || name === undefined ? [] : [{ id, name, size: Number(size) }];
  });
  if (files.length === 0)
    throw new InventoryError("CommandError", `There is no file ${path} in the repository.`);
  if (files.length > maxFiles)
    throw new InventoryError("PayloadTooLarge", `The folder ${path} has more than ${maxFiles} files.`);
  if (files.reduce((sum, { size }) => sum + size, 0) > maxBytes)
    throw new InventoryError("PayloadTooLarge", `The files below ${path} have more than ${maxBytes} bytes.`);
  return files;
}

async function run(
  program: string,
  args: readonly string[],
  env: Record<string, string>,
  ctx: Context,
): Promise<string> {
  if (ctx.signal.aborted) throw ctx.signal.reason;
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const timeout = Math.max(1, Math.ceil(Math.min(limitMs, ctx.remaining())));
  // A process group of its own, so that its child processes end with it.
  const child = spawn(program, args, {
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
    env,
    timeout,
    killSignal: "SIGKILL",
  });
  const out: Buffer[] = [];
  let bytes = 0;
  let errorOutput = "";
  const stop = (why: unknown) => {
    end(child.pid);
    reject(why);
  };
  const onAbort = () => stop(ctx.signal.reason);
  ctx.signal.addEventListener("abort", onAbort, { once: true });
  child.stdout.on("data", (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > maxBytes)
      stop(new InventoryError("OutputTooLarge", `The repository gave more than ${maxBytes} bytes.`));
    else out.push(piece);
  });
  child.stderr.on("data", (piece: Buffer) => {
    if (errorOutput.length < toldChars) errorOutput += piece.toString("utf8");
  });
  child.on("error", (error) => {
    reject(new InventoryError("CommandError", `git cannot be run: ${error.message}`));
  });
  child.on("exit", () => end(child.pid));
  child.on("close", (code, killed) => {
    if (killed !== null)
      reject(new InventoryError("ConnectionTimeout", "git took too long and was stopped."));
    else if (code === 0) resolve(Buffer.concat(out).toString("utf8"));
    else if (code === notThere) reject(new InventoryError("CommandError", missing));
    else reject(failure(errorOutput));
  });
  return promise.finally(() => ctx.signal.removeEventListener("abort", onAbort));
}

/** Exit status of a shell that does not find the program. */
const notThere = 127;
const missing = "git is not installed on this machine: install it, or use another kind of source.";

function failure(errorOutput: string): InventoryError {
  const words = maskUrls(errorOutput.trim().replace(/\s+/g, " ")).slice(0, toldChars);
  // Git's error if a pack exceeds the size limit.
  if (/file too large|invalid index-pack output/i.test(words)) {
    const maxSize = `${maxFetchedBytes / 1024 / 1024} MiB`;
    const text = `The repository could not be stored: it is larger than ${maxSize}, packed, or broken.`;
    return new InventoryError("PayloadTooLarge", text);
  }
  if (/could not read (?:username|password)/i.test(words)) {
    const text = `The repository asks for a login that the credential of this source does not give. git: ${words}`;
    return new InventoryError("AuthenticationFailed", text);
  }
  const kind = /authentication|could not read username|permission denied|401|403/i.test(words)
    ? "AuthenticationFailed"
    : "CommandError";
  return new InventoryError(kind, `git failed: ${words}`);
}

/** Kills the whole process group. */
function end(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Already exited.
  }
}

/** The first line of a pointer in place of a file's content. */
const lfsStart = "version https://git-lfs.github.com/spec/";

/** @throws InventoryError CommandError */
function requireContent(files: readonly InventoryFile[]): void {
  const pointer = files.find(({ text }) => text.startsWith(lfsStart));
  if (pointer === undefined) return;
  throw new InventoryError(
    "CommandError",
    `${pointer.name} is kept with Git LFS, and the repository has a pointer only: commit it as a normal file.`,
  );
}
