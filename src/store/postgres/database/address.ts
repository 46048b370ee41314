/** Reads `postgres://…`: where the server is, how it is known, and how it is spoken to. */
import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { ConnectionOptions } from "node:tls";
import { messageOf, ServiceError } from "../../../base/errors.ts";
import { Secret } from "../../../base/secrets/secret.ts";

export interface Address {
  /** The one that is the primary is used. */
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly database: string;
  readonly user: string;
  readonly password: Secret | undefined;
  /** Why a password file was left out, for the operator. */
  readonly leftOut: string | undefined;
  readonly tls: ConnectionOptions | false;
  /** Options of the session, as `-c name=value`. */
  readonly options: string | undefined;
  /** False for a pooler in transaction mode: each statement is prepared anew. */
  readonly prepares: boolean;
  /** False for a pooler in transaction mode: other nodes are noticed by polls only. */
  readonly listens: boolean;
  /** Connections for reads; one more writes, and one listens. */
  readonly readers: number;
  /** For messages: host and database, nothing secret. */
  readonly shown: string;
}

const known = new Set([
  ...["sslmode", "sslrootcert", "sslcert", "sslkey", "passfile", "options"],
  ...["host", "listen", "prepare", "readers", "target_session_attrs"],
]);
const modes = ["disable", "require", "verify-ca", "verify-full"] as const;
const defaultReaders = 4;
const mostReaders = 100;

export const isPostgres = (url: string) => /^postgres(ql)?:\/\//i.test(url);

/**
 * @param password given apart from the URL
 * @throws ServiceError Validation
 */
export function addressOf(url: string, password?: Secret): Address {
  // Several hosts are no URL: all but the first are taken out before it is read.
  const several = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^@/?#]*,[^@/?#]*)((?:[/?#].*)?)$/i.exec(url);
  const listed = several?.[2]?.split(",");
  const first = several === null ? url : `${several[1]}${listed?.[0]}${several[3]}`;
  // Without a host, as for a socket, it is no URL either.
  const plain = first.replace(/^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)\//i, "$1localhost/");
  if (!URL.canParse(plain)) throw refused("is not a URL");
  const { hostname, port, pathname, username, password: inUrl, searchParams } = new URL(plain);
  for (const name of searchParams.keys())
    if (!known.has(name)) throw refused(`has the unknown parameter ${name}`);
  const hosts = (listed ?? [hostname === "" ? "" : `${hostname}${port === "" ? "" : `:${port}`}`]).map(
    (text) => {
      const [, host = "", at] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(text) ?? [];
      return { host: decoded(host).replace(/^\[(.*)\]$/, "$1"), port: Number(at ?? 5432) };
    },
  );
  const socket = searchParams.get("host");
  const places = hosts.map(({ host, port }) => ({ host: socket ?? (host || "127.0.0.1"), port }));
  // As of libpq; there is nothing else to want.
  const wanted = searchParams.get("target_session_attrs");
  if (wanted !== null && wanted !== "read-write" && wanted !== "primary")
    throw refused("needs read-write or primary in target_session_attrs=");
  const database = decoded(pathname.slice(1));
  if (database === "") throw refused("names no database");
  const user = decoded(username) || database;
  const readers = Number(searchParams.get("readers") ?? defaultReaders);
  if (!Number.isInteger(readers) || readers < 1 || readers > mostReaders)
    throw refused(`needs 1 to ${mostReaders} in readers=`);
  const own = inUrl === "" ? password : new Secret(decoded(inUrl));
  const [place = { host: "", port: 0 }] = places;
  const passfile = searchParams.get("passfile");
  const leftOut = own === undefined ? othersRead(passfile ?? usualPassfile()) : undefined;
  return {
    hosts: places,
    database,
    user,
    password: own ?? (leftOut === undefined ? passwordIn(passfile, places, database, user) : undefined),
    leftOut,
    tls: tlsOf(searchParams, places),
    options: searchParams.get("options") ?? undefined,
    prepares: switched(searchParams, "prepare"),
    listens: switched(searchParams, "listen"),
    readers,
    shown: `${place.host}${place.host.startsWith("/") ? "" : `:${place.port}`}/${database}`,
  };
}

function switched(parameters: URLSearchParams, name: string): boolean {
  const value = parameters.get(name) ?? "on";
  if (value !== "on" && value !== "off") throw refused(`needs on or off in ${name}=`);
  return value === "on";
}

const isNear = (host: string) => host.startsWith("/") || /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host);

function tlsOf(parameters: URLSearchParams, places: Address["hosts"]): ConnectionOptions | false {
  const near = places.every(({ host }) => isNear(host));
  const given = parameters.get("sslmode") ?? (near ? "disable" : "verify-full");
  const mode = modes.find((known) => known === given);
  if (mode === undefined) throw refused(`needs one of ${modes.join(", ")} in sslmode=`);
  if (mode === "disable") {
    if (!near) throw refused("beyond this machine needs TLS (sslmode=verify-full), since it holds jobs");
    return false;
  }
  const file = (name: string) => {
    const path = parameters.get(name);
    return path === null
      ? {}
      : { [{ sslrootcert: "ca", sslcert: "cert", sslkey: "key" }[name] ?? name]: read(path) };
  };
  return {
    ...file("sslrootcert"),
    ...file("sslcert"),
    ...file("sslkey"),
    // As of libpq: `require` only encrypts, unless it is given an authority.
    rejectUnauthorized: mode !== "require" || parameters.has("sslrootcert"),
    ...(mode === "verify-full" ? {} : { checkServerIdentity: () => undefined }),
  };
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw refused(`names a file that cannot be read: ${messageOf(error)}`);
  }
}

const usualPassfile = () => join(homedir(), ".pgpass");

/** As of libpq, which reads no password that others may have read or written. */
function othersRead(path: string): string | undefined {
  return (modeOf(path) & 0o077) === 0 || process.platform === "win32"
    ? undefined
    : `the password file ${path} is not read, since others may read or write it: chmod 600 ${path}`;
}

/** None of a file that cannot be looked at: reading it says why, if it was named. */
function modeOf(path: string): number {
  try {
    return statSync(path).mode;
  } catch {
    return 0;
  }
}

/** As of libpq: `host:port:database:user:password`, where `*` stands for any, and a backslash before : and itself. */
function passwordIn(
  named: string | null,
  places: Address["hosts"],
  database: string,
  user: string,
): Secret | undefined {
  const path = named ?? usualPassfile();
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (named === null) return undefined;
    throw refused(`names a password file that cannot be read: ${messageOf(error)}`);
  }
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith("#")) continue;
    const fields = [...line.matchAll(/((?:\\.|[^:\\])*)(?::|$)/g)].map(([, field = ""]) =>
      field.replaceAll(/\\(.)/g, "$1"),
    );
    const [host, port, of, by, password] = fields;
    const fits = (pattern: string | undefined, value: string) => pattern === "*" || pattern === value;
    const isOf = places.some(
      (place) =>
        fits(host, place.host.startsWith("/") ? "localhost" : place.host) && fits(port, String(place.port)),
    );
    if (isOf && fits(of, database) && fits(by, user) && password !== undefined) return new Secret(password);
  }
  return undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refused("has a % that encodes nothing");
  }
}

function refused(why: string): ServiceError {
  return new ServiceError("Validation", `The database URL ${why}.`);
}
