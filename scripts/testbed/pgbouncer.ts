/** Runs PgBouncer of Debian in front of a PostgreSQL server, in transaction mode, by a user that is not root. */
import { chownSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRoot } from "./catalogue.ts";
import { asPostgres, idsOf, type Postgres, user } from "./postgres.ts";
import { makeFolder, startServer } from "./process.ts";

export interface Pooler {
  /** `postgres://…` of a database, without parameters. */
  url(database: string): string;
  stop(): Promise<void>;
}

export async function startPgbouncer(server: Postgres): Promise<Pooler> {
  const folder = makeFolder("pgbouncer");
  const file = join(folder.path, "pgbouncer.ini");
  const users = join(folder.path, "users.txt");
  const running = await startServer((port) => {
    const lines = [
      "[databases]",
      `* = host=127.0.0.1 port=${server.port}`,
      "[pgbouncer]",
      ...["listen_addr = 127.0.0.1", `listen_port = ${port}`, "unix_socket_dir ="],
      ...["auth_type = trust", `auth_file = ${users}`, "pool_mode = transaction", "default_pool_size = 10"],
    ];
    writeFileSync(file, `${lines.join("\n")}\n`);
    writeFileSync(users, `"${user}" ""\n`);
    if (isRoot()) {
      const { uid, gid } = idsOf(user);
      for (const path of [folder.path, file, users]) chownSync(path, uid, gid);
    }
    return { command: asPostgres(["/usr/sbin/pgbouncer", file]) };
  });
  return {
    url: (database) => `postgres://${user}@127.0.0.1:${running.port}/${database}`,
    async stop() {
      await running.stop();
      folder.remove();
    },
  };
}
