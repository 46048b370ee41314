/** Pushes a repository of this node to a remote, or fetches its branch: never forced, never more than one branch. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServiceError } from "../../base/errors.ts";
import { type CollectedGit, runGit } from "../../base/git/git.ts";
import { gitRemote } from "../../base/git/remote.ts";
import { withSshKey, writeKnownHost } from "../../base/git/ssh-login.ts";
import { maskUrls } from "../../base/net/url.ts";
import type { HostKeyStore } from "../../device/ssh/connect.ts";
import type { Context } from "../../plugin/index.ts";
import type { RepositoryTask, TaskValues } from "../../protocol/task.ts";
import { type CredentialTools, withCredential } from "../credentials.ts";
import type { CheckAddress } from "../kit/http-address.ts";
import type { TaskMask } from "../masking.ts";

export interface RepositoryPusherOptions {
  readonly agentSocket?: string | undefined;
  readonly check: CheckAddress;
  readonly credentials: CredentialTools;
  readonly hostKeys: Pick<HostKeyStore, "knownKeys">;
  /** Default: `git`. */
  readonly program?: string;
}

/** Of what git prints: one branch. */
const maxOutput = 256 * 1024;
/** Of what a remote may send as its history. */
const maxFetched = 4 * 1024 * 1024 * 1024;
/** Of git while it talks to a remote; its packs are mapped in small pieces. */
const maxMemoryBytes = 1024 * 1024 * 1024;
const frugal = [
  "core.packedGitWindowSize=32m",
  "core.packedGitLimit=256m",
  "pack.windowMemory=64m",
  "pack.threads=1",
];
const localBranch = "refs/heads/main";
/** Where a fetched branch is kept until its owner has looked at it. */
const fetchedBranch = "refs/fetched/main";

interface Login {
  readonly username?: string | undefined;
  readonly token?: string | undefined;
  readonly pkey?: string | undefined;
  readonly passphrase?: string | undefined;
}

/** A remote, ready for runs of git in a repository. */
interface Remote {
  readonly address: string;
  run(args: readonly string[], more?: Partial<CollectedGit>): Promise<string>;
}

export function createRepositoryPusher(options: RepositoryPusherOptions) {
  const { agentSocket, check, credentials, hostKeys, program = "git" } = options;

  async function remoteOf(
    task: RepositoryTask,
    folder: string,
    ctx: Context,
    mask: TaskMask,
  ): Promise<Remote> {
    const { url, verify, credential, authorities, path } = task;
    const login: Login = credential === undefined ? {} : await loginOf(credential, ctx, mask);
    const ca = authorities === undefined ? undefined : join(folder, "ca.pem");
    if (ca !== undefined) await writeFile(ca, authorities ?? "", { mode: 0o600 });
    const basic = { folder, signal: ctx.signal, program };
    const knownHosts: string[] = [];
    const resolveHost = async (host: string) => {
      const { address } = await check(host);
      const target = new URL(url);
      if (target.protocol !== "ssh:") return address;
      const known = await knownFingerprints(task, target);
      const limitMs = ctx.remaining();
      knownHosts.push(await writeKnownHost(target, address, known, { ...basic, limitMs }));
      return address;
    };
    const { address, env } = await gitRemote({
      ...{ url, verify, authorities: ca, login, resolveHost, ssh: { knownHosts, agentSocket } },
      hide: (secret) => mask.add(secret, "all"),
    });
    const { pkey: pem, passphrase } = login;
    const key = pem === undefined ? undefined : await withSshKey({ pem, passphrase }, folder);
    const own = [`safe.directory=${path}`, ...frugal].flatMap((setting) => ["-c", setting]);
    return {
      address,
      run: (args, more) =>
        runGit([...own, ...args], {
          ...{ ...basic, folder: path, limitMs: ctx.remaining(), maxOutput, maxMemoryBytes },
          ...key,
          env: { ...env, ...key?.env, GIT_DIR: path },
          ...more,
        }),
    };
  }

  /** Resolved each time, as it may have changed. */
  async function loginOf(credential: Record<string, unknown>, ctx: Context, mask: TaskMask): Promise<Login> {
    const fields = await withCredential({ credential }, credentials, mask, ctx, true, "credential");
    const named = (...names: string[]) =>
      names.map((name) => fields[name]).find((value) => typeof value === "string");
    const login = {
      username: named("username"),
      token: named("token", "password", "secret"),
      pkey: named("pkey"),
      passphrase: named("passphrase"),
    };
    mask.add([login.token, login.pkey, login.passphrase], "all");
    return login;
  }

  async function knownFingerprints({ hostKey }: RepositoryTask, target: URL): Promise<string[]> {
    if (hostKey !== undefined) return [hostKey.replace(/=+$/, "")];
    const port = target.port === "" ? 22 : Number(target.port);
    const keys = await hostKeys.knownKeys(target.hostname.replace(/^\[(.*)\]$/, "$1"), port, []);
    const revoked = keys.filter(({ mark }) => mark === "revoked").map(({ fingerprint }) => fingerprint);
    return keys
      .filter(({ mark, fingerprint }) => mark === undefined && !revoked.includes(fingerprint))
      .map(({ fingerprint }) => fingerprint);
  }

  return async (task: RepositoryTask, ctx: Context, mask: TaskMask): Promise<TaskValues["repository"]> => {
    const folder = await mkdtemp(join(tmpdir(), "patchbay-push-"));
    try {
      const remote = await remoteOf(task, folder, ctx, mask);
      return await (task.does === "push" ? push(task, remote) : fetch(task, remote));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}

type Answer = TaskValues["repository"];

/** @throws ServiceError Conflict: the remote's branch has other commits */
async function push({ branch, head }: RepositoryTask, { address, run }: Remote): Promise<Answer> {
  const target = `refs/heads/${branch}`;
  // Exit status 1: the line of the branch says why.
  const printed = await run(
    ["push", "--porcelain", "--no-verify", "--no-signed", "--", address, `${localBranch}:${target}`],
    { alsoEnds: [1] },
  );
  const line = printed.split("\n").find((candidate) => candidate.split("\t")[1]?.endsWith(`:${target}`));
  const [flag = "", , words = ""] = line?.split("\t") ?? [];
  if (/non-fast-forward|fetch first|needs force|stale info/.test(words)) throw diverged(branch);
  if (flag === "!" || line === undefined)
    throw new ServiceError(
      "CommandError",
      `The remote refused the branch ${branch}: ${told(words || printed)}`,
    );
  if (flag === "=") return { head, moved: false };
  const shown = await headOf(target, { address, run });
  if (shown === head) return { head, moved: true };
  const instead = shown === undefined ? "does not have it" : `has ${shown}`;
  const text = `The remote said that it took the branch ${branch}, but ${instead}: look at its hooks.`;
  throw new ServiceError("CommandError", text);
}

/** Fetches the branch into `fetchedBranch`; without a head if the remote does not have it. */
async function fetch({ branch }: RepositoryTask, { address, run }: Remote): Promise<Answer> {
  const target = `refs/heads/${branch}`;
  const head = await headOf(target, { address, run });
  if (head === undefined) return { head: null, moved: false };
  await run(
    [
      "fetch",
      "--quiet",
      "--no-tags",
      "--no-recurse-submodules",
      "--no-write-fetch-head",
      "--",
      address,
      `+${target}:${fetchedBranch}`,
    ],
    { maxFileBytes: maxFetched },
  );
  return { head, moved: true };
}

async function headOf(target: string, { address, run }: Remote): Promise<string | undefined> {
  const printed = await run(["ls-remote", "--", address, target]);
  return printed
    .split("\n")
    .flatMap((line) => (line.endsWith(`\t${target}`) ? [line.split("\t")[0]] : []))[0];
}

function diverged(branch: string): ServiceError {
  const text = `The branch ${branch} of the remote has commits that this service did not push. Nothing was pushed, and nothing is ever forced. Remove those commits there, or name another branch or an empty repository.`;
  return new ServiceError("Conflict", text);
}

const told = (text: string) => maskUrls(text.trim().replace(/\s+/g, " ")).slice(0, 500);
