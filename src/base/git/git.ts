/**
 * Runs the machine's git so that neither a repository, nor a server, nor a configuration file makes it run code or ask
 * questions; a run has a deadline, and ends with its caller.
 */
import type { ChildProcessByStdio } from "node:child_process";
import process from "node:process";
import type { Readable, Writable } from "node:stream";
import { ServiceError } from "../errors.ts";
import { childProcess } from "../lazy-modules.ts";
import { maskUrls } from "../net/url.ts";
import { onAbort } from "../time/deadline.ts";

/** Prevents repositories and the machine's configuration from running code. */
const always = [
  "core.hooksPath=/dev/null",
  "http.followRedirects=false",
  "credential.helper=",
  "core.askPass=",
  "gc.auto=0",
  "maintenance.auto=false",
  // A server that accepts the connection and sends nothing.
  "http.lowSpeedLimit=1",
  "http.lowSpeedTime=30",
  // Keeps fetched and imported objects in packs: the size of a file can be limited, and loose objects need a gc.
  "fetch.unpackLimit=1",
  "fastimport.unpackLimit=1",
  "core.fsync=all",
].flatMap((setting) => ["-c", setting]);

/** Characters of git's error output that are quoted. */
const toldChars = 500;
/** Exit status of a shell that does not find the program. */
const notThere = 127;

export type GitSetting = readonly [name: string, value: string];

export interface GitOptions {
  /** Where it runs: a repository, or an empty folder. Also its home. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Killed after this time. */
  readonly limitMs: number;
  /** Settings and variables of this run, as `gitRemote` gives them. */
  readonly env?: Readonly<Record<string, string>>;
  /** Fails if git writes a larger file. */
  readonly maxFileBytes?: number;
  /** Fails if git takes more memory: a server may send names without end. */
  readonly maxMemoryBytes?: number;
  /** Default: `git`. */
  readonly program?: string;
  /** Further exit statuses that are no failure; default: 0 only. */
  readonly alsoEnds?: readonly number[];
  /** Words of a command that runs git, such as an agent with a key. */
  readonly within?: readonly string[];
}

/**
 * A run whose input and output are streams.
 * @internal not of the plugin contract
 */
export interface GitProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Once it has ended and its output was read. @throws ServiceError ConnectionTimeout, AuthenticationFailed, StorageFull, CommandError, PayloadTooLarge; the reason of an abort */
  readonly ended: Promise<number>;
  /** Kills it with its children; `ended` rejects with the reason. */
  stop(why: unknown): void;
  /** Once the process is gone, which takes a moment after `stop`: until then it may still write. */
  readonly gone: Promise<void>;
}

/**
 * Starts git with streams; the caller reads `stdout` to its end, or calls `stop`.
 * @internal not of the plugin contract
 */
export function startGit(args: readonly string[], options: GitOptions): GitProcess {
  const { folder, program = "git", within = [] } = options;
  return start([...within, program, ...always, "-C", folder, ...args], options);
}

function start(command: readonly string[], options: GitOptions): GitProcess {
  const { folder, signal, limitMs, env, maxFileBytes, maxMemoryBytes, alsoEnds = [] } = options;
  if (signal.aborted) throw signal.reason;
  // POSIX counts files in blocks of 512 bytes.
  const limit = [
    ...(maxFileBytes === undefined ? [] : [`ulimit -f ${Math.ceil(maxFileBytes / 512)} && `]),
    ...(maxMemoryBytes === undefined ? [] : [`ulimit -v ${Math.ceil(maxMemoryBytes / 1024)} && `]),
  ].join("");
  // A process group of its own, so that its child processes end with it.
  const child: ChildProcessByStdio<Writable, Readable, Readable> = childProcess().spawn(
    "/bin/sh",
    ["-c", `${limit}exec "$0" "$@"`, ...command],
    {
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
      env: { ...plain(folder), ...env },
      timeout: Math.max(1, Math.ceil(limitMs)),
      killSignal: "SIGKILL",
    },
  );
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const { promise: gone, resolve: leave } = Promise.withResolvers<void>();
  let errorOutput = "";
  const stop = (why: unknown) => {
    end(child.pid);
    child.stdout.destroy();
    reject(why);
  };
  const unlisten = onAbort(signal, stop);
  // A program that ends early closes its input: its exit status tells why.
  child.stdin.on("error", () => {});
  child.stderr.on("data", (piece: Buffer) => {
    if (errorOutput.length < toldChars * 4) errorOutput += piece.toString("utf8");
  });
  child.on("error", (error) => {
    reject(new ServiceError("CommandError", `git cannot be run: ${error.message}`));
    leave();
  });
  child.on("exit", () => {
    end(child.pid);
    leave();
  });
  child.on("close", (code, killed) => {
    if (killed !== null) reject(new ServiceError("ConnectionTimeout", "git took too long and was stopped."));
    else if (code === 0 || (code !== null && alsoEnds.includes(code))) resolve(code);
    else if (code === notThere) reject(new ServiceError("CommandError", missing));
    else reject(failure(errorOutput, maxFileBytes));
  });
  const ended = promise.finally(unlisten);
  // Whoever reads the output first sees the failure there.
  ended.catch(() => {});
  return { stdin: child.stdin, stdout: child.stdout, ended, stop, gone };
}

export interface CollectedGit extends GitOptions {
  /** Fails if it prints more. */
  readonly maxOutput: number;
  readonly input?: string;
}

/** Runs git to its end and returns what it printed. @throws ServiceError as `GitProcess.ended`, OutputTooLarge */
export function runGit(args: readonly string[], options: CollectedGit): Promise<string> {
  return collected(startGit(args, options), options);
}

/** The same for a program beside git. */
export function runBeside(command: readonly string[], options: CollectedGit): Promise<string> {
  return collected(start(command, options), options);
}

async function collected(
  { stdin, stdout, ended, stop }: GitProcess,
  { maxOutput, input = "" }: CollectedGit,
): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  stdout.on("data", (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > maxOutput)
      stop(new ServiceError("OutputTooLarge", `git printed more than ${maxOutput} bytes.`));
    else pieces.push(piece);
  });
  stdin.end(input);
  await ended;
  return Buffer.concat(pieces).toString("utf8");
}

function plain(home: string): Record<string, string> {
  return {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    LC_ALL: "C",
    TZ: "UTC",
    HOME: home,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ALLOW_PROTOCOL: "https:ssh:file",
    GIT_NO_REPLACE_OBJECTS: "1",
  };
}

/** Git settings in environment variables, which other users cannot read. */
export function gitSettings(settings: readonly GitSetting[]): Record<string, string> {
  const pairs = settings.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) };
}

const missing = "git is not installed on this machine: install it.";

function failure(errorOutput: string, maxFileBytes: number | undefined): ServiceError {
  // ssh frames its warnings with rows of @, and git repeats what to check.
  const plainOutput = errorOutput.replace(/@{3,}/g, " ").trim().replace(/\s+/g, " ");
  const words = maskUrls(plainOutput).slice(0, toldChars);
  if (/no space left on device|out of diskspace|disk quota exceeded/i.test(words))
    return new ServiceError("StorageFull", `git cannot write: the disk is full. git: ${words}`);
  // Git's error if a pack exceeds the size limit.
  if (maxFileBytes !== undefined && /file too large|invalid index-pack output/i.test(words)) {
    const maxSize = `${Math.round(maxFileBytes / 1024 / 1024)} MiB`;
    const text = `The repository could not be stored: it is larger than ${maxSize}, packed, or broken.`;
    return new ServiceError("PayloadTooLarge", text);
  }
  if (/could not read (?:username|password)/i.test(words)) {
    const text = `The repository asks for a login that the credential does not give. git: ${words}`;
    return new ServiceError("AuthenticationFailed", text);
  }
  if (/host key verification failed/i.test(errorOutput)) {
    const problem = /identification has changed/i.test(errorOutput)
      ? "The SSH server of the repository has another host key than known_hosts says"
      : "The SSH server of the repository has a host key that is not in known_hosts";
    const text = `git failed: ${problem}: compare the key with the server's, and put it there.`;
    return new ServiceError("HostKeyMismatch", text);
  }
  if (/permission denied \(/i.test(words)) {
    const text = `The SSH server of the repository takes no key of the agent: add one that it knows (ssh-add). git: ${words}`;
    return new ServiceError("AuthenticationFailed", text);
  }
  // An address may have such words in it, and a port such digits.
  const kind = /authentication|permission denied|\b(?:error:|HTTP(?:\/[\d.]+)?) 40[13]\b/i.test(
    plainOutput.replace(/'[^']*'|\b[a-z+]+:\/\/\S+/g, " "),
  )
    ? "AuthenticationFailed"
    : "CommandError";
  return new ServiceError(kind, `git failed: ${words}`);
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
