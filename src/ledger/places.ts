/** Where checkpoints are sent: a file in a folder, and a syslog receiver (RFC 5424). */
import { mkdirSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { SignedCheckpoint } from "../api/ledger/ledger.ts";
import { ServiceError } from "../base/errors.ts";
import type { SyslogReceiver } from "./port.ts";

/** Sends one. It may be sent again after a failure. */
export type Place = (checkpoint: SignedCheckpoint) => Promise<void>;

export interface PlaceSettings {
  readonly folder?: string | undefined;
  /** `udp://`, `tcp://` or `tls://`, host and port; `?ca=` names a file with the certificates to trust. */
  readonly syslog?: string | undefined;
  /** Commits a text as a file of its own to a branch that only grows. */
  readonly git?: ((branch: string, record: KeptCheckpoint) => Promise<void>) | undefined;
}

export interface KeptCheckpoint {
  readonly position: number;
  readonly at: number;
  readonly path: string;
  readonly text: string;
  readonly subject: string;
}

/** By name, in the order in which they are sent. @throws ServiceError Validation */
export function placesOf({ folder, syslog, git }: PlaceSettings): ReadonlyMap<string, Place> {
  return new Map<string, Place>([
    ...(folder === undefined ? [] : [["file", toFolder(folder)] as const]),
    ...(syslog === undefined ? [] : [["syslog", toSyslog(readSyslogUrl(syslog))] as const]),
    ...(git === undefined ? [] : [["git", toGit(git)] as const]),
  ]);
}

const nameOf = (installation: string) => `ledger-${installation.replaceAll(/[^\w-]/g, "_")}.jsonl`;
const newline = 0x0a;

/** One line each, at the end of a file per installation, on disk when it resolves. */
function toFolder(folder: string): Place {
  return async (signed) => {
    mkdirSync(folder, { recursive: true, mode: 0o750 });
    const file = await open(join(folder, nameOf(signed.checkpoint.installation)), "a+", 0o640);
    try {
      const { size } = await file.stat();
      const last = Buffer.alloc(1, newline);
      if (size > 0) await file.read(last, 0, 1, size - 1);
      // After a crash in the middle of a line the next one begins with its own.
      await file.appendFile(`${last[0] === newline ? "" : "\n"}${JSON.stringify(signed)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
  };
}

const checkpointBranch = "patchbay-ledger";

/** By time, as a restored store may sign for the same entry again: no file is ever written twice. */
function toGit(keep: NonNullable<PlaceSettings["git"]>): Place {
  return (signed) => {
    const { seq, at, installation } = signed.checkpoint;
    const [day = "", time = ""] = new Date(at).toISOString().split("T");
    const file = `${day}T${time.replaceAll(/[:.]/g, "")}-${seq}.json`;
    return keep(checkpointBranch, {
      ...{ position: Date.parse(at), at: Date.parse(at), text: `${JSON.stringify(signed)}\n` },
      path: `${installation.replaceAll(/[^\w-]/g, "_")}/${day.slice(0, 7)}/${file}`,
      subject: `ledger: up to entry ${seq}`,
    });
  };
}

const usualPorts = { udp: 514, tcp: 601, tls: 6514 } as const;

/** @throws ServiceError Validation */
export function readSyslogUrl(text: string): SyslogReceiver {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const over = (["udp", "tcp", "tls"] as const).find((word) => url?.protocol === `${word}:`);
  const rest = [...(url?.searchParams.keys() ?? [])].filter((name) => name !== "ca");
  if (
    url === undefined ||
    over === undefined ||
    url.hostname === "" ||
    rest.length > 0 ||
    url.username !== ""
  )
    throw new ServiceError(
      "Validation",
      "A syslog receiver is written udp://host:port, tcp://host:port or tls://host:port, the last one with ?ca=<file> for certificates of its own.",
    );
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = url.port === "" ? usualPorts[over] : Number(url.port);
  return { over, host, port, ca: url.searchParams.get("ca") ?? undefined };
}

/** What sends is loaded when something is sent. */
function toSyslog(receiver: SyslogReceiver): Place {
  return async (signed) => (await import("./syslog.ts")).sendToSyslog(receiver, signed);
}
