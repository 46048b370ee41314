/** Tasks that outlive their session: their files are in the state folder of the user that runs them, named by ID. */
import { randomBytes } from "node:crypto";
import type {
  Context,
  Detached,
  DetachedLook,
  DetachedRef,
  DetachedState,
  SshConnection,
} from "patchbay/plugin";
import { PluginError } from "patchbay/plugin";
import type { ConfigureArgs, QueryArgs } from "./args.ts";
import { lineOf } from "./commands.ts";
import {
  type DetachedScript,
  lookScript,
  removeScript,
  startScript,
  stopScript,
} from "./detached-scripts.ts";
import { wrongPassword } from "./run.ts";
import { fedShell } from "./sudo.ts";
import { type Unit, unitsOf } from "./units.ts";

/** Allowance for the server's text besides the output. */
const spareBytes = 64 * 1024;

/** The user's own shell; behind sudo there is none. */
const ownShell = '"${SHELL:-sh}"';

type Identity = Pick<ConfigureArgs, "sudo" | "sudo_password" | "become_user" | "get_pty">;

export function detachedOn(server: SshConnection): Detached<QueryArgs, ConfigureArgs> {
  /** @returns the words of the answer line, and the bytes after it */
  async function ask(
    identity: Identity,
    make: (script: DetachedScript) => string,
    { id, maxBytes = 0 }: { id: string; maxBytes?: number },
    ctx: Context,
  ): Promise<{ words: string[]; output: Buffer }> {
    const token = `patchbay-${randomBytes(8).toString("hex")}`;
    const { line, options } = fedShell(make({ id: safeId(id), token }), identity);
    const limits = { maxBytes: maxBytes + spareBytes, truncate: true, encoding: "latin1" as const };
    const quiet: Context = { ...ctx, output: () => {} };
    const ended = await server.exec(line, { ...options, ...limits }, quiet);
    if ((ended.answers ?? 0) > 1) throw wrongPassword("sudo");
    const at = ended.stdout.indexOf(`${token} `);
    const end = ended.stdout.indexOf("\n", at);
    if (at < 0 || end < 0) throw noAnswer(ended.stderr, ended.stdout);
    return {
      words: ended.stdout.slice(at, end).trim().split(" ").slice(1),
      output: Buffer.from(ended.stdout.slice(end + 1), "latin1"),
    };
  }

  return {
    async start(id, work, ctx) {
      const { args } = work;
      const identity = work.operation === "configure" ? work.args : {};
      const units: Unit[] =
        work.operation === "configure"
          ? unitsOf(work.lines)
          : work.commands.map((command) => ({ text: lineOf(command), script: false }));
      const commands = {
        units,
        shell: identity.sudo === true ? "sh" : ownShell,
        environment: args.environment ?? {},
        input: work.operation === "query" ? work.args.input : undefined,
        stopOnError: args.stop_on_error === true,
      };
      const { words } = await ask(identity, (script) => startScript(script, commands), { id }, ctx);
      if (words[0] !== "begun") throw refusal("could not be started", words, "none");
      return units.map(({ text }) => text).join("\n");
    },
    async look(task, { offset, maxBytes }, ctx) {
      const make = (script: DetachedScript) => lookScript(script, offset, maxBytes);
      const { words, output } = await ask(identityOf(task), make, { id: task.id, maxBytes }, ctx);
      return { ...statusOf(words), output: output.subarray(0, maxBytes) };
    },
    async stop(task, ctx) {
      return statusOf((await ask(identityOf(task), stopScript, task, ctx)).words);
    },
    async remove(task, ctx) {
      const { words } = await ask(identityOf(task), removeScript, task, ctx);
      if (words[0] !== "removed") throw refusal("could not be removed", words);
    },
  };
}

function identityOf(task: DetachedRef<QueryArgs, ConfigureArgs>): Identity {
  return task.operation === "configure" ? task.args : {};
}

/** The ID becomes part of a path. */
function safeId(id: string): string {
  if (/^[\w-]{1,64}$/.test(id)) return id;
  throw new PluginError("DriverError", "This is not the ID of a detached task.", { outcome: "none" });
}

const states: readonly DetachedState[] = ["running", "ended", "stopped", "lost", "rebooted"];

function statusOf(words: readonly string[]): Omit<DetachedLook, "output"> {
  const [stateName, code, startedAt, endedAt, size] = words;
  const number = (text: string | undefined) => (/^\d+$/.test(text ?? "") ? Number(text) : null);
  return {
    // The task's folder is gone, so its result is unknown.
    state: states.find((state) => state === stateName) ?? "lost",
    exitStatus: number(code),
    startedAt: number(startedAt),
    endedAt: number(endedAt),
    size: number(size) ?? 0,
  };
}

function refusal(action: string, [, ...words]: readonly string[], outcome?: "none"): PluginError {
  const why = words.join(" ").slice(0, 500);
  return new PluginError(
    "DriverError",
    `The detached task ${action} on the server: ${why === "" ? "no reason given" : why}`,
    outcome === undefined ? {} : { outcome },
  );
}

/** For example, sudo refused before the shell started. */
function noAnswer(stderr: string, stdout: string): PluginError {
  const serverOutput = (stderr.trim() || stdout.trim()).slice(0, 500);
  const message =
    serverOutput === ""
      ? "The server did not respond: it has no POSIX shell."
      : `The server said: ${serverOutput}`;
  return new PluginError("DriverError", message, { outcome: "none" });
}
