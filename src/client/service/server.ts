/** Determines the server and key: flags win over the environment, which wins over the context. */
import { spawnSync } from "node:child_process";
import { ServiceError } from "../../base/errors.ts";
import { type Secret, secret } from "../../base/secrets/secret.ts";
import { type Context, type Contexts, readContexts, requireContext } from "../input/contexts.ts";
import type { ClientEnvironment } from "../input/environment.ts";
import { readText } from "../input/input.ts";
import { requirePrivate } from "../rooms/inventory.ts";

export interface Server {
  /** Without a trailing slash; for a Unix socket any host name. */
  readonly url: string;
  readonly unix?: string;
  readonly key: Secret;
  /** PEM text. */
  readonly ca?: string;
  readonly insecure: boolean;
  readonly context?: Context;
}

export interface ServerFlags {
  readonly context?: string;
  readonly url?: string;
  readonly keyFile?: string;
  readonly caFile?: string;
}

/** @throws ServiceError Validation: no server, no key */
export function chooseServer(
  flags: ServerFlags,
  environment: ClientEnvironment,
  contexts: Contexts = readContexts(environment.contextsFile),
): Server {
  // Never sends the key of the active context to another server.
  const url = flags.url ?? (flags.context === undefined ? environment.url : undefined);
  const name = flags.context ?? (url === undefined ? (environment.context ?? contexts.current) : undefined);
  const context = name === undefined ? undefined : requireContext(contexts, name);
  const address = url ?? context?.url;
  if (address === undefined)
    throw new ServiceError(
      "Validation",
      "No server is configured: use `patchbay login <url>`, or --url with --key-file (PATCHBAY_CLIENT_URL, PATCHBAY_CLIENT_KEY_FILE).",
    );
  const keyFile = flags.keyFile ?? (context === undefined ? environment.keyFile : undefined);
  const caFile = flags.caFile ?? context?.ca_file ?? environment.caFile;
  return {
    ...splitUrl(address),
    key: keyFile === undefined ? keyOf(context) : keyInFile(keyFile),
    ...(caFile === undefined ? {} : { ca: readText(caFile) }),
    insecure: context?.insecure === true,
    ...(context === undefined ? {} : { context }),
  };
}

/** A server of a context that has no key yet. @throws ServiceError Validation */
export function serverAt({ url, ca_file, insecure }: Context, key: Secret): Server {
  const ca = ca_file === undefined ? {} : { ca: readText(ca_file) };
  return { ...splitUrl(url), key, ...ca, insecure: insecure === true };
}

/** @throws ServiceError Validation */
function splitUrl(text: string): { url: string; unix?: string } {
  const socket = /^unix:(\/.+)$/.exec(text)?.[1];
  if (socket !== undefined) return { url: "http://localhost", unix: socket };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== "" || url.search !== "" || url.hash !== "")
    throw new ServiceError(
      "Validation",
      `${JSON.stringify(text)} is not a server: it must be https://…, http://… or unix:/path.`,
    );
  return { url: url.href.replace(/\/+$/, "") };
}

function keyOf(context: Context | undefined): Secret {
  if (context?.key !== undefined) return secret(context.key);
  if (context?.key_file !== undefined) return keyInFile(context.key_file);
  if (context?.key_command !== undefined) return keyFrom(context.key_command);
  throw new ServiceError(
    "Validation",
    "No API key is configured: use `patchbay login <url>`, or --key-file (PATCHBAY_CLIENT_KEY_FILE).",
  );
}

function keyInFile(file: string): Secret {
  const text = readText(file);
  requirePrivate(file);
  return requireKey(text, file);
}

/** Runs the operator's command, such as a password manager; it may prompt at the terminal. */
function keyFrom(command: string): Secret {
  const result = spawnSync("/bin/sh", ["-c", command], {
    encoding: "utf8",
    stdio: ["inherit", "pipe", "inherit"],
  });
  if (result.status === 0) return requireKey(result.stdout, "The command of the key");
  const ending = result.signal === null ? `with ${result.status}` : `by ${result.signal}`;
  throw new ServiceError("Validation", `The command of the key ended ${ending}.`);
}

function requireKey(text: string, where: string): Secret {
  const [line = ""] = text.split(/\r?\n/);
  // A key must be a valid header value.
  if (/^[\x21-\x7e]{1,512}$/.test(line.trim())) return secret(line.trim());
  throw new ServiceError("Validation", `${where} has no API key in its first line.`);
}
