/** `patchbay history remote`: Git repositories that the history is pushed to. */
import type { Command } from "commander";
import { ServiceError } from "../../../base/errors.ts";
import { readInput, readObject } from "../../../client/input/input.ts";
import { factsText } from "../../../client/output/progress.ts";
import { jsonLine } from "../../../client/output/table.ts";
import { type Remote, remote, remotes } from "../../../client/rooms/history.ts";
import { readCredential } from "../../../client/rooms/inventory.ts";
import { anything } from "../../../client/service/answers.ts";
import type { ServerFlags } from "../../../client/service/server.ts";
import { clockTime, submitterText } from "../jobs/jobs.ts";
import {
  clientCommand,
  type OneFlags,
  type Session,
  withApi,
  withJson,
  withServer,
} from "../parts/action.ts";
import {
  type Columns,
  type FormFlags,
  ofWriter,
  printList,
  type WriterFlag,
  withForms,
  withWriter,
} from "../parts/lists.ts";
import { defineRemoval } from "../parts/removal.ts";

const columns: Columns<Remote> = {
  name: ({ name }) => name,
  url: ({ url }) => url,
  branch: ({ branch }) => branch,
  state: ({ state }) => state,
  waiting: ({ waiting }) => String(waiting),
  pushed: ({ pushed_at }) => clockTime(pushed_at),
  by: ({ submitted_by }) => submitterText(submitted_by),
};
const pathOf = (name: string, step = "") => `/history/remote/${encodeURIComponent(name)}${step}`;

export function defineRemote(parent: Command): void {
  const group = parent.command("remote").description("Git repositories that good versions are pushed to");
  withForms(withWriter(withServer(clientCommand(group, "list", "list remotes, and how far each is")))).action(
    (flags: ServerFlags & FormFlags & WriterFlag) =>
      withApi(flags, async ({ api, terminal }) =>
        printList(await api.call("/history/remote", remotes, ofWriter(flags)), columns, flags, terminal),
      ),
  );
  withJson(clientCommand(group, "show <name>", "show a remote, and why it fails")).action(
    (name: string, flags: OneFlags) =>
      withApi(flags, async ({ api, terminal }) =>
        print(await api.call(pathOf(name), remote), flags, terminal),
      ),
  );
  definePut(group);
  withJson(clientCommand(group, "push <name>", "push to a remote now")).action(
    (name: string, flags: OneFlags) =>
      withApi(flags, async ({ api, terminal }) =>
        print(await api.call(pathOf(name, "/push"), remote, { method: "POST" }), flags, terminal),
      ),
  );
  defineRemoval(
    clientCommand(group, "remove <name>", "remove a remote, after confirmation; what was pushed stays there"),
    { path: pathOf, called: (name) => `the remote ${name}`, answer: anything },
  );
}

interface PutFlags extends OneFlags {
  readonly to?: string;
  readonly branch?: string;
  readonly credential?: string;
  readonly authority?: string;
  readonly hostKey?: string;
  readonly verify?: boolean;
  readonly enabled?: boolean;
}

function definePut(group: Command): void {
  const command = clientCommand(
    group,
    "put <name> [file]",
    "create or replace a remote, from flags or a file (YAML, JSON, -)",
  );
  withJson(command)
    .option("--to <url>", "https:// or ssh://; with {group} in it one repository for each group")
    .option("--branch <branch>", "default: main")
    .option("--credential <source:ref>", "user and token or password, or an SSH key")
    .option("--authority <file>", "certificates of the Git server's authority, in PEM")
    .option("--host-key <fingerprint>", "of the SSH server; default: the known host keys of the service")
    .option("--no-verify", "accept any server certificate")
    .option("--no-enabled", "push on request only")
    .action((name: string, file: string | undefined, flags: PutFlags) =>
      withApi(flags, async ({ api, terminal }) => {
        const options = { method: "PUT", body: bodyOf(file, flags) } as const;
        await print(await api.call(pathOf(name), remote, options), flags, terminal);
      }),
    );
}

/** Flags override fields of the file. */
function bodyOf(file: string | undefined, flags: PutFlags): Record<string, unknown> {
  const { to, branch, credential, authority, hostKey, verify, enabled } = flags;
  const given = {
    ...{ url: to, branch, host_key: hostKey },
    credential: credential === undefined ? undefined : readCredential(credential),
    ca: authority === undefined ? undefined : readInput(authority),
    // The flag has a default, which must not override the file.
    ...{ verify: verify === false ? false : undefined, enabled: enabled === false ? false : undefined },
  };
  const body = {
    ...(file === undefined ? {} : readObject(file)),
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  };
  if (!("url" in body))
    throw new ServiceError("Validation", "No address was given: use --to, or a file with `url`.");
  return body;
}

function stateOf({ state, error }: Remote): string {
  return error === null ? state : `${state}: ${error}`;
}

async function print(record: Remote, flags: OneFlags, terminal: Session["terminal"]): Promise<void> {
  if (flags.json === true) return terminal.write(`${jsonLine(record)}\n`);
  const { name, url, branch, credential, verify, ca, host_key, waiting, pushed_at, head, failing_since } =
    record;
  await terminal.write(
    factsText([
      ["name", name],
      ["state", stateOf(record)],
      ["failing since", clockTime(failing_since)],
      ["url", url],
      ["branch", branch],
      ["credential", credential ? JSON.stringify(credential) : ""],
      ["certificate", verify ? (ca ? "of the given authority" : "") : "any"],
      ["host key", host_key ?? ""],
      ["waiting", String(waiting)],
      ["pushed", clockTime(pushed_at)],
      ["head", head ?? ""],
    ]),
  );
}
