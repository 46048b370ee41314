/**
 * Builds the database for a first start by running the service's migrations once. The same schema produces
 * the same bytes.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openFile } from "../../src/store/libsql/database/file/file.ts";
import { migrate } from "../../src/store/libsql/database/migrate.ts";

export async function blankDatabase(): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), "blank-"));
  try {
    const path = join(folder, "patchbay.db");
    const connection = openFile(path);
    try {
      await migrate(connection);
      await connection.script("pragma wal_checkpoint(truncate)");
      return readFileSync(path);
    } finally {
      connection.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
