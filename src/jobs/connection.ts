/** Checks `connection_args`: which device, which platform, which fields the driver knows. */
import { deviceField, type NamedHost } from "../auth/reach.ts";
import { isHost } from "../model/identity.ts";
import type { DriverPlugin } from "../plugin/index.ts";
import type { Registry } from "../registry/registry.ts";
import { checkWith, type Issue } from "./issues.ts";
import { suggestion } from "./near.ts";

export interface CheckedConnection {
  readonly issues: Issue[];
  readonly warnings: string[];
  /** As it is stored: one name for the host, unknown fields left out. */
  readonly connection: Record<string, unknown>;
  readonly host: string;
  /** All that it names: the device and its jump hosts. */
  readonly hosts: readonly NamedHost[];
  readonly deviceType: string | null;
}

export type Plugins = Pick<Registry, "get" | "names" | "list">;

const where = "connection_args";
/** Resolved by the thread; not a field of the driver. */
const referenceField = "credential";

export async function checkConnection(
  driver: DriverPlugin,
  given: Record<string, unknown>,
  plugins: Plugins,
): Promise<CheckedConnection> {
  const issues: Issue[] = [];
  const warnings: string[] = [];
  const { host, hostname, ...others } = given;
  const address = host ?? hostname;
  const connection: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(others)) {
    if (driver.knows.connection.includes(field) || field === referenceField) connection[field] = value;
    else warnings.push(ignored(driver, `${where}.${field.slice(0, 64)}`));
  }
  issues.push(...hostIssues(host, hostname));
  if (typeof address === "string") connection[hostField(driver)] = address;

  const named = driver.platformField ? connection[driver.platformField] : undefined;
  if (driver.platformField && typeof named === "string" && !plugins.get("platform", named)) {
    const message = `There is no device_type "${named.slice(0, 64)}".${suggestion(named, plugins.names("platform"))}`;
    issues.push({ path: `${where}.${driver.platformField}`, message });
  }
  const taken = new Set(issues.map((issue) => issue.path));
  const own = await driverIssues(driver, connection, plugins);
  issues.push(
    ...own.filter((issue) => !taken.has(issue.path) && !taken.has(issue.path.replace(/name$/, ""))),
  );
  return {
    issues,
    warnings,
    connection,
    host: typeof address === "string" ? address : "",
    hosts: namedHosts(driver, connection, typeof address === "string" ? address : ""),
    deviceType: deviceType(given),
  };
}

/** Only the nearest is looked up here: what is behind a jump host is looked up by it. */
function namedHosts(driver: DriverPlugin, connection: Record<string, unknown>, device: string): NamedHost[] {
  const hops = (driver.hops?.(connection) ?? []).map(({ field, host }) => ({
    path: `${where}.${field}`,
    host,
  }));
  return [...hops, { path: deviceField, host: device }].map((named, at) => ({ ...named, remote: at > 0 }));
}

function deviceType(given: Record<string, unknown>): string | null {
  return typeof given.device_type === "string" ? given.device_type : null;
}

/** `napalm` documents `hostname`, the others `host`; both are accepted by all. */
function hostField(driver: DriverPlugin): "host" | "hostname" {
  const { connection } = driver.knows;
  return connection.includes("hostname") && !connection.includes("host") ? "hostname" : "host";
}

function hostIssues(host: unknown, hostname: unknown): Issue[] {
  if (host !== undefined && host !== null && hostname !== undefined && hostname !== null && host !== hostname)
    return [{ path: `${where}.host`, message: "`host` and `hostname` are both given and differ" }];
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
): Promise<Issue[]> {
  const { [referenceField]: reference, ...fields } = connection;
  const issues = await checkWith(driver.connection, fields, where);
  if (reference === undefined || reference === null) return issues;
  // What is missing may come from the credential.
  const present = issues.filter((issue) => issue.message !== "is required");
  return [...present, ...(await referenceIssues(reference, plugins))];
}

async function referenceIssues(reference: unknown, plugins: Plugins): Promise<Issue[]> {
  const path = `${where}.${referenceField}`;
  const name =
    typeof reference === "object" && reference !== null && "name" in reference ? String(reference.name) : "";
  const plugin = plugins.get("credential", name);
  if (plugin) return checkWith(plugin.reference, reference, path);
  return [
    {
      path: `${path}.name`,
      message: `There is no credential source of that name.${suggestion(name, plugins.names("credential"))}`,
    },
  ];
}

export function ignored(driver: DriverPlugin, field: string): string {
  return `${field} is not known to the driver ${driver.name} and was ignored`;
}
