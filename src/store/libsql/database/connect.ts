/** Opens a connection to the configured target: a file in the data directory, or a libSQL server. */
import { ServiceError } from "../../../base/errors.ts";
import type { Secret } from "../../../base/secrets/secret.ts";
import type { Connection, Target } from "./connection.ts";

/** @throws ServiceError Validation if a server that is not on loopback would be used without a token or TLS */
export function targetOf(file: string, url?: string, token?: Secret): Target {
  if (url === undefined || url === "") return { at: file, shared: false };
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !["http:", "https:", "libsql:"].includes(parsed.protocol))
    throw refused("must begin with http://, https:// or libsql://");
  const clear = parsed.protocol === "http:" || parsed.searchParams.get("tls") === "0";
  const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(parsed.hostname);
  if (!loopback && (clear || token === undefined))
    throw refused("beyond this machine needs TLS (https:// or libsql://) and a token, since it holds jobs");
  const streams = parsed.searchParams.get("streams") ?? "kept";
  if (streams !== "kept" && streams !== "each") throw refused("may set streams=kept or streams=each");
  parsed.searchParams.delete("tls");
  parsed.searchParams.delete("streams");
  const address = parsed.href.replace(/^\w+:/, clear ? "http:" : "https:").replace(/\/$/, "");
  return { at: address, shared: true, token, keepsStreams: streams === "kept" };
}

function refused(why: string): ServiceError {
  return new ServiceError("Validation", `The database URL ${why}.`);
}

export async function openConnection(target: Target): Promise<Connection> {
  // Each implementation loads its own library.
  if (target.shared) return (await import("./server/server.ts")).openServer(target);
  return (await import("./file/file.ts")).openFile(target.at, target.saves);
}
