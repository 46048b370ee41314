/** `patchbay login`: tries a server and its key, and saves them as a context. */
import { resolve } from "node:path";
import type { Command } from "commander";
import { ServiceError } from "../../base/errors.ts";
import { type Context, readContexts, writeContexts } from "../../client/input/contexts.ts";
import { anything } from "../../client/service/answers.ts";
import { createApi } from "../../client/service/api.ts";
import { chooseServer } from "../../client/service/server.ts";
import { clientCommand, runToExit, type Surroundings } from "./parts/action.ts";

interface LoginFlags {
  readonly name?: string;
  readonly keyFile?: string;
  readonly keyCommand?: string;
  readonly caFile?: string;
  readonly insecure?: boolean;
  readonly driver?: string;
  readonly type?: string;
}

export function defineLogin(parent: Command): void {
  clientCommand(parent, "login <url>", "check a server and its key, and save them as a context")
    .option("--name <name>", "name of the context (default: the host of the server)")
    .option("--key-file <file>", "file with the API key; the context keeps the name of the file")
    .option("--key-command <command>", "command that prints the API key, such as a password manager")
    .option("--ca-file <file>", "file of CA certificates (PEM) that verify the server")
    .option("--insecure", "do not verify its certificate: anyone in between can read the key")
    .option("--driver <name>", "default driver of the devices")
    .option("--type <device_type>", "default device_type of the devices")
    .action((url: string, flags: LoginFlags) => runToExit((surroundings) => login(url, flags, surroundings)));
}

async function login(
  url: string,
  flags: LoginFlags,
  { environment, terminal }: Surroundings,
): Promise<number> {
  const { keyFile, keyCommand, caFile, insecure, driver, type } = flags;
  const name = flags.name ?? nameOf(url);
  if (!/^[\w.-]{1,64}$/.test(name))
    throw new ServiceError("Validation", "--name must be 1 to 64 letters, digits, `.`, `_` or `-`.");
  if (keyFile !== undefined && keyCommand !== undefined)
    throw new ServiceError("Validation", "--key-file and --key-command cannot be combined.");
  const savedContexts = readContexts(environment.contextsFile);
  const context: Context = {
    url,
    ...(keyFile === undefined ? {} : { key_file: resolve(keyFile) }),
    key_command: keyCommand,
    ...(keyFile === undefined && keyCommand === undefined ? { key: await askKey() } : {}),
    ...(caFile === undefined ? {} : { ca_file: resolve(caFile) }),
    ...(insecure === true ? { insecure } : {}),
    driver,
    device_type: type,
  };
  const contexts = { current: name, contexts: { ...savedContexts.contexts, [name]: context } };
  const server = chooseServer({ context: name }, environment, contexts);
  if (server.insecure)
    terminal.note(
      `patchbay: warning: the certificate of ${url} will not be verified: anyone in between can read the key.`,
    );
  if (/^http:/.test(url) && !/^http:\/\/(?:localhost|127\.|\[::1\])/.test(url))
    terminal.note("patchbay: warning: without https the key can be read in transit.");
  await createApi({ server, waitMs: 0 }).call("/health", anything);
  writeContexts(environment.contextsFile, contexts);
  terminal.note(`Logged in to ${url}. The current context is "${name}" (${environment.contextsFile}).`);
  return 0;

  async function askKey(): Promise<string> {
    if (!terminal.isAttended)
      throw new ServiceError(
        "Validation",
        "There is no terminal to ask for the key: --key-file or --key-command.",
      );
    return terminal.askHidden(`API key of ${url}: `);
  }
}

function nameOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/[^\w.-]/g, "") || "local" : "local";
}
