/** The manifest, the last entry of an archive: its files with their hashes. */
import * as v from "valibot";
import { refused } from "./tar.ts";

export const manifestName = "manifest.json";
/** Archives with a higher number need a newer program. */
const format = 1;
export const maxManifestBytes = 64 * 1024 * 1024;

const entry = v.object({
  path: v.string(),
  size: v.pipe(v.number(), v.integer(), v.minValue(0)),
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
});
export type ManifestEntry = v.InferOutput<typeof entry>;

const manifest = v.object({
  format: v.literal(format),
  program: v.literal("patchbay"),
  version: v.string(),
  /** The latest migration of the database. */
  tables: v.string(),
  created_at: v.string(),
  /** Existing files that were excluded, such as `master.key`. */
  left_out: v.array(v.string()),
  entries: v.array(entry),
});
export type Manifest = v.InferOutput<typeof manifest>;

export function makeManifest(facts: Omit<Manifest, "format" | "program">): Manifest {
  return { format, program: "patchbay", ...facts };
}

/** @throws ServiceError Validation */
export function readManifest(text: string): Manifest {
  const value = jsonOf(text);
  const read = v.safeParse(manifest, value);
  if (read.success) return read.output;
  const newer = v.safeParse(v.object({ format: v.number(), version: v.string() }), value);
  if (newer.success && newer.output.format > format)
    throw refused(`version ${newer.output.version.slice(0, 40)} made it, which is newer than this program`);
  throw refused("its manifest is damaged");
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
