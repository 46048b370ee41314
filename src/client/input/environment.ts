/** Reads the client settings from the environment: the server, and device logins. */
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { clientVariablePrefix } from "../../base/client-variables.ts";
import { ServiceError } from "../../base/errors.ts";
import { type Secret, secret } from "../../base/secrets/secret.ts";
import { nearNames } from "../../base/text/near-names.ts";

/** Each with its description for docs/reference/client.md. */
export const clientVariables = {
  URL: "the server: https://…, http://… or unix:/path",
  KEY_FILE: "file with its API key",
  CA_FILE: "file of CA certificates (PEM) that verify the server",
  CONTEXT: "the context to use",
  CONTEXTS_FILE: "path of the contexts file",
  DRIVER: "default driver of the devices",
  DEVICE_TYPE: "default device_type of the devices",
  USERNAME: "default login of the devices",
  PASSWORD: "the password of that login",
  SECRET: "the enable password of devices",
} as const;

export interface ClientEnvironment {
  readonly url?: string;
  readonly keyFile?: string;
  readonly caFile?: string;
  readonly context?: string;
  readonly contextsFile: string;
  readonly driver?: string;
  readonly deviceType?: string;
  readonly username?: string;
  readonly password?: Secret;
  readonly secret?: Secret;
  /** From VISUAL or EDITOR: a shell command. */
  readonly editor?: string;
  /** From BROWSER: a program. */
  readonly browser?: string;
  /** Whether there is a graphical session that a browser could open in; says nothing on macOS and Windows. */
  readonly hasScreen?: true;
  /** https://no-color.org */
  readonly noColor: boolean;
  /** A terminal without control sequences. */
  readonly dumb: boolean;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** @throws ServiceError Validation: an unknown variable of the client */
export function readEnvironment(variables: Variables = process.env): ClientEnvironment {
  refuseUnknown(Object.keys(variables));
  const of = (name: keyof typeof clientVariables) => variables[clientVariablePrefix + name] || undefined;
  const password = of("PASSWORD");
  const enable = of("SECRET");
  const values = {
    url: of("URL"),
    keyFile: of("KEY_FILE"),
    caFile: of("CA_FILE"),
    context: of("CONTEXT"),
    driver: of("DRIVER"),
    deviceType: of("DEVICE_TYPE"),
    username: of("USERNAME"),
    password: password === undefined ? undefined : secret(password),
    secret: enable === undefined ? undefined : secret(enable),
    editor: variables.VISUAL || variables.EDITOR || undefined,
    browser: variables.BROWSER || undefined,
    hasScreen: variables.DISPLAY || variables.WAYLAND_DISPLAY ? (true as const) : undefined,
  };
  const folder = variables.XDG_CONFIG_HOME || join(variables.HOME || homedir(), ".config");
  return {
    ...omitUndefined(values),
    contextsFile: of("CONTEXTS_FILE") ?? join(folder, "patchbay", "contexts.json"),
    noColor: (variables.NO_COLOR ?? "") !== "",
    dumb: variables.TERM === "dumb",
  };
}

function refuseUnknown(names: readonly string[]): void {
  const clientNames = Object.keys(clientVariables).map((name) => clientVariablePrefix + name);
  const unknown = names.find((name) => name.startsWith(clientVariablePrefix) && !clientNames.includes(name));
  if (unknown === undefined) return;
  const near = nearNames(unknown, clientNames, 3);
  const hint = near.length > 0 ? `; did you mean ${near.join(", ")}?` : "";
  throw new ServiceError("Validation", `${unknown}: unknown client variable${hint}`);
}

/** Drops undefined members. */
function omitUndefined<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const present: { [K in keyof T]?: Exclude<T[K], undefined> } = {};
  for (const name of Object.keys(members) as (keyof T)[]) {
    const value = members[name];
    if (value !== undefined) present[name] = value as Exclude<T[typeof name], undefined>;
  }
  return present;
}
