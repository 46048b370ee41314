/** Verifies a file that is to be installed: its checksum, that it runs, and its identity. */
import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type ProgramIdentity, readIdentity } from "../../api/admin/program.ts";
import { ServiceError } from "../../base/errors.ts";
import { run } from "./system.ts";

/** A program that prints nothing within this time is treated as not running. */
const answerMs = 120_000;

export interface Candidate {
  /** Next to the installed program, so that a rename can install it. */
  readonly path: string;
  readonly identity: ProgramIdentity;
  /** Removes the file if it was not installed. */
  drop(): void;
}

/** @throws ServiceError Validation: the checksum differs, or it is not a Patchbay program. */
export function takeFile(file: string, program: string, sum: string | undefined): Candidate {
  if (!existsSync(file)) throw new ServiceError("NotFound", `There is no file ${file}.`);
  const expectedSum = sum?.toLowerCase() ?? sumBeside(file);
  const path = `${program}.new`;
  const drop = () => rmSync(path, { force: true });
  drop();
  copyFileSync(file, path);
  try {
    // Hashes the copy, so that the file cannot change between the check and the swap.
    const actualSum = createHash("sha256").update(readFileSync(path)).digest("hex");
    if (actualSum !== expectedSum)
      throw new ServiceError(
        "Validation",
        `${file} has the SHA-256 ${actualSum}, not ${expectedSum}: nothing was changed.`,
      );
    chmodSync(path, 0o755);
    return { path, identity: askIdentity(path, file), drop };
  } catch (error) {
    drop();
    throw error;
  }
}

/** @throws ServiceError Validation: it does not run here, or is another program. */
export function askIdentity(program: string, displayName = program): ProgramIdentity {
  const { ok, text } = run(program, ["version", "--json"], answerMs);
  const identity = ok ? readIdentity(text) : undefined;
  if (identity !== undefined) return identity;
  const why = text.split("\n")[0]?.slice(0, 200) ?? "";
  throw new ServiceError("Validation", `${displayName} is not a Patchbay program for this machine: ${why}`);
}

/** @throws ServiceError Conflict: it cannot read the database. */
export function requireSchema(next: ProgramIdentity, installed: ProgramIdentity): void {
  const unknown = installed.schema.filter((step) => !next.schema.includes(step));
  if (unknown.length === 0) return;
  throw new ServiceError(
    "Conflict",
    `${next.version} does not support the database of ${installed.version} (${unknown.join(", ")}): nothing was changed. To go back that far, restore a backup that ${next.version} made into an empty data directory.`,
  );
}

function sumBeside(file: string): string {
  const sums = join(dirname(file), "SHA256SUMS");
  const line = existsSync(sums)
    ? readFileSync(sums, "utf8")
        .split("\n")
        .find((line) => line.slice(64).replace(/^ [ *]/, "") === basename(file))
    : undefined;
  if (line === undefined)
    throw new ServiceError(
      "Validation",
      `The expected SHA-256 of ${file} is unknown: put SHA256SUMS beside it, or use --sha256.`,
    );
  return line.slice(0, 64).toLowerCase();
}
