/** Shared by all client commands: the server, exit codes, and Ctrl-C. */
import process from "node:process";
import type { Command } from "commander";
import { messageOf } from "../../../base/errors.ts";
import { fileFailure } from "../../../base/files/file-errors.ts";
import { shown } from "../../../base/text/terminal-text.ts";
import { type ClientEnvironment, readEnvironment } from "../../../client/input/environment.ts";
import { Interrupted } from "../../../client/input/keyboard.ts";
import { exitCodeOfError, exitCodes } from "../../../client/output/outcome.ts";
import { createTerminal, type Terminal } from "../../../client/output/terminal.ts";
import { type Api, createApi } from "../../../client/service/api.ts";
import { chooseServer, type Server, type ServerFlags } from "../../../client/service/server.ts";

export interface Surroundings {
  readonly environment: ClientEnvironment;
  readonly terminal: Terminal;
}

/** How long a call that has begun waits for a service that does not answer. */
const waitMs = 600_000;

/** Adds a command that ends with the exit codes of the client. */
export function clientCommand(parent: Command, usage: string, about: string): Command {
  return parent
    .command(usage)
    .description(about)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? exitCodes.good : exitCodes.usage));
}

export function withServer(command: Command): Command {
  return command
    .option("--context <name>", "the server to use, as listed by `patchbay context`")
    .option("--url <url>", "another server: https://…, http://… or unix:/path")
    .option("--key-file <file>", "file with its API key, readable for its owner only")
    .option("--ca-file <file>", "file of CA certificates (PEM) that verify the server");
}

export interface OneFlags extends ServerFlags {
  readonly json?: boolean;
}

/** Of commands that show one thing. */
export function withJson(command: Command): Command {
  return withServer(command).option("--json", "as JSON");
}

/** Runs the work of a command and ends the process with its exit code. */
export async function runToExit(work: (surroundings: Surroundings) => Promise<number>): Promise<never> {
  const environment = readEnvironmentOrEnd();
  const terminal = createTerminal(environment);
  let code: number;
  try {
    code = await work({ environment, terminal });
  } catch (error) {
    if (error instanceof Interrupted) code = exitCodes.interrupted;
    else {
      terminal.progress(undefined);
      terminal.note(`patchbay: ${fileFailure(error) ?? messageOf(error)}`);
      code = exitCodeOfError(error);
    }
  }
  terminal.progress(undefined);
  return end(code);
}

/** @param work its exit code, or nothing: it succeeded */
export function withApi(
  flags: ServerFlags,
  work: (session: Session) => Promise<number | undefined> | Promise<void>,
): Promise<never> {
  return runToExit(async (surroundings) => (await work(openSession(flags, surroundings))) ?? exitCodes.good);
}

function readEnvironmentOrEnd(): ClientEnvironment {
  try {
    return readEnvironment();
  } catch (error) {
    process.stderr.write(`patchbay: ${shown(messageOf(error))}\n`);
    return end(exitCodes.usage);
  }
}

/** Safe with pipes: all writes have been awaited. */
function end(code: number): never {
  process.exit(code);
}

export interface Session extends Surroundings {
  readonly api: Api;
  readonly server: Server;
}

/** @throws ServiceError Validation: no server or key is configured */
export function openSession(flags: ServerFlags, { environment, terminal }: Surroundings): Session {
  const server = chooseServer(flags, environment);
  if (server.insecure)
    terminal.note(`patchbay: warning: the certificate of ${server.url} is not checked (context).`);
  const api = createApi({
    server,
    waitMs,
    onWaiting: (why) => terminal.note(`${why}\nWaiting up to ${waitMs / 60_000} minutes …`),
    onBack: () => terminal.note("It is back."),
  });
  return { environment, terminal, server, api };
}

/** Prints warnings of the service to standard error: standard output is for the result. */
export function noteWarnings({ note }: Pick<Terminal, "note">, warnings: readonly string[] = []): void {
  for (const warning of warnings) note(`warning: ${shown(warning)}`);
}

/** A signal that aborts at Ctrl-C; a second Ctrl-C ends the process. */
export function untilInterrupted(): AbortSignal {
  const controller = new AbortController();
  process.once("SIGINT", () => {
    controller.abort(new Interrupted());
    process.once("SIGINT", () => end(exitCodes.interrupted));
  });
  return controller.signal;
}
