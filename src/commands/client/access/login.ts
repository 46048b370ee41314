/** `patchbay login`: tries a server, gets or takes a key, and saves them as a context. */
import { spawn } from "node:child_process";
import { hostname } from "node:os";
import { resolve } from "node:path";
import process from "node:process";
import type { Command } from "commander";
import { ServiceError } from "../../../base/errors.ts";
import { secret } from "../../../base/secrets/secret.ts";
import { type Context, readContexts, writeContexts } from "../../../client/input/contexts.ts";
import type { ClientEnvironment } from "../../../client/input/environment.ts";
import { anything } from "../../../client/service/answers.ts";
import { type Api, createApi } from "../../../client/service/api.ts";
import { hasProviders, loginByBrowser, loginByCode } from "../../../client/service/machine-login.ts";
import { chooseServer, serverAt } from "../../../client/service/server.ts";
import { clientCommand, runToExit, type Surroundings, untilInterrupted } from "../parts/action.ts";
import { revokeOwnKey } from "./logout.ts";

interface LoginFlags {
  readonly name?: string;
  readonly browser?: true;
  readonly code?: true;
  readonly askKey?: true;
  readonly keyFile?: string;
  readonly keyCommand?: string;
  readonly caFile?: string;
  readonly insecure?: boolean;
  readonly driver?: string;
  readonly type?: string;
}

const ways = ["browser", "code", "askKey", "keyFile", "keyCommand"] as const;

export function defineLogin(parent: Command): void {
  clientCommand(parent, "login <url>", "sign in to a server, or give its key, and save both as a context")
    .option("--name <name>", "name of the context (default: the host of the server)")
    .option("--browser", "confirm in a browser on this machine (default where people sign in by a provider)")
    .option("--code", "confirm in a browser elsewhere, by a code: for machines without a browser")
    .option("--ask-key", "ask for the API key (default where nobody signs in by a provider)")
    .option("--key-file <file>", "file with the API key; the context keeps the name of the file")
    .option("--key-command <command>", "command that prints the API key, such as a password manager")
    .option("--ca-file <file>", "file of CA certificates (PEM) that verify the server")
    .option("--insecure", "do not verify its certificate: anyone in between can read the key")
    .option("--driver <name>", "default driver of the devices")
    .option("--type <device_type>", "default device_type of the devices")
    .action((url: string, flags: LoginFlags) => runToExit((surroundings) => login(url, flags, surroundings)));
}

async function login(url: string, flags: LoginFlags, surroundings: Surroundings): Promise<number> {
  const { environment, terminal } = surroundings;
  const { keyFile, keyCommand, caFile, insecure, driver, type } = flags;
  const name = flags.name ?? nameOf(url);
  if (!/^[\w.-]{1,64}$/.test(name))
    throw new ServiceError("Validation", "--name must be 1 to 64 letters, digits, `.`, `_` or `-`.");
  const given = ways.filter((way) => flags[way] !== undefined);
  if (given.length > 1)
    throw new ServiceError(
      "Validation",
      "--browser, --code, --ask-key, --key-file and --key-command cannot be combined.",
    );
  if (insecure === true)
    terminal.note(
      `patchbay: warning: the certificate of ${url} will not be verified: anyone in between can read the key.`,
    );
  if (/^http:/.test(url) && !/^http:\/\/(?:localhost|127\.|\[::1\])/.test(url))
    terminal.note("patchbay: warning: without https the key can be read in transit.");
  const savedContexts = readContexts(environment.contextsFile);
  const place: Context = {
    url,
    ...(caFile === undefined ? {} : { ca_file: resolve(caFile) }),
    ...(insecure === true ? { insecure } : {}),
    driver,
    device_type: type,
  };
  const context: Context = {
    ...place,
    ...(keyFile === undefined ? {} : { key_file: resolve(keyFile) }),
    key_command: keyCommand,
    ...(keyFile === undefined && keyCommand === undefined ? await askedKey(place, flags, surroundings) : {}),
  };
  const contexts = { current: name, contexts: { ...savedContexts.contexts, [name]: context } };
  const server = chooseServer({ context: name }, environment, contexts);
  await createApi({ server, waitMs: 0 }).call("/health", anything);
  writeContexts(environment.contextsFile, contexts);
  terminal.note(`Logged in to ${url}. The current context is "${name}" (${environment.contextsFile}).`);
  // The context has another key now: nobody uses the one before.
  const before = savedContexts.contexts[name];
  if (before?.own === true && before.key !== context.key)
    await revokeOwnKey(name, savedContexts, surroundings);
  return 0;
}

/** A key that the person types, or confirms. */
async function askedKey(
  place: Context,
  { browser, code, askKey }: LoginFlags,
  { environment, terminal }: Surroundings,
): Promise<Partial<Context>> {
  const { url } = place;
  const api: Api = createApi({ server: serverAt(place, secret("")), waitMs: 600_000 });
  if (!terminal.isAttended && !browser && !code)
    throw new ServiceError(
      "Validation",
      "There is no terminal to ask for the key, or to sign in at: --key-file or --key-command.",
    );
  const asks = askKey === true || (!browser && !code && !(await hasProviders(api)));
  if (asks) return { key: await terminal.askHidden(`API key of ${url}: `) };
  if (/^unix:/.test(url) && browser)
    throw new ServiceError("Validation", "A browser does not reach a Unix socket: use its https address.");
  const login = { api, url: url.replace(/\/+$/, ""), machine: hostname(), signal: untilInterrupted() };
  const key = code
    ? await loginByCode(login, (page, typed) => {
        terminal.note(`On a device where you are signed in, open ${page}\nand type this code:  ${typed}`);
        terminal.note("Waiting for you to confirm, up to 10 minutes …");
      })
    : await loginByBrowser(login, (page) => {
        const opened = openBrowser(page, environment);
        terminal.note(
          `${opened ? "Confirm in the browser" : "Open this in a browser on this machine"}: ${page}`,
        );
        terminal.note("Waiting for you to confirm, up to 10 minutes. Without a browser here: --code.");
      });
  const end = key.expires_at === null ? "" : `, until ${key.expires_at.slice(0, 10)}`;
  terminal.note(`This machine has a key of its own now: ${key.name}${end}. \`patchbay logout\` ends it.`);
  return { key: key.key, own: true };
}

function nameOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/[^\w.-]/g, "") || "local" : "local";
}

type Screen = Pick<ClientEnvironment, "browser" | "hasScreen">;

/** @returns whether a browser may have opened it: without a screen there is none */
function openBrowser(url: string, screen: Screen): boolean {
  const command = browserCommand(process.platform, screen);
  if (command === undefined) return false;
  const [program, ...before] = command;
  // Not through a shell: the address comes from the service.
  const child = spawn(program, [...before, url], { stdio: "ignore", detached: true });
  child.on("error", () => {});
  child.unref();
  return true;
}

function browserCommand(
  platform: string,
  { browser, hasScreen }: Screen,
): readonly [string, ...string[]] | undefined {
  if (browser !== undefined) return [browser];
  if (platform === "darwin") return ["open"];
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  return hasScreen ? ["xdg-open"] : undefined;
}
