/** Validates `connection_args`: device, platform, and the fields of the driver. */

import { canonicalHost, isHost } from "../../../api/identity.ts";
import type { NamedCredential, NamedHost } from "../../../auth/port.ts";
import { deviceField } from "../../../auth/reach.ts";
import { isRecord } from "../../../base/json/members.ts";
import { bareHost } from "../../../base/net/address-spelling.ts";
import { suggestion } from "../../../base/text/near-names.ts";
import type { Login } from "../../../limits/port.ts";
import type { DriverPlugin, Target } from "../../../plugin/index.ts";
import { fieldsOf } from "../../../registry/fields.ts";
import { namedCredential } from "../../../registry/named-credential.ts";
import type { Registry } from "../../../registry/registry.ts";
import { ignoredField, misplacedInConnection } from "../unknown-members.ts";
import { type Checked, type Issue, readWith } from "../validate.ts";

export interface CheckedConnection {
  readonly issues: Issue[];
  readonly warnings: string[];
  /** The stored form: normalized host field, without unknown fields. */
  readonly connection: Record<string, unknown>;
  /** Output of the driver's schema, with secrets; undefined if a credential must supply fields first. */
  readonly checked: unknown;
  readonly host: string;
  /** The target, as far as the driver can tell without the fields of a credential. */
  readonly target: Target | undefined;
  /** All named hosts: the device and its jump hosts. */
  readonly hosts: readonly NamedHost[];
  /** The logins at the jump hosts. */
  readonly through: readonly Login[];
  readonly deviceType: string | null;
  /** The credential reference used in place of passwords. */
  readonly credential: NamedCredential | undefined;
}

export type Plugins = Pick<Registry, "get" | "names" | "list">;

const where = "connection_args";
/** Names are suggested for this many fields: a request may have thousands of unknown ones. */
const maxHints = 20;
/** Resolved on the worker thread; not a field of the driver. */
const referenceField = "credential";

export async function checkConnection(
  driver: DriverPlugin,
  connectionArgs: Record<string, unknown>,
  plugins: Plugins,
): Promise<CheckedConnection> {
  const issues: Issue[] = [];
  const warnings: string[] = [];
  const { host, hostname, ...otherArgs } = connectionArgs;
  const written = host ?? hostname;
  const address = typeof written === "string" ? bareHost(written) : written;
  const fields = fieldsOf(driver.connection);
  const connection: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(otherArgs)) {
    if (fields?.includes(field) !== false || field === referenceField) connection[field] = value;
    else
      warnings.push(
        ignoredField(
          driver,
          `${where}.${field.slice(0, 64)}`,
          warnings.length < maxHints ? (fields ?? []) : [],
        ),
      );
  }
  const known = fields && [...fields, referenceField];
  issues.push(...misplacedInConnection(otherArgs, known));
  issues.push(...hostIssues(host, hostname));
  if (typeof address === "string") connection[hostField(fields)] = address;

  const platformName = driver.platformField ? connection[driver.platformField] : undefined;
  if (driver.platformField && typeof platformName === "string" && !plugins.get("platform", platformName)) {
    const message = `There is no ${driver.platformField} "${platformName.slice(0, 64)}".${suggestion(platformName, plugins.names("platform"))}`;
    issues.push({ path: `${where}.${driver.platformField}`, message });
  }
  const faultyPaths = new Set(issues.map((issue) => issue.path));
  const checked = await driverIssues(driver, connection, plugins);
  issues.push(
    ...checked.issues.filter(
      (issue) => !faultyPaths.has(issue.path) && !faultyPaths.has(issue.path.replace(/name$/, "")),
    ),
  );
  const target = checked.ok && typeof address === "string" ? targetOf(driver, checked.output) : undefined;
  const hops = driver.hops?.(connection) ?? [];
  const { username = "" } = connection;
  return {
    issues,
    warnings,
    connection,
    through: hops.map((hop) => ({
      host: canonicalHost(hop.host),
      user: hop.username ?? String(username ?? ""),
    })),
    checked: checked.ok ? checked.output : undefined,
    host: typeof address === "string" ? address : "",
    target,
    hosts: namedHosts(driver, connection, typeof address === "string" ? address : "", target),
    deviceType: platformOf(driver, connectionArgs),
    credential: checked.credential,
  };
}

/** Merges the connection fields in `driver_args` (`overrides` of the driver), objects member by member. */
export function overlaid(
  { overrides = [] }: DriverPlugin,
  connectionArgs: Record<string, unknown>,
  driverArgs: Readonly<Record<string, unknown>> | null | undefined,
): Record<string, unknown> {
  const more = overrides.flatMap((field): [string, unknown][] => {
    const [under, over] = [connectionArgs[field], driverArgs?.[field]];
    if (over === undefined || over === null) return [];
    return [[field, isRecord(under) && isRecord(over) ? { ...under, ...over } : over]];
  });
  return more.length === 0 ? connectionArgs : { ...connectionArgs, ...Object.fromEntries(more) };
}

/** Only the first hop is resolved here: each jump host resolves the next name. */
function namedHosts(
  driver: DriverPlugin,
  connection: Record<string, unknown>,
  device: string,
  target: Target | undefined,
): NamedHost[] {
  const hops = (driver.hops?.(connection) ?? []).map(({ field, host }) => ({
    path: `${where}.${field}`,
    host,
  }));
  // The driver may connect to another host than the one given.
  const other = target && target.host !== device ? [{ path: where, host: target.host }] : [];
  return [...hops, { path: deviceField, host: device }, ...other].map((host, at) => ({
    ...host,
    remote: hops.length > 0 && at > 0,
  }));
}

/** A plausible platform name: an unchecked value is only shown if it matches. */
const platformName = /^[\w.-]{1,64}$/;

function platformOf(driver: DriverPlugin, connectionArgs: Record<string, unknown>): string | null {
  const platform = connectionArgs[driver.platformField ?? "device_type"];
  return typeof platform === "string" && platformName.test(platform) ? platform : null;
}

/** Callers may use either name; a driver that only knows `hostname` gets that. */
function hostField(fields: readonly string[] | undefined): "host" | "hostname" {
  return fields?.includes("hostname") && !fields.includes("host") ? "hostname" : "host";
}

function hostIssues(host: unknown, hostname: unknown): Issue[] {
  if (host !== undefined && host !== null && hostname !== undefined && hostname !== null && host !== hostname)
    return [{ path: `${where}.host`, message: "`host` and `hostname` differ" }];
  const address = host ?? hostname;
  if (address === undefined || address === null) return [{ path: `${where}.host`, message: "is required" }];
  if (typeof address !== "string" || !isHost(address))
    return [
      { path: `${where}.host`, message: "must be a host name or an address", received: typeof address },
    ];
  return [];
}

async function driverIssues(
  driver: DriverPlugin,
  connection: Record<string, unknown>,
  plugins: Plugins,
): Promise<Pick<Checked, "ok" | "issues"> & { readonly output?: unknown; credential?: NamedCredential }> {
  const { [referenceField]: reference, ...fields } = connection;
  const checked = await readWith(driver, driver.connection, fields, where);
  if (reference === undefined || reference === null) return checked;
  // Missing fields may come from the credential.
  const present = checked.ok ? [] : checked.issues.filter((issue) => !checked.missing.has(issue));
  const { issues, credential } = await readReference(reference, plugins);
  return { ...checked, issues: [...present, ...issues], ...(credential === undefined ? {} : { credential }) };
}

/** Validates a connection whose missing fields come from a credential later. */
export async function validatedWithStandIns(
  driver: DriverPlugin,
  connectionArgs: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const { credential: _credential, ...fields } = connectionArgs;
  const standIns = { username: "x", password: "x", ...fields };
  const checked = await readWith(driver, driver.connection, standIns, where);
  return checked.ok ? checked.output : connectionArgs;
}

/** If the driver throws, it will again on the worker thread, where its fault is reported. */
export function targetOf(driver: DriverPlugin, connection: unknown): Target | undefined {
  try {
    return driver.target(connection);
  } catch {
    return undefined;
  }
}

async function readReference(
  reference: unknown,
  plugins: Plugins,
): Promise<{ issues: Issue[]; credential?: NamedCredential }> {
  const path = `${where}.${referenceField}`;
  const name =
    typeof reference === "object" && reference !== null && "name" in reference ? String(reference.name) : "";
  const plugin = plugins.get("credential", name);
  if (plugin) {
    const read = await readWith(plugin, plugin.reference, reference, path);
    return read.ok
      ? { issues: [], credential: namedCredential(plugin, read.output) }
      : { issues: read.issues };
  }
  const message = `There is no credential source with that name.${suggestion(name, plugins.names("credential"))}`;
  return { issues: [{ path: `${path}.name`, message }] };
}

/** The host as given, limited to the maximum length of a name. */
export function hostOf(connection: Record<string, unknown>): string {
  const host = connection.host ?? connection.hostname;
  return typeof host === "string" ? host.slice(0, 253) : "";
}
