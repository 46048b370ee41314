/** The operator's OpenSSH known_hosts files. For hosts they list, they are authoritative. */
import { createHmac } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { messageOf, ServiceError } from "../../../base/errors.ts";
import { fitsPatterns } from "../../../base/net/ssh-patterns.ts";
import { describeHostKey } from "./hostkey.ts";
import type { HostKeyStore, KnownKey } from "./target.ts";

/** Enough for half a million hosts. */
const maxBytes = 64 * 1024 * 1024;
const defaultPort = 22;

interface Line {
  readonly names: readonly string[];
  readonly key: KnownKey;
}

interface KnownHostsFile {
  /** Plain names, looked up exactly. */
  readonly plain: ReadonlyMap<string, KnownKey[]>;
  /** Entries with wildcards. */
  readonly patterns: readonly Line[];
  readonly hashed: readonly { readonly salt: Buffer; readonly digest: string; readonly key: KnownKey }[];
}

/** New keys still go to the store; revoked keys are reported in addition to the other known keys. */
export function withKnownHosts(store: HostKeyStore, paths: readonly string[]): HostKeyStore {
  if (paths.length === 0) return store;
  const files = paths.map(createReader);
  return {
    async knownKeys(host, port, route) {
      const name = nameOf(host, port);
      const listed = (await Promise.all(files.map((file) => file()))).flatMap((file) => keysOf(file, name));
      const named = listed.some(({ mark }) => mark !== "revoked");
      return named
        ? listed.map((key) => ({ ...key, listed: true as const }))
        : [...listed, ...(await store.knownKeys(host, port, route))];
    },
    learn: store.learn,
    ...(store.offer ? { offer: store.offer } : {}),
  };
}

/** OpenSSH notation: the port only if it is not 22. */
function nameOf(host: string, port: number): string {
  const bare = host.toLowerCase().replace(/^\[(.*)\]$/, "$1");
  return port === defaultPort ? bare : `[${bare}]:${port}`;
}

function keysOf({ plain, patterns, hashed }: KnownHostsFile, name: string): KnownKey[] {
  return [
    ...(plain.get(name) ?? []),
    ...patterns.filter(({ names }) => fitsPatterns(name, names)).map(({ key }) => key),
    ...hashed
      .filter(({ salt, digest }) => createHmac("sha1", salt).update(name).digest("base64") === digest)
      .map(({ key }) => key),
  ];
}

/** Reloads the file when it changes. An unreadable file rejects every connection, since it may revoke keys. */
function createReader(path: string): () => Promise<KnownHostsFile> {
  let version = "";
  let read: Promise<KnownHostsFile> | undefined;
  return async () => {
    try {
      const { mtimeMs, size, ino } = await stat(path);
      if (size > maxBytes) throw new Error(`it is larger than ${maxBytes / 1024 / 1024} MiB`);
      const fileVersion = `${mtimeMs} ${size} ${ino}`;
      if (read === undefined || fileVersion !== version) {
        version = fileVersion;
        read = readFile(path, "utf8").then(readKnownHosts);
      }
      return await read;
    } catch (error) {
      read = undefined;
      const why = messageOf(error);
      const message = `PATCHBAY_KNOWN_HOSTS: ${path} cannot be read: ${why}`;
      throw new ServiceError("DriverError", message, { outcome: "none" }, { cause: error });
    }
  };
}

const marks: Readonly<Record<string, KnownKey["mark"]>> = {
  "@revoked": "revoked",
  "@cert-authority": "authority",
};

/** Skips invalid lines, as OpenSSH does. */
export function readKnownHosts(text: string): KnownHostsFile {
  const plain = new Map<string, KnownKey[]>();
  const patterns: Line[] = [];
  const hashed: { salt: Buffer; digest: string; key: KnownKey }[] = [];
  for (const line of text.split("\n")) {
    const words = line.trim().split(/[ \t]+/);
    const [first = ""] = words;
    if (first === "" || first.startsWith("#")) continue;
    const [hosts = "", , encoded = ""] = first.startsWith("@") ? words.slice(1) : words;
    const mark = marks[first];
    if (first.startsWith("@") && mark === undefined) continue;
    const { type, fingerprint } = describeHostKey(Buffer.from(encoded, "base64"));
    if (type === "") continue;
    const key: KnownKey = { type, fingerprint, ...(mark === undefined ? {} : { mark }) };
    const [, kind, salt, digest] = hosts.split("|");
    if (kind === "1" && salt !== undefined && digest !== undefined) {
      hashed.push({ salt: Buffer.from(salt, "base64"), digest, key });
      continue;
    }
    const names = hosts.toLowerCase().split(",");
    if (names.some((name) => /[*?!]/.test(name))) patterns.push({ names, key });
    else for (const name of names) plain.set(name, [...(plain.get(name) ?? []), key]);
  }
  return { plain, patterns, hashed };
}
